// The digest: new orders that are free or not paid, and come so fast that their merchant is not told of each, are told of by one mail when the
// hour is over. They wait in a row of their own, which is written in the transaction that ends the job of the order's own mail.

import type { Scope } from '../../../db/db.ts'
import type { Services } from '../../../http/endpoint/endpoint.ts'
import type { JobContext, JobHandler } from '../../../jobs/job.ts'
import { enqueueWithCommit, type NewJob } from '../../../jobs/queue.ts'
import { type Mail, mailIdOf } from '../../../mail/mailer.ts'
import { orderDigestMail } from '../../../mail/orders/order-digest-mail.ts'
import { keepMail } from '../../../mail/outbox-store.ts'
import { sendMail } from '../../../mail/send.ts'
import { countOwnDigest, mailOrigin } from '../../../mail/trust.ts'
import { mailShop } from '../../merchants/view.ts'
import { findDigest, forgetTold, noteForDigest } from './store.ts'
import { ordersUrl } from './subjects.ts'

const SEND_DIGEST = 'orders.send_digest'

/** `lastingOrigin`: of one of the captures. */
type DigestJob = { readonly isSandbox: boolean; readonly lastingOrigin: string }

/** The key joins the job that waits: there is one digest for all orders of the hour. */
const digestJob = ({ merchantId, isSandbox }: Scope, lastingOrigin: string, runAt: Date): NewJob => {
  const payload: DigestJob = { isSandbox, lastingOrigin }
  return { merchantId, kind: SEND_DIGEST, key: isSandbox ? 'sandbox' : 'live', payload, runAt }
}

/** Ends the job of a mail about a new order. `reference`: what people call the order. */
export const leaveToDigest = (
  run: Pick<JobContext, 'db' | 'finish'>,
  scope: Scope,
  { reference, lastingOrigin }: { readonly reference: string; readonly lastingOrigin: string },
  digestAt: Date,
): Promise<void> =>
  run.db.transaction(async (tx) => {
    await run.finish(tx)
    await noteForDigest(tx, scope, reference)
    enqueueWithCommit(tx, digestJob(scope, lastingOrigin, digestAt))
  })

export const sendOrderDigest = (services: Services): JobHandler<DigestJob> => ({
  kind: SEND_DIGEST,
  lane: 'mail',
  async handle(run) {
    const { db, clock, mailer } = services
    const { merchantId, jobId, log, payload } = run
    const scope: Scope = { merchantId, isSandbox: payload.isSandbox }
    const origin = mailOrigin(services, payload)
    const [mailing, digest] = await db.together((all) => [mailShop({ db: all }, scope, origin), findDigest(all, scope)])
    if (digest === null) return
    const end = () =>
      db.transaction(async (tx) => {
        await run.finish(tx)
        await forgetTold(tx, scope, digest)
      })
    // It may have been switched off since.
    if (mailing === null || mailing.ownEmail === '' || !mailing.merchant_mails.orders) return end()
    const laterAt = await countOwnDigest(run, scope)
    if (laterAt !== null)
      return db.transaction(async (tx) => {
        await run.finish(tx)
        enqueueWithCommit(tx, digestJob(scope, payload.lastingOrigin, laterAt))
      })
    const { shop, ownEmail: to } = mailing
    const { orders, order_references: references } = digest
    log.warn(
      { merchantId, sandbox: payload.isSandbox, orders },
      'A merchant is told of new orders by a digest: too many that are free, not paid or of the sandbox came within an hour.',
    )
    const mail: Mail = {
      ...scope,
      kind: 'order_digest',
      id: mailIdOf(jobId),
      to,
      from: { name: shop.name, replyTo: shop.supportEmail },
      ...orderDigestMail(shop, { isSandbox: payload.isSandbox, orders, references, url: ordersUrl(origin) }),
    }
    if (mailer.goesOut) await sendMail(services, run, mail)
    else await keepMail(db, mail, clock.now())
    await end()
  },
})
