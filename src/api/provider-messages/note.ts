// Records messages that are proven to be a provider's, each once. The completer or a job then checks their subjects.
// Messages of the same moment share their round trips, because providers send many at once and wait for each.

import type { Db, Tx } from '../../db/db.ts'
import { shareRoundTrips } from '../../db/round-trips/sharing.ts'
import type { MessageSubject } from '../../gateways/provider/history.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueueWithCommit, type NewJob } from '../../jobs/queue.ts'
import { overloaded } from '../../lib/errors.ts'
import { isId } from '../../lib/ids.ts'
import { buildPollJob, buildRefundJob } from '../capture/attempt.ts'
import { readRefundKey } from '../capture/gateway.ts'
import { type AttemptRow, findAttempt } from '../capture/store.ts'
import type { MethodOrDeleted } from '../payment-methods/store.ts'
import { readProviderHistory } from '../payments/calls.ts'
import { MAX_PROVIDER_FAILURES } from '../payments/movement.ts'
import { createPollJob } from '../payments/polls.ts'
import { findMessageOrder, hastenMessageTarget, type MessageOrder, type MessageTarget, recordMessage } from './store.ts'

type NoteServices = Pick<Services, 'db' | 'clock'>

/** Merchant and gateway that the message belongs to. */
type Sender = { readonly merchant_id: number; readonly methodId: string }

export type VerifiedMessage = Sender & {
  /** Id of the message at the provider. */
  readonly id: string
  readonly method: MethodOrDeleted
  readonly subject: MessageSubject
}

/** Half of the connections, so that a burst of messages does not keep shoppers waiting. */
const MAX_TRANSACTIONS = 2
const WAIT_MS = 2_000

/** Creates the recorder of messages. Its promise resolves once everything is written. */
export function createMessageRecorder(services: NoteServices): (message: VerifiedMessage) => Promise<void> {
  const share = shareRoundTrips((messages: readonly VerifiedMessage[]) => noteAll(services, messages), {
    most: MAX_TRANSACTIONS,
    waitMs: WAIT_MS,
    tooLate: () => overloaded('Too many messages from payment providers arrive at once. Send the message again later.'),
    order: (one, other) => inOrder(placeOf(one), placeOf(other)),
  })
  return async (message) => void (await share([message]))
}

/** Sorts messages by the attempts that they lock, so that two transactions cannot deadlock. */
const placeOf = (message: VerifiedMessage) => `${attemptOf(message)} ${message.subject.transactionId} ${message.id}`

const attemptOf = (message: VerifiedMessage): string | null => targetOf(message, message.subject).attemptId

const inOrder = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/** One transaction for each shop. On a sharded database its rows are on one node, and a transaction over several nodes costs more. */
async function noteAll(services: NoteServices, messages: readonly VerifiedMessage[]): Promise<undefined[]> {
  const shops = new Set(messages.map(({ merchant_id }) => merchant_id))
  for (const shop of shops)
    for (const part of splitByAttempt(messages.filter(({ merchant_id }) => merchant_id === shop)))
      await noteOfShop(services, part)
  return messages.map(() => undefined)
}

/**
 * Splits messages so that a part has one message of each attempt, perhaps several times. A transaction with two would lock the attempt by the
 * first and then wait for a process that is recording the second. That process waits for the attempt, so both would be stuck.
 */
function splitByAttempt(messages: readonly VerifiedMessage[]): readonly VerifiedMessage[][] {
  const parts: VerifiedMessage[][] = []
  const idsByAttempt = new Map<string, string[]>()
  for (const message of messages) {
    // A message about no known attempt locks nothing else.
    const attempt = attemptOf(message) ?? message.id
    const ids = idsByAttempt.get(attempt) ?? []
    idsByAttempt.set(attempt, ids)
    if (!ids.includes(message.id)) ids.push(message.id)
    const part = ids.indexOf(message.id)
    parts[part] = [...(parts[part] ?? []), message]
  }
  return parts
}

/** One transaction, so that each recorded message has its jobs even after a crash. */
async function noteOfShop({ db, clock }: NoteServices, messages: readonly VerifiedMessage[]): Promise<void> {
  const now = clock.now()
  await db.transaction(async (tx) => {
    const results = await tx.together((all) =>
      messages.map(async ({ id, subject, ...sender }) => {
        const target = targetOf(sender, subject)
        const [isNew, ...about] = await Promise.all([
          recordMessage(all, target, id, now),
          ...findTarget(all, target, subject.transactionId),
        ])
        return { isNew, jobs: jobsFor(target, subject, about, now) }
      }),
    )
    const jobs = messages.flatMap((message, place) => {
      const { isNew, jobs } = results[place] ?? { isNew: false, jobs: [] }
      return isNew ? (jobs ?? findKeyJobs(message, now)) : []
    })
    enqueueAll(tx, jobs)
  })
}

function targetOf({ merchant_id, methodId }: Sender, { key }: Pick<MessageSubject, 'key'>): MessageTarget {
  const attemptId = key === null ? null : (readRefundKey(key) ?? key)
  return {
    merchant_id,
    methodId,
    attemptId: attemptId !== null && isId('paymentAttempt', attemptId) ? attemptId : null,
  }
}

/** The attempt and the order of a message. Call it after an open attempt was hastened. */
const findTarget = (all: Db, target: MessageTarget, transactionId: string | null) =>
  [findAttemptOf(all, target), findMessageOrder(all, target, transactionId)] as const

const findAttemptOf = async (db: Db, { merchant_id, attemptId }: MessageTarget): Promise<AttemptRow | null> =>
  attemptId === null ? null : findAttempt(db, { merchant_id, id: attemptId })

/** Jobs for what the completer does not check. Null if the message matches no attempt and no order. */
function jobsFor(
  { merchant_id, methodId }: MessageTarget,
  { key, transactionId, refundId }: Pick<MessageSubject, 'key' | 'transactionId' | 'refundId'>,
  [candidate, order]: readonly [AttemptRow | null, MessageOrder | null],
  now: Date,
): readonly NewJob[] | null {
  // Ignores attempts of the shop's other gateways: the sender for one gateway must not speak for another.
  const attempt = candidate?.payment_method_id === methodId ? candidate : null
  if (attempt === null && order === null) return null
  // A payment that came too late was refunded, and that refund may have failed. No order would show it.
  const isGivenBack = key !== null && readRefundKey(key) !== null
  const jobOf = (released: AttemptRow) =>
    isGivenBack ? buildRefundJob(released, { kind: 'charged', transactionId }, now) : buildPollJob(released, now)
  return [
    ...(attempt?.state === 'released' ? [jobOf(attempt)] : []),
    ...(order === null ? [] : [createPollJob(merchant_id, order, order, now, refundId)]),
  ]
}

/** Enqueues in a fixed order too, so that two transactions cannot deadlock. */
function enqueueAll(tx: Tx, jobs: readonly NewJob[]): void {
  const placeOf = ({ kind, key }: NewJob) => `${kind} ${key}`
  for (const job of jobs.toSorted((one, other) => inOrder(placeOf(one), placeOf(other)))) enqueueWithCommit(tx, job)
}

// For a message without our key about a payment that belongs to no order yet. A job asks the provider for the key, after the message was
// answered.

const FIND_KEY = 'provider_messages.find_key'

type FindKeyPayload = { methodId: string; gateway: string; isSandbox: boolean; keyAt: string }

function findKeyJobs(message: VerifiedMessage, runAt: Date): readonly NewJob[] {
  const { merchant_id, methodId, method, subject } = message
  const { keyAt } = subject
  if (keyAt === undefined) return []
  const { code: gateway, is_sandbox } = method
  const payload = { methodId, gateway, isSandbox: is_sandbox, keyAt } satisfies FindKeyPayload
  return [{ merchant_id, kind: FIND_KEY, key: `${methodId} ${keyAt}`, payload, provider: gateway, runAt }]
}

export const findKeysOfMessages = (services: Services): JobHandler => ({
  kind: FIND_KEY,
  lane: 'provider',
  isUrgent: true,
  maxFailures: MAX_PROVIDER_FAILURES,
  async handle({ payload, merchant_id, signal }) {
    const { keyAt, methodId, gateway, isSandbox: is_sandbox } = payload as FindKeyPayload
    const entry = { gateway, is_sandbox, merchant_id, methodId, key: keyAt, isSimulated: false }
    const key = await readProviderHistory(
      { ...services, signal },
      entry,
      async (history, call) => history.keyOf?.(call, keyAt) ?? null,
    )
    const [target, now] = [targetOf({ merchant_id, methodId }, { key }), services.clock.now()]
    await services.db.transaction(async (tx) => {
      const [, ...rows] = await tx.together((all) => [
        hastenMessageTarget(all, target, now),
        ...findTarget(all, target, null),
      ])
      enqueueAll(tx, jobsFor(target, { key, transactionId: null }, rows, now) ?? [])
    })
  },
})
