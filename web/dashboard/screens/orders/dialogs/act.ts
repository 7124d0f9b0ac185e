// Runs every action on an order. A dialog shows the order as it was when it opened. Before the request, and after a refusal of the API, the
// order is read again. If somebody else has changed it, nothing is sent, and the page says what happened.

import { ApiProblem, call, problemOf } from '../../../api.ts'
import { showToast } from '../../../parts/page/toast.tsx'
import { invalidateQueries, useQuery } from '../../../use-query.ts'
import type { Order } from '../order.ts'

/** Props of the dialog of an action. */
export type ActionProps = {
  /** The order when the dialog opened. */
  readonly order: Order
  readonly onClose: () => void
  /** Called if somebody else was faster. `refusal`: message of the API, if any. */
  readonly onOvertaken: (refusal: string | null) => void
}

/** Everything an action depends on. Links are left out, because they are signed anew each time. */
const snapshotOf = ({ updated, status, status_payment, status_fulfillment, order, transactions, fulfillment }: Order) =>
  JSON.stringify([
    updated,
    status,
    status_payment,
    status_fulfillment,
    order.total_refundable.raw,
    transactions.map(({ id, status: standing }) => [id, standing]),
    fulfillment.physical.items.map(({ id, status: standing, quantity_fulfilled }) => [
      id,
      standing,
      quantity_fulfilled,
    ]),
  ])

const hasChanged = async (order: Order): Promise<boolean> =>
  snapshotOf(await call<Order>('GET', `/v1/orders/${order.id}`)) !== snapshotOf(order)

/** Sends the action once, and only if the order is still as the dialog shows it. */
export async function runAction<T>({ order, onOvertaken }: ActionProps, send: () => Promise<T>): Promise<T> {
  if (await hasChanged(order)) {
    onOvertaken(null)
    throw new ApiProblem('The order has changed meanwhile.')
  }
  try {
    return await send()
  } catch (error) {
    const problem = problemOf(error)
    const isOvertaken = problem.status === 409 || (problem.status > 403 && (await hasChanged(order)))
    // The page explains a wrong `expected_left` in its own words.
    if (isOvertaken) onOvertaken(problem.message.startsWith('expected_left') ? null : problem.message)
    throw problem
  }
}

/** After a change of an order: drops cached data about orders and shows a message. */
export function reportChange(text: string) {
  invalidateQueries('/v1/orders', '/v1/customers', '/v1/reports')
  showToast(text)
}

type CustomerMails = {
  readonly shipments?: boolean
  readonly refunds?: boolean
  readonly cancellations?: boolean
}

/** Sentence about the mail that an action sends. Empty while the setting is unknown. */
export function useMailSentence(kind: keyof CustomerMails, email: string, what: string): readonly string[] {
  const { data } = useQuery<{ notifications?: { customer: CustomerMails } }>('/v1/merchants')
  const isSent = data?.notifications?.customer[kind]
  if (isSent === undefined) return []
  return [isSent ? `Mails ${email} ${what}.` : `Mails nobody: mails about ${kind} are switched off.`]
}
