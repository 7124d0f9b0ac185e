// `cartwright mail last`: prints the newest stored mail of the sandbox. preview.ts has `mail preview`. Neither sends anything.

import { findMerchant, listAllMerchants } from '../../api/merchants/store.ts'
import type { Config } from '../../config.ts'
import { notFound } from '../../lib/errors.ts'
import { plainLines, toOneLine } from '../../lib/text.ts'
import { findNewestMail } from '../../mail/outbox-store.ts'
import { withDatabase } from '../database.ts'
import { parseMerchantId, printLine, readArguments, UsageError } from '../help.ts'
import { previewMails } from './preview.ts'

type NewestMail = NonNullable<Awaited<ReturnType<typeof findNewestMail>>>

export async function mailCommand(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'preview') return previewMails(config, rest)
  if (verb === 'last') return printLast(config, rest)
  throw new UsageError('mail needs a subcommand: preview or last.')
}

async function printLast(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, { merchant: { type: 'string' } })
  const onlyId = values.merchant === undefined ? null : parseMerchantId(values.merchant)
  const mail = await withDatabase(config, async (db) => {
    if (onlyId !== null && (await findMerchant(db, { merchant_id: onlyId })) === null) throw notFound('merchant')
    const ids = onlyId === null ? (await listAllMerchants(db)).map(({ merchant_id }) => merchant_id) : [onlyId]
    let newest: NewestMail | null = null
    for (const merchant_id of ids) {
      const shopMail = await findNewestMail(db, { merchant_id })
      if (shopMail !== null && (newest === null || isPreferred(shopMail, newest))) newest = shopMail
    }
    return newest
  })
  if (mail === null)
    return printLine('There is no mail: the sandbox has sent none in the last seven days. Live mails are never stored.')
  printLine(`To: ${toOneLine(mail.recipient)}`)
  printLine(`Subject: ${toOneLine(mail.subject)}`)
  printLine(`Date: ${mail.created_at.toISOString()}`)
  // The text may contain input of customers and shops, which must not control the operator's terminal.
  printLine(`\n${plainLines(mail.body_text)}`)
}

/** Prefers the newer mail of two shops, but puts a merchant's new-order mail after any other. */
function isPreferred(one: NewestMail, other: NewestMail): boolean {
  const [isBehind, isOtherBehind] = [one.kind === 'new_order', other.kind === 'new_order']
  return isBehind === isOtherBehind ? one.created_at > other.created_at : isOtherBehind
}
