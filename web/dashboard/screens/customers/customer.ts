// What the screens read of a customer, as the API shows it.

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

export const nameOf = ({ firstname, lastname, email }: Customer): string =>
  [firstname, lastname].filter(Boolean).join(' ') || email

/** Where the list was left: the way back leads to the same view. */
export const leftList = { address: '/dashboard/customers' }
