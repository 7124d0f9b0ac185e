// Handles the time after the form was sent: the way to the provider, the way back, and waiting for an unknown result. An attempt without an
// order leads back to the form, filled in as before.

import type { AttemptOutcome } from '../../api/capture/attempt.ts'
import { settleAttempt, settleReturnedAttempt } from '../../api/capture/completer.ts'
import { ON_PAGE } from '../../api/capture/gateway.ts'
import { type AttemptRow, findAttempt, findAttemptWithDraft, findCurrentAttempt } from '../../api/capture/store.ts'
import type { OrderDraft } from '../../api/orders/make.ts'
import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import type { PageAnswer, PageRequest } from '../../http/files/pages.ts'
import { timeOfId } from '../../lib/ids.ts'
import { refusal, type ShopperRefusal } from '../../lib/words/refusals.ts'
import { goneAnswer, messageAnswer } from './message.ts'
import type { Notice } from './model.ts'
import { receiptAnswer } from './receipt.ts'
import type { OpenedCheckout } from './shop.ts'
import {
  attemptIdIn,
  hasStartedAttempt,
  type PageVisit,
  pageOfToken,
  redirectBelow,
  redirectToAttempt,
  redirectToForm,
  redirectToReceipt,
  redirectToWait,
} from './visit.ts'

const isAttemptOf = ({ caller, tokenId }: OpenedCheckout, attempt: AttemptRow | null): attempt is AttemptRow =>
  attempt?.checkout_id === tokenId && attempt.is_sandbox === caller.is_sandbox

// Continue to the provider. A page of ours is needed in between: browsers also apply the CSP directive `form-action` to redirects, and
// providers redirect further.

export const showContinue = (services: Services) =>
  pageOfToken(services, async (visit) => {
    const { context, opened } = visit
    if (opened.isOrdered) return redirectToReceipt(visit)
    const attempt = opened.attempt === null ? null : await findCurrentAttempt(context.db, opened.caller, opened.tokenId)
    if (attempt?.state === 'charging') return redirectToWait(visit, attempt.id)
    const outcome = attempt?.gateway_state as AttemptOutcome | null | undefined
    if (attempt?.state !== 'waiting' || outcome?.kind !== 'redirect') return redirectBelow(visit, '')
    // Somebody else could see the shopper's data on the provider's page.
    if (!hasStartedAttempt(visit, attempt.id)) return redirectBelow(visit, '')
    return messageAnswer(opened.frame, 200, { kind: 'to_provider', next: outcome.url, refreshSeconds: 1 })
  })

// Wait for the result.

const POLL_SECONDS = 3
/** After this time the shopper need not stay on the page; a mail reports the result. */
const SLOW_AFTER_MS = 60_000
const SLOW_POLL_SECONDS = 15

export const showWait = (services: Services) =>
  pageOfToken(services, async (visit) => {
    const { context, opened, request } = visit
    if (opened.isOrdered) return redirectToReceipt(visit)
    const id = attemptIdIn(request) ?? opened.attempt?.id ?? null
    const attempt = id === null ? null : await findAttempt(context.db, { merchant_id: opened.caller.merchant_id, id })
    if (!isAttemptOf(opened, attempt)) return redirectBelow(visit, '')
    switch (attempt.state) {
      case 'done':
        return redirectToReceipt(visit)
      case 'released':
        return redirectToForm(visit, attempt.id)
      case 'waiting':
        return stateKind(attempt) === 'redirect'
          ? redirectToAttempt(visit, '/continue', attempt.id)
          : redirectToForm(visit, attempt.id)
      case 'charging':
        return showCharging(visit, attempt)
    }
  })

async function showCharging(visit: PageVisit, attempt: AttemptRow): Promise<PageAnswer> {
  const { context, opened } = visit
  const now = context.clock.now()
  // No worker handles the attempt any more, so settle it here. The completer logs why the gateway does not answer.
  if (attempt.settle_after <= now) {
    const isKnown = await settleAttempt(context, attempt).then(
      () => true,
      () => false,
    )
    if (isKnown) return redirectToWait(visit, attempt.id)
  }
  const isLong = now.getTime() - timeOfId('paymentAttempt', attempt.id) >= SLOW_AFTER_MS
  return messageAnswer(opened.frame, 200, {
    kind: isLong ? 'still_waiting' : 'waiting',
    next: null,
    refreshSeconds: isLong ? SLOW_POLL_SECONDS : POLL_SECONDS,
  })
}

const stateKind = ({ gateway_state: state }: AttemptRow) => (state as AttemptOutcome | null)?.kind ?? null

// Return from the provider.

export const showBack = (services: Services) =>
  pageOfToken(services, async (visit) => {
    const { context, opened, request } = visit
    const id = attemptIdIn(request)
    const attempt = id === null ? null : await findAttempt(context.db, { merchant_id: opened.caller.merchant_id, id })
    if (!isAttemptOf(opened, attempt)) return goneAnswer(opened.frame)
    const end = await settleReturnedAttempt(context, attempt)
    if (end === null)
      return messageAnswer(opened.frame, 200, { kind: 'waiting', next: null, refreshSeconds: POLL_SECONDS })
    const isHosted = request.query.get(ON_PAGE) === '1'
    if (end.kind === 'order') return isHosted || opened.isOfLink ? redirectToReceipt(visit) : receiptAnswer(visit)
    if (end.kind === 'too_late')
      return messageAnswer(opened.frame, 200, { kind: 'too_late', shopperMessage: refusal('payment_given_back') })
    return isHosted && opened.isAlive ? redirectToForm(visit, attempt.id) : afterStorefront(visit, end)
  })

/** A payment from a storefront continues there. We know the storefront's URL only if the shop has set it. */
function afterStorefront(
  { opened: { frame } }: PageVisit,
  end: Exclude<AttemptOutcome, { kind: 'order' | 'too_late' }>,
) {
  if (end.kind === 'redirect') return messageAnswer(frame, 200, { kind: 'not_paid', next: end.url })
  return messageAnswer(frame, 200, { kind: 'not_paid', shopperMessage: refusalOf(end) })
}

/** Returns the reason why there is no order; null if the shopper has not finished yet. */
function refusalOf(end: AttemptOutcome): ShopperRefusal | null {
  switch (end.kind) {
    case 'declined': {
      const { message, reason } = end
      const declined = refusal('payment_declined', { reason: message })
      return reason === undefined ? declined : { ...declined, params: { ...declined.params, decline: reason } }
    }
    case 'expired':
      return refusal('payment_expired')
    case 'failed':
      return refusal('payment_not_made')
    case 'requires_verification':
      return refusal('payment_to_confirm')
    default:
      return null
  }
}

/** An earlier attempt: its form content, and why it did not become an order. */
type EarlierAttempt = { readonly draft: OrderDraft | null; readonly notice: Notice | null }

/** Finds the attempt that the URL names; null if it belongs to another token. */
export async function findEarlierAttempt(
  context: Context,
  opened: OpenedCheckout,
  request: PageRequest,
): Promise<EarlierAttempt | null> {
  const id = attemptIdIn(request)
  const attempt = id && (await findAttemptWithDraft(context.db, { merchant_id: opened.caller.merchant_id, id }))
  if (!attempt || !isAttemptOf(opened, attempt)) return null
  const end = attempt.gateway_state as AttemptOutcome | null
  const noticeRefusal = end?.kind === 'redirect' ? refusal('payment_not_made') : end && refusalOf(end)
  return { draft: attempt.draft, notice: noticeRefusal && { tone: 'bad', shopperMessage: noticeRefusal } }
}
