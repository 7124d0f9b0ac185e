// Creates or changes a zone: name, countries and shipping methods.

import { call } from '../../api.ts'
import { Field } from '../../parts/form/field.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Button } from '../../parts/page/button.tsx'
import { Dialog } from '../../parts/page/dialog.tsx'
import { Loaded } from '../../parts/page/states.tsx'
import { showToast } from '../../parts/page/toast.tsx'
import { invalidateQueries, useQuery } from '../../use-query.ts'
import { MethodsField } from './methods-field.tsx'
import { PlacesField } from './places-field.tsx'
import type { Zone } from './zone.ts'

/** `id`: undefined for a new zone. */
export function ZoneDialog({ id, onClose }: { id?: string; onClose: () => void }) {
  const query = useQuery<Zone>(id === undefined ? null : `/v1/shipping_zones/${id}`)
  return (
    <Dialog title={id === undefined ? 'New shipping zone' : 'Change the zone'} isWide onClose={onClose}>
      {id === undefined ? (
        <ZoneForm onClose={onClose} />
      ) : (
        <Loaded query={query}>{(zone) => <ZoneForm zone={zone} etag={query.etag} onClose={onClose} />}</Loaded>
      )}
    </Dialog>
  )
}

type ZoneFormProps = { readonly zone?: Zone; readonly etag?: string | null; readonly onClose: () => void }

function ZoneForm({ zone, etag = null, onClose }: ZoneFormProps) {
  return (
    <Form
      initial={zone ?? {}}
      etag={etag}
      sendsAll={zone === undefined}
      run={(body, { ifMatch }) =>
        zone === undefined
          ? call('POST', '/v1/shipping_zones', { body })
          : call('PUT', `/v1/shipping_zones/${zone.id}`, { body, ifMatch })
      }
      onDone={() => {
        invalidateQueries('/v1/shipping_zones', '/v1/reports')
        showToast(zone === undefined ? 'Zone added' : 'Saved')
        onClose()
      }}
    >
      <Field
        name="name"
        label="Name"
        hint="For you alone: shoppers do not see it."
        maxLength={255}
        placeholder="Europe"
      />
      <PlacesField />
      <MethodsField />
      <div class="dialog-foot">
        <Button onClick={onClose}>Keep as it is</Button>
        <Button type="submit" kind="primary">
          {zone === undefined ? 'Add the zone' : 'Save'}
        </Button>
      </div>
    </Form>
  )
}
