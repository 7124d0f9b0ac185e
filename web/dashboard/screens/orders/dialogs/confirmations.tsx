// Dialogs that only confirm an action: change an item's status, revoke a download, send a receipt.

import type { DownloadPackage, FulfillmentItem } from '../../../../../src/api/orders/fulfillment-schema.ts'
import { post, put } from '../../../parts/form/change.ts'
import { ActionDialog } from '../../../parts/page/dialog.tsx'
import { orderCustomerName } from '../order.ts'
import { OrderAction, type OrderDialogProps } from './order-action.tsx'

/** Texts for each status that a merchant can set on an item. */
const STATUS_CHANGES = {
  returned: {
    state: 'returned',
    says: (what: string) => [
      `Notes that ${what} came back.`,
      'No money moves and stock stays: a refund gives money back, and puts pieces back into stock where you say so.',
      'Nobody gets a mail.',
    ],
  },
  not_fulfilled: {
    state: 'not shipped',
    says: (what: string) => [
      `Opens ${what} to be shipped again, such as when a parcel was lost.`,
      'Parcels that were noted stay. No money moves, stock stays, nobody gets a mail.',
    ],
  },
  fulfilled: {
    state: 'shipped',
    says: (what: string) => [
      `Notes that all of ${what} has reached the customer, without a parcel.`,
      'No money moves, stock stays, nobody gets a mail.',
    ],
  },
}

type ItemStatus = FulfillmentItem['status']

export const statusChangeTitle = (newStatus: ItemStatus): string => `Mark as ${STATUS_CHANGES[newStatus].state}`

type ItemProps = OrderDialogProps & { readonly item: FulfillmentItem; readonly newStatus: ItemStatus }

export function ItemDialog({ item, newStatus, ...props }: ItemProps) {
  const { state, says } = STATUS_CHANGES[newStatus]
  return (
    <OrderAction
      {...props}
      title={`${statusChangeTitle(newStatus)}: ${item.product_name}`}
      verb={statusChangeTitle(newStatus)}
      says={says(`${item.quantity} × ${item.product_name}`)}
      request={put(`/v1/orders/${props.order.id}/fulfillments/physical/items/${item.id}`, { status: newStatus })}
      done={`Marked as ${state}: ${item.product_name}`}
    />
  )
}

export function DownloadDialog({ file, ...props }: OrderDialogProps & { readonly file: DownloadPackage }) {
  const { order } = props
  const isRevoking = !file.is_access_revoked
  const who = orderCustomerName(order.customer)
  return (
    <OrderAction
      {...props}
      title={isRevoking ? `Revoke ${file.name}` : `Give ${file.name} back`}
      verb={isRevoking ? 'Revoke the download' : 'Give the download back'}
      isDangerous={isRevoking}
      says={[
        isRevoking
          ? `${who} can no longer download ${file.name}.`
          : `${who} can download ${file.name} again, by the same link.`,
        'No money moves, and nobody gets a mail.',
      ]}
      request={put(`/v1/orders/${order.id}/fulfillments/digital/packages/${file.id}`, {
        is_access_revoked: isRevoking,
      })}
      done={isRevoking ? `${file.name} revoked` : `${file.name} given back`}
    />
  )
}

export function ReceiptDialog({ order, onClose }: OrderDialogProps) {
  return (
    <ActionDialog
      title={`Send the receipt of ${order.customer_reference} again`}
      verb="Send the receipt"
      says={[
        `Mails ${order.customer.email} the receipt${order.has.digital_fulfillment ? ', with the links of the downloads' : ''}.`,
        'No money moves.',
      ]}
      request={post(`/v1/orders/${order.id}/receipt`)}
      done={`The receipt is on its way to ${order.customer.email}`}
      onClose={onClose}
    />
  )
}
