// Mails that are not sent: those of a service without a mail server, and those that must not leave the sandbox. Kept here for a week, for
// the developer of a shop to read.

import { countedOfMode, keptCountOfMode } from '../db/counts.ts'
import { type Db, statement } from '../db/db.ts'
import { listSql, type RowPage, type Shop } from '../db/records.ts'
import { sweepOf } from '../jobs/sweeps.ts'
import type { Page } from '../lib/page.ts'
import type { Mail } from './mailer.ts'

// A mail that is sent again after its job died half-way is the same mail.
const insert = statement(
  'mails.insert',
  `with kept as (
     insert into mails (merchant_id, id, is_sandbox, kind, recipient, sender, subject, body_text, body_html, created_at)
     values (:merchant_id, :id, :is_sandbox, :kind, :to, :sender, :subject, :text, :html, :now)
     on conflict (merchant_id, id) do nothing
     returning id
   ),
   ${countedOfMode({ list: 'mails', change: 1, from: 'kept' })}
   select 1 from kept`,
)

/**
 * Of a live mail, keep only that it was not sent: its link would open a customer's account, or what was bought, to whoever reads the
 * database.
 */
export const keepMail = async (db: Db, mail: Mail, now: Date): Promise<void> => {
  const { merchantId, isSandbox, from } = mail
  const { text, html } = isSandbox ? mail : { text: '', html: '' }
  const sender = from.replyTo === '' ? from.name : `${from.name} <${from.replyTo}>`
  await db.run(insert, { ...mail, merchant_id: merchantId, is_sandbox: isSandbox, sender, text, html, now })
}

/** A mail of the sandbox: of live ones nothing is kept that could be read. */
export type MailRow = {
  id: string
  kind: string
  recipient: string
  sender: string
  subject: string
  body_text: string
  body_html: string
  created: number
}

const COLUMNS = 'id, kind, recipient, sender, subject, body_text, body_html, unix_seconds(created_at) as created'

const find = statement<MailRow>(
  'mails.find',
  `select ${COLUMNS} from mails where merchant_id = :merchant_id and is_sandbox = :is_sandbox and id = :id`,
)

// The mode is a value, so that no plan takes an index of the sandbox's mails for the way to one of them.
export const findMail = (db: Db, { merchantId }: Shop, id: string) =>
  db.maybe(find, { merchant_id: merchantId, is_sandbox: true, id })

/** So many of the newest are looked at for one that is not of a new order. */
const NEWEST_MAILS = 50

// With the mail that is looked for, each order sends one to the merchant, in the same moment.
const newest = statement<MailRow & { created_at: Date }>(
  'mails.find_newest',
  `select ${COLUMNS}, created_at
   from (
     select *
     from mails
     where merchant_id = :merchant_id and is_sandbox
     order by created_at desc, id desc
     limit ${NEWEST_MAILS}
   ) as newest
   order by kind = 'new_order', created_at desc, id desc
   limit 1`,
)

/** One of a new order, to the merchant, only where there is no other. */
export const findNewestMail = (db: Db, { merchantId }: Shop) => db.maybe(newest, { merchant_id: merchantId })

const NEWEST_FIRST = { row: COLUMNS, from: 'mails', orderBy: 'created_at desc, id desc' }
const OF_SANDBOX = 'merchant_id = :merchant_id and is_sandbox'

const list = statement<RowPage<MailRow>>(
  'mails.list',
  listSql({ ...NEWEST_FIRST, where: OF_SANDBOX, total: keptCountOfMode('mails') }),
)

const listTo = statement<RowPage<MailRow>>(
  'mails.list_to',
  listSql({ ...NEWEST_FIRST, where: `${OF_SANDBOX} and lower(recipient) = lower(:to)` }),
)

/** Newest first; all of them when `to` is null. */
export const listMails = (db: Db, { merchantId }: Shop, to: string | null, page: Page) =>
  db.one(to === null ? list : listTo, { ...page, merchant_id: merchantId, is_sandbox: true, to })

export const sweepOldMails = sweepOf('mails', {
  name: 'old-mails',
  everySeconds: 3_600,
  column: 'created_at',
  keptDays: 7,
  countedAs: 'mails',
})
