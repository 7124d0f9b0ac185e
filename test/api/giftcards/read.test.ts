// GET /v1/giftcards and GET /v1/giftcards/{id}: with the balance of the mode of the key.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { price as usd } from '../../support/shop.ts'
import { openShop } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)

describe('GET /v1/giftcards/{id}', () => {
  it('shows the balance of the mode of the key, and the same of all else', async () => {
    const card = await shop.create()
    const changed = await shop.update(card.id, { balance: 20 })
    expect(await shop.get(card.id)).toEqual({ ...card, balance: usd(20, '20.00'), updated: changed.updated })
    expect(await shop.get(card.id, shop.keys.live.secret)).toEqual({ ...card, updated: changed.updated })
  })
})

describe('GET /v1/giftcards', () => {
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
})
