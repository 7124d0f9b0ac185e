// The rules of customers' addresses: at most one is the default for shipping and one for billing. A change of one is a change of its
// customer, and told as such.

import type { Tx } from '../../db/db.ts'
import { emit } from '../../events/emit.ts'
import type { Clock } from '../../lib/clock.ts'
import { type FieldErrors, notFound, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { metaProblem, sentOr } from '../../lib/json.ts'
import {
  type AddressColumns,
  clearOtherDefaults,
  deleteAddressRow,
  findAddress,
  insertAddress,
  updateAddressRow,
} from './address-store.ts'
import { getCustomer, viewAddress } from './customer.ts'
import { changedAddress, countryProblem, NO_ADDRESS } from './postal-address.ts'
import type { AddressChanges, CustomerAddress } from './schema.ts'
import { type CustomerScope, touchCustomer } from './store.ts'

const MOST = 100

const BLANK: AddressColumns = { ...NO_ADDRESS, default_shipping: false, default_billing: false }

export async function createAddress(
  tx: Tx,
  clock: Clock,
  caller: CustomerScope,
  customerId: string,
  body: AddressChanges,
): Promise<CustomerAddress> {
  const now = clock.now()
  const columns = merged(BLANK, body)
  const id = newId('address', now)
  await takeCustomer(tx, caller, customerId, now)
  await makeWay(tx, caller, customerId, id, columns, now)
  const row = await insertAddress(tx, caller.merchantId, customerId, id, columns, MOST, now)
  if (row === null)
    throw notValid({ addresses: [`addresses must be at most ${MOST} for each customer. Delete one first.`] })
  await tellCustomer(tx, caller, customerId, now)
  return viewAddress(row)
}

export async function updateAddress(
  tx: Tx,
  clock: Clock,
  caller: CustomerScope,
  customerId: string,
  id: string,
  body: AddressChanges,
): Promise<CustomerAddress> {
  const now = clock.now()
  await takeCustomer(tx, caller, customerId, now)
  const current = await findAddress(tx, caller, customerId, id)
  if (!current?.address) throw notFound('address')
  const columns = merged(current.address, body)
  await makeWay(tx, caller, customerId, id, columns, now)
  const row = await updateAddressRow(tx, caller.merchantId, customerId, id, columns, now)
  await tellCustomer(tx, caller, customerId, now)
  return viewAddress(row)
}

export async function deleteAddress(
  tx: Tx,
  clock: Clock,
  caller: CustomerScope,
  customerId: string,
  id: string,
): Promise<void> {
  const now = clock.now()
  await takeCustomer(tx, caller, customerId, now)
  if ((await deleteAddressRow(tx, caller.merchantId, customerId, id)) === 0) throw notFound('address')
  await tellCustomer(tx, caller, customerId, now)
}

async function takeCustomer(tx: Tx, caller: CustomerScope, id: string, now: Date) {
  if (!(await touchCustomer(tx, caller, id, now))) throw notFound('customer')
}

async function makeWay(
  tx: Tx,
  { merchantId }: CustomerScope,
  customerId: string,
  id: string,
  columns: AddressColumns,
  now: Date,
) {
  if (columns.default_shipping || columns.default_billing)
    await clearOtherDefaults(tx, merchantId, customerId, id, columns, now)
}

async function tellCustomer(tx: Tx, caller: CustomerScope, id: string, now: Date) {
  await emit(tx, caller, 'customers.update', await getCustomer({ db: tx, caller }, id), now)
}

/** What the address becomes: fields sent replace, fields left out stay. */
function merged(current: AddressColumns, body: AddressChanges): AddressColumns {
  const malformed: FieldErrors = {}
  const country = countryProblem('country', body)
  if (country !== null) malformed.country = [country]
  const problem = metaProblem(body.meta)
  if (problem) malformed.meta = [problem]
  if (Object.keys(malformed).length > 0) throw unprocessable(malformed)
  return {
    ...changedAddress(current, body),
    default_shipping: sentOr(body.default_shipping, current.default_shipping),
    default_billing: sentOr(body.default_billing, current.default_billing),
  }
}
