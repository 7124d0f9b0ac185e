// In-memory caches: recently used entries, one result per value, and one result shared by concurrent callers.

/**
 * Map that drops the least recently used entries when their total weight exceeds `most`.
 * It has two generations. When the younger is full it becomes the older, and the older is dropped. Without `weigh` each entry weighs one.
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

  /** Total weight of all entries. */
  get weight(): number {
    return this.#weights.younger + this.#weights.older
  }

  get(key: string): Value | undefined {
    const younger = this.#younger.get(key)
    if (younger !== undefined) return younger
    const older = this.#older.get(key)
    // Used again: the entry moves to the younger generation and stays.
    if (older !== undefined) this.set(key, older)
    return older
  }

  /** An entry that weighs more than half of the maximum is not stored. */
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

/** Approximate overhead of an entry besides its bytes. */
const ENTRY_BYTES = 300

/**
 * Cache of bytes by name, each valid for one state. Bytes of another state count as missing.
 * It holds at most `most` bytes and drops the least recently used. It has two generations, like RecentMap.
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
    const entry = young ?? this.#older.get(name)
    if (entry?.state !== state) return null
    // Used again: the entry moves to the younger generation and stays.
    if (young === undefined) this.set(name, state, entry.bytes)
    return entry.bytes
  }

  /** True if there are bytes for this name, in any state. */
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
    const replacedEntry = this.#younger.get(name)
    this.#youngerSize += size - (replacedEntry === undefined ? 0 : replacedEntry.bytes.length + ENTRY_BYTES)
    this.#older.delete(name)
    this.#younger.set(name, { state, bytes })
  }
}

/** Memoises the function. The results live as long as the returned function, so create one per piece of work, such as a reply. */
export function memoize<Value, Answer>(make: (value: Value) => Answer): (value: Value) => Answer {
  const results = new Map<Value, Answer>()
  return (value) => {
    const cachedResult = results.get(value)
    if (cachedResult !== undefined) return cachedResult
    const result = make(value)
    results.set(value, result)
    return result
  }
}

/** A costly result that anybody may request. Concurrent callers share one computation, and the result is cached for a time. */
export type SharedAnswer<T, Args extends unknown[] = []> = {
  /** `args` are used only by the call that starts the computation. */
  get(...args: Args): Promise<T>
  /** Drops the cached result. Call it after a change. */
  forget(): void
}

/** Failures are not cached. */
export function sharedAnswer<T, Args extends unknown[] = []>(
  make: (...args: Args) => Promise<T>,
  lifetimeMs: number,
): SharedAnswer<T, Args> {
  let current: Promise<T> | undefined
  let validUntil = Number.NEGATIVE_INFINITY

  function ask(...args: Args): Promise<T> {
    if (current !== undefined && performance.now() < validUntil) return current
    const computation = make(...args)
    current = computation
    validUntil = Number.POSITIVE_INFINITY
    computation.then(
      () => {
        // Unless it was dropped meanwhile.
        if (current === computation) validUntil = performance.now() + lifetimeMs
      },
      () => {
        if (current === computation) current = undefined
      },
    )
    return computation
  }

  return {
    get: ask,
    forget() {
      current = undefined
    },
  }
}
