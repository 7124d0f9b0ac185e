// Delivery of an order as the API shows it: items to ship, shipments, downloads.

import { type Static, Type } from 'typebox'
import { kind, Meta, nested, nullable, oneOf, Price, Timestamp } from '../../http/endpoint/schema.ts'
import { LIFESPAN_PERIODS } from '../products/schema.ts'
import { ITEM_STATUSES } from './status.ts'

export const SelectedOption = Type.Object({
  group_id: Type.String(),
  group_name: Type.String(),
  option_id: Type.String(),
  option_name: Type.String(),
  price: nested(Price),
})

/** A selected option under its older names: a variant group was called a variant then. */
export const LegacySelectedOption = Type.Object({
  variant_id: Type.String({ description: 'The id of the variant group.' }),
  variant_name: Type.String(),
  option_id: Type.String(),
  option_name: Type.String(),
  price: nested(Price),
})

export const FulfillmentItem = kind('fulfillment_item', {
  id: Type.String(),
  shipping_method_id: nullable(Type.String()),
  line_item_id: Type.String(),
  product_id: Type.String(),
  shipping_description: nullable(Type.String()),
  provider: Type.String(),
  provider_type: Type.String(),
  product_name: Type.String(),
  variants: Type.Array(LegacySelectedOption),
  selected_options: Type.Array(SelectedOption),
  status: oneOf(ITEM_STATUSES),
  quantity: Type.Integer(),
  quantity_fulfilled: Type.Integer(),
  quantity_remaining: Type.Integer(),
  last_updated: Timestamp,
  linked_shipments: Type.Array(Type.String(), { description: 'The ids of the shipments that it is in.' }),
})

export type FulfillmentItem = Static<typeof FulfillmentItem>

export const Shipment = kind('shipment', {
  id: Type.String(),
  order_id: Type.String(),
  customer_reference: Type.String({ description: 'Of the order.' }),
  shipped_on: Timestamp,
  provider: Type.String(),
  provider_type: Type.String(),
  carrier: nullable(Type.String()),
  carrier_name: nullable(Type.String()),
  tracking_number: nullable(Type.String()),
  tracking_url: nullable(Type.String()),
  created: Timestamp,
  metadata: Meta,
  line_items: Type.Array(
    Type.Object({
      fulfillment_item_id: Type.String(),
      line_item_id: Type.String(),
      product_id: Type.String(),
      product_name: Type.String(),
      selected_options: Type.Array(SelectedOption),
      fulfilled_quantity: Type.Integer({ description: 'In this shipment.' }),
      total_quantity: Type.Integer({ description: 'In the order.' }),
    }),
  ),
})

export type Shipment = Static<typeof Shipment>

export const DownloadPackage = kind('download_package', {
  id: Type.String(),
  name: Type.String(),
  access_link: Type.String({ description: 'Where it is fetched, once the order is paid; no key is needed.' }),
  access_expires: nullable(Timestamp),
  ext: Type.String(),
  size: Type.String({ description: 'For people: 38.71 KB.' }),
  size_in_bytes: Type.Integer(),
  remaining_downloads: nullable(Type.Integer(), { description: 'null: any number of times.' }),
  is_unlimited: Type.Boolean(),
  is_access_revoked: Type.Boolean(),
})

export type DownloadPackage = Static<typeof DownloadPackage>

export const Download = kind('download', {
  provider: Type.String(),
  provider_type: Type.String(),
  line_item_id: Type.String(),
  product_id: Type.String(),
  product_name: Type.String(),
  packages: Type.Array(nested(DownloadPackage)),
  lifespan: Type.Object({
    expires: Type.Boolean(),
    expiry_date: nullable(Timestamp, { description: 'null where it never ends, and until the order is paid.' }),
    duration: nullable(Type.Integer()),
    period: Type.Unsafe<(typeof LIFESPAN_PERIODS)[number] | null>({ enum: [...LIFESPAN_PERIODS, null] }),
    download_limit: nullable(Type.Integer()),
    human: Type.String(),
  }),
  is_expired: Type.Boolean(),
  is_access_revoked: Type.Boolean({ description: 'Of every package.' }),
})

export type Download = Static<typeof Download>

export const Fulfillment = kind('fulfillment', {
  physical: Type.Object({
    items: Type.Array(nested(FulfillmentItem)),
    shipments: Type.Array(nested(Shipment), { description: 'Oldest first.' }),
  }),
  digital: Type.Object({ downloads: Type.Array(nested(Download)) }),
})

export type Fulfillment = Static<typeof Fulfillment>
