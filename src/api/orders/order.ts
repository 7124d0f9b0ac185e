// What a merchant changes of an order itself: who gets it, and the data of the merchant's own.

import type { Tx } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { emailRule, readEmail } from '../../lib/email.ts'
import { type FieldErrors, unprocessable } from '../../lib/errors.ts'
import { sentOr } from '../../lib/partial-update.ts'
import { changedAddress, countryProblem, NO_ADDRESS, type PostalChanges } from '../customers/postal-address.ts'
import type { OrderChanges } from './body-schema.ts'
import type { Address } from './draft.ts'
import type { OrderOwner } from './links.ts'
import type { Order } from './schema.ts'
import { updateOrderRow } from './store.ts'
import { changed, takeOrder, tellOrder } from './writer.ts'

export async function updateOrder(
  tx: Tx,
  clock: Clock,
  owner: OrderOwner,
  id: string,
  body: OrderChanges,
): Promise<Order> {
  const row = await takeOrder(tx, owner, id)
  const malformed: FieldErrors = {}
  const { customer = {} } = body
  const email = customer.email === undefined ? row.email : readEmail(customer.email)
  if (email === null) malformed['customer.email'] = [emailRule('customer.email')]
  const fields = {
    email: email ?? row.email,
    firstname: sentOr(customer.firstname, row.firstname),
    lastname: sentOr(customer.lastname, row.lastname),
    phone: sentOr(customer.phone, row.phone),
    shipping_address: merged('shipping', row.shipping_address, body.shipping, malformed),
    billing_address: merged('billing', row.billing_address, body.billing, malformed),
    meta: sentOr(body.meta, row.meta),
  }
  if (Object.keys(malformed).length > 0) throw unprocessable(malformed)
  const now = clock.now()
  await updateOrderRow(tx, row, fields, now)
  return tellOrder(tx, owner, 'orders.update', changed(row, fields, now), now)
}

/** Fields that are sent replace, those left out stay. */
function merged(
  field: 'shipping' | 'billing',
  current: Address | null,
  body: PostalChanges | null | undefined,
  malformed: FieldErrors,
): Address | null {
  if (body === undefined) return current
  if (body === null) return null
  const country = countryProblem(`${field}.country`, body)
  if (country !== null) malformed[`${field}.country`] = [country]
  return changedAddress(current ?? NO_ADDRESS, body)
}
