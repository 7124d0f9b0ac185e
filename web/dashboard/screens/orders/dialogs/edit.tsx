// Edits the customer and the addresses of an order. The record of the customer stays as it is.

import limits from 'limits:orders.update'
import { call } from '../../../api.ts'
import { Field, Group } from '../../../parts/form/field.tsx'
import { Form } from '../../../parts/form/form.tsx'
import { AddressFields } from '../../../parts/form/places.tsx'
import { Button } from '../../../parts/page/button.tsx'
import { Dialog } from '../../../parts/page/dialog.tsx'
import type { Order } from '../order.ts'
import { reportChange } from './act.ts'

export function EditDialog({ order, onClose }: { order: Order; onClose: () => void }) {
  return (
    <Dialog title={`Edit ${order.customer_reference}`} onClose={onClose}>
      <Form
        initial={order}
        limits={limits}
        run={(changes) => call<Order>('PUT', `/v1/orders/${order.id}`, { body: changes })}
        onDone={() => {
          reportChange('Saved')
          onClose()
        }}
      >
        <p class="hint">
          Changes this order alone: the customer’s own record stays. Nobody gets a mail; mails from now on go to the new
          address.
        </p>
        <Group label="Customer">
          <Field name="customer.email" label="E-mail" type="email" />
          <Field name="customer.firstname" label="First name" />
          <Field name="customer.lastname" label="Last name" />
          <Field name="customer.phone" label="Phone" type="tel" />
        </Group>
        {order.has.physical_fulfillment && (
          <Group label="Ships to">
            <AddressFields prefix="shipping." />
          </Group>
        )}
        <details>
          <summary>Bill to another address</summary>
          <Group label="Bill to">
            <AddressFields prefix="billing." />
          </Group>
        </details>
        <div class="dialog-foot">
          <Button onClick={onClose}>Keep as it is</Button>
          <Button type="submit" kind="primary">
            Save
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}
