// Records the results of sending: successes in batches, and each failure with its consequences for the webhook.

import type { Database } from '../../../db/db.ts'
import {
  type AttemptEntry,
  type DeliverySuccess,
  endDeliveredDeliveries,
  endFailedDelivery,
  type LeasedDelivery,
} from '../../../events/deliveries/store.ts'
import { enqueueWithCommit } from '../../../jobs/queue.ts'
import { unixSeconds } from '../../../lib/clock.ts'
import { cutText } from '../../../lib/text.ts'
import { decideAfterFailure } from './outcome.ts'
import type { DeliveryResponse } from './send.ts'
import type { SignedDelivery, SigningProblem } from './sign.ts'
import { lockWebhookHealth, recordWebhookSuccess, setWebhookHealth } from './store.ts'

/**
 * Kinds of two jobs: one skips the queue of a disabled webhook, the other mails a notice to its merchant. Jobs in the database contain
 * `skip_line`, so this name cannot change.
 */
export const SKIP_QUEUE = 'webhooks.skip_line'
export const SEND_NOTICE = 'webhooks.notice'

/** Headers that are not recorded, because they are the same in every attempt. */
const UNRECORDED_HEADERS: readonly string[] = ['content-type', 'user-agent']

const ERROR_LENGTH = 500

export const toAttemptEntry = (
  { attempts }: Pick<LeasedDelivery, 'attempts'>,
  signed: SignedDelivery | SigningProblem | null,
  { status, ms, error, responseText }: DeliveryResponse,
  at: Date,
): AttemptEntry => ({
  number: attempts + 1,
  at: unixSeconds(at),
  ms,
  status,
  error: error === null ? null : cutText(error, ERROR_LENGTH),
  headers: Object.fromEntries(Object.entries(headersOf(signed)).filter(([name]) => !UNRECORDED_HEADERS.includes(name))),
  answer: responseText,
})

const headersOf = (signed: SignedDelivery | SigningProblem | null) =>
  signed === null || 'problem' in signed ? {} : signed.headers

/** Result of an attempt that could not be sent. */
export const unsentResponse = ({ problem }: SigningProblem): DeliveryResponse => ({
  status: null,
  error: problem,
  responseText: null,
  retryAfterMs: null,
  ms: 0,
})

/** Minimum time between two updates of a webhook's `last_delivered_at`. Otherwise each delivery would cost another write. */
const UPDATE_INTERVAL_MS = 60_000

export type SuccessfulDelivery = DeliverySuccess & Pick<LeasedDelivery, 'isFailing' | 'lastDeliveredAt'>

/** Records the successes of one shop in one round trip. */
export async function recordSuccesses(
  db: Database,
  merchant_id: number,
  successes: readonly SuccessfulDelivery[],
  now: Date,
) {
  const isDueForUpdate = ({ isFailing, lastDeliveredAt }: SuccessfulDelivery) =>
    isFailing || lastDeliveredAt === null || now.getTime() - lastDeliveredAt.getTime() > UPDATE_INTERVAL_MS
  const webhookIds = [...new Set(successes.filter(isDueForUpdate).map(({ webhookId }) => webhookId))].sort()
  await db.together((all) => [
    endDeliveredDeliveries(all, { merchant_id }, successes, now),
    ...webhookIds.map((webhookId) => recordWebhookSuccess(all, { merchant_id, webhookId }, now)),
  ])
}

/** Records a failed attempt and its consequences. Returns false and changes nothing if another process has leased the delivery meanwhile. */
export const recordFailure = (
  db: Database,
  delivery: LeasedDelivery,
  entry: AttemptEntry,
  { retryAfterMs, isProbe }: Pick<DeliveryResponse, 'retryAfterMs'> & { readonly isProbe: boolean },
  now: Date,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { merchant_id, webhookId, attempts, earlierAttempts } = delivery
    const health = await lockWebhookHealth(tx, delivery)
    // The webhook was deleted or disabled during the attempt. A job deletes or skips its deliveries.
    if (health === null || health.is_disabled) return endFailedDelivery(tx, delivery, entry, { state: 'failed' }, now)
    const isFetched = delivery.url === null
    const failedAttempt = {
      attemptsBefore: attempts - earlierAttempts,
      isProbe,
      isFetched,
      status: entry.status,
      retryAfterMs,
    }
    const consequence = decideAfterFailure(health, failedAttempt, now)
    const { health: nextHealth, disabledReason, notice } = consequence
    if (!(await endFailedDelivery(tx, delivery, entry, consequence.delivery, now))) return false
    await setWebhookHealth(tx, delivery, nextHealth, disabledReason, now)
    const job = { merchant_id, runAt: now, key: webhookId }
    if (disabledReason !== null) enqueueWithCommit(tx, { ...job, kind: SKIP_QUEUE, payload: { webhookId } })
    if (notice !== null)
      enqueueWithCommit(tx, {
        ...job,
        kind: SEND_NOTICE,
        key: `${webhookId} ${notice} ${nextHealth.warnings}`,
        payload: { webhookId },
      })
    return true
  })
