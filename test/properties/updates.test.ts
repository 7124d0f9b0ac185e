// Every PUT is partial: a field that is sent changes, and changes back; every other field stays. Two that change different fields at the same
// moment both take effect. test/access/if-match.test.ts proves ETag and If-Match of every PUT.

import { describe, expect, it } from 'vitest'
import { readerOf } from '../../src/http/if-match.ts'
import type { FamilyName, Ids } from '../access/objects.ts'
import { type Body, endpoints, type Operation, openProperties, operations, titled } from './support.ts'

const shop = await openProperties()
const puts = operations.filter(({ endpoint }) => endpoint.method === 'PUT')

/** Updates that are no plain replacement of fields, each with the tests that prove them. */
const NOT_PLAIN: Readonly<Record<string, string>> = {
  'products.replace_assets': 'It replaces one list: test/api/products.',
  'carts.update_line': 'It changes a line of a cart: test/api/carts.',
  'orders.update_item': 'The status follows rules: test/api/orders.',
  'orders.update_transaction': 'It moves money: test/api/orders.',
  'checkouts.update': 'It prices anew: test/api/checkouts.',
}
const plain = puts.filter(({ name }) => !(name in NOT_PLAIN))

/** Fields that are left out, each with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'assets.update pending': 'It ends an upload: test/api/assets.',
  'merchants.update currency': 'It cannot be changed: test/api/merchants.',
  'categories.update before': 'It orders siblings: test/api/categories.',
  'products.update quantity': 'Short for inventory: test/api/products.',
  'products.update inventory.on_hand': 'Another form of available: test/api/products.',
  'variants.update on_hand': 'Another form of inventory: test/api/products.',
  'gateways.update code': 'A gateway stays of one kind: test/api/gateways.',
  'gateways.update simulated': 'It depends on the mode: test/api/gateways.',
  'gateways.update sandbox': 'It depends on the mode: test/api/gateways.',
}

type Values = readonly unknown[]

const made = (family: FamilyName, what: string) => async () => {
  const [one, other] = [await shop.world.make(family), await shop.world.make(family)]
  return [[one[what]], [other[what]], []]
}
const pictures = async () => {
  const [one, other] = [await shop.world.make('product'), await shop.world.make('product')]
  return [[{ id: one.asset }], [{ id: other.asset }]]
}
const pages = ['https://shop.example/one', 'https://shop.example/two', null]
const option = (value: string) => ({ value, label: value })

/** Values that are accepted, where the schema alone does not tell them. */
const VALUES: Readonly<Record<string, Values | ((ids: Ids) => Promise<Values>)>> = {
  'assets.update meta': [{ a: 1 }, ['one', 'two'], null],
  'merchants.update support_email': ['one@example.com', 'two@example.com'],
  'merchants.update country': ['US', 'DE', null],
  'merchants.update logo': async () => [(await shop.world.make('product')).asset, null],
  'merchants.update cover': async () => [(await shop.world.make('product')).asset, null],
  'merchants.update analytics.google.settings.linked_domains': [['one.example'], ['two.example', 'one.example']],
  'merchants.update allowed_origins': [['https://shop.example'], ['https://shop.example', 'https://two.example']],
  'merchants.update version': ['2022-07-21', '2021-10-06'],
  'merchants.update notifications.merchant.email': ['one@example.com', 'two@example.com', null],
  'merchants.update colors.accent': ['#112233', '#445566', null],
  'merchants.update colors.background': ['#112233', '#445566', null],
  'merchants.update address.country': ['US', 'DE', null],
  'merchants.update checkout.languages': [['en'], ['de', 'en']],
  'merchants.update checkout.terms_url': pages,
  'merchants.update checkout.privacy_url': pages,
  'merchants.update checkout.return_url': pages,
  'merchants.update time_zone': ['Europe/Berlin', 'Asia/Tokyo'],
  'attributes.update type': ['long_text', 'short_text'],
  'attributes.update is_multiselect': [false],
  'attributes.update options': [[]],
  'attributes.update default_value': ['One', 'Two', null],
  'categories.update slug': ['one', 'two'],
  'categories.update assets': async () => (await pictures()).map(([asset]) => [asset?.id]),
  'categories.update children': made('category', 'category'),
  'categories.update parent_id': async () => [(await shop.world.make('category')).category, null],
  'shipping_zones.update countries': [['US'], ['US', 'DE']],
  'shipping_zones.update regions': [{ US: ['CA'] }, { US: ['CA', 'NY'] }, { US: null }],
  'shipping_zones.update methods': [[], [{ description: 'Post', price: 5 }]],
  'products.update permalink': ['one', 'two'],
  'products.update thank_you_url': pages,
  'products.update delivery.digital.packages': [[]],
  'products.update delivery.digital.lifespan.period': [null],
  'products.update delivery.digital.lifespan.duration': [null],
  'products.update delivery.shipping_zones': made('zone', 'zone'),
  'products.update assets': pictures,
  'products.update categories': async () =>
    (await made('category', 'category')()).map((each) => each.map((id) => ({ id }))),
  'products.update related_products': async () =>
    (await made('product', 'product')()).map((each) => each.map((id) => ({ id }))),
  'products.update attributes': async () =>
    (await made('attribute', 'attribute')()).map((each) => each.map((id) => ({ id, value: 'One' }))),
  'products.update extra_fields': [[{ name: 'Engraving' }], []],
  'products.update variant_groups': [[{ name: 'Size', options: [{ name: 'Small' }] }], []],
  'variants.update options': async ({ group = '', option: one, spare }) => [{ [group]: spare }, { [group]: one }],
  'variants.update assets': pictures,
  'variant_groups.update options': [[{ name: 'Pink' }], [{ name: 'Green' }, { name: 'Pink' }]],
  'variant_options.update assets': pictures,
  'tax_zones.update country': ['US', 'DE'],
  'tax_zones.update region': ['CA', null],
  'tax_zones.update postal_prefix': ['1', '2', null],
  'tax_zones.update rates': [[{ type: 'VAT', rate: 0.1 }], [{ type: 'VAT', rate: '0.2', digital_rate: 0.1 }], []],
  'discounts.update type': ['percentage', 'fixed'],
  'discounts.update product_ids': made('product', 'product'),
  'discounts.update code': ['ONE', 'TWO'],
  'giftcards.update code': ['ONE', 'TWO'],
  'gateways.update config': [{ name: 'By post' }, { name: 'By hand' }],
  'customers.update email': ['one@example.com', 'two@example.com'],
  'customers.update phone': ['+1 555 0100', '+1 555 0101', null],
  'customers.update_address country': ['US', 'DE', null],
  'customers.update_address county_state': ['CA', 'NY', null],
  'carts.update discount_code': async () => [null],
  'orders.update customer.email': ['one@example.com', 'two@example.com'],
  'orders.update customer.phone': ['+1 555 0100', '+1 555 0101', null],
  'orders.update shipping.country': ['US', 'DE'],
  'orders.update billing.country': ['US', 'DE'],
  'webhooks.update subscribed_events': [['orders.dispute'], ['orders.paid', 'orders.dispute']],
  'webhooks.update version': ['2022-07-21', '2021-10-06'],
  'webhooks.update url': ['https://shop.example/one'],
}
void option

/** Further parts of an answer that a field changes. */
const ALSO: Readonly<Record<string, readonly string[]>> = {}

type Shape = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: unknown
  readonly minimum?: number
}

/** Fields at any depth, each with its schema. */
const leavesOf = (shape: Shape, path: string[] = []): [string, Shape][] =>
  shape.properties
    ? Object.entries(shape.properties).flatMap(([name, part]) => leavesOf(part, [...path, name]))
    : [[path.join('.'), shape]]

/** Text with letters of four bytes, of both directions and of two forms, and with what would break out of HTML or SQL. */
const HOSTILE = `👩‍👩‍👧 \u202Eשלום é e\u0301 <b>'; drop table merchants; --"\\`

function valuesBySchema({ type, enum: choices, additionalProperties: others, minimum = 0 }: Shape): Values {
  const types = [type ?? []].flat()
  const orNull = types.includes('null') ? [null] : []
  if (choices) return choices.slice(0, 2)
  if (types.includes('boolean')) return [true, false]
  if (types.includes('number')) return [5, 7, ...orNull]
  if (types.includes('integer')) return [minimum + 2, minimum + 1, ...orNull]
  if (types.includes('string')) return ['One', HOSTILE, ...orNull]
  if (types.includes('object') && others === true) return [{ z: 1, a: { b: [2] } }, {}, ...orNull]
  return []
}

const valuesOf = async ({ name }: Operation, field: string, shape: Shape, ids: Ids): Promise<Values> => {
  const known = VALUES[`${name} ${field}`] ?? valuesBySchema(shape)
  return typeof known === 'function' ? known(ids) : known
}

const nest = (path: string, value: unknown): Body =>
  path
    .split('.')
    .reverse()
    .reduce((inner, name) => ({ [name]: inner }), value as never)

/** Every value within an answer by its path, signatures aside. */
function flat(value: unknown, path = ''): Record<string, unknown> {
  if (typeof value !== 'object' || value === null)
    return { [path]: typeof value === 'string' ? value.replace(/\?expires=.*/, '') : value }
  const parts = Object.entries(value).map(([name, part]) => flat(part, path === '' ? name : `${path}.${name}`))
  return Object.assign(parts.length === 0 ? { [path]: Array.isArray(value) ? '[]' : '{}' } : {}, ...parts)
}

const differences = (one: Record<string, unknown>, other: Record<string, unknown>) =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((path) => one[path] !== other[path])

const WITH_EVERY_CHANGE = ['updated', 'expires']

describe('a field that is sent alone', () => {
  it.each(titled(plain))('changes, and nothing else with it: %s', async (name, operation) => {
    const ids = await shop.newIds(operation)
    const reader = readerOf(operation.endpoint, endpoints)
    const get = reader && operations.find(({ endpoint }) => endpoint === reader)
    const put = async (body: Body) => {
      shop.app.clock.advance(1)
      const answer = await shop.send(operation, { ids, body })
      if (answer.status !== 200) return `${JSON.stringify(body)}: ${answer.status} ${answer.text.slice(0, 200)}`
      return flat((get ? await shop.send({ ...get, row: { ...operation.row, route: get.route } }, { ids }) : answer).body)
    }
    const problems: unknown[] = []
    for (const [field, shape] of leavesOf(operation.endpoint.body as Shape)) {
      if (`${name} ${field}` in LEFT_OUT) continue
      const values = await valuesOf(operation, field, shape, ids)
      if (values.length === 0) problems.push(`${field}: say in VALUES what is accepted.`)
      let before = await put(nest(field, values.at(-1)))
      for (const value of values) {
        const after = await put(nest(field, value))
        if (typeof before === 'string' || typeof after === 'string') problems.push(typeof before === 'string' ? before : after)
        else {
          const changed = differences(before, after).filter((path) => !WITH_EVERY_CHANGE.includes(path))
          const expected = [field, ...(ALSO[`${name} ${field}`] ?? [])]
          const others = changed.filter((path) => !expected.some((each) => path === each || path.startsWith(`${each}.`)))
          if (others.length > 0) problems.push(`${field} also changes ${others}`)
          if (changed.length === 0 && values.length > 1) problems.push(`${field} does not change to ${JSON.stringify(value)}`)
        }
        before = after
      }
    }
    expect(problems).toEqual([])
  })
})
