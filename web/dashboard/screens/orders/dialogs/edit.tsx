// Edits the customer and the addresses of an order. The record of the customer stays as it is.

import limits from 'limits:orders.update'
import { put } from '../../../parts/form/change.ts'
import { Field, Group } from '../../../parts/form/field.tsx'
import { AddressFields } from '../../../parts/form/places.tsx'
import { FormDialog } from '../../../parts/page/dialog.tsx'
import type { OrderDialogProps } from './order-action.tsx'

export function EditDialog({ order, onClose }: OrderDialogProps) {
  return (
    <FormDialog
      title={`Edit ${order.customer_reference}`}
      initial={order}
      limits={limits}
      request={put(`/v1/orders/${order.id}`)}
      submit="Save"
      done="Saved"
      canKeep
      onClose={onClose}
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
    </FormDialog>
  )
}
