// Request bodies for shipments, items and downloads. Their form within an order is in orders/fulfillment-schema.ts.

import { type Static, Type } from 'typebox'
import { Meta, nullable, oneOf } from '../../http/endpoint/schema.ts'
import { nullableTextField, timestampField } from '../orders/body-schema.ts'
import { ITEM_STATUSES } from '../orders/status.ts'

export const CreateShipment = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.String({ maxLength: 100, description: 'What is shipped: ful_…' }),
      quantity: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
    }),
    { minItems: 1, maxItems: 300 },
  ),
  carrier: nullableTextField(255),
  carrier_name: nullableTextField(255),
  tracking_number: nullableTextField(255),
  tracking_url: nullableTextField(2_048),
  shipped_on: Type.Optional(timestampField('Unix timestamp in seconds; now unless given.')),
  metadata: Type.Optional(Meta),
})

export type NewShipment = Static<typeof CreateShipment>

export const UpdateItem = Type.Object({ status: oneOf(ITEM_STATUSES) })

export const UpdatePackage = Type.Object({
  is_access_revoked: Type.Optional(Type.Boolean()),
  remaining_downloads: Type.Optional(
    nullable(Type.Integer(), { minimum: 0, maximum: 2_147_483_647, description: 'null: any number of times.' }),
  ),
})

export type PackageChanges = Static<typeof UpdatePackage>
