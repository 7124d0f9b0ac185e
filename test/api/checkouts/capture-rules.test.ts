// POST /v1/checkouts/{id}: what the rules refuse: codes, methods, amounts, extra fields, gateways. Nothing of a card is repeated.

import { afterAll, describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { countRows } from '../../support/rows.ts'
import { notValid, replyOf, ruleSentences, unixNow } from '../../support/shop.ts'
import { ADDRESS, CARD, CUSTOMER, digital, digitalBody, NUMBER, openCaptureShop } from './capture-support.ts'

// Who guesses has an address of its own, as guesses are counted by it; and live keys need HTTPS.
const app = await testApp({ trustProxy: () => true })
const shop = await openCaptureShop(app)
const secret = shop.keys.sandbox.secret
const thing = await shop.product()
const file = await shop.product({ name: 'File', ...digital })
const fileToken = () => shop.token({ id: file.id })
const refused = (token: { id: string }, body: unknown) => replyOf(shop.capture(token, body))

// Whatever is refused here is refused before anything is held or charged.
afterAll(async () => expect(await countRows(app.db, 'capture_attempts', { merchant_id: shop.id })).toBe(orders))
let orders = 0

describe('codes', () => {
  const CODE = 'This code cannot be used: it does not exist, has expired or is used up.'
  const GIFT_CARD = 'This gift card cannot be used: it does not exist, has expired or is spent.'
  const takeAway = (helper: string) =>
    `It was applied to this checkout: apply another by check/${helper}, or an empty one there to go on without.`

  it('that do not work are refused before anything is charged', async () => {
    const expires = unixNow(app) + 100
    await shop.discount({ type: 'fixed', value: 1, code: 'OLD', expires })
    const token = await fileToken()
    app.clock.advance(100)
    for (const code of ['OLD', 'none'])
      expect(await refused(token, digitalBody({ discount_code: code, gift_card: { code: 'none' } }))).toEqual([
        422,
        notValid({ discount_code: [CODE], giftcard_code: [GIFT_CARD] }),
      ])
  })

  it('of the token that work no more are refused, until they are taken away', async () => {
    const expires = unixNow(app) + 100
    const token = await fileToken()
    await shop.choose.discount(token, await shop.discount({ type: 'fixed', value: 1, code: 'ENDS', expires }))
    await shop.choose.giftCard(token, await shop.giftCard({ value: 1, code: 'ENDS', expires }))
    app.clock.advance(100)
    expect(await refused(token, digitalBody())).toEqual([
      422,
      notValid({
        discount_code: [`${CODE} ${takeAway('discount')}`],
        giftcard_code: [`${GIFT_CARD} ${takeAway('giftcard')}`],
      }),
    ])
    await shop.call('GET', `checkouts/${token.id}/check/discount?code=`)
    await shop.call('GET', `checkouts/${token.id}/check/giftcard?code=`)
    orders += 1
    expect((await shop.order(token, digitalBody())).order.discount).toEqual([])
  })

  it('cannot be guessed at', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', 'x-forwarded-proto': 'http' }
    const guess = (token: { id: string }, discount_code: string) => {
      const body = digitalBody({ discount_code })
      return app.call('POST', `/v1/checkouts/${token.id}`, { key: shop.keys.sandbox.public, headers, body })
    }
    await shop.discount({ type: 'fixed', value: 1, code: 'RIGHT' })
    const token = await fileToken()
    for (let tried = 0; tried < 10; tried++) expect((await guess(token, `NO${tried}`)).status).toBe(422)
    const answer = await guess(token, 'RIGHT')
    expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([429, true])
  })
})

it('shipping must be by a method that serves the address', async () => {
  const methods = [{ description: 'Sled', price: 9 }]
  const zone = await shop.zone({ name: 'North', countries: ['CA'], regions: { CA: ['BC'] }, methods })
  const sled = zone.methods[0]?.id ?? ''
  const token = await shop.token({ id: thing.id })
  const errors = (shipping: Record<string, unknown>, shipping_method = sled) =>
    shop.errors(token, shop.body({ shipping: { ...ADDRESS, ...shipping }, fulfillment: { shipping_method } }))
  const broken = (rule: string) => ruleSentences({ 'fulfillment.shipping_method': rule })
  const offered = (id: string) => broken(`must be one that is offered for what is bought and where it goes: ${id}.`)
  const none = broken('cannot be used: there is none for what is bought and where it goes.')
  expect(await errors({})).toEqual(offered(shop.method))
  expect(await errors({ country: 'CA', county_state: 'British Columbia' }, shop.method)).toEqual(offered(sled))
  for (const county_state of ['ON', 'Quebec']) expect(await errors({ country: 'CA', county_state })).toEqual(none)
  // One that the token has must serve the address of the body as well.
  await shop.choose.shipping(token, 'CA', 'BC', sled)
  const { fulfillment: _, ...body } = shop.body()
  expect(await shop.errors(token, body)).toEqual(offered(shop.method))
  orders += 1
  const order = await shop.order(token, { ...body, shipping: { ...ADDRESS, country: 'ca', county_state: 'CA-BC' } })
  expect([order.order.shipping.id, order.shipping.country, order.shipping.county_state]).toEqual([sled, 'CA', 'CA-BC'])
})

it('an amount that is paid as one wants must be enough, and is passed over where nothing is sold that way', async () => {
  const product = await shop.product({ ...digital, price: 5, pay_what_you_want: true })
  const token = await shop.token({ id: product.id, quantity: 2 })
  const errors = async (pay_what_you_want: unknown) =>
    (await shop.errors(token, digitalBody({ pay_what_you_want }))).pay_what_you_want
  expect(await errors('9.99')).toEqual(['pay_what_you_want must be 10.00 USD or more.'])
  expect(await errors(1_000_000_001)).toEqual(['pay_what_you_want is more than is accepted.'])
  const malformed = 'pay_what_you_want must be a number or a decimal string such as 12.00, in USD.'
  expect(await errors('a lot')).toEqual([malformed])
  orders += 2
  expect((await shop.order(token, digitalBody({ pay_what_you_want: 12 }))).order_value.raw).toBe(12)
  expect((await shop.order(await fileToken(), digitalBody({ pay_what_you_want: '149.99' }))).order_value.raw).toBe(10)
})

it('extra fields must be answered as they ask', async () => {
  const product = await shop.product({
    ...digital,
    extra_fields: [
      { name: 'Color', type: 'radio', options: ['red', 'blue'] },
      { name: 'Count', type: 'number' },
      { name: 'Consent', type: 'checkbox', required: true },
    ],
  })
  const [color = '', count = '', consent = ''] = product.extra_fields.map(({ id }) => id)
  const token = await shop.token({ id: product.id })
  const extrafields = { [color]: 'green', [count]: 'many', [consent]: null }
  expect(await shop.errors(token, digitalBody({ extrafields }))).toEqual(
    ruleSentences({
      [`extrafields.${color}`]: 'must be one of red, blue.',
      [`extrafields.${count}`]: 'must be a number.',
      [`extrafields.${consent}`]: 'is required.',
    }),
  )
  orders += 1
  const order = await shop.order(token, digitalBody({ extrafields: { [consent]: true } }))
  expect(order.extrafields.map(({ value }) => value)).toEqual(['true'])
})

describe('a gateway', () => {
  const gateway = async (payment: unknown, key?: string, token?: { id: string }) =>
    shop.errors(token ?? (await fileToken()), digitalBody({ payment }), key)

  it('must be one that this shop has in this mode and that can charge; those are named', async () => {
    const oneOf = (codes: string) => ruleSentences({ 'payment.gateway': `must be one of ${codes}.` })
    const ofManual = (rule: string) => ruleSentences({ 'payment.manual.id': rule })
    const stripe = { code: 'stripe', enabled: false, config: { publishable_key: 'pk_1', secret_key: 'sk_1' } }
    await shop.succeed(201, 'POST', 'gateways', stripe, secret)
    for (const code of ['stripe', 'paypal', 'manual', 'gway_1', 'bitcoin'])
      expect(await gateway({ gateway: code })).toEqual(oneOf('test_gateway'))

    const live = shop.keys.live.public
    const token = await shop.ofCart((await shop.cart([{ id: file.id }], live)).id, live)
    const unpaid = ruleSentences({ 'payment.gateway': 'cannot be used: this shop takes no payments yet.' })
    expect(await gateway(CARD, live, token)).toEqual(unpaid)
    const method = (name: string, key = secret) => {
      app.clock.advance(1)
      return shop.succeed<{ id: string }>(201, 'POST', 'gateways', { code: 'manual', config: { name } }, key)
    }
    const [cash, bank] = [await method('Cash'), await method('Bank')]
    const ofLive = await method('Bank', shop.keys.live.secret)
    expect(await gateway(CARD, live, token)).toEqual(oneOf('manual'))
    const byBank = { gateway: 'manual', manual: { id: bank.id } }
    expect(await gateway(byBank, live, token)).toEqual(ofManual(`must be one of ${ofLive.id}.`))
    const which = `must be one of ${cash.id}, ${bank.id}.`
    expect(await gateway({ gateway: 'manual' })).toEqual(ofManual(`is required: ${which}`))
    expect(await gateway({ gateway: 'manual', manual: { id: 'gway_1' } })).toEqual(ofManual(which))
    orders += 1
    await shop.order(await fileToken(), digitalBody({ payment: byBank }))
  })
})

it('nothing of a card is repeated, whatever is wrong with it', async () => {
  const digits = NUMBER.replaceAll(' ', '')
  const card = { number: `${digits}x`, cvc: '98765', expires: '13/77', postal_zip_code: '24680', token: 't0k3n' }
  for (const body of [
    { payment: { gateway: 'test_gateway', card } },
    { payment: { gateway: digits } },
    { payment: { gateway: 'test_gateway', card: { ...card, number: digits.repeat(20) } } },
    { payment: { card, gateway: 5 } },
    { payment: card },
  ]) {
    const answer = await shop.capture(await fileToken(), { customer: CUSTOMER, ...body })
    expect(answer.status).toBe(422)
    expect(answer.text).not.toMatch(/4242 ?4242|98765|13\/77|24680|t0k3n/)
  }
  expect(app.logged.join('\n')).not.toMatch(/4242 ?4242|98765|t0k3n/)
})
