// `cartwright mail preview`: the mails to customers as files, to be looked at in a browser. Nothing is sent.

import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { mailShop } from '../api/merchants/view.ts'
import { orderAddresses } from '../api/orders/links.ts'
import { findOrder } from '../api/orders/store.ts'
import { viewOrder } from '../api/orders/view.ts'
import type { Config } from '../config.ts'
import type { Database } from '../db/db.ts'
import { signingSecrets } from '../keys/signing.ts'
import { type Clock, systemClock } from '../lib/clock.ts'
import { notFound } from '../lib/errors.ts'
import type { MailShop, WrittenMail } from '../mail/layout.ts'
import { loginMail } from '../mail/login-mail.ts'
import { receiptMail } from '../mail/receipt-mail.ts'
import type { ReceiptOrder } from '../mail/receipt-order.ts'
import { withDatabase } from './database.ts'
import { merchantIdFrom, readArguments, say, UsageError } from './help.ts'
import { sampleOrder, sampleShop } from './mail-sample.ts'

const KINDS = ['login', 'receipt'] as const
type Kind = (typeof KINDS)[number]

const DEFAULT_FOLDER = 'mail-preview'

export async function mail(config: Config, args: readonly string[]): Promise<void> {
  const [verb, ...rest] = args
  if (verb !== 'preview') throw new UsageError('mail is followed by preview.')
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
