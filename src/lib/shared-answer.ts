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
