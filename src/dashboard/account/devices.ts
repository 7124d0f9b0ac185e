// Browsers in which accounts have logged in. A cookie holds one random id per account, and the table stores the hashes. We create an id
// only after a successful login, so an id that a browser makes up is never known.

import { hash, randomBytes } from 'node:crypto'
import type { Db, Shop, Tx } from '../../db/db.ts'
import type { DashboardRequest } from '../../http/session/routes.ts'
import { findKnownDevices, saveDevice } from '../session-store.ts'

const BYTES = 32
const FORM = /^[\w-]{43}$/
/** Ids kept in one browser, newest first. */
const MAX_IDS = 5

const hashOf = (id: string): Buffer => hash('sha256', id, 'buffer')

const idsIn = (request: DashboardRequest): string[] =>
  (request.cookie('devices') ?? '')
    .split('.')
    .filter((id) => FORM.test(id))
    .slice(0, MAX_IDS)

/** Hash of the browser's id if the account has logged in there before, else null. */
export async function findKnownBrowser(
  db: Db,
  shop: Shop,
  accountId: string,
  request: DashboardRequest,
): Promise<Buffer | null> {
  const ids = idsIn(request)
  if (ids.length === 0) return null
  const [device] = await findKnownDevices(db, shop, accountId, ids.map(hashOf))
  return device?.device_hash ?? null
}

/** `knownHash`: result of `findKnownBrowser`. If it is null, the browser gets a new id beside those of its other accounts. */
export async function rememberBrowser(
  tx: Tx,
  { merchant_id, accountId }: Shop & { accountId: string },
  request: DashboardRequest,
  knownHash: Buffer | null,
  now: Date,
): Promise<void> {
  const ids = idsIn(request)
  const id = knownHash === null ? randomBytes(BYTES).toString('base64url') : null
  await saveDevice(tx, { merchant_id }, accountId, id === null ? (knownHash as Buffer) : hashOf(id), now)
  request.setCookie('devices', (id === null ? ids : [id, ...ids]).slice(0, MAX_IDS).join('.'))
}
