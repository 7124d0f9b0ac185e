// Begins an attempt and takes its hold: stock, discount use and gift card credit. Also takes decline slots, and
// binds a payment that the shopper made before the capture. Either all of this succeeds or nothing is written.
// `returnHold` returns everything except the slots, which attempt.ts returns.
// Every capture takes its locks in this order: attempt, payment, gift card, discount, stock, slots. `returnHold`
// keeps this order, except that it unbinds the payment after the discount.
// The attempt is first, because it locks out other captures of its token.
// Stock and slots are last, because many captures wait for them.

import type { Tx } from '../../db/db.ts'
import type { Caller, Context } from '../../http/endpoint/endpoint.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { type FieldErrors, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Minor } from '../../lib/money.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { countDiscountUse, uncountDiscountUse } from '../discounts/store.ts'
import { moveGiftCardBalance } from '../gift-cards/ledger-store.ts'
import type { OrderDraft } from '../orders/make.ts'
import type { PreparedCapture } from './body/prepare.ts'
import { buildAttemptDemand, NoFreeSlot, retryUntilSlotIsFree } from './declines/slots.ts'
import { takeSlots } from './declines/store.ts'
import {
  beginAttempt,
  beginAttemptWithStock,
  bindPayment,
  returnStock,
  type StockDemand,
  takeStock,
  unbindPayment,
} from './hold-store.ts'
import type { CaptureServices } from './order.ts'
import { type HeldRow, type NewAttempt, type OpenAttemptRow, replaceDraft } from './store.ts'

/** Context of a request that captures. */
export type CaptureContext = CaptureServices &
  Pick<Context, 'origin' | 'lastingOrigin'> & {
    readonly caller: Pick<Caller, 'merchant_id' | 'is_sandbox' | 'isDisabled'> &
      Partial<Pick<Caller, 'keyId' | 'session'>>
  }

/**
 * Repeats `reserveHold` until decline slots are free. Throws `tooManyRequests` if the wait is too long. `begunAt` is
 * the start of the successful call, by `performance.now()`.
 */
export const reserveOnceSlotIsFree = (context: CaptureContext, prepared: PreparedCapture) =>
  retryUntilSlotIsFree(context, declineSourceOf(context, prepared), async (begunAt) => ({
    attempt: await reserveHold(context, prepared),
    begunAt,
  }))

const declineSourceOf = ({ caller }: CaptureContext, { checkoutId, gateway, draft }: PreparedCapture) => ({
  merchant_id: caller.merchant_id,
  is_sandbox: caller.is_sandbox,
  checkout_id: checkoutId,
  gateway: gateway?.code ?? null,
  draft,
})

/**
 * Null if the token already has an attempt that is not released. Throws `notValid` if stock, code, gift card or payment
 * are no longer available. Throws `NoFreeSlot` if too many payments were declined or are under way. If it throws,
 * nothing is held.
 */
export async function reserveHold(context: CaptureContext, prepared: PreparedCapture): Promise<OpenAttemptRow | null> {
  const { db, clock, payments } = context
  const demand = buildAttemptDemand(declineSourceOf(context, prepared))
  const now = clock.now()
  // `INSERT_ATTEMPT` stores this time as `settle_after` too. The completer first polls the attempt at this time.
  const givesUpAt = new Date(now.getTime() + payments.settleAfterMs)
  const attempt = { ...attemptOf(context, prepared, now, givesUpAt), slots: demand.slots }
  const { giftCard, discountId, stock } = prepared
  // If only stock is held, one statement does everything without a transaction.
  const hasOnlyStock = giftCard === null && discountId === null && attempt.payment_reference === null
  const outcome = hasOnlyStock ? await beginAttemptWithStock(db, attempt, stock, demand, now) : null
  await checkpoint('capture.reserving')
  const isInSteps = outcome === null || outcome === 'short'
  const draft = isInSteps ? await db.transaction((tx) => reserveInSteps(tx, attempt, prepared, now)) : attempt.draft
  await checkpoint('capture.reserved')
  if (draft === null || outcome === 'not_begun') return null
  return { ...attempt, draft, state: 'charging', gateway_state: null, settle_after: givesUpAt }
}

/**
 * Takes the hold in several statements. Also runs after a single statement found something missing, to throw an error
 * that names it. Null if the token already has an attempt that is not released.
 */
async function reserveInSteps(
  tx: Tx,
  attempt: NewAttempt,
  { giftCard, discountId, stock }: PreparedCapture,
  now: Date,
): Promise<OrderDraft | null> {
  const scope = { merchant_id: attempt.merchant_id, is_sandbox: attempt.is_sandbox }
  let reserved = attempt.draft
  if (!(await beginAttempt(tx, attempt, now))) return null
  if (attempt.payment_reference !== null && !(await bindPayment(tx, attempt, now))) throw notValid(PAID_BEFORE)
  if (giftCard !== null) {
    const movement = {
      giftCardId: giftCard.id,
      amount: -giftCard.credit,
      reason: 'reserved',
      subjectId: attempt.id,
      checkoutId: attempt.checkout_id,
    } as const
    const balance = await moveGiftCardBalance(tx, scope, movement, now)
    if (balance === null) throw notValid(GIFT_CARD_CHANGED, refusal('gift_card_changed'))
    reserved = withBalance(reserved, balance)
    if (reserved !== attempt.draft) await replaceDraft(tx, attempt, reserved)
  }
  if (discountId !== null && !(await countDiscountUse(tx, scope, discountId, now)))
    throw notValid(CODE_GONE, refusal('code_not_accepted'))
  const short = stock.length === 0 ? [] : await takeStock(tx, attempt, stock)
  if (short.length > 0) throw notValid(outOfStock(short), refusal('gone_meanwhile'))
  if (!(await takeSlots(tx, scope, buildAttemptDemand(attempt), now))) throw new NoFreeSlot()
  return reserved
}

/** Corrects the balance in the draft, because another order may have used the gift card after this one was priced. */
const withBalance = (draft: OrderDraft, balance_after: Minor): OrderDraft => {
  const { gift_card } = draft.content
  return gift_card === null || gift_card.balance_after === balance_after
    ? draft
    : { ...draft, content: { ...draft.content, gift_card: { ...gift_card, balance_after } } }
}

const attemptOf = (
  { caller, lastingOrigin }: CaptureContext,
  prepared: PreparedCapture,
  now: Date,
  givesUpAt: Date,
): Omit<NewAttempt, 'slots'> => ({
  merchant_id: caller.merchant_id,
  id: newId('paymentAttempt', now),
  is_sandbox: caller.is_sandbox,
  checkout_id: prepared.checkoutId,
  gateway: prepared.gateway?.code ?? null,
  payment_method_id: prepared.gateway?.methodId ?? null,
  is_simulated: prepared.gateway?.isSimulated ?? false,
  amount: prepared.draft.total_due,
  currency: prepared.draft.currency,
  body_digest: prepared.bodyDigest,
  origin: lastingOrigin,
  payment_reference: prepared.gateway?.reference ?? null,
  draft: prepared.draft,
  discount_id: prepared.discountId,
  gift_card_id: prepared.giftCard?.id ?? null,
  gift_card_credit: prepared.giftCard?.credit ?? 0,
  gives_up_at: givesUpAt,
})

/** Call it in the transaction that releases the attempt. */
export async function returnHold(tx: Tx, attempt: OpenAttemptRow, hold: HeldRow, now: Date): Promise<void> {
  const { merchant_id, id } = attempt
  const { is_sandbox, gift_card_id: giftCardId, gift_card_credit: credit, discount_id: discountId } = hold
  const scope = { merchant_id, is_sandbox }
  if (giftCardId !== null && credit > 0)
    // A deleted card gets nothing back.
    await moveGiftCardBalance(tx, scope, { giftCardId, amount: credit, reason: 'returned', subjectId: id }, now)
  if (discountId !== null) await uncountDiscountUse(tx, scope, discountId)
  if (hold.payment_reference !== null) await unbindPayment(tx, { ...attempt, ...hold })
  await returnStock(tx, { merchant_id, id, is_sandbox })
}

const GIFT_CARD_CHANGED: FieldErrors = {
  giftcard_code: [
    'The gift card has been used meanwhile, and less is left on it. Look at the totals and send the capture again.',
  ],
}

const PAID_BEFORE: FieldErrors = {
  'payment.gateway': ['The payment that was named belongs to another order. Pay again for this one.'],
}

const CODE_GONE: FieldErrors = {
  discount_code: ['The discount code has been used up or has expired meanwhile. Take it away, or use another one.'],
}

function outOfStock(missing: readonly StockDemand[]): FieldErrors {
  const paths = missing.flatMap(({ lineIds }) => lineIds.map((lineId) => `line_items.${lineId}.quantity`))
  return Object.fromEntries(
    paths.map((path) => [path, [`${path} is more than there is in stock. Choose less, or take the line away.`]]),
  )
}
