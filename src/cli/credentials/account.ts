// `cartwright account list | reset-password`: the accounts of the dashboard, for operators without a mail server or with lost credentials.

import { findMerchant, listAllMerchants } from '../../api/merchants/store.ts'
import type { Config } from '../../config.ts'
import { resetByOperator } from '../../dashboard/account/password.ts'
import { findAccountsByEmail, membersOf } from '../../dashboard/store.ts'
import { notFound } from '../../lib/errors.ts'
import { toOneLine } from '../../lib/text.ts'
import { withDatabase } from '../database.ts'
import { parseMerchantId, printLine, readArguments, UsageError } from '../help.ts'

export async function accountCommand(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'list') return list(config, rest)
  if (verb === 'reset-password') return resetPassword(config, rest)
  throw new UsageError('account needs a subcommand: list or reset-password.')
}

const MERCHANT = { merchant: { type: 'string' } } as const

async function list(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, MERCHANT)
  await withDatabase(config, async (db) => {
    const onlyId = values.merchant === undefined ? null : parseMerchantId(values.merchant)
    const merchants = onlyId === null ? await listAllMerchants(db) : [await findMerchant(db, { merchant_id: onlyId })]
    for (const merchant of merchants) {
      if (merchant === null) throw notFound('merchant')
      printLine(`Merchant ${merchant.merchant_id}, ${toOneLine(merchant.name)}`)
      for (const { email, name, role, is_active, has_second_factor } of await membersOf(db, {
        merchant_id: merchant.merchant_id,
      }))
        printLine(
          `  ${email}  ${role}${name === '' ? '' : `  ${toOneLine(name)}`}${is_active ? '' : '  (invited)'}${has_second_factor ? '  (second factor)' : ''}`,
        )
    }
  })
}

async function resetPassword(config: Config, args: readonly string[]) {
  const { values, positionals } = readArguments(args, { ...MERCHANT, 'without-second-factor': { type: 'boolean' } }, 1)
  const email = positionals[0]?.trim().toLowerCase()
  if (email === undefined) throw new UsageError('account reset-password needs the e-mail address of the account.')
  const merchant_id = values.merchant === undefined ? null : parseMerchantId(values.merchant)
  const dropsSecondFactor = values['without-second-factor'] ?? false
  const { password, shop, hasSecondFactor } = await withDatabase(config, async (db, clock) => {
    const all = await findAccountsByEmail(db, email)
    const rows = all.filter((each) => merchant_id === null || each.merchant_id === merchant_id)
    const [account] = rows
    if (account === undefined) throw notFound('account', 'e-mail address')
    if (rows.length > 1)
      throw new UsageError(
        `${email} is in several shops: add --merchant ID, one of ${rows.map((each) => each.merchant_id).join(', ')}.`,
      )
    const secret = await resetByOperator({ db, clock }, account, dropsSecondFactor)
    return { password: secret, shop: account.shop, hasSecondFactor: account.totp_secret !== null && !dropsSecondFactor }
  })
  printLine(`${email} / ${password}`)
  printLine(
    `This is the new dashboard password for ${toOneLine(shop)}, shown only once. All sessions of the account were ended.`,
  )
  if (hasSecondFactor)
    printLine(
      'The second factor is still required. If the app and the spare codes are lost, switch it off with --without-second-factor.',
    )
}
