// Opens a dialog of an order from anywhere on its page. The page keeps the dialog, because the button may disappear when the order changes.

import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { Button } from '../../../parts/page/button.tsx'
import { useMay } from '../../../session.tsx'
import type { DrawOrderDialog } from './all-dialogs.tsx'

export const OpenOrderDialog = createContext<(draw: DrawOrderDialog) => void>(() => undefined)

type Props = Omit<Parameters<typeof Button>[0], 'onClick'> & {
  /** Operation that the user must be allowed to do; otherwise there is no button. */
  readonly permission: string
  readonly opens: DrawOrderDialog
}

/** `<OrderDialogButton permission="orders.refund" opens={({ RefundDialog }, props) => <RefundDialog {...props} />}>Refund</OrderDialogButton>` */
export function OrderDialogButton({ permission, opens, ...button }: Props) {
  const open = useContext(OpenOrderDialog)
  const may = useMay()
  return may(permission) ? <Button {...button} onClick={() => open(opens)} /> : null
}
