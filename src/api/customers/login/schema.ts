// Schemas of logging in: bodies, replies, and the event about a login link.

import { type Static, Type } from 'typebox'
import { kind, nullable, SECRET } from '../../../http/endpoint/schema.ts'
import { LONGEST_BASE_URL } from './link.ts'

const Email = Type.String({ description: 'Upper and lower case are the same.' })

export const RequestLogin = Type.Object({
  email: Email,
  base_url: Type.String({
    minLength: 1,
    maxLength: LONGEST_BASE_URL,
    description:
      'Where the link in the mail leads. The token is put where {token} stands, else behind the path. With live keys its origin must be one of the allowed_origins of the merchant; in the sandbox, a mail whose link leads elsewhere than there or to this machine (localhost) is kept in the outbox and not sent.',
  }),
})

/** The same reply whether or not the customer exists. */
export const LoginRequested = kind('login_asked_for', { success: Type.Boolean() })

export const ExchangeToken = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 255, ...SECRET, description: 'From the link. It can be used once.' }),
})

export const CustomerSession = kind('customer_session', {
  customer_id: Type.String(),
  jwt: Type.String({ ...SECRET, description: 'For the header Authorization: Bearer, for 24 hours.' }),
})

export const IssueToken = Type.Object({ email: Email })

export const LoginToken = kind('login_token', {
  token: Type.String({ ...SECRET, description: 'For exchange-token, once, within 15 minutes.' }),
})

/** Payload of the event `customers.login.token`. */
export const LoginTokenEvent = kind('login_token_event', {
  success: Type.Boolean(),
  email: Type.String(),
  url: nullable(Type.String(), {
    description: 'The link, where the merchant has switched the mail off and sends it; null where we have mailed it.',
  }),
})

export type LoginTokenEvent = Static<typeof LoginTokenEvent>

export const loginKinds = [LoginRequested, CustomerSession, LoginToken, LoginTokenEvent] as const
