// Creates or changes a zone: name, countries and shipping methods.

import limits from 'limits:shipping_zones.create'
import type { ShippingZone } from '../../../../src/api/shipping/schema.ts'
import { post, put } from '../../parts/form/change.ts'
import { Field } from '../../parts/form/field.tsx'
import { FormDialog } from '../../parts/page/dialog.tsx'
import { useQuery } from '../../use-query.ts'
import { MethodsField } from './methods-field.tsx'
import { PlacesField } from './places-field.tsx'

const PATH = '/v1/shipping_zones'

/** `id`: undefined for a new zone. */
export function ZoneDialog({ id, onClose }: { id?: string; onClose: () => void }) {
  const zone = useQuery<ShippingZone>(id === undefined ? null : `${PATH}/${id}`)
  const change =
    id === undefined
      ? { title: 'New shipping zone', initial: {}, request: post(PATH), submit: 'Add the zone', done: 'Zone added' }
      : { title: 'Change the zone', of: zone, request: put(`${PATH}/${id}`), submit: 'Save', done: 'Saved' }
  return (
    <FormDialog {...change} limits={limits} isWide canKeep onClose={onClose}>
      <Field name="name" label="Name" hint="For you alone: shoppers do not see it." placeholder="Europe" />
      <PlacesField />
      <MethodsField />
    </FormDialog>
  )
}
