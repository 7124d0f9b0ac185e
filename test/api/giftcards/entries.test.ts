// GET /v1/giftcards/{id}/entries: how a balance came about, in each mode by itself, with the orders that it paid for; and the export of all cards.

import { describe, expect, it } from 'vitest'
import type { GiftCard, GiftCardEntry } from '../../../src/api/gift-cards/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { price as usd } from '../../support/shop.ts'
import { CARD, CUSTOMER, openCaptureShop } from '../checkouts/capture-support.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const { sandbox, live } = shop.keys

const issue = (value: number, more: object = {}) =>
  shop.succeed<GiftCard>(201, 'POST', 'giftcards', { value, ...more }, live.secret)
type Listed = { data: GiftCardEntry[]; meta: { pagination: { total: number; total_pages: number } } }
const entriesOf = (id: string, query = '', key = sandbox.secret) =>
  shop.succeed<Listed>(200, 'GET', `giftcards/${id}/entries${query}`, undefined, key)
const moves = async (id: string, key?: string) =>
  (await entriesOf(id, '', key)).data.map(({ type, amount, balance, order_id }) => [
    type,
    amount.raw,
    balance.raw,
    order_id,
  ])

/** Something at 10.00, paid with the gift card as far as it goes. */
async function buy({ code }: GiftCard, number = '4242 4242 4242 4242') {
  app.clock.advance(1)
  const { id } = await shop.product({ price: 10, delivery: { physical: false } })
  const token = await shop.token({ id, quantity: 1 })
  const payment = { ...CARD, card: { ...CARD.card, number } }
  return shop.capture(token, { customer: CUSTOMER, giftcard_code: code, payment })
}

describe('the ledger of a gift card', () => {
  it('names the order that was paid, and says what was left after each entry, newest first, in the mode of the key', async () => {
    const card = await issue(25)
    const first = (await buy(card)).body as { id: string; customer_reference: string; created: number }
    const second = (await buy(card)).body as { id: string; customer_reference: string }
    app.clock.advance(1)
    await shop.succeed(200, 'PUT', `giftcards/${card.id}`, { balance: 50 }, sandbox.secret)
    const { data, meta } = await entriesOf(card.id)
    expect(data.map(({ type, balance, order_id }) => [type, balance.raw, order_id])).toEqual([
      ['adjusted', 50, null],
      ['spent', 5, second.id],
      ['spent', 15, first.id],
      ['issued', 25, null],
    ])
    expect(data[2]).toEqual({
      created: first.created,
      type: 'spent',
      amount: usd(-10, '-10.00'),
      balance: usd(15, '15.00'),
      order_id: first.id,
      customer_reference: first.customer_reference,
    })
    expect(meta.pagination.total).toBe(4)
    expect(await moves(card.id, live.secret)).toEqual([['issued', 25, 25, null]])
  })

  it('tells a payment that failed from one that made an order, and what an order gave back', async () => {
    const card = await issue(6)
    expect((await buy(card, '4000 0000 0000 0002')).status).toBe(402)
    expect(await moves(card.id)).toEqual([
      ['returned', 6, 6, null],
      ['reserved', -6, 0, null],
      ['issued', 6, 6, null],
    ])
    const { id } = (await buy(card)).body as { id: string }
    await shop.succeed(200, 'POST', `orders/${id}/refund`, {}, sandbox.secret)
    expect((await moves(card.id)).slice(0, 2)).toEqual([
      ['returned', 6, 6, id],
      ['spent', -6, 0, id],
    ])
  })
})

it('cards that are looked for are found by how their code begins in any case, and by their id', async () => {
  const own = await openCaptureShop(app)
  const { secret } = own.keys.sandbox
  const made: GiftCard[] = []
  for (const code of ['ADA-1', 'ada-2', 'GRACE', 'X~']) {
    app.clock.advance(1)
    made.push(await own.succeed<GiftCard>(201, 'POST', 'giftcards', { value: 5, code }, secret))
  }
  const find = async (query: string) => {
    const { data, meta } = await own.succeed<{ data: GiftCard[]; meta: Listed['meta'] }>(
      200,
      'GET',
      `giftcards?query=${query}`,
      undefined,
      secret,
    )
    return [data.map(({ code }) => code), meta.pagination.total]
  }
  expect(await find('AdA')).toEqual([['ADA-1', 'ada-2'], 2])
  expect(await find('x~')).toEqual([['X~'], 1])
  expect(await find('DA-')).toEqual([[], 0])
  expect(await find(made[2]?.id ?? '')).toEqual([['GRACE'], 1])
  expect(await find('')).toEqual([['ADA-1', 'ada-2', 'GRACE', 'X~'], 4])
  expect(await find('AdA&limit=1&page=2')).toEqual([['ada-2'], 2])
  expect(await find(encodeURIComponent('ÄÖ'))).toEqual([[], 0])
})

describe('the export of gift cards', () => {
  it('is a table of every card with what is left on it in the mode of the key, and no formula', async () => {
    const own = await openCaptureShop(app)
    const { secret } = own.keys.sandbox
    const body = { value: 50, code: '=1+1', note: 'For "Ada", with love', expires: 1_900_000_000 }
    const card = await own.succeed<GiftCard>(201, 'POST', 'giftcards', body, own.keys.live.secret)
    await own.succeed(200, 'PUT', `giftcards/${card.id}`, { balance: 12.5 }, secret)
    const answer = await own.call('GET', 'giftcards/export', undefined, secret)
    expect([answer.status, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      200,
      'text/csv; charset=utf-8',
      'no-store',
    ])
    expect(answer.headers['content-disposition']).toBe('attachment; filename="gift-cards.csv"')
    const [head, line] = answer.text.slice(1).split('\r\n')
    expect(answer.text.charAt(0)).toBe('\uFEFF')
    expect(head).toBe('code,id,currency,initial_value,balance,held,expires,note,created,updated')
    expect(line).toMatch(
      new RegExp(`^'=1\\+1,${card.id},USD,50\\.00,12\\.50,0\\.00,2030-03-17 17:46:40,"For ""Ada"", with love",\\d{4}-`),
    )
    const ofLive = await own.call('GET', 'giftcards/export', undefined, own.keys.live.secret)
    expect(ofLive.text).toContain(',50.00,50.00,0.00,')
  })

  it('holds every card once, part by part, whatever the filter', async () => {
    const own = await openCaptureShop(app)
    const codes = Array.from({ length: 203 }, (_, index) => `MANY-${index}`)
    for (const code of codes) await own.succeed(201, 'POST', 'giftcards', { value: 1, code }, own.keys.sandbox.secret)
    for (const query of ['', '?query=many-']) {
      const { text } = await own.call('GET', `giftcards/export${query}`, undefined, own.keys.sandbox.secret)
      const shown = text.trim().split('\r\n').slice(1)
      expect(shown.map((line) => line.split(',')[0]).toSorted()).toEqual(codes.toSorted())
    }
  })
})
