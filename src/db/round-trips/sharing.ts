// Statements that share their round trips. What several requests want to look up in the same turn of the event loop goes to PostgreSQL in
// one message and comes back in one: with many clients the messages, and the waking of processes on both sides, cost more than the look-ups.
// What they write goes together too, in one transaction: most of what a small change costs is its commit.

import { ApiError } from '../../lib/errors.ts'
import type { Shares } from '../db.ts'
import type { Answer, Asked } from './round.ts'

type Share<Question, Reply> = (asked: readonly Question[]) => Promise<Reply[]>

/** Of different requests. An answer waits for those before it, each of which takes well under a millisecond. */
export const MOST_TOGETHER = 16

type Waiting<Question, Reply> = {
  readonly asked: readonly Question[]
  readonly askedAt: number
  readonly resolve: (answers: Reply[]) => void
  readonly reject: (error: unknown) => void
}

type Sharing<Question> = {
  /** Messages under way at once. While there are so many, further look-ups gather for the next. */
  readonly most: number
  /** How long one may wait for that, and what it then fails with. */
  readonly waitMs: number
  readonly tooLate: () => Error
  /** In which order those that go together are sent, where it matters. */
  readonly order?: (one: Question, other: Question) => number
  /** Whether an outage is of what one of them asked for alone, and the others may be asked again. */
  readonly isOfOne?: (error: unknown) => boolean
}

/**
 * By the statement and its first two values, which are the keys of what it writes. One that inserts waits for another that is inserting the
 * same: where all come to the same rows in one order, no two transactions wait for each other.
 */
export function byKey(one: Asked, other: Asked): number {
  const [mine, theirs] = [one, other].map(({ name, values: [first, second] }) => `${name} ${first} ${second}`) as [
    string,
    string,
  ]
  return mine < theirs ? -1 : Number(mine > theirs)
}

/**
 * `ask` sends the statements of several requests, or does whatever else they share; where it fails with a refusal, it has done nothing for any
 * of them, or what does no harm twice.
 */
export function sharing<Question = Asked, Reply = Answer>(
  ask: Share<Question, Reply>,
  { most, waitMs, tooLate, order, isOfOne = () => false }: Sharing<Question>,
): Share<Question, Reply> {
  let waiting: Waiting<Question, Reply>[] = []
  let underWay = 0
  let isPlanned = false
  let patience: NodeJS.Timeout | undefined

  function plan() {
    if (isPlanned || waiting.length === 0) return
    if (underWay >= most) return watchTheTime()
    isPlanned = true
    // After everything else that has arrived: each request that is read from its socket in this turn may add to it.
    setImmediate(() => {
      isPlanned = false
      while (waiting.length > 0 && underWay < most) void send(inOrder(waiting.splice(0, MOST_TOGETHER)))
      plan()
    })
  }

  /** Where nothing comes back, nothing is sent: those that wait hear of it in time. */
  function watchTheTime() {
    const [oldest] = waiting
    if (patience !== undefined || oldest === undefined) return
    patience = setTimeout(
      () => {
        patience = undefined
        const latest = performance.now() - waitMs
        const late = waiting.filter(({ askedAt }) => askedAt <= latest)
        waiting = waiting.filter(({ askedAt }) => askedAt > latest)
        for (const { reject } of late) reject(tooLate())
        plan()
      },
      Math.max(1, oldest.askedAt + waitMs - performance.now()),
    )
    patience.unref()
  }

  const inOrder = (shared: Waiting<Question, Reply>[]) => {
    if (order === undefined) return shared
    return shared.sort((one, other) => order(one.asked[0] as Question, other.asked[0] as Question))
  }

  async function send(shared: readonly Waiting<Question, Reply>[]) {
    underWay += 1
    try {
      await answerAll(ask, shared, isOfOne)
    } finally {
      underWay -= 1
      plan()
    }
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      waiting.push({ asked, askedAt: performance.now(), resolve, reject })
      plan()
    })
}

/** Never rejects: everybody hears of their own. */
async function answerAll<Question, Reply>(
  ask: Share<Question, Reply>,
  shared: readonly Waiting<Question, Reply>[],
  isOfOne: (error: unknown) => boolean,
) {
  try {
    const answers = await ask(shared.flatMap(({ asked }) => asked))
    let next = 0
    for (const { asked, resolve } of shared) {
      resolve(answers.slice(next, next + asked.length))
      next += asked.length
    }
  } catch (error) {
    // One that PostgreSQL refuses takes the others with it, which may be quite right: once more, each for itself. An outage is everybody's, and
    // asking on would have them wait for it one after the other.
    const isEverybodys = error instanceof ApiError && !isOfOne(error)
    if (shared.length === 1 || isEverybodys) for (const { reject } of shared) reject(error)
    else for (const one of shared) await answerAll(ask, [one], isOfOne)
  }
}

/** What all of them may be sent with. */
export function sharedBy([first, ...others]: readonly Asked[]): Shares | undefined {
  const shares = first?.shares
  return others.every((other) => other.shares === shares) ? shares : undefined
}
