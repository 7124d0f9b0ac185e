// SQL of the mails that were kept and not sent, those of the sandbox only: of live ones nothing is kept that could be read.
// db/mail-outbox.ts writes and sweeps them.

import { type Db, statement } from '../../db/db.ts'
import type { Page } from '../../lib/page.ts'

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
  `select ${COLUMNS} from mails where merchant_id = $1 and is_sandbox and id = $2`,
)

export const findMail = (db: Db, merchantId: number, id: string) => db.maybe(find, [merchantId, id])

const list = statement<{ total: number; rows: MailRow[] }>(
  'mails.list',
  `select
     (
       select count(*) from mails
       where merchant_id = $1 and is_sandbox and ($2::text is null or lower(recipient) = lower($2))
     ) as total,
     coalesce((
       select json_agg(page)
       from (
         select ${COLUMNS}
         from mails
         where merchant_id = $1 and is_sandbox and ($2::text is null or lower(recipient) = lower($2))
         order by created_at desc, id desc
         limit $3 offset $4::bigint
       ) page
     ), '[]') as rows`,
)

/** Newest first; all of them when `to` is null. */
export const listMails = (db: Db, merchantId: number, to: string | null, { limit, offset }: Page) =>
  db.one(list, [merchantId, to, limit, offset])
