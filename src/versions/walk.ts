// Ages a body in one pass. From the shapes and one function per changed kind it builds a walk. The walk visits only places where a changed
// kind can occur, children before parents. The input is never changed: objects on the way are copied.

import { type ChangeContext, isJsonObject, type JsonData, type JsonObject, type KindChange } from './change.ts'
import { blankShape, canBeType, linksOf, matchesShape, type Shape } from './nesting.ts'

export type Walk = (value: JsonData, context: ChangeContext) => JsonData

const isArray = (value: JsonData): value is readonly JsonData[] => Array.isArray(value)

/** Returns a function that gives the walk for a shape, or null if the shape reaches no changed kind. */
export function makeWalks(changed: ReadonlyMap<string, KindChange>): (shape: Shape) => Walk | null {
  const walks = new Map<Shape, Walk | null>()

  function walkOf(shape: Shape): Walk | null {
    const existing = walks.get(shape)
    if (existing !== undefined) return existing
    if (!reachesKind(shape, changed)) {
      walks.set(shape, null)
      return null
    }
    // Register the walk before its steps exist, so that a recursive kind finds its own walk.
    const steps: Walk[] = []
    const walk: Walk = (value, context) => steps.reduce((aged, step) => step(aged, context), value)
    walks.set(shape, walk)
    const parts = partsOf(shape)
    // The kind's change runs last: until then the value has the newest shape, which the schema describes.
    steps.push(
      ...inObject(parts),
      ...inArray(parts),
      ...walksOfUnions(parts, walkOf, (value) => value),
      ...atKinds(parts),
    )
    return walk
  }

  function inObject(parts: readonly Shape[]): Walk[] {
    const declared = new Map<string, Shape[]>()
    for (const [name, shape] of parts.flatMap((part) => [...part.properties]))
      declared.set(name, [...(declared.get(name) ?? []), shape])
    const fixed = new Map([...declared].map(([name, shapes]) => [name, walkOf(combineShapes(shapes))]))
    const patterns = parts.flatMap((part) => part.patterns).map((each) => ({ ...each, walk: walkOf(each.shape) }))
    const rest = walkOf(combineShapes(parts.flatMap((part) => part.rest ?? [])))

    if (rest !== null || patterns.some((each) => each.walk !== null)) {
      const walkFor = (name: string): Walk | null => {
        const fixedWalk = fixed.get(name)
        if (fixedWalk !== undefined) return fixedWalk
        const match = patterns.find((each) => each.pattern.test(name))
        return match ? match.walk : rest
      }
      // fromEntries instead of assignment: names are data here, and one may be `__proto__`.
      const record = (value: JsonObject, context: ChangeContext) =>
        Object.fromEntries(
          Object.entries(value).map(([name, inner]) => {
            const walk = walkFor(name)
            return [name, walk ? walk(inner, context) : inner]
          }),
        )
      return [(value, context) => (isJsonObject(value) ? record(value, context) : value)]
    }

    const walkedFields = [...fixed].flatMap(([name, walk]) => (walk ? [{ name, walk }] : []))
    if (walkedFields.length === 0) return []
    const object = (value: JsonObject, context: ChangeContext) => {
      const copy: Record<string, JsonData> = { ...value }
      for (const { name, walk } of walkedFields) {
        const inner = copy[name]
        if (inner !== undefined) copy[name] = walk(inner, context)
      }
      return copy
    }
    return [(value, context) => (isJsonObject(value) ? object(value, context) : value)]
  }

  function inArray(parts: readonly Shape[]): Walk[] {
    const tuple = parts.find((part) => part.leading.length > 0)?.leading.map(walkOf) ?? []
    const others = walkOf(combineShapes(parts.flatMap((part) => part.elements ?? [])))
    if (others === null && tuple.every((walk) => walk === null)) return []
    const array = (value: readonly JsonData[], context: ChangeContext) =>
      value.map((inner, index) => {
        const walk = index < tuple.length ? tuple[index] : others
        return walk ? walk(inner, context) : inner
      })
    return [(value, context) => (isArray(value) ? array(value, context) : value)]
  }

  function atKinds(parts: readonly Shape[]): Walk[] {
    const kindChanges = parts.flatMap((part) => changed.get(part.kind ?? '') ?? [])
    return kindChanges.map((age) => (value, context) => (isJsonObject(value) ? age(value, context) : value))
  }

  return walkOf
}

/** Returns a walk for each union that contains a changed kind. `asIs` is the result for values that no walk of an alternative handles. */
export function walksOfUnions<Result>(
  parts: readonly Shape[],
  walkOf: (shape: Shape) => ((value: JsonData, context: ChangeContext) => Result) | null,
  asIs: (value: JsonData) => Result,
): ((value: JsonData, context: ChangeContext) => Result)[] {
  const choose = (alternatives: readonly Shape[]) => {
    const choices = alternatives.map((shape) => ({ shape, walk: walkOf(shape) }))
    const [only] = choices
    // `x | null` has one alternative, so the value is not checked. A body that strays from its schema is then still aged.
    if (only && choices.length === 1) return only.walk ?? asIs
    return (value: JsonData, context: ChangeContext) => {
      const choice = choices.find((each) => matchesShape(each.shape, value))
      return choice?.walk ? choice.walk(value, context) : asIs(value)
    }
  }
  return parts
    .flatMap((part) => part.unions)
    .filter((union) => union.some((each) => walkOf(each) !== null))
    .map((union) => {
      const inObjects = choose(union.filter((each) => canBeType(each, 'object')))
      const inArrays = choose(union.filter((each) => canBeType(each, 'array')))
      return (value, context) => {
        if (isArray(value)) return inArrays(value, context)
        return isJsonObject(value) ? inObjects(value, context) : asIs(value)
      }
    })
}

/** The shape, and all shapes that $ref and allOf add to it, each once. */
export function partsOf(shape: Shape): Shape[] {
  const parts = new Set([shape])
  // A set visits what is added to it while it is being visited.
  for (const part of parts) for (const each of part.all) parts.add(each)
  return [...parts]
}

export function combineShapes(shapes: readonly Shape[]): Shape {
  const [only] = shapes
  return only && shapes.length === 1 ? only : blankShape(null, [...shapes])
}

export function reachesKind(start: Shape, changed: { has(kind: string): boolean }): boolean {
  const visited = new Set([start])
  for (const shape of visited) {
    if (shape.kind !== null && changed.has(shape.kind)) return true
    for (const link of linksOf(shape)) visited.add(link)
  }
  return false
}
