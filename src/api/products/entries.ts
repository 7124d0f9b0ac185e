// Which entry of a list that is sent stands for which entry that is already there: by its id, else by its name.
// Extra fields, variant groups and options keep their ids this way when a list is replaced.

import type { FieldErrors } from '../../lib/errors.ts'

type Named = { readonly id: string; readonly name: string }
type Sent = { readonly id?: string; readonly name: string }

/**
 * Pairs each sent entry with the current one it stands for, if any. Two of the same name are refused: a name then says which
 * entry is meant, and shoppers could not tell them apart.
 */
export function pairEntries<S extends Sent, C extends Named>(
  sent: readonly S[],
  current: readonly C[],
  path: string,
  refused: FieldErrors,
): { entry: S; known: C | undefined; path: string }[] {
  const byId = new Map(current.map((entry) => [entry.id, entry]))
  const names = new Set<string>()
  // Those named by id first, whatever their place: the name of one may be the new name of another.
  const taken = new Set<string>()
  for (const [index, { id, name }] of sent.entries()) {
    if (names.has(name)) refused[`${path}.${index}.name`] = [`${path}.${index}.name must differ from the other names.`]
    names.add(name)
    if (id === undefined) continue
    if (!byId.has(id)) refused[`${path}.${index}.id`] = [`${path}.${index}.id is not the id of one of its entries.`]
    else if (taken.has(id)) refused[`${path}.${index}.id`] = [`${path}.${index}.id stands in the list twice.`]
    taken.add(id)
  }
  const byName = new Map(current.filter(({ id }) => !taken.has(id)).map((entry) => [entry.name, entry]))
  return sent.map((entry, index) => ({
    entry,
    known: entry.id === undefined ? byName.get(entry.name) : byId.get(entry.id),
    path: `${path}.${index}`,
  }))
}
