// Fields of a postal address by the API's names, for orders and for customers' address books.

import { useQuery } from '../../use-query.ts'
import { Field, Select, Textarea } from './field.tsx'

/** `prefix`: path of the address in the object, for example `shipping.`; empty if the object is an address. */
export function AddressFields({ prefix = '' }: { prefix?: string }) {
  const { data } = useQuery<{ countries: Readonly<Record<string, string>> }>('/v1/services/locale/countries')
  const text = (name: string, label: string, maxLength = 255) => (
    <Field name={`${prefix}${name}`} label={label} isOptional empty="null" maxLength={maxLength} />
  )
  return (
    <>
      {text('name', 'Name')}
      {text('street', 'Street')}
      {text('street_2', 'Street, second line')}
      {text('postal_zip_code', 'Postcode', 50)}
      {text('town_city', 'Town or city')}
      {text('county_state', 'State or county')}
      {data !== undefined && (
        <Select
          name={`${prefix}country`}
          label="Country"
          empty="null"
          options={[['', 'None'], ...Object.entries(data.countries)]}
        />
      )}
      <Textarea
        name={`${prefix}delivery_instructions`}
        label="For the driver"
        isOptional
        empty="null"
        rows={2}
        maxLength={10_000}
      />
    </>
  )
}
