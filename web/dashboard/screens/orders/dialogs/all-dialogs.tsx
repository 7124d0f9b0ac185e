// Every dialog of an order, loaded when the first of them opens.

import type { ComponentType } from 'preact'
import { CancelDialog } from './cancel.tsx'
import { DownloadDialog, ItemDialog, ReceiptDialog } from './confirmations.tsx'
import { EditDialog } from './edit.tsx'
import type { OrderDialogRequest } from './opening.tsx'
import type { OrderDialogProps } from './order-action.tsx'
import { PaymentDialog, ReleaseDialog } from './payment.tsx'
import { RefundDialog } from './refund.tsx'
import { ShipDialog } from './ship.tsx'

type DialogOf<Request> = ComponentType<OrderDialogProps & Omit<Request, 'name'>>

const DIALOGS: { readonly [Name in OrderDialogRequest['name']]: DialogOf<OrderDialogRequest & { name: Name }> } = {
  ship: ShipDialog,
  refund: RefundDialog,
  cancel: CancelDialog,
  receipt: ReceiptDialog,
  edit: EditDialog,
  pay: PaymentDialog,
  release: ReleaseDialog,
  item: ItemDialog,
  download: DownloadDialog,
}

export function OrderDialog({ request, ...props }: OrderDialogProps & { readonly request: OrderDialogRequest }) {
  const { name, ...subject } = request
  // The table proves that the dialog takes the subject of its request.
  const Dialog = DIALOGS[name] as DialogOf<OrderDialogRequest>
  return <Dialog {...props} {...subject} />
}
