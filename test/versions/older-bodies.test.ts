// @unit
// Bodies in older versions that the golden bodies do not contain, such as a line with a picture.

import { describe, expect, it } from 'vitest'
import type { JsonData, JsonObject } from '../../src/versions/change.ts'
import { real } from './real.ts'
import { frozen, told } from './support.ts'

/** `shown`: the expected object by version. It is compared as text, so that the order of fields matters. */
function expectShown(kind: string, newest: JsonObject, shown: Record<string, JsonData>) {
  const at = (version: string) => JSON.stringify(real.ageKind(version, kind, frozen(newest), told))
  expect(Object.fromEntries(Object.keys(shown).map((version) => [version, at(version)]))).toEqual(
    Object.fromEntries(Object.entries(shown).map(([version, value]) => [version, JSON.stringify(value)])),
  )
}

it.each([
  ['discount', '2020-06-17', '2020-02-01'],
  ['applied_discount', '2020-07-29', '2020-07-01'],
])('a code shows the products of a %s from %s on, and before that the first', (kind, newer, older) => {
  const product_ids = ['prod_2', 'prod_1']
  expectShown(kind, { product_ids }, { [newer]: { product_ids }, [older]: { product_id: 'prod_2' } })
})

it.each(['product', 'related_product', 'line_item', 'live_line', 'checkout_line', 'order_line'])(
  'the picture of a %s is the asset `image`, and before 2021-09-29 `media` in its place',
  (kind) => {
    const choices: JsonObject = { product: { variant_groups: [] }, line_item: { selected_options: [] } }[kind] ?? {}
    const older: JsonObject = kind in { product: 1, line_item: 1 } ? { variants: [] } : {}
    const image = { id: 'ast_1', url: '/a.png', is_image: true, description: null }
    const media = { type: 'image', source: '/a.png', asset_id: 'ast_1' }
    const newest = { image, ...choices }
    const shown = { '2021-09-29': newest, '2021-09-22': { media, ...choices }, '2020-02-01': { media, ...older } }
    expectShown(kind, newest, shown)
    const nothing = { media: { type: null, source: null, asset_id: null }, ...choices }
    expectShown(kind, { image: null, ...choices }, { '2021-09-22': nothing })
  },
)

it.each([
  ['the count of the product at each option', 7, { quantity_limited: true, sold_out: false }, true],
  ['no limit where stock is not counted', 0, { quantity_limited: false, sold_out: false }, false],
  ['no limit where its variants have stock', 0, { quantity_limited: true, sold_out: false }, false],
  ['a limit once all variants are sold out', 0, { quantity_limited: true, sold_out: true }, true],
])('a product shows `variant_groups`, and before 2021-03-10 `variants` with %s', (_, quantity, is, isLimited) => {
  const groups = (more: JsonObject) => [{ id: 'vgrp_1', options: [{ id: 'optn_1', ...more }] }]
  const newest = { id: 'x', variant_groups: groups({}), quantity, is }
  const variants = groups({ quantity, is: { quantity_limited: isLimited } })
  expectShown('product', newest, { '2021-03-10': newest, '2021-03-03': { id: 'x', variants, quantity, is } })
})

describe('a change of a cart', () => {
  const price = (raw: number) => ({ raw, formatted: `${raw}` })
  const line = { id: 'item_1', quantity: 2, line_total: price(8) }
  const facts = { line_item_id: 'item_1', product_id: 'prod_1', product_name: 'Mug', quantity: 2, line_total: price(4) }

  it.each(
    ['carts.add', 'carts.update_line'].flatMap((operation) => [
      [operation, [line], price(8)] as const,
      // The line was removed meanwhile.
      [operation, [], price(4)] as const,
    ]),
  )(
    '%s answers before 2022-07-21 the total that the cart shows, else the one that the handler knew: %j',
    (operation, lines, line_total) => {
      const cart = { id: 'cart_1', line_items: [...lines] }
      const context = { ...told, facts: { ...facts, event: 'Cart.Item.Added' } }
      expect(real.planFor('2021-10-06', operation)?.age?.(frozen({ status: 200, body: cart }), context)).toEqual({
        status: 200,
        body: { success: true, event: 'Cart.Item.Added', ...facts, line_total, cart },
      })
    },
  )
})
