// Tells a merchant by mail that unusually many payments of the shop are declined. The alarm never closes the shop, because an attacker could
// use that. The decline enqueues a job, and the job decides.

import type { Scope, Tx } from '../../../db/db.ts'
import type { Services } from '../../../http/endpoint/endpoint.ts'
import { type JobHandler, jobScope } from '../../../jobs/job.ts'
import { enqueueWithCommit } from '../../../jobs/queue.ts'
import { lowestIdAt } from '../../../lib/ids.ts'
import { countIfWithinLimits } from '../../../limits/requests.ts'
import { declineMail } from '../../../mail/decline-mail.ts'
import { type Mail, mailIdOf } from '../../../mail/mailer.ts'
import { storeUnsentMail } from '../../../mail/outbox-store.ts'
import { sendMail } from '../../../mail/send.ts'
import { mailOrigin } from '../../../mail/trust.ts'
import { findMailSender } from '../../merchants/view.ts'
import { orderListUrl } from '../../orders/mails/subjects.ts'
import { countRecentAttempts } from './store.ts'

const RAISE_ALARM = 'capture.decline_alarm'

/** The job runs after so many declines of a shop within an hour, and again after as many more. */
const ALARMING = 100
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type AlarmJob = { readonly isSandbox: boolean; readonly lastingOrigin: string }

/** Call it in the transaction that counts a decline. `declines` are those of the shop within the hour. */
export function raiseDeclineAlarm(
  tx: Tx,
  { merchant_id, is_sandbox }: Scope,
  lastingOrigin: string,
  declines: number,
  now: Date,
): void {
  if (declines === 0 || declines % ALARMING !== 0) return
  const payload: AlarmJob = { isSandbox: is_sandbox, lastingOrigin }
  enqueueWithCommit(tx, {
    merchant_id,
    kind: RAISE_ALARM,
    key: is_sandbox ? 'sandbox' : 'live',
    payload,
    runAt: now,
  })
}

export const sendDeclineAlarm = (services: Services): JobHandler<AlarmJob> => ({
  kind: RAISE_ALARM,
  lane: 'mail',
  async handle(run) {
    const { db, clock, mailer } = services
    const { jobId, payload, log } = run
    const scope = jobScope(run)
    const now = clock.now()
    const origin = mailOrigin(services, payload)
    const since = lowestIdAt('paymentAttempt', new Date(now.getTime() - HOUR_MS))
    const [mailing, { attempts, declines }] = await db.together((all) => [
      findMailSender({ db: all }, scope, origin),
      countRecentAttempts(all, scope, since),
    ])
    // A busy shop has many declines, but even more sales.
    if (declines < ALARMING || declines * 2 <= attempts) return
    log.warn(
      { merchant_id: scope.merchant_id, sandbox: scope.is_sandbox, declines, attempts },
      'More than half of the payments of a shop were declined within the hour: somebody may be trying out cards.',
    )
    if (mailing === null || mailing.merchantEmail === '') return
    const limit = { subject: `decline alarm ${scope.is_sandbox ? 'sandbox' : 'live'}`, most: 1, windowMs: DAY_MS }
    if (!(await countIfWithinLimits(db, run, [limit], now, jobId))) return
    const { shop, merchantEmail } = mailing
    const mail: Mail = {
      ...scope,
      kind: 'declines',
      id: mailIdOf(jobId),
      to: merchantEmail,
      from: { name: shop.name, replyTo: shop.supportEmail },
      ...declineMail(shop, {
        is_sandbox: scope.is_sandbox,
        declines,
        attempts,
        url: orderListUrl(origin),
      }),
    }
    if (mailer.goesOut) return sendMail(services, run, mail)
    await run.endWith((all) => storeUnsentMail(all, mail, clock.now()))
  },
})
