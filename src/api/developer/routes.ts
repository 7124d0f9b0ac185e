// Endpoints of /v1/developer and of /v1/versions, for people who build a shop. Mails need a sandbox key, and requests a key of either mode.

import { type Static, Type } from 'typebox'
import { type Caller, defineEndpoint } from '../../http/endpoint/endpoint.ts'
import { kind, listOf, oneOf, pageQuery, Timestamp } from '../../http/endpoint/schema.ts'
import { forbidden, notFound } from '../../lib/errors.ts'
import { paginate, parsePageQuery } from '../../lib/page.ts'
import { findMail, listMails, type MailRow, sweepOldMails } from '../../mail/outbox-store.ts'
import { MAIL_KINDS } from '../../mail/previews.ts'
import { sweepLogDays } from '../../request-log/store.ts'
import type { Slice } from '../slice.ts'
import { getLog, LogList, LogQuery, listLogs, logKinds, RequestLogEntry } from './logs.ts'
import {
  getMailSetup,
  MailPreview,
  MailSetup,
  previewMail,
  sendTestMail,
  TEST_MAIL_TIMEOUT_MS,
  TestMail,
  TestMailBody,
} from './mails.ts'
import { ApiVersions, listVersions } from './versions.ts'

const DEFAULT_LIMIT = 20

/** A mail as the developer of a shop reads it. */
const DeveloperMail = kind('mail', {
  id: Type.String(),
  kind: Type.String({ description: 'Such as login, receipt, shipment, refund, cancellation or new_order.' }),
  to: Type.String(),
  from: Type.String({ description: 'The name of the shop and the address that answers go to.' }),
  subject: Type.String(),
  text: Type.String(),
  html: Type.String(),
  created: Timestamp,
})

export type DeveloperMail = Static<typeof DeveloperMail>

const ListMails = Type.Object({
  ...pageQuery(DEFAULT_LIMIT),
  to: Type.Optional(Type.String({ maxLength: 320, description: 'Only mails to this address.' })),
})

/** Field by field, because a row holds more than is shown. */
const viewMail = (row: MailRow): DeveloperMail => ({
  id: row.id,
  kind: row.kind,
  to: row.recipient,
  from: row.sender,
  subject: row.subject,
  text: row.body_text,
  html: row.body_html,
  created: row.created,
})

function demandSandbox({ is_sandbox }: Caller) {
  if (!is_sandbox) throw forbidden('The outbox exists only in the sandbox: use a secret key that begins with sk_test_.')
}

export const developer: Slice = {
  kinds: [DeveloperMail, MailSetup, MailPreview, TestMail, ...logKinds, ApiVersions],
  sweeps: ({ retention }) => [sweepOldMails, sweepLogDays(retention.requestLogDays)],
  endpoints: [
    defineEndpoint({
      operation: 'developer.list_mails',
      permission: 'build',
      summary:
        'Lists the mails of the last seven days that were kept and not sent, newest first: all, where the service has no mail server. With the sandbox secret key.',
      method: 'GET',
      path: '/v1/developer/outbox',
      access: 'secret',
      query: ListMails,
      status: 200,
      returns: listOf(DeveloperMail),
      handle: async ({ db, caller, query, url }) => {
        demandSandbox(caller)
        const page = parsePageQuery(query, DEFAULT_LIMIT)
        const { rows, total } = await listMails(db, caller, query.to ?? null, page)
        return paginate(rows.map(viewMail), total, page, url)
      },
    }),
    defineEndpoint({
      operation: 'developer.get_mail',
      permission: 'build',
      summary: 'Gives one mail of the outbox. With the sandbox secret key.',
      method: 'GET',
      path: '/v1/developer/outbox/:id',
      access: 'secret',
      params: Type.Object({ id: Type.String({ description: 'The id of a mail: mail_…' }) }),
      status: 200,
      returns: DeveloperMail,
      handle: async ({ db, caller, params }) => {
        demandSandbox(caller)
        const row = await findMail(db, caller, params.id)
        if (row === null) throw notFound('mail')
        return viewMail(row)
      },
    }),
    defineEndpoint({
      operation: 'developer.mail_setup',
      permission: 'build',
      summary: 'Says how the mails of the shop are sent: whether at all, from whom, and where answers go.',
      method: 'GET',
      path: '/v1/developer/mail',
      access: 'secret',
      status: 200,
      returns: MailSetup,
      handle: (context) => getMailSetup(context),
    }),
    defineEndpoint({
      operation: 'developer.preview_mail',
      permission: 'build',
      summary: 'Gives a mail as the shop would send it of a made-up order. Nothing is sent.',
      method: 'GET',
      path: '/v1/developer/mail/:kind',
      access: 'secret',
      params: Type.Object({ kind: oneOf(MAIL_KINDS) }),
      status: 200,
      returns: MailPreview,
      handle: (context) => previewMail(context, context.params.kind),
    }),
    defineEndpoint({
      operation: 'developer.test_mail',
      permission: 'build',
      summary:
        'Sends a mail to try the mail server, and says what the server answered. 409 where the service has none. At most 20 an hour, and 5 to one mailbox.',
      method: 'POST',
      path: '/v1/developer/test-mail',
      access: 'secret',
      limited: true,
      deadlineMs: 2 * TEST_MAIL_TIMEOUT_MS,
      body: TestMailBody,
      status: 200,
      returns: TestMail,
      handle: (context) => sendTestMail(context, context.body),
    }),
    defineEndpoint({
      operation: 'developer.list_logs',
      permission: 'build',
      summary:
        "Lists the requests of the last days that were sent with the shop's keys, newest first, in the mode of the secret key.",
      method: 'GET',
      path: '/v1/developer/logs',
      access: 'secret',
      query: LogQuery,
      status: 200,
      returns: LogList,
      handle: ({ db, caller, query }) => listLogs(db, caller, query),
    }),
    defineEndpoint({
      operation: 'developer.get_log',
      permission: 'build',
      summary: 'Gives one request by its id, with the bodies of a write or a refusal, in the mode of the secret key.',
      method: 'GET',
      path: '/v1/developer/logs/:id',
      access: 'secret',
      params: Type.Object({ id: Type.String({ description: 'The id of a request: req_…' }) }),
      status: 200,
      returns: RequestLogEntry,
      handle: ({ db, caller, params }) => getLog(db, caller, params.id),
    }),
    defineEndpoint({
      operation: 'versions.list',
      permission: 'build',
      summary:
        'Lists the versions of the API: what each has changed, which one the shop is set to, and how many requests of the last seven days were answered in each.',
      method: 'GET',
      path: '/v1/versions',
      access: 'secret',
      status: 200,
      returns: ApiVersions,
      handle: (context) => listVersions(context),
    }),
  ],
}
