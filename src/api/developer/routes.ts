// The endpoints of /v1/developer: what somebody who builds a shop looks at, with the keys of the sandbox.

import { Type } from 'typebox'
import { deleteMailsBefore } from '../../db/mail-outbox.ts'
import { type Caller, endpoint } from '../../http/endpoint.ts'
import { listOf } from '../../http/schema.ts'
import type { Sweep } from '../../jobs/schedule.ts'
import { inBatches } from '../../jobs/sweeps.ts'
import { forbidden, notFound } from '../../lib/errors.ts'
import { pageOf, readPage } from '../../lib/page.ts'
import type { Slice } from '../slice.ts'
import { DEFAULT_LIMIT, KeptMail, ListMails } from './schema.ts'
import { findMail, listMails } from './store.ts'
import { viewMail } from './view.ts'

const KEPT_MS = 7 * 86_400_000

const sweepOldMails: Sweep = {
  name: 'old-mails',
  everySeconds: 3_600,
  run({ db, clock, signal }) {
    const oldest = new Date(clock.now().getTime() - KEPT_MS)
    return inBatches(signal, (limit) => deleteMailsBefore(db, oldest, limit))
  },
}

function demandSandbox({ isSandbox }: Caller) {
  if (!isSandbox) throw forbidden('The outbox is the sandbox’s: use the secret key that begins with sk_test_.')
}

export const developer: Slice = {
  kinds: [KeptMail],
  sweeps: () => [sweepOldMails],
  endpoints: [
    endpoint({
      operation: 'developer.list_mails',
      summary:
        'Lists the mails of the last seven days that were kept and not sent, newest first: all, where the service has no mail server. With the sandbox secret key.',
      method: 'GET',
      path: '/v1/developer/outbox',
      access: 'secret',
      query: ListMails,
      status: 200,
      returns: listOf(KeptMail),
      handle: async ({ db, caller, query, url }) => {
        demandSandbox(caller)
        const page = readPage(query, DEFAULT_LIMIT)
        const { rows, total } = await listMails(db, caller.merchantId, query.to ?? null, page)
        return pageOf(rows.map(viewMail), total, page, url)
      },
    }),
    endpoint({
      operation: 'developer.get_mail',
      summary: 'Gives one mail of the outbox. With the sandbox secret key.',
      method: 'GET',
      path: '/v1/developer/outbox/:id',
      access: 'secret',
      params: Type.Object({ id: Type.String({ description: 'The id of a mail: mail_…' }) }),
      status: 200,
      returns: KeptMail,
      handle: async ({ db, caller, params }) => {
        demandSandbox(caller)
        const row = await findMail(db, caller.merchantId, params.id)
        if (row === null) throw notFound('mail')
        return viewMail(row)
      },
    }),
  ],
}
