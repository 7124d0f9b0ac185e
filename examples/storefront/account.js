// Who is logged in. The SDK keeps the customer's token in this browser; the shop ends it after a day.

import { commerce } from './shop.js'

let hasEnded = false

export const isLoggedIn = () => commerce.customer.isLoggedIn()

export function logOut() {
  commerce.customer.logout()
  hasEnded = false
}

/** Whether the shop has ended a login since it was last asked. */
export function takeEnded() {
  const told = hasEnded
  hasEnded = false
  return told
}

/** What `ask` gives; null where nobody is logged in, or no longer. */
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

/** For filling in a checkout: the customer, and the address in their book, else that of their last order. Never a reason not to sell. */
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
