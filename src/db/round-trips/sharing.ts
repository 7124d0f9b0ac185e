// Lets statements of several requests share round trips. Lookups of the same turn of the event loop go to PostgreSQL in one message. With
// many clients, messages and process wake-ups cost more than the lookups. Writes share one transaction, because the commit is most of the
// cost of a small change.

import { ApiError } from '../../lib/errors.ts'
import type { RoundTripGroup } from '../db.ts'
import type { BoundStatement, StatementResult } from './round.ts'

type Share<Question, Reply> = (asked: readonly Question[]) => Promise<Reply[]>

/** Maximum of statements from different requests. An answer waits for those before it; each takes well under a millisecond. */
export const MAX_SHARED_STATEMENTS = 16

type PendingCall<Question, Reply> = {
  readonly asked: readonly Question[]
  readonly askedAt: number
  readonly resolve: (answers: Reply[]) => void
  readonly reject: (error: unknown) => void
}

type Sharing<Question> = {
  /** Maximum of messages in flight. Further statements gather for the next message. */
  readonly most: number
  /** Maximum wait for that, and the error after it. */
  readonly waitMs: number
  readonly tooLate: () => Error
  /** Order of statements in one message, if it matters. */
  readonly order?: (one: Question, other: Question) => number
  /** True if an outage concerns only one statement, so that the others may be retried. */
  readonly isOfOne?: (error: unknown) => boolean
}

/**
 * Orders by statement and its first two values, the keys of what it writes. An insert waits for another insert of the same key. With the
 * same order everywhere, no two transactions deadlock.
 */
export function compareByWrittenKey(one: BoundStatement, other: BoundStatement): number {
  const [mine, theirs] = [one, other].map(({ name, values: [first, second] }) => `${name} ${first} ${second}`) as [
    string,
    string,
  ]
  return mine < theirs ? -1 : Number(mine > theirs)
}

/**
 * `ask` sends the statements of several requests, or does other shared work. If it fails with a refusal, it has changed nothing, or only
 * things that are harmless to repeat.
 */
export function shareRoundTrips<Question = BoundStatement, Reply = StatementResult>(
  ask: Share<Question, Reply>,
  { most, waitMs, tooLate, order, isOfOne = () => false }: Sharing<Question>,
): Share<Question, Reply> {
  let pending: PendingCall<Question, Reply>[] = []
  let inFlight = 0
  let isPlanned = false
  let timeout: NodeJS.Timeout | undefined

  function plan() {
    if (isPlanned || pending.length === 0) return
    if (inFlight >= most) return watchTimeouts()
    isPlanned = true
    // Run after all events of this turn: each request read from its socket now may add a statement.
    setImmediate(() => {
      isPlanned = false
      while (pending.length > 0 && inFlight < most) void send(inOrder(pending.splice(0, MAX_SHARED_STATEMENTS)))
      plan()
    })
  }

  /** While no answer arrives, nothing more is sent. Waiting statements then fail in time. */
  function watchTimeouts() {
    const [oldest] = pending
    if (timeout !== undefined || oldest === undefined) return
    timeout = setTimeout(
      () => {
        timeout = undefined
        const latest = performance.now() - waitMs
        const late = pending.filter(({ askedAt }) => askedAt <= latest)
        pending = pending.filter(({ askedAt }) => askedAt > latest)
        for (const { reject } of late) reject(tooLate())
        plan()
      },
      Math.max(1, oldest.askedAt + waitMs - performance.now()),
    )
    timeout.unref()
  }

  const inOrder = (batch: PendingCall<Question, Reply>[]) => {
    if (order === undefined) return batch
    return batch.sort((one, other) => order(one.asked[0] as Question, other.asked[0] as Question))
  }

  async function send(batch: readonly PendingCall<Question, Reply>[]) {
    inFlight += 1
    try {
      await answerAll(ask, batch, isOfOne)
    } finally {
      inFlight -= 1
      plan()
    }
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      pending.push({ asked, askedAt: performance.now(), resolve, reject })
      plan()
    })
}

/** Never rejects: each caller gets its own result. */
async function answerAll<Question, Reply>(
  ask: Share<Question, Reply>,
  batch: readonly PendingCall<Question, Reply>[],
  isOfOne: (error: unknown) => boolean,
) {
  try {
    const answers = await ask(batch.flatMap(({ asked }) => asked))
    let next = 0
    for (const { asked, resolve } of batch) {
      resolve(answers.slice(next, next + asked.length))
      next += asked.length
    }
  } catch (error) {
    // One refused statement fails the whole message, so send each one separately. An outage affects all: retrying would make them wait one
    // after the other.
    const isOutageOfAll = error instanceof ApiError && !isOfOne(error)
    if (batch.length === 1 || isOutageOfAll) for (const { reject } of batch) reject(error)
    else for (const one of batch) await answerAll(ask, [one], isOfOne)
  }
}

/** The sharing group that all statements have in common, if any. */
export function commonRoundTripGroup([first, ...others]: readonly BoundStatement[]): RoundTripGroup | undefined {
  const shares = first?.shares
  return others.every((other) => other.shares === shares) ? shares : undefined
}
