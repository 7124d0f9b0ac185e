// Mails that are not sent: those of a service without a mail server, and those that must not leave the sandbox. Kept here, for the
// developer of a shop to read.

import { type Db, statement } from '../db/db.ts'

/** As mail/mailer.ts has it. */
type KeptMail = {
  readonly merchantId: number
  readonly isSandbox: boolean
  readonly kind: string
  readonly id: string
  readonly to: string
  readonly from: { readonly name: string; readonly replyTo: string }
  readonly subject: string
  readonly text: string
  readonly html: string
}

// A mail that is sent again after its job died half-way is the same mail.
const insert = statement(
  'mails.insert',
  `insert into mails (merchant_id, id, is_sandbox, kind, recipient, sender, subject, body_text, body_html, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
   on conflict (merchant_id, id) do nothing`,
)

/**
 * Of a live mail only that it was not sent: nobody may read it, and its link would open the account of a customer, or what was bought, to
 * whoever reads the database.
 */
export const keepMail = async (db: Db, mail: KeptMail, now: Date): Promise<void> => {
  const { merchantId, id, isSandbox, kind, to, from, subject } = mail
  const { text, html } = isSandbox ? mail : { text: '', html: '' }
  const sender = from.replyTo === '' ? from.name : `${from.name} <${from.replyTo}>`
  await db.run(insert, [merchantId, id, isSandbox, kind, to, sender, subject, text, html, now])
}

const deleteOld = statement(
  'sweep.mails',
  `delete from mails where (merchant_id, id) in (
     select merchant_id, id from mails where created_at < $1 order by created_at limit $2
   )`,
)

/** Deletes at most `limit` mails kept since before `moment`, and returns how many it deleted. */
export const deleteMailsBefore = (db: Db, moment: Date, limit: number): Promise<number> =>
  db.run(deleteOld, [moment, limit])
