// @unit
// Requests of older versions, upgraded to the newest. An old name is read just before its change, and ignored from the change on. If both
// names are sent, the newer one wins.

import { expect, it } from 'vitest'
import type { JsonData, JsonObject } from '../../src/versions/change.ts'
import { versions } from '../../src/versions/index.ts'
import { real } from './real.ts'
import { frozen, told } from './support.ts'

type Asked = { params?: Record<string, string>; query?: JsonObject; body?: JsonObject }

const dates = versions.map(({ date }) => date)

/** `date`: the version that introduced the change. */
function upgraded(operation: string, date: string, { params = {}, query = {}, body = {} }: Asked) {
  const asked = frozen({ params, query, body })
  const at = (version: string) => real.planFor(version, operation)?.upgrade?.(asked, told) ?? asked
  expect(at(date)).toEqual(asked)
  return { before: at(dates[dates.indexOf(date) + 1] ?? ''), oldest: at(dates.at(-1) ?? '') }
}

/** Bodies by operation: as sent, and as the handler receives them. */
type Row = [operation: string, date: string, sent: JsonObject, received: JsonObject]

const RED = { vgrp_1: 'optn_1' }
const BLUE = { vgrp_1: 'optn_2' }

const choices = ['carts.add', 'carts.update_line'].flatMap((operation) =>
  (
    [
      [{ variant: RED }, { options: RED }],
      [{ variant: 'vrnt_1' }, { variant_id: 'vrnt_1' }],
      [{ variant: null }, {}],
      [{ variant: {} }, { options: {} }],
      [{}, {}],
      [{ options: BLUE }, { options: BLUE }],
      [{ variant: null, options: BLUE }, { options: BLUE }],
      [{ variant: RED, options: BLUE }, { options: BLUE }],
      [{ variant: RED, options: {} }, { options: {} }],
      [{ variant: RED, variant_id: 'vrnt_1' }, { variant_id: 'vrnt_1' }],
      [{ variant: RED, options: null, variant_id: '' }, { options: RED }],
      [{ variant: RED, options: [] }, { options: RED }],
      [{ variant: 7 }, { options: 7 }],
    ] as [JsonObject, JsonObject][]
  ).map(([sent, received]): Row => [operation, '2021-03-31', { id: 'x', ...sent }, { id: 'x', ...received }]),
)

const renames = (operations: string[], date: string, older: string, newer: string) =>
  operations.flatMap((operation): Row[] => [
    [operation, date, { [older]: [{ a: 1 }], name: 'x' }, { [newer]: [{ a: 1 }], name: 'x' }],
    [operation, date, { [older]: { a: 1 }, [newer]: { b: 2 } }, { [newer]: { b: 2 } }],
    [operation, date, { [newer]: null }, { [newer]: null }],
  ])

const products = ['discounts.create', 'discounts.update'].flatMap((operation) =>
  (
    [
      [{ product_id: 'prod_1' }, { product_ids: ['prod_1'] }],
      [{ product_id: null }, { product_ids: [] }],
      [{ product_id: ['prod_1', 'prod_2'] }, { product_ids: ['prod_1', 'prod_2'] }],
      [{ product_id: 'prod_1', product_ids: ['prod_2'] }, { product_ids: ['prod_2'] }],
      [{ product_ids: ['prod_2'] }, { product_ids: ['prod_2'] }],
      [{ value: 2 }, { value: 2 }],
    ] as [JsonObject, JsonObject][]
  ).map(([sent, received]): Row => [operation, '2020-06-17', sent, received]),
)

it.each<Row>([
  ...choices,
  ...renames(['products.create', 'products.update'], '2021-03-10', 'variants', 'variant_groups'),
  ...renames(['checkouts.capture', 'orders.update'], '2020-07-01', 'metadata', 'meta'),
  ...products,
])('the body of %s reads before %s from %j as %j', (operation, date, sent, received) => {
  const { before, oldest } = upgraded(operation, date, { body: sent })
  expect([before, oldest]).toEqual(Array(2).fill({ params: {}, query: {}, body: received as JsonData }))
})

it.each(['orders.get_package', 'orders.update_package'])(
  '%s finds a download by either id before 2020-11-18',
  (operation) => {
    for (const prefix of ['ful_', 'dwnld_']) {
      const params = { id: 'ful_order', package_id: `${prefix}1` }
      const { before, oldest } = upgraded(operation, '2020-11-18', { params })
      for (const { params } of [before, oldest]) expect(params).toEqual({ id: 'ful_order', package_id: 'dwnld_1' })
    }
  },
)

it.each([
  ['product_id', 'id'],
  ['id', 'id'],
  ['sku', 'sku'],
  ['barcode', 'barcode'],
])('a product by type=%s is read before 2020-08-12 as type=%s', (type, received) => {
  const { before, oldest } = upgraded('products.get', '2020-08-12', { query: { type, page: '1' } })
  for (const { query } of [before, oldest]) expect(query).toEqual({ type: received, page: '1' })
})
