// Countries and regions → the lists of them, as a map and as HTML.

import type { Country, Subdivision } from '../../lib/places.ts'
import type { CountryList, SubdivisionList } from './schema.ts'

/** In the order given, but that JavaScript puts keys such as `10` first, here and where the reply is read; `html` keeps it. */
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

const optionsOf = (places: readonly Place[]) =>
  places.map(({ code, name }) => `<option value="${escaped(code)}">${escaped(name)}</option>`).join('')

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The text is put into a page as it comes: a quote in the name of a place must not end an attribute. */
const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
