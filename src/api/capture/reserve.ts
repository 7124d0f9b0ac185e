// The first phase of a capture: an attempt is written with all that it holds, or nothing is. Locks are taken in one order everywhere:
// the attempt, which stands for the token, then the gift card, the code, and last the stock, which many wait for.

import type { Caller, Context } from '../../http/endpoint/endpoint.ts'
import { checkpoint } from '../../lib/checkpoint.ts'
import { type FieldErrors, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import type { Minor } from '../../lib/money.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { countDiscountUse } from '../discounts/store.ts'
import { moveGiftCardBalance } from '../gift-cards/ledger-store.ts'
import type { OrderDraft } from '../orders/make.ts'
import { beginAttempt, beginWholeAttempt, type StockDemand, takeStock } from './hold-store.ts'
import type { PreparedCapture } from './prepare.ts'
import type { CaptureServices } from './settle.ts'
import { type NewAttempt, type OpenAttemptRow, replaceDraft } from './store.ts'

/** A request that captures. */
export type CaptureContext = CaptureServices &
  Pick<Context, 'lastingOrigin'> & { readonly caller: Pick<Caller, 'merchantId' | 'isSandbox' | 'isDisabled'> }

/**
 * Null when another attempt of the token counts already. Throws `notValid` when stock, code or card have gone since the price was
 * worked out; then nothing is held.
 */
export async function reserve(context: CaptureContext, prepared: PreparedCapture): Promise<OpenAttemptRow | null> {
  const { db, clock, payments, caller } = context
  const now = clock.now()
  const givesUpAt = new Date(now.getTime() + payments.settleAfterMs)
  const attempt = attemptOf(context, prepared, now, givesUpAt)
  const { giftCard, discountId, stock } = prepared
  // Stock comes last: only where nothing else is held does it go with the attempt.
  const isStockAlone = giftCard === null && discountId === null
  const begun = (draft: OrderDraft): OpenAttemptRow => ({
    ...attempt,
    draft,
    state: 'charging',
    gateway_state: null,
    settle_after: givesUpAt,
  })
  if (isStockAlone) {
    await checkpoint('capture.reserving')
    const outcome = await beginWholeAttempt(db, attempt, stock, now)
    // Where something runs short, the transaction below finds out what.
    if (outcome !== 'short') {
      await checkpoint('capture.reserved')
      return outcome === 'begun' ? begun(attempt.draft) : null
    }
  }
  const draft = await db.transaction(async (tx) => {
    let reserved = attempt.draft
    const { merchantId, isSandbox } = caller
    const { isBegun, missing } = await beginAttempt(tx, attempt, isStockAlone ? stock : [], now)
    if (!isBegun) return null
    if (giftCard !== null) {
      const subjectId = attempt.id
      const movement = { giftCardId: giftCard.id, amount: -giftCard.credit, reason: 'reserved', subjectId } as const
      const balance = await moveGiftCardBalance(tx, { merchantId, isSandbox }, movement, now)
      if (balance === null) throw notValid(GIFT_CARD_CHANGED, refusal('gift_card_changed'))
      reserved = withBalance(reserved, balance)
      if (reserved !== attempt.draft) await replaceDraft(tx, attempt, reserved)
    }
    if (discountId !== null && !(await countDiscountUse(tx, { merchantId, isSandbox }, discountId, now)))
      throw notValid(CODE_GONE, refusal('code_not_accepted'))
    const short = isStockAlone || stock.length === 0 ? missing : await takeStock(tx, attempt, stock)
    if (short.length > 0) throw notValid(outOfStock(short), refusal('gone_meanwhile'))
    await checkpoint('capture.reserving')
    return reserved
  })
  await checkpoint('capture.reserved')
  return draft && begun(draft)
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
): NewAttempt => ({
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
