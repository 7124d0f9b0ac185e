// Links that are mailed to accounts: what opens one, how long, and where it leads. The token exists in readable form only on its way to the reader; it
// names the shop, so that it is looked up there and nowhere else.

import { hash, randomInt } from 'node:crypto'
import type { Db, Tx } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import { ApiError } from '../../lib/errors.ts'
import { findLink, insertLink, type LinkRow, takeLink } from '../store.ts'

export type Purpose = 'reset' | 'invitation'

const MINUTE_MS = 60_000
const LASTS_MS = { reset: 30 * MINUTE_MS, invitation: 7 * 24 * 60 * MINUTE_MS } as const
export const LASTS = { reset: '30 minutes', invitation: '7 days' } as const
const PATHS = { reset: '/dashboard/reset/', invitation: '/dashboard/invitation/' } as const

// Letters and digits only: mail programs end a link before a dot or a dash that stands at its end.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 238 random bits: a plain fast hash keeps them. */
const LENGTH = 40
const FORM = /^([1-9]\d{0,8})x[0-9A-Za-z]{40}$/

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')

export type MadeLink = { readonly url: string; readonly hash: Buffer }

/** `origin`: scheme and host of this service, as somebody has vouched for them. Its time begins now. */
export async function makeLink(
  db: Db,
  { merchantId }: Shop,
  { accountId, purpose, origin }: { accountId: string; purpose: Purpose; origin: string },
  now: Date,
): Promise<MadeLink> {
  const random = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const token = `${merchantId}x${random}`
  const expiresAt = new Date(now.getTime() + LASTS_MS[purpose])
  await insertLink(db, { merchantId }, { hash: hashOf(token), accountId, purpose, expiresAt })
  return { url: `${origin}${PATHS[purpose]}${token}`, hash: hashOf(token) }
}

export type OpenLink = Shop & { readonly accountId: string }

/** Throws a 404, in the same words whatever is wrong with it. */
export const readLink = (db: Db, token: string, purpose: Purpose, now: Date): Promise<OpenLink> =>
  opened(token, purpose, (shop, key) => findLink(db, shop, key, now))

/** The same, and it is used up. */
export const useLink = (tx: Tx, token: string, purpose: Purpose, now: Date): Promise<OpenLink> =>
  opened(token, purpose, (shop, key) => takeLink(tx, shop, key, now))

async function opened(
  token: string,
  purpose: Purpose,
  look: (shop: Shop, key: { hash: Buffer; purpose: Purpose }) => Promise<LinkRow | null>,
): Promise<OpenLink> {
  const [, merchant] = FORM.exec(token) ?? []
  if (merchant === undefined) throw linkOver(purpose)
  const merchantId = Number(merchant)
  const row = await look({ merchantId }, { hash: hashOf(token), purpose })
  if (row === null) throw linkOver(purpose)
  return { merchantId, accountId: row.account_id }
}

export const linkOver = (purpose: Purpose) =>
  new ApiError(
    404,
    'not_found',
    `This link is not valid: it has been used or replaced, or its ${LASTS[purpose]} are over. Ask for another.`,
  )
