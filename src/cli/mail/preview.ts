// `cartwright mail preview`: the mails to customers and merchants as files, to be looked at in a browser: of a made-up order, or of one that
// there is. Nothing is sent.

import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { mailShop } from '../../api/merchants/view.ts'
import { orderAddresses } from '../../api/orders/links.ts'
import { cancellationSubject, dashboardUrl, refundSubject, shipmentSubject } from '../../api/orders/mails/subjects.ts'
import { findOrder } from '../../api/orders/store.ts'
import { viewOrder } from '../../api/orders/view.ts'
import type { Config } from '../../config.ts'
import type { Database } from '../../db/db.ts'
import { signingSecrets } from '../../keys/signing.ts'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { notFound } from '../../lib/errors.ts'
import type { MailShop } from '../../mail/layout.ts'
import type { RefundSubject } from '../../mail/orders/refund-mail.ts'
import { sampleShop } from '../../mail/orders/sample.ts'
import { MAIL_KINDS, type MailKind, sampleTold, type Told, writeKind } from '../../mail/previews.ts'
import { withDatabase } from '../database.ts'
import { merchantIdFrom, readArguments, say, UsageError } from '../help.ts'

const DEFAULT_FOLDER = 'mail-preview'

export async function preview(config: Config, rest: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(
    rest,
    { merchant: { type: 'string' }, order: { type: 'string' }, out: { type: 'string' } },
    1,
  )
  const named = kindFrom(positionals[0])
  const subject = await readSubject(config, values)
  const mails = (named === null ? MAIL_KINDS : [named]).map((kind) => ({ kind, written: write(kind, subject) }))
  if (named !== null && mails.every(({ written }) => written === null))
    throw new UsageError(`There is no ${named} of this order.`)
  const folder = resolve(values.out ?? DEFAULT_FOLDER)
  await mkdir(folder, { recursive: true })
  for (const { kind, written } of mails) {
    if (written === null) continue
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

/** null: all of them. */
function kindFrom(word: string | undefined): MailKind | null {
  if (word === undefined) return null
  const kind = MAIL_KINDS.find((candidate) => candidate === word)
  if (kind === undefined)
    throw new UsageError(
      `There is no mail "${word}": name login, receipt, shipment, refund, cancellation or new_order.`,
    )
  return kind
}

/** `origin`: what links to us begin with; null where mails have none. */
type Subject = { readonly shop: MailShop; readonly told: Told; readonly origin: string | null }

const write = (kind: MailKind, subject: Subject) =>
  writeKind(kind, { ...subject, orderUrl: dashboardUrl(subject.origin, subject.told.orderId) })

async function readSubject(
  config: Config,
  { merchant, order }: { merchant?: string; order?: string },
): Promise<Subject> {
  // Without a PUBLIC_URL a mail has links to us, and the logo, where its request came by a name that lasts. Here there is no request: what
  // goes out is shown without them, and what is kept as on this machine.
  const origin = config.publicUrl ?? (config.mailServer === null ? `http://localhost:${config.port}` : null)
  if (merchant === undefined) {
    if (order !== undefined) throw new UsageError('Name the merchant of the order, too: --merchant ID.')
    return { shop: sampleShop, told: sampleTold(origin ?? '', systemClock.now()), origin }
  }
  const id = merchantIdFrom(merchant)
  return withDatabase(config, async (db, clock) => {
    const found = await mailShop({ db }, { merchantId: id, isSandbox: false }, origin)
    if (found === null) throw notFound('merchant')
    const told =
      order === undefined ? sampleTold(origin ?? '', clock.now()) : await readTold(db, clock, id, order, origin ?? '')
    return { shop: found.shop, told, origin }
  })
}

/** Of either mode: the operator may look at both. */
async function readTold(db: Database, clock: Clock, merchantId: number, id: string, origin: string): Promise<Told> {
  const row =
    (await findOrder(db, { merchantId, isSandbox: true }, id)) ??
    (await findOrder(db, { merchantId, isSandbox: false }, id))
  if (row === null) throw notFound('order')
  const addresses = await orderAddresses({ signingSecret: signingSecrets(db, clock) }, origin)
  const order = viewOrder(row, addresses, clock.now())
  const shown = { row, order }
  return {
    orderId: id,
    order,
    shipment: shipmentSubject(shown, row.shipments.at(-1)?.id ?? ''),
    refund: row.refunds.reduce<RefundSubject | null>((last, refund) => refundSubject(shown, refund.id) ?? last, null),
    cancellation: cancellationSubject(shown, false),
  }
}
