// Why a line is refused, and in which words: one rule for what is wrong, one table of sentences for all endpoints. No I/O.

import type { FieldErrors } from '../../lib/errors.ts'
import { LIMITS, type LineFlaw } from './line.ts'
import type { Limits, LineCheck } from './store.ts'

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

const NO_SUCH_VARIANT = 'There is no such variant of this product, or it lacks an option of a newer group.'
const NO_SUCH_OPTIONS =
  'What is chosen does not exist: name options of this product, one of each variant group, that agree with the variant.'

const CHECK: Wording<string> = {
  not_for_sale: () => 'The product of this line is not for sale any more.',
  variant_unknown: () => NO_SUCH_VARIANT,
  variant_incomplete: () => NO_SUCH_VARIANT,
  options_disagree: () => NO_SUCH_OPTIONS,
  variant_outdated: () => NO_SUCH_OPTIONS,
  option_unknown: () => NO_SUCH_OPTIONS,
  out_of_stock: (most) => `There is not enough of it: ${most} are available, for all lines of the checkout together.`,
  too_large: (most) => `The line would be worth more than a line may be; ${most} are the most at this price.`,
  too_many: () => `A line holds ${LIMITS.quantity} at most.`,
}

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

/** `variantId`: the one that was asked for. */
export const addRefusal = (check: LineCheck, variantId: string | null): FieldErrors =>
  firstSentence(ADD, flawsOf(check, variantId))

export const quantityRefusal = (check: Limits & Pick<LineCheck, 'is_for_sale'>): FieldErrors =>
  firstSentence(changeOf('quantity'), flawsOf(check, null))

export const choiceRefusal = (check: LineCheck, variantId: string | null): FieldErrors =>
  firstSentence(changeOf(variantId === null ? 'options' : 'variant_id'), flawsOf(check, variantId))

export const checkRefusal = (check: LineCheck, variantId: string | null): string =>
  firstSentence(CHECK, flawsOf(check, variantId))

/** `path`: that of the line in the request. */
export const purchaseRefusal = (path: string, flaw: LineFlaw): string =>
  `${path} cannot be bought: ${firstSentence(PURCHASE, [flaw])}.`

export const captureRefusal = (flaw: LineFlaw) => firstSentence(CAPTURE, [flaw])

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

function firstSentence<Sentence>(wording: Wording<Sentence>, flaws: readonly LineFlaw[]): Sentence {
  for (const [kind, say] of Object.entries(wording)) {
    const flaw = flaws.find((each) => each.kind === kind)
    if (flaw !== undefined) return say('most' in flaw ? flaw.most : 0)
  }
  throw new Error(`There are no words for ${flaws.map(({ kind }) => kind).join(', ')}.`)
}
