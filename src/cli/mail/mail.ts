// `cartwright mail last`: the newest mail of the sandbox, as it was kept. `preview`: see preview.ts. Nothing is sent.

import { allMerchants, findMerchant } from '../../api/merchants/store.ts'
import type { Config } from '../../config.ts'
import { notFound } from '../../lib/errors.ts'
import { oneLine, plainLines } from '../../lib/text.ts'
import { findNewestMail } from '../../mail/outbox-store.ts'
import { withDatabase } from '../database.ts'
import { merchantIdFrom, readArguments, say, UsageError } from '../help.ts'
import { preview } from './preview.ts'

type NewestMail = NonNullable<Awaited<ReturnType<typeof findNewestMail>>>

export async function mail(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb === 'preview') return preview(config, rest)
  if (verb === 'last') return last(config, rest)
  throw new UsageError('mail is followed by preview or last.')
}

async function last(config: Config, args: readonly string[]) {
  const { values } = readArguments(args, { merchant: { type: 'string' } })
  const only = values.merchant === undefined ? null : merchantIdFrom(values.merchant)
  const mail = await withDatabase(config, async (db) => {
    if (only !== null && (await findMerchant(db, only)) === null) throw notFound('merchant')
    const ids = only === null ? (await allMerchants(db)).map(({ merchant_id }) => merchant_id) : [only]
    let newest: NewestMail | null = null
    for (const merchantId of ids) {
      const found = await findNewestMail(db, { merchantId })
      if (found !== null && (newest === null || isRather(found, newest))) newest = found
    }
    return newest
  })
  if (mail === null)
    return say('There is no mail: the sandbox has sent none in the last seven days. Live mails are never kept.')
  say(`To: ${oneLine(mail.recipient)}`)
  say(`Subject: ${oneLine(mail.subject)}`)
  say(`Date: ${mail.created_at.toISOString()}`)
  // What customers and shops have typed stands in it: on the operator's terminal it must not move the cursor.
  say(`\n${plainLines(mail.body_text)}`)
}

/** Of two shops: a mail of a new order, to the merchant, comes behind any other. */
function isRather(one: NewestMail, other: NewestMail): boolean {
  const [isBehind, isOtherBehind] = [one.kind === 'new_order', other.kind === 'new_order']
  return isBehind === isOtherBehind ? one.created_at > other.created_at : isOtherBehind
}
