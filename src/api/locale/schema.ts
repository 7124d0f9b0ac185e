// Lists of countries and regions as the API returns them.

import { type Static, Type } from 'typebox'
import { kind } from '../../http/endpoint/schema.ts'

const names = (description: string) =>
  Type.Unsafe<Record<string, string>>({ type: 'object', additionalProperties: { type: 'string' }, description })

const Html = Type.String({ description: 'The same as <option> tags for a form, by name.' })

export const CountryList = kind('country_list', {
  countries: names('ISO 3166-1 alpha-2 code → English name, by name.'),
  html: Html,
})

export type CountryList = Static<typeof CountryList>

export const SubdivisionList = kind('subdivision_list', {
  subdivisions: names('The part of the ISO 3166-2 code after the dash → name. Empty where the country has none.'),
  html: Html,
})

export type SubdivisionList = Static<typeof SubdivisionList>
