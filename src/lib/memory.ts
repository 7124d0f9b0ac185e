// Answers kept in memory: those used lately, one for each value, and one for all who ask at once.

/**
 * A map of entries that weigh at most `most` together, and forgets those not used lately. Two generations: when the younger is full it
 * becomes the older, and what was in the older is forgotten. Without `weigh` each weighs one.
 */
export class RecentMap<Value> {
  readonly #half: number
  readonly #weigh: (value: Value) => number
  #younger = new Map<string, Value>()
  #older = new Map<string, Value>()
  #weights = { younger: 0, older: 0 }

  constructor(most: number, weigh: (value: Value) => number = () => 1) {
    this.#half = Math.floor(most / 2)
    this.#weigh = weigh
  }

  get size(): number {
    return this.#younger.size + this.#older.size
  }

  /** Of all entries together. */
  get weight(): number {
    return this.#weights.younger + this.#weights.older
  }

  get(key: string): Value | undefined {
    const young = this.#younger.get(key)
    if (young !== undefined) return young
    const old = this.#older.get(key)
    // In use again: it moves to the younger, and lives on.
    if (old !== undefined) this.set(key, old)
    return old
  }

  /** One that alone weighs more than half of all is not kept. */
  set(key: string, value: Value) {
    this.delete(key)
    const weight = this.#weigh(value)
    if (weight > this.#half) return
    if (this.#weights.younger + weight > this.#half) {
      this.#older = this.#younger
      this.#younger = new Map()
      this.#weights = { younger: 0, older: this.#weights.younger }
    }
    this.#younger.set(key, value)
    this.#weights.younger += weight
  }

  delete(key: string) {
    const [young, old] = [this.#younger.get(key), this.#older.get(key)]
    if (young !== undefined) this.#weights.younger -= this.#weigh(young)
    if (old !== undefined) this.#weights.older -= this.#weigh(old)
    this.#younger.delete(key)
    this.#older.delete(key)
  }
}

/** What an entry takes beside its bytes, roughly. */
const ENTRY_BYTES = 300

/**
 * Bytes by a name, each of one state: those of another are as good as none. At most `most` bytes in all; those not used lately go. Two
 * generations, as in RecentMap.
 */
export class RecentBytes<State> {
  readonly #half: number
  #younger = new Map<string, { state: State; bytes: Buffer }>()
  #older = new Map<string, { state: State; bytes: Buffer }>()
  #youngerSize = 0

  constructor(most: number) {
    this.#half = Math.floor(most / 2)
  }

  get(name: string, state: State): Buffer | null {
    const young = this.#younger.get(name)
    const found = young ?? this.#older.get(name)
    if (found?.state !== state) return null
    // In use again: it moves to the younger, and lives on.
    if (young === undefined) this.set(name, state, found.bytes)
    return found.bytes
  }

  /** Whether there are any of this name, of whatever state. */
  has(name: string): boolean {
    return this.#younger.has(name) || this.#older.has(name)
  }

  set(name: string, state: State, bytes: Buffer) {
    const size = bytes.length + ENTRY_BYTES
    if (size > this.#half) return
    if (this.#youngerSize + size > this.#half) {
      this.#older = this.#younger
      this.#younger = new Map()
      this.#youngerSize = 0
    }
    const before = this.#younger.get(name)
    this.#youngerSize += size - (before === undefined ? 0 : before.bytes.length + ENTRY_BYTES)
    this.#older.delete(name)
    this.#younger.set(name, { state, bytes })
  }
}

/** The same function, run once for each value. It remembers as long as it lives: make one for one piece of work, such as one reply. */
export function onceEach<Value, Answer>(make: (value: Value) => Answer): (value: Value) => Answer {
  const known = new Map<Value, Answer>()
  return (value) => {
    const found = known.get(value)
    if (found !== undefined) return found
    const answer = make(value)
    known.set(value, answer)
    return answer
  }
}

/** An answer that is costly to make and that anybody may ask for: one serves all who ask while it is made, and for a time after. */
export type SharedAnswer<T, Asked extends unknown[] = []> = {
  /** `asked`: for the one whose question makes the answer. */
  ask(...asked: Asked): Promise<T>
  /** Call it when something has changed since the last answer. */
  forget(): void
}

/** A failure is not kept. */
export function sharedAnswer<T, Asked extends unknown[] = []>(
  make: (...asked: Asked) => Promise<T>,
  keptMs: number,
): SharedAnswer<T, Asked> {
  let answer: Promise<T> | undefined
  let keptUntil = Number.NEGATIVE_INFINITY

  function ask(...asked: Asked): Promise<T> {
    if (answer !== undefined && performance.now() < keptUntil) return answer
    const newest = make(...asked)
    answer = newest
    keptUntil = Number.POSITIVE_INFINITY
    newest.then(
      () => {
        // Unless it was forgotten meanwhile.
        if (answer === newest) keptUntil = performance.now() + keptMs
      },
      () => {
        if (answer === newest) answer = undefined
      },
    )
    return newest
  }

  return {
    ask,
    forget() {
      answer = undefined
    },
  }
}
