// Every action on an order. A dialog shows the order as it was when it opened. Before the request, and after a refusal of the API, the
// order is read again. If somebody else has changed it, nothing is sent, and the page says what happened.

import type { Merchant } from '../../../../../src/api/merchants/schema.ts'
import type { Order } from '../../../../../src/api/orders/schema.ts'
import { ApiProblem, call, problemOf } from '../../../api.ts'
import { type Request, sendChange } from '../../../parts/form/change.ts'
import { ActionDialog } from '../../../parts/page/dialog.tsx'
import { useQuery } from '../../../use-query.ts'

export type OrderDialogProps = {
  /** The order when the dialog opened. */
  readonly order: Order
  readonly onClose: () => void
  /** Called if somebody else was faster. `refusal`: message of the API, if any. */
  readonly onOvertaken: (refusal: string | null) => void
}

type OrderActionProps<T> = OrderDialogProps &
  Omit<Parameters<typeof ActionDialog<T>>[0], 'run'> & { readonly request: Request }

/** An `ActionDialog` that sends its request only if the order is still as the dialog shows it. */
export function OrderAction<T>({ order, onOvertaken, ...dialog }: OrderActionProps<T>) {
  return (
    <ActionDialog<T>
      {...dialog}
      run={async (values, options) => {
        if (await hasChanged(order)) {
          onOvertaken(null)
          throw new ApiProblem('The order has changed meanwhile.')
        }
        try {
          return await sendChange<T>({ request: dialog.request }, values, options)
        } catch (error) {
          const problem = problemOf(error)
          const isOvertaken = problem.status === 409 || (problem.status > 403 && (await hasChanged(order)))
          // The page explains a wrong `expected_left` in its own words.
          if (isOvertaken) onOvertaken('expected_left' in problem.errors ? null : problem.message)
          throw problem
        }
      }}
    />
  )
}

const hasChanged = async (order: Order): Promise<boolean> =>
  snapshotOf(await call<Order>('GET', `/v1/orders/${order.id}`)) !== snapshotOf(order)

/** Everything an action depends on. Links are left out, because they are signed anew each time. */
const snapshotOf = (order: Order) =>
  JSON.stringify([
    order.updated,
    order.status,
    order.status_payment,
    order.status_fulfillment,
    order.order.total_refundable.raw,
    order.transactions.map(({ id, status }) => [id, status]),
    order.fulfillment.physical.items.map(({ id, status, quantity_fulfilled }) => [id, status, quantity_fulfilled]),
  ])

type CustomerMails = NonNullable<Merchant['notifications']>['customer']

/** Sentence about the mail that an action sends. Empty while the setting is unknown. */
export function useMailSentence(kind: keyof CustomerMails, email: string, what: string): readonly string[] {
  const { data } = useQuery<Merchant>('/v1/merchants')
  const isSent = data?.notifications?.customer[kind]
  if (isSent === undefined) return []
  return [isSent ? `Mails ${email} ${what}.` : `Mails nobody: mails about ${kind} are switched off.`]
}
