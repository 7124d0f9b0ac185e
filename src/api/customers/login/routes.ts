// The endpoints of logging in, with their bodies, answers and event. None of the answers is kept: not by caches, and not for a repeated Idempotency-Key where they hold
// what opens a session.

import { type Static, Type } from 'typebox'
import { type Endpoint, endpoint } from '../../../http/endpoint/endpoint.ts'
import { kind, nullable } from '../../../http/endpoint/schema.ts'
import { LONGEST_BASE_URL } from './link.ts'
import { askForLogin, exchangeToken, issueSessionFor, issueToken } from './login.ts'

const Email = Type.String({ description: 'Upper and lower case are the same.' })

const AskForLogin = Type.Object({
  email: Email,
  base_url: Type.String({
    minLength: 1,
    maxLength: LONGEST_BASE_URL,
    description:
      'Where the link in the mail leads. The token is put where {token} stands, else behind the path. With live keys its origin must be one of the allowed_origins of the merchant; in the sandbox, a mail whose link leads elsewhere than there or to this machine (localhost) is kept in the outbox and not sent.',
  }),
})

/** The same whether or not there is such a customer. */
const LoginAskedFor = kind('login_asked_for', { success: Type.Boolean() })

const ExchangeToken = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 255, description: 'From the link. It can be used once.' }),
})

const CustomerSession = kind('customer_session', {
  customer_id: Type.String(),
  jwt: Type.String({ description: 'For the header Authorization: Bearer, for 24 hours.' }),
})

const IssueToken = Type.Object({ email: Email })

const LoginToken = kind('login_token', {
  token: Type.String({ description: 'For exchange-token, once, within 15 minutes.' }),
})

/** The payload of `customers.login.token`. */
export const LoginTokenEvent = kind('login_token_event', {
  success: Type.Boolean(),
  email: Type.String(),
  url: nullable(Type.String(), {
    description: 'The link, where the merchant has switched the mail off and sends it; null where we have mailed it.',
  }),
})

export type LoginTokenEvent = Static<typeof LoginTokenEvent>

export const loginKinds = [LoginAskedFor, CustomerSession, LoginToken, LoginTokenEvent] as const

export const loginEndpoints: readonly Endpoint[] = [
  endpoint({
    operation: 'customers.email_token',
    summary: 'Mails a login link to the customer of that address, if there is one; the answer does not tell.',
    method: 'POST',
    path: '/v1/customers/email-token',
    access: 'public',
    noStore: true,
    limited: true,
    body: AskForLogin,
    status: 200,
    returns: LoginAskedFor,
    handle: async (context) => {
      await askForLogin(context, context.body)
      return { success: true }
    },
  }),
  endpoint({
    operation: 'customers.exchange_token',
    summary: 'Turns the token of a login link into a session of 24 hours.',
    method: 'POST',
    path: '/v1/customers/exchange-token',
    access: 'public',
    noStore: true,
    limited: true,
    body: ExchangeToken,
    status: 200,
    returns: CustomerSession,
    handle: (context) => exchangeToken(context, context.body.token),
  }),
  endpoint({
    operation: 'customers.issue_token',
    summary: 'Gives a token for exchange-token, for a merchant who mails login links himself.',
    method: 'POST',
    path: '/v1/customers/issue-token',
    access: 'secret',
    noStore: true,
    body: IssueToken,
    status: 200,
    returns: LoginToken,
    handle: (context) => issueToken(context, context.body.email),
  }),
  endpoint({
    operation: 'customers.issue_session',
    summary: 'Gives a session of the customer, without a mail.',
    method: 'POST',
    path: '/v1/customers/:customer_id/issue-token',
    access: 'secret',
    noStore: true,
    params: Type.Object({ customer_id: Type.String({ description: 'cstmr_…' }) }),
    status: 200,
    returns: CustomerSession,
    handle: (context) => issueSessionFor(context, context.params.customer_id),
  }),
]
