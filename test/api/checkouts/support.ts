// What the tests of checkouts share: a shop with all that a checkout depends on, ways to choose as a shopper does, and the whole
// bodies of lines, totals and tokens with every default.

import { vi } from 'vitest'
import type { TaxedInRow } from '../../../src/api/checkouts/read-store.ts'
import type { CheckoutLine, CheckoutToken, Live } from '../../../src/api/checkouts/schema.ts'
import {
  saveCustomerSetPrice,
  saveDiscount,
  saveGiftCard,
  saveShipping,
  saveTaxZone,
  type TokenAt,
} from '../../../src/api/checkouts/store.ts'
import type { Product } from '../../../src/api/products/schema.ts'
import type { Db } from '../../../src/db/db.ts'
import type { TestApp } from '../../support/app.ts'
import { NONE_AVAILABLE } from '../../support/gateways.ts'
import { DAY, type Draft, matching, missing, openShop, price, unixNow } from '../../support/shop.ts'
import { flags } from '../products/support.ts'

export const UNKNOWN_ID = `chkt_${'0'.repeat(26)}`

export type CheckoutShop = Awaited<ReturnType<typeof openCheckoutShop>>

export async function openCheckoutShop(app: TestApp, draft: Draft = {}) {
  const shop = await openShop(app, draft)
  const { id, succeed } = shop
  const tokenAt = (token: { id: string }, now = app.clock.now()): TokenAt => ({
    merchantId: id,
    isSandbox: true,
    id: token.id,
    now,
  })
  return {
    ...shop,
    tokenAt,
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
      tax: (token: { id: string }, place: Partial<TaxedInRow>) =>
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

/** The names of the statements that `work` sends, in the order in which they are sent, but for the one that finds a key's owner. */
export async function statementsOf(app: TestApp, work: () => Promise<unknown>): Promise<string[]> {
  const sent: string[] = []
  const spiesOn = (db: Db) =>
    (['many', 'maybe', 'one', 'run'] as const).map((method) => {
      const original = db[method].bind(db) as (...call: unknown[]) => Promise<never>
      return vi.spyOn(db, method).mockImplementation((...call: unknown[]) => {
        sent.push((call[0] as { name: string }).name)
        return original(...call)
      })
    })
  const spies = spiesOn(app.db)
  const together = app.db.together.bind(app.db)
  const spy = vi.spyOn(app.db, 'together').mockImplementation((asks) =>
    together((all) => {
      const own = { ...all }
      spiesOn(own)
      return asks(own)
    }),
  )
  try {
    await work()
  } finally {
    for (const each of [...spies, spy]) each.mockRestore()
  }
  return sent.filter((name) => name !== 'merchants.find_caller_by_key_hash')
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

const ZERO = price(0, '0.00')

/** A live line of a plain product. */
export const liveLine = (line: { id: string; product: Product } & Partial<Live['line_items'][number]>) => {
  const { product, ...more } = line
  return {
    product_id: product.id,
    name: product.name,
    product_name: product.name,
    sku: product.sku,
    permalink: product.permalink,
    quantity: 1,
    price: product.price,
    line_total: product.price,
    is_valid: true,
    product_meta: product.meta,
    selected_options: [],
    variant: null,
    image: product.image,
    variants: [],
    tax: { is_taxable: true, taxable_amount: more.line_total ?? product.price, amount: ZERO, breakdown: null },
    ...more,
  }
}

/** The totals of something that costs `total`, of which nothing has been chosen yet. */
export const liveOf = (
  shop: CheckoutShop,
  lines: unknown[],
  total: typeof ZERO,
  more: Record<string, unknown> = {},
) => ({
  merchant_id: shop.id,
  currency: { code: 'USD', symbol: '$' },
  line_items: lines,
  shipping: { available_options: [], id: null, description: null, provider: null, price: ZERO },
  subtotal: total,
  discount: [],
  giftcard: [],
  tax: {
    amount: ZERO,
    included_in_price: false,
    provider: 'chec',
    provider_type: 'native',
    breakdown: [],
    zone: { country: null, region: null, postal_zip_code: null, ip_address: null },
  },
  adjustments: { taxable: ZERO, untaxable: ZERO, total: ZERO, breakdown: [] },
  total,
  total_with_tax: total,
  total_due: total,
  pay_what_you_want: { enabled: false, minimum: null, customer_set_price: null },
  ...more,
})

/** The line of a token that belongs to a live line. */
export function tokenLine(
  line: ReturnType<typeof liveLine>,
  more: Partial<CheckoutLine> & { flags?: Parameters<typeof flags>[0] } = {},
) {
  const { variants: _, ...shared } = line
  const { flags: different = {}, ...fields } = more
  const families = flags(different)
  return {
    ...shared,
    description: '',
    subtotal: line.line_total,
    variants: [],
    ...families,
    conditionals: { ...families.conditionals, is_preorder: false },
    is: { ...families.is, preorder: false },
    ...fields,
  }
}

/** `{ is: { free: true } }` → `{ is_free: true }` */
export const prefixed = (families: Record<string, Record<string, boolean>>) =>
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

/** The token that is made at this moment of these lines, of a merchant that has set nothing up. */
export function tokenOf(
  app: TestApp,
  shop: CheckoutShop,
  live: ReturnType<typeof liveOf>,
  lines: unknown[],
  more: Record<string, unknown> = {},
) {
  const { merchant_id: _, line_items: __, shipping, ...money } = live
  const { available_options: ___, ...chosen } = shipping
  return {
    id: matching('chkt_'),
    cart_id: null,
    created: unixNow(app),
    updated: unixNow(app),
    expires: unixNow(app) + 7 * DAY,
    analytics: {
      tracking_id: null,
      linked_domains: [],
      google: { settings: { tracking_id: null, linked_domains: [] } },
    },
    ...tokenFlags(),
    products: lines,
    line_items: lines,
    merchant: {
      id: shop.id,
      name: 'Shop',
      description: null,
      business_name: 'Shop',
      business_description: null,
      currency: { code: 'USD', symbol: '$' },
      support_email: 'shop@example.com',
      logo: null,
      logo_shape: null,
      cover: null,
      has: { logo: false, cover: false, description: false, business_description: false },
    },
    extra_fields: [],
    extrafields: [],
    gateways: {
      available: { ...NONE_AVAILABLE, test_gateway: true },
      available_count: 1,
      test_gateway: {
        type: 'card',
        settings: {},
        cards_accepted: ['visa', 'mastercard', 'amex', 'discover', 'diners', 'jcb', 'unionpay'],
      },
    },
    shipping_methods: shipping.available_options,
    ...money,
    shipping: chosen,
    meta: null,
    live,
    ...more,
  }
}

export const NOT_FOUND = missing('checkout token')
