// Reads that share their round trips. What several requests want to look up in the same turn of the event loop goes to PostgreSQL in one
// message and comes back in one: with many clients the messages, and the waking of processes on both sides, cost more than the look-ups.

import type { Ask } from './asking.ts'
import type { Answer, Asked } from './round.ts'

/** Of different requests. An answer waits for those before it, each of which takes well under a millisecond. */
const MOST_TOGETHER = 16

type Waiting = {
  readonly asked: readonly Asked[]
  readonly resolve: (answers: Answer[]) => void
  readonly reject: (error: unknown) => void
}

/**
 * `ask` sends statements as one transaction of reads, which has nothing to commit. `most`: messages under way at once. While there are so many,
 * further reads gather for the next.
 */
export function sharedReads(ask: Ask, most: number): Ask {
  const waiting: Waiting[] = []
  let underWay = 0
  let isPlanned = false

  function plan() {
    if (isPlanned || waiting.length === 0 || underWay >= most) return
    isPlanned = true
    // After everything else that has arrived: each request that is read from its socket in this turn may add to it.
    setImmediate(() => {
      isPlanned = false
      while (waiting.length > 0 && underWay < most) void send(waiting.splice(0, MOST_TOGETHER))
    })
  }

  async function send(shared: readonly Waiting[]) {
    underWay += 1
    try {
      await answerAll(ask, shared)
    } finally {
      underWay -= 1
      plan()
    }
  }

  return (asked) =>
    new Promise((resolve, reject) => {
      waiting.push({ asked, resolve, reject })
      plan()
    })
}

/** Never rejects: everybody hears of their own. */
async function answerAll(ask: Ask, shared: readonly Waiting[]) {
  try {
    const answers = await ask(shared.flatMap(({ asked }) => asked))
    let next = 0
    for (const { asked, resolve } of shared) {
      resolve(answers.slice(next, next + asked.length))
      next += asked.length
    }
  } catch (error) {
    const [first, ...others] = shared
    if (first === undefined) return
    if (others.length === 0) return first.reject(error)
    // One that PostgreSQL refuses takes the others with it, which may be quite right: once more, each for itself.
    for (const one of shared) await answerAll(ask, [one])
  }
}

/** Whether all of them may be sent with those of others. */
export const areShared = (asked: readonly Asked[]): boolean => asked.every(({ isLookup }) => isLookup)
