// Sends a digest when too many free or unpaid orders arrive to mail the merchant about each. It goes out when the hour is over.
// The waiting orders have their own table, written in the transaction that ends the job of the order's own mail.

import type { Scope } from '../../../db/db.ts'
import type { Services } from '../../../http/endpoint/endpoint.ts'
import { type JobContext, type JobHandler, jobScope } from '../../../jobs/job.ts'
import { enqueueWithCommit, type NewJob } from '../../../jobs/queue.ts'
import { type Mail, mailIdOf } from '../../../mail/mailer.ts'
import { orderDigestMail } from '../../../mail/orders/order-digest-mail.ts'
import { storeUnsentMail } from '../../../mail/outbox-store.ts'
import { sendMail } from '../../../mail/send.ts'
import { countMerchantDigest, mailOrigin } from '../../../mail/trust.ts'
import { findMailSender } from '../../merchants/view.ts'
import { addToDigest, findDigest, removeReportedOrders } from './store.ts'
import { orderListUrl } from './subjects.ts'

const SEND_DIGEST = 'orders.send_digest'

/** `lastingOrigin` comes from one of the captures. */
type DigestJob = { readonly isSandbox: boolean; readonly lastingOrigin: string }

/** The key joins a job that already waits, so that one digest covers all orders of the hour. */
const digestJob = ({ merchant_id, is_sandbox }: Scope, lastingOrigin: string, runAt: Date): NewJob => {
  const payload: DigestJob = { isSandbox: is_sandbox, lastingOrigin }
  return { merchant_id, kind: SEND_DIGEST, key: is_sandbox ? 'sandbox' : 'live', payload, runAt }
}

/** Ends the job of a new-order mail and adds the order to the digest. `reference` is the order's name for people. */
export const deferToDigest = (
  run: Pick<JobContext, 'db' | 'finish'>,
  scope: Scope,
  { reference, lastingOrigin }: { readonly reference: string; readonly lastingOrigin: string },
  digestAt: Date,
): Promise<void> =>
  run.db.transaction(async (tx) => {
    await run.finish(tx)
    await addToDigest(tx, scope, reference)
    enqueueWithCommit(tx, digestJob(scope, lastingOrigin, digestAt))
  })

export const sendOrderDigest = (services: Services): JobHandler<DigestJob> => ({
  kind: SEND_DIGEST,
  lane: 'mail',
  async handle(run) {
    const { db, clock, mailer } = services
    const { jobId, log, payload } = run
    const scope = jobScope(run)
    const origin = mailOrigin(services, payload)
    const [mailing, digest] = await db.together((all) => [
      findMailSender({ db: all }, scope, origin),
      findDigest(all, scope),
    ])
    if (digest === null) return
    const finishDigest = () =>
      db.transaction(async (tx) => {
        await run.finish(tx)
        await removeReportedOrders(tx, scope, digest)
      })
    // The merchant may have switched it off meanwhile.
    if (mailing === null || mailing.merchantEmail === '' || !mailing.merchant_mails.orders) return finishDigest()
    const laterAt = await countMerchantDigest(run, scope)
    if (laterAt !== null)
      return db.transaction(async (tx) => {
        await run.finish(tx)
        enqueueWithCommit(tx, digestJob(scope, payload.lastingOrigin, laterAt))
      })
    const { shop, merchantEmail: to } = mailing
    const { orders, order_references: references } = digest
    log.warn(
      { merchant_id: scope.merchant_id, sandbox: scope.is_sandbox, orders },
      'A merchant receives a digest of new orders: too many free, unpaid or sandbox orders were placed within an hour.',
    )
    const mail: Mail = {
      ...scope,
      kind: 'order_digest',
      id: mailIdOf(jobId),
      to,
      from: { name: shop.name, replyTo: shop.supportEmail },
      ...orderDigestMail(shop, { is_sandbox: scope.is_sandbox, orders, references, url: orderListUrl(origin) }),
    }
    if (mailer.goesOut) await sendMail(services, run, mail)
    else await storeUnsentMail(db, mail, clock.now())
    await finishDigest()
  },
})
