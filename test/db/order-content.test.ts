// Orders and drafts of orders that were written before 0027, in the spelling of that time, and what the migration makes of them.

import { describe, expect, it } from 'vitest'
import type { OrderDraft } from '../../src/api/orders/make.ts'
import type { OrderContent } from '../../src/api/orders/read-store.ts'
import { administer } from '../support/database.ts'
import { MERCHANT, migratedSince } from './fixtures/before.ts'

/** Everything an order could hold. The names of meta stand in no order that a database would choose. */
const NEW: OrderContent = {
  lines: [
    {
      id: 'item_1',
      product_id: 'prod_1',
      product_name: 'Mug “große”',
      sku: 'MUG-1',
      permalink: 'mug',
      quantity: 2,
      unit_price: 1000,
      line_total: 2200,
      discount_share: 500,
      variant: { id: 'vrnt_1', sku: 'MUG-1', description: 'Blue', price: null },
      selected_options: [
        { group_id: 'vgrp_2', group_name: 'Size', option_id: 'optn_2', option_name: 'Large', price_delta: 100 },
        { group_id: 'vgrp_1', group_name: 'Colour', option_id: 'optn_1', option_name: 'Blue', price_delta: -50 },
      ],
      tax: {
        is_taxable: true,
        taxable_amount: 1700,
        amount: 170,
        parts: [
          { type: 'state', rate: 60000, amount: 102 },
          { type: 'city', rate: 40000, amount: 68 },
        ],
      },
      image: {
        merchant_id: 1,
        id: 'ast_1',
        filename: 'mug.png',
        file_extension: 'png',
        file_size: 10,
        is_image: true,
        width: 3,
        height: 2,
        description: 'A mug',
        meta: { z: 1, a: { b: [2, 1] }, m: null },
        is_private: false,
        is_pending: false,
        created: 1767323045,
        updated: 1767323046,
      },
      is_physical: true,
      stock_item_id: 'vrnt_1',
      packages: [],
      lifespan: null,
    },
    {
      id: 'item_2',
      product_id: 'prod_2',
      product_name: 'Book',
      sku: null,
      permalink: null,
      quantity: 1,
      unit_price: 1000,
      line_total: 1000,
      discount_share: 0,
      variant: null,
      selected_options: [],
      tax: { is_taxable: false, taxable_amount: 0, amount: 0, parts: [] },
      image: {
        merchant_id: 1,
        id: 'ast_2',
        filename: 'book.svg',
        file_extension: 'svg',
        file_size: 11,
        is_image: true,
        width: null,
        height: null,
        description: null,
        meta: null,
        is_private: false,
        is_pending: false,
        created: 1767323045,
        updated: 1767323045,
      },
      is_physical: false,
      stock_item_id: null,
      packages: [
        { asset_id: 'ast_3', name: 'The book', ext: 'pdf', size_in_bytes: 39639, is_sample: true },
        { asset_id: 'ast_4', name: 'The sound', ext: 'zip', size_in_bytes: 5, is_sample: false },
      ],
      lifespan: { duration: 1, period: 'weeks', download_limit: 3 },
    },
  ],
  subtotal: 3200,
  discount: {
    id: 'code_1',
    type: 'percentage',
    code: 'SPRING',
    value: 125000,
    product_ids: ['prod_1', 'prod_9'],
    amount_saved: 500,
  },
  shipping: { id: 'ship_1', description: 'Post', price: 300, provider: 'custom' },
  tax: {
    amount: 170,
    is_included: true,
    provider: 'chec',
    parts: [{ type: 'state', rate: 60000, amount: 170 }],
    zone: { country: 'CA', region: 'BC', postal_code: 'V8V', ip_address: '192.0.2.1' },
  },
  adjustments: {
    taxable: 0,
    untaxable: 100,
    total: 100,
    entries: [
      { description: 'Wrapping', amount: 150, is_taxable: false },
      { description: null, amount: -50, is_taxable: true },
    ],
  },
  total: 3100,
  total_with_tax: 3270,
  gift_card: { id: 'gift_1', code: 'PRESENT', balance_after: 400, credit: 600 },
  pay_what_you_want: { is_enabled: true, minimum: 1000, customer_set_price: 1200 },
  extra_fields: [{ id: 'extr_1', name: 'Engraving', type: 'text', is_required: true, value: 'J "&" K' }],
  collected: { customer_email: true, fullname: true, tax: true },
  redirect: 'https://shop.example/thanks',
  client_details: {
    ip_address: '192.0.2.1',
    country_code: 'CA',
    country_name: 'Canada',
    region_code: 'BC',
    region_name: 'British Columbia',
    city: 'Victoria',
    postal_zip_code: 'V8V',
  },
}

/** The least that one could hold. */
const [newLine] = NEW.lines as [OrderContent['lines'][number]]
const NEW_BARE: OrderContent = {
  ...NEW,
  lines: [
    {
      ...newLine,
      variant: null,
      image: null,
      selected_options: [],
      stock_item_id: null,
      packages: [{ asset_id: 'ast_3', name: 'The book', ext: 'pdf', size_in_bytes: 39639, is_sample: false }],
      lifespan: { duration: null, period: null, download_limit: null },
    },
  ],
  discount: null,
  shipping: { id: null, description: null, price: 0, provider: null },
  adjustments: { taxable: 0, untaxable: 0, total: 0, entries: [] },
  gift_card: null,
  pay_what_you_want: { is_enabled: false, minimum: null, customer_set_price: null },
  extra_fields: [],
  collected: {},
  redirect: null,
}

const BUYER = { id: null, email: 'a@b.example', firstname: 'Ann', lastname: null, phone: null, meta: { z: 1, a: 2 } }
const ADDRESS = {
  name: 'Ann',
  street: '1 High Street',
  street_2: null,
  town_city: 'Victoria',
  county_state: 'BC',
  postal_zip_code: 'V8V 1A1',
  country: 'CA',
  delivery_instructions: null,
  meta: { floor: 2 },
}

const NEW_DRAFT: OrderDraft = {
  checkout_id: 'chkt_1',
  cart_id: 'cart_1',
  currency: 'USD',
  content: NEW,
  total_due: 2670,
  customer: BUYER,
  shipping_address: ADDRESS,
  billing_address: null,
  meta: { z: 'last', a: 'first' },
  captured_by: { is_secret: true, networks: ['192.0.2.0/24'] },
}

/** Names that changed by more than their spelling. */
const FORMER: Readonly<Record<string, string>> = {
  price_delta: 'price',
  is_required: 'required',
  postal_zip_code: 'postalCode',
}
const formerly = (name: string) => FORMER[name] ?? name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** The names inside of these were never spelt in another way. */
const KEPT = ['meta', 'collected', 'customer', 'shipping_address']

type Image = NonNullable<OrderContent['lines'][number]['image']>
const URLS: Readonly<Record<string, string>> = {
  ast_1: '/files/1/ast_1/mug.png',
  ast_2: 'https://shop.example/files/1/ast_2/book.svg',
}
const oldImage = ({
  merchant_id: _,
  width,
  height,
  is_private,
  is_pending,
  created,
  updated,
  meta,
  ...kept
}: Image) => ({
  ...kept,
  url: URLS[kept.id],
  image_dimensions: width === null ? [] : { width, height },
  meta: meta ?? [],
  private: is_private,
  pending: is_pending,
  created_at: created,
  updated_at: updated,
})

/** The same as it was written before 0027. */
function old(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(old)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      if (KEPT.includes(name)) return [formerly(name), part]
      return [formerly(name), name === 'image' && part !== null ? oldImage(part) : old(part)]
    }),
  )
}

const OLD = old(NEW) as Record<string, unknown>
const { content: _content, ...draft } = NEW_DRAFT
const OLD_DRAFT = { ...OLD, ...(old(draft) as Record<string, unknown>) }

/** Without what the first of them did not have: the stock, samples, the provider of the shipping. */
const OLD_BARE = JSON.parse(JSON.stringify(old(NEW_BARE)), (name, value) =>
  ['stockItemId', 'isSample', 'provider'].includes(name) && value !== 'chec' ? undefined : value,
)

const text = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`

const insertOrder = (id: string, content: unknown) =>
  `insert into orders (
     merchant_id, id, is_sandbox, checkout_id, attempt_id, body_digest, customer_id, customer_reference, email, content, currency,
     order_value, total_due, status_payment, status_fulfillment, created_at, updated_at
   )
   values (1, '${id}', true, 'of ${id}', 'pay_${id}', '', 'cstmr_1', 'SHP-1', 'a@b.example', ${text(content)}, 'USD', 0, 0, 'paid',
     'fulfilled', now(), now())`

const insertAttempt = (id: string, state: 'waiting' | 'done', draft: unknown) =>
  `insert into capture_attempts (
     merchant_id, id, is_sandbox, checkout_id, state, amount, currency, body_digest, origin, draft, settle_after, gives_up_at,
     created_at, updated_at
   )
   values (1, '${id}', true, 'of ${id}', '${state}', 0, 'USD', '', '', ${draft === null ? 'null' : text(draft)}, now(), now(), now(), now())`

const stored = async (column: 'content' | 'draft', table: string, id: string) => {
  const sql = `select ${column}::text as text from ${table} where merchant_id = 1 and id = '${id}'`
  const [row] = (await administer(connection, sql)).rows as { text: string | null }[]
  return row?.text ?? null
}

const { capturedBy: _by, ...OLDEST_DRAFT } = OLD_DRAFT as Record<string, unknown>

const connection = await migratedSince('0027', [
  MERCHANT,
  insertOrder('ord_full', OLD),
  insertOrder('ord_bare', OLD_BARE),
  insertOrder('ord_empty', {}),
  insertAttempt('pay_open', 'waiting', OLD_DRAFT),
  insertAttempt('pay_oldest', 'waiting', OLDEST_DRAFT),
  insertAttempt('pay_done', 'done', null),
])

const parsed = async (...of: Parameters<typeof stored>): Promise<unknown> => JSON.parse((await stored(...of)) ?? 'null')

describe('0027 rewrites', () => {
  it('the content of an order that has everything, as rows', async () => {
    expect(await parsed('content', 'orders', 'ord_full')).toStrictEqual(NEW)
  })

  it('that of an order that has next to nothing, as the first of them were kept', async () => {
    expect(await parsed('content', 'orders', 'ord_bare')).toStrictEqual(NEW_BARE)
  })

  it('the draft of an attempt that is open, and leaves a settled one without', async () => {
    expect(await parsed('draft', 'capture_attempts', 'pay_open')).toStrictEqual(NEW_DRAFT)
    expect(await parsed('draft', 'capture_attempts', 'pay_oldest')).toStrictEqual({ ...NEW_DRAFT, captured_by: null })
    expect(await stored('draft', 'capture_attempts', 'pay_done')).toBeNull()
  })

  it('no letter of what a merchant has sent: meta keeps the order of its fields', async () => {
    expect(await stored('content', 'orders', 'ord_full')).toContain('{"z":1,"a":{"b":[2,1]},"m":null}')
    const draft = await stored('draft', 'capture_attempts', 'pay_open')
    expect(draft).toContain('{"z":"last","a":"first"}')
    expect(draft).toContain('"meta":{"z":1,"a":2}')
  })

  it('nothing that was never in the old spelling', async () => {
    expect(await stored('content', 'orders', 'ord_empty')).toBe('{}')
  })
})

describe('a process of before 0027', () => {
  it('can begin no attempt, and make no order', async () => {
    await expect(administer(connection, insertAttempt('pay_late', 'waiting', OLD_DRAFT))).rejects.toMatchObject({
      constraint: 'capture_attempts_draft_not_of_before_0027',
    })
    await expect(administer(connection, insertOrder('ord_late', OLD))).rejects.toMatchObject({
      constraint: 'orders_content_not_of_before_0027',
    })
    await administer(connection, insertAttempt('pay_new', 'waiting', NEW_DRAFT))
    await administer(connection, insertOrder('ord_new', NEW))
  })
})
