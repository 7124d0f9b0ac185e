// The endpoints of logging in. Replies are not cached. Replies with credentials are not stored for a repeated Idempotency-Key either.

import { Type } from 'typebox'
import { defineEndpoint, type Endpoint } from '../../../http/endpoint/endpoint.ts'
import { exchangeToken, issueSessionFor, issueToken, requestLoginLink } from './login.ts'
import { CustomerSession, ExchangeToken, IssueToken, LoginRequested, LoginToken, RequestLogin } from './schema.ts'

export const loginEndpoints: readonly Endpoint[] = [
  defineEndpoint({
    operation: 'customers.email_token',
    permission: 'write',
    summary: 'Mails a login link to the customer of that address, if there is one; the answer does not tell.',
    method: 'POST',
    path: '/v1/customers/email-token',
    access: 'public',
    noStore: true,
    limited: true,
    body: RequestLogin,
    status: 200,
    returns: LoginRequested,
    handle: async (context) => {
      await requestLoginLink(context, context.body)
      return { success: true }
    },
  }),
  defineEndpoint({
    operation: 'customers.exchange_token',
    permission: 'write',
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
  defineEndpoint({
    operation: 'customers.issue_token',
    permission: 'write',
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
  defineEndpoint({
    operation: 'customers.issue_session',
    permission: 'write',
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
