// @unit
// One change after the other, data in and data out: how a thing looks from a version on, and how it looked just before. The golden bodies
// hold whole answers; here is what the script does not show, such as empty lists and missing pictures.

import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../src/versions/change.ts'
import { real } from './real.ts'
import { frozen, told } from './support.ts'

/** `shown`: the kind's object by version. Texts are compared, so that the order of fields counts. */
type Row = [what: string, kind: string, newest: JsonObject, shown: Record<string, Json>]

function expectShown(kind: string, newest: JsonObject, shown: Record<string, Json>) {
  const at = (version: string) => JSON.stringify(real.ageKind(version, kind, frozen(newest), told))
  expect(Object.fromEntries(Object.keys(shown).map((version) => [version, at(version)]))).toEqual(
    Object.fromEntries(Object.entries(shown).map(([version, value]) => [version, JSON.stringify(value)])),
  )
}

const price = (raw: number) => ({
  raw,
  formatted: `${raw}`,
  formatted_with_symbol: `$${raw}`,
  formatted_with_code: `${raw} USD`,
})
const HALF = { code: 'HALF', value: 50, product_ids: ['prod_1', 'prod_2'] }
const HALF_OF_ONE = { code: 'HALF', value: 50, product_id: 'prod_1' }
const NO_MEDIA = { type: null, source: null, asset_id: null }

/** A rename of `updated`, which leaves the data of the merchant's own as it is. */
const renamed = (more: JsonObject): Record<string, Json> => ({
  '2020-11-18': { id: 'x', ...more, updated: 2, meta: { updated: 1 } },
  '2020-09-23': { id: 'x', ...more, last_updated: 2, meta: { updated: 1 } },
})
const UPDATED = { id: 'x', updated: 2, meta: { updated: 1 } }

describe('versions of carts and codes', () => {
  const selected = { group_id: 'vgrp_1', group_name: 'Size', option_id: 'optn_1', option_name: 'S', price: price(1) }
  const line = { id: 'item_1', product_id: 'prod_1', name: 'Shirt', quantity: 1, line_total: price(11) }
  const brought = { product_name: 'Shirt', sku: 'S', permalink: 's', is_valid: true, product_meta: null, variant: null }

  it.each<Row>([
    [
      'its discount as a list called `discount`, before as one object called `discount_code`',
      'cart',
      { id: 'x', discount: [HALF], meta: null },
      {
        '2022-07-21': { id: 'x', discount: [HALF], meta: null },
        '2021-10-06': { id: 'x', discount_code: HALF, meta: null },
        '2020-07-01': { id: 'x', discount_code: HALF_OF_ONE, meta: null },
      },
    ],
    [
      'an empty list where there is no discount',
      'cart',
      { id: 'x', discount: [] },
      { '2022-07-21': { id: 'x', discount: [] }, '2021-10-06': { id: 'x', discount_code: [] } },
    ],
    ['when it changed as `updated`, before as `last_updated`', 'cart', UPDATED, renamed({})],
    ['when it changed as `updated`, before as `last_updated`', 'gift_card', UPDATED, renamed({})],
    [
      'the choices of a line as `selected_options` beside more of the product, before as `variants` without it',
      'line_item',
      { ...line, ...brought, selected_options: [selected] },
      {
        '2021-03-10': { ...line, ...brought, selected_options: [selected] },
        '2021-03-03': {
          ...line,
          variants: [
            { variant_id: 'vgrp_1', variant_name: 'Size', option_id: 'optn_1', option_name: 'S', price: price(1) },
          ],
        },
      },
    ],
    ...[[], ['prod_1'], ['prod_2', 'prod_1']].map(
      (ids): Row => [
        `its ${ids.length} products as a list, before as one or none`,
        'discount',
        { id: 'x', product_ids: ids, limit: null },
        {
          '2020-06-17': { id: 'x', product_ids: ids, limit: null },
          '2020-02-01': { id: 'x', product_id: ids[0] ?? null, limit: null },
        },
      ],
    ),
    ...[[], ['prod_1'], ['prod_2', 'prod_1']].map(
      (ids): Row => [
        `its ${ids.length} products as a list, before as one or none`,
        'applied_discount',
        { code: 'HALF', product_ids: ids },
        {
          '2020-07-29': { code: 'HALF', product_ids: ids },
          '2020-07-01': { code: 'HALF', product_id: ids[0] ?? null },
        },
      ],
    ),
  ])('carts and codes show %s: %s', (_, kind, newest, shown) => expectShown(kind, newest, shown))
})

describe('versions of the catalogue', () => {
  const file = { filename: 'a.png', file_extension: 'png', file_size: 7, image_dimensions: { width: 4, height: 5 } }
  const asset = { id: 'ast_1', url: '/a.png', is_image: true, ...file, meta: [], private: false }
  const nested = {
    ...{ id: 'ast_1', url: '/a.png', is_image: true, data: { ...file, ext: 'png', name: 'a.png' } },
    ...{ meta: [], private: false },
  }
  const MEDIA = { type: 'image', source: '/a.png', asset_id: 'ast_1' }
  const group = (more: JsonObject) => [{ id: 'vgrp_1', options: [{ id: 'optn_1', ...more }] }]

  it.each<Row>([
    [
      "its file's attributes inline with a description, before under `data`; earlier still also its merchant",
      'asset',
      { ...asset, description: 'Red' },
      {
        '2020-09-23': { ...asset, description: 'Red' },
        '2020-08-26': nested,
        '2020-08-12': nested,
        '2020-07-29': { ...nested, merchant_id: 7 },
      },
    ],
    [
      'when it changed as `updated`, before as `last_updated`',
      'product',
      { id: 'x', variant_groups: [], updated: 2, meta: { updated: 1 } },
      renamed({ variants: [] }),
    ],
    ...['product', 'related_product', 'line_item', 'live_line', 'checkout_line', 'order_line'].flatMap(
      (kind): Row[] => {
        const rest: JsonObject =
          kind === 'product' ? { variant_groups: [] } : kind === 'line_item' ? { selected_options: [] } : {}
        const older: JsonObject = kind === 'product' || kind === 'line_item' ? { variants: [] } : {}
        return [
          [
            'its picture as the asset `image`, before as `media` in its place',
            kind,
            { image: { ...asset, description: null }, ...rest },
            {
              '2021-09-29': { image: { ...asset, description: null }, ...rest },
              '2021-09-22': { media: MEDIA, ...rest },
              '2020-02-01': { media: MEDIA, ...older },
            },
          ],
          [
            'a picture that is missing, before as `media` without a source',
            kind,
            { image: null, ...rest },
            { '2021-09-29': { image: null, ...rest }, '2021-09-22': { media: NO_MEDIA, ...rest } },
          ],
        ]
      },
    ),
    ...(
      [
        ['the count of the product at each option', 7, { quantity_limited: true, sold_out: false }, true],
        ['no limit where stock is not counted', 0, { quantity_limited: false, sold_out: false }, false],
        ['no limit where its variants have stock', 0, { quantity_limited: true, sold_out: false }, false],
        ['a limit once all variants are sold out', 0, { quantity_limited: true, sold_out: true }, true],
      ] as const
    ).map(
      ([what, quantity, is, isLimited]): Row => [
        `\`variant_groups\`, before \`variants\` with ${what}`,
        'product',
        { id: 'x', variant_groups: group({}), quantity, is },
        {
          '2021-03-10': { id: 'x', variant_groups: group({}), quantity, is },
          '2021-03-03': {
            ...{ id: 'x', variants: group({ quantity, is: { quantity_limited: isLimited } }) },
            ...{ quantity, is },
          },
        },
      ],
    ),
  ])('the catalogue shows %s: %s', (_, kind, newest, shown) => expectShown(kind, newest, shown))
})

describe('versions of checkouts', () => {
  const lines = [{ id: 'item_1' }, { id: 'item_2' }]
  const gateways = { available_count: 1, test_gateway: { type: 'card' } }

  it.each<Row>([
    [
      'what is bought as `products` and `line_items`, before as `line_items` only',
      'checkout_token',
      { id: 'x', products: lines, line_items: lines, meta: null },
      {
        '2020-09-23': { id: 'x', products: lines, line_items: lines, meta: null },
        '2020-08-26': { id: 'x', line_items: lines, meta: null },
      },
    ],
    [
      'no `amazon_pay`, which before was listed as unavailable',
      'available_gateways',
      { available: { stripe: false }, ...gateways },
      {
        '2020-09-23': { available: { stripe: false }, ...gateways },
        '2020-08-26': { available: { stripe: false, amazon_pay: false }, ...gateways },
      },
    ],
    [
      'no `future_charges`, which before were an empty list, and its discount as a list, before as one object',
      'live',
      { merchant_id: 7, line_items: [], discount: [HALF] },
      {
        '2022-07-21': { merchant_id: 7, line_items: [], discount: [HALF] },
        '2020-08-12': { merchant_id: 7, line_items: [], discount: HALF },
        '2020-07-29': { merchant_id: 7, line_items: [], discount: HALF, future_charges: [] },
        '2020-07-01': { merchant_id: 7, line_items: [], discount: HALF_OF_ONE, future_charges: [] },
      },
    ],
  ])('checkouts show %s: %s', (_, kind, newest, shown) => expectShown(kind, newest, shown))
})

describe('versions of answers', () => {
  const reply = (status: number, body: Json) => ({ status, body })
  const line = { id: 'item_1', quantity: 2, line_total: price(8) }
  const cart = { id: 'cart_1', line_items: [line] }
  const facts = { line_item_id: 'item_1', product_id: 'prod_1', product_name: 'Mug', quantity: 2, line_total: price(4) }
  const added = { ...facts, event: 'Cart.Item.Added' }
  const removed = { event: 'Cart.Item.Removed', line_item_id: 'item_1' }

  it.each<[what: string, operation: string, facts: JsonObject, newest: ReturnType<typeof reply>, older: Json]>([
    ['{deleted: true}', 'assets.delete', {}, reply(204, {}), { deleted: true }],
    ['its id and success', 'categories.delete', {}, reply(204, {}), { id: 'cat_1', success: true }],
    [
      'its id and the event',
      'carts.delete',
      { event: 'Cart.Deleted' },
      reply(204, {}),
      { success: true, event: 'Cart.Deleted', cart_id: 'cart_1' },
    ],
    [
      'the cart',
      'carts.empty',
      { event: 'Cart.Emptied' },
      reply(200, cart),
      { success: true, event: 'Cart.Emptied', cart },
    ],
    ...['carts.add', 'carts.update_line'].flatMap((operation) => [
      [
        'the line, with the total that the cart shows',
        operation,
        added,
        reply(200, cart),
        { success: true, event: 'Cart.Item.Added', ...facts, line_total: price(8), cart },
      ] as const,
      [
        'a line that somebody removed meanwhile, with the total that the handler knew',
        operation,
        added,
        reply(200, { ...cart, line_items: [] }),
        { success: true, event: 'Cart.Item.Added', ...facts, cart: { ...cart, line_items: [] } },
      ] as const,
    ]),
    ...['carts.update_line', 'carts.remove_line'].map(
      (operation) =>
        ['the removal', operation, removed, reply(200, cart), { success: true, ...removed, cart }] as const,
    ),
  ] as never)('answers have, before 2022-07-21, %s: %s', (_, operation, facts, newest, older) => {
    const context = { ...told, params: { id: 'cat_1', cart_id: 'cart_1' }, facts }
    expect(real.planFor('2021-10-06', operation)?.age?.(frozen(newest), context)).toEqual({ status: 200, body: older })
  })
})
