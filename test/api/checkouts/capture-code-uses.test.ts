// POST /v1/checkouts/{id}: a code is used by an order on which it saved something, and a gift card by one that it paid a part of.

import { afterEach, describe, expect, it, vi } from 'vitest'
import { brokenOracles } from '../../faults/oracles.ts'
import { gate } from '../../http/harness.ts'
import { testApp } from '../../support/app.ts'
import { atOnce } from '../../support/shop.ts'
import { CARD, digital, digitalBody, openCaptureShop } from './capture-support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openCaptureShop(app)
const secret = shop.keys.sandbox.secret
afterEach(async () => expect(await brokenOracles(app.db, { now: app.clock.now() })).toEqual([]))
const file = await shop.product({ ...digital, price: 10 })
const other = await shop.product({ ...digital, name: 'Other' })
const free = await shop.product({ ...digital, price: 0 })
const cheap = await shop.product({ ...digital, price: 0.1 })
const used = async ({ id }: { id: string }) =>
  (await shop.succeed<{ used: number }>(200, 'GET', `discounts/${id}`, undefined, secret)).used
const declined = { ...CARD, card: { ...CARD.card, number: '4000 0000 0000 0002' } }
const VERIFIED = { ...CARD, card: { ...CARD.card, number: '4000 0000 0000 3220' } }
const once = { limit: 1 }
let codes = 0
const discount = (body: Record<string, unknown>) => shop.discount({ ...body, code: `CODE${++codes}` })

describe('a code that saves nothing', () => {
  it.each([
    ['because it is for other products', file, { type: 'fixed', value: 1, product_ids: [other.id] }],
    ['because nothing is to be paid', free, { type: 'fixed', value: 1 }],
    ['because its part of the price is less than half of the smallest coin', cheap, { type: 'percentage', value: 1 }],
  ])('%s is not used up, and is shown with the order', async (_, product, draft) => {
    const ofToken = await discount({ ...draft, ...once })
    const token = await shop.token({ id: product.id })
    await shop.choose.discount(token, ofToken)
    const { order } = await shop.order(token, digitalBody())
    expect(order.discount).toMatchObject({ code: ofToken.code, amount_saved: { raw: 0 } })

    const ofBody = await discount({ ...draft, ...once })
    const made = await shop.order(await shop.token({ id: product.id }), digitalBody({ discount_code: ofBody.code }))
    expect(made.order.discount).toMatchObject({ code: ofBody.code, amount_saved: { raw: 0 } })
    expect([await used(ofToken), await used(ofBody)]).toEqual([0, 0])
  })

  it('can still be used, once, by an order on which it saves', async () => {
    const code = await discount({ type: 'fixed', value: 1, product_ids: [file.id], ...once })
    const buy = async (product: { id: string }) =>
      shop.capture(await shop.token({ id: product.id }), digitalBody({ discount_code: code.code }))
    expect([(await buy(other)).status, (await buy(file)).status, await used(code)]).toEqual([200, 200, 1])
    expect((await buy(file)).status).toBe(422)
  })

  it('gives back no use when its capture is declined: there is none of its own', async () => {
    const code = await discount({ type: 'fixed', value: 1, product_ids: [file.id], limit: 5 })
    const body = digitalBody({ discount_code: code.code })
    await shop.order(await shop.token({ id: file.id }), body)
    expect((await shop.capture(await shop.token({ id: other.id }), { ...body, payment: declined })).status).toBe(402)
    expect(await used(code)).toBe(1)
    // One that saved does give its use back.
    expect((await shop.capture(await shop.token({ id: file.id }), { ...body, payment: declined })).status).toBe(402)
    expect(await used(code)).toBe(1)
  })
})

describe('a code with a limit', () => {
  const manual = { gateway: 'manual' }
  const cancel = ({ id }: { id: string }, body: object = {}) => shop.call('POST', `orders/${id}/cancel`, body, secret)
  const buy = async (code: string, more: object = {}, product = file) =>
    shop.capture(await shop.token({ id: product.id }), digitalBody({ discount_code: code, ...more }))

  it('has its use back when the order is cancelled, once, paid or not; a refund alone keeps it', async () => {
    await shop.succeed(201, 'POST', 'gateways', { code: 'manual', config: { name: 'Bank transfer' } }, secret)
    const code = await discount({ type: 'fixed', value: 1, limit: 2 })
    const unpaid = (await buy(code.code, { payment: manual })).body as { id: string }
    const paid = (await buy(code.code)).body as { id: string }
    expect([await used(code), (await buy(code.code)).status]).toEqual([2, 422])
    const answers = await atOnce(5, () => cancel(unpaid))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422])
    expect(await used(code)).toBe(1)
    await shop.succeed(200, 'POST', `orders/${paid.id}/refund`, undefined, secret)
    expect(await used(code)).toBe(1)
    expect([(await cancel(paid)).status, await used(code)]).toEqual([200, 0])
    const again = (await buy(code.code)).body as { id: string }
    expect([await used(code), (await cancel(again, { refund: true })).status, await used(code)]).toEqual([1, 200, 0])
  })

  it('stands among the usable ones exactly while it can be used, also when its limit is changed while it is bought', async () => {
    const code = await discount({ type: 'fixed', value: 1, product_ids: [file.id, other.id], limit: 1 })
    const orders: { id: string }[] = []
    for (const limit of [2, 1, 4, 3, 5]) {
      const [changed, ...bought] = await Promise.all([
        shop.call('PUT', `discounts/${code.id}`, { limit }, secret),
        ...Array.from({ length: 3 }, () => buy(code.code)),
      ])
      expect(changed?.status).toBe(200)
      orders.push(...bought.filter(({ status }) => status === 200).map(({ body }) => body as { id: string }))
      // A limit may come to lie below the uses that there are.
      expect((await brokenOracles(app.db, { now: app.clock.now() })).filter((each) => /usable/.test(each))).toEqual([])
    }
    expect(orders.length).toBeGreaterThan(2)
    await Promise.all([
      ...orders.map((order) => cancel(order, { refund: true })),
      shop.call('PUT', `discounts/${code.id}`, { limit: 1, product_ids: [] }, secret),
    ])
    expect(await used(code)).toBe(0)
    expect(await brokenOracles(app.db, { now: app.clock.now() })).toEqual([])
    expect((await shop.call('DELETE', `discounts/${code.id}`, undefined, secret)).status).toBe(204)
  })

  it('gets none back from an order on which it saved nothing', async () => {
    const code = await discount({ type: 'fixed', value: 1, product_ids: [file.id], limit: 5 })
    expect((await buy(code.code)).status).toBe(200)
    const saved = (await buy(code.code, {}, other)).body as { id: string }
    expect([(await cancel(saved, { refund: true })).status, await used(code)]).toEqual([200, 1])
  })
})

it('a gift card that pays nothing of an order is not touched', async () => {
  const card = await shop.giftCard({ value: 5 })
  const { order } = await shop.order(await shop.token({ id: free.id }), digitalBody({ giftcard_code: card.code }))
  expect(order.giftcard).toMatchObject({ code: card.code, balance: 5, credit: { raw: 0 } })
  const untouched = await shop.succeed(200, 'GET', `giftcards/${card.id}`, undefined, secret)
  expect(untouched).toMatchObject({ balance: { raw: 5 } })
})

/** Holds the next capture once it has found what there is of its token, until it is let go of. */
function holdNextLook() {
  const [looked, end] = [gate(), gate()]
  const together = app.db.together
  vi.spyOn(app.db, 'together').mockImplementationOnce(async (work) => {
    const found = await together(work)
    looked.open()
    await end.opened
    return found
  })
  return { hasLooked: looked.opened, goOn: end.open }
}

it('the last use of a code is not missed by the same capture that is sent twice at once', async () => {
  const code = await discount({ type: 'fixed', value: 1, ...once })
  const token = await shop.token({ id: file.id })
  const body = digitalBody({ discount_code: code.code })
  // The second has found that nobody is at it, and then the first is quicker.
  const { hasLooked, goOn } = holdNextLook()
  const second = shop.capture(token, body)
  await hasLooked
  const first = await shop.capture(token, body)
  goOn()
  expect([first.status, (await second).status, (await second).body]).toEqual([200, 200, first.body])
  expect(await used(code)).toBe(1)
})

it('nor is a capture with another card refused for it while the first is verified', async () => {
  const code = await discount({ type: 'fixed', value: 1, ...once })
  const token = await shop.token({ id: file.id })
  const body = digitalBody({ discount_code: code.code })
  const asked = await shop.capture(token, { ...body, payment: VERIFIED })
  const { error } = asked.body as { error: { type: string; param: string } }
  expect([asked.status, error.type]).toEqual([402, 'requires_verification'])
  const { hasLooked, goOn } = holdNextLook()
  const other = shop.capture(token, body)
  await hasLooked
  const test_gateway = { payment_intent_id: error.param }
  const first = await shop.capture(token, { ...body, payment: { ...VERIFIED, test_gateway } })
  goOn()
  // It is not told that the code is used up, but that there is an order.
  expect([first.status, (await other).status]).toEqual([200, 409])
  expect(await used(code)).toBe(1)
})

it('nor is it refused for what the first has given back since', async () => {
  const code = await discount({ type: 'fixed', value: 1, ...once })
  const card = await shop.giftCard({ value: 5 })
  const last = await shop.product({ ...digital, price: 10, inventory: { managed: true, available: 1 } })
  const token = await shop.token({ id: last.id })
  await shop.choose.discount(token, code)
  await shop.succeed(200, 'GET', `checkouts/${token.id}/check/giftcard?code=${card.code}`)
  expect((await shop.capture(token, digitalBody({ payment: VERIFIED }))).status).toBe(402)
  // It has seen that all is held, and by whom; the holder then gives its place to one that is declined.
  const { hasLooked, goOn } = holdNextLook()
  const other = shop.capture(token, digitalBody())
  await hasLooked
  expect((await shop.capture(token, digitalBody({ payment: declined }))).status).toBe(402)
  goOn()
  const { status, text, body } = await other
  expect([status, status === 200 ? '' : text]).toEqual([200, ''])
  expect(body).toMatchObject({ order: { total_due: { raw: 4 } } })
  expect(await used(code)).toBe(1)
})
