// The endpoints of /v1/services/locale: which countries and regions there are, and which a checkout can be shipped to.

import { Type } from 'typebox'
import { endpoint } from '../../http/endpoint.ts'
import { notFound } from '../../lib/errors.ts'
import { listCountries, listSubdivisions } from '../../lib/places.ts'
import type { Slice } from '../slice.ts'
import { CountryList, SubdivisionList } from './schema.ts'
import { shippableCountries, shippableSubdivisions } from './shippable.ts'
import { viewCountries, viewSubdivisions } from './view.ts'

// The dataset comes with the release: what was made once holds until the process ends. One entry per country at most.
let everyCountry: CountryList | undefined
const subdivisionsByCountry = new Map<string, SubdivisionList>()

const country = { country_code: Type.String({ description: 'ISO 3166-1 alpha-2: CA' }) }
const token = { checkout_token_id: Type.String({ description: 'The id of a checkout token: chkt_…' }) }

export const locale: Slice = {
  kinds: [CountryList, SubdivisionList],
  endpoints: [
    endpoint({
      operation: 'locale.list_countries',
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
    endpoint({
      operation: 'locale.list_subdivisions',
      summary: "Gives the names of a country's states, provinces or other regions.",
      method: 'GET',
      path: '/v1/services/locale/:country_code/subdivisions',
      access: 'public',
      params: Type.Object(country),
      status: 200,
      returns: SubdivisionList,
      handle: async ({ params }) => findSubdivisions(params.country_code.toUpperCase()),
    }),
    endpoint({
      operation: 'locale.list_shipping_countries',
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
    endpoint({
      operation: 'locale.list_shipping_subdivisions',
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

function findSubdivisions(country: string): SubdivisionList {
  const known = subdivisionsByCountry.get(country)
  if (known) return known
  const subdivisions = listSubdivisions(country)
  if (subdivisions === undefined) throw notFound('country')
  const list = viewSubdivisions(subdivisions)
  subdivisionsByCountry.set(country, list)
  return list
}
