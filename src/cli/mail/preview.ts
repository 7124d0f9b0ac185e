// `cartwright mail preview`: writes the mails to customers and merchants as files, to view in a browser. They show a sample order or an
// existing one. Nothing is sent.

import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { findMailSender } from '../../api/merchants/view.ts'
import { createOrderAddresses } from '../../api/orders/links.ts'
import {
  cancellationSubject,
  orderDashboardUrl,
  refundSubject,
  shipmentSubject,
} from '../../api/orders/mails/subjects.ts'
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
import {
  MAIL_KINDS,
  type MailedOrder,
  type PreviewMailKind,
  sampleMailedOrder,
  writePreviewMail,
} from '../../mail/previews.ts'
import { withDatabase } from '../database.ts'
import { parseMerchantId, printLine, readArguments, UsageError } from '../help.ts'

const DEFAULT_FOLDER = 'mail-preview'

export async function previewMails(config: Config, rest: readonly string[]): Promise<void> {
  const { values, positionals } = readArguments(
    rest,
    { merchant: { type: 'string' }, order: { type: 'string' }, out: { type: 'string' } },
    1,
  )
  const onlyKind = kindFrom(positionals[0])
  const subject = await readSubject(config, values)
  const mails = (onlyKind === null ? MAIL_KINDS : [onlyKind]).map((kind) => ({ kind, written: render(kind, subject) }))
  if (onlyKind !== null && mails.every(({ written: mail }) => mail === null))
    throw new UsageError(`There is no ${onlyKind} mail for this order.`)
  const folder = resolve(values.out ?? DEFAULT_FOLDER)
  await mkdir(folder, { recursive: true })
  for (const { kind, written: mail } of mails) {
    if (mail === null) continue
    for (const [ending, content] of [
      ['html', mail.html],
      ['txt', `Subject: ${mail.subject}\n\n${mail.text}`],
    ] as const) {
      const file = join(folder, `${kind}.${ending}`)
      await writeFile(file, content)
      printLine(file)
    }
  }
}

/** Null selects all kinds. */
function kindFrom(word: string | undefined): PreviewMailKind | null {
  if (word === undefined) return null
  const kind = MAIL_KINDS.find((candidate) => candidate === word)
  if (kind === undefined) throw new UsageError(`There is no mail "${word}". Name one of ${MAIL_KINDS.join(', ')}.`)
  return kind
}

/** `origin` starts the links to us; null if mails have none. */
type Subject = { readonly shop: MailShop; readonly mailedOrder: MailedOrder; readonly origin: string | null }

const render = (kind: PreviewMailKind, subject: Subject) =>
  writePreviewMail(kind, { ...subject, orderUrl: orderDashboardUrl(subject.origin, subject.mailedOrder.orderId) })

async function readSubject(
  config: Config,
  { merchant, order }: { merchant?: string; order?: string },
): Promise<Subject> {
  // Without PUBLIC_URL, mails have links to us and the logo only if their request came by a stable host name. Here there is no request. So
  // mails to send are shown without them, and stored mails with links to this machine.
  const origin = config.publicUrl ?? (config.mailServer === null ? `http://localhost:${config.port}` : null)
  if (merchant === undefined) {
    if (order !== undefined) throw new UsageError('Add --merchant ID to name the merchant of the order.')
    return { shop: sampleShop, mailedOrder: sampleMailedOrder(origin ?? '', systemClock.now()), origin }
  }
  const id = parseMerchantId(merchant)
  return withDatabase(config, async (db, clock) => {
    const sender = await findMailSender({ db }, { merchant_id: id, is_sandbox: false }, origin)
    if (sender === null) throw notFound('merchant')
    const details =
      order === undefined
        ? sampleMailedOrder(origin ?? '', clock.now())
        : await readOrder(db, clock, id, order, origin ?? '')
    return { shop: sender.shop, mailedOrder: details, origin }
  })
}

/** The order may be of either mode: the operator may see both. */
async function readOrder(
  db: Database,
  clock: Clock,
  merchant_id: number,
  id: string,
  origin: string,
): Promise<MailedOrder> {
  const row =
    (await findOrder(db, { merchant_id, is_sandbox: true }, id)) ??
    (await findOrder(db, { merchant_id, is_sandbox: false }, id))
  if (row === null) throw notFound('order')
  const addresses = await createOrderAddresses({ signingSecret: signingSecrets(db, clock) }, origin)
  const order = viewOrder(row, addresses, clock.now())
  const view = { row, order }
  return {
    orderId: id,
    order,
    shipment: shipmentSubject(view, row.shipments.at(-1)?.id ?? ''),
    refund: row.refunds.reduce<RefundSubject | null>((last, refund) => refundSubject(view, refund.id) ?? last, null),
    cancellation: cancellationSubject(view, false),
  }
}
