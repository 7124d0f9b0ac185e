// A row → a kept mail in its newest form, field by field.

import type { KeptMail } from './schema.ts'
import type { MailRow } from './store.ts'

export const viewMail = (row: MailRow): KeptMail => ({
  id: row.id,
  kind: row.kind,
  to: row.recipient,
  from: row.sender,
  subject: row.subject,
  text: row.body_text,
  html: row.body_html,
  created: row.created,
})
