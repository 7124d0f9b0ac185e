// Mails a merchant that a webhook fails or was disabled. The job reads the state when it sends, so that a recovered webhook causes no mail.

import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobHandler } from '../../jobs/job.ts'
import { type Mail, mailIdOf } from '../../mail/mailer.ts'
import { storeUnsentMail } from '../../mail/outbox-store.ts'
import { sendMail } from '../../mail/send.ts'
import { webhookMail } from '../../mail/webhook-mail.ts'
import { findMailSender } from '../merchants/view.ts'
import { SEND_NOTICE } from './sending/record.ts'
import { findNotice } from './sending/store.ts'

export const webhookNoticeJob = (services: Services): JobHandler<{ readonly webhookId: string }> => ({
  kind: SEND_NOTICE,
  lane: 'mail',
  async handle(run) {
    const { db, clock, mailer } = services
    const { merchant_id, jobId, payload } = run
    const notice = await findNotice(db, { merchant_id, webhookId: payload.webhookId })
    const sender = notice && (await findMailSender({ db }, { merchant_id, is_sandbox: notice.is_sandbox }, null))
    if (sender === null || notice === null || sender.shop.supportEmail === '') return
    if (notice.disabledReason === 'by_you' || (notice.disabledReason === null && notice.failingSince === null)) return
    const { shop } = sender
    const mail: Mail = {
      merchant_id,
      is_sandbox: notice.is_sandbox,
      kind: 'webhook',
      id: mailIdOf(jobId),
      to: shop.supportEmail,
      from: { name: shop.name, replyTo: shop.supportEmail },
      ...webhookMail(shop, { ...notice, disabledReason: notice.disabledReason }),
    }
    if (mailer.goesOut) return sendMail(services, run, mail)
    await run.endWith((all) => storeUnsentMail(all, mail, clock.now()))
  },
})
