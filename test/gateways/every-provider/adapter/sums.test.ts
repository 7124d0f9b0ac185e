// Sums in the units of each provider (F26), and what a storefront may send: refused by its name before anything is asked.

import { describe, expect, it } from 'vitest'
import type { PaymentInput } from '../../../../src/gateways/gateway.ts'
import { PAYPAL_CURRENCIES } from '../../../../src/gateways/paypal/payment.ts'
import { STRIPE_CURRENCIES } from '../../../../src/gateways/stripe/sums.ts'
import { currencyOf } from '../../../../src/lib/currencies.ts'
import { NO_PAYMENT } from '../../../support/gateways.ts'
import { DECIMALS } from '../../specifications/mollie.ts'
import { NO_CARD, payOn, refundKey } from './bench.ts'
import { openBenches } from './benches.ts'

type Said = readonly [currency: string, amount: number, units: number | string]
type Unsaid = readonly [currency: string, amount: number]

const each = <Sum extends Said | Unsaid>(codes: string, ...[amount, ...units]: number[]) =>
  codes.split(' ').map((code) => [code, amount, ...units] as unknown as Sum)
const eachWritten = (codes: string, amount: number, value: string): Said[] =>
  codes.split(' ').map((code) => [code, amount, value])

const SAID: Readonly<Record<string, readonly Said[]>> = {
  stripe: [
    ...each<Said>('USD EUR INR SLE XCG', 1_234, 1_234),
    ...each<Said>('BIF CLP DJF GNF JPY KMF KRW PYG RWF VND VUV XAF XOF XPF', 1_234, 1_234),
    ...each<Said>('BHD JOD KWD OMR', 1_230, 1_230),
    ...each<Said>('HUF TWD', 123_450, 123_450),
    ['ISK', 1_234, 123_400],
    ['MGA', 123_400, 1_234],
    ['TND', 12_340, 12_340],
  ],
  square: [...each<Said>('EUR GBP', 1_050, 1_050), ['USD', 1, 1], ['CAD', 99, 99], ['JPY', 1_500, 1_500]],
  razorpay: [...each<Said>('INR JPY HUF TWD', 1_050, 1_050), ...each<Said>('KWD BHD OMR', 1_230, 1_230)],
  paypal: [
    ...eachWritten('AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD ILS', 1_050, '10.50'),
    ...eachWritten('MXN MYR NOK NZD PHP PLN RUB SEK SGD THB USD', 1_050, '10.50'),
    ['EUR', 5, '0.05'],
    ['JPY', 1_050, '1050'],
    ['HUF', 105_000, '1050'],
    ['TWD', 100, '1'],
  ],
  mollie: Object.entries(DECIMALS).map(([code, decimals]) => [code, 1_234, decimals === 0 ? '1234' : '12.34']),
}

/** A currency that a provider has, in a sum that is too fine for it. */
const TOO_FINE: Readonly<Record<string, readonly Unsaid[]>> = {
  stripe: [...each<Unsaid>('BHD JOD KWD OMR TND', 1_234), ['MGA', 1_250]],
  razorpay: [['KWD', 1_234]],
  paypal: [
    ['HUF', 105_050],
    ['TWD', 150],
  ],
}

const UNKNOWN: Readonly<Record<string, readonly Unsaid[]>> = {
  // Units of account, and what cards of Stripe's networks are not charged in.
  stripe: each('UGX IQD LYD CLF UYW UYI BOV CHE CHW COU MXV USN CUP IRR KPW SYP SDG VES VED ZWG', 1_230),
  square: each('INR HUF ISK MGA UGX KWD IQD CLF', 1_230),
  razorpay: each('KRW ISK JOD IQD CLF', 1_000),
  paypal: each('KWD INR ISK', 1_000),
  mollie: each('INR KWD BGN', 1_000),
}

it('are tried in every currency that a provider counts in a way of its own, or takes', () => {
  const tried = (code: string) =>
    [SAID, TOO_FINE, UNKNOWN].flatMap((sums) => (sums[code] ?? []).map(([currency]) => currency))
  expect(tried('stripe')).toEqual(expect.arrayContaining(Object.keys(STRIPE_CURRENCIES.exceptions)))
  const taken = STRIPE_CURRENCIES.only ?? []
  expect([taken.length, new Set(taken).size]).toEqual([138, 138])
  expect(tried('stripe')).toEqual(expect.arrayContaining(taken.filter((code) => currencyOf(code).exponent !== 2)))
  expect([...new Set(SAID.paypal?.map(([code]) => code))].sort()).toEqual([...(PAYPAL_CURRENCIES.only ?? [])].sort())
})

const benches = await openBenches()

describe.each(benches)('$name', (bench) => {
  const { provider, adapter } = bench
  const { payment } = bench.request()
  const brand = bench.name.replace(/,.*/, '')

  it('says each sum in its units, and reads it back, also of a refund (F26)', async () => {
    for (const [currency, amount, units] of SAID[provider.code] ?? []) {
      expect(adapter().problemsOf(payment, { currency, amount })).toEqual({})
      const charge = await payOn(bench, { currency, amount })
      expect(await adapter().lookUp(charge)).toMatchObject({ kind: 'charged', currency, amount })
      expect([currency, bench.booked(charge.key)]).toEqual([currency, units])
      expect(await adapter().refund({ ...charge, key: refundKey(charge) })).toMatchObject({ kind: 'refunded' })
      if (typeof units === 'number') expect(provider.givenBack(charge.transactionId)).toEqual([units])
    }
  })

  it('refuses other currencies, and sums that are too fine or too large, before anything is asked (F26, F27)', async () => {
    const before = provider.double.requests.length
    for (const [currency, amount] of UNKNOWN[provider.code] ?? [])
      expect(adapter().problemsOf(payment, { currency, amount })).toEqual({
        'payment.gateway': [`${brand} takes no payments in ${currency}. Choose another way to pay.`],
      })
    for (const [currency, amount] of TOO_FINE[provider.code] ?? []) {
      const sentence = `${brand} cannot take an amount this precise in ${currency}.`
      expect(adapter().problemsOf(payment, { currency, amount })).toEqual({
        'payment.gateway': [`${sentence} Choose another way to pay.`],
      })
      const part = { ...bench.request({ currency, amount }), transactionId: bench.unknownId }
      const declined = { kind: 'declined', message: sentence }
      expect(await adapter().refund(part)).toEqual(declined)
      if (adapter().takesParts) expect(await adapter().take(part)).toEqual(declined)
    }
    expect(provider.double.requests).toHaveLength(before)
  })
})

const CARD_NUMBER = '4242 4242 4242 4242'
const sent = (code: string, fields: object, card: object | null = null): PaymentInput => ({
  gateway: code,
  card: card && { ...NO_CARD, ...card },
  details: { [code]: fields },
})

/** The field that is refused and why, or null where all is well. */
const SENT: readonly (readonly [code: string, PaymentInput, path: string | null, sentence?: RegExp])[] = [
  ['stripe', sent('stripe', {}), 'stripe.payment_method_id', /is required/],
  ['stripe', sent('stripe', { payment_method_id: 'card_1' }), 'stripe.payment_method_id'],
  ['stripe', sent('stripe', { payment_method_id: 'pm_1/../x' }), 'stripe.payment_method_id'],
  ['stripe', sent('stripe', {}, { token: 'src_1' }), 'card.token'],
  ['stripe', sent('stripe', { payment_intent_id: 'pi_1' }), 'stripe.payment_intent_id'],
  ['stripe', sent('stripe', { payment_method_id: 'pm_1' }, { number: CARD_NUMBER }), 'card.number'],
  ['stripe', sent('stripe', { payment_method_id: CARD_NUMBER }), 'stripe.payment_method_id', /number of a card/],
  ['stripe', sent('stripe', {}, { token: CARD_NUMBER }), 'card.token', /number of a card/],
  ['stripe', sent('stripe', { payment_method_id: ' pm_1abc ' }), null],
  ['stripe', sent('stripe', { payment_method_id: 'tok_visa' }), null],
  ['stripe', sent('stripe', {}, { token: 'tok_1' }), null],
  ['square', sent('square', {}), 'square.token', /is required/],
  ['square', sent('square', { token: ' ' }), 'square.token', /is required/],
  ...['CASH', 'EXTERNAL', 'ccof:abc', 'bnon:abc', 'wnon:abc', 'cnon:', `cnon:${'x'.repeat(501)}`].map(
    // Square would book these without the shopper.
    (token) => ['square', sent('square', { token }), 'square.token', /must be a token that its script makes/] as const,
  ),
  ['square', sent('square', { token: 'cnon:1' }, { number: CARD_NUMBER }), 'card.number'],
  ['square', sent('square', { token: CARD_NUMBER }), 'square.token', /number of a card/],
  ['square', sent('square', {}, { nonce: CARD_NUMBER }), 'card.nonce', /number of a card/],
  ['square', sent('square', { token: 'cnon:CBASENs-_a1' }), null],
  ['square', sent('square', {}, { nonce: 'cnon:card-nonce-ok' }), null],
  ['razorpay', sent('razorpay', { payment_id: 'success@razorpay' }), 'razorpay.payment_id', /must be the id/],
  ['razorpay', sent('razorpay', { payment_id: 'pay_1/../../orders' }), 'razorpay.payment_id', /must be the id/],
  ['razorpay', sent('razorpay', { payment_id: CARD_NUMBER }), 'razorpay.payment_id', /number of a card/],
  ['razorpay', sent('razorpay', { order_id: 'order_1', signature: 'x' }), 'razorpay.payment_id', /is required/],
  ['razorpay', sent('razorpay', { payment_id: 'pay_1', signature: 'x' }), 'razorpay.order_id', /is required/],
  ['razorpay', sent('razorpay', { payment_id: 'pay_1', order_id: 'order_1' }), 'razorpay.signature', /is required/],
  [
    'razorpay',
    sent('razorpay', { payment_id: 'pay_1', order_id: 'order_1', signature: 'x' }),
    'razorpay.order_id',
    /not a payment that this checkout waits for/,
  ],
  ['razorpay', sent('razorpay', {}, { number: CARD_NUMBER }), 'card.number'],
  ['razorpay', NO_PAYMENT, null],
  ['razorpay', sent('razorpay', { payment_id: ' pay_29QQoUBi66xm2f ' }), null],
  ['paypal', sent('paypal', { action: 'capture' }), 'paypal.payment_id'],
  ['paypal', sent('paypal', { action: 'capture', payment_id: '5O190127TN364715T' }), 'paypal.payment_id'],
  ['paypal', sent('paypal', { action: 'refund' }), 'paypal.action'],
  ['paypal', sent('paypal', { action: 'authorize', payment_id: CARD_NUMBER }), 'paypal.payment_id'],
  ['paypal', sent('paypal', {}, { number: CARD_NUMBER }), 'card.number'],
  ['paypal', sent('paypal', { action: 'authorize' }), null],
  ['paypal', NO_PAYMENT, null],
  ['mollie', sent('mollie', {}, { number: CARD_NUMBER }), 'card.number'],
  ['mollie', NO_PAYMENT, null],
]

it('takes what storefronts send, and names the field of anything else before anything is asked', () => {
  for (const [code, payment, path, sentence = /^payment\.\S+ (?:must|is)/] of SENT) {
    const sum = { amount: 1_234, currency: code === 'mollie' ? 'EUR' : 'USD' }
    const problems = benches
      .find(({ provider }) => provider.code === code)
      ?.adapter()
      .problemsOf(payment, sum)
    const expected = path === null ? {} : { [`payment.${path}`]: [expect.stringMatching(sentence)] }
    expect([payment, problems]).toEqual([payment, expected])
    expect(JSON.stringify(problems)).not.toContain('4242')
  }
})
