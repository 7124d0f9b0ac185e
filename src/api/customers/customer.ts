// The rules of customers: one for each e-mail address, merchant and mode, and what a change of that address means.

import { isDeepStrictEqual } from 'node:util'
import { type Db, type Tx, violates } from '../../db/db.ts'
import { emit } from '../../events/emit.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { metaErrors, sentOr } from '../../lib/json.ts'
import { Problems } from '../../lib/problems.ts'
import { emailRule, readEmail } from '../../lib/text.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { takeFromLimits } from '../../limits/requests.ts'
import type { Conditional } from '../context.ts'
import type { AddressRow, CustomerScope } from './address-store.ts'
import { sessionOver } from './login/session.ts'
import { viewPostalAddress } from './postal-address.ts'
import type { Customer, CustomerAddress, CustomerChanges, NewCustomer } from './schema.ts'
import {
  type CustomerColumns,
  type CustomerRow,
  deleteCustomerRow,
  type EmailProof,
  emailKey,
  findCustomer,
  insertCustomer,
  type LockedCustomer,
  lockCustomer,
  type StoredCustomer,
  updateCustomerRow,
  vouchForEmail,
} from './store.ts'

type CustomerContext = Conditional & Pick<Services, 'db' | 'clock'> & { readonly caller: CustomerScope }

/** Also of a customer that was changed a moment ago, in the same transaction. */
export async function getCustomer(
  { db, caller }: { readonly db: Db; readonly caller: CustomerScope },
  id: string,
): Promise<Customer> {
  const row = await findCustomer(db, caller, id)
  if (row === null) throw noCustomer(caller)
  return viewCustomer(row)
}

/** A session outlives neither its customer nor the moment from which on older ones are over; to a key there is no such customer. */
export const noCustomer = ({ session }: Pick<CustomerScope, 'session'>) =>
  session === null ? notFound('customer') : sessionOver()

const BLANK: CustomerColumns = {
  email: '',
  firstname: null,
  lastname: null,
  phone: null,
  external_id: null,
  meta: null,
}

export function createCustomer({ db, clock, caller }: CustomerContext, body: NewCustomer): Promise<Customer> {
  return db.transaction(async (tx) => {
    const columns = merge(BLANK, body)
    const now = clock.now()
    const row = await insertCustomer(tx, caller, newId('customer', now), columns, now)
    if (row === null) throw emailTaken()
    const created = viewNewCustomer(row)
    await emit(tx, caller, 'customers.create', created, now)
    return created
  })
}

export async function updateCustomer(context: CustomerContext, id: string, body: CustomerChanges): Promise<Customer> {
  await countEmailTry(context, id, body.email)
  const { db, clock, caller } = context
  return db.transaction(async (tx) => {
    const current = await lockCustomer(tx, caller, id)
    if (current === null) throw noCustomer(caller)
    await context.refuseIfChanged?.(tx)
    const now = clock.now()
    const columns = merge(current, body)
    // Storefronts send the whole form again: what changes nothing is not written, told or counted.
    if (isSame(current, columns)) return getCustomer({ db: tx, caller }, id)
    await countChange(tx, caller, id, now)
    const proof = proofOf(current, columns.email, caller, now)
    const updated = viewCustomer(await refuseTakenEmail(updateCustomerRow(tx, caller, id, columns, proof, now)))
    if (proof.isVouchedFor) await vouchForEmail(tx, caller, id, columns.email)
    await emit(tx, caller, 'customers.update', updated, now)
    return updated
  })
}

export function deleteCustomer({ db, clock, caller }: CustomerContext, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    if ((await lockCustomer(tx, caller, id)) === null) throw noCustomer(caller)
    const deleted = viewCustomer(await deleteCustomerRow(tx, caller, id))
    await emit(tx, caller, 'customers.delete', deleted, clock.now())
  })
}

const isSame = (current: CustomerColumns, columns: CustomerColumns): boolean =>
  (Object.keys(columns) as (keyof CustomerColumns)[]).every((field) =>
    isDeepStrictEqual(current[field], columns[field]),
  )

/** More than anybody changes about themselves in an hour. Each is kept as an event, so that without an end it would fill the disk. */
const MOST_CHANGES = 60
const HOUR_MS = 3_600_000

/** The merchant, with the secret key, changes as much as is needed. Throws `tooManyRequests`. */
export async function countChange(tx: Tx, caller: CustomerScope, id: string, now: Date) {
  if (caller.session === null) return
  const limit = { subject: `customer-change ${id}`, most: MOST_CHANGES, windowMs: HOUR_MS }
  await takeFromLimits(tx, caller, [limit], now)
}

/** What the customer becomes: fields sent replace, fields left out stay. */
function merge(current: CustomerColumns, body: CustomerChanges): CustomerColumns {
  const problems = new Problems()
  const email = body.email === undefined ? current.email : readEmail(body.email)
  if (email === null) problems.malformedAs({ email: [emailRule('email')] })
  const errors = metaErrors(body.meta)
  if (errors !== null) problems.malformedAs(errors)
  problems.throwIfAny()
  return {
    email: email ?? current.email,
    firstname: sentOr(body.firstname, current.firstname),
    lastname: sentOr(body.lastname, current.lastname),
    phone: sentOr(body.phone, current.phone),
    external_id: sentOr(body.external_id, current.external_id),
    meta: sentOr(body.meta, current.meta),
  }
}

/** The index decides and not a look beforehand: between a look and the write another request, or an order, may take the address. */
async function refuseTakenEmail<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw violates(error, 'customers_email_unique') ? emailTaken() : error
  }
}

const emailTaken = () =>
  notValid(
    { email: ['email is the address of another customer; in upper or lower case it must be unique.'] },
    refusal('email_taken'),
  )

/** Field by field, as the newest version shows it; so too the address below. */
export const viewCustomer = (row: StoredCustomer): Customer => ({
  id: row.id,
  external_id: row.external_id,
  firstname: row.firstname,
  lastname: row.lastname,
  email: row.email,
  phone: row.phone,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
  default_shipping: row.default_shipping && viewAddress(row.default_shipping),
  default_billing: row.default_billing && viewAddress(row.default_billing),
})

/** One that was made just now, and has no addresses yet. */
export const viewNewCustomer = (row: CustomerRow): Customer =>
  viewCustomer({ ...row, default_shipping: null, default_billing: null })

export const viewAddress = (row: AddressRow): CustomerAddress => ({
  id: row.id,
  ...viewPostalAddress(row),
  default_shipping: row.default_shipping,
  default_billing: row.default_billing,
  created: row.created,
  updated: row.updated,
})

// A change of the e-mail address: how often a customer may try one, and when it counts as the customer's own.

const MOST_TRIES = 10

/**
 * Each try tells a customer whether the address is somebody's, and takes it from whoever it belongs to. Counted before the change and in
 * a transaction of its own, so that one that is then refused has counted. Throws `tooManyRequests`.
 */
async function countEmailTry({ db, clock, caller }: CustomerContext, id: string, email: string | undefined) {
  const address = email === undefined ? null : readEmail(email)
  if (caller.session === null || address === null) return
  const current = await findCustomer(db, caller, id)
  // Storefronts send the whole form: an address that stays as it is tells nothing.
  if (current === null || emailKey(address) === emailKey(current.email)) return
  const limit = { subject: `email-change ${id}`, most: MOST_TRIES, windowMs: HOUR_MS }
  const excess = { field: 'email', code: 'too_many_email_changes' } as const
  await db.transaction((tx) => takeFromLimits(tx, caller, [limit], clock.now(), excess))
}

/**
 * Orders are matched by their address, so whoever takes somebody else's would be shown what that person buys from then on. A customer
 * may change the address all the same, but orders made under it are not shown to a session until a link mailed to it is used. Which
 * orders these are is written into each when it is made (`unproven_email_key`) and not derived from times or addresses, which change.
 * The merchant, who changes it with the secret key, vouches for the new one, and may be giving the account back to its owner: whoever
 * is logged in is logged out. Sending the same address again vouches for nothing, as forms send whatever they have been given.
 */
function proofOf(current: LockedCustomer, email: string, { session }: CustomerScope, now: Date): EmailProof {
  const { is_email_proven, sessions_from } = current
  if (emailKey(email) === current.email_key) return { is_email_proven, sessions_from, isVouchedFor: false }
  if (session !== null) return { is_email_proven: false, sessions_from, isVouchedFor: false }
  return { is_email_proven: true, sessions_from: now, isVouchedFor: true }
}
