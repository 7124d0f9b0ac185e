// Dialogs that only confirm an action: change an item's status, revoke a download, send a receipt, delete a note.

import { call } from '../../../api.ts'
import { ActionDialog } from '../../../parts/page/dialog.tsx'
import { type DownloadPackage, type Item, orderCustomerName } from '../order.ts'
import { type ActionProps, reportChange, runAction } from './act.ts'

/** Texts for each status that a merchant can set on an item. */
const STATUS_CHANGES = {
  returned: {
    title: 'Mark as returned',
    says: (what: string) => [
      `Notes that ${what} came back.`,
      'No money moves and stock stays: a refund gives money back, and puts pieces back into stock where you say so.',
      'Nobody gets a mail.',
    ],
  },
  not_fulfilled: {
    title: 'Mark as not shipped',
    says: (what: string) => [
      `Opens ${what} to be shipped again, such as when a parcel was lost.`,
      'Parcels that were noted stay. No money moves, stock stays, nobody gets a mail.',
    ],
  },
  fulfilled: {
    title: 'Mark as shipped',
    says: (what: string) => [
      `Notes that all of ${what} has reached the customer, without a parcel.`,
      'No money moves, stock stays, nobody gets a mail.',
    ],
  },
} as const

export type ItemStatusChange = keyof typeof STATUS_CHANGES

export const statusChangeTitle = (newStatus: ItemStatusChange): string => STATUS_CHANGES[newStatus].title

export function ItemDialog(props: ActionProps & { readonly item: Item; readonly newStatus: ItemStatusChange }) {
  const { order, item, newStatus, onClose } = props
  const { title, says } = STATUS_CHANGES[newStatus]
  return (
    <ActionDialog
      title={`${title}: ${item.product_name}`}
      verb={title}
      says={says(`${item.quantity} × ${item.product_name}`)}
      run={(_, { idempotencyKey }) =>
        runAction(props, () =>
          call('PUT', `/v1/orders/${order.id}/fulfillments/physical/items/${item.id}`, {
            body: { status: newStatus },
            idempotencyKey,
          }),
        )
      }
      onDone={() => {
        reportChange(`${title.replace('Mark', 'Marked')}: ${item.product_name}`)
        onClose()
      }}
      onClose={onClose}
    />
  )
}

export function DownloadDialog(props: ActionProps & { readonly file: DownloadPackage }) {
  const { order, file, onClose } = props
  const isRevoking = !file.is_access_revoked
  const who = orderCustomerName(order.customer)
  return (
    <ActionDialog
      title={isRevoking ? `Revoke ${file.name}` : `Give ${file.name} back`}
      verb={isRevoking ? 'Revoke the download' : 'Give the download back'}
      isDangerous={isRevoking}
      says={[
        isRevoking
          ? `${who} can no longer download ${file.name}.`
          : `${who} can download ${file.name} again, by the same link.`,
        'No money moves, and nobody gets a mail.',
      ]}
      run={(_, { idempotencyKey }) =>
        runAction(props, () =>
          call('PUT', `/v1/orders/${order.id}/fulfillments/digital/packages/${file.id}`, {
            body: { is_access_revoked: isRevoking },
            idempotencyKey,
          }),
        )
      }
      onDone={() => {
        reportChange(isRevoking ? `${file.name} revoked` : `${file.name} given back`)
        onClose()
      }}
      onClose={onClose}
    />
  )
}

export function ReceiptDialog(props: ActionProps) {
  const { order, onClose } = props
  return (
    <ActionDialog
      title={`Send the receipt of ${order.customer_reference} again`}
      verb="Send the receipt"
      says={[
        `Mails ${order.customer.email} the receipt${order.has.digital_fulfillment ? ', with the links of the downloads' : ''}.`,
        'No money moves.',
      ]}
      run={(_, { idempotencyKey }) => call('POST', `/v1/orders/${order.id}/receipt`, { idempotencyKey })}
      onDone={() => {
        reportChange(`The receipt is on its way to ${order.customer.email}`)
        onClose()
      }}
      onClose={onClose}
    />
  )
}

type NoteProps = {
  readonly orderId: string
  readonly noteId: string
  readonly text: string
  readonly onClose: () => void
}

export function DeleteNoteDialog({ orderId, noteId, text, onClose }: NoteProps) {
  return (
    <ActionDialog
      title="Delete the note"
      verb="Delete the note"
      isDangerous
      says={[`Deletes “${text.length > 80 ? `${text.slice(0, 80)}…` : text}”.`, 'It cannot be taken back.']}
      run={() => call('DELETE', `/v1/orders/${orderId}/notes/${noteId}`)}
      onDone={() => {
        reportChange('Note deleted')
        onClose()
      }}
      onClose={onClose}
    />
  )
}
