// @sampled: two changes at the same moment meet three times in the proof, and once in `npm test`.
// Every PUT is partial: only the fields sent change, and simultaneous changes of different fields both take effect.

import { describe, expect, it } from 'vitest'
import { findObjectReader } from '../../src/http/if-match.ts'
import type { FamilyName, Ids } from '../access/objects.ts'
import type { Answer } from '../support/app.ts'
import { size } from '../support/proof.ts'
import { type Body, endpoints, type Operation, openProperties, operations, titled } from './support.ts'

const shop = await openProperties()
const puts = operations.filter(({ endpoint }) => endpoint.method === 'PUT')

/** Updates that do more than replace fields, each with the tests that cover them. */
const NOT_PLAIN: Readonly<Record<string, string>> = {
  'products.replace_assets': 'It replaces one list: test/api/products.',
  'carts.update_line': 'It changes a line of a cart: test/api/carts.',
  'orders.update_item': 'The status follows rules: test/api/orders.',
  'orders.update_transaction': 'It moves money: test/api/orders.',
  'checkouts.update': 'It prices anew: test/api/checkouts.',
}
const plain = puts.filter(({ name }) => !(name in NOT_PLAIN))

/** Fields that are skipped, each with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'assets.update pending': 'It ends an upload: test/api/assets.',
  'merchants.update currency': 'It cannot be changed: test/api/merchants.',
  'categories.update before': 'It orders siblings: test/api/categories.',
  'products.update quantity': 'Short for inventory: test/api/products.',
  'products.update inventory.on_hand': 'Another form of available: test/api/products.',
  'variants.update on_hand': 'Another form of inventory: test/api/products.',
  'webhooks.update url': 'A listener has none: test/api/webhooks.',
  'gateways.update code': 'A gateway stays of one kind: test/api/gateways.',
  'gateways.update simulated': 'It depends on the mode: test/api/gateways.',
  'gateways.update sandbox': 'It depends on the mode: test/api/gateways.',
}

type Values = readonly unknown[]

const madeOf = (family: FamilyName, what: string) => async () => {
  const [one, other] = [await shop.world.make(family), await shop.world.make(family)]
  return [[one[what]], [other[what]], []]
}
const pictures = async () => {
  const [one, other] = [await shop.world.make('product'), await shop.world.make('product')]
  return [[{ id: one.asset }], [{ id: other.asset }]]
}
const pages = ['https://shop.example/one', 'https://shop.example/two', null]

/** Accepted values, if the schema alone does not determine them. */
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
  'categories.update meta': [{ z: 1, a: { b: [2] } }, {}],
  'categories.update slug': ['one', 'two'],
  'categories.update assets': async () => (await pictures()).map(([asset]) => [asset?.id]),
  'categories.update children': madeOf('category', 'category'),
  'categories.update parent_id': async () => [(await shop.world.make('category')).category, null],
  'shipping_zones.update countries': [['US'], ['US', 'DE']],
  'shipping_zones.update regions': [{ US: ['CA'] }, { US: ['CA', 'NY'] }, { US: null }],
  'shipping_zones.update methods': [[], [{ description: 'Post', price: 5 }]],
  'products.update permalink': ['one', 'two'],
  'products.update thank_you_url': pages,
  'products.update delivery.digital.packages': [[]],
  'products.update delivery.digital.lifespan.period': [null],
  'products.update delivery.digital.lifespan.duration': [null],
  'products.update delivery.shipping_zones': madeOf('zone', 'zone'),
  'products.update assets': pictures,
  'products.update categories': async () =>
    (await madeOf('category', 'category')()).map((each) => each.map((id) => ({ id }))),
  'products.update related_products': async () =>
    (await madeOf('product', 'product')()).map((each) => each.map((id) => ({ id }))),
  'products.update attributes': async () =>
    (await madeOf('attribute', 'attribute')()).map((each) => each.map((id) => ({ id, value: 'One' }))),
  'products.update extra_fields': [[{ name: 'Engraving' }], []],
  'products.update variant_groups': [[{ name: 'Size', options: [{ name: 'Small' }] }], []],
  'variants.update options': async ({ group = '', option: one, spare }) => [{ [group]: spare }, { [group]: one }],
  'variants.update assets': pictures,
  'variant_groups.update options': [[{ name: 'Pink' }], [{ name: 'Green' }, { name: 'Pink' }]],
  'variant_options.update assets': pictures,
  'tax_zones.update country': ['US', 'DE'],
  'tax_zones.update region': [null, 'CA'],
  'tax_zones.update postal_prefix': ['1', '2', null],
  'tax_zones.update rates': [[{ type: 'VAT', rate: 0.1 }], [{ type: 'VAT', rate: '0.2', digital_rate: 0.1 }], []],
  'discounts.update type': ['percentage', 'fixed'],
  'discounts.update product_ids': madeOf('product', 'product'),
  'discounts.update expires': [1_900_000_000, 1_900_000_001, null],
  'discounts.update code': ['ONE', 'TWO'],
  'giftcards.update expires': [1_900_000_000, 1_900_000_001, null],
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
}

/** Other response fields that change together with a field. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  'merchants.update name': ['business_name'],
  'merchants.update business_name': ['name'],
  'merchants.update description': ['business_description'],
  'merchants.update business_description': ['description'],
  'merchants.update logo': ['images.logo'],
  'merchants.update cover': ['images.cover'],
  'products.update permalink': ['checkout_url'],
  'products.update inventory.available': ['quantity', 'inventory.on_hand'],
  'products.update delivery.digital.lifespan.download_limit': ['delivery.digital.lifespan'],
  'products.update assets': ['image'],
  'products.update extra_fields': ['extrafields', 'collects.extra_fields', 'collects.extrafields'],
  'variants.update inventory': ['held', 'on_hand'],
  'carts.update discount_code': ['discount', 'expires'],
  'carts.update meta': ['expires'],
  'orders.update billing.name': ['billing'],
  'orders.update_package remaining_downloads': ['is_unlimited'],
  'webhooks.update active': ['state', 'disabled_reason'],
}

/** Response fields that are computed from others. */
const DERIVED = /^(is|has|conditionals)\./

type Shape = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: unknown
  readonly minimum?: number
}

/** Returns fields at any depth, each with its schema. */
const leavesOf = (shape: Shape, path: string[] = []): [string, Shape][] =>
  shape.properties
    ? Object.entries(shape.properties).flatMap(([name, part]) => leavesOf(part, [...path, name]))
    : [[path.join('.'), shape]]

/** Text with four-byte, right-to-left and combining characters, and with what could break out of HTML or SQL. */
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
  path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as Body

/** Returns every value in a response by its path, without signatures. */
function flat(value: unknown, path = ''): Record<string, unknown> {
  if (typeof value === 'string') return { [path]: value.replace(/\?expires=.*/, '') }
  if (typeof value !== 'object' || value === null) return { [path]: value }
  const parts = Object.entries(value).map(([name, part]) => flat(part, path === '' ? name : `${path}.${name}`))
  return parts.length === 0 ? { [path]: JSON.stringify(value) } : Object.assign({}, ...parts)
}

const differences = (one: Record<string, unknown>, other: Record<string, unknown>) =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((path) => one[path] !== other[path])

async function put(operation: Operation, ids: Ids, body: Body): Promise<Answer> {
  shop.app.clock.advance(1)
  const answer = await shop.send(operation, { ids, body })
  if (answer.status !== 200) throw new Error(`${JSON.stringify(body)}: ${answer.status} ${answer.text}`)
  return answer
}

/** Sends a change and returns the object from its GET, or from the response if no GET returns its ETag. */
async function change(operation: Operation, ids: Ids, body: Body): Promise<Record<string, unknown>> {
  const reader = findObjectReader(operation.endpoint, endpoints)
  const get = operations.find(({ endpoint }) => endpoint === reader)
  const answer = await put(operation, ids, body)
  return flat((get ? await shop.send({ ...get, row: { ...operation.row, route: get.route } }, { ids }) : answer).body)
}

const isTime = (path: string) => /(^|\.)updated(_at)?$/.test(path)

/** Updates that need at least one field. */
const NEEDS_A_FIELD = ['assets.update']

describe.each(titled(plain))('%s', (name, operation) => {
  const leaves = leavesOf(operation.endpoint.body as Shape).filter(([field]) => !(`${name} ${field}` in LEFT_OUT))
  let made: Promise<Ids> | undefined
  /** The object after the last change by the first test. */
  let last: Record<string, unknown> | undefined
  /** One object for all tests, because some values must be unique. */
  const idsOnce = () => {
    made ??= shop.newIds(operation)
    return made
  }

  it('changes each field alone, and no other with it', async () => {
    const ids = await idsOnce()
    const problems: unknown[] = []
    for (const [field, shape] of leaves) {
      const values = await valuesOf(operation, field, shape, ids)
      if (values.length === 0) problems.push(`${field}: say in VALUES what is accepted.`)
      // Set the first value again at the end, so that later changes could overwrite something.
      for (const [index, value] of [...values, values[0]].entries()) {
        const after = await change(operation, ids, nest(field, value))
        const paths = differences(last ?? after, after).filter((path) => !isTime(path))
        const expected = [field, ...(ALSO[`${name} ${field}`] ?? [])]
        const isExpected = (path: string) => expected.some((each) => `${path}.`.startsWith(`${each}.`))
        const others = paths.filter((path) => !isExpected(path) && !DERIVED.test(path))
        if (others.length > 0) problems.push(`${field} also changes ${others}`)
        if (index > 0 && paths.length === 0 && values.length > 1)
          problems.push(`${field} does not become ${JSON.stringify(value)}`)
        last = after
      }
    }
    expect(problems).toEqual([])
  })

  if (NEEDS_A_FIELD.includes(name)) return

  it('changes nothing for an empty body, and nothing that it does not know', async () => {
    const ids = await idsOnce()
    const before = last ?? (await change(operation, ids, {}))
    const unknown = { id: 'mine', created: 1, updated: 1, merchant_id: 1, nonsense: true }
    expect(differences(before, await change(operation, ids, unknown)).filter((path) => !isTime(path))).toEqual([])
  })

  it('loses neither of two changes at the same moment', async () => {
    const ids = await idsOnce()
    const pairs: [Body, Body][] = []
    for (const [field, shape] of leaves) {
      const known = VALUES[`${name} ${field}`] ?? valuesBySchema(shape)
      const [one, other] = typeof known === 'function' ? [] : known.filter((value) => typeof value !== 'object')
      if (one !== undefined && other !== undefined) pairs.push([nest(field, one), nest(field, other)])
    }
    const ends = pairs.length > 4 ? [...pairs.slice(0, 2), ...pairs.slice(-2)] : pairs
    const send = async (which: 0 | 1) => {
      for (const pair of ends) await put(operation, ids, pair[which])
    }
    await send(0)
    const expected = await change(operation, ids, {})
    for (let round = 0; round < size(1, 3); round++) {
      await send(1)
      await Promise.all(ends.map(([body]) => put(operation, ids, body)))
      const differing = differences(expected, await change(operation, ids, {}))
      expect(differing.filter((path) => !isTime(path))).toEqual([])
    }
  })
})
