// Merges all forms that a body ever had: the newest, plus every field that only older versions had. The result equals ageing the body to
// every version and merging all of them, newest first. `makeFormsWalk` gets there in one walk. At each place it builds the forms of the value,
// one after another. It keeps the same object where a version changed nothing, and skips values that a newer change removed. `merge` then
// visits only objects that differ.

import { type ChangeContext, isJsonObject, type JsonData, type JsonObject, type KindChange } from './change.ts'
import type { Shape } from './nesting.ts'
import { combineShapes, makeWalks, partsOf, reachesKind, walksOfUnions } from './walk.ts'

/** Changes of one version, by kind. In a list of steps, newest first, each step takes the result of the one before. */
export type VersionStep = ReadonlyMap<string, KindChange>

/** Forms of a value after each step; null if no step changes it. */
type Forms = readonly JsonData[] | null

export type FormsWalk = (value: JsonData, context: ChangeContext) => Forms

/** Field of an object, and the first step that can change its content. */
type Child = { readonly name: string; readonly walk: FormsWalk; readonly from: number }

const isArray = (value: JsonData | undefined): value is readonly JsonData[] => Array.isArray(value)

/**
 * Returns the walk for a shape, or null if it reaches no changed kind. Steps without effect are left out, except the first: the others are
 * compared with its result.
 */
export function makeFormsWalk(start: Shape, allSteps: readonly VersionStep[]): FormsWalk | null {
  if (!allSteps.some((step) => reachesKind(start, step))) return null
  const steps = allSteps.filter((step, index) => index === 0 || reachesKind(start, step))
  const changed = { has: (kind: string) => steps.some((step) => step.has(kind)) }
  const walks = new Map<Shape, FormsWalk | null>()
  // Walks of each step together with all steps before it, for the few shapes that do not deserve a walk of their own.
  const combinedWalks = steps.map((_, index) => makeWalks(chainSteps(steps.slice(0, index + 1))))

  function walkOf(shape: Shape): FormsWalk | null {
    const existing = walks.get(shape)
    if (existing !== undefined) return existing
    if (!reachesKind(shape, changed)) {
      walks.set(shape, null)
      return null
    }
    // Register a placeholder first, so that a recursive kind finds its own walk.
    let built: FormsWalk = () => null
    walks.set(shape, (value, context) => built(value, context))
    built = makeWalk(shape)
    walks.set(shape, built)
    return built
  }

  function makeWalk(shape: Shape): FormsWalk {
    const parts = partsOf(shape)
    const children = childrenOf(parts)
    const others = [...inArray(parts), ...walksOfUnions(parts, walkOf, () => null)]
    const isRecord = parts.some(({ rest, patterns, leading }) =>
      [...(rest ? [rest] : []), ...patterns.map((each) => each.shape), ...leading].some((each) =>
        reachesKind(each, changed),
      ),
    )
    const kinds = new Set(parts.flatMap(({ kind }) => (kind !== null && changed.has(kind) ? [kind] : [])))
    const [other] = others
    if (other === undefined && !isRecord && kinds.size < 2) {
      const [kind] = kinds
      return objectForms(
        children,
        steps.map((step) => (kind === undefined ? null : (step.get(kind) ?? null))),
      )
    }
    return other && others.length === 1 && children.length === 0 && !isRecord && kinds.size === 0
      ? other
      : oneByOne(shape)
  }

  /** Runs each step as a separate walk at this place. */
  function oneByOne(shape: Shape): FormsWalk {
    const all = combinedWalks.map((walk) => walk(shape))
    return (value, context) => all.map((walk) => (walk ? walk(value, context) : value))
  }

  function childrenOf(parts: readonly Shape[]): Child[] {
    const declared = new Map<string, Shape[]>()
    for (const [name, shape] of parts.flatMap((part) => [...part.properties]))
      declared.set(name, [...(declared.get(name) ?? []), shape])
    return [...declared].flatMap(([name, shapes]) => {
      const shape = combineShapes(shapes)
      const walk = walkOf(shape)
      return walk ? [{ name, walk, from: steps.findIndex((step) => reachesKind(shape, step)) }] : []
    })
  }

  function inArray(parts: readonly Shape[]): FormsWalk[] {
    const walk = walkOf(combineShapes(parts.flatMap((part) => part.elements ?? [])))
    return walk ? [arrayForms(walk, steps.length)] : []
  }

  return walkOf(start)
}

const chainSteps = (steps: readonly VersionStep[]): Map<string, KindChange> => {
  const kinds = new Set(steps.flatMap((step) => [...step.keys()]))
  return new Map(
    [...kinds].map((kind) => {
      const changes = steps.map((step) => step.get(kind) ?? null)
      return [kind, (value, context) => applyUpTo(changes, changes.length - 1, value, context)]
    }),
  )
}

/** If a change turned an object into null, a string or a list, older changes have no object to age. */
function applyUpTo(
  changes: readonly (KindChange | null)[],
  last: number,
  value: JsonData,
  context: ChangeContext,
): JsonData {
  let aged = value
  for (let step = 0; step <= last && isJsonObject(aged); step++) {
    const change = changes[step]
    if (change) aged = change(aged, context)
  }
  return aged
}

/** Ages the children first. If a child changes at a step, all newer changes of this kind run again on the new content. */
function objectForms(children: readonly Child[], changes: readonly (KindChange | null)[]): FormsWalk {
  return (value, context) => {
    if (!isJsonObject(value)) return null
    const inner: Forms[] = []
    const all: JsonData[] = []
    let inside: JsonObject = value
    let current: JsonData = value
    let isChanged = false
    for (let step = 0; step < changes.length; step++) {
      const next = children.length === 0 ? inside : withChildren(inside, step)
      const change = changes[step]
      if (next !== inside) current = applyUpTo(changes, step, next, context)
      else if (change && isJsonObject(current)) current = change(current, context)
      inside = next
      isChanged ||= current !== value
      all.push(current)
    }
    return isChanged ? all : null

    function withChildren(before: JsonObject, step: number): JsonObject {
      let copy: Record<string, JsonData> | null = null
      for (let index = 0; index < children.length; index++) {
        const { name, walk, from } = children[index] as Child
        if (step < from) continue
        const content = (value as JsonObject)[name] ?? null
        if (content === null) continue
        if (step === from) inner[index] = isHeld(current, name, content) ? walk(content, context) : null
        const form = inner[index]?.[step]
        if (form === undefined || form === before[name]) continue
        copy ??= { ...before }
        copy[name] = form
      }
      return copy ?? before
    }
  }
}

/**
 * True if the content of a field is still part of the form that newer changes made. It may be there under its own or another name, as a
 * whole or as one of its objects. Content that was removed or flattened is skipped, because no client sees it change.
 */
function isHeld(current: JsonData, name: string, content: JsonData): boolean {
  if (!isJsonObject(current)) return false
  if (current[name] !== undefined) return true
  const parts = new Set<JsonData>([content])
  for (const part of Object.values(content as JsonObject))
    if (typeof part === 'object' && part !== null) parts.add(part)
  for (const field in current) if (parts.has(current[field] as JsonData)) return true
  return false
}

function arrayForms(walk: FormsWalk, count: number): FormsWalk {
  return (value, context) => {
    if (!isArray(value)) return null
    let isChanged = false
    const inner = value.map((entry) => {
      const forms = walk(entry, context)
      isChanged ||= forms !== null
      return forms
    })
    if (!isChanged) return null
    const all: (readonly JsonData[])[] = []
    let current = value
    for (let step = 0; step < count; step++) {
      const before = current
      const isSame = inner.every((forms, index) => forms === null || forms[step] === before[index])
      if (!isSame)
        current = value.map((entry, index) => {
          const forms = inner[index] ?? null
          return forms === null ? entry : (forms[step] as JsonData)
        })
      all.push(current)
    }
    return all
  }
}

/**
 * Merges all forms of a value. The first form wins; the others add the fields that it lacks, at each depth. Entries of lists are matched by
 * `id`, else by their position. The first list decides how many entries there are.
 */
export function merge(forms: readonly JsonData[]): JsonData {
  const [first = null, ...others] = forms
  if (isArray(first)) return mergeLists(first, others)
  return isJsonObject(first) ? mergeObjects(first, others) : first
}

function mergeObjects(first: JsonObject, others: readonly JsonData[]): JsonData {
  const differing = new Map<string, JsonData[]>()
  let before: JsonData = first
  for (const other of others) {
    // Versions that change nothing share the same object.
    if (other !== before && isJsonObject(other)) collectFields(differing, first, other)
    before = other
  }
  if (differing.size === 0) return first
  const merged: Record<string, JsonData> = { ...first }
  for (const [field, contents] of differing) merged[field] = merge(contents)
  return merged
}

function collectFields(differing: Map<string, JsonData[]>, first: JsonObject, other: JsonObject) {
  for (const field in other) {
    const content = other[field] as JsonData
    const own = first[field]
    if (content === own) continue
    // A plain value of the first form wins.
    if (own !== undefined && (own === null || typeof own !== 'object')) continue
    const contents = differing.get(field)
    if (contents === undefined) differing.set(field, own === undefined ? [content] : [own, content])
    else if (contents.at(-1) !== content) contents.push(content)
  }
}

function mergeLists(first: readonly JsonData[], others: readonly JsonData[]): JsonData {
  const differing = new Map<number, JsonData[]>()
  let places: Map<JsonData, number> | null = null
  const placeOf = (entry: JsonData, index: number): number => {
    const id = idOf(entry)
    if (id === undefined || idOf(first[index]) === id) return index
    places ??= new Map(first.map((each, place) => [idOf(each) ?? null, place]))
    return places.get(id) ?? index
  }
  let before: JsonData = first
  for (const other of others) {
    if (other !== before && isArray(other))
      for (const [index, entry] of other.entries()) {
        const place = placeOf(entry, index)
        const own = first[place]
        if (own === undefined || own === entry) continue
        const entries = differing.get(place)
        if (entries === undefined) differing.set(place, [own, entry])
        else if (entries.at(-1) !== entry) entries.push(entry)
      }
    before = other
  }
  return differing.size === 0 ? first : first.map((own, place) => merge(differing.get(place) ?? [own]))
}

const idOf = (entry: JsonData | undefined): JsonData | undefined =>
  entry !== undefined && isJsonObject(entry) && typeof entry.id === 'string' ? entry.id : undefined
