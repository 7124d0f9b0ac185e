// An address as letters to its country have it, line by line.

import { formatAddress } from 'localized-address-format'
import type { Order } from '../../../api/orders/schema.ts'
import type { Language } from '../model.ts'
import { countryIn } from './countries.ts'

/** None where nothing of it was given. Japan's is written from large to small only for those who read it so. */
export function addressLines(language: Language, address: Order['shipping'] | null): readonly string[] {
  if (address === null) return []
  const { name, street, street_2, town_city, county_state, postal_zip_code, country } = address
  const given = (value: string | null): string => value?.trim() ?? ''
  // US-CA is how we name California, not how its people do.
  const prefix = `${country ?? ''}-`
  const region = given(county_state).startsWith(prefix) ? given(county_state).slice(prefix.length) : given(county_state)
  const lines = formatAddress(
    {
      ...(country === null ? {} : { postalCountry: country }),
      name: given(name),
      addressLines: [given(street), given(street_2)].filter((line) => line !== ''),
      locality: given(town_city),
      administrativeArea: region,
      postalCode: given(postal_zip_code),
    },
    language === 'ja' ? 'local' : 'latin',
  )
  // Some countries have no place for what was given all the same.
  const text = lines.join('\n')
  const left = [given(town_city), region, given(postal_zip_code)].filter((part) => part !== '' && !text.includes(part))
  const all = [...lines, ...left, country === null ? '' : countryIn(language, country)]
  return all.map((line) => line.trim()).filter((line) => line !== '')
}
