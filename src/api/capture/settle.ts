// The last phase of a capture, the same for a request and for the completer: an outcome becomes an order, or everything is given back,
// or the shopper is waited for. Each is one transaction that begins with the attempt's change of state; who comes second changes nothing.
// And what a capture then answers.

import type { Db, Tx } from '../../db/db.ts'
import type { AwaitingShopper, Charged, ChargeOutcome, Declined, Pending } from '../../gateways/gateway.ts'
import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { gatewayError, notValid, paymentNotMade, requiresVerification } from '../../lib/errors.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { letGoOfSpent } from '../checkouts/hosted/store.ts'
import { uncountDiscountUse } from '../discounts/store.ts'
import { moveGiftCardBalance } from '../gift-cards/ledger-store.ts'
import { orderAddresses } from '../orders/links.ts'
import { makeOrder, type PaymentMade } from '../orders/make.ts'
import type { Order } from '../orders/schema.ts'
import { findOrderByCheckout, takeOrderNumber } from '../orders/store.ts'
import { viewOrder } from '../orders/view.ts'
import { notAnswered, type OpenAnswer } from '../payments/ask.ts'
import { firstLookAt, lookIntoLater } from '../payments/look-later.ts'
import type { PaymentRedirect } from './body/schema.ts'
import { wasEmailGiven } from './body/shopper.ts'
import { raiseAlarm } from './declines/alarm.ts'
import { declineOf } from './declines/slots.ts'
import { countDecline, giveSlotsBack } from './declines/store.ts'
import { giveStockBack, unbindPayment } from './hold-store.ts'
import { giveBackLater, lookAgainLater } from './late.ts'
import {
  type AttemptKey,
  type AttemptRow,
  findAttempt,
  finishAttempt,
  letAttemptWait,
  type OpenAttemptRow,
  releaseAttempt,
} from './store.ts'

/** `origin`: of the request that waits for the answer. The completer answers nobody, and has none. */
export type CaptureServices = Pick<Services, 'db' | 'clock' | 'payments' | 'signingSecret'> &
  Partial<Pick<Context, 'origin'>>

/** Why an attempt was released. `failed`: the gateway failed, for sure. `expired`: nobody has paid in time, or it was called off. */
export type Refusal = (Omit<Declined, 'reason'> & Partial<Declined>) | { readonly kind: 'failed' | 'expired' }

/** An order, and whether its e-mail address was sent with it: a public key sees no other. */
export type CapturedOrder = { readonly kind: 'order'; readonly order: Order; readonly isEmailGiven: boolean }

/** What has become of an attempt. `too_late`: paid after it was given up; the money goes back. */
export type Settlement = CapturedOrder | AwaitingShopper | Refusal | { readonly kind: 'too_late' }

/** What a capture answers. */
export type CaptureResult = CapturedOrder | { readonly kind: 'redirect'; readonly redirect: PaymentRedirect }

/** Throws what refuses the payment: `gatewayError`, or `requiresVerification` while the shopper is waited for. */
export function answerTo({ gateway }: Pick<AttemptRow, 'gateway'>, settlement: Settlement): CaptureResult {
  switch (settlement.kind) {
    case 'order':
      return settlement
    case 'redirect':
      return {
        kind: 'redirect',
        redirect: {
          payment_redirect: true,
          gateway: gateway ?? '',
          payment_id: settlement.payKey,
          paykey: settlement.payKey,
          redirect_url: settlement.url,
        },
      }
    case 'requires_verification':
      throw settlement.problems === undefined ? requiresVerification(settlement.param) : notValid(settlement.problems)
    case 'declined':
      throw gatewayError(settlement.message, settlement.reason)
    case 'failed':
      throw paymentFailed()
    case 'expired':
      throw paymentNotMade(
        'The payment was not completed in time, and nothing was paid. Send the capture again to pay.',
        refusal('payment_expired'),
      )
    case 'too_late':
      throw paymentNotMade(
        'The payment was made after its time was over, and is being given back. Send the capture again to pay.',
        refusal('payment_given_back'),
      )
  }
}

export const paymentFailed = (cause?: unknown) =>
  Object.assign(
    paymentNotMade(
      'The payment gateway has failed, and nothing was paid. Try again, or pay in another way.',
      refusal('payment_not_made'),
    ),
    { cause },
  )

/** After how long a capture that has not ended is to be sent again. */
export const RETRY_SECONDS = 2

export const notAnsweredYet = (open: Pick<OpenAnswer, 'cause'>) => notAnswered(open, RETRY_SECONDS)

/** How long stock, code and card are held for a shopper who has to confirm. */
const SHOPPER_MS = 15 * 60_000

/**
 * Whether money may have moved before it was asked about (`found`), and not just now (`told`): then it may have been refunded or disputed since,
 * and the provider's message of that found no order that it could be about.
 */
type Heard = 'told' | 'found'

/** Writes down the answer of the gateway, and what follows from it. */
export async function record(
  services: CaptureServices,
  attempt: OpenAttemptRow,
  outcome: ChargeOutcome | { readonly kind: 'failed' },
  heard: Heard,
): Promise<Settlement> {
  switch (outcome.kind) {
    case 'charged':
    case 'authorized':
    case 'pending':
      return finish(services, attempt, paymentOf(attempt, outcome), heard)
    case 'redirect':
    case 'requires_verification':
      return letWait(services, attempt, outcome)
    case 'declined':
      return release(services, attempt, { kind: 'declined', reason: outcome.reason, message: outcome.message })
    case 'failed':
      return release(services, attempt, { kind: 'failed' })
  }
}

function paymentOf(attempt: OpenAttemptRow, outcome: Charged | Pending): PaymentMade {
  const { gateway, payment_method_id: paymentMethodId, is_simulated: isSimulated, amount } = attempt
  const made = outcome.kind === 'pending' ? outcome.payment : outcome
  const paid = made ?? { transactionId: null, reference: null, source: null }
  return {
    kind: outcome.kind,
    gateway: gateway ?? '',
    paymentMethodId,
    isSimulated,
    amount,
    transactionId: paid.transactionId,
    reference: paid.reference,
    source: paid.source,
  }
}

/** Replies use the origin of the request being answered; what lasts uses that of the request that began the attempt. */
const addressesOf = (services: CaptureServices, { origin }: Pick<AttemptRow, 'origin'>) =>
  orderAddresses(services, services.origin ?? origin, origin)

/** Makes the order. `payment` is null when nothing was due. */
export async function finish(
  services: CaptureServices,
  attempt: OpenAttemptRow,
  payment: PaymentMade | null,
  heard: Heard = 'told',
): Promise<Settlement> {
  const { db, clock } = services
  const addresses = await addressesOf(services, attempt)
  const owner = { merchantId: attempt.merchant_id, isSandbox: attempt.is_sandbox, addresses }
  const ids = { attemptId: attempt.id, bodyDigest: attempt.body_digest }
  // Thrown, so that the customer goes too who was made meanwhile.
  let slots: readonly string[] = []
  const end = async (tx: Db, now: Date) => {
    const held = await finishAttempt(tx, attempt, now)
    if (held === null) throw new SettledBefore()
    slots = held.slots
  }
  // The number comes first and by itself: its counter is not locked while the order is made, nor are other captures of the shop.
  const making = db.transactionAfter(
    async (outside) => {
      const number = await takeOrderNumber(outside, owner)
      await checkpoint('capture.numbered')
      return number
    },
    async (tx, number) => {
      const order = await makeOrder(tx, clock, owner, attempt.draft, payment, { ...ids, number }, end)
      const now = clock.now()
      // What was told of it before there was an order; and what is only held its provider lets go of one day.
      const lookAt = heard === 'found' ? now : payment?.kind === 'authorized' ? firstLookAt(now) : null
      if (payment !== null && lookAt !== null) await lookBehind(tx, services, attempt, order, payment, lookAt)
      giveSlotsBack(tx, owner, slots)
      await checkpoint('capture.finishing')
      return order
    },
  )
  const order = await making.catch(nullIfSettledBefore)
  await checkpoint('capture.finished')
  if (order !== null) return { kind: 'order', order, isEmailGiven: wasEmailGiven(attempt.draft.content) }
  const settlement = await settlementOf(services, attempt)
  if (settlement.kind === 'order' || payment === null) return settlement
  if (payment.kind === 'pending' || payment.kind === 'unknown') {
    // It is not decided yet: should money come, it goes back. What is paid by hand nobody can be asked about.
    if (payment.transactionId !== null) await lookAgainLater(db, attempt, clock.now())
    return settlement
  }
  // Gateways promise that this cannot happen, but no money may stay without an order.
  await giveBackLater(db, attempt, { ...payment, kind: payment.kind }, clock.now())
  return { kind: 'too_late' }
}

/** In the transaction of the order: how its payment stands is asked for. */
async function lookBehind(
  tx: Db,
  { payments }: CaptureServices,
  { merchant_id: merchantId, is_sandbox }: OpenAttemptRow,
  { id: order_id }: Order,
  { gateway, isSimulated: is_simulated, transactionId }: PaymentMade,
  runAt: Date,
): Promise<void> {
  if (transactionId === null || payments.charging(gateway, is_simulated)?.story === undefined) return
  await lookIntoLater(tx, merchantId, { order_id, is_sandbox }, { gateway, is_simulated }, runAt)
}

/** Others have ended the attempt. */
class SettledBefore extends Error {
  override readonly name = 'SettledBefore'
}

const nullIfSettledBefore = (error: unknown): null => {
  if (error instanceof SettledBefore) return null
  throw error
}

/**
 * Gives stock, use and credit back, once, and counts a decline. `payableUntil`: as the gateway said when it was called off (`Cancelled`).
 */
export async function release(
  services: CaptureServices,
  attempt: OpenAttemptRow,
  why: Refusal,
  payableUntil?: Date,
): Promise<Settlement> {
  const { db, clock } = services
  const now = clock.now()
  const isReleased = await db.transaction(async (tx) => {
    const hold = await releaseAttempt(tx, attempt, why, now)
    if (hold === null) return false
    const { merchant_id: merchantId, id } = attempt
    const { is_sandbox: isSandbox, gift_card_id: giftCardId, gift_card_credit: credit, discount_id: discountId } = hold
    if (giftCardId !== null && credit > 0) {
      const movement = { giftCardId, amount: credit, reason: 'returned', subjectId: id } as const
      // A card deleted meanwhile gets nothing back.
      await moveGiftCardBalance(tx, { merchantId, isSandbox }, movement, now)
    }
    if (discountId !== null) await uncountDiscountUse(tx, { merchantId, isSandbox }, discountId)
    if (hold.payment_reference !== null) await unbindPayment(tx, { ...attempt, ...hold })
    await giveStockBack(tx, { merchant_id: merchantId, id, is_sandbox: isSandbox })
    if (payableUntil !== undefined) await lookAgainLater(tx, attempt, payableUntil)
    await checkpoint('capture.releasing')
    // Last: all declines of the shop wait for one another from here to the commit.
    await countIfDeclined(tx, attempt, hold.slots, why, now)
    return true
  })
  await checkpoint('capture.released')
  return isReleased ? why : settlementOf(services, attempt)
}

/** `slots`: those that the attempt holds. */
async function countIfDeclined(tx: Tx, attempt: OpenAttemptRow, slots: readonly string[], why: Refusal, now: Date) {
  const scope = { merchantId: attempt.merchant_id, isSandbox: attempt.is_sandbox }
  // One that we have cancelled ourselves has not been declined by anybody.
  if (why.kind !== 'declined' || why.reason === 'cancelled') return giveSlotsBack(tx, scope, slots)
  const { isTokenSpent, ofShop } = await countDecline(tx, scope, declineOf(attempt, slots), now)
  if (isTokenSpent) letGoOfSpent(tx, scope, attempt.checkout_id)
  raiseAlarm(tx, scope, attempt.origin, ofShop, now)
}

async function letWait(
  services: CaptureServices,
  attempt: OpenAttemptRow,
  awaited: AwaitingShopper,
): Promise<Settlement> {
  const { db, clock } = services
  if (attempt.state === 'waiting') return awaited
  const now = clock.now()
  const until = new Date(now.getTime() + SHOPPER_MS)
  const waiting = await letAttemptWait(db, attempt, awaited, until, now)
  await checkpoint('capture.waiting')
  return waiting === null ? settlementOf(services, attempt) : awaited
}

/** What has become of an attempt that others have settled, or that waits. */
export async function settlementOf(services: CaptureServices, key: AttemptKey): Promise<Settlement> {
  const { db } = services
  const attempt = await findAttempt(db, key)
  if (attempt === null || attempt.state === 'charging') throw new Error(`The attempt ${key.id} is not settled.`)
  if (attempt.state === 'done') return orderOf(services, attempt)
  return attempt.gateway_state as Settlement
}

/** The order of an attempt that is done. */
export async function orderOf(services: CaptureServices, attempt: AttemptRow): Promise<CapturedOrder> {
  const { db, clock } = services
  const { merchant_id: merchantId, is_sandbox: isSandbox, checkout_id: checkoutId } = attempt
  const row = await findOrderByCheckout(db, { merchantId, isSandbox }, checkoutId)
  if (row === null) throw new Error(`The attempt ${attempt.id} is done and has no order.`)
  const order = viewOrder(row, await addressesOf(services, attempt), clock.now())
  return { kind: 'order', order, isEmailGiven: wasEmailGiven(row.content) }
}
