// @sampled: npm run proof tries more sequences and rounds.
// POST /v1/orders/{id}/refund of a part: an amount, or some of the items; several, until nothing is left. What is refused, what the order shows,
// and that money, credit and goods go back once each, whatever happens beside it or on the way.

import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import type { GiftCard } from '../../../src/api/gift-cards/schema.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { GatewayUnavailable } from '../../../src/gateways/call.ts'
import { brokenOracles } from '../../faults/oracles.ts'
import { size } from '../../support/proof.ts'
import { atOnce, bodyOf, callsOf, notValid, notValidFields, replyOf, unixNow } from '../../support/shop.ts'
import { appWithRefunds, digital, draftOf, openShop, physical, runOrderJobs, usd } from './support.ts'

const { app, gateways } = await appWithRefunds()
afterEach(() => {
  gateways.refund = null
})
const shop = await openShop(app)
afterAll(async () => expect(await brokenOracles(app.db, { now: app.clock.now() })).toEqual([]))

const now = () => unixNow(app)
const back = (order: Pick<Order, 'id'>, body: object = {}) => {
  app.clock.advance(1)
  return shop.call('POST', `/${order.id}/refund`, body)
}
/** As it is then. */
async function giveBack(order: Pick<Order, 'id'>, body: object = {}): Promise<Order> {
  const answer = await back(order, body)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return answer.body as Order
}
const sums = ({ order: { total_paid, total_refunded, total_refundable }, status_payment }: Order) => [
  status_payment,
  ...[total_paid, total_refunded, total_refundable].map(({ raw }) => raw),
]
const { call } = callsOf(app, 'giftcards', shop.keys.sandbox.secret)
const cards = async (...request: Parameters<typeof call>) => (await call(...request)).body as GiftCard

/** 20.00, of which a gift card paid 5.00 and the gateway 15.00. */
async function byCardAndCredit() {
  const { id } = await cards('POST', '', { value: 5 })
  const gift_card = { id, code: 'FIVE', balance_after: 0, credit: 500 }
  const order = await shop.order({ gift_card, total_due: 1_500 })
  const balance = async (cardId = id) => (await cards('GET', `/${cardId}`)).balance.raw
  return { order, id, balance, spent: await balance() }
}

describe('POST /v1/orders/{id}/refund with an amount', () => {
  it('gives back so much, shows what is left, and goes on until nothing is', async () => {
    const order = await shop.order({ lines: [physical(), digital()] })
    expect(sums(order)).toEqual(['paid', 30, 0, 30])
    const first = await giveBack(order, { amount: 10.5, reason: 'scratched' })
    expect(sums(first)).toEqual(['partially_refunded', 19.5, 10.5, 19.5])
    const moved = { gateway: 'test_gateway', amount: usd(1_050), reason: 'scratched', created: now() }
    expect(first).toMatchObject({
      updated: now(),
      payments: [{ is_refunded: false, refunded: usd(1_050), refundable: usd(1_950) }],
      refunds: [{ ...moved, type: 'partial', payment_id: order.payments[0]?.id }],
      transactions: [order.transactions[0], { ...moved, type: 'refund', status: 'complete' }],
      fulfillment: order.fulfillment,
    })
    expect(await shop.get(order.id)).toEqual(first)
    expect((await shop.events(order)).at(-1)).toMatchObject({ name: 'orders.refund', payload: first })
    expect(await shop.books(order)).toMatchObject({ state: 'charged', refunded: 1_050 })
    expect(sums(await giveBack(order, { amount: '19.49' }))).toEqual(['partially_refunded', 0.01, 29.99, 0.01])
    const last = await giveBack(order)
    expect(sums(last)).toEqual(['refunded', 0, 30, 0])
    expect(last.refunds.map(({ type, amount }) => [type, amount.raw])).toEqual([
      ['partial', 10.5],
      ['partial', 19.49],
      ['partial', 0.01],
    ])
    expect(last.payments).toMatchObject([{ is_refunded: true, refund_date: now(), refundable: usd(0) }])
    expect(await shop.books(order)).toMatchObject({ state: 'refunded', refunded: 3_000 })
    expect((await back(order, { amount: 0.01 })).body).toEqual(
      notValid({ status_payment: ['The order has been refunded already.'] }),
    )
  })

  it('is for no items, and puts nothing into stock unless items say what', async () => {
    const order = await shop.order()
    expect((await giveBack(order, { amount: 20 })).order.line_items).toMatchObject([
      { quantity_refunded: 0, quantity_restocked: 0 },
    ])
    const other = await shop.order()
    const sentence =
      'items is required with restock, unless the whole order is refunded: it names the items to restock.'
    for (const body of [{ amount: 1 }, { transaction_id: other.transactions[0]?.id }])
      expect(await replyOf(back(other, { ...body, restock: true }))).toEqual([422, notValid({ items: [sentence] })])
    expect(await shop.get(other.id)).toEqual(other)
  })

  it('above what is left is 422 and says how much that is; so is nothing', async () => {
    const order = await shop.order()
    const most = (sum: string) =>
      notValid({ amount: [`amount must be at most ${sum} USD, the sum that can still be refunded.`] })
    const nothing = await back(order, { amount: 0 })
    expect(nothing.body).toMatchObject({ error: { errors: { amount: ['amount must be above 0.'] } } })
    expect((await back(order, { amount: 20.01 })).body).toEqual(most('20.00'))
    await giveBack(order, { amount: 5 })
    expect((await back(order, { amount: 15.01 })).body).toEqual(most('15.00'))
    expect((await back(order, { amount: 15.01, transaction_id: order.transactions[0]?.id })).body).toEqual(
      most('15.00'),
    )
  })

  it('is spread over several charges in their order, one refund each', async () => {
    const order = await shop.order({}, 'manual')
    for (const amount of [5, 7, 8]) {
      app.clock.advance(1)
      const open = (await shop.get(order.id)).transactions.find(({ status }) => status === 'pending')
      expect((await shop.complete(order, { amount }, open?.id)).status).toBe(200)
    }
    const first = await giveBack(order, { amount: 6 })
    expect(first.refunds.map(({ type, amount }) => [type, amount.raw])).toEqual([
      ['full', 5],
      ['partial', 1],
    ])
    expect(first.payments.map(({ is_refunded, refundable }) => [is_refunded, refundable.raw])).toEqual([
      [true, 0],
      [false, 6],
      [false, 8],
    ])
    const third = first.transactions.filter(({ type }) => type === 'charge')[2]?.id
    const leftAfter = async (body: object) =>
      (await giveBack(order, { ...body, transaction_id: third })).payments.map(({ refundable }) => refundable.raw)
    expect(await leftAfter({ amount: 2 })).toEqual([0, 6, 6])
    expect(await leftAfter({})).toEqual([0, 6, 0])
    const sentence = 'transaction_id must be a completed charge of this order that has not been fully refunded.'
    for (const transaction_id of [third, 'trns_other'])
      expect((await back(order, { transaction_id })).body).toEqual(notValid({ transaction_id: [sentence] }))
    expect(sums(await giveBack(order))).toEqual(['refunded', 0, 20, 0])
  })

  it('goes to the gift card with what is above the charges, and the rest of the card with the rest', async () => {
    const { order, id, balance, spent } = await byCardAndCredit()
    expect(sums(order)).toEqual(['paid', 20, 0, 20])
    const first = await giveBack(order, { amount: 14 })
    expect([sums(first), first.returned_credit]).toEqual([['partially_refunded', 6, 14, 6], null])
    expect((await balance()) - spent).toBe(0)
    const second = await giveBack(order, { amount: 3 })
    expect([sums(second), (await balance()) - spent]).toEqual([['partially_refunded', 3, 17, 3], 2])
    expect(second.refunds.map(({ amount }) => amount.raw)).toEqual([14, 1])
    expect(second.returned_credit).toEqual({ gift_card_id: id, amount: usd(200), is_new_card: false, reason: null })
    const third = await giveBack(order, { amount: 1 })
    expect([sums(third), (await balance()) - spent]).toEqual([['partially_refunded', 2, 18, 2], 3])
    expect((await shop.told(order)).filter((name) => name === 'orders.refund').length).toBe(3)
    const last = await giveBack(order)
    expect([sums(last), (await balance()) - spent]).toEqual([['refunded', 0, 20, 0], 5])
    expect(last.returned_credit).toMatchObject({ gift_card_id: id, amount: usd(500) })
  })

  it('issues one new card for all parts of credit whose card is gone', async () => {
    const { order, id, balance } = await byCardAndCredit()
    await giveBack(order, { amount: 16 })
    await cards('DELETE', `/${id}`)
    const second = await giveBack(order, { amount: 1 })
    const card = second.returned_credit?.gift_card_id ?? ''
    expect(second.returned_credit).toEqual({
      gift_card_id: expect.not.stringMatching(id),
      amount: usd(200),
      is_new_card: true,
      reason: 'card_deleted',
    })
    expect(await balance(card)).toBe(1)
    expect((await giveBack(order)).returned_credit).toEqual({ ...second.returned_credit, amount: usd(500) })
    expect(await balance(card)).toBe(4)
  })
})

it('expected_left lets a refund through only while it is what is left, and else is the wrong field and shows the order', async () => {
  const order = await shop.order()
  const body = { amount: 5, expected_left: 20 }
  const first = await giveBack(order, body)
  // The same once more, as after an answer that was lost.
  const message = 'expected_left is not what is left to give back: 15.00 USD.'
  expect(bodyOf(409, await back(order, body))).toEqual({
    error: { type: 'conflict', message, errors: { expected_left: [message] } },
    order: first,
    status_code: 409,
  })
  expect(sums(await giveBack(order, { ...body, expected_left: '15.00' }))).toEqual(['partially_refunded', 10, 10, 10])
  await giveBack(order, { expected_left: 10 })
  expect((await back(order, { expected_left: 10 })).status).toBe(409)
  expect((await back(order, { expected_left: 0 })).status).toBe(422)
})

/** Three mugs at 10.00 less 0.01 and with tax, one book, and shipping, which items leave with the merchant. */
const bought = () => {
  const lines = [
    physical({
      quantity: 3,
      line_total: 1_000,
      discount_share: 1,
      tax: { is_taxable: true, taxable_amount: 999, amount: 71, parts: [] },
    }),
    digital(),
  ]
  return { lines, total_due: 1_070 + 1_000 + 500, total_with_tax: 2_570, total: 2_499 }
}
const mugs = (quantity: number) => ({ line_item_id: 'item_mug', quantity })
const book = { line_item_id: 'item_book', quantity: 1 }

describe('POST /v1/orders/{id}/refund with items', () => {
  it('gives back their discounted price with tax, to the cent in any parts, and no shipping', async () => {
    const order = await shop.order(bought())
    const first = await giveBack(order, { items: [mugs(1)] })
    expect(first.refunds.map(({ amount }) => amount.raw)).toEqual([3.57])
    expect(first.order.line_items.map(({ quantity_refunded }) => quantity_refunded)).toEqual([1, 0])
    await giveBack(order, { items: [mugs(1), book] })
    const third = await giveBack(order, { items: [mugs(1)] })
    expect(third.refunds.map(({ amount }) => amount.raw)).toEqual([3.57, 13.56, 3.57])
    expect(third.order.line_items.map(({ quantity_refunded }) => quantity_refunded)).toEqual([3, 1])
    expect(sums(third)).toEqual(['partially_refunded', 5, 20.7, 5])
    expect(sums(await giveBack(order))).toEqual(['refunded', 0, 25.7, 0])
  })

  it('contains tax that prices include, and what a fee below zero took off', async () => {
    const tax = { is_taxable: false, taxable_amount: 0, amount: 100, parts: [] }
    const lines = [physical({ tax }), digital({ tax })]
    const order = await shop.order({
      lines,
      adjustments: { taxable: -300, untaxable: 0, total: -300, entries: [] },
      tax: { ...draftOf().tax, amount: 200, is_included: true },
      total_due: 2_700,
    })
    expect((await giveBack(order, { items: [book] })).refunds[0]?.amount).toEqual(usd(900))
    expect((await giveBack(order, { items: [mugs(2)] })).refunds[1]?.amount).toEqual(usd(1_800))
    expect((await shop.get(order.id)).status_payment).toBe('refunded')
  })

  it('refuses lines that it does not have, the same twice, and more than was bought, all at once', async () => {
    const order = await shop.order(bought())
    expect(await replyOf(back(order, { items: [{ ...book, line_item_id: 'item_x' }, mugs(4), book, book] }))).toEqual(
      notValidFields({
        'items.0.line_item_id': 'is not the id of a line item of this order.',
        'items.1.quantity': 'must be at most 3, the quantity of this line item that can still be refunded.',
        'items.3.line_item_id': 'is listed twice.',
      }),
    )
    expect(await shop.get(order.id)).toEqual(order)
    // An amount beside the items is what is given back for them.
    const after = await giveBack(order, { amount: 1, items: [mugs(3)] })
    expect([after.refunds[0]?.amount, after.order.line_items[0]?.quantity_refunded]).toEqual([usd(100), 3])
    const sentence = 'items.0.quantity must be at most 0, the quantity of this line item that can still be refunded.'
    expect((await back(order, { items: [mugs(1)] })).body).toEqual(notValid({ 'items.0.quantity': [sentence] }))
  })

  it('refuses items that cost more than is left, or nothing', async () => {
    const order = await shop.order({ lines: [physical(), digital({ line_total: 0 })] })
    await giveBack(order, { amount: 15 })
    const sentence =
      'These items cost 20.00 USD, but only 5.00 USD can still be refunded. Send the amount to refund in amount.'
    expect((await back(order, { items: [mugs(2)] })).body).toEqual(notValid({ items: [sentence] }))
    const unpaid = 'Nothing was paid for these items. Send the amount to refund in amount.'
    expect((await back(order, { items: [book] })).body).toEqual(notValid({ items: [unpaid] }))
  })
})

describe('what is given back of an order', () => {
  it('counts again once the gateway has refused it, with its items, and the gift card got nothing', async () => {
    const { order, balance, spent } = await byCardAndCredit()
    gateways.refund = async () => ({ kind: 'declined', message: 'Closed.' })
    expect((await back(order, { amount: 17, items: [mugs(2)] })).status).toBe(402)
    const after = await shop.get(order.id)
    expect([sums(after), after.order.line_items[0]?.quantity_refunded]).toEqual([['paid', 20, 0, 20], 0])
    expect((await balance()) - spent).toBe(0)
    gateways.refund = null
    const again = await giveBack(order, { amount: 17, items: [mugs(2)] })
    expect([sums(again), again.order.line_items[0]?.quantity_refunded]).toEqual([['partially_refunded', 3, 17, 3], 2])
    expect((await balance()) - spent).toBe(2)
  })

  it('of two charges of which one is refused is what went back, and its items count', async () => {
    const order = await shop.order({}, 'manual')
    await shop.complete(order, { amount: 15 })
    app.clock.advance(1)
    const rest = (await shop.get(order.id)).transactions.find(({ status }) => status === 'pending')
    await shop.complete(order, {}, rest?.id)
    gateways.refund = async (usual, request) =>
      request.amount === 500 ? { kind: 'declined', message: 'Closed.' } : usual(request)
    expect((await back(order, { items: [mugs(2)] })).status).toBe(402)
    const after = await shop.get(order.id)
    expect(sums(after)).toEqual(['partially_refunded', 5, 15, 5])
    expect(after.order.line_items[0]?.quantity_refunded).toBe(2)
  })

  it.each<[string, NonNullable<typeof gateways.refund>]>([
    ['is down', () => Promise.reject(new GatewayUnavailable('down', { isNothingCharged: false }))],
    [
      'gives it back and then loses the connection',
      async (usual, request) => {
        await usual(request)
        throw new Error('reset')
      },
    ],
  ])(
    'whose gateway %s is on its way, refuses others, and is ended once by the job under the same key',
    async (_, behaviour) => {
      const { order, balance, spent } = await byCardAndCredit()
      const keys = new Set<string>()
      gateways.refund = (usual, request) => {
        keys.add(request.key)
        return behaviour(usual, request)
      }
      expect((await back(order, { amount: 16, items: [mugs(1)] })).status).toBe(504)
      const pending = await shop.get(order.id)
      expect([sums(pending), pending.order.line_items[0]?.quantity_refunded]).toEqual([['paid', 20, 0, 4], 1])
      expect(pending.payments).toMatchObject([{ refunded: usd(0), refundable: usd(0), is_refunded: false }])
      expect((await back(order, { amount: 1 })).status).toBe(409)
      expect((await shop.call('POST', `/${order.id}/cancel`, {})).status).toBe(409)
      expect((await balance()) - spent).toBe(0)
      gateways.refund = (usual, request) => {
        keys.add(request.key)
        return usual(request)
      }
      await runOrderJobs(app, shop.id)
      const after = await shop.get(order.id)
      expect([sums(after), (await balance()) - spent, keys.size]).toEqual([['partially_refunded', 4, 16, 4], 1, 1])
      expect(await shop.books(order)).toMatchObject({ state: 'refunded', refunded: 1_500 })
      expect((await shop.told(order)).filter((name) => name === 'orders.refund').length).toBe(1)
    },
  )

  it('at the same moment is never more than was left, and all of it in the end', async () => {
    for (let round = 0; round < size(2, 5); round++) {
      const { order, balance, spent } = await byCardAndCredit()
      const answers = await atOnce(12, (index) =>
        shop.call('POST', `/${order.id}/refund`, { amount: 1 + (index % 4) * 2 }),
      )
      const given = answers
        .map(({ status }, index) => (status === 200 ? 1 + (index % 4) * 2 : 0))
        .reduce((sum, amount) => sum + amount, 0)
      expect(answers.filter(({ status }) => ![200, 409, 422].includes(status)).map(({ status }) => status)).toEqual([])
      const after = await shop.get(order.id)
      expect(after.order.total_refunded.raw).toBe(given)
      expect((await shop.books(order)).refunded / 100 + (await balance()) - spent).toBe(given)
      if (after.order.total_refundable.raw > 0) await giveBack(order)
      expect((await shop.books(order)).refunded / 100 + (await balance()) - spent).toBe(20)
    }
  })

  it('in any sequence of amounts and items never passes what was paid, and ends at nothing left', async () => {
    const step = fc.oneof(
      fc.record({ amount: fc.integer({ min: 1, max: 900 }) }),
      fc.record({ items: fc.constantFrom([mugs(1)], [mugs(2)], [book], [mugs(1), book]) }),
      fc.record({ amount: fc.integer({ min: 1, max: 900 }), items: fc.constantFrom([mugs(1)], [book]) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), fc.nat(499), async (steps, odd) => {
        const { id } = await cards('POST', '', { value: 5 })
        const gift_card = { id, code: 'FIVE', balance_after: 0, credit: 1 + odd }
        const draft = bought()
        const order = await shop.order({ ...draft, gift_card, total_due: draft.total_due - 1 - odd })
        const minor = ({ raw }: { raw: number }) => Math.round(raw * 100)
        let left = draft.total_due
        for (const body of steps) {
          const asked = 'amount' in body ? { ...body, amount: body.amount / 100 } : body
          const answer = await back(order, { ...asked, expected_left: left / 100 })
          expect([200, 422]).toContain(answer.status)
          const after = await shop.get(order.id)
          if ('amount' in body && answer.status === 200)
            expect(minor(after.order.total_refundable)).toBe(left - body.amount)
          if (answer.status === 422) expect(minor(after.order.total_refundable)).toBe(left)
          left = minor(after.order.total_refundable)
          expect(left).toBeGreaterThanOrEqual(0)
          expect(minor(after.order.total_refunded) + left).toBe(draft.total_due)
          expect(minor(after.order.total_paid)).toBe(left)
        }
        if (left > 0) await giveBack(order, { expected_left: left / 100 })
        expect(sums(await shop.get(order.id))).toEqual(['refunded', 0, draft.total_due / 100, 0])
        expect((await shop.books(order)).refunded).toBe(draft.total_due - 1 - odd)
        expect((await cards('GET', `/${id}`)).balance.raw).toBe((500 + 1 + odd) / 100)
      }),
      { numRuns: size(6, 30) },
    )
  })
})
