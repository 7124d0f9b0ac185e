// Stores mails that are not sent, in the table `mails`: all mails of a service without a mail server, and mails that must not leave the
// sandbox. They stay for a week, for the shop's developer to read.

import { modeCountChangeSql, storedModeCountSql } from '../db/counts.ts'
import { type Db, type Shop, statement } from '../db/db.ts'
import { listSql, type RowPage } from '../db/records.ts'
import { sweepOf } from '../jobs/sweeps.ts'
import type { PageQuery } from '../lib/page.ts'
import type { Mail } from './mailer.ts'

// A job that crashed half-way stores the same mail again; the conflict ignores it.
const insert = statement(
  'mails.insert',
  `with kept as (
     insert into mails (merchant_id, id, is_sandbox, kind, recipient, sender, subject, body_text, body_html, created_at)
     values (:merchant_id, :id, :is_sandbox, :kind, :to, :sender, :subject, :text, :html, :now)
     on conflict (merchant_id, id) do nothing
     returning id
   ),
   ${modeCountChangeSql({ list: 'mails', change: 1, from: 'kept' })}
   select 1 from kept`,
)

/**
 * For a live mail, store only that it was not sent. Its link would give anybody with access to the database a customer's account or
 * purchases.
 */
export const storeUnsentMail = async (db: Db, mail: Mail, now: Date): Promise<void> => {
  const { merchant_id, is_sandbox, from } = mail
  const { text, html } = is_sandbox ? mail : { text: '', html: '' }
  const sender = from.replyTo === '' ? from.name : `${from.name} <${from.replyTo}>`
  await db.run(insert, { ...mail, merchant_id, is_sandbox, sender, text, html, now })
}

/** A stored mail of the sandbox. The text of live mails is not stored. */
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

// Pass the mode as a value, so that no plan uses the index of the sandbox's mails to find one mail.
export const findMail = (db: Db, { merchant_id }: Shop, id: string) =>
  db.maybe(find, { merchant_id, is_sandbox: true, id })

/** How many of the newest mails to search for one that is not about a new order. */
const NEWEST_MAILS = 50

// Each order also mails the merchant at the same moment, so the mail that somebody looks for is rarely the newest.
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

/** Returns a mail to the merchant about a new order only if there is no other mail. */
export const findNewestMail = (db: Db, { merchant_id }: Shop) => db.maybe(newest, { merchant_id })

const NEWEST_FIRST = { row: COLUMNS, from: 'mails', orderBy: 'created_at desc, id desc' }
const OF_SANDBOX = 'merchant_id = :merchant_id and is_sandbox'

const list = statement<RowPage<MailRow>>(
  'mails.list',
  listSql({ ...NEWEST_FIRST, where: OF_SANDBOX, total: storedModeCountSql('mails') }),
)

const listTo = statement<RowPage<MailRow>>(
  'mails.list_to',
  listSql({ ...NEWEST_FIRST, where: `${OF_SANDBOX} and lower(recipient) = lower(:to)` }),
)

/** Newest first; all mails if `to` is null. */
export const listMails = (db: Db, { merchant_id }: Shop, to: string | null, page: PageQuery) =>
  db.one(to === null ? list : listTo, { ...page, merchant_id, is_sandbox: true, to })

export const sweepOldMails = sweepOf('mails', {
  name: 'old-mails',
  everySeconds: 3_600,
  column: 'created_at',
  keptDays: 7,
  countedAs: 'mails',
})
