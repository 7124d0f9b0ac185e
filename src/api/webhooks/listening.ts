// Webhooks of transport `listen`, which have no URL. A client fetches the deliveries, forwards them and reports the results. Retries, lists
// and replays work as for other webhooks.

import { setTimeout as sleep } from 'node:timers/promises'
import { leaseQueuedDeliveries, lockSendingDelivery } from '../../events/deliveries/store.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import { cutText } from '../../lib/text.ts'
import { isHiddenLogin, requireWebhook, viewDelivery } from './delivery.ts'
import { findDelivery } from './list-store.ts'
import type { Delivery } from './schema.ts'
import { recordFailure, recordSuccesses, toAttemptEntry, unsentResponse } from './sending/record.ts'
import { isSuccess } from './sending/send.ts'
import { signDelivery } from './sending/sign.ts'
import { refuseLoginLinks } from './webhook.ts'

type ListenContext = Pick<Context, 'db' | 'clock' | 'caller' | 'webhooks' | 'signal' | 'isClientWaiting'>

/** A fetched delivery is handed out again if its result is not reported within this time. */
const LEASE_MS = 60_000
/** Interval between checks for new deliveries while a client waits. */
const POLL_MS = 250
const MAX_AT_ONCE = 50

export type PulledDelivery = {
  delivery: string
  attempt: number
  event: string
  headers: Record<string, string>
  body: string
}

/** Leases queued deliveries for a client. Waits up to `wait` seconds for the first one. */
export async function pullDeliveries(
  context: ListenContext,
  webhookId: string,
  { wait, limit }: { readonly wait: number; readonly limit: number },
): Promise<{ data: PulledDelivery[] }> {
  const { clock, signal } = context
  const { transport, disabled_reason, subscribed_events } = await requireWebhook(context, webhookId)
  refuseLoginLinks(context.caller, { subscribed_events })
  if (transport !== 'listen')
    throw notValid({
      transport: [
        'Deliveries of this webhook are posted to its url. Use a webhook with transport listen to fetch them.',
      ],
    })
  if (disabled_reason !== null)
    throw notValid({ active: ['The webhook is switched off. Set active to true to listen.'] })
  const until = performance.now() + wait * 1_000
  for (;;) {
    // The client has disconnected. Deliveries leased for it would be blocked until their leases expire.
    if (!context.isClientWaiting()) return { data: [] }
    const data = await leaseDeliveries(context, webhookId, Math.min(limit, MAX_AT_ONCE), clock.now())
    const remainingMs = until - performance.now()
    if (data.length > 0 || remainingMs <= 0) return { data }
    await sleep(Math.min(POLL_MS, remainingMs), undefined, { signal })
  }
}

/** Leases and signs deliveries. A delivery that cannot be signed is recorded as failed. */
async function leaseDeliveries(
  { db, caller: { merchant_id }, webhooks }: ListenContext,
  webhookId: string,
  limit: number,
  now: Date,
): Promise<PulledDelivery[]> {
  const leasedUntil = new Date(now.getTime() + LEASE_MS)
  const deliveries = await leaseQueuedDeliveries(db, { merchant_id, webhookId, limit }, now, leasedUntil)
  const pulled: PulledDelivery[] = []
  for (const delivery of deliveries) {
    const signed = await signDelivery(webhooks, delivery, now)
    if ('problem' in signed) {
      const response = unsentResponse(signed)
      const entry = toAttemptEntry(delivery, null, response, now)
      await recordFailure(db, delivery, entry, { ...response, isProbe: false }, now)
      continue
    }
    const { id, attempts, event } = delivery
    pulled.push({ delivery: id, attempt: attempts + 1, event, headers: { ...signed.headers }, body: signed.body })
  }
  return pulled
}

export type ReportedResult = {
  readonly attempt: number
  readonly status: number | null
  readonly ms: number
  readonly error: string | null
  readonly answer?: string
}

const ANSWER_LENGTH = 2_048

/** Records the result of a fetched delivery. The result of an earlier attempt changes nothing. */
export async function answerDelivery(
  context: ListenContext,
  webhookId: string,
  id: string,
  result: ReportedResult,
): Promise<Delivery> {
  const { db, clock, caller } = context
  const { transport, subscribed_events } = await requireWebhook(context, webhookId)
  refuseLoginLinks(caller, { subscribed_events })
  const { merchant_id } = caller
  const now = clock.now()
  const delivery =
    transport === 'listen'
      ? await db.transaction((tx) => lockSendingDelivery(tx, { merchant_id }, webhookId, id))
      : null
  if (delivery !== null && delivery.attempts + 1 === result.attempt) {
    const { status, ms } = result
    const error =
      result.error ??
      (isSuccess(result) ? null : status === null ? 'There was no answer.' : `The receiver answered ${status}.`)
    const response = {
      status,
      ms,
      error,
      responseText: result.answer === undefined ? null : cutText(result.answer, ANSWER_LENGTH),
      retryAfterMs: null,
    }
    const entry = toAttemptEntry(delivery, null, response, now)
    if (isSuccess(result)) await recordSuccesses(db, merchant_id, [{ ...delivery, entry }], now)
    else await recordFailure(db, delivery, entry, { ...response, isProbe: false }, now)
  }
  const row = await findDelivery(db, caller, webhookId, id)
  if (row === null || isHiddenLogin(caller, row)) throw notFound('delivery')
  return viewDelivery(row)
}
