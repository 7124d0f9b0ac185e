// Lists of things by their ids, as bodies send them: bare, or inside objects as replies show them.

import type { Problems } from './errors.ts'

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
