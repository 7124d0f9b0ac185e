// What is wrong with a request, gathered so that all of it is told at once; and the rules of lists that name other things by their ids.

import { type FieldErrors, notValid, type SaidByField, unprocessable } from './errors.ts'
import { shortPath } from './json.ts'
import { fieldRefusal, inOne, type Refusal } from './words/refusals.ts'

/**
 * What is wrong with a request, gathered so that all of it is told at once. `said` is what a shopper is told of it; unless given, what the
 * path of the field says alone.
 */
export class Problems {
  readonly #malformed: FieldErrors = {}
  readonly #refused: FieldErrors = {}
  /** By path, in the order in which it was found. */
  readonly #said = new Map<string, Refusal>()

  /** A field is missing or badly formed. `rule` goes on from the path: `must be a country`. No rule repeats what was sent. */
  malformed(path: string, rule: string, said?: Refusal) {
    add(this.#malformed, path, rule)
    this.#say(path, said)
  }

  /** The field is well formed, and a rule refuses it. */
  refused(path: string, rule: string, said?: Refusal) {
    add(this.#refused, path, rule)
    this.#say(path, said)
  }

  /** Whole sentences about fields that are missing or badly formed, from who knows them better. */
  malformedAs(errors: FieldErrors, said?: Refusal) {
    for (const [path, sentences] of Object.entries(errors)) {
      this.#malformed[path] = [...(this.#malformed[path] ?? []), ...sentences]
      this.#say(path, said)
    }
  }

  /** The same of a rule that refuses. */
  refusedAs(path: string, sentence: string, said?: Refusal) {
    this.#refused[path] = [...(this.#refused[path] ?? []), sentence]
    this.#say(path, said)
  }

  /** The field is refused for this alone, whatever was said of it before: of two reasons, the one that decides. */
  refusedInstead(path: string, rule: string) {
    this.#refused[shortPath(path)] = [ruleOf(path, rule)]
    this.#said.delete(shortPath(path))
    this.#say(path)
  }

  has(path: string): boolean {
    return Object.hasOwn(this.#malformed, shortPath(path)) || Object.hasOwn(this.#refused, shortPath(path))
  }

  /** What a shopper is told of each field, in the order in which it was found. */
  get saidByField(): SaidByField {
    return this.#said
  }

  /** For rules that must not look things up for a body that is badly formed: what is refused is not told yet. */
  throwIfMalformed() {
    const paths = Object.keys(this.#malformed)
    if (paths.length > 0) throw unprocessable(this.#malformed, this.#saidOf(paths))
  }

  /** Where fields are badly formed, that is the name of the whole: what rules say of the rest may change once they are mended. */
  throwIfAny() {
    const [malformed, refused] = [Object.entries(this.#malformed), Object.entries(this.#refused)]
    if (malformed.length === 0 && refused.length > 0)
      throw notValid(this.#refused, this.#saidOf([...this.#said.keys()]), this.#said)
    if (malformed.length === 0) return
    const all = { ...this.#malformed }
    for (const [path, sentences] of refused) all[path] = [...(all[path] ?? []), ...sentences]
    throw unprocessable(all, this.#saidOf([...this.#said.keys()]), this.#said)
  }

  /** Of two about one field the first is the reason. */
  #say(path: string, said: Refusal = fieldRefusal(path)) {
    const short = shortPath(path)
    if (!this.#said.has(short)) this.#said.set(short, said)
  }

  #saidOf(paths: readonly string[]): Refusal {
    return inOne(paths.flatMap((path) => this.#said.get(shortPath(path)) ?? []))
  }
}

const ruleOf = (path: string, rule: string) => `${shortPath(path)} ${rule}.`

function add(errors: FieldErrors, path: string, rule: string) {
  const short = shortPath(path)
  errors[short] = [...(errors[short] ?? []), ruleOf(path, rule)]
}

export type Reference = string | { readonly id: string }

const idOf = (reference: Reference): string => (typeof reference === 'string' ? reference : reference.id)

/** Ids, each once, in the order of the list. */
export const idsOf = (references: readonly Reference[]): string[] => [...new Set(references.map(idOf))]

/** Refuses an entry that names none of the known ones, and one that names the same as an entry before it. */
export function refuseEntries(
  references: readonly Reference[],
  known: ReadonlySet<string>,
  path: string,
  thing: string,
  problems: Problems,
) {
  const seen = new Set<string>()
  for (const [index, reference] of references.entries()) {
    const field = fieldOf(path, index, reference)
    const id = idOf(reference)
    if (!known.has(id)) problems.refused(field, `is not the id of ${thing}`)
    else if (seen.has(id)) problems.refused(field, 'stands in the list twice')
    seen.add(id)
  }
}

/** Refuses an entry that names the very thing that the list belongs to. */
export function refuseItself(
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

type NamedEntry = { readonly id: string; readonly name: string }
type SentEntry = { readonly id?: string; readonly name: string }

/**
 * Pairs each sent entry with the current one it stands for, if any: by its id, else by its name. Extra fields, variant groups and options
 * keep their ids this way when a list is replaced. Two of the same name are refused: a name then says which entry is meant, and shoppers
 * could not tell them apart.
 */
export function pairEntries<S extends SentEntry, C extends NamedEntry>(
  sent: readonly S[],
  current: readonly C[],
  path: string,
  problems: Problems,
): { entry: S; known: C | undefined; path: string }[] {
  const byId = new Map(current.map((entry) => [entry.id, entry]))
  const names = new Set<string>()
  // Those named by id first, whatever their place: the name of one may be the new name of another.
  const namedIds = new Set<string>()
  for (const [index, { id, name }] of sent.entries()) {
    if (names.has(name)) problems.refused(`${path}.${index}.name`, 'must differ from the other names')
    names.add(name)
    if (id === undefined) continue
    if (!byId.has(id)) problems.refused(`${path}.${index}.id`, 'is not the id of one of its entries')
    else if (namedIds.has(id)) problems.refused(`${path}.${index}.id`, 'stands in the list twice')
    namedIds.add(id)
  }
  const byName = new Map(current.filter(({ id }) => !namedIds.has(id)).map((entry) => [entry.name, entry]))
  return sent.map((entry, index) => ({
    entry,
    known: entry.id === undefined ? byName.get(entry.name) : byId.get(entry.id),
    path: `${path}.${index}`,
  }))
}
