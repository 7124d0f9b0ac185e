// After the form was sent: on to the provider, back from it, and waiting for what nobody knows yet. What has been begun and did not end in an
// order leads back to the form, filled in as it was.

import { ON_PAGE } from '../../api/capture/entry.ts'
import type { Settlement } from '../../api/capture/settle.ts'
import { type AttemptRow, findAttempt, findBegunAttempt, findKeptAttempt } from '../../api/capture/store.ts'
import { endOfAttempt, settleAttempt } from '../../api/capture/unsettled.ts'
import type { OrderDraft } from '../../api/orders/make.ts'
import type { Context, Services } from '../../http/endpoint/endpoint.ts'
import type { PageAnswer, PageRequest } from '../../http/files/pages.ts'
import { timeOfId } from '../../lib/ids.ts'
import { type Refusal, refusal } from '../../lib/words/refusals.ts'
import { gone, messageAnswer } from './message.ts'
import type { Notice } from './model.ts'
import { receiptAnswer } from './receipt.ts'
import type { OpenedCheckout } from './shop.ts'
import { attemptIdIn, goOn, hasBegun, pageOfToken, toAttempt, toForm, toReceipt, toWait, type Visit } from './visit.ts'

const isOf = ({ caller, tokenId }: OpenedCheckout, attempt: AttemptRow | null): attempt is AttemptRow =>
  attempt?.checkout_id === tokenId && attempt.is_sandbox === caller.isSandbox

// On to the provider. A page of ours in between: browsers hold what a form may lead to against redirects as well, and providers send on to others.

export const showContinue = (services: Services) =>
  pageOfToken(services, async (visit) => {
    const { context, opened } = visit
    if (opened.isOrdered) return toReceipt(visit)
    const attempt = opened.attempt === null ? null : await findKeptAttempt(context.db, opened.caller, opened.tokenId)
    if (attempt?.state === 'charging') return toWait(visit, attempt.id)
    const awaited = attempt?.gateway_state as Settlement | null | undefined
    if (attempt?.state !== 'waiting' || awaited?.kind !== 'redirect') return goOn(visit, '')
    // The provider's page would lead somebody else to what the shopper has typed.
    if (!hasBegun(visit, attempt.id)) return goOn(visit, '')
    return messageAnswer(opened.frame, 200, { kind: 'to_provider', next: awaited.url, refreshSeconds: 1 })
  })

// Waiting.

const LOOK_AGAIN_SECONDS = 3
/** From when on the shopper need not stay: whatever comes of it, a mail will tell. */
const LONG_MS = 60_000
const LOOK_SELDOM_SECONDS = 15

export const showWait = (services: Services) =>
  pageOfToken(services, async (visit) => {
    const { context, opened, request } = visit
    if (opened.isOrdered) return toReceipt(visit)
    const id = attemptIdIn(request) ?? opened.attempt?.id ?? null
    const attempt = id === null ? null : await findAttempt(context.db, { merchant_id: opened.caller.merchantId, id })
    if (!isOf(opened, attempt)) return goOn(visit, '')
    switch (attempt.state) {
      case 'done':
        return toReceipt(visit)
      case 'released':
        return toForm(visit, attempt.id)
      case 'waiting':
        return awaits(attempt) === 'redirect' ? toAttempt(visit, '/continue', attempt.id) : toForm(visit, attempt.id)
      case 'charging':
        return showCharging(visit, attempt)
    }
  })

async function showCharging(visit: Visit, attempt: AttemptRow): Promise<PageAnswer> {
  const { context, opened } = visit
  const now = context.clock.now()
  // Nobody works on it any more. Why the gateway does not answer is for the completer to log.
  if (attempt.settle_after <= now) {
    const isKnown = await settleAttempt(context, attempt).then(
      () => true,
      () => false,
    )
    if (isKnown) return toWait(visit, attempt.id)
  }
  const isLong = now.getTime() - timeOfId('paymentAttempt', attempt.id) >= LONG_MS
  return messageAnswer(opened.frame, 200, {
    kind: isLong ? 'still_waiting' : 'waiting',
    next: null,
    refreshSeconds: isLong ? LOOK_SELDOM_SECONDS : LOOK_AGAIN_SECONDS,
  })
}

const awaits = ({ gateway_state: state }: AttemptRow) => (state as Settlement | null)?.kind ?? null

// Back from the provider.

export const showBack = (services: Services) =>
  pageOfToken(services, async (visit) => {
    const { context, opened, request } = visit
    const id = attemptIdIn(request)
    const attempt = id === null ? null : await findAttempt(context.db, { merchant_id: opened.caller.merchantId, id })
    if (!isOf(opened, attempt)) return gone(opened.frame)
    const end = await endOfAttempt(context, attempt)
    if (end === null)
      return messageAnswer(opened.frame, 200, { kind: 'waiting', next: null, refreshSeconds: LOOK_AGAIN_SECONDS })
    const isHosted = request.query.get(ON_PAGE) === '1'
    if (end.kind === 'order') return isHosted || opened.isOfLink ? toReceipt(visit) : receiptAnswer(visit)
    if (end.kind === 'too_late')
      return messageAnswer(opened.frame, 200, { kind: 'too_late', said: refusal('payment_given_back') })
    return isHosted && opened.isAlive ? toForm(visit, attempt.id) : afterStorefront(visit, end)
  })

/** Whoever has begun it in a storefront goes on there: of where that is, we know no more than the shop has told. */
function afterStorefront({ opened: { frame } }: Visit, end: Exclude<Settlement, { kind: 'order' | 'too_late' }>) {
  if (end.kind === 'redirect') return messageAnswer(frame, 200, { kind: 'not_paid', next: end.url })
  return messageAnswer(frame, 200, { kind: 'not_paid', said: whyNot(end) })
}

/** Why there is no order; null where the shopper only has not done it yet. */
function whyNot(end: Settlement): Refusal | null {
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

/** What was begun before: as it was filled in, and why it did not become an order. */
type Begun = { readonly draft: OrderDraft | null; readonly notice: Notice | null }

/** Of the attempt that the address names; null where it names none of this token. */
export async function findBegun(context: Context, opened: OpenedCheckout, request: PageRequest): Promise<Begun | null> {
  const id = attemptIdIn(request)
  const attempt = id && (await findBegunAttempt(context.db, { merchant_id: opened.caller.merchantId, id }))
  if (!attempt || !isOf(opened, attempt)) return null
  const end = attempt.gateway_state as Settlement | null
  const said = end?.kind === 'redirect' ? refusal('payment_not_made') : end && whyNot(end)
  return { draft: attempt.draft, notice: said && { tone: 'bad', said } }
}
