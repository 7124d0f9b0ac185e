// One look for many messages of the same moment: a provider whose messages nobody signs is asked about each, and anybody can send any number.

import { setTimeout as pause } from 'node:timers/promises'

/** So often at most the same is asked. Providers wait for longer. */
const MOMENT_MS = 300

type Look<T> = {
  /** When the next may begin. */
  over: Promise<void>
  /** The one that those share who have come since this one began. */
  next: Promise<T> | null
}

export type Gatherer<T> = (name: string, look: () => Promise<T>) => Promise<T>

/**
 * Looks at once where nobody has lately. Who comes later shares the look that begins after the moment, and never one that was under way already:
 * that may have been answered before what the message is about.
 */
export function openGatherer<T>(): Gatherer<T> {
  const looks = new Map<string, Look<T>>()

  function begin(name: string, look: () => Promise<T>): Promise<T> {
    const answer = look()
    const over = Promise.all([answer.catch(() => undefined), pause(MOMENT_MS, undefined, { ref: false })]).then(() => {
      if (mine.next === null) looks.delete(name)
    })
    const mine: Look<T> = { over, next: null }
    looks.set(name, mine)
    return answer
  }

  return (name, look) => {
    const last = looks.get(name)
    if (last === undefined) return begin(name, look)
    last.next ??= last.over.then(() => begin(name, look))
    return last.next
  }
}
