// For each provider, the request during which the server dies, its checkpoints, and the requests to the provider that it may die behind.

import type { Order } from '../../../src/api/orders/schema.ts'
import { type Client, newClient } from '../scenes.ts'
import type { Reply } from '../world.ts'
import type { Code, Provider } from './books.ts'
import type { ProviderWorld } from './world.ts'

/** Of a product of 10.00, after a code of 1.00 and a gift card of 4.00. */
export const DUE = 500

type Passing = string | RegExp

export type Scene = {
  readonly code: Code
  readonly title: string
  /** The checkpoints of its last request, and what that asks the provider. */
  readonly passes: readonly Passing[]
  /** What has been done, and answered, before. */
  prepare(world: ProviderWorld): Promise<Client>
  /** The request that the server dies in, where it is no capture. */
  readonly last?: (world: ProviderWorld, client: Client) => Promise<Reply>
}

const RESERVE = ['capture.reserving', 'capture.reserved', 'capture.charged']
const FINISH = ['capture.numbered', 'capture.finishing', 'capture.finished']
const RELEASE = ['capture.releasing', 'capture.released']
const CALL_OFF = ['capture.calling_off', 'capture.called_off', ...RELEASE]
const CONFIRM = ['capture.confirming', 'capture.confirmed', ...FINISH]

const client = (world: ProviderWorld, payment: Client['body']) => newClient(world, { kind: 'card', payment })

/** A client whose payment has been begun: the shopper has done what was asked for, and the storefront is about to say so. */
async function begun(world: ProviderWorld, provider: Provider, payment = provider.payment()): Promise<Client> {
  const mine = await client(world, payment)
  const reply = await world.capture(mine.token, mine.body)
  const next = provider.goOn(reply)
  if (next === null) throw new Error(`The payment was not begun: ${JSON.stringify(reply.body)}`)
  mine.body = { ...mine.body, payment: next }
  return mine
}

/** The shopper chooses another way to pay while the first waits. */
async function givingUp(world: ProviderWorld, provider: Provider, payment?: Client['body']): Promise<Client> {
  const mine = await client(world, payment ?? provider.payment())
  await world.capture(mine.token, mine.body)
  mine.body = { ...mine.body, payment: { gateway: 'manual' } }
  return mine
}

const VERIFIED = { gateway: 'stripe', stripe: { payment_method_id: 'pm_card_threeDSecure2Required' } }
const paykeyIn = ({ body }: Client) => (body.payment as { paypal: { payment_id: string } }).paypal.payment_id

export const scenesOf = ({ stripe, square, razorpay, paypal }: ProviderWorld): readonly Scene[] => [
  {
    code: 'stripe',
    title: 'a card that pays',
    passes: [...RESERVE, ...FINISH, stripe.requests.begin, stripe.requests.charge],
    prepare: (world) => client(world, stripe.payment()),
  },
  {
    code: 'stripe',
    title: 'a card that is declined',
    passes: ['capture.charged', ...RELEASE],
    prepare: (world) => client(world, stripe.declinedPayment()),
  },
  {
    code: 'stripe',
    title: 'a card that the bank asks about',
    passes: ['capture.charged', 'capture.waiting'],
    prepare: (world) => client(world, VERIFIED),
  },
  {
    code: 'stripe',
    title: 'a card that the bank was satisfied with',
    passes: [...CONFIRM, stripe.requests.charge],
    prepare: (world) => begun(world, stripe, VERIFIED),
  },
  {
    code: 'stripe',
    title: 'a card that is given up while the bank asks',
    passes: [...CALL_OFF, /\/cancel$/],
    prepare: (world) => givingUp(world, stripe, VERIFIED),
  },
  {
    code: 'square',
    title: 'a card that pays',
    passes: [...RESERVE, ...FINISH, square.requests.begin, square.requests.charge],
    prepare: (world) => client(world, square.payment()),
  },
  {
    code: 'square',
    title: 'a card that is declined',
    passes: ['capture.charged', ...RELEASE],
    prepare: (world) => client(world, square.declinedPayment()),
  },
  {
    code: 'razorpay',
    title: 'a payment that was made before the capture',
    passes: [...RESERVE, ...FINISH, razorpay.requests.charge],
    prepare: (world) => client(world, razorpay.paidPayment(DUE)),
  },
  {
    code: 'razorpay',
    title: 'a payment that has failed',
    passes: ['capture.charged', ...RELEASE],
    prepare: (world) => client(world, razorpay.declinedPayment()),
  },
  {
    code: 'razorpay',
    title: 'an order for the window',
    passes: [...RESERVE, 'capture.waiting', razorpay.requests.begin],
    prepare: (world) => client(world, razorpay.payment()),
  },
  {
    code: 'razorpay',
    title: 'an order that was paid in the window',
    passes: [...CONFIRM, razorpay.requests.charge],
    prepare: (world) => begun(world, razorpay),
  },
  {
    code: 'razorpay',
    title: 'a window that is left',
    passes: CALL_OFF,
    prepare: (world) => givingUp(world, razorpay),
  },
  {
    code: 'paypal',
    title: 'a redirect',
    passes: [...RESERVE, 'capture.waiting', paypal.requests.begin],
    prepare: (world) => client(world, paypal.payment()),
  },
  {
    code: 'paypal',
    title: 'a shopper who comes back to the storefront',
    passes: [...CONFIRM, paypal.requests.charge],
    prepare: (world) => begun(world, paypal),
  },
  {
    code: 'paypal',
    title: 'a shopper who comes back to our page',
    passes: [...CONFIRM, paypal.requests.charge],
    prepare: (world) => begun(world, paypal),
    last: (world, mine) => {
      const { invoice_id: key } = paypal.paypal.books.orderOf(paykeyIn(mine))
      return world.ask('GET', `/checkout/${world.id}/pay/${mine.token}/back?payment=${key}`)
    },
  },
  {
    code: 'paypal',
    title: 'a shopper who cannot pay',
    passes: ['capture.confirmed', ...RELEASE],
    async prepare(world) {
      const mine = await begun(world, paypal)
      paypal.paypal.books.orderOf(paykeyIn(mine)).issues.push('PAYER_CANNOT_PAY')
      return mine
    },
  },
  {
    code: 'paypal',
    title: 'a redirect that is left',
    passes: CALL_OFF,
    prepare: (world) => givingUp(world, paypal),
  },
]

/**
 * What moves the money of an order that was made before: 4.00 of 10.00 given back; all that is held taken, or 4.00 of it; or all of it let go
 * of, the order being cancelled.
 */
export type Movement = {
  readonly code: Code
  readonly kind: 'refund' | 'take' | 'take of a part' | 'release'
  readonly passes: readonly Passing[]
}

const REFUND = ['orders.refund_begun', 'orders.refund_asked', 'orders.refund_recording', 'orders.refund_recorded']
const TAKE = ['orders.take_noted', 'orders.take_asked', 'orders.take_recorded']
/** Nothing was paid yet, so that nothing has to be begun. */
const CANCEL = ['orders.cancel_begun']

export const movementsOf = ({ all }: ProviderWorld): readonly Movement[] =>
  all.flatMap(({ code, requests }): Movement[] => [
    { code, kind: 'refund', passes: [...REFUND, requests.refund] },
    { code, kind: 'take', passes: [...TAKE, requests.take] },
    ...(requests.part === undefined
      ? []
      : [{ code, kind: 'take of a part', passes: [...TAKE, ...requests.part] } as const]),
    // The request itself is a job's: who cancels has been answered by then.
    ...(requests.release === undefined ? [] : [{ code, kind: 'release', passes: CANCEL } as const]),
  ])

const PART = 4

export function move(
  world: ProviderWorld,
  { kind }: Pick<Movement, 'kind'>,
  { id, transactions }: Order,
): Promise<Reply> {
  const { secret: key } = world
  if (kind === 'refund')
    return world.ask('POST', `/v1/orders/${id}/refund`, { key, body: { amount: PART, expected_left: 10 } })
  if (kind === 'release') return world.ask('POST', `/v1/orders/${id}/cancel`, { key, body: { reason: 'late' } })
  const part = kind === 'take of a part' ? { amount: PART } : {}
  return world.ask('PUT', `/v1/orders/${id}/transactions/${transactions[0]?.id}`, {
    key,
    body: { status: 'complete', ...part },
  })
}
