// The rules of merchants and their keys: opening a shop, closing it for orders, and making and revoking keys.

import type { Database, Tx } from '../../db/db.ts'
import type { Clock } from '../../lib/clock.ts'
import { findCurrency } from '../../lib/currencies.ts'
import { type FieldErrors, notFound, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { HEAD } from '../../versions/index.ts'
import { emailSentence, isEmail, isName, isVersion, nameSentence, versionSentence } from './fields.ts'
import { KEY_KINDS, type KeyKind, type NewKey, newKey } from './keys.ts'
import { hashPassword, newPassword } from './passwords.ts'
import {
  announceChange,
  findMerchant,
  insertDashboardAccount,
  insertKey,
  insertMerchant,
  revokeKeyRow,
  updateDisabled,
  updateVersion,
} from './store.ts'

export type MerchantDraft = {
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

/** Creates a merchant with its four keys and dashboard account. The secrets in the answer are shown nowhere again. */
export async function openMerchant(tx: Tx, clock: Clock, draft: MerchantDraft): Promise<OpenedMerchant> {
  const { name, email, currency = 'USD', apiVersion = HEAD } = draft
  refuse(problemsOf({ name, email, currency, apiVersion }))
  const now = clock.now()
  const id = await insertMerchant(tx, {
    name: name.trim(),
    description: draft.description ?? null,
    currency,
    country: draft.country ?? null,
    supportEmail: email,
    settings: draft.settings ?? {},
    apiVersion,
    now,
  })
  const made = KEY_KINDS.map(newKey)
  for (const key of made) await insertKey(tx, id, newId('apiKey', now), key, now)
  const password = newPassword()
  await insertDashboardAccount(tx, id, email, await hashPassword(password), now)
  await announceChange(tx)
  const text = (wanted: KeyKind) => textOf(made, wanted)
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

const textOf = (made: readonly NewKey[], { isSecret, isSandbox }: KeyKind): string =>
  made.find((key) => key.isSecret === isSecret && key.isSandbox === isSandbox)?.text ?? ''

function problemsOf({
  name,
  email,
  currency,
  apiVersion,
}: Required<Pick<MerchantDraft, 'name' | 'email'>> & { currency: string; apiVersion: string }) {
  const problems: FieldErrors = {}
  if (!isName(name)) problems.name = [nameSentence('name')]
  if (!isEmail(email)) problems.email = [emailSentence('email')]
  if (!findCurrency(currency)) problems.currency = ['currency must be an ISO 4217 code such as USD, EUR or JPY.']
  if (!isVersion(apiVersion)) problems.version = [versionSentence()]
  return problems
}

function refuse(problems: FieldErrors) {
  if (Object.keys(problems).length > 0) throw unprocessable(problems)
}

/** A disabled merchant's data can still be read; orders are refused. */
export const setMerchantDisabled = (db: Database, clock: Clock, merchantId: number, isDisabled: boolean) =>
  db.transaction(async (tx) => {
    if (!(await updateDisabled(tx, merchantId, isDisabled, clock.now()))) throw notFound('merchant')
    await announceChange(tx)
  })

/** The version before, so that whoever asks can be told what has changed. */
export const setMerchantVersion = (db: Database, clock: Clock, merchantId: number, version: string): Promise<string> =>
  db.transaction(async (tx) => {
    refuse(isVersion(version) ? {} : { version: [versionSentence()] })
    const merchant = await findMerchant(tx, merchantId)
    if (merchant === null) throw notFound('merchant')
    await updateVersion(tx, merchantId, version, clock.now())
    await announceChange(tx)
    return merchant.api_version
  })

export const createKey = (db: Database, clock: Clock, merchantId: number, kind: KeyKind) =>
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
export const revokeKey = (db: Database, clock: Clock, merchantId: number, keyId: string) =>
  db.transaction(async (tx) => {
    if (!(await revokeKeyRow(tx, merchantId, keyId, clock.now()))) throw notFound('key in use')
    await announceChange(tx)
  })
