// The SQL of what a checkout token shows and asks beside its totals: its products, the merchant, the gateways. It comes with the
// very statement that writes a new token, so that making one costs no round trip for it.

import { type Db, statement } from '../../db/db.ts'
import type { LineRow } from '../carts/read-store.ts'
import { usableDiscount } from '../discounts/applied-store.ts'
import { FACE_JSON, type FaceRow } from '../merchants/face-store.ts'
import { type OfferRow as GatewayRow, offerRowsJson } from '../payment-methods/store.ts'
import { type ProductRow, productRows } from '../products/row-store.ts'

const PRODUCT_FIELDS = [
  'id',
  'description',
  'price',
  'is_active',
  'is_tax_exempt',
  'is_pay_what_you_want',
  'is_inventory_managed',
  'is_sold_out',
  'is_physical',
  'collects_fullname',
  'collects_shipping_address',
  'collects_billing_address',
  'packages',
  'extra_fields',
] as const

/** A group with all that can be chosen of it. */
type ChoicesRow = {
  id: string
  name: string
  options: { id: string; name: string; price_delta: number }[]
}

export type CheckoutProductRow = Pick<ProductRow, (typeof PRODUCT_FIELDS)[number]> & { variant_groups: ChoicesRow[] }

export type DetailsRow = {
  /** In the order of the lines, each once; deleted ones are missing. */
  products: CheckoutProductRow[]
  merchant: FaceRow
  gateways: GatewayRow[]
  /** Whether there is a code that can be used, for anything of what is bought. */
  has_available_discounts: boolean
}

// Not the groups as products show them: looking for the assets of each option took most of a token's time, and none of them is shown.
const CHOICES = `coalesce((
         select json_agg(
           json_build_object('id', its_group.id, 'name', its_group.name, 'options', coalesce((
             select json_agg(
               json_build_object('id', choice.id, 'name', choice.name, 'price_delta', choice.price_delta)
               order by choice.position
             )
             from variant_options choice
             where choice.merchant_id = $1 and choice.product_id = shown.id and choice.group_id = its_group.id
           ), '[]'))
           order by its_group.position
         )
         from variant_groups its_group
         where its_group.merchant_id = $1 and its_group.product_id = shown.id
       ), '[]')`

// PostgreSQL works out only those columns of a product that are asked for here.
const DETAILS = `select
     coalesce((
       select json_agg(
         json_build_object(${PRODUCT_FIELDS.map((field) => `'${field}', shown.${field}`).join(', ')},
           'variant_groups', ${CHOICES}
         )
         order by array_position($4::text[], shown.id)
       )
       from (${productRows('product.id = any($4)')}) shown
     ), '[]') as products,
     ${FACE_JSON} as merchant,
     ${offerRowsJson('$1')} as gateways,
     exists (
       select from discounts discount
       where discount.merchant_id = $1 and ${usableDiscount('discount', { now: '$5', isSandbox: '$2' })}
         and (discount.product_ids = '{}' or discount.product_ids && $4)
     ) as has_available_discounts
   from merchants m
   where m.merchant_id = $1`

/** For whom, in which mode and at which moment. */
export type DetailsAt = { readonly merchantId: number; readonly isSandbox: boolean; readonly now: Date }

// As to a secret key: a product that is no longer active still stands in the token, and nothing else that it would show is read.
const detailsValues = ({ merchantId, isSandbox, now }: DetailsAt, productIds: readonly string[]) => [
  merchantId,
  isSandbox,
  true,
  [...new Set(productIds)],
  now,
]

const find = statement<DetailsRow>('checkouts.find_details', DETAILS)

export const findDetails = (db: Db, at: DetailsAt, productIds: readonly string[]) =>
  db.one(find, detailsValues(at, productIds))

const insert = statement<DetailsRow>(
  'checkouts.insert',
  `with token as (
     insert into checkouts (
       merchant_id, id, is_sandbox, cart_id, discount_id, meta, created_at, updated_at, expires_at
     )
     values ($1, $6, $2, $7, $8, $9, $5, $5, $10)
   ),
   bought as (
     insert into checkout_lines (merchant_id, checkout_id, id, product_id, name, options, quantity)
     select $1, $6, entry.id, entry.product_id, entry.name, entry.options, entry.quantity
     from json_to_recordset($11) as entry (id text, product_id text, name text, options jsonb, quantity integer)
   )
   ${DETAILS}`,
)

export type NewCheckout = {
  id: string
  cartId: string | null
  discountId: string | null
  meta: Record<string, unknown> | null
  expiresAt: Date
  lines: readonly Pick<LineRow, 'id' | 'product_id' | 'name' | 'options' | 'quantity'>[]
}

/** Writes the token with its lines, and gives what is shown beside its totals. */
export const insertCheckout = (db: Db, at: DetailsAt, token: NewCheckout) =>
  db.one(insert, [
    ...detailsValues(
      at,
      token.lines.map(({ product_id }) => product_id),
    ),
    token.id,
    token.cartId,
    token.discountId,
    token.meta === null ? null : JSON.stringify(token.meta),
    token.expiresAt,
    JSON.stringify(
      token.lines.map(({ id, product_id, name, options, quantity }) => ({ id, product_id, name, options, quantity })),
    ),
  ])
