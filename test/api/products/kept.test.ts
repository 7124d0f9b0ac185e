// @sampled: the proof writes in random order and asks in every version.
// What a process keeps of products is never shown once it has changed: whatever is written through one server, in random order, a second
// server that has answered before answers as if it had not. And the kept totals are what counting gives.

import { beforeAll, describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import type { Answer, TestApp } from '../../support/app.ts'
import { testApp } from '../../support/app.ts'
import { cloneDatabase, patient } from '../../support/database.ts'
import { isProof, size } from '../../support/proof.ts'
import { randomOf } from '../../support/random.ts'

/** The newest, an older version, and the SDK that names none. */
const FORMS: readonly Record<string, string>[] = [
  {},
  { 'service-version': '2020-08-12' },
  { 'x-chec-agent': 'commerce.js/v2' },
]
const PROXY = { 'x-forwarded-proto': 'https' }
const ROUNDS = size(3, 25)
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

let writer: TestApp
let warm: TestApp
let shop: Awaited<ReturnType<TestApp['merchant']>>
const connection = await cloneDatabase()

beforeAll(async () => {
  writer = await testApp({ connection, trustProxy: ['127.0.0.1'] })
  warm = await testApp({ connection, trustProxy: ['127.0.0.1'] })
  shop = await writer.merchant()
})

type Created = { id: string }
type Whole = Created & { variant_groups: { id: string; options: Created[] }[]; active: boolean }

const ids = { products: [] as string[], categories: [] as string[], assets: [] as string[], attributes: [] as string[] }
const zones: string[] = []

async function call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
  writer.clock.advance(1)
  const answer = await writer.call(method, `/v1/${path}`, { key: shop.keys.sandbox.secret, ...(body ? { body } : {}) })
  // A refusal of the rules is part of life here; a failure is not.
  expect(answer.status, `${method} ${path}: ${answer.text}`).toBeLessThan(500)
  return answer
}

const created = async (path: string, body: unknown) => ((await call('POST', path, body)).body as Created).id

/** Every write of the catalogue, each by a random pick among what there is. */
function writesOf(random: (below: number) => number): (() => Promise<unknown>)[] {
  const one = (list: readonly string[]) => list[random(list.length)] ?? 'prod_none'
  const some = (list: readonly string[]) => list.filter(() => random(2) === 0).slice(0, 3)
  const name = () => `Name ${random(1_000)}`
  const product = () => `products/${one(ids.products)}`
  const ofGroup = async (write: (path: string, option?: string) => Promise<unknown>) => {
    const { id, variant_groups: groups = [] } = (await call('GET', product())).body as Whole
    const group = groups[random(groups.length)]
    if (group) await write(`products/${id}/variant_groups/${group.id}`, group.options[0]?.id)
  }
  const ofVariant = async (write: (path: string) => Promise<unknown>) => {
    const at = product()
    const list = (await call('GET', `${at}/variants`)).body as { data?: Created[] }
    const variant = list.data?.[random(list.data.length)]
    if (variant) await write(`${at}/variants/${variant.id}`)
  }
  const drop = async (list: string[], path: string) => {
    const id = one(list)
    if ((await call('DELETE', `${path}/${id}`)).status === 204) list.splice(list.indexOf(id), 1)
  }
  return [
    async () =>
      ids.products.push(
        await created('products', {
          name: name(),
          price: random(100),
          inventory: { managed: true, available: random(3) },
          assets: some(ids.assets),
          categories: some(ids.categories),
          related_products: some(ids.products),
          attributes: some(ids.attributes).map((id) => ({ id, value: random(9) })),
          extra_fields: [{ name: name() }],
          variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L', price: 2 }] }],
        }),
      ),
    () => call('PUT', product(), { name: name(), price: random(100), active: random(4) > 0 }),
    () => call('PUT', product(), { assets: some(ids.assets), categories: some(ids.categories) }),
    () => call('PUT', product(), { related_products: some(ids.products) }),
    () => call('PUT', product(), { attributes: some(ids.attributes).map((id) => ({ id, value: random(9) })) }),
    () => call('PUT', product(), { inventory: { managed: true, available: random(2) } }),
    () => call('PUT', product(), { extra_fields: [{ name: name() }] }),
    () => call('PUT', product(), { delivery: { digital: { packages: some(ids.assets).map((asset) => ({ asset })) } } }),
    () => call('PUT', product(), { permalink: 'Not a permalink' }),
    () => call('POST', `${product()}/assets`, { assets: some(ids.assets) }),
    () => call('PUT', `${product()}/assets`, { assets: some(ids.assets) }),
    () => drop(ids.products, 'products'),
    () => call('POST', `${product()}/variant_groups`, { name: name(), options: [{ name: 'A' }] }),
    () => ofGroup((path) => call('PUT', path, { name: name() })),
    () => ofGroup((path) => call('POST', `${path}/options`, { name: name(), assets: some(ids.assets) })),
    () => ofGroup((path, option) => call('DELETE', `${path}/options/${option}`)),
    () => ofGroup((path) => call('DELETE', path)),
    () => call('POST', `${product()}/variants/generate`, {}),
    () => ofVariant((path) => call('PUT', path, { inventory: random(2), price: random(50), description: name() })),
    () => ofVariant((path) => call('DELETE', path)),
    async () => ids.categories.push(await created('categories', { name: name(), slug: `slug-${random(1e9)}` })),
    () => call('PUT', `categories/${one(ids.categories)}`, { name: name() }),
    () => drop(ids.categories, 'categories'),
    async () => ids.attributes.push(await created('attributes', { name: name(), description: '', type: 'number' })),
    () => call('PUT', `attributes/${one(ids.attributes)}`, { name: name(), is_public: random(2) === 0 }),
    () => drop(ids.attributes, 'attributes'),
    async () =>
      ids.assets.push(await created('assets', { filename: 'a.png', contents: PNG, private: random(4) === 0 })),
    () => call('PUT', `assets/${one(ids.assets)}`, { description: name() }),
    () => drop(ids.assets, 'assets'),
    async () => zones.push(await created('shipping_zones', { name: name(), countries: ['CA'], methods: [] })),
    () => drop(zones, 'shipping_zones'),
    () => created('tax_zones', { country: 'CA', rates: [{ name: 'GST', rate: 5 }] }),
    () => created('discounts', { type: 'fixed', value: 1 }),
  ]
}

/**
 * All that shoppers and the merchant see of the products, in both modes and several versions, by a name of the server. What is kept is kept
 * for each name, so that one which nobody has used yet is answered anew. Signed addresses differ by their moment.
 */
async function seenBy(host: string, isWhole: boolean): Promise<string[]> {
  const seen: string[] = []
  const { live, sandbox } = shop.keys
  for (const mode of isWhole ? [live, sandbox] : [sandbox])
    for (const key of [mode.public, mode.secret])
      for (const headers of isWhole ? FORMS : FORMS.slice(0, 1))
        for (const path of ['products?limit=50', `products/${ids.products[0]}`]) {
          const answer = await warm.call('GET', `/v1/${path}`, { key, headers: { ...PROXY, host, ...headers } })
          if (path.includes('?')) expect(answer.status).toBe(200)
          const text = answer.text.replaceAll(/expires=\d+&signature=[\w-]+/g, 'signed')
          seen.push(`${path} ${answer.status} ${text.replaceAll(host, 'host')}`)
        }
  return seen
}

/** Tables with a kept total. */
const LISTS = [
  ...['products', 'categories', 'attributes', 'assets', 'shipping_zones', 'tax_zones', 'discounts', 'gift_cards'],
  'payment_methods',
]

type Totals = { list: string; kept: number; counted: number }

const totals = statement<Totals>(
  'test.kept_totals',
  `select list, (
     select coalesce(sum(total), 0) from kept_counts kept where kept.merchant_id = :merchant_id and kept.list = counted.list
   )::bigint as kept, counted
   from (
     select 'active_products' as list, count(*) as counted from products where merchant_id = :merchant_id and is_active
     ${LISTS.map((list) => `union all select '${list}', count(*) from ${list} where merchant_id = :merchant_id`).join('\n')}
   ) counted
   union all
   select category.id, (
     select coalesce(sum(products), 0) from category_counts kept
     where kept.merchant_id = :merchant_id and kept.category_id = category.id
   )::bigint, (
     select count(*)
     from product_categories link
     join products product on product.merchant_id = :merchant_id and product.id = link.product_id
     where link.merchant_id = :merchant_id and link.category_id = category.id and product.is_active
   )
   from categories category
   where category.merchant_id = :merchant_id`,
)

describe('after every write of the catalogue', () => {
  it('a server that has answered before answers as if it had not, and the totals are right', {
    timeout: patient(120_000),
  }, async () => {
    const random = randomOf(7)
    const writes = writesOf(random)
    /** Compares what a server shows that has answered before with what it shows by a name that nobody has used yet. */
    const compare = async (name: string, isWhole: boolean) => {
      expect(await seenBy('warm.example', isWhole)).toEqual(await seenBy(`${name}.example`, isWhole))
      const rows = await writer.db.many(totals, { merchant_id: shop.id })
      expect(rows.map(({ list, kept }) => [list, kept])).toEqual(rows.map(({ list, counted }) => [list, counted]))
    }
    // Something of each first, and one product to which the others are related.
    for (const write of [...writes, ...writes.slice(0, 1), ...writes.slice(0, 1)]) await write()
    const [related = '', ...relating] = ids.products
    for (const id of relating) await call('PUT', `products/${id}`, { related_products: [related] })
    await compare('related', isProof)
    await call('PUT', `products/${related}`, { name: 'Renamed' })
    await compare('renamed', isProof)
    for (const [index, write] of writes.entries()) {
      await write()
      await compare(`each-${index}`, isProof)
    }
    for (let round = 0; round < ROUNDS; round++) {
      // Several at once now and then.
      await Promise.all(Array.from({ length: round % 6 === 0 ? 4 : 1 }, () => writes[random(writes.length)]?.()))
      await compare(`cold-${round}`, true)
    }
  })
})

describe('a product that the client has', () => {
  it('is named by its ETag, and sent again once something has changed, also its stock', async () => {
    const id = await created('products', { name: 'Known', price: 1, inventory: { managed: true, available: 5 } })
    const get = (etag?: unknown) =>
      warm.call('GET', `/v1/products/${id}`, {
        key: shop.keys.sandbox.public,
        ...(etag ? { headers: { 'if-none-match': String(etag) } } : {}),
      })
    const first = await get()
    const tags = [first.headers.etag, `"other", W/${first.headers.etag}`, '"other"']
    expect(await Promise.all(tags.map(async (tag) => (await get(tag)).status))).toEqual([304, 304, 200])
    // In every process.
    const key = shop.keys.sandbox.public
    expect((await writer.call('GET', `/v1/products/${id}`, { key })).headers.etag).toBe(first.headers.etag)
    await call('PUT', `products/${id}`, { inventory: { available: 4 } })
    const second = await get(first.headers.etag)
    expect([second.status, (second.body as { quantity: number }).quantity]).toEqual([200, 4])
  })
})
