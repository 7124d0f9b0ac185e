// Mails as the developer of a shop reads them.

import { type Static, Type } from 'typebox'
import { kind, pageQuery, Timestamp } from '../../http/schema.ts'

export const DEFAULT_LIMIT = 20

export const KeptMail = kind('mail', {
  id: Type.String(),
  kind: Type.String({ description: 'login or receipt.' }),
  to: Type.String(),
  from: Type.String({ description: 'The name of the shop and the address that answers go to.' }),
  subject: Type.String(),
  text: Type.String(),
  html: Type.String(),
  created: Timestamp,
})

export type KeptMail = Static<typeof KeptMail>

export const ListMails = Type.Object({
  ...pageQuery(DEFAULT_LIMIT),
  to: Type.Optional(Type.String({ maxLength: 320, description: 'Only mails to this address.' })),
})
