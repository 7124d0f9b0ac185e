// The customer's login. The SDK keeps the customer's token in this browser; the shop ends it after a day.

import { commerce } from './shop.js'

let hasEnded = false

export const isLoggedIn = () => commerce.customer.isLoggedIn()

export function logOut() {
  commerce.customer.logout()
  hasEnded = false
}

/** True if the shop has ended a login since the last call. */
export function takeEnded() {
  const told = hasEnded
  hasEnded = false
  return told
}

/** Returns the result of `ask`, or null if nobody is logged in any more. */
export async function ofCustomer(ask) {
  if (!isLoggedIn()) return null
  try {
    return await ask(commerce.customer)
  } catch (error) {
    if (error?.statusCode !== 401) throw error
    commerce.customer.logout()
    hasEnded = true
    return null
  }
}

/**
 * Returns data to fill in a checkout: the customer, and their saved address, or that of their last order. An error here must not stop a
 * sale.
 */
export async function knownShopper() {
  try {
    return (await ofCustomer(readShopper)) ?? {}
  } catch {
    return {}
  }
}

async function readShopper(api) {
  const [customer, orders] = await Promise.all([api.about(), api.getOrders(null, null, { limit: 5 })])
  const sent = orders.data.find(({ shipping }) => shipping?.street)
  return { customer, address: customer.default_shipping ?? sent?.shipping ?? null }
}
