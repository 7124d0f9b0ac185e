// The rules of variant groups and their options, as a product's body gives them.

import type { FieldErrors } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { parseAmount, priceOf } from '../../lib/money.ts'
import { MAX_OPTIONS_IN_ALL, type ProductChanges } from './body-schema.ts'
import { pairEntries } from './entries.ts'
import type { GroupWrite, OptionWrite } from './group-store.ts'
import { idsOf } from './references.ts'
import type { GroupRow, OptionRow } from './row-store.ts'

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
