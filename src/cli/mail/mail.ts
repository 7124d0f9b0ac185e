// `cartwright mail preview`: the mails to customers as files, to be looked at in a browser. `cartwright mail last`: the newest one of the
// sandbox, as it was kept. Nothing is sent.

import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { allMerchants, findMerchant } from '../../api/merchants/store.ts'
import { mailShop } from '../../api/merchants/view.ts'
import { orderAddresses } from '../../api/orders/links.ts'
import { findOrder } from '../../api/orders/store.ts'
import { viewOrder } from '../../api/orders/view.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/db.ts'
import { signingSecrets } from '../../keys/signing.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { notFound } from '../../lib/errors.ts'
import { oneLine, plainLines } from '../../lib/text.ts'
import type { MailShop, WrittenMail } from '../../mail/layout.ts'
import { loginMail } from '../../mail/login-mail.ts'
import { findNewestMail } from '../../mail/outbox-store.ts'
import { receiptMail } from '../../mail/receipt-mail.ts'
import type { ReceiptOrder } from '../../mail/receipt-order.ts'
import { withDatabase } from '../database.ts'
import { merchantIdFrom, readArguments, say, UsageError } from '../help.ts'
import { sampleOrder, sampleShop } from './sample.ts'

const KINDS = ['login', 'receipt'] as const
type Kind = (typeof KINDS)[number]

const DEFAULT_FOLDER = 'mail-preview'

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
    let newest: Awaited<ReturnType<typeof findNewestMail>> = null
    for (const merchantId of ids) {
      const found = await findNewestMail(db, { merchantId })
      if (found !== null && (newest === null || found.created_at > newest.created_at)) newest = found
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

async function preview(config: Config, rest: readonly string[]) {
  const { values, positionals } = readArguments(
    rest,
    { merchant: { type: 'string' }, order: { type: 'string' }, out: { type: 'string' } },
    1,
  )
  const kinds = kindsFrom(positionals[0])
  const { shop, order, hasLinks } = await readSubject(config, values)
  const folder = resolve(values.out ?? DEFAULT_FOLDER)
  await mkdir(folder, { recursive: true })
  for (const kind of kinds) {
    const written = write(kind, { shop, order, hasLinks })
    for (const [ending, content] of [
      ['html', written.html],
      ['txt', `Subject: ${written.subject}\n\n${written.text}`],
    ] as const) {
      const file = join(folder, `${kind}.${ending}`)
      await writeFile(file, content)
      say(file)
    }
  }
}

function kindsFrom(word: string | undefined): readonly Kind[] {
  if (word === undefined) return KINDS
  const kind = KINDS.find((candidate) => candidate === word)
  if (kind === undefined) throw new UsageError(`There is no mail "${word}": name login or receipt.`)
  return [kind]
}

const write = (kind: Kind, { shop, order, hasLinks }: Subject): WrittenMail =>
  kind === 'login'
    ? loginMail(shop, {
        link: 'https://shop.example/login?token=a-token-that-opens-nothing',
        minutes: 15,
        isSandbox: false,
      })
    : receiptMail(shop, order, { hasLinks })

type Subject = { readonly shop: MailShop; readonly order: ReceiptOrder; readonly hasLinks: boolean }

async function readSubject(
  config: Config,
  { merchant, order }: { merchant?: string; order?: string },
): Promise<Subject> {
  // Without a PUBLIC_URL a mail has links to us, and the logo, where its request came by a name that lasts. Here there is no request: what
  // goes out is shown without them, and what is kept as on this machine.
  const origin = config.publicUrl ?? (config.mailServer === null ? `http://localhost:${config.port}` : null)
  const hasLinks = origin !== null
  if (merchant === undefined) {
    if (order !== undefined) throw new UsageError('Name the merchant of the order, too: --merchant ID.')
    return { shop: sampleShop, order: sampleOrder(origin ?? '', systemClock.now()), hasLinks }
  }
  const id = merchantIdFrom(merchant)
  return withDatabase(config, async (db, clock) => {
    const found = await mailShop({ db }, id, origin)
    if (found === null) throw notFound('merchant')
    return {
      shop: found.shop,
      order:
        order === undefined
          ? sampleOrder(origin ?? '', clock.now())
          : await readOrder(db, clock, id, order, origin ?? ''),
      hasLinks,
    }
  })
}

/** Of either mode: the operator may look at both. */
async function readOrder(db: Database, clock: Clock, merchantId: number, id: string, origin: string) {
  const row =
    (await findOrder(db, { merchantId, isSandbox: true }, id)) ??
    (await findOrder(db, { merchantId, isSandbox: false }, id))
  if (row === null) throw notFound('order')
  return viewOrder(row, await orderAddresses({ signingSecret: signingSecrets(db, clock) }, origin), clock.now())
}
