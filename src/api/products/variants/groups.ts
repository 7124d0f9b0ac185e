// The rules of variant groups and their options: merging a request body into the current ones, and checking the result.

import { newId } from '../../../lib/ids.ts'
import { parseAmount, priceOf } from '../../../lib/money.ts'
import { type Problems, pairEntries, uniqueIds } from '../../../lib/problems.ts'
import { MAX_OPTIONS_IN_ALL, type ProductChanges } from '../body-schema.ts'
import type { GroupRow, OptionRow } from '../read-store.ts'
import type { GroupWrite, OptionWrite } from './group-store.ts'

type SentGroups = NonNullable<ProductChanges['variant_groups']>
type SentOptions = NonNullable<SentGroups[number]['options']>

/** The new list of groups. A group or option that is kept also keeps the fields that are not sent. */
export function resolveVariantGroups(
  newGroups: SentGroups,
  current: readonly GroupRow[],
  currency: string,
  problems: Problems,
  now: Date,
): GroupWrite[] {
  return pairEntries(newGroups, current, 'variant_groups', problems).map(({ entry, known, path }) => ({
    id: known?.id ?? newId('variantGroup', now),
    name: entry.name,
    meta: entry.meta === undefined ? (known?.meta ?? null) : entry.meta,
    options:
      entry.options === undefined
        ? (known?.options ?? []).map(asWritten)
        : resolveOptions(entry.options, known?.options ?? [], `${path}.options`, currency, problems, now),
  }))
}

export function resolveOptions(
  newOptions: SentOptions,
  current: readonly OptionRow[],
  path: string,
  currency: string,
  problems: Problems,
  now: Date,
): OptionWrite[] {
  return pairEntries(newOptions, current, path, problems).map(({ entry, known, path }) =>
    resolveOption(entry, known, `${path}.price`, currency, problems, now),
  )
}

export function resolveOption(
  entry: SentOptions[number],
  known: OptionRow | undefined,
  priceField: string,
  currency: string,
  problems: Problems,
  now: Date,
): OptionWrite {
  let delta = known?.price_delta ?? 0
  if (entry.price !== undefined) {
    const amount = parseAmount(entry.price, currency, { allowNegative: true, field: priceField })
    if (amount.ok) delta = amount.minor
    else problems.malformedAs({ [priceField]: [amount.reason] })
  }
  return {
    id: known?.id ?? newId('variantOption', now),
    name: entry.name,
    price_delta: delta,
    assets: entry.assets === undefined ? (known?.assets ?? []) : uniqueIds(entry.assets ?? []),
    meta: entry.meta === undefined ? (known?.meta ?? null) : entry.meta,
  }
}

type StockSource = Pick<ProductChanges, 'variant_groups'>

/** Stock of the options in the first group, in their order. Null if no option has stock. */
export function optionStockOf({ variant_groups = [] }: StockSource): (number | null)[] | null {
  const counts = (variant_groups[0]?.options ?? []).map(({ inventory }) => inventory ?? null)
  return counts.some((count) => count !== null) ? counts : null
}

/** Refuses stock of options where it cannot be stored, because ignoring it silently would mislead the client. */
export function refuseOptionStock({ variant_groups = [] }: StockSource, reason: string, problems: Problems) {
  for (const [index, { options = [] }] of variant_groups.entries())
    for (const [position, { inventory }] of options.entries())
      if (typeof inventory === 'number')
        problems.refused(`variant_groups.${index}.options.${position}.inventory`, reason)
}

const asWritten = ({ id, name, price_delta, assets, meta }: OptionRow): OptionWrite => ({
  id,
  name,
  price_delta,
  assets: assets ?? [],
  meta,
})

type OptionList = { readonly options: readonly unknown[] }

/** Refuses more options than a product may have. A product that already has more may still lose some. */
export function refuseTooManyOptions(
  field: string,
  before: readonly OptionList[],
  after: readonly OptionList[],
  problems: Problems,
) {
  const countOf = (groups: readonly OptionList[]) => groups.reduce((sum, { options }) => sum + options.length, 0)
  const count = countOf(after)
  if (count > MAX_OPTIONS_IN_ALL && count > countOf(before))
    problems.refusedInstead(
      field,
      `must leave the product with at most ${MAX_OPTIONS_IN_ALL} options in all its variant groups; it would have ${count}`,
    )
}

/** The part of a group that affects prices. */
export type PricedGroup = { readonly options: readonly { readonly price_delta: number }[] }

/** Refuses options that can lower the product's price below zero. */
export function refuseBelowZero(
  field: string,
  price: number,
  groups: readonly PricedGroup[],
  currency: string,
  problems: Problems,
) {
  // Counts only options that lower the price. A line in a cart may have options of some groups and not of others.
  const maxDiscount = groups.reduce(
    (sum, { options }) => sum - Math.min(0, ...options.map((each) => each.price_delta)),
    0,
  )
  if (maxDiscount <= price) return
  const [cost, less] = [price, maxDiscount].map((amount) => priceOf(amount, currency).formatted_with_code)
  problems.refusedInstead(
    field,
    `must not let the price fall below zero: the product costs ${cost}, and its options can take ${less} off`,
  )
}
