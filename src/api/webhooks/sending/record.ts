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
import { lockWebhookHealth, noteWebhookArrival, setWebhookHealth } from '../store.ts'
import { decideAfterFailure } from './outcome.ts'
import type { DeliveryResponse } from './send.ts'
import type { SignedDelivery, SigningProblem } from './sign.ts'

/**
 * Job that skips the queue of a disabled webhook, and job that mails a notice to its merchant. Jobs in the database
 * contain `skip_line`, so this name cannot change.
 */
export const SKIP_QUEUE = 'webhooks.skip_line'
export const SEND_NOTICE = 'webhooks.notice'

/** Headers that every attempt has. They are not recorded. */
const UNREMARKABLE: readonly string[] = ['content-type', 'user-agent']

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
  headers: Object.fromEntries(Object.entries(headersOf(signed)).filter(([name]) => !UNREMARKABLE.includes(name))),
  answer: responseText,
})

const headersOf = (signed: SignedDelivery | SigningProblem | null) =>
  signed === null || 'problem' in signed ? {} : signed.headers

/** The result of an attempt that could not be sent. */
export const unsentResponse = ({ problem }: SigningProblem): DeliveryResponse => ({
  status: null,
  error: problem,
  responseText: null,
  retryAfterMs: null,
  ms: 0,
})

/** Minimum time between two updates of the last success. Otherwise each delivery would cost another write. */
const NOTED_EVERY_MS = 60_000

export type ArrivedDelivery = DeliverySuccess & Pick<LeasedDelivery, 'isFailing' | 'lastDeliveredAt'>

/** Records the successes of one shop in one round trip. */
export async function recordArrivals(
  db: Database,
  merchant_id: number,
  arrived: readonly ArrivedDelivery[],
  now: Date,
) {
  const isDueForUpdate = ({ isFailing, lastDeliveredAt }: ArrivedDelivery) =>
    isFailing || lastDeliveredAt === null || now.getTime() - lastDeliveredAt.getTime() > NOTED_EVERY_MS
  const webhookIds = [...new Set(arrived.filter(isDueForUpdate).map(({ webhookId }) => webhookId))].sort()
  await db.together((all) => [
    endDeliveredDeliveries(all, { merchant_id }, arrived, now),
    ...webhookIds.map((webhookId) => noteWebhookArrival(all, { merchant_id, webhookId }, now)),
  ])
}

/** False if another process has taken the delivery meanwhile; nothing changes then. */
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
    // The webhook was deleted or disabled during the attempt. A job handles its queue.
    if (health === null || health.is_disabled) return endFailedDelivery(tx, delivery, entry, { state: 'failed' }, now)
    const isFetched = delivery.url === null
    const failedAttempt = {
      attemptsBefore: attempts - earlierAttempts,
      isProbe,
      isFetched,
      status: entry.status,
      retryAfterMs,
    }
    const { delivery: after, health: nextHealth, disabled, notice } = decideAfterFailure(health, failedAttempt, now)
    if (!(await endFailedDelivery(tx, delivery, entry, after, now))) return false
    await setWebhookHealth(tx, delivery, nextHealth, disabled, now)
    const job = { merchant_id, runAt: now, key: webhookId }
    if (disabled !== null) enqueueWithCommit(tx, { ...job, kind: SKIP_QUEUE, payload: { webhookId } })
    if (notice !== null)
      enqueueWithCommit(tx, {
        ...job,
        kind: SEND_NOTICE,
        key: `${webhookId} ${notice} ${nextHealth.warnings}`,
        payload: { webhookId },
      })
    return true
  })
