// A postal address: its fields in replies and in bodies, and partial updates. Used by the address book of a customer and by orders.

import { type Static, Type } from 'typebox'
import { countryName } from '../../geo/places.ts'
import { Meta, nullable } from '../../http/endpoint/schema.ts'
import { newOrCurrent } from '../../lib/json.ts'

export type PostalAddress = {
  name: string | null
  street: string | null
  street_2: string | null
  town_city: string | null
  county_state: string | null
  postal_zip_code: string | null
  country: string | null
  delivery_instructions: string | null
  meta: Record<string, unknown> | null
}

export const NO_ADDRESS: PostalAddress = {
  name: null,
  street: null,
  street_2: null,
  town_city: null,
  county_state: null,
  postal_zip_code: null,
  country: null,
  delivery_instructions: null,
  meta: null,
}

/** Fields in replies. */
export const postalFields = {
  name: nullable(Type.String()),
  street: nullable(Type.String()),
  street_2: nullable(Type.String()),
  town_city: nullable(Type.String()),
  county_state: nullable(Type.String()),
  postal_zip_code: nullable(Type.String()),
  country: nullable(Type.String(), { description: 'ISO 3166-1 alpha-2.' }),
  delivery_instructions: nullable(Type.String()),
  meta: Meta,
}

const text = (maxLength: number) => Type.Optional(nullable(Type.String(), { maxLength }))

/** Fields in request bodies. All are optional. */
export const postalBodyFields = {
  name: text(255),
  street: text(255),
  street_2: text(255),
  town_city: text(255),
  county_state: text(255),
  postal_zip_code: text(50),
  country: Type.Optional(nullable(Type.String(), { maxLength: 2, description: 'ISO 3166-1 alpha-2.' })),
  delivery_instructions: text(10_000),
  meta: Type.Optional(Meta),
}

const SentAddress = Type.Object(postalBodyFields)
export type PostalChanges = Static<typeof SentAddress>

/** The problem with the country, or null. `field` is its name in the message. */
export const findCountryProblem = (field: string, { country }: PostalChanges): string | null =>
  typeof country === 'string' && countryName(country) === undefined
    ? `${field} must be the ISO 3166-1 code of a country, such as CA or US.`
    : null

/** Merges the sent fields into the current ones. */
export const mergeAddress = (current: PostalAddress, body: PostalChanges): PostalAddress => ({
  name: newOrCurrent(body.name, current.name),
  street: newOrCurrent(body.street, current.street),
  street_2: newOrCurrent(body.street_2, current.street_2),
  town_city: newOrCurrent(body.town_city, current.town_city),
  county_state: newOrCurrent(body.county_state, current.county_state),
  postal_zip_code: newOrCurrent(body.postal_zip_code, current.postal_zip_code),
  country: newOrCurrent(body.country, current.country),
  delivery_instructions: newOrCurrent(body.delivery_instructions, current.delivery_instructions),
  meta: newOrCurrent(body.meta, current.meta),
})

/** Copies the known fields only, because a stored address may contain more. */
export const viewPostalAddress = (address: PostalAddress): PostalAddress => ({
  name: address.name,
  street: address.street,
  street_2: address.street_2,
  town_city: address.town_city,
  county_state: address.county_state,
  postal_zip_code: address.postal_zip_code,
  country: address.country,
  delivery_instructions: address.delivery_instructions,
  meta: address.meta,
})
