// The customer as the API shows it.

import { type Static, Type } from 'typebox'
import { kind, Meta, nullable, Timestamp } from '../../http/schema.ts'

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
})

export type Customer = Static<typeof Customer>
