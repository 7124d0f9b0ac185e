// Links that are mailed to accounts: creation, lifetime and redemption. The readable token exists only in the mail. It contains the shop's
// id, so the lookup stays within that shop.

import { hash, randomInt } from 'node:crypto'
import type { Db, Shop, Tx } from '../../db/db.ts'
import { ApiError } from '../../lib/errors.ts'
import { deleteOpenLink, findLink, insertLink, type LinkRow } from '../store.ts'

export type MailedLinkPurpose = 'reset' | 'invitation'

const MINUTE_MS = 60_000
const LIFETIME_MS = { reset: 30 * MINUTE_MS, invitation: 7 * 24 * 60 * MINUTE_MS } as const
export const LINK_LIFETIMES = { reset: '30 minutes', invitation: '7 days' } as const
const PATHS = { reset: '/dashboard/reset/', invitation: '/dashboard/invitation/' } as const

// Letters and digits only: mail programs cut a dot or a dash off the end of a link.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 238 random bits: a plain fast hash is enough to protect them. */
const LENGTH = 40
const FORM = /^([1-9]\d{0,8})x[0-9A-Za-z]{40}$/

const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')

export type CreatedLink = { readonly url: string; readonly hash: Buffer }

/** `origin`: trusted scheme and host of this service. The lifetime of the link starts now. */
export async function makeLink(
  db: Db,
  { merchant_id }: Shop,
  { accountId, purpose, origin }: { accountId: string; purpose: MailedLinkPurpose; origin: string },
  now: Date,
): Promise<CreatedLink> {
  const random = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const token = `${merchant_id}x${random}`
  const expiresAt = new Date(now.getTime() + LIFETIME_MS[purpose])
  await insertLink(db, { merchant_id }, { hash: hashOf(token), accountId, purpose, expiresAt })
  return { url: `${origin}${PATHS[purpose]}${token}`, hash: hashOf(token) }
}

export type OpenLink = Shop & { readonly accountId: string }

/** Throws the same 404 for every kind of invalid link. */
export const readLink = (db: Db, token: string, purpose: MailedLinkPurpose, now: Date): Promise<OpenLink> =>
  resolveLink(token, purpose, (shop, key) => findLink(db, shop, key, now))

/** Like `readLink`, and uses the link up. */
export const redeemLink = (tx: Tx, token: string, purpose: MailedLinkPurpose, now: Date): Promise<OpenLink> =>
  resolveLink(token, purpose, (shop, key) => deleteOpenLink(tx, shop, key, now))

async function resolveLink(
  token: string,
  purpose: MailedLinkPurpose,
  find: (shop: Shop, key: { hash: Buffer; purpose: MailedLinkPurpose }) => Promise<LinkRow | null>,
): Promise<OpenLink> {
  const [, merchant] = FORM.exec(token) ?? []
  if (merchant === undefined) throw invalidLinkError(purpose)
  const merchant_id = Number(merchant)
  const row = await find({ merchant_id }, { hash: hashOf(token), purpose })
  if (row === null) throw invalidLinkError(purpose)
  return { merchant_id, accountId: row.account_id }
}

export const invalidLinkError = (purpose: MailedLinkPurpose) =>
  new ApiError(
    404,
    'not_found',
    `This link is not valid: it has been used or replaced, or its ${LINK_LIFETIMES[purpose]} are over. Ask for another.`,
  )
