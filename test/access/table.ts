// The access table: every route, who may call it, which objects it names, and its smallest valid body. matrix.test.ts calls each as everyone.

import { readdirSync } from 'node:fs'
import { pdf } from '../api/assets/support.ts'
import { digitalBody } from '../api/checkouts/capture-support.ts'
import { type Ids, PENDING, TAX_ZONE, ZONE } from './objects.ts'
import { customer, type Details, open, type Row, row, secret, unstored } from './table-row.ts'

/** The five usual routes of a resource that only the secret key can access. */
const managed = (
  path: string,
  family: NonNullable<Details['of']>,
  { create, change }: { create: Details['body']; change: Details['body'] },
): Row[] => [
  secret(`GET ${path}`),
  secret(`POST ${path}`, { served: 201, body: create }),
  secret(`GET ${path}/:id`, { of: family, path: { id: family } }),
  secret(`PUT ${path}/:id`, { of: family, path: { id: family }, body: change }),
  secret(`DELETE ${path}/:id`, { of: family, path: { id: family }, served: 204 }),
]

const ASSET = { of: 'asset', path: { asset_id: 'asset' } } as const
const CATEGORY = { of: 'category', path: { id: 'category' } } as const
const PRODUCT = { of: 'product', path: { id: 'product' } } as const
const ASSETS_OF_PRODUCT = {
  ...PRODUCT,
  named: { asset: 422 },
  body: ({ asset }: Ids) => ({ assets: [{ id: asset }] }),
} as const
const VARIANT = { of: 'product', path: { id: 'product', variant_id: 'variant' } } as const
const GROUP = { of: 'product', path: { id: 'product', group_id: 'group' } } as const
const OPTION = { of: 'product', path: { id: 'product', group_id: 'group', option_id: 'spare' } } as const

const catalogue: Row[] = [
  secret('GET /v1/assets'),
  secret('POST /v1/assets', { served: 201, body: () => PENDING }),
  secret('GET /v1/assets/:asset_id', ASSET),
  secret('GET /v1/assets/:asset_id/uses', ASSET),
  secret('PUT /v1/assets/:asset_id', { ...ASSET, body: () => ({ description: 'A picture.' }) }),
  secret('DELETE /v1/assets/:asset_id', { ...ASSET, served: 204 }),

  ...managed('/v1/attributes', 'attribute', {
    create: () => ({ name: 'Size', description: '', type: 'short_text' }),
    change: () => ({ name: 'Length' }),
  }),

  open('GET /v1/categories'),
  secret('POST /v1/categories', {
    served: 201,
    of: 'category',
    named: { category: 422 },
    body: (ids, count) => ({ slug: `new-${count}`, name: 'New', parent_id: ids.category }),
  }),
  open('GET /v1/categories/:id', CATEGORY),
  secret('PUT /v1/categories/:id', { ...CATEGORY, body: (_, count) => ({ slug: `moved-${count}`, name: 'Moved' }) }),
  secret('DELETE /v1/categories/:id', { ...CATEGORY, served: 204 }),

  open('GET /v1/products'),
  secret('POST /v1/products', {
    served: 201,
    of: 'category',
    named: { category: 422 },
    body: ({ category }) => ({ name: 'Thing', price: 1, categories: [{ id: category }] }),
  }),
  open('GET /v1/products/:id', PRODUCT),
  secret('PUT /v1/products/:id', {
    ...ASSETS_OF_PRODUCT,
    body: ({ asset }) => ({ name: 'Thing', assets: [{ id: asset }] }),
  }),
  secret('DELETE /v1/products/:id', { ...PRODUCT, served: 204 }),
  secret('POST /v1/products/:id/assets', ASSETS_OF_PRODUCT),
  secret('PUT /v1/products/:id/assets', ASSETS_OF_PRODUCT),
  // The batch itself reports unknown products later.
  secret('POST /v1/products/batch', {
    served: 202,
    of: 'category',
    named: { category: 422 },
    body: ({ category }) => ({ ids: ['prod_x'], categories: { add: [category] } }),
  }),
  secret('GET /v1/products/batch/:batch_id', { of: 'batch', path: { batch_id: 'batch' } }),
  secret('GET /v1/products/export', { hasHead: false }),
  secret('POST /v1/products/import', { served: 202, body: () => ({ csv: 'name,price\nHat,5\n' }) }),
  open('GET /v1/products/:id/variants', PRODUCT),
  secret('POST /v1/products/:id/variants', {
    ...PRODUCT,
    served: 201,
    isSpent: true,
    named: { spare: 422 },
    body: ({ group = '', spare }) => ({ options: { [group]: spare } }),
  }),
  secret('POST /v1/products/:id/variants/generate', { ...PRODUCT, served: 201 }),
  open('GET /v1/products/:id/variants/:variant_id', VARIANT),
  secret('PUT /v1/products/:id/variants/:variant_id', { ...VARIANT, body: () => ({ description: 'Red.' }) }),
  secret('DELETE /v1/products/:id/variants/:variant_id', { ...VARIANT, served: 204 }),
  open('GET /v1/products/:id/variant_groups', PRODUCT),
  secret('POST /v1/products/:id/variant_groups', {
    ...PRODUCT,
    served: 201,
    body: (_, count) => ({ name: `Group ${count}` }),
  }),
  open('GET /v1/products/:id/variant_groups/:group_id', GROUP),
  secret('PUT /v1/products/:id/variant_groups/:group_id', { ...GROUP, body: () => ({ name: 'Paint' }) }),
  secret('DELETE /v1/products/:id/variant_groups/:group_id', { ...GROUP, served: 204 }),
  secret('POST /v1/products/:id/variant_groups/:group_id/options', {
    ...GROUP,
    served: 201,
    body: (_, count) => ({ name: `Option ${count}` }),
  }),
  secret('PUT /v1/products/:id/variant_groups/:group_id/options/:option_id', {
    ...OPTION,
    body: () => ({ name: 'Green' }),
  }),
  secret('DELETE /v1/products/:id/variant_groups/:group_id/options/:option_id', { ...OPTION, served: 204 }),
]

const settings: Row[] = [
  open('GET /v1/merchants'),
  secret('PUT /v1/merchants', { body: () => ({ description: 'A shop.' }) }),
  row('session', 'GET /v1/keys', { hasHead: false }),
  row('session', 'POST /v1/keys', { served: 201, body: () => ({ type: 'public', sandbox: true }) }),
  row('session', 'DELETE /v1/keys/:id', { of: 'key', path: { id: 'key' }, served: 204 }),
  secret('GET /v1/shipping_zones/for', {
    of: 'product',
    named: { product: 404 },
    query: ({ product }) => `country=US&product_id=${product}`,
  }),
  ...managed('/v1/shipping_zones', 'zone', { create: () => ZONE, change: () => ({ name: 'Away' }) }),
  ...managed('/v1/tax_zones', 'taxZone', {
    create: (_, count) => ({ ...TAX_ZONE, postal_prefix: `p${count}` }),
    change: () => ({ rates: TAX_ZONE.rates }),
  }),
  secret('GET /v1/discounts/export', { hasHead: false }),
  ...managed('/v1/discounts', 'discount', {
    create: () => ({ type: 'fixed', value: 1 }),
    change: () => ({ description: 'Less.' }),
  }),
  secret('GET /v1/giftcards/export', { hasHead: false }),
  secret('GET /v1/giftcards/:id/entries', { of: 'giftCard', path: { id: 'giftCard' } }),
  ...managed('/v1/giftcards', 'giftCard', { create: () => ({ value: 5 }), change: () => ({ note: 'For you.' }) }),
  secret('GET /v1/gateways/types'),
  ...managed('/v1/gateways', 'gateway', {
    // Disabled: an enabled live gateway makes the shop sell live, and restricts its sandbox.
    create: (_, count) => ({ code: 'manual', enabled: false, config: { name: `By post ${count}` } }),
    change: () => ({ enabled: false }),
  }),
  row('secret', 'POST /v1/gateways/:id/test', { of: 'gateway', path: { id: 'gateway' } }),
]

const CART = { of: 'cart', path: { cart_id: 'cart' } } as const
const LINE = { of: 'cart', path: { cart_id: 'cart', line_item_id: 'line' } } as const
const TOKEN = { of: 'checkout', path: { id: 'token' } } as const
const TOKEN_LINE = { of: 'checkout', path: { id: 'token', line_item_id: 'line' } } as const

const shopping: Row[] = [
  unstored('GET /v1/carts', { served: 201, changes: true }),
  unstored('GET /v1/carts/:cart_id', CART),
  open('POST /v1/carts/:cart_id', {
    ...CART,
    named: { product: 422 },
    body: ({ product, group = '', option }) => ({ id: product, options: { [group]: option } }),
  }),
  open('PUT /v1/carts/:cart_id', { ...CART, body: () => ({ meta: { note: 'x' } }) }),
  open('DELETE /v1/carts/:cart_id', { ...CART, served: 204 }),
  unstored('GET /v1/carts/:cart_id/items', CART),
  open('DELETE /v1/carts/:cart_id/items', CART),
  open('PUT /v1/carts/:cart_id/items/:line_item_id', { ...LINE, body: () => ({ quantity: 2 }) }),
  open('DELETE /v1/carts/:cart_id/items/:line_item_id', LINE),

  unstored('GET /v1/checkouts/:id', {
    of: 'cart',
    path: { id: 'cart' },
    query: () => 'type=cart',
    served: 201,
    changes: true,
  }),
  secret('PUT /v1/checkouts/:id', { ...TOKEN, body: () => ({ meta: { note: 'x' } }) }),
  open('POST /v1/checkouts/:id', { ...TOKEN, body: () => digitalBody() }),
  unstored('GET /v1/checkouts/tokens/:id', TOKEN),
  unstored('GET /v1/checkouts/:id/live', TOKEN),
  unstored('GET /v1/checkouts/:id/receipt', { of: 'receipt', path: { id: 'token' } }),
  unstored('GET /v1/checkouts/:id/check/:line_item_id/quantity', { ...TOKEN_LINE, query: () => 'amount=1' }),
  unstored('GET /v1/checkouts/:id/check/:line_item_id/variant', {
    ...TOKEN_LINE,
    query: ({ variant }) => `variant_id=${variant}`,
  }),
  unstored('GET /v1/checkouts/:id/check/discount', { ...TOKEN, isCounted: true, query: ({ code }) => `code=${code}` }),
  unstored('GET /v1/checkouts/:id/check/giftcard', { ...TOKEN, isCounted: true, query: ({ card }) => `code=${card}` }),
  unstored('GET /v1/checkouts/:id/check/shipping', {
    ...TOKEN,
    query: () => `country=US&shipping_option_id=ship_${'0'.repeat(26)}`,
  }),
  unstored('GET /v1/checkouts/:id/check/pay_what_you_want', { ...TOKEN, query: () => 'customer_set_price=20' }),
  unstored('GET /v1/checkouts/:id/check/is_free', TOKEN),
  unstored('GET /v1/checkouts/:id/helper/shipping_options', { ...TOKEN, query: () => 'country=US' }),
  unstored('GET /v1/checkouts/:id/helper/set_tax_zone', { ...TOKEN, query: () => 'country=US' }),
  unstored('GET /v1/checkouts/:id/helper/location_from_ip', TOKEN),
  unstored('GET /v1/checkouts/:id/helper/validation', TOKEN),
  unstored('GET /v1/checkouts/:id/fields', TOKEN),
  // The response is an empty script for any id.
  unstored('GET /v1/checkouts/:id/protect', { literals: { id: 'chkt_x' } }),

  open('GET /v1/services/locale/countries'),
  open('GET /v1/services/locale/:country_code/subdivisions', { literals: { country_code: 'US' } }),
  unstored('GET /v1/services/locale/:checkout_token_id/countries', {
    of: 'checkout',
    path: { checkout_token_id: 'token' },
  }),
  unstored('GET /v1/services/locale/:checkout_token_id/countries/:country_code/subdivisions', {
    of: 'checkout',
    path: { checkout_token_id: 'token' },
    literals: { country_code: 'US' },
  }),
]

const ORDER = { of: 'order', path: { id: 'order' } } as const
const ITEM = { of: 'order', path: { id: 'order', item_id: 'item' } } as const
const TRANSACTION = { of: 'order', path: { id: 'order', transaction_id: 'transaction' } } as const
const REFUNDABLE = { of: 'refundable', path: { id: 'order' }, body: () => ({}) } as const
const NOTE = { of: 'noted', path: { id: 'order', note_id: 'note' } } as const
const PACKAGE = { of: 'order', path: { id: 'order', package_id: 'package' } } as const

const orders: Row[] = [
  secret('GET /v1/orders', { isSplit: true }),
  secret('GET /v1/orders/export', { isSplit: true, hasHead: false }),
  secret('GET /v1/orders/:id', ORDER),
  secret('PUT /v1/orders/:id', { ...ORDER, body: () => ({ meta: { note: 'x' } }) }),
  secret('POST /v1/orders/:id/refund', { ...REFUNDABLE, isSpent: true }),
  secret('POST /v1/orders/:id/refund/preview', REFUNDABLE),
  secret('POST /v1/orders/:id/cancel', { ...ORDER, isSpent: true, body: () => ({}) }),
  secret('PUT /v1/orders/:id/transactions/:transaction_id', { ...TRANSACTION, body: () => ({ status: 'complete' }) }),
  secret('POST /v1/orders/:id/receipt', ORDER),
  secret('GET /v1/orders/:id/timeline', ORDER),
  secret('POST /v1/orders/:id/notes', { ...ORDER, served: 201, body: () => ({ text: 'A present.' }) }),
  secret('DELETE /v1/orders/:id/notes/:note_id', { ...NOTE, served: 204 }),
  secret('GET /v1/orders/:id/fulfillments', ORDER),
  secret('POST /v1/orders/:id/fulfillments/physical/shipments', {
    ...ORDER,
    served: 201,
    isSpent: true,
    named: { item: 422 },
    body: ({ item }) => ({ items: [{ id: item, quantity: 1 }] }),
  }),
  secret('PUT /v1/orders/:id/fulfillments/physical/items/:item_id', { ...ITEM, body: () => ({ status: 'fulfilled' }) }),
  secret('GET /v1/orders/:id/fulfillments/digital/packages', ORDER),
  secret('GET /v1/orders/:id/fulfillments/digital/packages/:package_id', PACKAGE),
  secret('PUT /v1/orders/:id/fulfillments/digital/packages/:package_id', {
    ...PACKAGE,
    body: () => ({ is_access_revoked: true }),
  }),
]

const CUSTOMER = { of: 'customer', path: { customer_id: 'customer' } } as const
const ADDRESS = { of: 'customer', path: { customer_id: 'customer', address_id: 'address' } } as const

const customers: Row[] = [
  secret('GET /v1/customers', { isSplit: true }),
  secret('POST /v1/customers', { served: 201, body: (_, count) => ({ email: `new-${count}@example.com` }) }),
  customer('GET /v1/customers/:customer_id', CUSTOMER),
  customer('PUT /v1/customers/:customer_id', { ...CUSTOMER, body: () => ({ firstname: 'Eve' }) }),
  secret('DELETE /v1/customers/:customer_id', { ...CUSTOMER, served: 204 }),
  customer('GET /v1/customers/:customer_id/orders', CUSTOMER),
  secret('GET /v1/customers/:customer_id/spending', CUSTOMER),
  customer('GET /v1/customers/:customer_id/orders/:order_id', {
    of: 'customer',
    path: { customer_id: 'customer', order_id: 'order' },
  }),
  customer('GET /v1/customers/:customer_id/addresses', CUSTOMER),
  customer('POST /v1/customers/:customer_id/addresses', { ...CUSTOMER, served: 201, body: () => ({ name: 'Eve' }) }),
  customer('GET /v1/customers/:customer_id/addresses/:address_id', ADDRESS),
  customer('PUT /v1/customers/:customer_id/addresses/:address_id', { ...ADDRESS, body: () => ({ name: 'Eve' }) }),
  customer('DELETE /v1/customers/:customer_id/addresses/:address_id', { ...ADDRESS, served: 204 }),

  open('POST /v1/customers/email-token', {
    // The response is the same for a customer of the shop, a stranger's customer or an unknown address.
    body: (_, count) => ({ email: `somebody-${count}@example.com`, base_url: 'https://shop.example' }),
  }),
  open('POST /v1/customers/exchange-token', {
    of: 'login',
    named: { loginToken: 401 },
    isCounted: true,
    isSpent: true,
    body: ({ loginToken }) => ({ token: loginToken }),
  }),
  secret('POST /v1/customers/issue-token', { of: 'customer', named: { email: 404 }, body: ({ email }) => ({ email }) }),
  secret('POST /v1/customers/:customer_id/issue-token', CUSTOMER),
]

const reports: Row[] = [
  secret('GET /v1/reports/overview'),
  secret('GET /v1/reports/products', { isSplit: true }),
  secret('GET /v1/reports/stock'),
]

const SANDBOX_ONLY = {
  refusesLive: 'The outbox exists only in the sandbox: use a secret key that begins with sk_test_.',
} as const

const developer: Row[] = [
  secret('GET /v1/developer/outbox', SANDBOX_ONLY),
  secret('GET /v1/developer/outbox/:id', {
    ...SANDBOX_ONLY,
    of: 'mail',
    path: { id: 'mail' },
    alsoHidden: { mail: 'live mail' },
  }),
  secret('GET /v1/developer/mail'),
  secret('GET /v1/developer/mail/:kind', { literals: { kind: 'receipt' } }),
  // Without a mail server nothing is sent.
  secret('POST /v1/developer/test-mail', { served: 409, changes: false, body: () => ({ to: 'ada@example.com' }) }),
  secret('GET /v1/developer/logs', { isSplit: true }),
  secret('GET /v1/developer/logs/:id', { of: 'request', path: { id: 'request' } }),
  secret('GET /v1/versions'),
]

const WEBHOOK = { of: 'webhook', path: { id: 'webhook' } } as const
const DELIVERY = { of: 'webhook', path: { id: 'webhook', delivery_id: 'delivery' } } as const
const EVENT = { of: 'webhook', path: { id: 'event' } } as const

const webhooks: Row[] = [
  secret('GET /v1/webhooks', { isSplit: true }),
  secret('POST /v1/webhooks', {
    served: 201,
    body: () => ({ transport: 'listen', subscribed_events: ['orders.dispute'] }),
  }),
  secret('GET /v1/webhooks/arrivals', { isSplit: true }),
  secret('GET /v1/webhooks/:id', WEBHOOK),
  secret('PUT /v1/webhooks/:id', { ...WEBHOOK, body: () => ({ description: 'The warehouse' }) }),
  secret('DELETE /v1/webhooks/:id', { ...WEBHOOK, served: 204 }),
  secret('POST /v1/webhooks/:id/test', { ...WEBHOOK, served: 202 }),
  secret('POST /v1/webhooks/:id/rotate', { ...WEBHOOK, body: () => ({}) }),
  secret('POST /v1/webhooks/:id/replay', { ...WEBHOOK, served: 202, body: () => ({ from: 0 }) }),
  secret('POST /v1/webhooks/:id/pull', { ...WEBHOOK, body: () => ({}) }),
  secret('GET /v1/webhooks/:id/deliveries', WEBHOOK),
  secret('GET /v1/webhooks/:id/deliveries/:delivery_id', DELIVERY),
  secret('POST /v1/webhooks/:id/deliveries/:delivery_id/replay', { ...DELIVERY, served: 202 }),
  secret('POST /v1/webhooks/:id/deliveries/:delivery_id/answer', {
    ...DELIVERY,
    body: () => ({ attempt: 1, status: 200, ms: 5, error: null }),
  }),
  // Both modes see shared events; test/api/events covers the difference.
  secret('GET /v1/events'),
  secret('GET /v1/events/:id', EVENT),
  secret('POST /v1/events/:id/resend', {
    ...EVENT,
    served: 202,
    named: { webhook: 404 },
    body: ({ webhook }) => ({ webhook_id: webhook }),
  }),
]

/** Every file of the example storefront is public. */
const storefront: Row[] = readdirSync(new URL('../../examples/storefront/', import.meta.url))
  .filter((name) => /\.(js|css|svg)$/.test(name))
  .concat('', 'commerce.js')
  .map((name) => row('plain', `GET /storefront/${name}`))

const PAYMENT = { of: 'payment', path: { merchant_id: 'merchant', id: 'payment' }, isBearer: true } as const
const signed = { query: ({ signature = '' }) => signature } as const
const FORM = { type: 'application/x-www-form-urlencoded', payload: '' }

/** A route that answers `served` to everybody here: its path names nothing that there is. */
const nothingAt = (route: string, literals: Row['literals'], served: number, more: Details = {}) =>
  row('plain', route, { literals, served, ...more })
const NO_PAYMENT = { merchant_id: '1', id: 'chkt_1' }
const NO_CART = { merchant_id: '1', id: 'cart_1' }
const NO_PERMALINK = { merchant_id: '0', permalink: 'any' }
const sendsForm = { bytes: () => FORM } as const

const withoutKey: Row[] = [
  row('plain', 'GET /'),
  row('plain', 'GET /openapi.json'),
  row('plain', 'GET /health/live'),
  row('plain', 'GET /health/ready'),
  // Counts the requests for it, too.
  row('plain', 'GET /metrics'),
  row('open', 'GET /v1/commerce.js'),
  row('open', 'GET /v2/commerce.js'),
  row('open', 'GET /files/:merchant_id/:id/*', {
    of: 'file',
    path: { merchant_id: 'merchant', id: 'asset' },
    literals: { '*': 'book.pdf' },
    ...signed,
  }),
  row('open', 'GET /fulfill/:merchant_id/:order_id/:id', {
    of: 'download',
    path: { merchant_id: 'merchant', order_id: 'order', id: 'download' },
    ...signed,
  }),
  row('open', 'PUT /uploads/:merchant_id/:id', {
    of: 'upload',
    path: { merchant_id: 'merchant', id: 'asset' },
    ...signed,
    // An altered URL gets the same error whether or not the object exists.
    missing: 403,
    served: 204,
    bytes: () => ({ type: 'application/pdf', payload: pdf() }),
  }),
  // The return pages and provider messages rely on secrets in the URL or signature: see test/gateways and test/api/provider-messages.
  ...['', '/continue', '/wait', '/back', '/receipt'].map((below) =>
    nothingAt(`GET /checkout/:merchant_id/pay/:id${below}`, NO_PAYMENT, 404),
  ),
  ...['', '/receipt'].map((below) =>
    nothingAt(`POST /checkout/:merchant_id/pay/:id${below}`, NO_PAYMENT, 404, sendsForm),
  ),
  row('plain', 'GET /checkout/:merchant_id/theme/:name', { literals: { merchant_id: '1', name: 'any.css' } }),
  nothingAt('GET /checkout/:merchant_id/cart/:id', NO_CART, 404),
  nothingAt('POST /checkout/:merchant_id/cart/:id', NO_CART, 404, sendsForm),
  nothingAt('GET /checkout/:merchant_id/:permalink', NO_PERMALINK, 404),
  nothingAt('POST /checkout/:merchant_id/:permalink', NO_PERMALINK, 404, sendsForm),
  // The same page for everybody, without any data of a shop: its script calls paths below /dashboard/api.
  row('plain', 'GET /dashboard'),
  row('plain', 'GET /dashboard/*', { literals: { '*': 'orders' } }),
  nothingAt('GET /dashboard-assets/:name', { name: 'nothing.js' }, 404),
  // Requests without a login, and without a header that says which page they come from. test/dashboard covers the other responses.
  ...['session', 'sessions', 'team'].map((name) =>
    row('plain', `GET /dashboard/api/${name}`, { served: 401, hasHead: false }),
  ),
  nothingAt('GET /dashboard/api/mails/previews/:kind', { kind: 'receipt' }, 401, { hasHead: false }),
  nothingAt('GET /dashboard/api/mails/outbox/:id', { id: 'x' }, 401, { hasHead: false }),
  nothingAt('GET /dashboard/api/invitations/:token', { token: 'x' }, 404, { hasHead: false }),
  ...[
    ...['POST session', 'DELETE session', 'POST password', 'POST password-reset', 'POST password-reset/:token'],
    ...['DELETE sessions', 'DELETE sessions/:id', 'POST second-factor', 'POST second-factor/confirm'],
    ...['DELETE second-factor', 'POST team', 'PUT team/:id', 'DELETE team/:id', 'POST invitations/:token'],
  ].map((route) => nothingAt(route.replace(' ', ' /dashboard/api/'), { id: 'x', token: 'x' }, 403, { changes: false })),
  ...['GET', 'POST', 'PUT', 'DELETE', 'PATCH'].map((method) =>
    nothingAt(`${method} /dashboard/api/*`, { '*': 'nothing' }, 404, { hasHead: false, changes: false }),
  ),
  nothingAt('GET /checkout-assets/:name', { name: 'none.js' }, 404),
  row('plain', 'GET /checkout', { served: 404 }),
  nothingAt('GET /checkout/*', { '*': 'nothing' }, 404),
  nothingAt('POST /gateway-webhooks/:merchant_id/:id', { merchant_id: '1', id: 'gway_1' }, 404, {
    bytes: () => ({ type: 'application/json', payload: '{}' }),
  }),
  row('plain', 'GET /test-gateway/:merchant_id/:id', PAYMENT),
  row('plain', 'POST /test-gateway/:merchant_id/:id/approve', { ...PAYMENT, served: 303, ...sendsForm }),
  row('plain', 'POST /test-gateway/:merchant_id/:id/decline', { ...PAYMENT, served: 303, ...sendsForm }),
]

/** The rows by topic. */
export const AREAS: Readonly<Record<string, readonly Row[]>> = {
  catalogue,
  settings,
  shopping,
  orders,
  customers,
  developer,
  reports,
  webhooks,
  storefront,
  withoutKey,
}

export const TABLE: readonly Row[] = Object.values(AREAS).flat()
