// How every action of an order goes out. The dialog shows the order as it was when it opened; before anything is sent, and again where the API
// refuses, the order is looked at anew: where somebody else has changed it meanwhile nothing is done, and the page says what has happened.

import { ApiProblem, call, problemOf } from '../../../api.ts'
import { say } from '../../../parts/toast.tsx'
import { drop, useQuery } from '../../../use-query.ts'
import type { Order } from '../order.ts'

/** What a dialog of an action is given. */
export type ActionProps = {
  /** As it was when the dialog opened. */
  readonly order: Order
  readonly onClose: () => void
  /** Somebody else was faster. `refusal`: what the API said to it, if anything. */
  readonly onOvertaken: (refusal: string | null) => void
}

/** All that an action depends on, and no links, which are signed anew each time. */
const standingOf = ({ updated, status, status_payment, status_fulfillment, order, transactions, fulfillment }: Order) =>
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

const hasMoved = async (order: Order): Promise<boolean> =>
  standingOf(await call<Order>('GET', `/v1/orders/${order.id}`)) !== standingOf(order)

/** Sends it once, and only if the order is still as the dialog shows it. */
export async function act<T>({ order, onOvertaken }: ActionProps, send: () => Promise<T>): Promise<T> {
  if (await hasMoved(order)) {
    onOvertaken(null)
    throw new ApiProblem('The order has changed meanwhile.')
  }
  try {
    return await send()
  } catch (thrown) {
    const problem = problemOf(thrown)
    const isOvertaken = problem.status === 409 || (problem.status > 403 && (await hasMoved(order)))
    // What is not as expected is said by the page in its own words.
    if (isOvertaken) onOvertaken(problem.message.startsWith('expected_left') ? null : problem.message)
    throw problem
  }
}

/** After a change of an order: whatever shows orders is asked for again. */
export function changed(text: string) {
  drop('/v1/orders', '/v1/customers', '/v1/reports')
  say(text)
}

type CustomerMails = {
  readonly shipments?: boolean
  readonly refunds?: boolean
  readonly cancellations?: boolean
}

/** The sentence about the mail that goes with an action; none where it is not known whether one does. */
export function useMailSentence(kind: keyof CustomerMails, email: string, what: string): readonly string[] {
  const { data } = useQuery<{ notifications?: { customer: CustomerMails } }>('/v1/merchants')
  const isSent = data?.notifications?.customer[kind]
  if (isSent === undefined) return []
  return [isSent ? `Mails ${email} ${what}.` : `Mails nobody: mails about ${kind} are switched off.`]
}
