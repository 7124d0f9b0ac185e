// Countries and their parts, by the names that people know: what the forms of shipping, tax and the shop's address choose from.

import { Select } from '../../parts/field.tsx'
import { useQuery } from '../../use-query.ts'

type Names = Readonly<Record<string, string>>

/** By code; none until they are there. */
export const useCountries = (): Names =>
  useQuery<{ countries: Names }>('/v1/services/locale/countries').data?.countries ?? NONE

/** The parts of a country by code; none where it has none, or none is chosen. */
export const useRegions = (country: string): Names =>
  useQuery<{ subdivisions: Names }>(country === '' ? null : `/v1/services/locale/${country}/subdivisions`).data
    ?.subdivisions ?? NONE

const NONE: Names = {}

/** "Canada, France and 12 more" */
export function placesText(codes: readonly string[], names: Names, most = 6): string {
  const known = codes.map((code) => names[code] ?? code)
  if (known.length > most + 1) return `${known.slice(0, most).join(', ')} and ${known.length - most} more`
  return known.length < 2 ? known.join('') : `${known.slice(0, -1).join(', ')} and ${known.at(-1)}`
}

type CountrySelectProps = {
  readonly name: string
  readonly value?: string
  readonly isOptional?: boolean
  readonly onChange?: (code: string) => void
}

export function CountrySelect({ name, value, isOptional = false, onChange }: CountrySelectProps) {
  const countries = useCountries()
  if (countries === NONE) return null
  return (
    <Select
      name={name}
      label="Country"
      isOptional={isOptional}
      {...(isOptional ? { empty: 'null' } : {})}
      {...(value === undefined ? {} : { value })}
      {...(onChange === undefined ? {} : { onChange })}
      options={[['', isOptional ? 'None' : 'Choose …'], ...Object.entries(countries)]}
    />
  )
}

type RegionSelectProps = {
  readonly name: string
  readonly country: string
  readonly value?: string
  /** What no region means: "All of it". */
  readonly all: string
}

/** Nothing where the country has no parts to choose from. */
export function RegionSelect({ name, country, value, all }: RegionSelectProps) {
  const regions = useRegions(country)
  if (Object.keys(regions).length === 0) return null
  return (
    <Select
      key={country}
      name={name}
      label="State or region"
      isOptional
      empty="null"
      {...(value === undefined ? {} : { value })}
      options={[['', all], ...Object.entries(regions)]}
    />
  )
}
