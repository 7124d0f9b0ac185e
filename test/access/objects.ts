// Two merchants, and the objects for the routes: each created with its dependencies, through the API where possible.

import { type CreatedMerchant, createKey } from '../../src/api/merchants/merchant.ts'
import { testJournal } from '../../src/gateways/sandbox/journal-store.ts'
import { newId } from '../../src/lib/ids.ts'
import { storeUnsentMail } from '../../src/mail/outbox-store.ts'
import { base64, pdf, png, upload, pathOf as withoutOrigin } from '../api/assets/support.ts'
import { digitalBody } from '../api/checkouts/capture-support.ts'
import { digital, openShop, physical, type Shop } from '../api/orders/support.ts'
import { keepEntries, loggedEntry } from '../request-log/entries.ts'
import type { TestApp } from '../support/app.ts'
import { PROXY } from './ask.ts'

/** Created objects by type: `{ product: 'prod_…', variant: 'vrnt_…' }`. Also numbers, codes and signatures. */
export type Ids = Readonly<Record<string, string>>

export type World = {
  readonly shop: Merchant
  readonly stranger: Merchant
  /** A customer of the shop, with an order. */
  readonly customer: string
  readonly otherCustomer: string
  /** A different customer from the one requested as a foreign one. */
  readonly foreignCustomer: string
  readonly liveCustomer: string
  /** Creates new objects. */
  make(family: FamilyName, owner?: Merchant): Promise<Ids>
  /** Returns the same objects each time. `which`: 0 and 1 for readers, 2 for writers. */
  shared(family: FamilyName, owner?: Merchant, which?: 0 | 1 | 2): Promise<Ids>
  /** Every id created for the shop so far. */
  readonly idsOfShop: ReadonlySet<string>
}

type Merchant = Pick<CreatedMerchant, 'id' | 'keys' | 'dashboard'> & { readonly orders: Shop }
type Made = { id: string }

/** Families that each mode has separately; the others are catalogue and settings, which both modes share. */
export const SPLIT: ReadonlySet<string> = new Set<FamilyName>([
  ...(['request', 'batch', 'cart', 'checkout', 'receipt', 'order'] as const),
  ...(['refundable', 'noted', 'customer', 'login', 'webhook'] as const),
])

const MAKERS = {
  asset: async (maker: Maker) => ({ asset: (await maker.create('assets', PENDING)).id }),
  attribute: async (maker: Maker) => ({
    attribute: (await maker.create('attributes', { name: 'Size', description: '', type: 'short_text' })).id,
  }),
  category: async (maker: Maker) => ({
    category: (await maker.create('categories', { slug: maker.name(), name: 'Things' })).id,
  }),
  zone: async (maker: Maker) => ({ zone: (await maker.create('shipping_zones', ZONE)).id }),
  taxZone: async (maker: Maker) => ({
    taxZone: (await maker.create('tax_zones', { ...TAX_ZONE, postal_prefix: maker.name() })).id,
  }),
  discount: async (maker: Maker) => ({ discount: (await maker.create('discounts', { type: 'fixed', value: 1 })).id }),
  giftCard: async (maker: Maker) => ({ giftCard: (await maker.create('giftcards', { value: 5 })).id }),
  gateway: async (maker: Maker) => ({
    gateway: (await maker.create('gateways', { code: 'manual', config: { name: maker.name() } })).id,
  }),
  // A sandbox key, visible in both modes.
  key: async ({ app, owner }: Maker) => ({
    key: (await createKey(app, owner.id, { isSecret: false, is_sandbox: true })).id,
  }),
  product: productWithVariants,
  batch: async (maker: Maker) => {
    const { product = '' } = await productWithVariants(maker)
    const body = { ids: [product], changes: { active: true } }
    return { product, batch: (await maker.ask<Made>('POST', 'products/batch', body, 202)).id }
  },
  cart: cartWithLine,
  checkout: checkoutWithCodes,
  receipt: async (maker: Maker) => {
    const ids = await checkoutWithCodes(maker)
    await maker.ask('POST', `checkouts/${ids.token}`, digitalBody(), 200)
    return ids
  },
  /** An unpaid order, with one item to ship and one to download. */
  order: (maker: Maker) => orderOf(maker, 'manual'),
  noted: async (maker: Maker) => {
    const { order = '' } = await orderOf(maker, 'card')
    return { order, note: (await maker.create(`orders/${order}/notes`, { text: 'Call back.' })).id }
  },
  refundable: (maker: Maker) => orderOf(maker, 'card'),
  customer: async (maker: Maker) => {
    const { order = '', customer = '', email = '' } = await orderOf(maker, 'card')
    const address = await maker.create(`customers/${customer}/addresses`, { name: 'Ada' })
    return { order, customer, email, address: address.id }
  },
  login: async (maker: Maker) => {
    const { customer = '', email = '' } = await orderOf(maker, 'card')
    const { token } = await maker.ask<{ token: string }>('POST', 'customers/issue-token', { email }, 200)
    return { loginToken: token, customer, email }
  },
  mail: async (maker: Maker) => ({ mail: await mailOf(maker, true), 'live mail': await mailOf(maker, false) }),
  request: async (maker: Maker) => ({ request: await requestOf(maker) }),
  file: async (maker: Maker) => {
    const { id } = await upload(maker.app, maker.key, { ...FILE, contents: base64(pdf()) })
    const { url } = await maker.ask<{ url: string }>('GET', `assets/${id}`)
    return { merchant: String(maker.owner.id), asset: id, ...signedPart(url) }
  },
  upload: async (maker: Maker) => {
    const { id, upload_url: url } = await upload(maker.app, maker.key, PENDING)
    return { merchant: String(maker.owner.id), asset: id, ...signedPart(url) }
  },
  download: async (maker: Maker) => {
    const { id: assetId } = await upload(maker.app, maker.key, { ...FILE, contents: base64(pdf()) })
    const packages = [
      { asset_id: assetId, name: 'The book', ext: 'pdf', size_in_bytes: pdf().length, is_sample: false },
    ]
    const order = await maker.owner.orders.order({ lines: [digital({ packages })] })
    const [file] = order.fulfillment.digital.downloads[0]?.packages ?? []
    return {
      merchant: String(maker.owner.id),
      order: order.id,
      download: file?.id ?? '',
      ...signedPart(file?.access_link ?? ''),
    }
  },
  webhook: webhookWithDeliveries,
  payment: async ({ app, owner }: Maker) => {
    const payment = newId('paymentAttempt', app.clock.now())
    const details = { gateway: 'test_redirect' }
    const entry = { state: 'waiting', amount: 100, currency: 'USD', details } as const
    await testJournal(app.db, app.clock).enter(owner.id, payment, entry)
    return { merchant: String(owner.id), payment }
  },
} satisfies Record<string, (maker: Maker) => Promise<Ids>>

export type FamilyName = keyof typeof MAKERS

export const ZONE = { name: 'Home', countries: ['US'], methods: [{ description: 'Post', price: 5 }] }
export const TAX_ZONE = { country: 'US', rates: [{ name: 'Tax', type: 'percentage', rate: 0.1 }] }
export const PENDING = { filename: 'a.pdf', pending: true }
const FILE = { filename: 'book.pdf', private: true }

const signedPart = (url: string) => ({ signature: withoutOrigin(url).split('?')[1] ?? '' })

/** Creates objects as one merchant, with its sandbox secret key. */
type Maker = {
  readonly app: TestApp
  readonly owner: Merchant
  readonly key: string
  /** A unique name. */
  name(): string
  ask<T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, status?: number): Promise<T>
  create(path: string, body: Record<string, unknown>): Promise<Made>
}

async function productWithVariants(maker: Maker): Promise<Ids> {
  const groups = [{ name: 'Colour', options: [{ name: 'Red' }, { name: 'Blue' }] }]
  const body = { name: 'Thing', price: 10, delivery: { physical: false }, variant_groups: groups }
  type Groups = { variant_groups: { id: string; options: Made[] }[] }
  const product = (await maker.create('products', body)) as Made & Groups
  const [group] = product.variant_groups
  const [option, spare] = group?.options ?? []
  if (!group || !option || !spare) throw new Error('The product lacks its options.')
  const variant = await maker.create(`products/${product.id}/variants`, { options: { [group.id]: option.id } })
  const { id: asset } = await upload(maker.app, maker.key, { filename: 'a.png', contents: base64(png()) })
  return { product: product.id, group: group.id, option: option.id, spare: spare.id, variant: variant.id, asset }
}

async function cartWithLine(maker: Maker): Promise<Ids> {
  const { product = '', group = '', option = '', spare = '', variant = '' } = await productWithVariants(maker)
  const { id: cart } = await maker.ask<Made>('GET', 'carts', undefined, 201)
  const chosen = { id: product, options: { [group]: option } }
  const { line_items: lines } = await maker.ask<{ line_items: Made[] }>('POST', `carts/${cart}`, chosen)
  return { cart, line: lines[0]?.id ?? '', product, group, option, spare, variant }
}

async function checkoutWithCodes(maker: Maker): Promise<Ids> {
  const ids = await cartWithLine(maker)
  const { code } = (await maker.create('discounts', { type: 'fixed', value: 1 })) as Made & { code: string }
  const card = (await maker.create('giftcards', { value: 5 })) as Made & { code: string }
  const { id: token } = await maker.ask<Made>('GET', `checkouts/${ids.cart}?type=cart`, undefined, 201)
  return { ...ids, token, code, card: card.code }
}

async function orderOf(maker: Maker, paidBy: 'card' | 'manual'): Promise<Ids> {
  const email = `${maker.name()}@example.com`
  const customer = { id: null, email, firstname: 'Ada', lastname: null, phone: null, meta: null }
  const order = await maker.owner.orders.order({ customer, lines: [physical(), digital()] }, paidBy)
  return {
    order: order.id,
    transaction: order.transactions[0]?.id ?? '',
    item: order.fulfillment.physical.items[0]?.id ?? '',
    package: order.fulfillment.digital.downloads[0]?.packages[0]?.id ?? '',
    customer: order.customer.id ?? '',
    email,
  }
}

/** Creates a polling webhook with two deliveries: one fetched but not acknowledged, and one queued. */
async function webhookWithDeliveries(maker: Maker): Promise<Ids> {
  await makeRoomForWebhooks(maker)
  // It subscribes to an event that never occurs here, so it receives nothing else.
  const { id: webhook } = await maker.create('webhooks', { transport: 'listen', subscribed_events: ['orders.dispute'] })
  for (let count = 0; count < 2; count++) await maker.ask('POST', `webhooks/${webhook}/test`, undefined, 202)
  type Pulled = { data: { delivery: string }[] }
  const { data } = await maker.ask<Pulled>('POST', `webhooks/${webhook}/pull`, { limit: 1 })
  const delivery = data[0]?.delivery ?? ''
  const { event_id: event } = await maker.ask<{ event_id: string }>('GET', `webhooks/${webhook}/deliveries/${delivery}`)
  return { webhook, delivery, event }
}

/** The first two webhooks of a shop are reused. */
const LASTING_WEBHOOKS = 2

/** A shop can have twenty webhooks. Delete those created for one request each. */
async function makeRoomForWebhooks(maker: Maker) {
  const { data } = await maker.ask<{ data: Made[] }>('GET', 'webhooks?limit=200')
  const later = data
    .map(({ id }) => id)
    .sort()
    .slice(LASTING_WEBHOOKS)
  if (later.length > 10) for (const id of later) await maker.ask('DELETE', `webhooks/${id}`, undefined, 204)
}

async function mailOf({ app, owner }: Maker, is_sandbox: boolean): Promise<string> {
  const id = newId('mail', app.clock.now())
  const from = { name: 'Shop', replyTo: 'shop@example.com' }
  const text = 'Log in'
  const content = { kind: 'login', to: 'ada@example.com', from, subject: text, text, html: `<p>${text}</p>` }
  await storeUnsentMail(app.db, { merchant_id: owner.id, is_sandbox, id, ...content }, app.clock.now())
  return id
}

/** Adds a sandbox entry to the request log, as the service does a moment after a request. */
async function requestOf({ app, owner }: Maker): Promise<string> {
  const entry = loggedEntry(owner.id, app.clock.now().getTime())
  await keepEntries(app.db, [entry])
  return entry.id
}

/** Returns an unknown id in the form of `id`. */
export function unknownOf(id: string): string {
  if (id.includes('@')) return 'nobody@example.com'
  if (/^\d+$/.test(id)) return '2147483647'
  const prefix = /^[a-z]+_/.exec(id)?.[0] ?? ''
  return prefix + '0'.repeat(id.length - prefix.length)
}

/** Created without a live order: its first one would make the shop sell live, and restrict its sandbox. */
async function liveCustomerOf(app: TestApp, { keys }: Merchant): Promise<string> {
  const { statusCode, body } = await app.server.inject({
    method: 'POST',
    url: '/v1/customers',
    remoteAddress: PROXY,
    headers: { 'x-authorization': keys.live.secret, 'x-forwarded-proto': 'https' },
    payload: { email: 'live@example.com' },
  })
  if (statusCode !== 201) throw new Error(body)
  return (JSON.parse(body) as { id: string }).id
}

export async function openWorld(app: TestApp): Promise<World> {
  let names = 0
  const idsOfShop = new Set<string>()
  const kept = new Map<string, Promise<Ids>>()
  const open = async (): Promise<Merchant> => {
    const orders = await openShop(app, { settings: { allowed_origins: ['https://shop.example'] } })
    return { id: orders.id, keys: orders.keys, dashboard: orders.dashboard, orders }
  }
  const makerFor = (owner: Merchant): Maker => {
    const key = owner.keys.sandbox.secret
    const ask: Maker['ask'] = async (method, path, body, status = 200) => {
      const answer = await app.call(method, `/v1/${path}`, { key, ...(body === undefined ? {} : { body }) })
      if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.body as never
    }
    const name = () => `n${++names}`
    return { app, owner, key, name, ask, create: (path, body) => ask('POST', path, body, 201) }
  }
  const [shop, stranger] = [await open(), await open()]
  const make = async (family: FamilyName, owner: Merchant = shop): Promise<Ids> => {
    const ids: Ids = await MAKERS[family](makerFor(owner))
    for (const [what, id] of Object.entries(ids)) {
      if (id === '') throw new Error(`The family ${family} lacks its ${what}.`)
      // Public URLs contain the merchant's number.
      if (owner === shop && what !== 'merchant') idsOfShop.add(id)
    }
    return ids
  }
  const shared: World['shared'] = (family, owner = shop, which = 0) => {
    const name = `${family} ${owner.id} ${which}`
    const found = kept.get(name) ?? make(family, owner)
    kept.set(name, found)
    return found
  }
  const customerOf = async (owner: Merchant, which: 0 | 1 = 0) =>
    (await shared('customer', owner, which)).customer ?? ''
  return {
    shop,
    stranger,
    make,
    shared,
    idsOfShop,
    customer: await customerOf(shop),
    otherCustomer: await customerOf(shop, 1),
    foreignCustomer: await customerOf(stranger, 1),
    liveCustomer: await liveCustomerOf(app, shop),
  }
}
