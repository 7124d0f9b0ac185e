// Opens a dialog of an order from anywhere on its page. The page keeps the dialog, because the button may disappear when the order changes.

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { DownloadPackage, FulfillmentItem } from '../../../../../src/api/orders/fulfillment-schema.ts'
import type { Transaction } from '../../../../../src/api/orders/money/schema.ts'
import { Button } from '../../../parts/page/button.tsx'
import { useMay } from '../../../session.tsx'

export type OrderDialogRequest =
  | { readonly name: 'ship' | 'refund' | 'cancel' | 'receipt' | 'edit' }
  | { readonly name: 'pay' | 'release'; readonly charge: Transaction }
  | { readonly name: 'item'; readonly item: FulfillmentItem; readonly newStatus: FulfillmentItem['status'] }
  | { readonly name: 'download'; readonly file: DownloadPackage }

export const OpenOrderDialog = createContext<(request: OrderDialogRequest) => void>(() => undefined)

/** Operation that the user must be allowed to do. */
const PERMISSIONS: Readonly<Record<OrderDialogRequest['name'], string>> = {
  ship: 'orders.create_shipment',
  refund: 'orders.refund',
  cancel: 'orders.cancel',
  receipt: 'orders.resend_receipt',
  edit: 'orders.update',
  pay: 'orders.update_transaction',
  release: 'orders.update_transaction',
  item: 'orders.update_item',
  download: 'orders.update_package',
}

/** `opens({ name: 'cancel' })` says what an entry of a menu does. */
export function useOrderDialogs() {
  const open = useContext(OpenOrderDialog)
  return (request: OrderDialogRequest) => ({ permission: PERMISSIONS[request.name], onPress: () => open(request) })
}

type Props = Omit<Parameters<typeof Button>[0], 'onClick'> & { readonly opens: OrderDialogRequest }

/** `<OrderDialogButton opens={{ name: 'refund' }}>Refund</OrderDialogButton>`, if the user may do it. */
export function OrderDialogButton({ opens, ...button }: Props) {
  const { permission, onPress } = useOrderDialogs()(opens)
  const may = useMay()
  return may(permission) ? <Button {...button} onClick={onPress} /> : null
}
