// GET /v1/giftcards and GET /v1/giftcards/{id}: with the balance of the mode of the key.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { price as usd } from '../../support/shop.ts'
import { NOT_FOUND, openShop, UNKNOWN_ID } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)

describe('GET /v1/giftcards/{id}', () => {
  it('shows the balance of the mode of the key, and the same of all else', async () => {
    const card = await shop.create()
    const changed = await shop.update(card.id, { balance: 20 })
    expect(await shop.get(card.id)).toEqual({ ...card, balance: usd(20, '20.00'), updated: changed.updated })
    expect(await shop.get(card.id, shop.keys.live.secret)).toEqual({ ...card, updated: changed.updated })
  })

  it.each(['GET', 'PUT', 'DELETE'] as const)(
    "%s answers another merchant's card with the bytes of an unknown id, and leaves it alone",
    async (method) => {
      const other = await openShop(app)
      const { id } = await other.create()
      const ask = (card: string) => shop.call(method, `/${card}`, method === 'PUT' ? { note: 'mine' } : undefined)
      const [foreign, unknown] = [await ask(id), await ask(UNKNOWN_ID)]
      expect([foreign.status, foreign.body]).toEqual(NOT_FOUND)
      expect(foreign.text).toBe(unknown.text)
      expect((await other.get(id)).note).toBeNull()
    },
  )

  it.each(['GET', 'PUT', 'DELETE'] as const)('%s is for the secret key', async (method) => {
    const { id } = await shop.create()
    const [status] = await shop.refused(method, `/${id}`, method === 'PUT' ? {} : undefined, shop.keys.sandbox.public)
    expect(status).toBe(403)
  })
})

describe('GET /v1/giftcards', () => {
  it('lists the cards of the merchant, oldest first, in pages', async () => {
    const own = await openShop(app)
    const cards = []
    for (let index = 0; index < 3; index++) {
      app.clock.advance(1)
      cards.push(await own.create({ note: `number ${index}` }))
    }
    const { status, body } = await own.call('GET', '?limit=2')
    expect([status, body]).toEqual([
      200,
      {
        data: cards.slice(0, 2),
        meta: {
          pagination: {
            total: 3,
            count: 2,
            per_page: 2,
            current_page: 1,
            total_pages: 2,
            links: { next: 'http://localhost:80/v1/giftcards?limit=2&page=2' },
          },
        },
      },
    ])
    const second = (await own.call('GET', '?limit=2&page=2')).body as { data: unknown[] }
    expect(second.data).toEqual(cards.slice(2))
  })

  it('gives fifteen a page unless told, and shows the balances of the mode of the key', async () => {
    const own = await openShop(app)
    const { id } = await own.create()
    await own.update(id, { balance: 0 }, own.keys.live.secret)
    const read = async (key?: string) =>
      (await own.call('GET', '', undefined, key)).body as {
        data: { balance: { raw: number } }[]
        meta: { pagination: { per_page: number } }
      }
    const [sandbox, live] = [await read(), await read(own.keys.live.secret)]
    expect(sandbox.meta.pagination.per_page).toBe(15)
    expect([sandbox, live].map(({ data }) => data.map(({ balance }) => balance.raw))).toEqual([[50], [0]])
  })

  it('refuses a limit that is none, and the public key', async () => {
    expect((await shop.call('GET', '?limit=0')).status).toBe(422)
    expect((await shop.call('GET', '', undefined, shop.keys.sandbox.public)).status).toBe(403)
  })
})
