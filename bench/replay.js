// The recorded statements, for another run: what the recorded requests were about is the run's own target, and every id that they
// made is made anew, because a key can be inserted only once.

/** (step, n, target) → what to send. */
export function replayed({ steps, n, target, made }) {
  const isFixed = made.length === 0 && target.length === 0
  const changing = [n, ...target, ...made]
  const templates = steps.map(({ statements }) =>
    statements.map((statement) => ({
      ...statement,
      holds: (statement.values ?? []).map((value) => changing.filter((text) => JSON.stringify(value)?.includes(text))),
    })),
  )
  return (step, thisN, thisTarget) => {
    if (isFixed) return steps[step].statements
    const now = new Map([[n, thisN], ...thisTarget.split(',').map((text, index) => [target[index], text])])
    // The same in all steps of one run, and told by its number.
    for (const id of made) now.set(id, id.slice(0, -thisN.length) + thisN)
    return templates[step].map(({ holds, values, ...statement }) =>
      values === undefined
        ? statement
        : { ...statement, values: values.map((value, index) => renewed(value, holds[index], now)) },
    )
  }
}

function renewed(value, holds, now) {
  if (holds.length === 0) return value
  if (Array.isArray(value)) return value.map((entry) => renewed(entry, typeof entry === 'string' ? holds : [], now))
  return holds.reduce((text, old) => (text === old ? now.get(old) : text.replaceAll(old, now.get(old))), value)
}
