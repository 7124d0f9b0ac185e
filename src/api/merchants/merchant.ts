// Rules of merchants and their keys: open a shop, close it for orders, create and revoke keys. Also creates and compares API keys and the
// passwords of dashboard accounts.

import { hash, randomBytes, randomInt, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import type { Tx } from '../../db/db.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { Clock } from '../../lib/clock.ts'
import { findCurrency } from '../../lib/currencies.ts'
import { conflict, notFound } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { Problems } from '../../lib/problems.ts'
import { HEAD } from '../../versions/index.ts'
import { EMAIL_RULE, isEmail, isName, isVersion, NAME_RULE, VERSION_RULE } from './settings.ts'
import {
  announceChange,
  findMerchant,
  findPasswordHash,
  insertDashboardAccount,
  insertKey,
  insertMerchant,
  type KeyKind,
  listMerchantKeys,
  lockMerchantCreation,
  type NewKey,
  revokeKeyRow,
  updateDisabled,
  updateVersion,
} from './store.ts'

/** Context of the operator's commands, which have no request and no caller. */
type Operator = Pick<Services, 'db' | 'clock'>

type MerchantDraft = {
  name: string
  email: string
  currency?: string | undefined
  apiVersion?: string | undefined
  description?: string
  country?: string
  settings?: Record<string, unknown>
  /** Public keys from elsewhere that replace ours: one for the sandbox, one live, or both. */
  publicKeys?: readonly string[]
}

export type CreatedMerchant = {
  id: number
  keys: { live: { public: string; secret: string }; sandbox: { public: string; secret: string } }
  dashboard: { email: string; password: string }
}

/**
 * Creates a merchant with its four keys and a dashboard account. The secrets in the result are never shown again.
 * It runs in the caller's transaction, so that a caller who also fills the shop gets both or none.
 */
export async function createMerchant(tx: Tx, clock: Clock, draft: MerchantDraft): Promise<CreatedMerchant> {
  const { name, email, currency = 'USD', apiVersion = HEAD, publicKeys = [] } = draft
  refuseMalformed({ name, email, currency, apiVersion, publicKeys })
  await lockMerchantCreation(tx)
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
  const importedKeys = publicKeys.map(readPublicKey)
  const keys = KEY_KINDS.map((kind) => importedKeys.find((key) => isOfKind(key, kind)) ?? generateKey(kind))
  for (const key of keys) await addKey(tx, id, key, now)
  const password = newPassword()
  const existingHash = await findPasswordHash(tx, email)
  await insertDashboardAccount(tx, { merchant_id: id }, email, await hashPassword(password, existingHash), now)
  await announceChange(tx)
  const text = (kind: KeyKind) => textOf(keys, kind)
  return {
    id,
    keys: {
      live: {
        public: text({ isSecret: false, is_sandbox: false }),
        secret: text({ isSecret: true, is_sandbox: false }),
      },
      sandbox: {
        public: text({ isSecret: false, is_sandbox: true }),
        secret: text({ isSecret: true, is_sandbox: true }),
      },
    },
    dashboard: { email: email.toLowerCase(), password },
  }
}

const isOfKind = (key: KeyKind, { isSecret, is_sandbox }: KeyKind): boolean =>
  key.isSecret === isSecret && key.is_sandbox === is_sandbox

const textOf = (keys: readonly NewKey[], kind: KeyKind): string => keys.find((key) => isOfKind(key, kind))?.text ?? ''

type MerchantTexts = {
  readonly name: string
  readonly email: string
  readonly currency: string
  readonly apiVersion: string
  readonly publicKeys: readonly string[]
}

function refuseMalformed({ name, email, currency, apiVersion, publicKeys }: MerchantTexts) {
  const problems = new Problems()
  if (!isName(name)) problems.malformed('name', NAME_RULE)
  if (!isEmail(email)) problems.malformed('email', EMAIL_RULE)
  if (!findCurrency(currency)) problems.malformed('currency', 'must be an ISO 4217 code such as USD, EUR or JPY')
  if (!isVersion(apiVersion)) problems.malformed('version', VERSION_RULE)
  refusePublicKeys(publicKeys, problems)
  problems.throwIfAny()
}

function refusePublicKeys(keys: readonly string[], problems: Problems) {
  for (const rule of new Set(keys.flatMap((key) => ruleBrokenBy(key) ?? []))) problems.malformed('public_key', rule)
  const ofSandbox = keys.filter((key) => readPublicKey(key).is_sandbox).length
  if (Math.max(ofSandbox, keys.length - ofSandbox) > 1)
    problems.malformed('public_key', 'may be given once for the sandbox (pk_test_…) and once for live sales (pk_…)')
}

/** The data of a disabled merchant can still be read; orders are refused. */
export const setMerchantDisabled = ({ db, clock }: Operator, merchant_id: number, isDisabled: boolean) =>
  db.transaction(async (tx) => {
    if ((await updateDisabled(tx, { merchant_id }, isDisabled, clock.now())) === 0) throw notFound('merchant')
    await announceChange(tx)
  })

/** Returns the previous version, so that the command can report what has changed. */
export const setMerchantVersion = ({ db, clock }: Operator, merchant_id: number, version: string): Promise<string> =>
  db.transaction(async (tx) => {
    const problems = new Problems()
    if (!isVersion(version)) problems.malformed('version', VERSION_RULE)
    problems.throwIfAny()
    const merchant = await findMerchant(tx, { merchant_id })
    if (merchant === null) throw notFound('merchant')
    await updateVersion(tx, { merchant_id }, version, clock.now())
    await announceChange(tx)
    return merchant.api_version
  })

export const createKey = ({ db, clock }: Operator, merchant_id: number, kind: KeyKind) =>
  db.transaction(async (tx) => {
    if ((await findMerchant(tx, { merchant_id })) === null) throw notFound('merchant')
    const key = generateKey(kind)
    const id = await addKey(tx, merchant_id, key, clock.now())
    await announceChange(tx)
    return { id, text: key.text }
  })

/**
 * Imports a public key that storefronts already use. It need not look like our keys; its prefix tells its mode.
 * A key that this merchant has imported before stays as it is, so that a repeated command does no harm.
 */
export const importKey = ({ db, clock }: Operator, merchant_id: number, text: string) =>
  db.transaction(async (tx) => {
    const problems = new Problems()
    refusePublicKeys([text], problems)
    problems.throwIfAny()
    if ((await findMerchant(tx, { merchant_id })) === null) throw notFound('merchant')
    const key = readPublicKey(text)
    const existingKey = (await listMerchantKeys(tx, { merchant_id })).find(
      (each) => each.public_key === key.text && each.revoked_at === null,
    )
    if (existingKey !== undefined) return { ...key, id: existingKey.id, isNew: false }
    const id = await addKey(tx, merchant_id, key, clock.now())
    await announceChange(tx)
    return { ...key, id, isNew: true }
  })

/** Returns the id of the new key. */
async function addKey(tx: Tx, merchant_id: number, key: NewKey, now: Date): Promise<string> {
  const id = newId('apiKey', now)
  if (!(await insertKey(tx, { merchant_id }, id, key, now)))
    throw conflict(
      'This key is already in use. Find its merchant with cartwright keys list, and revoke the key there first.',
    )
  return id
}

/** Every process refuses the key within a second. */
export const revokeKey = ({ db, clock }: Operator, merchant_id: number, keyId: string) =>
  db.transaction(async (tx) => {
    if (!(await revokeKeyRow(tx, { merchant_id }, keyId, clock.now()))) throw notFound('key in use')
    await announceChange(tx)
  })

// API keys as text: their form, creation and comparison. Secret keys are readable only when they are made.

/** The four keys of a merchant, in the order they are shown. */
export const KEY_KINDS: readonly KeyKind[] = [
  { isSecret: false, is_sandbox: true },
  { isSecret: true, is_sandbox: true },
  { isSecret: false, is_sandbox: false },
  { isSecret: true, is_sandbox: false },
]

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 40 characters of 62 are 238 bits: too many to guess, and long enough for secret scanners to recognise. */
const LENGTH = 40
const OUR_FORM = /^[ps]k_(?:test_)?[0-9A-Za-z]{40}$/

// Imported public keys may hold whatever a header carries unchanged.
const LONGEST_KEY = 200
const PUBLIC_FORM = /^pk_(?!test_$)[!-~]+$/
const PUBLIC_RULE = `must begin with pk_ (pk_test_ for the sandbox) and have at most ${LONGEST_KEY} letters, digits and symbols without spaces`
const SECRET_FORM = /^\s*sk_/i

/** A secret key that is typed into a command ends up in the shell's history and the process list. */
export const NO_SECRET_KEYS =
  'must be a public key: secret keys cannot be imported. Use the secret key of this installation, and revoke the other one'

/** True if the text is a secret key or begins like one. It must not be repeated anywhere. */
export const isSecretKey = (text: string): boolean => SECRET_FORM.test(text)

const isPublicKey = (text: string): boolean => text.length <= LONGEST_KEY && PUBLIC_FORM.test(text)

function ruleBrokenBy(text: string): string | null {
  if (isSecretKey(text)) return NO_SECRET_KEYS
  return isPublicKey(text.trim()) ? null : PUBLIC_RULE
}

function readPublicKey(input: string): NewKey {
  const text = input.trim()
  return { isSecret: false, is_sandbox: text.startsWith('pk_test_'), ...keyFields(text) }
}

const keyFields = (text: string) => ({ text, hash: hashKey(text), lastFour: text.slice(-4) })

export const keyPrefixOf = ({ isSecret, is_sandbox }: KeyKind) =>
  `${isSecret ? 'sk' : 'pk'}_${is_sandbox ? 'test_' : ''}`

export function generateKey(kind: KeyKind): NewKey {
  const body = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const text = keyPrefixOf(kind) + body
  return { ...kind, ...keyFields(text) }
}

/** Avoids a database query for text that cannot be a key. */
export const looksLikeKey = (text: string) => OUR_FORM.test(text) || isPublicKey(text)

/** A plain fast hash is enough: our keys have 238 random bits, and imported keys are public. There is nothing to guess. */
export const hashKey = (text: string): Buffer => hash('sha256', text, 'buffer')

// Passwords of dashboard accounts: generated here, and stored as scrypt hashes with their parameters.

const derive = promisify<string, Buffer, number, { N: number; r: number; p: number; maxmem: number }, Buffer>(scrypt)

const COST = { N: 32_768, r: 8, p: 1 }
const MEMORY = 64 * 1024 * 1024

/** 120 random bits, easy to copy. */
export const newPassword = () => randomBytes(15).toString('base64url')

/** With `like`, uses the salt of that hash, so that one hash of a password is compared with both. */
export async function hashPassword(password: string, like: string | null = null): Promise<string> {
  const parameters = like === null ? [...FRESH, randomBytes(16).toString('base64')].join('$') : hashParametersOf(like)
  return `${parameters}$${(await hashWith(parameters, password)).toString('base64')}`
}

const FRESH = ['scrypt', COST.N, COST.r, COST.p] as const
const KEY_BYTES = 32

/** Parameters and salt of a stored hash, without its result. One hash of a password can be compared with all that share them. */
export const hashParametersOf = (stored: string): string => stored.slice(0, stored.lastIndexOf('$'))

function hashWith(parameters: string, password: string): Promise<Buffer> {
  const [, N, r, p, salt = ''] = parameters.split('$')
  const cost = { N: Number(N), r: Number(r), p: Number(p), maxmem: MEMORY }
  return derive(password, Buffer.from(salt, 'base64'), KEY_BYTES, cost)
}

/** The stored hashes that the password matches. All of them must share parameters and salt. */
export async function matchingPasswords(password: string, stored: readonly string[]): Promise<string[]> {
  const [first] = stored
  if (first === undefined) return []
  const actual = await hashWith(hashParametersOf(first), password)
  return stored.filter((each) => {
    const expected = Buffer.from(each.slice(each.lastIndexOf('$') + 1), 'base64')
    return expected.length === actual.length && timingSafeEqual(actual, expected)
  })
}
