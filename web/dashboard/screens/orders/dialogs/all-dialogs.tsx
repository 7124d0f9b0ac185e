// Every dialog of an order, loaded when the first of them opens.

import type { ComponentChildren } from 'preact'
import { CancelDialog } from './cancel.tsx'
import { DownloadDialog, ItemDialog, ReceiptDialog } from './confirmations.tsx'
import { EditDialog } from './edit.tsx'
import type { OrderDialogProps } from './order-action.tsx'
import { PaymentDialog, ReleaseDialog } from './payment.tsx'
import { RefundDialog } from './refund.tsx'
import { ShipDialog } from './ship.tsx'

const DIALOGS = {
  CancelDialog,
  DownloadDialog,
  EditDialog,
  ItemDialog,
  PaymentDialog,
  ReceiptDialog,
  RefundDialog,
  ReleaseDialog,
  ShipDialog,
}

/** `({ ShipDialog }, props) => <ShipDialog {...props} />` */
export type DrawOrderDialog = (dialogs: typeof DIALOGS, props: OrderDialogProps) => ComponentChildren

type Props = OrderDialogProps & { readonly draw: DrawOrderDialog }

export const OrderDialog = ({ draw, ...props }: Props) => <>{draw(DIALOGS, props)}</>
