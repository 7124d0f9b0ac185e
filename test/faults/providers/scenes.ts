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

type Prepare = Scene['prepare']

const scene = (code: Code, title: string, passes: readonly Passing[], prepare: Prepare): Scene => ({
  code,
  title,
  passes,
  prepare,
})

/** A client who has not sent its payment yet. */
const ready =
  (payment: () => Client['body']): Prepare =>
  (world) =>
    client(world, payment())

/** A client whose payment has been begun: the shopper has done what was asked for, and the storefront is about to say so. */
const begun =
  (provider: Provider, payment = () => provider.payment()): Prepare =>
  async (world) => {
    const mine = await client(world, payment())
    const reply = await world.capture(mine.token, mine.body)
    const next = provider.goOn(reply)
    if (next === null) throw new Error(`The payment was not begun: ${JSON.stringify(reply.body)}`)
    mine.body = { ...mine.body, payment: next }
    return mine
  }

/** The shopper chooses another way to pay while the first waits. */
const givenUp =
  (provider: Provider, payment = () => provider.payment()): Prepare =>
  async (world) => {
    const mine = await client(world, payment())
    await world.capture(mine.token, mine.body)
    mine.body = { ...mine.body, payment: { gateway: 'manual' } }
    return mine
  }

const verified = () => ({ gateway: 'stripe', stripe: { payment_method_id: 'pm_card_threeDSecure2Required' } })
const paykeyIn = ({ body }: Client) => (body.payment as { paypal: { payment_id: string } }).paypal.payment_id

export const scenesOf = ({ stripe, square, razorpay, paypal }: ProviderWorld): readonly Scene[] => {
  const declined = ['capture.charged', ...RELEASE]
  const charged = ({ requests: { begin, charge } }: Provider) => [...RESERVE, ...FINISH, begin, charge]
  const confirmed = ({ requests }: Provider) => [...CONFIRM, requests.charge]
  const waiting = ({ requests }: Provider) => [...RESERVE, 'capture.waiting', requests.begin]
  const { books } = paypal.paypal
  return [
    scene('stripe', 'a card that pays', charged(stripe), ready(stripe.payment)),
    scene('stripe', 'a card that is declined', declined, ready(stripe.declinedPayment)),
    scene('stripe', 'a card that the bank asks about', ['capture.charged', 'capture.waiting'], ready(verified)),
    scene('stripe', 'a card that the bank was satisfied with', confirmed(stripe), begun(stripe, verified)),
    scene('stripe', 'a card given up while the bank asks', [...CALL_OFF, /\/cancel$/], givenUp(stripe, verified)),
    scene('square', 'a card that pays', charged(square), ready(square.payment)),
    scene('square', 'a card that is declined', declined, ready(square.declinedPayment)),
    scene(
      'razorpay',
      'a payment that was made before the capture',
      [...RESERVE, ...FINISH, razorpay.requests.charge],
      ready(() => razorpay.paidPayment(DUE)),
    ),
    scene('razorpay', 'a payment that has failed', declined, ready(razorpay.declinedPayment)),
    scene('razorpay', 'an order for the window', waiting(razorpay), ready(razorpay.payment)),
    scene('razorpay', 'an order that was paid in the window', confirmed(razorpay), begun(razorpay)),
    scene('razorpay', 'a window that is left', CALL_OFF, givenUp(razorpay)),
    scene('paypal', 'a redirect', waiting(paypal), ready(paypal.payment)),
    scene('paypal', 'a shopper who comes back to the storefront', confirmed(paypal), begun(paypal)),
    {
      ...scene('paypal', 'a shopper who comes back to our page', confirmed(paypal), begun(paypal)),
      last: (world, mine) => {
        const { invoice_id: key } = books.orderOf(paykeyIn(mine))
        return world.ask('GET', `/checkout/${world.id}/pay/${mine.token}/back?payment=${key}`)
      },
    },
    scene('paypal', 'a shopper who cannot pay', ['capture.confirmed', ...RELEASE], async (world) => {
      const mine = await begun(paypal)(world)
      books.orderOf(paykeyIn(mine)).issues.push('PAYER_CANNOT_PAY')
      return mine
    }),
    scene('paypal', 'a redirect that is left', CALL_OFF, givenUp(paypal)),
  ]
}

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
