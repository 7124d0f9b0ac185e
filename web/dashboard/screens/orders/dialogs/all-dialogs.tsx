// Every dialog of an order, loaded when the first of them opens.

import type { DownloadPackage, Item, Order, Transaction } from '../order.ts'
import type { ActionProps } from './act.ts'
import { CancelDialog } from './cancel.tsx'
import { DownloadDialog, ItemDialog, type ItemStatusChange, ReceiptDialog } from './confirmations.tsx'
import { EditDialog } from './edit.tsx'
import { PaymentDialog, ReleaseDialog } from './payment.tsx'
import { RefundDialog } from './refund.tsx'
import { ShipDialog } from './ship.tsx'

/** The dialog that is open above the page. */
export type OrderDialogRequest =
  | { readonly name: 'ship' | 'refund' | 'cancel' | 'receipt' | 'edit' }
  | { readonly name: 'pay' | 'release'; readonly charge: Transaction }
  | { readonly name: 'item'; readonly item: Item; readonly newStatus: ItemStatusChange }
  | { readonly name: 'download'; readonly file: DownloadPackage }

/** A dialog with the order as it was when it opened, so that its text does not change while somebody reads it. */
export type OpenOrderDialog = { readonly request: OrderDialogRequest; readonly order: Order }

type OrderDialogsProps = Omit<ActionProps, 'order'> & { readonly open: OpenOrderDialog }

export function OrderDialogs({ open: { request, order }, ...ends }: OrderDialogsProps) {
  const props = { order, ...ends }
  switch (request.name) {
    case 'ship':
      return <ShipDialog {...props} />
    case 'refund':
      return <RefundDialog {...props} />
    case 'cancel':
      return <CancelDialog {...props} />
    case 'receipt':
      return <ReceiptDialog {...props} />
    case 'edit':
      return <EditDialog order={order} onClose={ends.onClose} />
    case 'pay':
      return <PaymentDialog {...props} charge={request.charge} />
    case 'release':
      return <ReleaseDialog {...props} charge={request.charge} />
    case 'item':
      return <ItemDialog {...props} item={request.item} newStatus={request.newStatus} />
    case 'download':
      return <DownloadDialog {...props} file={request.file} />
  }
}
