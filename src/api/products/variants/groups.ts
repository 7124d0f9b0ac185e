// The rules of variant groups and their options, as a product's body gives them.

import { type FieldErrors, notValid } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { parseAmount, priceOf } from '../../../lib/money.ts'
import { MAX_OPTIONS_IN_ALL, MAX_VARIANTS, type ProductChanges } from '../body-schema.ts'
import { idsOf, pairEntries } from '../children.ts'
import type { GroupRow, OptionRow } from '../read-store.ts'
import type { GroupWrite, OptionWrite } from './group-store.ts'
import type { Combination } from './schema.ts'

type SentGroups = NonNullable<ProductChanges['variant_groups']>
type SentOptions = NonNullable<SentGroups[number]['options']>

export type Judgement = {
  /** What is badly formed. */
  readonly malformed: FieldErrors
  /** What is well formed and refused by a rule. */
  readonly refused: FieldErrors
}

/** The groups that replace the current ones. Of a group or option that is kept, what is not sent stays. */
export function resolveVariantGroups(
  sent: SentGroups,
  current: readonly GroupRow[],
  currency: string,
  judgement: Judgement,
  now: Date,
): GroupWrite[] {
  return pairEntries(sent, current, 'variant_groups', judgement.refused).map(({ entry, known, path }) => ({
    id: known?.id ?? newId('variantGroup', now),
    name: entry.name,
    meta: entry.meta === undefined ? (known?.meta ?? null) : entry.meta,
    options:
      entry.options === undefined
        ? (known?.options ?? []).map(asWritten)
        : resolveOptions(entry.options, known?.options ?? [], `${path}.options`, currency, judgement, now),
  }))
}

export function resolveOptions(
  sent: SentOptions,
  current: readonly OptionRow[],
  path: string,
  currency: string,
  { malformed, refused }: Judgement,
  now: Date,
): OptionWrite[] {
  return pairEntries(sent, current, path, refused).map(({ entry, known, path }) =>
    resolveOption(entry, known, `${path}.price`, currency, malformed, now),
  )
}

export function resolveOption(
  entry: SentOptions[number],
  known: OptionRow | undefined,
  priceField: string,
  currency: string,
  malformed: FieldErrors,
  now: Date,
): OptionWrite {
  let delta = known?.price_delta ?? 0
  if (entry.price !== undefined) {
    const amount = parseAmount(entry.price, currency, { allowNegative: true, field: priceField })
    if (amount.ok) delta = amount.minor
    else malformed[priceField] = [amount.reason]
  }
  return {
    id: known?.id ?? newId('variantOption', now),
    name: entry.name,
    price_delta: delta,
    assets: entry.assets === undefined ? (known?.assets ?? []) : idsOf(entry.assets ?? []),
    meta: entry.meta === undefined ? (known?.meta ?? null) : entry.meta,
  }
}

type StockSource = Pick<ProductChanges, 'variant_groups'>

/** The stock that the options of the first group bring, in their order; null when none of them brings any. */
export function optionStockOf({ variant_groups = [] }: StockSource): (number | null)[] | null {
  const counts = (variant_groups[0]?.options ?? []).map(({ inventory }) => inventory ?? null)
  return counts.some((count) => count !== null) ? counts : null
}

/** Adds every stock that an option brings to `refused`: where it cannot be counted, it must not be dropped in silence. */
export function refuseOptionStock({ variant_groups = [] }: StockSource, reason: string, refused: FieldErrors) {
  for (const [index, { options = [] }] of variant_groups.entries())
    for (const [position, { inventory }] of options.entries()) {
      const field = `variant_groups.${index}.options.${position}.inventory`
      if (typeof inventory === 'number') refused[field] = [`${field} ${reason}`]
    }
}

const asWritten = ({ id, name, price_delta, assets, meta }: OptionRow): OptionWrite => ({
  id,
  name,
  price_delta,
  assets: assets ?? [],
  meta,
})

type Counted = { readonly options: readonly unknown[] }

/** Adds to `refused` where a product gets more options than it may have. One that has more since before the rule may get fewer. */
export function refuseTooManyOptions(
  field: string,
  before: readonly Counted[],
  after: readonly Counted[],
  refused: FieldErrors,
) {
  const countOf = (groups: readonly Counted[]) => groups.reduce((sum, { options }) => sum + options.length, 0)
  const count = countOf(after)
  if (count > MAX_OPTIONS_IN_ALL && count > countOf(before))
    refused[field] = [
      `${field} must leave the product with at most ${MAX_OPTIONS_IN_ALL} options in all its variant groups; it would have ${count}.`,
    ]
}

/** A group, as far as prices are concerned. */
export type Priced = { readonly options: readonly { readonly price_delta: number }[] }

/** Adds what is wrong to `refused`: options that together take more off than the product costs. Nothing may sell below zero. */
export function refuseBelowZero(
  field: string,
  price: number,
  groups: readonly Priced[],
  currency: string,
  refused: FieldErrors,
) {
  // Only what lowers the price counts: until it is paid for, a line may name options of some groups and not of others.
  const off = groups.reduce((sum, { options }) => sum - Math.min(0, ...options.map((each) => each.price_delta)), 0)
  if (off <= price) return
  const [cost, less] = [price, off].map((amount) => priceOf(amount, currency).formatted_with_code)
  refused[field] = [
    `${field} must leave every choice of options at zero or more: the product costs ${cost}, and its options can take ${less} off.`,
  ]
}

// Combinations of options, one of each group: which one a body means, whether it is complete, and all that there are.

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
