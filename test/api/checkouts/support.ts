// Shared by the tests of checkouts: a shop with all that a checkout depends on, ways to choose as a shopper does, and the flags of
// tokens.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { TaxationPlaceRow } from '../../../src/api/checkouts/read-store.ts'
import type { CheckoutToken, Live } from '../../../src/api/checkouts/schema.ts'
import {
  saveCustomerSetPrice,
  saveDiscount,
  saveGiftCard,
  saveShipping,
  saveTaxZone,
  type TokenAt,
} from '../../../src/api/checkouts/store.ts'
import { mmdb } from '../../geo/mmdb-writer.ts'
import type { TestApp } from '../../support/app.ts'
import { type Body, type Draft, missing, openShop } from '../../support/shop.ts'

export const UNKNOWN_ID = `chkt_${'0'.repeat(26)}`

export async function openCheckoutShop(app: TestApp, draft: Draft = {}) {
  const shop = await openShop(app, draft)
  const { id, succeed } = shop
  const tokenAt = (token: { id: string }, now = app.clock.now()): TokenAt => ({
    merchant_id: id,
    is_sandbox: true,
    id: token.id,
    now,
  })
  return {
    ...shop,
    tokenAt,
    /** A product in the sizes S and L, and the choice of each. */
    sized: async (draft: Body = {}) => {
      const options = [{ name: 'S' }, { name: 'L' }]
      const product = await shop.product({ ...draft, variant_groups: [{ name: 'Size', options }] })
      const [{ id: group = '', options: sizes = [] } = {}] = product.variant_groups
      const [small = {}, large = {}] = sizes.map(({ id: size }) => ({ [group]: size }))
      return { product, group, small, large }
    },
    get: (token: { id: string }, key?: string) =>
      succeed<CheckoutToken>(200, 'GET', `checkouts/tokens/${token.id}`, undefined, key),
    live: (token: { id: string }, key?: string) =>
      succeed<Live>(200, 'GET', `checkouts/${token.id}/live`, undefined, key),
    set: (token: { id: string }, body: unknown) =>
      succeed<CheckoutToken>(200, 'PUT', `checkouts/${token.id}`, body, shop.keys.sandbox.secret),
    choose: {
      shipping: (
        token: { id: string },
        country: string | null,
        region?: string | null,
        methodId: string | null = null,
      ) => saveShipping(app.db, tokenAt(token), { country, region, methodId }),
      tax: (token: { id: string }, place: Partial<TaxationPlaceRow>) =>
        saveTaxZone(app.db, tokenAt(token), {
          country: null,
          region: null,
          postal_code: null,
          ip_address: null,
          ...place,
        }),
      discount: (token: { id: string }, discount: { id: string } | null) =>
        saveDiscount(app.db, tokenAt(token), discount?.id ?? null),
      giftCard: (token: { id: string }, card: { id: string } | null) =>
        saveGiftCard(app.db, tokenAt(token), card?.id ?? null),
      amount: (token: { id: string }, amount: number | null) => saveCustomerSetPrice(app.db, tokenAt(token), amount),
    },
  }
}

/** Runs `work` once, right before or right after the service sends the statement for the first time. */
export function besideStatement(app: TestApp, when: 'before' | 'after', name: string, work: () => Promise<unknown>) {
  const { maybe } = app.db
  app.db.maybe = (async (statement, values) => {
    if (statement.name !== name) return maybe(statement, values)
    app.db.maybe = maybe
    if (when === 'before') await work()
    const found = await maybe(statement, values)
    if (when === 'after') await work()
    return found
  }) as typeof maybe
}

/** The raw amounts of a live object. */
export const amounts = (live: Live) => ({
  subtotal: live.subtotal.raw,
  saved: live.discount[0]?.amount_saved.raw ?? 0,
  shipping: live.shipping.price.raw,
  adjusted: live.adjustments.total.raw,
  total: live.total.raw,
  tax: live.tax.amount.raw,
  with_tax: live.total_with_tax.raw,
  due: live.total_due.raw,
})

/** `{ is: { free: true } }` → `{ is_free: true }` */
const prefixed = (families: Record<string, Record<string, boolean>>) =>
  Object.fromEntries(
    Object.entries(families).flatMap(([family, members]) =>
      Object.entries(members).map(([name, value]) => [`${family}_${name}`, value]),
    ),
  )

/** The families of a token that sells one plain physical product, and what differs from that. */
export function tokenFlags(
  different: { is?: Record<string, boolean>; has?: Record<string, boolean>; collects?: Record<string, boolean> } = {},
) {
  const families = {
    is: { cart_free: false, free: false, ...different.is },
    has: {
      physical_delivery: true,
      digital_delivery: false,
      available_discounts: false,
      pay_what_you_want: false,
      ...different.has,
    },
    collects: {
      fullname: false,
      shipping_address: true,
      billing_address: false,
      extra_fields: false,
      extrafields: false,
      ...different.collects,
    },
  }
  return { ...families, conditionals: prefixed(families) }
}

/** A file that says where networks are, deleted after the tests. */
export async function geoDatabaseOf(networks: Parameters<typeof mmdb>[0]['networks']): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cartwright-places-'))
  afterAll(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'city.mmdb')
  await writeFile(file, mmdb({ networks }))
  return file
}

/** A place of such a file. */
export const placeOf = (
  ...[country, name, region, regionName, city, code]: [string, string, string, string, string, string]
) => ({
  country: { iso_code: country, names: { en: name } },
  subdivisions: [{ iso_code: region, names: { en: regionName } }],
  city: { names: { en: city } },
  postal: { code },
})

export const VICTORIA = placeOf('CA', 'Canada', 'BC', 'British Columbia', 'Victoria', 'V8V')

/** The same as orders and helpers show it. */
export const IN_VICTORIA = {
  country_code: 'CA',
  country_name: 'Canada',
  region_code: 'BC',
  region_name: 'British Columbia',
  city: 'Victoria',
  postal_zip_code: 'V8V',
}

export const NOT_FOUND = missing('checkout token')
