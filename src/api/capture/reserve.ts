// The first phase of a capture: an attempt is written with all that it holds, or nothing is. Locks are taken in one order everywhere:
// the attempt, which stands for the token, then the gift card, the code, the stock, which many wait for, and last the slots of its networks.

import type { Tx } from '../../db/db.ts'
import type { Caller, Context } from '../../http/endpoint/endpoint.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { type FieldErrors, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Minor } from '../../lib/money.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { countDiscountUse } from '../discounts/store.ts'
import { moveGiftCardBalance } from '../gift-cards/ledger-store.ts'
import type { OrderDraft } from '../orders/make.ts'
import { demandOf, NoFreeSlot, onceSlotIsFree } from './declines/slots.ts'
import { type SlotDemand, takeSlots } from './declines/store.ts'
import { beginAttempt, beginWholeAttempt, bindPayment, type StockDemand, takeStock } from './hold-store.ts'
import type { PreparedCapture } from './prepare.ts'
import type { CaptureServices } from './settle.ts'
import { type NewAttempt, type OpenAttemptRow, replaceDraft } from './store.ts'

/** A request that captures. */
export type CaptureContext = CaptureServices &
  Pick<Context, 'origin' | 'lastingOrigin'> & {
    readonly caller: Pick<Caller, 'merchantId' | 'isSandbox' | 'isDisabled'> &
      Partial<Pick<Caller, 'keyId' | 'session'>>
  }

/** `begunAt`: by `performance.now()`, when the reservation began that has succeeded. Throws `tooManyRequests` too. */
export const reserveOnceSlotIsFree = (context: CaptureContext, prepared: PreparedCapture) =>
  onceSlotIsFree(context, context.caller, demandIn(context, prepared), async (begunAt) => ({
    attempt: await reserve(context, prepared),
    begunAt,
  }))

const demandIn = ({ caller }: CaptureContext, { checkoutId, gateway, draft }: PreparedCapture): SlotDemand =>
  demandOf({ is_sandbox: caller.isSandbox, checkout_id: checkoutId, gateway: gateway?.code ?? null, draft })

/**
 * Null when another attempt of the token counts already. Throws `notValid` when stock, code or card have gone since the price was
 * worked out, and `NoFreeSlot` when too many payments were declined or are under way; then nothing is held.
 */
export async function reserve(context: CaptureContext, prepared: PreparedCapture): Promise<OpenAttemptRow | null> {
  const { db, clock, payments } = context
  const demand = demandIn(context, prepared)
  const now = clock.now()
  const givesUpAt = new Date(now.getTime() + payments.settleAfterMs)
  const attempt = { ...attemptOf(context, prepared, now, givesUpAt), slots: demand.slots }
  const { giftCard, discountId, stock } = prepared
  // Stock comes last: only where nothing else is held does it go with the attempt, in one statement that needs no transaction.
  const isStockAlone = giftCard === null && discountId === null && attempt.payment_reference === null
  const outcome = isStockAlone ? await beginWholeAttempt(db, attempt, stock, demand, now) : 'short'
  await checkpoint('capture.reserving')
  const draft =
    outcome === 'short' ? await db.transaction((tx) => reserveInSteps(tx, attempt, prepared, now)) : attempt.draft
  await checkpoint('capture.reserved')
  if (draft === null || outcome === 'not_begun') return null
  return { ...attempt, draft, state: 'charging', gateway_state: null, settle_after: givesUpAt }
}

/** Also where something has run short, to find out what. Null when the attempt was not begun. */
async function reserveInSteps(
  tx: Tx,
  attempt: NewAttempt,
  { giftCard, discountId, stock }: PreparedCapture,
  now: Date,
): Promise<OrderDraft | null> {
  const scope = { merchantId: attempt.merchant_id, isSandbox: attempt.is_sandbox }
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
  if (!(await takeSlots(tx, scope, demandOf(attempt), now))) throw new NoFreeSlot()
  return reserved
}

/** Others may have taken from the card since the price was worked out: the order shows what this one has left. */
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
  merchant_id: caller.merchantId,
  id: newId('paymentAttempt', now),
  is_sandbox: caller.isSandbox,
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

const outOfStock = (missing: readonly StockDemand[]): FieldErrors =>
  Object.fromEntries(
    missing
      .flatMap(({ lineIds }) => lineIds)
      .map((lineId) => [`line_items.${lineId}.quantity`])
      .map(([path = '']) => [path, [`${path} is more than there is in stock. Choose less, or take the line away.`]]),
  )
