// What the tests of variants share: a product to choose options of, the whole body of a variant, and short ways to call.

import { expect } from 'vitest'
import type { Product, VariantGroup } from '../../../../src/api/products/schema.ts'
import type { Variant } from '../../../../src/api/products/variants/schema.ts'
import type { TestApp } from '../../../support/app.ts'
import { sql } from '../../../support/rows.ts'
import { matching, missing, unixNow } from '../../../support/shop.ts'
import { eventsOf, type Shop, told } from '../support.ts'

export const NO_VARIANT = missing('variant')

export const UNKNOWN_VARIANT = `vrnt_${'0'.repeat(26)}`
export const UNKNOWN_GROUP = `vgrp_${'0'.repeat(26)}`
export const UNKNOWN_OPTION = `optn_${'0'.repeat(26)}`

/** `{ Colour: ['Red', 'Blue'] }` as the groups of a body. */
export const groupsOf = (names: Record<string, string[]>) =>
  Object.entries(names).map(([name, options]) => ({ name, options: options.map((each) => ({ name: each })) }))

/** A product with a colour and a size, two of each, unless other groups are named. */
export const clothing = (
  shop: Shop,
  more: Record<string, unknown> = {},
  names: Record<string, string[]> = { Colour: ['Red', 'Blue'], Size: ['S', 'L'] },
) => shop.create({ variant_groups: groupsOf(names), ...more })

export function groupOf({ variant_groups }: Pick<Product, 'variant_groups'>, name: string): VariantGroup {
  const group = variant_groups.find((each) => each.name === name)
  if (!group) throw new Error(`There is no group ${name}.`)
  return group
}

/** The combination of these options, found by name in whichever group has them. */
export const choose = ({ variant_groups }: Pick<Product, 'variant_groups'>, ...names: string[]) =>
  Object.fromEntries(
    names.map((name) => {
      for (const group of variant_groups)
        for (const option of group.options) if (option.name === name) return [group.id, option.id]
      throw new Error(`There is no option ${name}.`)
    }),
  )

/** Creates one that must succeed, a second after the one before, so that ids sort as they were made. */
export async function addVariant(
  app: TestApp,
  shop: Shop,
  productId: string,
  body: Record<string, unknown>,
  key?: string,
) {
  app.clock.advance(1)
  const { status, text, body: made } = await shop.call('POST', `/${productId}/variants`, body, key)
  expect([status, text]).toEqual([201, text])
  return made as Variant
}

/** The stock of a variant as the secret key sees it. */
export const ownStock = (inventory: number | null, held = 0) => ({
  inventory,
  held: inventory === null ? null : held,
  on_hand: inventory === null ? null : inventory + held,
})

/** What a public key, and every line, shows of a variant that a secret key was shown. */
export const publicly = <V extends Pick<Variant, 'held' | 'on_hand'>>({ held: _, on_hand: __, ...variant }: V) =>
  variant

/** The variant that is made at this moment with nothing but its options. */
export const shownVariant = (app: TestApp, options: Record<string, string>, more: Record<string, unknown> = {}) => ({
  id: matching('vrnt_'),
  sku: null,
  description: null,
  ...ownStock(null),
  price: null,
  is_valid: true,
  invalid_reason_code: null,
  meta: null,
  created: unixNow(app),
  updated: unixNow(app),
  options,
  assets: [],
  ...more,
})

export const variantsOf = async (shop: Shop, productId: string, key?: string) => {
  const { status, text, body } = await shop.call('GET', `/${productId}/variants?limit=200`, undefined, key)
  expect([status, text]).toEqual([200, text])
  return (body as { data: Variant[] }).data
}

/** Why each variant is not valid, in order. */
export const reasonsOf = async (shop: Shop, productId: string) =>
  (await variantsOf(shop, productId)).map(({ is_valid, invalid_reason_code }) => {
    expect(is_valid).toBe(invalid_reason_code === null)
    return invalid_reason_code
  })

/** A change of variants tells one thing: the product as it now is, which is also younger. */
export async function expectProductUpdate(app: TestApp, shop: Shop, productId: string, change: () => Promise<unknown>) {
  app.clock.advance(1)
  const before = (await eventsOf(app, shop)).length
  await change()
  const product = await shop.get(productId)
  expect(product.updated).toBe(unixNow(app))
  expect((await eventsOf(app, shop)).slice(before)).toEqual([
    { name: 'products.update', kind: 'product', sandbox: null, payload: told(product), response_code: 200 },
  ])
}

const stock = sql<{ is_sandbox: boolean; available: number }>`
  select is_sandbox, available from stock where merchant_id = :merchant_id and item_id = :item_id order by is_sandbox`

/** Its own stock as [live, sandbox]; nothing where it has none. */
export const stockOf = async (app: TestApp, shop: Shop, variantId: string) =>
  (await app.db.many(stock, { merchant_id: shop.id, item_id: variantId })).map(({ available }) => available)
