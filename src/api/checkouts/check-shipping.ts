// Which shipping methods there are for a place, and choosing one of them.

import type { Static } from 'typebox'
import { missingParameter } from '../../lib/errors.ts'
import { priceOf } from '../../lib/money.ts'
import type { ShippingCheck, ShippingQuery } from './check-schema.ts'
import { ALREADY_ORDERED, type Checking, readCheckout, showLive, tokenAt } from './checkout.ts'
import { saveShipping } from './choice-store.ts'
import { viewShippingOption } from './live-view.ts'
import { hasToBeShipped, type NamedPlace, NO_SUCH_COUNTRY, readPlace } from './place.ts'
import { methodsFor, priceCheckout } from './price.ts'
import type { ShippingOption } from './schema.ts'

/** Asking chooses nothing. */
export async function listShippingOptions(
  checking: Checking,
  id: string,
  named: NamedPlace,
): Promise<ShippingOption[]> {
  const { methods } = priceCheckout(await readCheckout(checking, id))
  const place = readPlace(named)
  if (place === null) return []
  return methodsFor(methods, place).map((method) => viewShippingOption(method, checking.caller.currency))
}

export async function checkShipping(
  checking: Checking,
  id: string,
  query: Static<typeof ShippingQuery>,
): Promise<Static<typeof ShippingCheck>> {
  const methodId = query.shipping_option_id ?? query.id
  if (methodId === undefined) throw missingParameter('shipping_option_id')
  const place = readPlace(query)
  const before = await readCheckout(checking, id)
  const refuse = async (message: string, row = before) => ({
    valid: false,
    message,
    live: await showLive(checking, row),
  })
  if (place === null) return refuse(NO_SUCH_COUNTRY)
  if (!hasToBeShipped(before)) return refuse('Nothing of this checkout is to be shipped.')
  if (!methodsFor(priceCheckout(before).methods, place).some((method) => method.id === methodId))
    return refuse(NOT_OFFERED)

  const isSaved = await saveShipping(checking.db, tokenAt(checking, id), { ...place, methodId })
  const row = await readCheckout(checking, id)
  if (!isSaved) return refuse(ALREADY_ORDERED, row)
  const { method } = priceCheckout(row)
  // A line that grew meanwhile may have outgrown the method, which then counts as none.
  if (method?.id !== methodId) return refuse(NOT_OFFERED, row)
  const { description, price } = method
  const live = await showLive(checking, row)
  return { valid: true, id: methodId, description, price: priceOf(price, checking.caller.currency), live }
}

const NOT_OFFERED = 'This shipping method is not offered for what is bought and where it goes.'
