// Writes down what came of attempts: several that arrived at once, one that failed with what follows of it for its webhook.

import type { Database } from '../../../db/db.ts'
import {
  type Arrival,
  type AttemptEntry,
  endDeliveredDeliveries,
  endFailedDelivery,
  type TakenDelivery,
} from '../../../events/deliveries/store.ts'
import { enqueueWithCommit } from '../../../jobs/queue.ts'
import { unixSeconds } from '../../../lib/clock.ts'
import { cutText } from '../../../lib/text.ts'
import { lockWebhookHealth, noteWebhookArrival, setWebhookHealth } from '../store.ts'
import { afterFailure } from './outcome.ts'
import type { Answer } from './send.ts'
import type { NotSigned, SignedDelivery } from './sign.ts'

/** Skips what waits in line for a webhook that is off; and tells its merchant. */
export const SKIP_LINE = 'webhooks.skip_line'
export const SEND_NOTICE = 'webhooks.notice'

/** Headers that tell nothing of one attempt, which are the same in all. */
const UNREMARKABLE: readonly string[] = ['content-type', 'user-agent']

const ERROR_LENGTH = 500

export const entryOf = (
  { attempts }: Pick<TakenDelivery, 'attempts'>,
  signed: SignedDelivery | NotSigned | null,
  { status, ms, error, answer }: Answer,
  at: Date,
): AttemptEntry => ({
  number: attempts + 1,
  at: unixSeconds(at),
  ms,
  status,
  error: error === null ? null : cutText(error, ERROR_LENGTH),
  headers: Object.fromEntries(Object.entries(headersOf(signed)).filter(([name]) => !UNREMARKABLE.includes(name))),
  answer,
})

const headersOf = (signed: SignedDelivery | NotSigned | null) =>
  signed === null || 'problem' in signed ? {} : signed.headers

/** What came of an attempt that could not be made. */
export const unsent = ({ problem }: NotSigned): Answer => ({
  status: null,
  error: problem,
  answer: null,
  retryAfterMs: null,
  ms: 0,
})

/** So often it is noted when something last arrived: each time would be a write for each delivery. */
const NOTED_EVERY_MS = 60_000

export type Arrived = Arrival & Pick<TakenDelivery, 'isFailing' | 'lastDeliveredAt'>

/** Those of one shop, in one round trip. */
export async function recordArrivals(db: Database, merchantId: number, arrived: readonly Arrived[], now: Date) {
  const isNews = ({ isFailing, lastDeliveredAt }: Arrived) =>
    isFailing || lastDeliveredAt === null || now.getTime() - lastDeliveredAt.getTime() > NOTED_EVERY_MS
  const toNote = [...new Set(arrived.filter(isNews).map(({ webhookId }) => webhookId))].sort()
  await db.together((all) => [
    endDeliveredDeliveries(all, merchantId, arrived, now),
    ...toNote.map((webhookId) => noteWebhookArrival(all, { merchantId, webhookId }, now)),
  ])
}

/** False when another has taken the delivery meanwhile: then nothing is changed. */
export const recordFailure = (
  db: Database,
  delivery: TakenDelivery,
  entry: AttemptEntry,
  { retryAfterMs, isProbe }: Pick<Answer, 'retryAfterMs'> & { readonly isProbe: boolean },
  now: Date,
): Promise<boolean> =>
  db.transaction(async (tx) => {
    const { merchantId, webhookId, attempts, earlierAttempts } = delivery
    const health = await lockWebhookHealth(tx, delivery)
    // Deleted or switched off while it was under way: the job that takes its line along does the rest.
    if (health === null || health.is_disabled) return endFailedDelivery(tx, delivery, entry, { state: 'failed' }, now)
    const isFetched = delivery.url === null
    const failed = { earlier: attempts - earlierAttempts, isProbe, isFetched, status: entry.status, retryAfterMs }
    const { delivery: after, health: next, disabled, notice } = afterFailure(health, failed, now)
    if (!(await endFailedDelivery(tx, delivery, entry, after, now))) return false
    await setWebhookHealth(tx, delivery, next, disabled, now)
    const job = { merchantId, runAt: now, key: webhookId }
    if (disabled !== null) enqueueWithCommit(tx, { ...job, kind: SKIP_LINE, payload: { webhookId } })
    if (notice !== null)
      enqueueWithCommit(tx, {
        ...job,
        kind: SEND_NOTICE,
        key: `${webhookId} ${notice} ${next.warnings}`,
        payload: { webhookId },
      })
    return true
  })
