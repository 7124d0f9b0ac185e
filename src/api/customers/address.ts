// The rules of customers' addresses: at most one is the default for shipping, and one for billing. Each change emits an update event of the
// customer.

import type { Tx } from '../../db/db.ts'
import type { RowPage } from '../../db/records.ts'
import { emit } from '../../events/emit.ts'
import type { Caller, Context } from '../../http/endpoint/endpoint.ts'
import { cardNumberErrors } from '../../lib/credentials/card-numbers.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { metaErrors, newOrCurrent } from '../../lib/json.ts'
import type { PageQuery } from '../../lib/page.ts'
import { Problems } from '../../lib/problems.ts'
import type { Precondition } from '../context.ts'
import {
  type AddressColumns,
  type AddressKey,
  type AddressRow,
  clearOtherDefaults,
  deleteAddressRow,
  findAddress,
  insertAddress,
  listAddresses,
  updateAddressRow,
} from './address-store.ts'
import { countChange, getCustomer, noCustomerError, viewAddress } from './customer.ts'
import { findCountryProblem, mergeAddress, NO_ADDRESS } from './postal-address.ts'
import type { AddressChanges, CustomerAddress } from './schema.ts'
import { touchCustomer } from './store.ts'

const MAX_ADDRESSES = 100

const BLANK: AddressColumns = { ...NO_ADDRESS, default_shipping: false, default_billing: false }

type AddressContext = Precondition & Pick<Context, 'db' | 'clock' | 'caller'>

export async function readCustomerAddresses(
  { db, caller }: AddressContext,
  customerId: string,
  page: PageQuery,
): Promise<RowPage<AddressRow>> {
  const addresses = await listAddresses(db, caller, customerId, page)
  if (addresses === null) throw noCustomerError(caller)
  return addresses
}

/** Null if the customer has no such address. */
export async function readCustomerAddress(
  { db, caller }: AddressContext,
  customerId: string,
  id: string,
): Promise<AddressRow | null> {
  const result = await findAddress(db, caller, customerId, id)
  if (result === null) throw noCustomerError(caller)
  return result.address
}

export async function createAddress(
  context: AddressContext,
  customerId: string,
  body: AddressChanges,
): Promise<CustomerAddress> {
  const columns = mergeChanges(BLANK, body)
  return changeAddresses(context, customerId, async (tx, caller, now) => {
    const key = { customerId, id: newId('address', now) }
    await clearOtherDefaultsFor(tx, caller, key, columns, now)
    const row = await insertAddress(tx, caller, key, columns, MAX_ADDRESSES, now)
    if (row === null)
      throw notValid({
        addresses: [`addresses must have at most ${MAX_ADDRESSES} entries for each customer. Delete one first.`],
      })
    return viewAddress(row)
  })
}

export const updateAddress = (
  context: AddressContext,
  customerId: string,
  id: string,
  body: AddressChanges,
): Promise<CustomerAddress> =>
  changeAddresses(context, customerId, async (tx, caller, now) => {
    const current = await findAddress(tx, caller, customerId, id)
    if (!current?.address) throw notFound('address')
    await context.refuseIfChanged?.(tx)
    const columns = mergeChanges(current.address, body)
    await clearOtherDefaultsFor(tx, caller, { customerId, id }, columns, now)
    return viewAddress(await updateAddressRow(tx, caller, { customerId, id }, columns, now))
  })

export const deleteAddress = (context: AddressContext, customerId: string, id: string): Promise<void> =>
  changeAddresses(context, customerId, async (tx, caller) => {
    if ((await deleteAddressRow(tx, caller, { customerId, id })) === 0) throw notFound('address')
  })

/** Runs `work` with the customer locked, and emits an event of the updated customer. */
const changeAddresses = <T>(
  { db, clock, caller }: AddressContext,
  customerId: string,
  work: (tx: Tx, caller: Caller, now: Date) => Promise<T>,
): Promise<T> => {
  const now = clock.now()
  return db.transaction(async (tx) => {
    if (!(await touchCustomer(tx, caller, customerId, now))) throw noCustomerError(caller)
    // Each change is stored as an event, so customers have a limit.
    await countChange(tx, caller, customerId, now)
    const result = await work(tx, caller, now)
    await emit(tx, caller, 'customers.update', await getCustomer({ db: tx, caller }, customerId), now)
    return result
  })
}

async function clearOtherDefaultsFor(tx: Tx, caller: Caller, key: AddressKey, columns: AddressColumns, now: Date) {
  if (columns.default_shipping || columns.default_billing) await clearOtherDefaults(tx, caller, key, columns, now)
}

/** Merges the sent fields into the current ones. */
function mergeChanges(current: AddressColumns, body: AddressChanges): AddressColumns {
  const problems = new Problems()
  const country = findCountryProblem('country', body)
  if (country !== null) problems.malformedAs({ country: [country] })
  const { meta, ...texts } = body
  for (const errors of [metaErrors(meta), ...Object.entries(texts).map(([name, text]) => cardNumberErrors(text, name))])
    if (errors !== null) problems.malformedAs(errors)
  problems.throwIfAny()
  return {
    ...mergeAddress(current, body),
    default_shipping: newOrCurrent(body.default_shipping, current.default_shipping),
    default_billing: newOrCurrent(body.default_billing, current.default_billing),
  }
}
