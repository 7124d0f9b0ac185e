import { describe, expect, it } from 'vitest'
import { openShop } from '../api/giftcards/support.ts'
import { testApp } from '../support/app.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const { id } = await shop.create({ note: 'For Ada' })
app.clock.advance(7)
const card = await shop.update(id, { note: 'For Grace', meta: { updated: 'stays' } })

const read = async (path: string, version: string) =>
  (await app.call('GET', `/v1/giftcards${path}`, { key: shop.keys.sandbox.secret, version })).text

describe('the moment a gift card changed', () => {
  const { updated, ...rest } = card
  const before = JSON.stringify({ ...rest, last_updated: updated })

  it('is `last_updated` at 2020-09-23, alone and in a list', async () => {
    expect(await read(`/${id}`, '2020-09-23')).toBe(before)
    expect(await read('', '2020-09-23')).toContain(`{"data":[${before}]`)
  })

  it('is `updated` at 2020-11-18', async () => {
    expect(await read(`/${id}`, '2020-11-18')).toBe(JSON.stringify(card))
  })
})
