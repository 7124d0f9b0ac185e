// `cartwright account list | reset-password`: who may log in to the dashboard, for whoever has the machine and no mail server, or has lost everything.

import { allMerchants, findMerchant } from '../../api/merchants/store.ts'
import type { Config } from '../../config.ts'
import { resetByOperator } from '../../dashboard/account/password.ts'
import { accountsOf, membersOf } from '../../dashboard/store.ts'
import { notFound } from '../../lib/errors.ts'
import { oneLine } from '../../lib/text.ts'
import { withDatabase } from '../database.ts'
import { merchantIdFrom, readArguments, say, UsageError } from '../help.ts'

export async function account(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'list') return list(config, rest)
  if (verb === 'reset-password') return resetPassword(config, rest)
  throw new UsageError('account is followed by list or reset-password.')
}

const MERCHANT = { merchant: { type: 'string' } } as const

async function list(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, MERCHANT)
  await withDatabase(config, async (db) => {
    const one = values.merchant === undefined ? null : merchantIdFrom(values.merchant)
    const merchants = one === null ? await allMerchants(db) : [await findMerchant(db, one)]
    for (const merchant of merchants) {
      if (merchant === null) throw notFound('merchant')
      say(`Merchant ${merchant.merchant_id}, ${oneLine(merchant.name)}`)
      for (const { email, name, role, is_active, has_second_factor } of await membersOf(db, {
        merchantId: merchant.merchant_id,
      }))
        say(
          `  ${email}  ${role}${name === '' ? '' : `  ${oneLine(name)}`}${is_active ? '' : '  (invited)'}${has_second_factor ? '  (second factor)' : ''}`,
        )
    }
  })
}

async function resetPassword(config: Config, args: readonly string[]) {
  const { values, positionals } = readArguments(args, { ...MERCHANT, 'without-second-factor': { type: 'boolean' } }, 1)
  const email = positionals[0]?.trim().toLowerCase()
  if (email === undefined) throw new UsageError('account reset-password needs the e-mail address of the account.')
  const merchantId = values.merchant === undefined ? null : merchantIdFrom(values.merchant)
  const dropsSecondFactor = values['without-second-factor'] ?? false
  const { password, shop, hasSecondFactor } = await withDatabase(config, async (db, clock) => {
    const all = await accountsOf(db, email)
    const found = all.filter((each) => merchantId === null || each.merchant_id === merchantId)
    const [account] = found
    if (account === undefined) throw notFound('account', 'e-mail address')
    if (found.length > 1)
      throw new UsageError(
        `${email} is in several shops: add --merchant ID, one of ${found.map((each) => each.merchant_id).join(', ')}.`,
      )
    const made = await resetByOperator({ db, clock }, account, dropsSecondFactor)
    return { password: made, shop: account.shop, hasSecondFactor: account.totp_secret !== null && !dropsSecondFactor }
  })
  say(`${email} / ${password}`)
  say(`The new password for the dashboard of ${oneLine(shop)}, shown this once. All sessions of the account are over.`)
  if (hasSecondFactor)
    say(
      'The second factor is asked for as before; --without-second-factor switches it off, where the app and the spare codes are lost.',
    )
}
