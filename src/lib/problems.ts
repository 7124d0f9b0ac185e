// Collects all mistakes of a request, so that one reply reports them together. Also the rules of lists that reference other things by id.

import { type FieldErrors, notValid, type ShopperMessagesByField, unprocessable } from './errors.ts'
import { shortPath } from './json.ts'
import { combineRefusals, fieldRefusal, type ShopperRefusal } from './words/refusals.ts'

/**
 * Collects all mistakes of a request, so that one reply reports them together. `said` is the shopper message. By default the path of the
 * field decides it.
 */
export class Problems {
  readonly #malformed: FieldErrors = {}
  readonly #refused: FieldErrors = {}
  /** Shopper messages by path, in the order of discovery. */
  readonly #said = new Map<string, ShopperRefusal>()

  /** A field is missing or malformed. `rule` continues the path: `must be a country`. No rule repeats the sent value. */
  malformed(path: string, rule: string, said?: ShopperRefusal) {
    addProblem(this.#malformed, path, rule)
    this.#say(path, said)
  }

  /** The field is well formed, but a rule refuses it. */
  refused(path: string, rule: string, said?: ShopperRefusal) {
    addProblem(this.#refused, path, rule)
    this.#say(path, said)
  }

  /** Complete sentences about missing or malformed fields, from a more specific check. */
  malformedAs(errors: FieldErrors, said?: ShopperRefusal) {
    for (const [path, sentences] of Object.entries(errors)) {
      this.#malformed[path] = [...(this.#malformed[path] ?? []), ...sentences]
      this.#say(path, said)
    }
  }

  /** A complete sentence about a field that a rule refuses. */
  refusedAs(path: string, sentence: string, said?: ShopperRefusal) {
    this.#refused[path] = [...(this.#refused[path] ?? []), sentence]
    this.#say(path, said)
  }

  /** Replaces earlier refusals of the field by this one: of two reasons, the one that decides. */
  refusedInstead(path: string, rule: string) {
    this.#refused[shortPath(path)] = [ruleSentence(path, rule)]
    this.#said.delete(shortPath(path))
    this.#say(path)
  }

  has(path: string): boolean {
    return Object.hasOwn(this.#malformed, shortPath(path)) || Object.hasOwn(this.#refused, shortPath(path))
  }

  /** Shopper message of each field, in the order of discovery. */
  get saidByField(): ShopperMessagesByField {
    return this.#said
  }

  /** For rules that must not look things up for a malformed body. Refusals are not reported yet. */
  throwIfMalformed() {
    const paths = Object.keys(this.#malformed)
    if (paths.length > 0) throw unprocessable(this.#malformed, this.#saidOf(paths))
  }

  /** Any malformed field makes the whole reply `unprocessable`: refusals of the rest may change once it is corrected. */
  throwIfAny() {
    const [malformed, refused] = [Object.entries(this.#malformed), Object.entries(this.#refused)]
    if (malformed.length === 0 && refused.length > 0)
      throw notValid(this.#refused, this.#saidOf([...this.#said.keys()]), this.#said)
    if (malformed.length === 0) return
    const all = { ...this.#malformed }
    for (const [path, sentences] of refused) all[path] = [...(all[path] ?? []), ...sentences]
    throw unprocessable(all, this.#saidOf([...this.#said.keys()]), this.#said)
  }

  /** The first of two messages about one field counts. */
  #say(path: string, said: ShopperRefusal = fieldRefusal(path)) {
    const short = shortPath(path)
    if (!this.#said.has(short)) this.#said.set(short, said)
  }

  #saidOf(paths: readonly string[]): ShopperRefusal {
    return combineRefusals(paths.flatMap((path) => this.#said.get(shortPath(path)) ?? []))
  }
}

const ruleSentence = (path: string, rule: string) => `${shortPath(path)} ${rule}.`

function addProblem(errors: FieldErrors, path: string, rule: string) {
  const short = shortPath(path)
  errors[short] = [...(errors[short] ?? []), ruleSentence(path, rule)]
}

export type Reference = string | { readonly id: string }

const idOf = (reference: Reference): string => (typeof reference === 'string' ? reference : reference.id)

/** Ids without duplicates, in the order of the list. */
export const uniqueIds = (references: readonly Reference[]): string[] => [...new Set(references.map(idOf))]

/** Refuses an entry with an unknown id, and a repeated entry. */
export function refuseEntries(
  references: readonly Reference[],
  knownIds: ReadonlySet<string>,
  path: string,
  thing: string,
  problems: Problems,
) {
  const seenIds = new Set<string>()
  for (const [index, reference] of references.entries()) {
    const field = fieldOf(path, index, reference)
    const id = idOf(reference)
    if (!knownIds.has(id)) problems.refused(field, `is not the id of ${thing}`)
    else if (seenIds.has(id)) problems.refused(field, 'is listed twice')
    seenIds.add(id)
  }
}

/** Refuses an entry that references the owner of the list itself. */
export function refuseSelfReference(
  references: readonly Reference[],
  id: string,
  path: string,
  thing: string,
  problems: Problems,
) {
  for (const [index, reference] of references.entries())
    if (idOf(reference) === id) problems.refusedInstead(fieldOf(path, index, reference), `must be another ${thing}`)
}

const fieldOf = (path: string, index: number, reference: Reference) =>
  typeof reference === 'string' ? `${path}.${index}` : `${path}.${index}.id`

type CurrentEntry = { readonly id: string; readonly name: string }
type SentEntry = { readonly id?: string; readonly name: string }

/**
 * Pairs each sent entry with its current entry, if any: by id, else by name.
 * Extra fields, variant groups and options thereby keep their ids when a list is replaced.
 * Equal names are refused: a name must identify an entry, and shoppers could not tell the two apart.
 */
export function pairEntries<S extends SentEntry, C extends CurrentEntry>(
  sent: readonly S[],
  current: readonly C[],
  path: string,
  problems: Problems,
): { entry: S; known: C | undefined; path: string }[] {
  const byId = new Map(current.map((entry) => [entry.id, entry]))
  const names = new Set<string>()
  // Entries with an id are paired first, at any position: one entry's name may be another's new name.
  const namedIds = new Set<string>()
  for (const [index, { id, name }] of sent.entries()) {
    if (names.has(name)) problems.refused(`${path}.${index}.name`, 'must differ from the other names')
    names.add(name)
    if (id === undefined) continue
    if (!byId.has(id)) problems.refused(`${path}.${index}.id`, 'is not the id of an existing entry')
    else if (namedIds.has(id)) problems.refused(`${path}.${index}.id`, 'is listed twice')
    namedIds.add(id)
  }
  const byName = new Map(current.filter(({ id }) => !namedIds.has(id)).map((entry) => [entry.name, entry]))
  return sent.map((entry, index) => ({
    entry,
    known: entry.id === undefined ? byName.get(entry.name) : byId.get(entry.id),
    path: `${path}.${index}`,
  }))
}
