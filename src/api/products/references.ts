// Lists of things by their ids, as bodies give them: bare or inside objects, with a place or without.

import type { FieldErrors } from '../../lib/errors.ts'
import type { AssetReferences } from './body-schema.ts'

/** What can be attached: `holdUsableAssets` knows neither a pending asset nor one that does not exist. */
export const USABLE_ASSET = 'a finished asset'

type Reference = string | { readonly id: string }

const idOf = (reference: Reference): string => (typeof reference === 'string' ? reference : reference.id)

/** Ids, each once, in the order of the list. */
export const idsOf = (references: readonly Reference[]): string[] => [...new Set(references.map(idOf))]

/** Adds what is wrong to `refused`: an entry that names none of the known ones, or the same as an entry before it. */
export function refuseEntries(
  references: readonly Reference[],
  known: ReadonlySet<string>,
  path: string,
  thing: string,
  refused: FieldErrors,
) {
  const seen = new Set<string>()
  for (const [index, reference] of references.entries()) {
    const field = fieldOf(path, index, reference)
    const id = idOf(reference)
    if (!known.has(id)) refused[field] = [`${field} is not the id of ${thing}.`]
    else if (seen.has(id)) refused[field] = [`${field} stands in the list twice.`]
    seen.add(id)
  }
}

/** Adds what is wrong to `refused`: an entry that names the product itself. */
export function refuseItself(references: readonly Reference[], id: string, path: string, refused: FieldErrors) {
  for (const [index, reference] of references.entries()) {
    const field = fieldOf(path, index, reference)
    if (idOf(reference) === id) refused[field] = [`${field} must be another product.`]
  }
}

const fieldOf = (path: string, index: number, reference: Reference) =>
  typeof reference === 'string' ? `${path}.${index}` : `${path}.${index}.id`

/**
 * The current assets with those sent: one without `sort_order` goes to the end, or stays where it is when it is there already;
 * one with it goes to that place, 0 being the first.
 */
export function arranged(current: readonly string[], sent: AssetReferences): string[] {
  const places = new Map<string, number>()
  for (const reference of sent)
    if (typeof reference !== 'string' && reference.sort_order !== undefined)
      places.set(reference.id, reference.sort_order)
  const ids = [...new Set([...current, ...idsOf(sent)])].filter((id) => !places.has(id))
  // From the front: every one put in shifts only what comes after it. The sort is stable, which settles ties by the list.
  for (const [id, place] of [...places].sort(([, one], [, other]) => one - other)) ids.splice(place, 0, id)
  return ids
}
