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
