// All shopper messages about refused requests. A refusal is a code with parameters; `REFUSALS` has the message for each code.
// A message is a short sentence without ids and names of API fields. Programmers find those in `errors` of the response. No I/O.

import { fieldNoun, missingSentence, type ShopperField, shopperFieldAt, wrongSentence } from './fields.ts'
import {
  describeWait,
  isPlainEnglish,
  isVisible,
  shortName,
  withArticle,
  withoutEndPunctuation,
  withThe,
} from './phrases.ts'

type Wait = { readonly seconds: number }
/** `product`: name of the product, if the request is about several products. */
type OfProduct = { readonly product?: string }

const tryAgain = ({ seconds }: Wait) => `Please try again in ${describeWait(seconds)}.`

const quoteName = (name: string) => `“${shortName(name)}”`

const REFUSALS = {
  // Requests as such: a mistake that only a programmer can fix, and a request that was sent twice.
  request_not_right: () => 'Something in this request is not right. Please try again.',
  still_running: () => 'This is still being done. Please wait a moment.',
  done_before: () => 'This was done already. Please look again before you repeat it.',

  // Forms
  missing_field: ({ field }: { readonly field: ShopperField }) => missingSentence(field),
  wrong_field: ({ field }: { readonly field: ShopperField }) => wrongSentence(field),
  missing_answer: ({ name }: { readonly name: string }) => `Please fill in ${quoteName(name)}.`,
  wrong_answer: ({ name }: { readonly name: string }) => `Please check ${quoteName(name)}.`,
  choose_option: ({ name }: { readonly name: string }) =>
    isPlainEnglish(name)
      ? chooseSentence(name)
      : `Please choose: ${isVisible(name) ? withoutEndPunctuation(name) : 'an option'}.`,
  check_fields: ({ fields }: { readonly fields: readonly string[] }) => `Please check: ${joinFields(fields)}.`,
  email_taken: () => 'Another account has this e-mail address.',

  // Products and carts
  not_enough: ({ left, product }: { readonly left: number } & OfProduct) => {
    if (left <= 0) return product === undefined ? 'This is sold out.' : `${quoteName(product)} is sold out.`
    const ofProduct = product === undefined ? '' : ` of ${quoteName(product)}`
    return left === 1 ? `Only 1${ofProduct} is left.` : `Only ${left}${ofProduct} are left.`
  },
  not_for_sale: ({ product }: OfProduct) =>
    product === undefined ? 'This product is not available.' : `${quoteName(product)} is not available any more.`,
  choice_not_available: ({ product }: OfProduct) =>
    product === undefined
      ? 'This choice is not available. Please choose again.'
      : `What you chose of ${quoteName(product)} is not available any more. Please choose again.`,
  too_many: ({ most, product }: { readonly most: number } & OfProduct) => {
    const productName = product === undefined ? null : quoteName(product)
    return most > 0
      ? `You can order ${most} of ${productName ?? 'this'} at most.`
      : `${productName ?? 'This'} cannot be ordered here.`
  },
  gone_meanwhile: () => 'Somebody else was faster: there is not enough of this any more. Please choose less.',
  cart_full: () => 'Your cart is full. Please order the rest separately.',
  cart_empty: () => 'Your cart is empty.',

  // Codes and money
  code_not_accepted: () => 'This code cannot be used: it is wrong, has expired or is used up.',
  code_for_other_products: () => 'This code is for other products.',
  gift_card_not_accepted: () => 'This gift card cannot be used: its code is wrong, or nothing is left on it.',
  gift_card_changed: () => 'Less is left on your gift card than before. Please look at the total again.',
  amount_too_low: ({ minimum }: { readonly minimum: string }) => `Please pay ${minimum} or more.`,
  amount_too_high: () => 'This is more than you can pay here.',
  amount_not_asked: () => 'Nothing in this order has a price that you choose.',
  total_changed: ({ total }: { readonly total: string }) =>
    `The total is now ${total}. Please look at it again before you pay.`,
  payments_closed: () => 'This shop takes no payments yet.',
  payment_declined: ({ reason }: { readonly reason: string }) => reason,
  payment_not_made: () => 'The payment did not go through, and you have not been charged. Please try again.',
  payment_provider_down: () =>
    'This way to pay does not work at the moment. Please choose another, or try again later.',
  payment_expired: () => 'The time to pay is over, and you have not been charged. Please try again.',
  payment_given_back: () => 'You paid after the time to pay was over. You get the money back; please try again.',
  payment_to_confirm: () => 'Please confirm the payment with your bank.',
  payment_unknown: () => 'Your payment is being checked. Please try again in a moment: you will not pay twice.',

  // Shipping and places
  shipping_not_offered: () => 'This shipping method is not offered for your order. Please choose another one.',
  shipping_to_nowhere: () => 'Your order cannot be shipped to this address.',
  nothing_to_ship: () => 'Nothing in this order has to be shipped.',

  // Missing things
  cart_gone: () => 'This cart is not there any more. Please start a new one.',
  line_gone: () => 'This is not in your cart any more.',
  checkout_gone: () => 'This checkout is not open any more. Please start again from your cart.',
  already_ordered: () => 'This order has been placed already.',
  being_ordered: () => 'Your order is being placed. Please wait a moment.',
  product_gone: () => 'This product is not available.',
  category_gone: () => 'This category is not available.',
  order_unknown: () => 'This order was not found.',
  receipt_unknown: () => 'There is no receipt of this order.',
  country_unknown: () => 'This country is not known here.',
  customer_unknown: () => 'This account was not found.',
  not_found: () => 'This was not found.',

  // Logging in, and limits
  login_link_over: () => 'This login link has been used or is too old. Please ask for a new one.',
  login_over: () => 'Please log in again.',
  too_many_login_links: (wait: Wait) => `Too many login links were asked for. ${tryAgain(wait)}`,
  too_many_logins: (wait: Wait) => `Too many login links did not work. ${tryAgain(wait)}`,
  too_many_codes: (wait: Wait) => `Too many codes were tried. ${tryAgain(wait)}`,
  too_many_declines: (wait: Wait) => `Too many payments were declined. ${tryAgain(wait)}`,
  checkout_spent: () => 'Too many payments were declined in this checkout. Please start again from your cart.',
  too_many_email_changes: (wait: Wait) => `The e-mail address was changed too often. ${tryAgain(wait)}`,
  too_many_requests: (wait: Wait) => `That was a little too fast. ${tryAgain(wait)}`,
  shop_closed: () => 'This shop is closed at the moment.',
  shop_full: (wait: Wait) => `This shop cannot take more at the moment. ${tryAgain(wait)}`,
} as const

export type RefusalCode = keyof typeof REFUSALS

type ParamsOf<Code extends RefusalCode> =
  Parameters<(typeof REFUSALS)[Code]> extends [infer Params] ? Params : Record<string, never>

/** Reason of a refusal, with the parameters of its message. */
export type ShopperRefusal = { readonly code: RefusalCode; readonly params: Readonly<Record<string, unknown>> }

export const REFUSAL_CODES = Object.keys(REFUSALS) as readonly RefusalCode[]

export const refusal = <Code extends RefusalCode>(
  code: Code,
  ...[params]: ParamsOf<Code> extends Record<string, never> ? [] : [ParamsOf<Code>]
): ShopperRefusal => ({ code, params: params ?? {} })

export const shopperSentence = ({ code, params }: ShopperRefusal): string =>
  (REFUSALS[code] as (params: Readonly<Record<string, unknown>>) => string)(params)

/** Asks to choose an option. A group's name such as `Choose a size` is already a sentence. */
function chooseSentence(name: string): string {
  const plain = withoutEndPunctuation(name)
  return /^(?:choose|select|pick)\b/i.test(plain)
    ? `${plain[0]?.toUpperCase()}${plain.slice(1)}.`
    : `Choose ${withArticle(name)}.`
}

// Several refusals at once, for example of a half-empty form.

/** Maximum length of a list of fields in a message, in fields and in characters. A longer list is hard to read. */
const MAX_LISTED_FIELDS = 3
const MAX_LIST_LENGTH = 85

/** Lists the first fields and counts the others: `name, city and 3 more`. */
function joinFields(fields: readonly string[]): string {
  let listedFields = fields.slice(0, MAX_LISTED_FIELDS)
  while (listedFields.length > 1 && listedFields.join(', ').length > MAX_LIST_LENGTH)
    listedFields = listedFields.slice(0, -1)
  const restCount = fields.length - listedFields.length
  return restCount > 0 ? `${listedFields.join(', ')} and ${restCount} more` : listedFields.join(', ')
}

/** Noun of the field, for a list of fields to check. Null if the message of the refusal says more than `Please check`. */
function fieldNounOf({ code, params }: ShopperRefusal): string | null {
  switch (code) {
    case 'missing_field':
    case 'wrong_field':
      return fieldNoun(params.field as ShopperField)
    case 'missing_answer':
    case 'wrong_answer':
      return quoteName(params.name as string)
    case 'choose_option':
      return isPlainEnglish(params.name as string) ? withThe(params.name as string) : shortName(params.name as string)
    default:
      return null
  }
}

export const UNSPECIFIC_REFUSAL = refusal('request_not_right')

/**
 * Combines all refusals of a request, in order of discovery, into the one that the shopper sees. That is the first refusal
 * that is not about a form field; else one message that lists the form fields. A mistake that only a programmer can fix is
 * shown only if there is nothing else.
 */
export function combineRefusals(refusals: readonly ShopperRefusal[]): ShopperRefusal {
  const shownRefusals = refusals.filter(({ code }) => code !== 'request_not_right')
  const specificRefusal = shownRefusals.find((each) => fieldNounOf(each) === null)
  const [first = UNSPECIFIC_REFUSAL] = shownRefusals
  if (specificRefusal !== undefined) return specificRefusal
  const nouns = [...new Set(shownRefusals.map((each) => fieldNounOf(each) ?? ''))]
  return nouns.length < 2 ? first : refusal('check_fields', { fields: nouns })
}

/** Refusal for a field of the request, if nothing is known but its path. */
export function fieldRefusal(path: string, isMissing = false): ShopperRefusal {
  const field = shopperFieldAt(path)
  if (field === null) return UNSPECIFIC_REFUSAL
  return isMissing ? refusal('missing_field', { field }) : refusal('wrong_field', { field })
}

/** Codes by the noun of a `not_found` error. */
const GONE_CODES: Readonly<Record<string, RefusalCode>> = {
  cart: 'cart_gone',
  'line item': 'line_gone',
  'checkout token': 'checkout_gone',
  product: 'product_gone',
  variant: 'product_gone',
  'variant group': 'product_gone',
  category: 'category_gone',
  order: 'order_unknown',
  receipt: 'receipt_unknown',
  country: 'country_unknown',
  customer: 'customer_unknown',
}

export const missingThingRefusal = (thing: string): ShopperRefusal => ({
  code: GONE_CODES[thing] ?? 'not_found',
  params: {},
})
