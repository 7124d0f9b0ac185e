// Why a line is refused: one rule for what is wrong, one table of sentences for programmers, which name fields, and for each flaw the entry
// of the table of lib/words/refusals.ts that shoppers are told. No I/O.

import type { FieldErrors } from '../../lib/errors.ts'
import { type Refusal, refusal } from '../../lib/words/refusals.ts'
import type { Limits, LineCheck } from './choice.ts'
import { LIMITS, type LineFlaw, type LineRow } from './line.ts'

/** A table's order is the order in which flaws are looked for: the first that a line has is said. */
type Wording<Sentence> = { readonly [Kind in LineFlaw['kind']]?: (most: number) => Sentence }

const VARIANT_OUTDATED =
  'variant_id must be a valid variant; the options of the product have changed since it was made.'

const QUANTITY_OF_CART: Wording<FieldErrors> = {
  too_many: () => ({ quantity: [`quantity must leave the line at ${LIMITS.quantity} or less.`] }),
  out_of_stock: (most) => ({
    quantity: [`quantity is more than there is: ${most} are available, for all lines of the cart together.`],
  }),
  too_large: (most) => ({
    quantity: [`quantity would make the line worth more than a line may be; ${most} are the most at this price.`],
  }),
}

const CHOICE_OF_CART: Wording<FieldErrors> = {
  variant_unknown: () => ({ variant_id: ['variant_id must be the id of a variant of this product.'] }),
  options_disagree: () => ({
    options: ['options must be those of the variant that variant_id names, or be left out.'],
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
  too_many_lines: () => ({ id: [`id would be one line more than the ${LIMITS.lines} that a cart may have.`] }),
  too_much_shown: () => ({
    id: [
      `id would make the cart larger than it may be: its lines may show ${LIMITS.shownBytes / 1_048_576} MB of descriptions, choices and data of their products. Buy the rest in another cart.`,
    ],
  }),
  ...QUANTITY_OF_CART,
}

/** `field`: the one that asks for the change. */
const changeOf = (field: 'quantity' | 'options' | 'variant_id'): Wording<FieldErrors> => ({
  not_for_sale: () => ({
    [field]: ['The product of this line is not for sale any more; the line can only be removed.'],
  }),
  ...CHOICE_OF_CART,
  ...QUANTITY_OF_CART,
})

/** The order in which a check of a checkout looks for flaws. It answers shoppers alone: they need no other words. */
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

/** Ends of sentences that begin with the line's path: `line_items.item_… cannot be bought: …`. */
const PURCHASE: Wording<string> = {
  not_for_sale: () => 'the product is not for sale any more',
  option_unknown: () => 'an option that was chosen does not exist any more; choose anew',
  too_large: (most) => `it would be worth more than a line may be; ${most} are the most at this price`,
  out_of_stock: (most) => `there is not enough of it; ${most} are available, for all lines together`,
}

/** The part of the line's path that is wrong, and the rule that goes on from it. */
const CAPTURE: Wording<readonly [part: string, rule: string]> = {
  not_for_sale: () => ['', 'cannot be bought: the product is not for sale any more'],
  option_unknown: () => ['.variants', 'must be chosen anew: an option that was chosen does not exist any more'],
  too_large: (most) => ['.quantity', `must be ${most} or less at this price`],
  out_of_stock: (most) => [
    '.quantity',
    `is more than there is: ${most} are available, for all lines of the checkout together`,
  ],
}

/** What programmers and what shoppers are told. */
type Words = readonly [errors: FieldErrors, said: Refusal]

/** `variantId`: the one that was asked for. */
export const addRefusal = (check: LineCheck, variantId: string | null): Words => wordsIn(ADD, flawsOf(check, variantId))

export const quantityRefusal = (check: Limits & Pick<LineCheck, 'is_for_sale'>): Words =>
  wordsIn(changeOf('quantity'), flawsOf(check, null))

export const choiceRefusal = (check: LineCheck, variantId: string | null): Words =>
  wordsIn(changeOf(variantId === null ? 'options' : 'variant_id'), flawsOf(check, variantId))

export const checkRefusal = (check: LineCheck, variantId: string | null): Refusal =>
  flawRefusal(firstFlaw(CHECK, flawsOf(check, variantId)))

/** `path`: that of the line in the request. */
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

/** What a shopper is told. `product`: the name of the line's, where there are others beside it. */
export function flawRefusal(flaw: LineFlaw, product?: string): Refusal {
  const of = product === undefined ? {} : { product }
  switch (flaw.kind) {
    case 'out_of_stock':
      return refusal('not_enough', { left: flaw.most, ...of })
    case 'too_large':
      return refusal('too_many', { most: flaw.most, ...of })
    case 'too_many':
      return refusal('too_many', { most: LIMITS.quantity, ...of })
    case 'too_many_lines':
    case 'too_much_shown':
      return refusal('cart_full')
    default:
      return refusal(CODES[flaw.kind], of)
  }
}

/** The names of the products by their lines, for `flawRefusal`; none where there is one line alone. */
export const namesOfLines = (lines: readonly Pick<LineRow, 'id' | 'name' | 'product'>[]): ReadonlyMap<string, string> =>
  new Map(lines.length < 2 ? [] : lines.map(({ id, name, product }) => [id, product?.name ?? name]))

/** All that is wrong with a line that a statement has refused. */
function flawsOf(check: Limits & Partial<LineCheck>, variantId: string | null): LineFlaw[] {
  const flaws: LineFlaw[] = []
  if (!check.is_for_sale) flaws.push({ kind: 'not_for_sale' })
  if (check.is_variant_known === false) flaws.push({ kind: 'variant_unknown' })
  if (check.is_complete === false) flaws.push({ kind: 'variant_incomplete' })
  if (check.do_options_agree === false) flaws.push({ kind: 'options_disagree' })
  if (check.are_options_known === false)
    flaws.push({ kind: variantId === null ? 'option_unknown' : 'variant_outdated' })
  if (check.has_room === false) flaws.push({ kind: 'too_many_lines' })
  if (check.is_showable === false) flaws.push({ kind: 'too_much_shown' })
  // It was refused: where nothing else is wrong, there are too many.
  flaws.push(limitFlaw(check))
  return flaws
}

/** The least of the limits is the one that refused. */
function limitFlaw({ most_by_stock: byStock, most_by_total: byTotal, available }: Limits): LineFlaw {
  const least = Math.min(LIMITS.quantity, byStock ?? LIMITS.quantity, byTotal ?? LIMITS.quantity)
  if (least === LIMITS.quantity) return { kind: 'too_many' }
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
  throw new Error(`There are no words for ${flaws.map(({ kind }) => kind).join(', ')}.`)
}

function sentenceFor<Sentence>(wording: Wording<Sentence>, flaw: LineFlaw): Sentence {
  const say = wording[flaw.kind]
  if (say === undefined) throw new Error(`There are no words for ${flaw.kind}.`)
  return say('most' in flaw ? flaw.most : 0)
}
