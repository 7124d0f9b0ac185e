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
