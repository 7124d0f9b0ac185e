// Combinations of options, one of each group: which one a body means, whether it is complete, and all that there are.

import { type FieldErrors, notValid } from '../../lib/errors.ts'
import { MAX_VARIANTS } from './body-schema.ts'
import type { GroupRow } from './row-store.ts'
import type { Combination } from './variant-schema.ts'

type Group = { readonly id: string; readonly options: readonly Pick<GroupRow['options'][number], 'id'>[] }

/** The combination that `sent` makes of `current`. Adds what is wrong to `refused`: each group must be named, and nothing else. */
export function resolveCombination(
  sent: Combination,
  current: Combination,
  groups: readonly Group[],
  refused: FieldErrors,
): Combination {
  if (groups.length === 0) {
    refused.options = ['options must name one option of each variant group, and the product has no groups.']
    return {}
  }
  const known = new Map(groups.map((group) => [group.id, new Set(group.options.map(({ id }) => id))]))
  // What is gone by now is not kept: this is how a variant that was no longer valid is mended.
  const kept = Object.entries(current).filter(([group, option]) => known.get(group)?.has(option))
  const combination = new Map([...kept, ...Object.entries(sent)])
  for (const [group, option] of combination) {
    const field = `options.${group}`
    const options = known.get(group)
    if (!options) refused[field] = [`${field} does not name a variant group of this product.`]
    else if (!options.has(option)) refused[field] = [`${field} must be the id of an option of that group.`]
  }
  for (const { id } of groups)
    if (!combination.has(id))
      refused[`options.${id}`] = [`options.${id} is required: a variant has one option of each variant group.`]
  return Object.fromEntries(combination)
}

export const combinationTaken = () =>
  notValid({ options: ['options must be a combination that no other variant of the product has.'] })

/** Every combination, in the order of the groups and of their options. Throws when there are too many to make. */
export function combinationsOf(groups: readonly Group[]): Combination[] {
  if (groups.length === 0) return []
  const count = groups.reduce((product, { options }) => product * options.length, 1)
  if (count > MAX_VARIANTS)
    throw notValid({
      variant_groups: [
        `variant_groups must have at most ${MAX_VARIANTS} combinations of options for all of them to be generated. Create the variants that you sell one by one.`,
      ],
    })
  return groups.reduce<Combination[]>(
    (begun, group) => begun.flatMap((chosen) => group.options.map((option) => ({ ...chosen, [group.id]: option.id }))),
    [{}],
  )
}
