// Combinations of one option per variant group: parsing one from a body, generating all, and creating variants for them.

import type { Shop } from '../../../db/db.ts'
import { notValid } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import type { Problems } from '../../../lib/problems.ts'
import { MAX_VARIANTS } from '../body-schema.ts'
import { openStock } from '../stock-store.ts'
import type { ProductTx } from '../store.ts'
import type { Combination } from './schema.ts'
import { BLANK_VARIANT, insertVariants } from './store.ts'

type Group = { readonly id: string; readonly options: readonly { readonly id: string }[] }

/** Merges the sent options into the current combination. The result must contain each group and nothing else. */
export function resolveCombination(
  newOptions: Combination,
  current: Combination,
  groups: readonly Group[],
  problems: Problems,
): Combination {
  if (groups.length === 0) {
    problems.refused('options', 'cannot be chosen: the product has no variant groups. Create one first')
    return {}
  }
  const optionIds = new Map(groups.map((group) => [group.id, new Set(group.options.map(({ id }) => id))]))
  // Drops deleted groups and options, so that an update can repair an invalid variant.
  const existing = Object.entries(current).filter(([group, option]) => optionIds.get(group)?.has(option))
  const combination = new Map([...existing, ...Object.entries(newOptions)])
  for (const [group, option] of combination) {
    const field = `options.${group}`
    const options = optionIds.get(group)
    // The message contains the client's path in full, whatever its length.
    if (!options) problems.refusedAs(field, `${field} does not name a variant group of this product.`)
    else if (!options.has(option)) problems.refused(field, 'must be the id of an option of that group')
  }
  for (const { id } of groups)
    if (!combination.has(id))
      problems.refused(`options.${id}`, 'is required: a variant has one option of each variant group')
  return Object.fromEntries(combination)
}

export const combinationTakenError = () =>
  notValid({ options: ['options must be a combination that no other variant of the product has.'] })

/** All combinations, in the order of the groups and their options. Throws if there are too many to generate. */
export function listCombinations(groups: readonly Group[]): Combination[] {
  if (groups.length === 0) return []
  const count = groups.reduce((product, { options }) => product * options.length, 1)
  if (count > MAX_VARIANTS)
    throw notValid({
      variant_groups: [
        `variant_groups must have at most ${MAX_VARIANTS} combinations of options to generate all variants. Create the variants that you sell one by one.`,
      ],
    })
  return groups.reduce<Combination[]>(
    (combinations, group) =>
      combinations.flatMap((chosen) => group.options.map((option) => ({ ...chosen, [group.id]: option.id }))),
    [{}],
  )
}

/**
 * Creates a variant for each option of a new product's only group, and returns their ids. `counts` has the stock of the options, by
 * position. Options without a count get a variant, too, which sells from the product's stock. Without it, the product would look sold out
 * as soon as the others are.
 */
export async function createOptionVariants(
  tx: ProductTx,
  shop: Shop,
  productId: string,
  group: Group,
  counts: readonly (number | null)[],
  now: Date,
): Promise<string[]> {
  const variants = blankVariants(listCombinations([group]), now)
  const variantIds = await insertVariants(tx, shop, productId, variants, now)
  const items = variants.flatMap(({ id }, index) => {
    const available = counts[index] ?? null
    return available === null ? [] : [{ id, available }]
  })
  await openStock(tx, shop, productId, items)
  return variantIds
}

export function blankVariants(combinations: readonly Combination[], now: Date) {
  // Ids of one millisecond have a random order. Sorting keeps the variants in the order of their combinations.
  const ids = combinations.map(() => newId('variant', now)).sort()
  return combinations.map((options, index) => ({ ...BLANK_VARIANT, id: ids[index] ?? '', options }))
}
