// Fields of a postal address by the API's names, for orders and for customers' address books. Their limits are those of the form.

import type { CountryList } from '../../../../src/api/locale/routes.ts'
import { useQuery } from '../../use-query.ts'
import { Field, Select, Textarea } from './field.tsx'

/** `prefix`: path of the address in the object, for example `shipping.`; empty if the object is an address. */
export function AddressFields({ prefix = '' }: { prefix?: string }) {
  const { data } = useQuery<CountryList>('/v1/services/locale/countries')
  return (
    <>
      <Field name={`${prefix}name`} label="Name" />
      <Field name={`${prefix}street`} label="Street" />
      <Field name={`${prefix}street_2`} label="Street, second line" />
      <Field name={`${prefix}postal_zip_code`} label="Postcode" />
      <Field name={`${prefix}town_city`} label="Town or city" />
      <Field name={`${prefix}county_state`} label="State or county" />
      {data !== undefined && (
        <Select
          name={`${prefix}country`}
          label="Country"
          empty="null"
          options={[['', 'None'], ...Object.entries(data.countries)]}
        />
      )}
      <Textarea name={`${prefix}delivery_instructions`} label="For the driver" rows={2} />
    </>
  )
}
