// Browsers that accounts are known in. A cookie holds a few random ids, one for each account that has logged in there; the table has their hashes. An id is
// made by us when somebody has logged in: one that a browser brings along is known only if it was made for that account.

import { hash, randomBytes } from 'node:crypto'
import type { Db, Tx } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import type { RoomRequest } from '../../http/session/routes.ts'
import { keepDevice, knownDevices } from '../session-store.ts'

const BYTES = 32
const FORM = /^[\w-]{43}$/
/** Of one browser, the newest first. */
const MOST = 5

const hashOf = (id: string): Buffer => hash('sha256', id, 'buffer')

const idsIn = (request: RoomRequest): string[] =>
  (request.cookie('devices') ?? '')
    .split('.')
    .filter((id) => FORM.test(id))
    .slice(0, MOST)

/** The hash of the browser's id, where the account has logged in there before. */
export async function knownBrowser(
  db: Db,
  shop: Shop,
  accountId: string,
  request: RoomRequest,
): Promise<Buffer | null> {
  const ids = idsIn(request)
  if (ids.length === 0) return null
  const [known] = await knownDevices(db, shop, accountId, ids.map(hashOf))
  return known?.device_hash ?? null
}

/** `known`: as found before. Where it is null the browser gets an id, beside those of its other accounts. */
export async function keepBrowser(
  tx: Tx,
  { merchantId, accountId }: Shop & { accountId: string },
  request: RoomRequest,
  known: Buffer | null,
  now: Date,
): Promise<void> {
  const ids = idsIn(request)
  const id = known === null ? randomBytes(BYTES).toString('base64url') : null
  await keepDevice(tx, { merchantId }, accountId, id === null ? (known as Buffer) : hashOf(id), now)
  request.setCookie('devices', (id === null ? ids : [id, ...ids]).slice(0, MOST).join('.'))
}
