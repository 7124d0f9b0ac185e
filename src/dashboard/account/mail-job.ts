// Jobs that mail accounts. Every run creates its own link, so no link is mailed twice.

import { findMailSender } from '../../api/merchants/view.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { JobContext, JobHandler } from '../../jobs/job.ts'
import { enqueue } from '../../jobs/queue.ts'
import { newId } from '../../lib/ids.ts'
import { countIfWithinLimits } from '../../limits/requests.ts'
import { invitationMail, newDeviceMail, resetMail } from '../../mail/account-mail.ts'
import type { MailShop, WrittenMail } from '../../mail/layout.ts'
import { MailUnanswered } from '../../mail/mailer.ts'
import { sendMail } from '../../mail/send.ts'
import { mailOrigin } from '../../mail/trust.ts'
import { type AccountRow, deleteLink, findAccount, findAccountsByEmail } from '../store.ts'
import { type CreatedLink, LINK_LIFETIMES, makeLink } from './links.ts'

export const RESET_JOB = 'dashboard.reset'

/** Belongs to no shop yet: the job looks up the accounts of the address. */
export type ResetJob = { readonly email: string; readonly lastingOrigin: string }

export const ACCOUNT_MAIL_JOB = 'dashboard.account_mail'

export type AccountMailJob = { readonly accountId: string; readonly lastingOrigin: string } & (
  | { readonly type: 'reset' }
  | { readonly type: 'invitation'; readonly by: string }
  | { readonly type: 'new_device'; readonly agent: string; readonly address: string; readonly at: string }
)

type MailServices = Pick<Services, 'db' | 'mailer' | 'publicUrl'>
type Run = JobContext<AccountMailJob>

export const resetJob = (): JobHandler<ResetJob> => ({
  kind: RESET_JOB,
  isUrgent: true,
  async handle({ db, clock, payload, finish }) {
    const { email, lastingOrigin } = payload
    const accounts = await findAccountsByEmail(db, email)
    await db.transaction(async (tx) => {
      for (const { merchant_id, id: accountId, password_hash: password } of accounts) {
        // An invited account without a password has an invitation link instead.
        if (password === null) continue
        const mail: AccountMailJob = { type: 'reset', accountId, lastingOrigin }
        await enqueue(tx, { merchant_id, kind: ACCOUNT_MAIL_JOB, payload: mail, runAt: clock.now() })
      }
      await finish(tx)
    })
  },
})

const HOUR_MS = 3_600_000
/** Limits for one account. */
const HOURLY_LIMITS = { reset: 5, invitation: 5, new_device: 20 } as const

export const accountMailJob = (services: MailServices): JobHandler<AccountMailJob> => ({
  kind: ACCOUNT_MAIL_JOB,
  lane: 'mail',
  isUrgent: true,
  async handle(run) {
    const { db, clock, merchant_id, payload, jobId, log } = run
    const account = await findAccount(db, { merchant_id }, payload.accountId)
    const origin = mailOrigin(services, payload)
    const sender = await findMailSender({ db }, { merchant_id, is_sandbox: false }, origin)
    // The account or the shop was deleted in the meantime.
    if (account === null || sender === null) return
    const limit = {
      subject: `dashboard mail ${payload.type} ${account.id}`,
      most: HOURLY_LIMITS[payload.type],
      windowMs: HOUR_MS,
    }
    if (!(await countIfWithinLimits(db, { merchant_id }, [limit], clock.now(), jobId))) return
    if (payload.type !== 'new_device' && origin === null) {
      log.warn(
        { merchant_id, jobId },
        'A dashboard link was not mailed: it was requested under a host that neither PUBLIC_URL nor PUBLIC_HOSTS names.',
      )
      return
    }
    const { mail, link } = await composeMail(run, account, sender.shop, origin)
    try {
      await sendMail(services, run, {
        merchant_id,
        is_sandbox: false,
        kind: payload.type,
        // A new id, because each run mails a different link.
        id: newId('mail', clock.now()),
        to: account.email,
        from: { name: sender.shop.name, replyTo: sender.shop.supportEmail },
        ...mail,
      })
    } catch (error) {
      // Keep the link if the mail may have arrived.
      if (link !== null && !(error instanceof MailUnanswered))
        await deleteLink(db, { merchant_id }, link.hash).catch(() => undefined)
      throw error
    }
  },
})

async function composeMail(
  { db, clock, merchant_id, payload }: Run,
  account: AccountRow,
  shop: MailShop,
  origin: string | null,
): Promise<{ mail: WrittenMail; link: CreatedLink | null }> {
  if (payload.type === 'new_device') {
    const { agent, address, at } = payload
    const url = origin === null ? null : `${origin}/dashboard/account`
    return { mail: newDeviceMail(shop, { agent, address, at: new Date(at), url }), link: null }
  }
  const purpose = payload.type
  const link = await makeLink(
    db,
    { merchant_id },
    { accountId: account.id, purpose, origin: origin ?? '' },
    clock.now(),
  )
  const lasts = LINK_LIFETIMES[purpose]
  const mail =
    payload.type === 'reset'
      ? resetMail(shop, { url: link.url, lasts })
      : invitationMail(shop, { url: link.url, lasts, role: account.role, by: payload.by })
  return { mail, link }
}
