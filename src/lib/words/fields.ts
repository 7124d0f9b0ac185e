// Names of the fields that shoppers fill in, by the last parts of a field's path.
// Other fields are not listed: their errors are mistakes of the storefront's programmer. No I/O.

type FieldWords = {
  /** Part of a sentence: `your e-mail address`. */
  readonly noun: string
  /** Message for an empty field; `Enter …` by default. */
  readonly missing?: string
  /** Message for an invalid field; `Please check …` by default. */
  readonly wrong?: string
}

const WORDS = {
  email: { noun: 'your e-mail address' },
  firstname: { noun: 'your first name' },
  lastname: { noun: 'your last name' },
  phone: { noun: 'your phone number' },
  recipient: { noun: 'your name' },
  street: { noun: 'the street' },
  city: { noun: 'the city' },
  region: { noun: 'the state or region', missing: 'Choose a state or region.' },
  postal_code: { noun: 'the postal code' },
  country: { noun: 'the country', missing: 'Choose a country.', wrong: 'Choose a country from the list.' },
  instructions: { noun: 'the delivery instructions' },
  shipping_method: { noun: 'the shipping method', missing: 'Choose a shipping method.' },
  payment: { noun: 'how you want to pay', missing: 'Choose how you want to pay.', wrong: 'Choose another way to pay.' },
  card_number: { noun: 'the card number' },
  card_expiry: { noun: 'the expiry date of the card' },
  card_code: { noun: 'the security code of the card' },
  quantity: { noun: 'the quantity', missing: 'Choose how many you want.' },
  discount_code: { noun: 'the discount code' },
  gift_card: { noun: 'the gift card code' },
  code: { noun: 'the code' },
  amount: { noun: 'the amount' },
  choice: {
    noun: 'what you have chosen',
    missing: 'Please choose an option.',
    wrong: 'This choice is not available. Please choose again.',
  },
} as const satisfies Readonly<Record<string, FieldWords>>

export type ShopperField = keyof typeof WORDS

/** Fields by the end of a path. The first match counts. */
const FIELDS_BY_PATH: readonly (readonly [end: string, field: ShopperField])[] = [
  ['card.number', 'card_number'],
  ['shipping.name', 'recipient'],
  ['billing.name', 'recipient'],
  ['email', 'email'],
  ['firstname', 'firstname'],
  ['lastname', 'lastname'],
  ['phone', 'phone'],
  ['street', 'street'],
  ['street_2', 'street'],
  ['town_city', 'city'],
  ['county_state', 'region'],
  ['region', 'region'],
  ['postal_zip_code', 'postal_code'],
  ['country', 'country'],
  ['delivery_instructions', 'instructions'],
  ['shipping_method', 'shipping_method'],
  ['shipping_option_id', 'shipping_method'],
  ['gateway', 'payment'],
  ['expires', 'card_expiry'],
  ['expiry_month', 'card_expiry'],
  ['expiry_year', 'card_expiry'],
  ['cvc', 'card_code'],
  ['quantity', 'quantity'],
  ['amount', 'quantity'],
  ['discount_code', 'discount_code'],
  ['giftcard_code', 'gift_card'],
  ['code', 'code'],
  ['pay_what_you_want', 'amount'],
  ['customer_set_price', 'amount'],
  ['options', 'choice'],
  ['variant_id', 'choice'],
  ['option_id', 'choice'],
]

/** Null if no shopper fills it in. */
export const shopperFieldAt = (path: string): ShopperField | null =>
  FIELDS_BY_PATH.find(([end]) => path === end || path.endsWith(`.${end}`))?.[1] ?? null

export const fieldNoun = (field: ShopperField): string => WORDS[field].noun

export function missingSentence(field: ShopperField): string {
  const words: FieldWords = WORDS[field]
  return words.missing ?? `Enter ${words.noun}.`
}

export function wrongSentence(field: ShopperField): string {
  const words: FieldWords = WORDS[field]
  return words.wrong ?? `Please check ${words.noun}.`
}
