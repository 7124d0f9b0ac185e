// The four payment providers, each by its server over a real socket (test/gateways/doubles): how a shop uses it, and what its books say then.

import { afterAll, expect } from 'vitest'
import type { Double } from '../../gateways/doubles/double.ts'
import { CONFIG as PAYPAL_CONFIG } from '../../gateways/doubles/paypal.ts'
import { RAZORPAY_CONFIG } from '../../gateways/doubles/razorpay.ts'
import { SQUARE_CONFIG } from '../../gateways/doubles/square.ts'
import { SECRET_KEY, WEBHOOK_SECRET } from '../../gateways/doubles/stripe.ts'
import { openPayPalProvider } from '../../gateways/every-provider/paypal.ts'
import { openRazorpayProvider } from '../../gateways/every-provider/razorpay.ts'
import { openSquareProvider } from '../../gateways/every-provider/square.ts'
import { openStripeProvider } from '../../gateways/every-provider/stripe.ts'
import { type Body, errorIn, type Reply } from '../world.ts'

/** Something in a provider's books, with the id that an order's transaction names. */
export type Booked = { readonly id: string; readonly amount: number }

export type Code = 'stripe' | 'square' | 'razorpay' | 'paypal'

export type Provider = {
  readonly code: Code
  readonly name: string
  readonly config: Readonly<Record<string, string>>
  /** What of it no log and no row may hold. */
  readonly secrets: readonly string[]
  readonly double: Double
  /** By the provider's own address. */
  readonly places: Readonly<Record<string, string>>
  /** Under which storefronts send what stands for a card, or for a payment. */
  readonly tokenField: string
  /** The first payment that a storefront sends. Razorpay's and PayPal's shoppers are then sent elsewhere. */
  payment(): Body
  /** One whose money is taken at once: Razorpay's shopper has paid in a window that was opened without an order. */
  readonly paidPayment?: (amount: number) => Body
  /** Undefined where the shopper is declined elsewhere. */
  readonly declinedPayment?: () => Body
  /** What of it nobody takes goes back to the shopper by itself; it cannot be let go of. */
  readonly lapses?: true
  readonly requests: Requests
  /** After an answer that is no order yet: the shopper does what is asked for. Gives what the storefront sends then; null: nothing follows. */
  goOn(reply: Reply): Body | null
  /** What was taken of shoppers. */
  taken(): Booked[]
  /** What is set aside and not taken. */
  held(): Booked[]
  /** Given back because we asked for it. */
  refunded(): Booked[]
  /** Where a request of ours differs from the published specification. */
  readonly mistakes: readonly string[]
}

type Requests = {
  /** Begins a charge. */
  readonly begin: RegExp
  /** By it the money of a charge is taken. */
  readonly charge: RegExp
  /** Takes what is set aside. */
  readonly take: RegExp
  /** Take a part of it, one after the other. Undefined where it is taken as a whole. */
  readonly part?: readonly RegExp[]
  /** Lets go of it. Undefined where that comes by itself. */
  readonly release?: RegExp
  /** Gives back. */
  readonly refund: RegExp
}

/** To be called before the tests of a file. */
export async function openProviders() {
  const now = () => new Date()
  const [stripe, square, razorpay, paypal] = [
    await openStripeBooks(now),
    await openSquareBooks(now),
    await openRazorpayBooks(now),
    await openPayPalBooks(now),
  ]
  const all: readonly Provider[] = [stripe, square, razorpay, paypal]
  afterAll(async () => {
    await Promise.all([stripe, square, razorpay, paypal].map((provider) => provider.close()))
    for (const { name, mistakes } of all) expect([name, mistakes]).toEqual([name, []])
  })
  return { stripe, square, razorpay, paypal, all, places: Object.assign({}, ...all.map(({ places }) => places)) }
}

/** A payment as storefronts send it. */
const paying = (gateway: Code, details: Body): Body => ({ gateway, [gateway]: details })

async function openStripeBooks(now: () => Date) {
  const provider = await openStripeProvider(now)
  const { stripe: double } = provider
  const intents = () => [...double.intents.values()]
  return {
    ...provider,
    code: 'stripe',
    tokenField: 'payment_method_id',
    name: 'Stripe',
    secrets: [SECRET_KEY, WEBHOOK_SECRET],
    payment: () => paying('stripe', { payment_method_id: 'pm_card_visa' }),
    declinedPayment: () => paying('stripe', { payment_method_id: 'pm_card_visa_chargeDeclined' }),
    requests: {
      begin: /^POST \/v1\/payment_intents$/,
      charge: /\/confirm$/,
      take: /\/capture$/,
      part: [/\/capture$/],
      release: /\/cancel$/,
      refund: /^POST \/v1\/refunds$/,
    },
    goOn(reply: Reply) {
      const { type, param = '' } = errorIn(reply)
      if (type !== 'requires_verification') return null
      const [id = ''] = param.split('_secret_')
      if (double.intents.get(id)?.status === 'requires_action') double.shopper.passes(id)
      return paying('stripe', { payment_intent_id: id })
    },
    taken: () =>
      intents()
        .filter(({ received }) => received > 0)
        .map(({ id, received }) => ({ id, amount: received })),
    held: () =>
      intents()
        .filter(({ capturable }) => capturable > 0)
        .map(({ id, capturable }) => ({ id, amount: capturable })),
    // Of what was only held Stripe shows a refund too, without a key of ours.
    refunded: () => double.refunds.filter(({ metadata }) => Object.keys(metadata).length > 0),
  } satisfies Provider & Record<string, unknown>
}

async function openSquareBooks(now: () => Date) {
  const provider = await openSquareProvider(now)
  const { square: double } = provider
  const inState = (state: string) =>
    [...double.payments.values()]
      .filter(({ status }) => status === state)
      .map(({ id, total_money }) => ({ id, amount: (total_money as { amount: number }).amount }))
  return {
    ...provider,
    code: 'square',
    tokenField: 'token',
    name: 'Square',
    secrets: [SQUARE_CONFIG.access_token, SQUARE_CONFIG.webhook_signature_key],
    payment: () => paying('square', { token: 'cnon:card-nonce-ok' }),
    declinedPayment: () => paying('square', { token: 'cnon:card-nonce-declined' }),
    requests: {
      begin: /^POST \/v2\/payments$/,
      charge: /\/complete$/,
      take: /\/complete$/,
      part: [/^PUT \/v2\/payments\//, /\/complete$/],
      release: /\/cancel$/,
      refund: /^POST \/v2\/refunds$/,
    },
    goOn: () => null,
    taken: () => inState('COMPLETED'),
    held: () => inState('APPROVED'),
    refunded: () => [...double.refunds.values()].map(({ id, amount_money }) => ({ id, amount: amount_money.amount })),
  } satisfies Provider & Record<string, unknown>
}

async function openRazorpayBooks(now: () => Date) {
  const provider = await openRazorpayProvider(now)
  const { razorpay: double } = provider
  const payments = () => [...double.payments.values()]
  return {
    ...provider,
    code: 'razorpay',
    tokenField: 'payment_id',
    name: 'Razorpay',
    secrets: [RAZORPAY_CONFIG.key_secret, RAZORPAY_CONFIG.webhook_secret],
    payment: () => ({ gateway: 'razorpay' }),
    paidPayment: (amount: number) => paying('razorpay', { payment_id: double.pay({ amount, currency: 'USD' }).id }),
    declinedPayment: () => paying('razorpay', { payment_id: double.pay({ status: 'failed' }).id }),
    requests: { begin: /^POST \/v1\/orders$/, charge: /\/capture$/, take: /\/capture$/, refund: /\/refund$/ },
    goOn(reply: Reply) {
      const { type, param: orderId = '' } = errorIn(reply)
      if (type !== 'requires_verification') return null
      const paid = payments().find((payment) => payment.order_id === orderId) ?? double.pay({ orderId })
      return paying('razorpay', double.given(paid))
    },
    taken: () => payments().filter(({ captured }) => captured),
    held: () => payments().filter(({ status }) => status === 'authorized'),
    refunded: () => [...double.refunds.values()],
    lapses: true,
  } satisfies Provider & Record<string, unknown>
}

async function openPayPalBooks(now: () => Date) {
  const provider = await openPayPalProvider(now)
  const { paypal: double } = provider
  const orders = () => [...double.books.orders.values()]
  const cents = ({ id, amount }: { id: string; amount: { value: string } }) => ({
    id,
    amount: Math.round(Number(amount.value) * 100),
  })
  return {
    ...provider,
    code: 'paypal',
    tokenField: 'payment_id',
    name: 'PayPal',
    // And what its access tokens begin with.
    secrets: [PAYPAL_CONFIG.client_secret, 'A21AA'],
    payment: () => paying('paypal', { action: 'authorize' }),
    requests: {
      begin: /^POST \/v2\/checkout\/orders$/,
      charge: /orders\/\w+\/capture$/,
      take: /authorizations\/\w+\/capture$/,
      part: [/authorizations\/\w+\/capture$/],
      release: /authorizations\/\w+\/void$/,
      refund: /\/refund$/,
    },
    goOn({ body }: Reply) {
      const { paykey } = (body ?? {}) as { paykey?: string }
      if (paykey === undefined) return null
      if (double.books.orderOf(paykey).status !== 'COMPLETED') double.approve(paykey)
      return paying('paypal', { action: 'capture', payment_id: paykey, payer_id: 'QYR5Z8XDVJNXQ' })
    },
    taken: () => orders().flatMap(({ captures }) => captures.map(cents)),
    held: () =>
      orders()
        .flatMap(({ authorizations }) => authorizations)
        .filter(({ status }) => status === 'CREATED')
        .map(cents),
    refunded: () => orders().flatMap(({ refunds }) => refunds.map(cents)),
  } satisfies Provider & Record<string, unknown>
}
