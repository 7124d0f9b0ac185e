// Notes messages that are proven to be a provider's, each once, and makes somebody look at what they are about: the completer, or a job. Those of
// one moment share their round trips: providers send many at once, and wait for each.

import type { Db, Tx } from '../../db/db.ts'
import { sharing } from '../../db/round-trips/sharing.ts'
import type { MessageSubject } from '../../gateways/provider/story.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { enqueueWithCommit, type NewJob } from '../../jobs/queue.ts'
import { overloaded } from '../../lib/errors.ts'
import { isId } from '../../lib/ids.ts'
import { giveBackJob, givenBackUnder, lookAgainJob } from '../capture/late.ts'
import { type AttemptRow, findAttempt } from '../capture/store.ts'
import type { KeptMethod } from '../payment-methods/store.ts'
import { askStory } from '../payments/ask.ts'
import { lookIntoJob } from '../payments/look-later.ts'
import { MOST_FAILURES } from '../payments/movement.ts'
import { findToldOrder, hastenTold, noteMessage, type Told, type ToldOrder } from './store.ts'

type NoteServices = Pick<Services, 'db' | 'clock'>

/** By which gateway of whom it was sent. */
type Sender = { readonly merchantId: number; readonly methodId: string }

export type HeardMessage = Sender & {
  /** The provider's. */
  readonly id: string
  readonly method: KeptMethod
  readonly subject: MessageSubject
}

/** Half of the connections: a burst of messages is not to keep shoppers waiting. */
const MOST_TRANSACTIONS = 2
const WAIT_MS = 2_000

/** What notes messages. Who calls it hears when all of it is written. */
export function messageNoter(services: NoteServices): (heard: HeardMessage) => Promise<void> {
  const share = sharing((heard: readonly HeardMessage[]) => noteAll(services, heard), {
    most: MOST_TRANSACTIONS,
    waitMs: WAIT_MS,
    tooLate: () => overloaded('Too many messages of payment providers come at once.'),
    order: (one, other) => inOrder(placeOf(one), placeOf(other)),
  })
  return async (heard) => void (await share([heard]))
}

/** Whoever notes several comes to the same attempts in one order, so that no two wait for each other. */
const placeOf = ({ subject: { key, transactionId }, id }: HeardMessage) => `${key} ${transactionId} ${id}`

const inOrder = (one: string, other: string): number => (one < other ? -1 : Number(one > other))

/** A shop's by themselves: on a sharded database its rows are on one node, and a transaction over several costs more. */
async function noteAll(services: NoteServices, heard: readonly HeardMessage[]): Promise<undefined[]> {
  const shops = new Set(heard.map(({ merchantId }) => merchantId))
  for (const shop of shops)
    await noteOfShop(
      services,
      heard.filter(({ merchantId }) => merchantId === shop),
    )
  return heard.map(() => undefined)
}

/** In one transaction: a message that was noted has made somebody look, whatever dies. */
async function noteOfShop({ db, clock }: NoteServices, heard: readonly HeardMessage[]): Promise<void> {
  const now = clock.now()
  await db.transaction(async (tx) => {
    const found = await tx.together((all) =>
      heard.map(async ({ id, subject, ...sender }) => {
        const told = toldOf(sender, subject)
        const [isNew, ...about] = await Promise.all([
          noteMessage(all, told, id, now),
          ...askAbout(all, told, subject.transactionId),
        ])
        return { isNew, jobs: jobsFor(told, subject, about, now) }
      }),
    )
    const jobs = heard.flatMap((message, place) => {
      const { isNew, jobs } = found[place] ?? { isNew: false, jobs: [] }
      return isNew ? (jobs ?? findKeyJobs(message, now)) : []
    })
    putAll(tx, jobs)
  })
}

function toldOf({ merchantId, methodId }: Sender, { key }: Pick<MessageSubject, 'key'>): Told {
  const attemptId = key === null ? null : (givenBackUnder(key) ?? key)
  return { merchantId, methodId, attemptId: attemptId !== null && isId('paymentAttempt', attemptId) ? attemptId : null }
}

/** Of which attempt it is, and of which order. To be asked after an attempt that is open was hastened. */
const askAbout = (all: Db, told: Told, transactionId: string | null) =>
  [findAttemptOf(all, told), findToldOrder(all, told, transactionId)] as const

const findAttemptOf = async (db: Db, { merchantId, attemptId }: Told): Promise<AttemptRow | null> =>
  attemptId === null ? null : findAttempt(db, { merchant_id: merchantId, id: attemptId })

/** What looks at it, where the completer does not. Null where nothing was found that it could be about. */
function jobsFor(
  { merchantId, methodId }: Told,
  { key, transactionId, refundId }: Pick<MessageSubject, 'key' | 'transactionId' | 'refundId'>,
  [found, order]: readonly [AttemptRow | null, ToldOrder | null],
  now: Date,
): readonly NewJob[] | null {
  // Of another gateway of the shop: somebody who may speak for one must not speak for the others.
  const attempt = found?.payment_method_id === methodId ? found : null
  if (attempt === null && order === null) return null
  // What came too late was given back, and that may have come to nothing: no order would show it.
  const isGivenBack = key !== null && givenBackUnder(key) !== null
  const look = (released: AttemptRow) =>
    isGivenBack ? giveBackJob(released, { kind: 'charged', transactionId }, now) : lookAgainJob(released, now)
  return [
    ...(attempt?.state === 'released' ? [look(attempt)] : []),
    ...(order === null ? [] : [lookIntoJob(merchantId, order, order, now, refundId)]),
  ]
}

/** In one order too. */
function putAll(tx: Tx, jobs: readonly NewJob[]): void {
  const placeOf = ({ kind, key }: NewJob) => `${kind} ${key}`
  for (const job of jobs.toSorted((one, other) => inOrder(placeOf(one), placeOf(other)))) enqueueWithCommit(tx, job)
}

// A message that does not name our key, and whose payment is of no order yet: the provider is asked for the key, when the message is answered.

const FIND_KEY = 'provider_messages.find_key'

type FindKeyPayload = { methodId: string; gateway: string; isSandbox: boolean; keyAt: string }

function findKeyJobs(message: HeardMessage, runAt: Date): readonly NewJob[] {
  const { merchantId, methodId, method, subject } = message
  const { keyAt } = subject
  if (keyAt === undefined) return []
  const { code: gateway, is_sandbox: isSandbox } = method
  const payload = { methodId, gateway, isSandbox, keyAt } satisfies FindKeyPayload
  return [{ merchantId, kind: FIND_KEY, key: `${methodId} ${keyAt}`, payload, provider: gateway, runAt }]
}

export const findKeysOfMessages = (services: Services): JobHandler => ({
  kind: FIND_KEY,
  lane: 'provider',
  isUrgent: true,
  maxFailures: MOST_FAILURES,
  async handle({ payload, merchantId, signal }) {
    const { keyAt, methodId, ...gateway } = payload as FindKeyPayload
    const entry = { ...gateway, merchantId, methodId, key: keyAt, isSimulated: false }
    const key = await askStory(
      { ...services, signal },
      entry,
      async (story, call) => story.keyOf?.(call, keyAt) ?? null,
    )
    const [told, now] = [toldOf({ merchantId, methodId }, { key }), services.clock.now()]
    await services.db.transaction(async (tx) => {
      const [, ...found] = await tx.together((all) => [hastenTold(all, told, now), ...askAbout(all, told, null)])
      putAll(tx, jobsFor(told, { key, transactionId: null }, found, now) ?? [])
    })
  },
})
