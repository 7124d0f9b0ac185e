// Reasons to refuse a line. One rule finds the flaws. Tables give the error for programmers, naming a field, and for shoppers the entry of
// lib/words/refusals.ts. No I/O.

import type { FieldErrors } from '../../lib/errors.ts'
import { refusal, type ShopperRefusal } from '../../lib/words/refusals.ts'
import type { LineCheck, LineLimits } from './choice.ts'
import { LINE_LIMITS, type LineFlaw, type LineRow } from './line.ts'

/** The order of a table is the priority of the flaws: only the first flaw of a line is reported. */
type Wording<Sentence> = { readonly [Kind in LineFlaw['kind']]?: (most: number) => Sentence }

const VARIANT_OUTDATED =
  'variant_id must be a valid variant; the options of the product have changed since it was made.'

const QUANTITY_OF_CART: Wording<FieldErrors> = {
  too_many: () => ({ quantity: [`quantity must leave the line at ${LINE_LIMITS.quantity} or less.`] }),
  out_of_stock: (most) => ({
    quantity: [`quantity is more than there is: ${most} are available, for all lines of the cart together.`],
  }),
  too_large: (most) => ({
    quantity: [`quantity must leave the line at ${most} or less at this price: its total would be too high.`],
  }),
}

const CHOICE_OF_CART: Wording<FieldErrors> = {
  variant_unknown: () => ({ variant_id: ['variant_id must be the id of a variant of this product.'] }),
  options_disagree: () => ({
    options: ['options must match the variant in variant_id, or be omitted.'],
  }),
  variant_incomplete: () => ({ variant_id: [VARIANT_OUTDATED] }),
  variant_outdated: () => ({ variant_id: [VARIANT_OUTDATED] }),
  option_unknown: () => ({
    options: ['options must name variant groups of this product, each with an option of that group.'],
  }),
}

const ADD: Wording<FieldErrors> = {
  not_for_sale: () => ({ id: ['id must be the id of a product that is for sale.'] }),
  ...CHOICE_OF_CART,
  too_many_lines: () => ({
    id: [`id would exceed the ${LINE_LIMITS.lines} lines that a cart can have. Remove a line first.`],
  }),
  too_much_shown: () => ({
    id: [
      `id would make the cart too large: its lines can show at most ${LINE_LIMITS.shownBytes / 1_048_576} MB of product descriptions, options and data. Buy the rest in another cart.`,
    ],
  }),
  ...QUANTITY_OF_CART,
}

/** `field` is the one that requests the change. */
const changeOf = (field: 'quantity' | 'options' | 'variant_id'): Wording<FieldErrors> => ({
  not_for_sale: () => ({
    [field]: ['The product of this line is not for sale any more; the line can only be removed.'],
  }),
  ...CHOICE_OF_CART,
  ...QUANTITY_OF_CART,
})

/** Priority of flaws in a check of a checkout. It answers only shoppers, so it has no sentences for programmers. */
const CHECK: readonly LineFlaw['kind'][] = [
  'not_for_sale',
  'variant_unknown',
  'variant_incomplete',
  'options_disagree',
  'variant_outdated',
  'option_unknown',
  'out_of_stock',
  'too_large',
  'too_many',
]

/** Ends of sentences that start with the line's path: `line_items.item_… cannot be bought: …`. */
const PURCHASE: Wording<string> = {
  not_for_sale: () => 'the product is not for sale any more',
  option_unknown: () => 'a chosen option no longer exists; choose another one',
  too_large: (most) => `its total would be too high; buy at most ${most} at this price`,
  out_of_stock: (most) => `there is not enough of it; ${most} are available, for all lines together`,
}

/** The wrong part of the line's path, and the rest of the sentence. */
const CAPTURE: Wording<readonly [part: string, rule: string]> = {
  not_for_sale: () => ['', 'cannot be bought: the product is not for sale any more'],
  option_unknown: () => ['.variants', 'must be chosen again: a chosen option no longer exists'],
  too_large: (most) => ['.quantity', `must be ${most} or less at this price`],
  out_of_stock: (most) => [
    '.quantity',
    `is more than there is: ${most} are available, for all lines of the checkout together`,
  ],
}

/** The errors for programmers, and the refusal for shoppers. */
type Words = readonly [errors: FieldErrors, said: ShopperRefusal]

/** `variantId` is the requested one. */
export const addRefusal = (check: LineCheck, variantId: string | null): Words => wordsIn(ADD, flawsOf(check, variantId))

export const quantityRefusal = (check: LineLimits & Pick<LineCheck, 'is_for_sale'>): Words =>
  wordsIn(changeOf('quantity'), flawsOf(check, null))

export const choiceRefusal = (check: LineCheck, variantId: string | null): Words =>
  wordsIn(changeOf(variantId === null ? 'options' : 'variant_id'), flawsOf(check, variantId))

export const checkRefusal = (check: LineCheck, variantId: string | null): ShopperRefusal =>
  flawRefusal(firstFlaw(CHECK, flawsOf(check, variantId)))

/** `path` is that of the line in the request. */
export const purchaseRefusal = (path: string, flaw: LineFlaw): string =>
  `${path} cannot be bought: ${sentenceFor(PURCHASE, flaw)}.`

export const captureRefusal = (flaw: LineFlaw) => sentenceFor(CAPTURE, flaw)

const CODES = {
  not_for_sale: 'not_for_sale',
  variant_unknown: 'choice_not_available',
  variant_incomplete: 'choice_not_available',
  variant_outdated: 'choice_not_available',
  options_disagree: 'choice_not_available',
  option_unknown: 'choice_not_available',
} as const

/** The refusal for a shopper. `product` is the name of the line's product, given if there are several lines. */
export function flawRefusal(flaw: LineFlaw, product?: string): ShopperRefusal {
  const productParam = product === undefined ? {} : { product }
  switch (flaw.kind) {
    case 'out_of_stock':
      return refusal('not_enough', { left: flaw.most, ...productParam })
    case 'too_large':
      return refusal('too_many', { most: flaw.most, ...productParam })
    case 'too_many':
      return refusal('too_many', { most: LINE_LIMITS.quantity, ...productParam })
    case 'too_many_lines':
    case 'too_much_shown':
      return refusal('cart_full')
    default:
      return refusal(CODES[flaw.kind], productParam)
  }
}

/** Product names by line id, for `flawRefusal`. Empty if there is only one line. */
export const namesOfLines = (lines: readonly Pick<LineRow, 'id' | 'name' | 'product'>[]): ReadonlyMap<string, string> =>
  new Map(lines.length < 2 ? [] : lines.map(({ id, name, product }) => [id, product?.name ?? name]))

/** All flaws of a line that was refused. */
function flawsOf(check: LineLimits & Partial<LineCheck>, variantId: string | null): LineFlaw[] {
  const flaws: LineFlaw[] = []
  if (!check.is_for_sale) flaws.push({ kind: 'not_for_sale' })
  if (check.is_variant_known === false) flaws.push({ kind: 'variant_unknown' })
  if (check.is_complete === false) flaws.push({ kind: 'variant_incomplete' })
  if (check.do_options_agree === false) flaws.push({ kind: 'options_disagree' })
  if (check.are_options_known === false)
    flaws.push({ kind: variantId === null ? 'option_unknown' : 'variant_outdated' })
  if (check.has_room === false) flaws.push({ kind: 'too_many_lines' })
  if (check.is_showable === false) flaws.push({ kind: 'too_much_shown' })
  // The line was refused, so without another flaw its quantity is too high.
  flaws.push(limitFlaw(check))
  return flaws
}

/** The flaw behind the smallest limit. */
function limitFlaw({ most_by_stock: byStock, most_by_total: byTotal, available }: LineLimits): LineFlaw {
  const least = Math.min(LINE_LIMITS.quantity, byStock ?? LINE_LIMITS.quantity, byTotal ?? LINE_LIMITS.quantity)
  if (least === LINE_LIMITS.quantity) return { kind: 'too_many' }
  return byStock === least ? { kind: 'out_of_stock', most: available ?? 0 } : { kind: 'too_large', most: least }
}

function wordsIn(wording: Wording<FieldErrors>, flaws: readonly LineFlaw[]): Words {
  const flaw = firstFlaw(Object.keys(wording), flaws)
  return [sentenceFor(wording, flaw), flawRefusal(flaw)]
}

function firstFlaw(kinds: readonly string[], flaws: readonly LineFlaw[]): LineFlaw {
  for (const kind of kinds) {
    const flaw = flaws.find((each) => each.kind === kind)
    if (flaw !== undefined) return flaw
  }
  throw new Error(`No message describes ${flaws.map(({ kind }) => kind).join(', ')}.`)
}

function sentenceFor<Sentence>(wording: Wording<Sentence>, flaw: LineFlaw): Sentence {
  const sentence = wording[flaw.kind]
  if (sentence === undefined) throw new Error(`No message describes ${flaw.kind}.`)
  return sentence('most' in flaw ? flaw.most : 0)
}
