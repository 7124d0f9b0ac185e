// Combinations of options, one of each group: which one a body means, all that there are, and the variants that are made of them.

import type { Shop } from '../../../db/records.ts'
import { notValid } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { Problems } from '../../../lib/problems.ts'
import { MAX_VARIANTS } from '../body-schema.ts'
import { openStock } from '../stock-store.ts'
import type { ProductTx } from '../store.ts'
import type { Combination } from './schema.ts'
import { BLANK_VARIANT, insertVariants } from './store.ts'

type Group = { readonly id: string; readonly options: readonly { readonly id: string }[] }

/** The combination that `sent` makes of `current`. Each group must be named, and nothing else. */
export function resolveCombination(
  sent: Combination,
  current: Combination,
  groups: readonly Group[],
  problems: Problems,
): Combination {
  if (groups.length === 0) {
    problems.refused('options', 'must name one option of each variant group, and the product has no groups')
    return {}
  }
  const known = new Map(groups.map((group) => [group.id, new Set(group.options.map(({ id }) => id))]))
  // What is gone by now is not kept: this is how a variant that was no longer valid is mended.
  const kept = Object.entries(current).filter(([group, option]) => known.get(group)?.has(option))
  const combination = new Map([...kept, ...Object.entries(sent)])
  for (const [group, option] of combination) {
    const field = `options.${group}`
    const options = known.get(group)
    // The path is the client's, of whatever length, and is told whole.
    if (!options) problems.refusedAs(field, `${field} does not name a variant group of this product.`)
    else if (!options.has(option)) problems.refused(field, 'must be the id of an option of that group')
  }
  for (const { id } of groups)
    if (!combination.has(id))
      problems.refused(`options.${id}`, 'is required: a variant has one option of each variant group')
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

/**
 * For a product that is being created: a variant of each option of its one group, with the stock that stands at the same place in
 * `counts`. Those without a count get a variant too, which sells from the product's stock: without one, the product would seem sold
 * out as soon as the others are. Gives their ids.
 */
export async function createOptionVariants(
  tx: ProductTx,
  scope: Shop,
  productId: string,
  group: Group,
  counts: readonly (number | null)[],
  now: Date,
): Promise<string[]> {
  const variants = blankVariants(combinationsOf([group]), now)
  const inserted = await insertVariants(tx, scope, productId, variants, now)
  const items = variants.flatMap(({ id }, index) => {
    const available = counts[index] ?? null
    return available === null ? [] : [{ id, available }]
  })
  await openStock(tx, scope, productId, items)
  return inserted
}

export function blankVariants(combinations: readonly Combination[], now: Date) {
  // Ids of one millisecond are in random order; sorted, they keep the order of the combinations in every list.
  const ids = combinations.map(() => newId('variant', now)).sort()
  return combinations.map((options, index) => ({ ...BLANK_VARIANT, id: ids[index] ?? '', options }))
}
