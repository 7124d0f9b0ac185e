// Models as the rules make them, as far as the views read them: a shop, a checkout of so many lines, an order of it.

import type { CaptureField } from '../../../../src/api/checkouts/requirements.ts'
import type { Live } from '../../../../src/api/checkouts/schema.ts'
import type { Order } from '../../../../src/api/orders/schema.ts'
import type { Product } from '../../../../src/api/products/schema.ts'
import { priceOf } from '../../../../src/lib/money.ts'
import { refusal } from '../../../../src/lib/words/refusals.ts'
import type {
  MessageModel,
  PageFrame,
  PageShop,
  PayModel,
  ProductModel,
  ReceiptModel,
  TypedInputs,
  WayToPay,
} from '../../../../src/pages/checkout/model.ts'
import { themePath } from '../../../../src/pages/checkout/theme.ts'

export const shop: PageShop = {
  merchant_id: 18_491,
  name: 'Nordlicht Keramik',
  logo: null,
  supportEmail: 'hallo@nordlicht.example',
  is_sandbox: false,
  isClosed: false,
  currency: 'EUR',
  languages: ['en', 'de', 'fr', 'ja'],
  termsUrl: 'https://nordlicht.example/terms',
  privacyUrl: 'https://nordlicht.example/privacy',
  returnUrl: 'https://nordlicht.example/',
  themePath: themePath(18_491, { accent: '#0f5c63', background: '#f3f1ec' }),
}

export const frame = (change: Partial<PageShop> = {}): PageFrame => ({
  shop: { ...shop, ...change },
  language: 'en',
  path: '/checkout/18491/pay/chkt_RyWOwmPzYb5nEa',
})

const picture = (name: string) => ({ url: `/pictures/${name}.svg`, description: null, is_image: true })

type LineDraft = {
  name: string
  cents: number
  quantity?: number
  options?: [string, string][]
  image?: string
}

const lineOf = (
  { name, cents, quantity = 1, options = [], image }: LineDraft,
  index: number,
  currency: string,
): Live['line_items'][number] =>
  ({
    id: `item_${index}abc`,
    name,
    quantity,
    line_total: priceOf(cents * quantity, currency),
    is_valid: true,
    selected_options: options.map(([group_name, option_name]) => ({ group_name, option_name })),
    image: image === undefined ? null : picture(image),
  }) as unknown as Live['line_items'][number]

export const LINES: readonly LineDraft[] = [
  { name: 'Espresso cup “Fjord”', cents: 1_850, quantity: 2, options: [['Glaze', 'Deep sea']], image: 'cup' },
  {
    name: 'Serving plate, large',
    cents: 4_200,
    options: [
      ['Glaze', 'Oat'],
      ['Edge', 'Raw'],
    ],
    image: 'plate',
  },
  { name: 'Care guide (PDF)', cents: 0, image: 'guide' },
]

type LiveDraft = {
  currency?: string
  lines?: readonly LineDraft[]
  shipping?: number | null
  discount?: number
  giftCard?: number
  tax?: number
  isTaxIncluded?: boolean
  payWhatYouWant?: boolean
}

export function liveOf(draft: LiveDraft = {}): Live {
  const {
    currency = 'EUR',
    lines = LINES,
    shipping = 590,
    discount = 0,
    giftCard = 0,
    tax = 0,
    isTaxIncluded = true,
  } = draft
  const show = (minor: number) => priceOf(minor, currency)
  const subtotal = lines.reduce((sum, { cents, quantity = 1 }) => sum + cents * quantity, 0)
  const total = subtotal - discount + (shipping ?? 0)
  const withTax = isTaxIncluded ? total : total + tax
  const method = (id: string, description: string, cents: number) => ({ id, description, price: show(cents) })
  return {
    currency: { code: currency, symbol: '' },
    line_items: lines.map((line, index) => lineOf(line, index, currency)),
    shipping: {
      available_options: [
        method('ship_1', 'DHL Parcel, 2–3 working days', 590),
        method('ship_2', 'Collect from the studio in Kiel', 0),
      ],
      id: shipping === null ? null : 'ship_1',
      price: show(shipping ?? 0),
    },
    subtotal: show(subtotal),
    discount: discount === 0 ? [] : [{ code: 'WELCOME10', amount_saved: show(discount) }],
    giftcard: giftCard === 0 ? [] : { code: 'GIFT-7F3K-99QD', credit: show(giftCard) },
    tax: {
      amount: show(tax),
      included_in_price: isTaxIncluded,
      breakdown: tax === 0 ? [] : [{ rate_percentage: '19%' }],
      zone: { country: null },
    },
    adjustments: { breakdown: [] },
    total: show(total),
    total_with_tax: show(withTax),
    total_due: show(withTax - giftCard),
    pay_what_you_want: {
      minimum: draft.payWhatYouWant ? show(500) : null,
      customer_set_price: null,
    },
  } as unknown as Live
}

type DemandOptions = Partial<Pick<CaptureField, 'isRequired' | 'options' | 'name'>>

export const demand = (
  path: string,
  label: string,
  type: CaptureField['type'],
  more: DemandOptions = {},
): CaptureField => ({
  path: path.split('.'),
  label,
  name: label,
  type,
  isRequired: true,
  isRequiredByFormsOnly: false,
  options: null,
  rules: {},
  ...more,
})

const optional = { isRequired: false }

export const addressDemands = (whose: 'shipping' | 'billing', isRegionRequired = false): CaptureField[] => [
  demand(`${whose}.name`, 'Name', 'text'),
  demand(`${whose}.street`, 'Street', 'text'),
  demand(`${whose}.street_2`, 'Street, second line', 'text', optional),
  demand(`${whose}.town_city`, 'City', 'text', { isRequired: whose === 'billing' }),
  demand(`${whose}.county_state`, 'State or region', 'region', { isRequired: isRegionRequired }),
  demand(`${whose}.postal_zip_code`, 'Postal code', 'text', optional),
  demand(`${whose}.country`, 'Country', 'country'),
]

export const EMAIL = [
  demand('customer.email', 'E-mail', 'email'),
  demand('customer.firstname', 'First name', 'text', optional),
  demand('customer.lastname', 'Last name', 'text', optional),
]
export const METHOD = demand('fulfillment.shipping_method', 'Shipping method', 'shipping_method', { options: [] })
export const GATEWAY = demand('payment.gateway', 'Payment', 'gateway')

export const SHIPPED: readonly CaptureField[] = [...EMAIL, ...addressDemands('shipping'), METHOD, GATEWAY]

/** Everything that can be asked at once. */
export const EVERYTHING: readonly CaptureField[] = [
  demand('line_items.item_0abc.variants.vgrp_size', 'Espresso cup: Size', 'option', {
    name: 'Size',
    options: [
      { value: 'optn_s', label: 'Small' },
      { value: 'optn_l', label: 'Large' },
    ],
  }),
  demand('customer.email', 'E-mail', 'email'),
  demand('customer.firstname', 'First name', 'text'),
  demand('customer.lastname', 'Last name', 'text'),
  ...addressDemands('shipping', true),
  ...addressDemands('billing', true),
  METHOD,
  demand('extrafields.extr_text', 'What should we engrave?', 'text'),
  demand('extrafields.extr_choice', 'How did you hear of us?', 'options', {
    ...optional,
    options: ['A friend', 'A fair', 'Elsewhere'].map((value) => ({ value, label: value })),
  }),
  demand('extrafields.extr_radio', 'Gift wrapping', 'radio', {
    options: ['None', 'Paper', 'Cloth'].map((value) => ({ value, label: value })),
  }),
  demand('extrafields.extr_number', 'How many guests?', 'number', optional),
  demand('extrafields.extr_date', 'Not before', 'date', optional),
  demand('extrafields.extr_check', 'I am over 18 years old', 'checkbox'),
  demand('extrafields.extr_hidden', 'Campaign', 'hidden', optional),
  demand('pay_what_you_want', 'Amount', 'amount', optional),
  GATEWAY,
]

const way = (code: string, name: string, kind: WayToPay['kind'], more: Partial<WayToPay> = {}): WayToPay => ({
  value: code,
  code,
  name,
  kind,
  details: null,
  settings: {},
  simulated: null,
  ...more,
})

export const TEST_CARD = way('test_gateway', 'Test card', 'card')
export const PAYPAL = way('paypal', 'PayPal', 'redirect')
export const TRANSFER = way('manual', 'Bank transfer', 'details', {
  value: 'gway_9f',
  details:
    'Please transfer the total to\nNordlicht Keramik, IBAN DE02 1203 0000 0000 2020 51.\nWe send your order as soon as it is there.',
})
export const STRIPE = way('stripe', 'Card, Apple Pay, Google Pay', 'script', {
  settings: { publishable_key: 'pk_test_1' },
})
const trial = (id: string, value: string) => ({ id, fields: { 'payment[stripe][payment_method_id]': value } })
export const SIMULATED = way('stripe', 'Stripe', 'script', {
  simulated: {
    means: [trial('pays', 'pm_card_visa'), trial('verifies', 'pm_card_3ds'), trial('declined', 'pm_card_declined')],
  },
})

export const typed = (values: Readonly<Record<string, string>>): TypedInputs => new Map(Object.entries(values))

export const GERMAN = {
  billing_same: '1',
  'customer[email]': 'mira.hansen@example.com',
  'shipping[country]': 'DE',
  'shipping[name]': 'Mira Hansen',
  'shipping[street]': 'Holtenauer Straße 118',
  'shipping[town_city]': 'Kiel',
  'shipping[postal_zip_code]': '24105',
  'fulfillment[shipping_method]': 'ship_1',
}

export const payModel = (change: Partial<PayModel> = {}): PayModel => ({
  ...frame(),
  tokenId: 'chkt_RyWOwmPzYb5nEa',
  typed: typed({ billing_same: '1' }),
  demands: SHIPPED,
  live: liveOf({ tax: 1_357 }),
  removedLines: [],
  mostOf: new Map(),
  isShipped: true,
  shippingCountries: ['AT', 'AU', 'BR', 'CA', 'DE', 'FR', 'GB', 'IE', 'JP', 'PL', 'US'],
  ways: [STRIPE, PAYPAL, TRANSFER],
  scripts: ['stripe'],
  isWayJustChosen: false,
  problems: [],
  notice: null,
  verification: null,
  ...change,
})

export const PROBLEMS: PayModel['problems'] = [
  { path: 'customer.email', shopperMessage: refusal('wrong_field', { field: 'email' }) },
  { path: 'shipping.street', shopperMessage: refusal('missing_field', { field: 'street' }) },
  { path: 'line_items.item_1abc', shopperMessage: refusal('not_enough', { left: 1, product: 'Serving plate, large' }) },
]

type OrderDraft = {
  payment?: Order['status_payment']
  status?: Order['status']
  live?: Live
  gatewayName?: string
}

export function orderOf({
  payment = 'paid',
  status = 'open',
  live = liveOf({ tax: 1_357 }),
  gatewayName = 'Stripe',
}: OrderDraft = {}): Order {
  const isPaid = payment !== 'not_paid'
  const part = priceOf(payment === 'partially_refunded' ? 1_000 : 0, 'EUR')
  const refunded = payment === 'refunded' ? live.total_due : part
  return {
    checkout_token_id: 'chkt_RyWOwmPzYb5nEa',
    customer_reference: 'NLK-1042',
    created: 1_794_000_000,
    status,
    status_payment: payment,
    currency: live.currency,
    redirect: false,
    is: { free: live.total_with_tax.raw === 0 },
    customer: { email: 'mira.hansen@example.com' },
    extra_fields: [],
    shipping: {
      name: 'Mira Hansen',
      street: 'Holtenauer Straße 118',
      street_2: null,
      town_city: 'Kiel',
      county_state: null,
      postal_zip_code: '24105',
      country: 'DE',
    },
    billing: null,
    order: {
      ...live,
      discount: live.discount[0] ?? [],
      total_refunded: refunded,
    },
    adjustments: [],
    transactions: [
      {
        type: 'charge',
        status: isPaid ? 'complete' : 'pending',
        status_reason: isPaid ? 'complete' : 'awaiting_capture',
        gateway_name: gatewayName,
        gateway_reference: isPaid ? '4242' : null,
        payment_source_type: isPaid ? 'card' : null,
        payment_source: { brand: isPaid ? 'Visa' : null, country: null, billing_zip_postal_code: null },
        amount: live.total_due,
      },
    ],
    fulfillment: {
      digital: {
        downloads: [
          {
            product_name: 'Care guide',
            is_expired: false,
            lifespan: { expiry_date: 1_797_000_000 },
            packages: [
              {
                name: 'Care guide',
                ext: 'pdf',
                size: '1.2 MB',
                access_link: 'https://nordlicht.example/dl/1',
                access_expires: null,
                remaining_downloads: 3,
                is_access_revoked: false,
              },
            ],
          },
        ],
      },
    },
  } as unknown as Order
}

export const receiptModel = (change: Partial<ReceiptModel> = {}): ReceiptModel => ({
  ...frame(),
  path: '/checkout/18491/pay/chkt_RyWOwmPzYb5nEa/receipt',
  order: orderOf(),
  howToPay: null,
  wayName: null,
  ...change,
})

export const messageModel = (kind: MessageModel['kind'], change: Partial<MessageModel> = {}): MessageModel => ({
  ...frame(),
  kind,
  shopperMessage: null,
  next: null,
  refreshSeconds: null,
  ...change,
})

export const productModel = (change: Partial<ProductModel> = {}): ProductModel => ({
  ...frame(),
  path: '/checkout/18491/fjord-cup',
  product: {
    name: 'Espresso cup “Fjord”',
    description:
      '<p>Thrown by hand from <b>Baltic</b> clay.</p><p>Dishwasher-safe; 90&nbsp;ml.</p><script>alert(1)</script>',
    price: priceOf(1_850, 'EUR'),
    inventory: { managed: false, available: 0 },
    is: { sold_out: false, pay_what_you_want: false },
    assets: [{ ...picture('cup'), image_dimensions: { width: 800, height: 800 } }],
    variant_groups: [
      {
        id: 'vgrp_1',
        name: 'Glaze',
        options: [
          { id: 'optn_1', name: 'Deep sea', price: priceOf(0, 'EUR') },
          { id: 'optn_2', name: 'Oat', price: priceOf(0, 'EUR') },
          { id: 'optn_3', name: 'Raku', price: priceOf(350, 'EUR') },
        ],
      },
    ],
  } as unknown as Product,
  typed: new Map(),
  problems: [],
  goesStraightOn: false,
  ...change,
})
