// The rules of customers: one per e-mail address, merchant and mode, and the consequences of a changed address.

import { isDeepStrictEqual } from 'node:util'
import { type Db, type Tx, violatesConstraint } from '../../db/db.ts'
import { emit } from '../../events/emit.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import { notFound, notValid } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { metaErrors, newOrCurrent } from '../../lib/json.ts'
import { Problems } from '../../lib/problems.ts'
import { emailRule, readEmail } from '../../lib/text.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { countAgainstLimits } from '../../limits/requests.ts'
import type { Precondition } from '../context.ts'
import type { AddressRow, CustomerScope } from './address-store.ts'
import { sessionOverError } from './login/session.ts'
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

type CustomerContext = Precondition & Pick<Services, 'db' | 'clock'> & { readonly caller: CustomerScope }

/** Also works in a transaction that has just changed the customer. */
export async function getCustomer(
  { db, caller }: { readonly db: Db; readonly caller: CustomerScope },
  id: string,
): Promise<Customer> {
  const row = await findCustomer(db, caller, id)
  if (row === null) throw noCustomerError(caller)
  return viewCustomer(row)
}

/** A session ends with its customer, or when it is revoked, so it gets a 401. A key gets a 404. */
export const noCustomerError = ({ session }: Pick<CustomerScope, 'session'>) =>
  session === null ? notFound('customer') : sessionOverError()

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
    const columns = mergeChanges(BLANK, body)
    const now = clock.now()
    const row = await insertCustomer(tx, caller, newId('customer', now), columns, now)
    if (row === null) throw emailTakenError()
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
    if (current === null) throw noCustomerError(caller)
    await context.refuseIfChanged?.(tx)
    const now = clock.now()
    const columns = mergeChanges(current, body)
    // Storefronts send the whole form. A form without changes writes nothing, emits no event and does not count.
    if (isSame(current, columns)) return getCustomer({ db: tx, caller }, id)
    await countChange(tx, caller, id, now)
    const proof = proofAfterChange(current, columns.email, caller, now)
    const updated = viewCustomer(await translateTakenEmail(updateCustomerRow(tx, caller, id, columns, proof, now)))
    if (proof.isVouchedFor) await vouchForEmail(tx, caller, id, columns.email)
    await emit(tx, caller, 'customers.update', updated, now)
    return updated
  })
}

export function deleteCustomer({ db, clock, caller }: CustomerContext, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    if ((await lockCustomer(tx, caller, id)) === null) throw noCustomerError(caller)
    const deleted = viewCustomer(await deleteCustomerRow(tx, caller, id))
    await emit(tx, caller, 'customers.delete', deleted, clock.now())
  })
}

const isSame = (current: CustomerColumns, columns: CustomerColumns): boolean =>
  (Object.keys(columns) as (keyof CustomerColumns)[]).every((field) =>
    isDeepStrictEqual(current[field], columns[field]),
  )

/** More changes than anybody makes in an hour. Each is stored as an event, so without a limit they would fill the disk. */
const MAX_CHANGES = 60
const HOUR_MS = 3_600_000

/** Counts a change by a customer; the secret key has no limit. Throws `tooManyRequests`. */
export async function countChange(tx: Tx, caller: CustomerScope, id: string, now: Date) {
  if (caller.session === null) return
  const limit = { subject: `customer-change ${id}`, most: MAX_CHANGES, windowMs: HOUR_MS }
  await countAgainstLimits(tx, caller, [limit], now)
}

/** Merges the sent fields into the current ones. */
function mergeChanges(current: CustomerColumns, body: CustomerChanges): CustomerColumns {
  const problems = new Problems()
  const email = body.email === undefined ? current.email : readEmail(body.email)
  if (email === null) problems.malformedAs({ email: [emailRule('email')] })
  const errors = metaErrors(body.meta)
  if (errors !== null) problems.malformedAs(errors)
  problems.throwIfAny()
  return {
    email: email ?? current.email,
    firstname: newOrCurrent(body.firstname, current.firstname),
    lastname: newOrCurrent(body.lastname, current.lastname),
    phone: newOrCurrent(body.phone, current.phone),
    external_id: newOrCurrent(body.external_id, current.external_id),
    meta: newOrCurrent(body.meta, current.meta),
  }
}

/** Relies on the unique index. A check before the write could miss a concurrent request or order that takes the address. */
async function translateTakenEmail<T>(write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    throw violatesConstraint(error, 'customers_email_unique') ? emailTakenError() : error
  }
}

const emailTakenError = () =>
  notValid(
    { email: ['email belongs to another customer; it must be unique, regardless of case.'] },
    refusal('email_taken'),
  )

/** Lists the fields of the newest API version one by one, as does the address view below. */
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

/** A new customer without addresses. */
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

// Changes of the e-mail address: a limit on tries, and when the address counts as proven.

const MAX_TRIES = 10

/**
 * Limits tries of e-mail addresses, because each try reveals whether an address has an account and occupies the address. Counted before the
 * change in its own transaction, so that refused changes count, too. Throws `tooManyRequests`.
 */
async function countEmailTry({ db, clock, caller }: CustomerContext, id: string, email: string | undefined) {
  const address = email === undefined ? null : readEmail(email)
  if (caller.session === null || address === null) return
  const current = await findCustomer(db, caller, id)
  // Storefronts send the whole form. An unchanged address reveals nothing.
  if (current === null || emailKey(address) === emailKey(current.email)) return
  const limit = { subject: `email-change ${id}`, most: MAX_TRIES, windowMs: HOUR_MS }
  const excess = { field: 'email', code: 'too_many_email_changes' } as const
  await db.transaction((tx) => countAgainstLimits(tx, caller, [limit], clock.now(), excess))
}

/**
 * Decides whether a new address counts as proven.
 * Orders are matched by address, so a customer with somebody else's address could see that person's new orders. Customers may still change
 * it, but a session does not see orders made with the new address until a mailed link is used. Each order stores this at creation
 * (`unproven_email_key`), because times and addresses change later.
 * A merchant who changes the address with the secret key vouches for it. This may return the account to its owner, so all sessions end.
 * Sending the same address again vouches for nothing, because forms send unchanged fields.
 */
function proofAfterChange(current: LockedCustomer, email: string, { session }: CustomerScope, now: Date): EmailProof {
  const { is_email_proven, sessions_from } = current
  if (emailKey(email) === current.email_key) return { is_email_proven, sessions_from, isVouchedFor: false }
  if (session !== null) return { is_email_proven: false, sessions_from, isVouchedFor: false }
  return { is_email_proven: true, sessions_from: now, isVouchedFor: true }
}
