// The rules of merchants and their keys: opening a shop, closing it for orders, making and revoking keys; and how keys and the passwords of
// dashboard accounts are made and compared.

import { hash, randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Tx } from '../../db/db.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { findCurrency } from '../../lib/currencies.ts'
import { notFound } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { Problems } from '../../lib/problems.ts'
import { HEAD } from '../../versions/index.ts'
import { EMAIL_RULE, isEmail, isName, isVersion, NAME_RULE, VERSION_RULE } from './settings.ts'
import {
  announceChange,
  findMerchant,
  insertDashboardAccount,
  insertKey,
  insertMerchant,
  type KeyKind,
  type NewKey,
  revokeKeyRow,
  updateDisabled,
  updateVersion,
} from './store.ts'

/** For what the operator does by a command: no request, no caller. */
type Operator = Pick<Services, 'db' | 'clock'>

type MerchantDraft = {
  name: string
  email: string
  currency?: string | undefined
  apiVersion?: string | undefined
  description?: string
  country?: string
  settings?: Record<string, unknown>
}

export type OpenedMerchant = {
  id: number
  keys: { live: { public: string; secret: string }; sandbox: { public: string; secret: string } }
  dashboard: { email: string; password: string }
}

/**
 * Creates a merchant with its four keys and dashboard account. The secrets in the answer are shown nowhere again. In the caller's
 * transaction, as whoever fills the shop at once wants both or none.
 */
export async function openMerchant(tx: Tx, clock: Clock, draft: MerchantDraft): Promise<OpenedMerchant> {
  const { name, email, currency = 'USD', apiVersion = HEAD } = draft
  refuseMalformed({ name, email, currency, apiVersion })
  const now = clock.now()
  const id = await insertMerchant(tx, {
    name: name.trim(),
    description: draft.description ?? null,
    currency,
    country: draft.country ?? null,
    support_email: email,
    settings: draft.settings ?? {},
    api_version: apiVersion,
    now,
  })
  const keys = KEY_KINDS.map(newKey)
  for (const key of keys) await insertKey(tx, id, newId('apiKey', now), key, now)
  const password = newPassword()
  await insertDashboardAccount(tx, id, email, await hashPassword(password), now)
  await announceChange(tx)
  const text = (kind: KeyKind) => textOf(keys, kind)
  return {
    id,
    keys: {
      live: {
        public: text({ isSecret: false, isSandbox: false }),
        secret: text({ isSecret: true, isSandbox: false }),
      },
      sandbox: {
        public: text({ isSecret: false, isSandbox: true }),
        secret: text({ isSecret: true, isSandbox: true }),
      },
    },
    dashboard: { email: email.toLowerCase(), password },
  }
}

const textOf = (keys: readonly NewKey[], { isSecret, isSandbox }: KeyKind): string =>
  keys.find((key) => key.isSecret === isSecret && key.isSandbox === isSandbox)?.text ?? ''

type MerchantTexts = {
  readonly name: string
  readonly email: string
  readonly currency: string
  readonly apiVersion: string
}

function refuseMalformed({ name, email, currency, apiVersion }: MerchantTexts) {
  const problems = new Problems()
  if (!isName(name)) problems.malformed('name', NAME_RULE)
  if (!isEmail(email)) problems.malformed('email', EMAIL_RULE)
  if (!findCurrency(currency)) problems.malformed('currency', 'must be an ISO 4217 code such as USD, EUR or JPY')
  if (!isVersion(apiVersion)) problems.malformed('version', VERSION_RULE)
  problems.throwIfAny()
}

/** A disabled merchant's data can still be read; orders are refused. */
export const setMerchantDisabled = ({ db, clock }: Operator, merchantId: number, isDisabled: boolean) =>
  db.transaction(async (tx) => {
    if ((await updateDisabled(tx, merchantId, isDisabled, clock.now())) === 0) throw notFound('merchant')
    await announceChange(tx)
  })

/** The version before, so that whoever asks can be told what has changed. */
export const setMerchantVersion = ({ db, clock }: Operator, merchantId: number, version: string): Promise<string> =>
  db.transaction(async (tx) => {
    const problems = new Problems()
    if (!isVersion(version)) problems.malformed('version', VERSION_RULE)
    problems.throwIfAny()
    const merchant = await findMerchant(tx, merchantId)
    if (merchant === null) throw notFound('merchant')
    await updateVersion(tx, merchantId, version, clock.now())
    await announceChange(tx)
    return merchant.api_version
  })

export const createKey = ({ db, clock }: Operator, merchantId: number, kind: KeyKind) =>
  db.transaction(async (tx) => {
    if ((await findMerchant(tx, merchantId)) === null) throw notFound('merchant')
    const now = clock.now()
    const key = newKey(kind)
    const id = newId('apiKey', now)
    await insertKey(tx, merchantId, id, key, now)
    await announceChange(tx)
    return { id, text: key.text }
  })

/** From here on every process refuses the key, within a second. */
export const revokeKey = ({ db, clock }: Operator, merchantId: number, keyId: string) =>
  db.transaction(async (tx) => {
    if (!(await revokeKeyRow(tx, merchantId, keyId, clock.now()))) throw notFound('key in use')
    await announceChange(tx)
  })

// API keys as text: how they look, are made and are compared. Secret keys exist in readable form only at the moment they are made.

/** The four keys of a merchant, in the order they are shown. */
export const KEY_KINDS: readonly KeyKind[] = [
  { isSecret: false, isSandbox: true },
  { isSecret: true, isSandbox: true },
  { isSecret: false, isSandbox: false },
  { isSecret: true, isSandbox: false },
]

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 40 characters of 62 are 238 bits: out of reach of guessing, and long enough for secret scanners to recognise. */
const LENGTH = 40
const FORM = /^[ps]k_(?:test_)?[0-9A-Za-z]{40}$/

export const prefixOf = ({ isSecret, isSandbox }: KeyKind) => `${isSecret ? 'sk' : 'pk'}_${isSandbox ? 'test_' : ''}`

export function newKey(kind: KeyKind): NewKey {
  const body = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const text = prefixOf(kind) + body
  return { ...kind, text, hash: hashKey(text), lastFour: text.slice(-4) }
}

export const looksLikeKey = (text: string) => FORM.test(text)

/** A key is 238 random bits, so a plain fast hash keeps it: there is nothing to guess from. */
export const hashKey = (text: string): Buffer => hash('sha256', text, 'buffer')

// Passwords of dashboard accounts: made by us, kept as scrypt hashes that carry their own parameters.

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt)

const COST = { N: 32_768, r: 8, p: 1 }
const MEMORY = 64 * 1024 * 1024

/** 120 random bits, easy to copy. */
export const newPassword = () => randomBytes(15).toString('base64url')

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, 32, { ...COST, maxmem: MEMORY })
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), key.toString('base64')].join('$')
}

export async function matchesPassword(password: string, stored: string): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = stored.split('$')
  const expected = Buffer.from(key, 'base64')
  const found = await derive(password, Buffer.from(salt, 'base64'), expected.length, {
    N: Number(N),
    r: Number(r),
    p: Number(p),
    maxmem: MEMORY,
  })
  return timingSafeEqual(found, expected)
}
