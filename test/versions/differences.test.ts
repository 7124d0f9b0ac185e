// @unit
// Orders, checkouts and carts from one version to the next, read from the golden bodies: which fields come and go, and which ones
// published storefronts of a version read without asking whether they are there.

import { describe, expect, it } from 'vitest'
import { isJsonObject, type Json } from '../../src/versions/change.ts'
import { HEAD, versions } from '../../src/versions/index.ts'
import { goldenText, readGolden } from './golden/files.ts'

const dates = versions.map(({ date }) => date)
const files = readGolden()
const bodyOf = (exchange: string, version: string): Json =>
  (JSON.parse(goldenText(files, exchange, version, dates)) as { body: Json }).body

/** Fields that the newer one has and the older one lacks (+), the other way round (-), and fields that differ (~), by path. */
function differences(older: Json, newer: Json, path = ''): string[] {
  if (Array.isArray(older) && Array.isArray(newer) && older.length === newer.length)
    return older.flatMap((entry, index) => differences(entry, newer[index], `${path}[]`))
  if (isJsonObject(older) && isJsonObject(newer)) {
    const names = [...new Set([...Object.keys(older), ...Object.keys(newer)])]
    return names.flatMap((name) => {
      const at = path === '' ? name : `${path}.${name}`
      const [before, after] = [older[name], newer[name]]
      if (before === undefined) return `+ ${at}`
      return after === undefined ? `- ${at}` : differences(before, after, at)
    })
  }
  return JSON.stringify(older) === JSON.stringify(newer) ? [] : [`~ ${path}`]
}

const unique = (lines: string[]) => [...new Set(lines)].sort()

/** The differences to the version before, of the versions that have any. */
function history(exchange: string): Record<string, string[]> {
  const steps = dates.slice(0, -1).map((date, index) => {
    const older = dates[index + 1] ?? ''
    return [date, unique(differences(bodyOf(exchange, older), bodyOf(exchange, date)))] as const
  })
  return Object.fromEntries(steps.filter(([, found]) => found.length > 0))
}

/** Differences such as `+ image`, at each of the places. */
const below = (parents: string[], fields: string[]) =>
  parents.flatMap((parent) => fields.map((field) => field.replace(' ', ` ${parent}`)))

const PICTURE = ['+ image', '- media']
const PRODUCTS = ['+ product_ids', '- product_id']
const INLINE = '- data,+ description,+ file_extension,+ file_size,+ filename,+ image_dimensions'.split(',')
const DELIVERY = ['+ physical', '- shipping', '~ digital']
const COLLECTED = 'fullname shipping_address billing_address extrafields extra_fields tax eu_vat_moss_evidence'
const TENSES = COLLECTED.split(' ').flatMap((flag) => [`+ collected_${flag}`, `- collects_${flag}`])
const LISTS = ['line_items[].', 'live.line_items[].']
const VARIANT_ASSETS = LISTS.map((list) => `${list}variant.assets[].`)

const ORDER = {
  '2021-09-29': below(['order.line_items[].'], PICTURE),
  '2020-11-18': ['~ fulfillment.digital.downloads[].packages[].id'],
  '2020-09-23': ['+ collected', '- collects', ...below(['conditionals.'], TENSES)],
  '2020-08-12': [
    '+ transactions',
    '- pending_payments',
    '- future_payments',
    '- order.future_charges',
    '~ payments[].amount',
  ],
  '2020-07-29': below(['order.discount.'], PRODUCTS),
  '2020-07-01': ['+ meta', '- metadata'],
  '2020-06-17': ['- payment', ...below(['fulfillment.'], DELIVERY)],
}

describe('from one version to the next', () => {
  it.each<[exchange: string, changes: Record<string, string[]>]>([
    ['orders.get', ORDER],
    ['customers.get_order', ORDER],
    ['orders.get_fulfillments', { '2020-11-18': ['~ digital.downloads[].packages[].id'], '2020-06-17': DELIVERY }],
    [
      'checkouts.live',
      {
        '2022-07-21': ['~ discount'],
        '2021-09-29': below(['line_items[].'], PICTURE),
        '2020-09-23': below(['line_items[].variant.assets[].'], INLINE),
        '2020-08-12': ['- future_charges', '- line_items[].variant.assets[].merchant_id'],
        '2020-07-29': below(['discount.'], PRODUCTS),
      },
    ],
    [
      'checkouts.get',
      {
        '2022-07-21': ['~ discount', '~ live.discount'],
        '2021-09-29': below([...LISTS, 'products[].'], PICTURE),
        '2020-09-23': ['+ products', '- gateways.available.amazon_pay', ...below(VARIANT_ASSETS, INLINE)],
        '2020-08-12': ['- live.future_charges', ...below(VARIANT_ASSETS, ['- merchant_id'])],
        '2020-07-29': below(['discount.', 'live.discount.'], PRODUCTS),
      },
    ],
  ])('%s changes in these fields and no others', (exchange, changes) => {
    expect(history(exchange)).toEqual(
      Object.fromEntries(Object.entries(changes).map(([date, lines]) => [date, unique(lines)])),
    )
  })

  it.each(['checkouts.receipt', 'checkouts.capture'])('%s answers an order as orders do', (exchange) => {
    const [shown, order] = [history(exchange), history('orders.get')]
    expect(Object.keys(shown).filter((date) => !(date in order))).toEqual([])
    expect(shown['2020-07-01']).toEqual(ORDER['2020-07-01'])
  })

  it.each(dates)('an order has the choices of a line under both names, and its base price, at %s', (version) => {
    type Bought = { order: { line_items: Record<string, Json>[] } }
    const [newest, line] = [HEAD, version].map((date) => (bodyOf('orders.get', date) as Bought).order.line_items[0])
    expect(newest).toMatchObject({ variants: [{ option_name: 'S' }], selected_options: [{ option_name: 'S' }] })
    for (const field of ['variants', 'selected_options', 'price', 'line_total'])
      expect([field, line?.[field]]).toEqual([field, newest?.[field]])
  })
})

/** The values at a path, through all entries of the lists on the way. */
const valuesAt = (value: Json, path: string): unknown[] =>
  path.split('.').reduce<unknown[]>(
    (found, part) => {
      const [, name = part, isList] = /^(\w+)(\[\])?$/.exec(part) ?? []
      const inner = found.map((each) => (each as Record<string, unknown> | undefined)?.[name])
      return isList ? inner.flat() : inner
    },
    [value],
  )

const within = (parent: string, fields: string) => fields.split(' ').map((field) => parent + field)

const TOTALS = 'subtotal tax.amount shipping.price total'.split(' ').map((field) => `${field}.formatted_with_symbol`)
const OF_ORDER = [
  ...TOTALS.map((field) => `order.${field}`),
  ...within('order.line_items[].', 'id product_name quantity line_total.formatted_with_symbol media.source'),
  ...within('order.line_items[].', 'price.formatted_with_symbol selected_options'),
  ...within('shipping.', 'street street_2 town_city postal_zip_code country'),
  ...'id customer_reference created status_payment status_fulfillment billing.street'.split(' '),
  'order_value.formatted_with_symbol',
]
const OF_DOWNLOADS = [
  'has.digital_fulfillment',
  ...within('fulfillment.digital.downloads[].packages[].', 'access_link name'),
]
const OF_OLD_ORDER = [
  ...within('order.line_items[].', 'name quantity line_total.formatted_with_code'),
  ...'customer.email shipping.name order.total.formatted_with_code'.split(' '),
]
const OF_TOKEN = [
  ...'id collects.billing_address collects.shipping_address extrafields[].id'.split(' '),
  ...within('gateways.available.', 'test_gateway stripe'),
  ...TOTALS.map((field) => `live.${field}`),
  ...within('live.line_items[].', 'id product_name quantity line_total.formatted_with_code media.source'),
]
const OF_CHOICES = within('live.line_items[].', 'id quantity variants')

describe('storefronts', () => {
  it.each([
    ['an order, on an account page', 'orders.get', '2021-03-10', OF_ORDER],
    ['an order, with downloads', 'orders.get', '2021-03-10', OF_DOWNLOADS],
    ['an order, without naming a version', 'orders.get', HEAD, OF_OLD_ORDER],
    ['an order, without naming a version', 'orders.get', '2020-02-01', OF_OLD_ORDER],
    ['a token, with pictures and gateways', 'checkouts.get', '2021-03-10', OF_TOKEN],
    ['a token, without naming a version', 'checkouts.get', HEAD, OF_CHOICES],
    ['a token, without naming a version', 'checkouts.get', '2020-02-01', OF_CHOICES],
  ])('find what they read of %s: %s at %s', (_, exchange, version, paths) => {
    const body = bodyOf(exchange, version)
    const missing = paths.filter((path) => {
      const values = valuesAt(body, path)
      return values.length === 0 || values.includes(undefined)
    })
    expect(missing).toEqual([])
  })
})
