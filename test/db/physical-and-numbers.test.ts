// Products, orders and tokens that were written before 0028 and 0029, and what the migrations make of them.

import { expect, it } from 'vitest'
import { takeOrderNumber } from '../../src/api/orders/store.ts'
import { openPool } from '../../src/db/pool.ts'
import { administer, PATIENT_POOL } from '../support/database.ts'
import { MERCHANT, migratedSince } from './fixtures/before.ts'

const insertProduct = (merchant: number, id: string, isPhysical: boolean) =>
  `insert into products (
     merchant_id, id, name, permalink, description, price, is_active, is_tax_exempt, is_pay_what_you_want,
     is_inventory_managed, sort_order, collects_fullname, collects_billing_address, is_physical, created_at, updated_at
   )
   values (${merchant}, '${id}', 'Thing', '${id}', '', 100, true, false, false, false, 0, false, false, ${isPhysical}, now(), now())`

const insertPackage = (merchant: number, product: string) =>
  `insert into assets (
     merchant_id, id, filename, file_key, file_extension, content_type, is_image, file_size, is_private, is_pending,
     created_at, updated_at
   )
   values (${merchant}, 'ast_${product}', 'a.pdf', 'a', 'pdf', 'application/pdf', false, 1, true, false, now(), now());
   insert into product_packages (merchant_id, product_id, asset_id, position) values (${merchant}, '${product}', 'ast_${product}', 0)`

const insertZone = (merchant: number) =>
  `insert into shipping_zones (merchant_id, id, name, countries, regions, created_at, updated_at)
   values (${merchant}, 'zone_1', 'Home', '{CA}', '{}', now(), now())`

const insertToken = (merchant: number, methods: string) =>
  `insert into checkouts (merchant_id, id, is_sandbox, external_methods, created_at, updated_at, expires_at)
   values (${merchant}, 'chkt_1', true, ${methods}, now(), now(), now())`

const insertOrder = (merchant: number, isSandbox: boolean, reference: string) =>
  `insert into orders (
     merchant_id, id, is_sandbox, checkout_id, attempt_id, body_digest, customer_id, customer_reference, email, content, currency,
     order_value, total_due, status_payment, status_fulfillment, created_at, updated_at
   )
   values (${merchant}, 'ord_${reference}', ${isSandbox}, 'of ${reference}', 'pay', '', 'cstmr_1', '${reference}', 'a@b.example', '{}',
     'USD', 0, 0, 'paid', 'fulfilled', now(), now())`

const SHIPS = 1
const SENDS_NOWHERE = 2
const IS_INTEGRATED = 3
const IS_NEW = 4

const connection = await migratedSince('0028', [
  ...[SHIPS, SENDS_NOWHERE, IS_INTEGRATED, IS_NEW].map(() => MERCHANT),
  insertZone(SHIPS),
  ...[SHIPS, SENDS_NOWHERE, IS_INTEGRATED].flatMap((merchant) => [
    insertProduct(merchant, 'prod_true', true),
    insertProduct(merchant, 'prod_false', false),
    insertProduct(merchant, 'prod_both', true),
    insertPackage(merchant, 'prod_both'),
    insertProduct(merchant, 'prod_file', false),
    insertPackage(merchant, 'prod_file'),
    // A shop with zones may also use an integration.
    insertToken(
      merchant,
      merchant === SENDS_NOWHERE ? 'null' : `'[{"id": "ship_x", "description": "Drone", "price": 1}]'`,
    ),
  ]),
  insertOrder(SHIPS, true, 'SHP-9'),
  insertOrder(SHIPS, true, 'SHP-1042'),
  insertOrder(SHIPS, true, '24-7-88'),
  insertOrder(SHIPS, false, 'SHP-1043'),
  insertOrder(SENDS_NOWHERE, true, '日本-7'),
])

it('0028 makes null of a true that nobody need have said, and of nothing else', async () => {
  const { rows } = await administer(connection, 'select merchant_id, id, is_physical from products')
  const saidIn = (merchant: number) =>
    Object.fromEntries(
      (rows as { merchant_id: number; id: string; is_physical: boolean | null }[])
        .filter((row) => row.merchant_id === merchant)
        .map((row) => [row.id, row.is_physical]),
    )
  const kept = { prod_false: false, prod_both: true, prod_file: false }
  expect(saidIn(SHIPS)).toEqual({ ...kept, prod_true: null })
  expect(saidIn(SENDS_NOWHERE)).toEqual({ ...kept, prod_true: null })
  expect(saidIn(IS_INTEGRATED)).toEqual({ ...kept, prod_true: true })
})

it('0029 counts on above the greatest number of each shop and mode, and leaves no sequence to count by', async () => {
  const db = openPool(connection, PATIENT_POOL)
  const next = (merchantId: number, isSandbox: boolean) => takeOrderNumber(db, { merchantId, isSandbox })
  expect([await next(SHIPS, true), await next(SHIPS, true), await next(SHIPS, false)]).toEqual([1043, 1044, 1044])
  expect([await next(SENDS_NOWHERE, true), await next(SENDS_NOWHERE, false), await next(IS_NEW, true)]).toEqual([
    8, 1, 1,
  ])
  await db.close()
  const { rows } = await administer(connection, 'select customer_reference from orders order by customer_reference')
  expect(rows.map((row) => (row as { customer_reference: string }).customer_reference).sort()).toEqual(
    ['SHP-9', 'SHP-1042', '24-7-88', 'SHP-1043', '日本-7'].sort(),
  )
  await expect(administer(connection, "select nextval('order_numbers')")).rejects.toThrow('does not exist')
})
