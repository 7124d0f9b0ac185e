// Where the answers at 2021-09-29 are not what the types package `@types/chec__commerce.js` says, and why that stays. docs/sdk-types.md
// tells the same to people; types.test.ts sees to it that no line is missing in either and that none is left over.

export type TypeException = {
  /** What the types call it: `Order.version`. */
  readonly name: string
  /** The objects that hold the field: `method:path`, where `[]` is any entry of a list and `*` anything. */
  readonly owners: readonly string[]
  readonly field: string
  /** A value that the types take in its place; `undefined`: that it is left out. */
  readonly accepted: unknown
  /** All that is excepted, where the reason is about one value or about none: any other must be what the types say. */
  readonly when?: null | false | 'absent'
  readonly why: string
}

const MERCHANT = ['merchants.about:']
const TOKEN = ['checkout.generateToken:', 'checkout.generateTokenFrom:', 'checkout.getToken:']
const CART_LINE = ['cart.*line_items.[]', 'cart.contents:[]']
const ORDER = ['customer.getOrder:', 'customer.getOrders:data.[]']
const CAPTURED = ['checkout.capture:']
const TAX_ZONE = ['checkout.*tax.zone', 'customer.*tax.zone']

const below = (owners: readonly string[], path: string) =>
  owners.map((owner) => (owner.endsWith(':') ? owner + path : `${owner}.${path}`))

const UNSET = 'Null where the shop has set none; the types know no null.'
const SHORT_MERCHANT =
  'The merchant inside of a token is the short face that the specification shows; `merchants.about` has the rest.'
const EXTENSIONS = 'A flag of parts of the vanished service that do not exist here.'
const MEDIA = 'Since 2021-09-29 the lead picture is `image`; `media` ends there.'
const PLACE = 'Null as long as it is not known where the shopper is; the types know no null.'
const NO_CART = 'Null where one product was bought without a cart; the types know no null.'
const BUYER =
  'An order holds the id, e-mail and names that were given with it, and nothing else that is stored of the customer: a public key sees captures.'

const ADDRESS = {
  name: '',
  street: '',
  street_2: null,
  town_city: '',
  county_state: '',
  postal_zip_code: '',
  country: '',
}

const each = (
  type: string,
  owners: readonly string[],
  values: Readonly<Record<string, unknown>>,
  why: string,
  only: Pick<TypeException, 'when'> = {},
): TypeException[] =>
  Object.entries(values).map(([field, accepted]) => ({
    name: `${type}.${field}`,
    owners,
    field,
    accepted,
    why,
    ...only,
  }))

const NULL = { when: null }
const ABSENT = { when: 'absent' } as const

export const TYPE_EXCEPTIONS: readonly TypeException[] = [
  ...each('Merchant', MERCHANT, { description: '', country: '', logo: '', logo_shape: '' }, UNSET, NULL),
  ...each('Merchant', MERCHANT, { intercom: false }, 'A support chat of the vanished service; always null.', NULL),
  ...each(
    'CheckoutToken.merchant',
    below(TOKEN, 'merchant'),
    { description: '', logo: '', logo_shape: '' },
    UNSET,
    NULL,
  ),
  ...each(
    'CheckoutToken.merchant',
    below(TOKEN, 'merchant'),
    {
      status: 'active',
      country: '',
      intercom: false,
      analytics: { google: { settings: { tracking_id: null, linked_domains: null } } },
    },
    SHORT_MERCHANT,
    ABSENT,
  ),
  ...each('CheckoutToken.merchant.has', below(TOKEN, 'merchant.has'), { analytics: false }, SHORT_MERCHANT, ABSENT),
  ...each(
    'Product',
    ['products.retrieve:', 'products.list:data.[]'],
    { media: { type: 'image', source: '' } },
    MEDIA,
    ABSENT,
  ),
  ...each('LineItem', CART_LINE, { media: null }, MEDIA, ABSENT),
  ...each(
    'LineItem',
    CART_LINE,
    { variant: undefined },
    'Null where no variant is chosen; the types leave it out.',
    NULL,
  ),
  ...each('LineItem', CART_LINE, { sku: '' }, 'Null where the product has none; the types know no null.', NULL),
  ...each(
    'AddUpdateResponse',
    ['cart.add:', 'cart.update:'],
    { image: null },
    'The envelope around a changed cart does not repeat the picture: it stands in the line.',
    ABSENT,
  ),
  ...each(
    'CheckoutTokenLineItem',
    below(TOKEN, 'line_items.[]'),
    { image: null },
    'The whole asset, as on every other line; the types say a string.',
  ),
  ...each(
    'CheckoutTokenLineItem',
    below(TOKEN, 'line_items.[]'),
    { variants: [] },
    'The groups of the product with their options, as the specification has it; the types say the selected options.',
  ),
  ...each(
    'CheckoutToken',
    TOKEN,
    { gateways: [] },
    'The map of the specification in every version (`gateways.available.stripe`); the types say a list.',
  ),
  ...each('CheckoutToken', TOKEN, { extra_fields: {} }, 'The list of the fields; the types say a map of their values.'),
  ...each('OrderTax.zone', TAX_ZONE, { country: '', region: '', postal_zip_code: '' }, PLACE, NULL),
  ...each('SetTaxZoneResponse.tax_region', ['checkout.setTaxZone:tax_region'], { ip_address: '' }, PLACE, NULL),
  ...each(
    'CheckVariantResponse',
    ['checkout.checkVariant:'],
    { option_id: '' },
    'Null where a variant was asked for and not an option.',
    NULL,
  ),
  ...each(
    'CheckVariantResponse',
    ['checkout.checkVariant:'],
    { variant_id: '' },
    'Null where an option was asked for and no variant has it.',
    NULL,
  ),
  ...each(
    'Live',
    ['checkout.getLive:', 'checkout.*:live'],
    { discount: [] },
    'A list of at most one, as the specification has it; the types say an object, or an empty list.',
  ),
  ...each(
    'CheckPayWhatYouWantResponse',
    ['checkout.checkPayWhatYouWant:'],
    { message: '' },
    'Only a refusal has something to say.',
    ABSENT,
  ),
  ...each('CheckoutCaptureResponse', CAPTURED, { cart_id: '' }, NO_CART, NULL),
  ...each(
    'CheckoutCaptureResponse',
    CAPTURED,
    { redirect: '' },
    'False where the product names no page to go to; the types say a string here, and a boolean in `Order`.',
    { when: false },
  ),
  ...each(
    'Order',
    ORDER,
    { version: '' },
    'The version of an order record of the vanished service; nothing here has one.',
    ABSENT,
  ),
  ...each('Order', ORDER, { cart_id: '' }, NO_CART, NULL),
  ...each('Order', ORDER, { billing: ADDRESS }, 'Null where none was asked for.', NULL),
  ...each(
    'Order.customer',
    below(ORDER, 'customer'),
    { external_id: null, phone: null, meta: null, created: 0, updated: 0 },
    BUYER,
    ABSENT,
  ),
  ...each(
    'OrderConditionals',
    below([...ORDER, ...CAPTURED], 'conditionals'),
    {
      has_extend_fulfillment: false,
      has_extend_apps: false,
      has_webhook_fulfillment: false,
      has_subscription_items: false,
    },
    EXTENSIONS,
    ABSENT,
  ),
  ...each(
    'Order.has',
    below(ORDER, 'has'),
    { extend_fulfillment: false, extend_apps: false, webhook_fulfillment: false, subscription_items: false },
    EXTENSIONS,
    ABSENT,
  ),
]
