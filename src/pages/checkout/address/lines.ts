// Formats an address as it appears on letters to its country, line by line.

import { formatAddress } from 'localized-address-format'
import type { Order } from '../../../api/orders/schema.ts'
import type { Language } from '../model.ts'
import { localizedCountryName } from './countries.ts'

/** Empty without address parts. A Japanese address goes from large to small only for readers of Japanese. */
export function addressLines(language: Language, address: Order['shipping'] | null): readonly string[] {
  if (address === null) return []
  const { name, street, street_2, town_city, county_state, postal_zip_code, country } = address
  const trim = (value: string | null): string => value?.trim() ?? ''
  // `US-CA` is our code for California; people write CA.
  const prefix = `${country ?? ''}-`
  const region = trim(county_state).startsWith(prefix) ? trim(county_state).slice(prefix.length) : trim(county_state)
  const lines = formatAddress(
    {
      ...(country === null ? {} : { postalCountry: country }),
      name: trim(name),
      addressLines: [trim(street), trim(street_2)].filter((line) => line !== ''),
      locality: trim(town_city),
      administrativeArea: region,
      postalCode: trim(postal_zip_code),
    },
    language === 'ja' ? 'local' : 'latin',
  )
  // The format of some countries omits parts that were given anyway.
  const text = lines.join('\n')
  const rest = [trim(town_city), region, trim(postal_zip_code)].filter((part) => part !== '' && !text.includes(part))
  const all = [...lines, ...rest, country === null ? '' : localizedCountryName(language, country)]
  return all.map((line) => line.trim()).filter((line) => line !== '')
}
