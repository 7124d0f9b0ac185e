// Countries and regions by name, and the fields of a postal address. Their limits are those of the form.

import type { CountryList, SubdivisionList } from '../../../../src/api/locale/schema.ts'
import { useQuery } from '../../use-query.ts'
import { Field, Select, Textarea } from './field.tsx'

type Names = Readonly<Record<string, string>>

/** Names by code; empty until they are loaded. */
export const useCountries = (): Names => useQuery<CountryList>('/v1/services/locale/countries').data?.countries ?? NONE

/** Regions of a country by code. Empty if it has none, or if no country is chosen. */
export const useRegions = (country: string): Names =>
  useQuery<SubdivisionList>(country === '' ? null : `/v1/services/locale/${country}/subdivisions`).data?.subdivisions ??
  NONE

const NONE: Names = {}

/** "Canada, France and 12 more" */
export function placesText(codes: readonly string[], names: Names, most = 6): string {
  const labels = codes.map((code) => names[code] ?? code)
  if (labels.length > most + 1) return `${labels.slice(0, most).join(', ')} and ${labels.length - most} more`
  return labels.length < 2 ? labels.join('') : `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}`
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
  /** Label of the choice without a region: "All of it". */
  readonly all: string
}

/** Shows nothing if the country has no regions. */
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

/** `prefix`: path of the address in the object, for example `shipping.`; empty if the object is an address. */
export function AddressFields({ prefix = '' }: { prefix?: string }) {
  const countries = useCountries()
  return (
    <>
      <Field name={`${prefix}name`} label="Name" />
      <Field name={`${prefix}street`} label="Street" />
      <Field name={`${prefix}street_2`} label="Street, second line" />
      <Field name={`${prefix}postal_zip_code`} label="Postcode" />
      <Field name={`${prefix}town_city`} label="Town or city" />
      <Field name={`${prefix}county_state`} label="State or county" />
      {countries !== NONE && (
        <Select
          name={`${prefix}country`}
          label="Country"
          empty="null"
          options={[['', 'None'], ...Object.entries(countries)]}
        />
      )}
      <Textarea name={`${prefix}delivery_instructions`} label="For the driver" rows={2} />
    </>
  )
}
