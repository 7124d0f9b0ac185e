// The customer and the address as the API shows them, and the bodies and queries of /v1/customers.

import { type Static, Type } from 'typebox'
import { kind, Meta, nestedOrNull, nullable, oneOf, pageQuery, Timestamp } from '../../http/endpoint/schema.ts'
import { postalBodyFields, postalFields } from './postal-address.ts'

export const DEFAULT_CUSTOMER_LIMIT = 20
export const DEFAULT_ADDRESS_LIMIT = 15

/** Address in a customer's address book. */
export const CustomerAddress = kind('customer_address', {
  id: Type.String(),
  ...postalFields,
  default_shipping: Type.Boolean(),
  default_billing: Type.Boolean(),
  created: Timestamp,
  updated: Timestamp,
})

export type CustomerAddress = Static<typeof CustomerAddress>

export const Customer = kind('customer', {
  id: Type.String(),
  external_id: nullable(Type.String(), { description: "An id of the merchant's own." }),
  firstname: nullable(Type.String()),
  lastname: nullable(Type.String()),
  email: Type.String(),
  phone: nullable(Type.String()),
  meta: Meta,
  created: Timestamp,
  updated: Timestamp,
  default_shipping: nestedOrNull(CustomerAddress),
  default_billing: nestedOrNull(CustomerAddress),
})

export type Customer = Static<typeof Customer>

export const ListCustomers = Type.Object({
  ...pageQuery(DEFAULT_CUSTOMER_LIMIT),
  query: Type.Optional(
    Type.String({
      maxLength: 255,
      description: 'An id, an external_id, or how an e-mail address, a first, a last or a full name begins.',
    }),
  ),
  sortBy: Type.Optional(oneOf(['created_at'])),
  sortDirection: Type.Optional(oneOf(['asc', 'desc'], { description: 'desc unless given: newest first.' })),
})

const text = (maxLength: number) => Type.Optional(nullable(Type.String(), { maxLength }))

const Email = Type.String({ maxLength: 320, description: 'One customer of a shop has it, in each mode.' })

const fields = {
  firstname: text(255),
  lastname: text(255),
  phone: text(64),
  external_id: text(255),
  meta: Type.Optional(Meta),
}

export const CreateCustomer = Type.Object({ email: Email, ...fields })
export const UpdateCustomer = Type.Object({ email: Type.Optional(Email), ...fields })

export type NewCustomer = Static<typeof CreateCustomer>
export type CustomerChanges = Static<typeof UpdateCustomer>

/** Body of both creation and update, so no field is required. */
export const WriteAddress = Type.Object({
  ...postalBodyFields,
  default_shipping: Type.Optional(
    Type.Boolean({ description: 'true: from now on this one, and no other of the customer.' }),
  ),
  default_billing: Type.Optional(
    Type.Boolean({ description: 'true: from now on this one, and no other of the customer.' }),
  ),
})

export type AddressChanges = Static<typeof WriteAddress>
