// The endpoints of /v1/services/locale: lists of countries and regions, in general and for shipping a checkout. Storefronts fill address
// forms with them.

import { Type } from 'typebox'
import { type Country, listCountries, listSubdivisions, type Subdivision } from '../../geo/places.ts'
import { defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { notFound } from '../../lib/errors.ts'
import { escapeHtml } from '../../lib/text.ts'
import type { Slice } from '../slice.ts'
import { CountryList, SubdivisionList } from './schema.ts'
import { shippableCountries, shippableSubdivisions } from './shippable.ts'

// The dataset changes only with a release, so results stay valid for the life of the process. At most one entry per country.
let everyCountry: CountryList | undefined
const subdivisionsByCountry = new Map<string, SubdivisionList>()

const country = { country_code: Type.String({ description: 'ISO 3166-1 alpha-2: CA' }) }
const token = { checkout_token_id: Type.String({ description: 'The id of a checkout token: chkt_…' }) }

export const locale: Slice = {
  kinds: [CountryList, SubdivisionList],
  endpoints: [
    defineEndpoint({
      operation: 'locale.list_countries',
      permission: 'see',
      summary: 'Gives the names of all countries.',
      method: 'GET',
      path: '/v1/services/locale/countries',
      access: 'public',
      status: 200,
      returns: CountryList,
      handle: async () => {
        everyCountry ??= viewCountries(listCountries())
        return everyCountry
      },
    }),
    defineEndpoint({
      operation: 'locale.list_subdivisions',
      permission: 'see',
      summary: "Gives the names of a country's states, provinces or other regions.",
      method: 'GET',
      path: '/v1/services/locale/:country_code/subdivisions',
      access: 'public',
      params: Type.Object(country),
      status: 200,
      returns: SubdivisionList,
      handle: async ({ params }) => cachedSubdivisions(params.country_code.toUpperCase()),
    }),
    defineEndpoint({
      operation: 'locale.list_shipping_countries',
      permission: 'see',
      summary:
        'Gives the names of the countries that a checkout can be shipped to; all where nothing is to be shipped.',
      method: 'GET',
      path: '/v1/services/locale/:checkout_token_id/countries',
      access: 'public',
      noStore: true,
      params: Type.Object(token),
      status: 200,
      returns: CountryList,
      handle: async (context) => viewCountries(await shippableCountries(context, context.params.checkout_token_id)),
    }),
    defineEndpoint({
      operation: 'locale.list_shipping_subdivisions',
      permission: 'see',
      summary: 'Gives the names of the regions of a country that a checkout can be shipped to.',
      method: 'GET',
      path: '/v1/services/locale/:checkout_token_id/countries/:country_code/subdivisions',
      access: 'public',
      noStore: true,
      params: Type.Object({ ...token, ...country }),
      status: 200,
      returns: SubdivisionList,
      handle: async (context) => {
        const { checkout_token_id: id, country_code: code } = context.params
        return viewSubdivisions(await shippableSubdivisions(context, id, code.toUpperCase()))
      },
    }),
  ],
}

function cachedSubdivisions(country: string): SubdivisionList {
  const cachedList = subdivisionsByCountry.get(country)
  if (cachedList) return cachedList
  const subdivisions = listSubdivisions(country)
  if (subdivisions === undefined) throw notFound('country')
  const list = viewSubdivisions(subdivisions)
  subdivisionsByCountry.set(country, list)
  return list
}

/** In the given order. In objects JavaScript moves keys such as `10` to the front, here and in clients; `html` keeps the order. */
export const viewCountries = (countries: readonly Country[]): CountryList => ({
  countries: namesOf(countries),
  html: optionsOf(countries),
})

export const viewSubdivisions = (subdivisions: readonly Subdivision[]): SubdivisionList => ({
  subdivisions: namesOf(subdivisions),
  html: optionsOf(subdivisions),
})

type Place = { readonly code: string; readonly name: string }

const namesOf = (places: readonly Place[]) => Object.fromEntries(places.map(({ code, name }) => [code, name]))

/** Storefronts insert the text into pages unchanged, so a quote in a place name must not end an attribute. */
const optionsOf = (places: readonly Place[]) =>
  places.map(({ code, name }) => `<option value="${escapeHtml(code)}">${escapeHtml(name)}</option>`).join('')
