// A map that keeps what was lately used and forgets the rest, in a memory that does not grow.

/** At most `most` entries. Two generations: when the younger is full it becomes the older, and what was in the older is forgotten. */
export class RecentMap<Value> {
  readonly #half: number
  #younger = new Map<string, Value>()
  #older = new Map<string, Value>()

  constructor(most: number) {
    this.#half = Math.floor(most / 2)
  }

  get size(): number {
    return this.#younger.size + this.#older.size
  }

  get(key: string): Value | undefined {
    const young = this.#younger.get(key)
    if (young !== undefined) return young
    const old = this.#older.get(key)
    // In use again: it moves to the younger, and lives on.
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: Value) {
    this.#older.delete(key)
    if (this.#younger.size >= this.#half && !this.#younger.has(key)) {
      this.#older = this.#younger
      this.#younger = new Map()
    }
    this.#younger.set(key, value)
  }

  delete(key: string) {
    this.#younger.delete(key)
    this.#older.delete(key)
  }
}

// A function that works out its answer once for each value it is given.

/** For as long as the function itself is kept: one is made for one piece of work, such as one reply. */
export function onceEach<Given, Made>(make: (given: Given) => Made): (given: Given) => Made {
  const known = new Map<Given, Made>()
  return (given) => {
    const found = known.get(given)
    if (found !== undefined) return found
    const made = make(given)
    known.set(given, made)
    return made
  }
}

// An answer that costs something and that anybody may ask for, as often as they like: one serves all who ask while it is made, and for a
// time after.

export type SharedAnswer<T> = {
  ask(): Promise<T>
  /** Something has happened that the last answer does not know of. */
  forget(): void
}

/** What fails is not kept. */
export function sharedAnswer<T>(make: () => Promise<T>, keptMs: number): SharedAnswer<T> {
  let made: Promise<T> | undefined
  let keptUntil = Number.NEGATIVE_INFINITY

  function ask(): Promise<T> {
    if (made !== undefined && performance.now() < keptUntil) return made
    const asked = make()
    made = asked
    keptUntil = Number.POSITIVE_INFINITY
    asked.then(
      () => {
        // Unless it was forgotten meanwhile.
        if (made === asked) keptUntil = performance.now() + keptMs
      },
      () => {
        if (made === asked) made = undefined
      },
    )
    return asked
  }

  return {
    ask,
    forget() {
      made = undefined
    },
  }
}
