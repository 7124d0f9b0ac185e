// Answers at 2021-09-29 that differ from `@types/chec__commerce.js`. docs/sdk-types.md says why; types.test.ts keeps both complete.

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
}

const MERCHANT = ['merchants.about:']
const TOKEN = ['checkout.generateToken:', 'checkout.generateTokenFrom:', 'checkout.getToken:']
const PRODUCT = ['products.retrieve:', 'products.list:data.[]']
const CART_LINE = ['cart.*line_items.[]', 'cart.contents:[]']
const ORDER = ['customer.getOrder:', 'customer.getOrders:data.[]']
const CAPTURED = ['checkout.capture:']
const VARIANT = ['checkout.checkVariant:']
const TAX_ZONE = ['checkout.*tax.zone', 'customer.*tax.zone']
const LIVE = ['checkout.getLive:', 'checkout.*:live']

const below = (owners: readonly string[], path: string) =>
  owners.map((owner) => (owner.endsWith(':') ? owner + path : `${owner}.${path}`))

const STREET = { name: '', street: '', street_2: null, town_city: '', county_state: '', postal_zip_code: '' }
const TRACKING = { google: { settings: { tracking_id: null, linked_domains: null } } }
const EXTENSIONS = ['extend_fulfillment', 'extend_apps', 'webhook_fulfillment', 'subscription_items']
const extensions = (prefix: string) => Object.fromEntries(EXTENSIONS.map((name) => [prefix + name, false]))

/** By type: the objects, the fields with what the types accept, and the value that is excepted. */
type Row = readonly [
  type: string,
  owners: readonly string[],
  accepted: Readonly<Record<string, unknown>>,
  only?: Pick<TypeException, 'when'>,
]

const NULL = { when: null }
const ABSENT = { when: 'absent' } as const

const ROWS: readonly Row[] = [
  ['Merchant', MERCHANT, { description: '', country: '', logo: '', logo_shape: '', intercom: false }, NULL],
  ['CheckoutToken.merchant', below(TOKEN, 'merchant'), { description: '', logo: '', logo_shape: '' }, NULL],
  [
    'CheckoutToken.merchant',
    below(TOKEN, 'merchant'),
    { status: 'active', country: '', intercom: false, analytics: TRACKING },
    ABSENT,
  ],
  ['CheckoutToken.merchant.has', below(TOKEN, 'merchant.has'), { analytics: false }, ABSENT],
  ['Product', PRODUCT, { media: { type: 'image', source: '' } }, ABSENT],
  ['LineItem', CART_LINE, { media: null }, ABSENT],
  ['LineItem', CART_LINE, { variant: undefined, sku: '' }, NULL],
  ['AddUpdateResponse', ['cart.add:', 'cart.update:'], { image: null }, ABSENT],
  ['CheckoutTokenLineItem', below(TOKEN, 'line_items.[]'), { image: null, variants: [] }],
  ['CheckoutToken', TOKEN, { gateways: [], extra_fields: {} }],
  ['OrderTax.zone', TAX_ZONE, { country: '', region: '', postal_zip_code: '' }, NULL],
  ['SetTaxZoneResponse.tax_region', ['checkout.setTaxZone:tax_region'], { ip_address: '' }, NULL],
  ['CheckVariantResponse', VARIANT, { option_id: '', variant_id: '' }, NULL],
  ['Live', LIVE, { discount: [] }],
  ['CheckPayWhatYouWantResponse', ['checkout.checkPayWhatYouWant:'], { message: '' }, ABSENT],
  ['CheckoutCaptureResponse', CAPTURED, { cart_id: '' }, NULL],
  ['CheckoutCaptureResponse', CAPTURED, { redirect: '' }, { when: false }],
  ['Order', ORDER, { version: '' }, ABSENT],
  ['Order', ORDER, { cart_id: '', billing: { ...STREET, country: '' } }, NULL],
  [
    'Order.customer',
    below(ORDER, 'customer'),
    { external_id: null, phone: null, meta: null, created: 0, updated: 0 },
    ABSENT,
  ],
  ['OrderConditionals', below([...ORDER, ...CAPTURED], 'conditionals'), extensions('has_'), ABSENT],
  ['Order.has', below(ORDER, 'has'), extensions(''), ABSENT],
]

export const TYPE_EXCEPTIONS: readonly TypeException[] = ROWS.flatMap(([type, owners, values, only = {}]) =>
  Object.entries(values).map(([field, accepted]) => ({ name: `${type}.${field}`, owners, field, accepted, ...only })),
)
