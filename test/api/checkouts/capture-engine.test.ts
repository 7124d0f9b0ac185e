// The engine of capture, with captures made by hand: what each card comes to, what a repeated capture gets, what is given back.

import { describe, expect, it } from 'vitest'
import { runCapture } from '../../../src/api/capture/capture.ts'
import type { GatewayAdapter } from '../../../src/gateways/gateway.ts'
import { gate } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { CARDS, cardPayment, openEngine, otherPayment, preparedOf, SETTLE_MS } from './capture-engine-support.ts'

const app = await testApp()
const engine = await openEngine(app)
const { capture, complete } = engine
const item = await engine.product(1_000)
const lines = [{ item, quantity: 2 }]
const buy = (number: string, token = engine.token()) => ({ token, payment: cardPayment(number), lines })

describe('a capture', () => {
  it.each([
    ['authorized', buy(CARDS.authorize), 'authorized'],
    ['manual', { ...buy(''), payment: otherPayment('manual') }, 'not_paid'],
    ['free', { ...buy(''), payment: null, lines: [{ item, quantity: 1, price: 0 }] }, 'paid'],
  ])('that is %s makes an order at once', async (_, bought, status) => {
    expect((await capture(bought)).order).toMatchObject({ status_payment: status })
    await engine.expectOracles()
  })

  it.each([
    ['0002', 'The card was declined.'],
    ['9995', 'The card has insufficient funds.'],
    ['0069', 'The card has expired.'],
    ['0127', 'The security code (CVC) of the card is wrong.'],
  ])('with the card …%s is declined, gives everything back and leaves the token usable', async (ending, message) => {
    const [discount, card] = [await engine.shop.discount({ type: 'fixed', value: 1, limit: 1 }), await newCard(5)]
    const held = { lines, discountId: discount.id, giftCard: { id: card.id, credit: 500 } }
    const before = await engine.available(item)
    const token = engine.token()
    const refused = await capture({ token, payment: cardPayment(`400000000000${ending}`), ...held })
    expect(refused).toMatchObject({ status: 402, type: 'gateway_error', error: { message } })
    expect(await engine.available(item)).toBe(before)
    await engine.expectOracles()
    expect(await capture({ token, payment: cardPayment(CARDS.good), ...held })).toMatchObject({ status: 200 })
    expect((await engine.attempts(token)).map(({ state }) => state).sort()).toEqual(['done', 'released'])
    await engine.expectOracles()
  })

  it('whose gateway fails for sure is refused at once, with everything given back', async () => {
    const before = await engine.available(item)
    expect(await capture(buy(CARDS.failing))).toMatchObject({ status: 402, type: 'gateway_error' })
    expect(await engine.available(item)).toBe(before)
    await engine.expectOracles()
  })

  it('whose gateway charges and then answers 500 is an order: the gateway is asked again at once', async () => {
    expect(await capture(buy(CARDS.failingCharged))).toMatchObject({ status: 200, order: { status_payment: 'paid' } })
    await engine.expectOracles()
  })

  it('whose gateway hangs is answered 504 in time, and settled by the completer: an order where it was charged', async () => {
    const bought = buy(CARDS.hangingCharged)
    // The gateway would keep it waiting without end.
    const answer = await capture(bought)
    expect(answer).toMatchObject({ status: 504, type: 'gateway_timeout', error: { headers: { 'retry-after': '2' } } })
    expect(await engine.orders(bought.token)).toEqual([])
    await complete()
    const [id] = await engine.orders(bought.token)
    expect(await capture(bought)).toMatchObject({ status: 200, order: { id, status_payment: 'paid' } })
    await engine.expectOracles()
  })

  it('of a disabled merchant is refused with account_limitation, also where there is an order', async () => {
    const bought = buy(CARDS.good)
    await capture(bought)
    const disabled = { ...engine.owner, isDisabled: true }
    const refused = { status: 402, type: 'account_limitation' }
    for (const token of [bought.token, engine.token()])
      expect(await capture({ ...bought, token }, engine.services, disabled)).toMatchObject(refused)
    const run = runCapture(engine.contextOf(engine.services, disabled), preparedOf(bought), null)
    await expect(run).rejects.toMatchObject({ status: 402 })
  })
})

describe('stock, codes and gift cards', () => {
  it('two lines on one stock are summed: not enough for both names both and takes nothing', async () => {
    const scarce = await engine.product(5)
    const some = { item: scarce, quantity: 3 }
    const bought = { ...buy(CARDS.good), lines: [some, { item, quantity: 1 }, some] }
    const refused = await capture(bought)
    expect(refused).toMatchObject({ status: 422, type: 'not_valid' })
    const fields = ['line_items.item_0.quantity', 'line_items.item_2.quantity']
    expect(Object.keys(refused.error?.errors ?? {})).toEqual(fields)
    expect(await engine.available(scarce)).toBe(5)
    expect(await engine.attempts(bought.token)).toEqual([])
    await engine.expectOracles()
  })

  it('an order that the completer makes shows what its own capture has left on the card', async () => {
    const card = await newCard(9)
    const bought = { ...buy(CARDS.hangingCharged), giftCard: { id: card.id, credit: 200 } }
    await capture(bought)
    await engine.complete()
    const { order } = await capture(bought)
    expect(order?.order.giftcard).toMatchObject({ balance: 7, credit: { raw: 2 } })
  })

  it('what was deleted while it was held is not missed when an attempt is undone', async () => {
    const gone = await engine.product(3)
    const [discount, card] = [await engine.shop.discount({ type: 'fixed', value: 1, limit: 1 }), await newCard(5)]
    const codes = { discountId: discount.id, giftCard: { id: card.id, credit: 500 } }
    const bought = { ...buy(CARDS.hanging), lines: [{ item: gone, quantity: 1 }], ...codes }
    expect(await capture(bought)).toMatchObject({ status: 504 })
    const secret = engine.shop.keys.sandbox.secret
    for (const path of [`products/${gone}`, `discounts/${discount.id}`, `giftcards/${card.id}`])
      await engine.shop.succeed(204, 'DELETE', path, undefined, secret)
    await complete()
    expect(await engine.attempts(bought.token)).toMatchObject([{ state: 'released' }])
    expect(engine.errors).toEqual([])
    await engine.expectOracles()
  })
})

describe('a capture that is sent again', () => {
  it('while it is charged waits for the order; one with another body gets 409 at once', async () => {
    const bought = buy(CARDS.good)
    const { slow, charging } = slowlyThat(async (asked) => paidFor(asked))
    /** As a client does that is told to send the same again: on a machine that stands still it waits longer than it may. */
    const untilItIsKnown = async () => {
      for (;;) {
        const answer = await capture(bought, slow)
        if (answer.status !== 409) return answer
      }
    }
    const [first, second, other] = await Promise.all([
      capture(bought, slow),
      charging.then(untilItIsKnown),
      charging.then(() => capture({ ...bought, body: 'other' }, slow)),
    ])
    expect(first.status).toBe(200)
    expect(second.order?.id).toBe(first.order?.id)
    expect(other).toMatchObject({ status: 409, type: 'conflict', error: { headers: { 'retry-after': '2' } } })
  })

  it.each([{ amount: 1 }, { currency: 'EUR' }])('makes no order when the gateway has taken %j', async (other) => {
    const bought = buy(CARDS.good)
    const wrong = engine.gatewayThat({ charge: async (asked) => paidFor({ ...asked, ...other }) })
    expect(await capture(bought, wrong)).toMatchObject({ status: 504, type: 'gateway_timeout' })
    expect(await engine.orders(bought.token)).toEqual([])
    await complete()
  })

  it('while it is charged gets the decline of the first, and 409 where that takes too long', async () => {
    const bought = buy(CARDS.good)
    const { slow, charging } = slowlyThat(async () => DECLINED)
    let waitedMs = 0
    const timed = async () => {
      const begun = performance.now()
      const answer = await capture(bought, slow)
      waitedMs = performance.now() - begun
      return answer
    }
    const [first, second] = await Promise.all([capture(bought, slow), charging.then(timed)])
    expect([first.status, first.error?.message]).toEqual([402, 'No.'])
    // On a machine that stands still for so long it is told to come again, and rightly.
    if (waitedMs < 5_000 || second.status !== 409) expect([second.status, second.error?.message]).toEqual([402, 'No.'])
    expect((await engine.attempts(bought.token)).length).toBe(1)
    const again = buy(CARDS.hanging)
    expect((await capture(again)).status).toBe(504)
    expect(await capture(again)).toMatchObject({ status: 409, error: { headers: { 'retry-after': '2' } } })
    await complete()
  })

  it('settles an attempt itself whose time is over, without the completer', async () => {
    const bought = buy(CARDS.hangingCharged)
    expect((await capture(bought)).status).toBe(504)
    app.clock.advance(SETTLE_MS / 1_000)
    expect(await capture(bought)).toMatchObject({ status: 200, order: { status_payment: 'paid' } })
    await engine.expectOracles()
  })

  it("is another merchant's, or the other mode's, no business", async () => {
    const bought = buy(CARDS.good)
    const first = await capture(bought)
    for (const owner of [{ ...engine.owner, is_sandbox: false }, (await openEngine(app)).owner]) {
      const free = { token: bought.token, payment: null }
      const own = await capture(free, engine.services, owner)
      // As if nobody had captured it: the merchant's own attempt, or a clash of ids that says nothing of the other's.
      expect(own.order?.id).not.toBe(first.order?.id)
    }
  })
})

const paidFor = ({ amount, currency }: { amount: number; currency: string }) =>
  ({
    kind: 'charged',
    amount,
    currency,
    transactionId: 'made-up',
    reference: null,
    source: { type: 'card', brand: null, country: null, zip: null },
  }) as const
const DECLINED = { kind: 'declined', reason: 'card_declined', message: 'No.' } as const

/** A gateway that takes a second to charge: enough for others to find that it is under way who begin when it has been asked. */
function slowlyThat(charge: GatewayAdapter['charge']) {
  const begun = gate()
  const slow = engine.gatewayThat({
    async charge(asked) {
      begun.open()
      await new Promise((resolve) => setTimeout(resolve, 1_000))
      return charge(asked)
    },
  })
  return { slow, charging: begun.opened }
}

const newCard = (value: number) => engine.shop.giftCard({ value })
