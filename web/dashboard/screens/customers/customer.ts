// Fields of a customer that the screens read, as the API returns them.

import type { Address } from '../orders/order.ts'

export type BookAddress = Address & {
  readonly id: string
  readonly default_shipping: boolean
  readonly default_billing: boolean
}

export type Customer = {
  readonly id: string
  readonly external_id: string | null
  readonly firstname: string | null
  readonly lastname: string | null
  readonly email: string
  readonly phone: string | null
  readonly created: number
  readonly updated: number
}

export const fullCustomerName = ({ firstname, lastname, email }: Customer): string =>
  [firstname, lastname].filter(Boolean).join(' ') || email

/** Address of the list as it was left, so that the way back leads to the same view. */
export const customerListView = { address: '/dashboard/customers' }
