// The job that mails a login link, or passes it to the merchant's webhook. Each run creates a new token, so that no token is mailed twice.

import type { Tx } from '../../../db/db.ts'
import { emit } from '../../../events/emit.ts'
import type { Services } from '../../../http/endpoint/endpoint.ts'
import { type JobContext, type JobHandler, jobScope } from '../../../jobs/job.ts'
import { newId } from '../../../lib/ids.ts'
import { loginMail } from '../../../mail/login-mail.ts'
import { MailUnanswered } from '../../../mail/mailer.ts'
import { storeUnsentMail } from '../../../mail/outbox-store.ts'
import { sendMail } from '../../../mail/send.ts'
import { allowFreeMail, mailOrigin } from '../../../mail/trust.ts'
import { isLoopback } from '../../merchants/settings.ts'
import { findMailSender, type MailSender } from '../../merchants/view.ts'
import { findVouched } from '../store.ts'
import { hashLoginToken, insertTokenIntoLink, LOGIN_MINUTES, LOGIN_MS, newLoginToken } from './link.ts'
import type { LoginTokenEvent } from './schema.ts'
import { deleteLoginToken, insertLoginToken, type NewLoginToken } from './store.ts'

export const LOGIN_MAIL_JOB = 'customers.login_mail'

export type LoginMailJob = {
  readonly emailKey: string
  /** Template of the link, from `readBaseUrl`. */
  readonly template: string
  readonly isSandbox: boolean
  /** True if the merchant's server requested the link. Undefined in jobs of older releases. */
  readonly isSecret?: boolean
  /** `Context.clientNetworks` of the request. Undefined in jobs of older releases. */
  readonly networks?: readonly string[]
  /** Origin of the request. Older jobs have an unchecked `origin`, which is ignored. */
  readonly lastingOrigin: string
}

type Run = JobContext<LoginMailJob>
type Link = { readonly url: string; readonly token: NewLoginToken }
type MailServices = Pick<Services, 'db' | 'mailer' | 'publicUrl'>

export const loginMailJob = (services: MailServices): JobHandler<LoginMailJob> => ({
  kind: LOGIN_MAIL_JOB,
  lane: 'mail',
  isUrgent: true,
  async handle(run) {
    const { db, payload } = run
    const scope = jobScope(run)
    const { isSecret = false, emailKey, networks = [] } = payload
    const isVouched = await findVouched(db, scope, emailKey)
    // Checked before anything is counted, so that each made-up address costs only a lookup and uses up nobody's limit.
    if (isVouched === null) return
    const sender = await findMailSender(services, scope, mailOrigin(services, payload))
    // The merchant and the customers were deleted.
    if (sender === null) return
    const isStored = sender.mails.login_token && isStoredOnly(services, sender, payload)
    const link = { kind: 'login link', is_sandbox: scope.is_sandbox, emailKey, isVouched, isSecret, networks } as const
    if (!isStored && !(await allowFreeMail(run, link))) return
    if (sender.mails.login_token) await mailLink(services, sender, run)
    else await emitLink(run)
  },
})

async function mailLink(services: MailServices, sender: MailSender, run: Run) {
  const { shop } = sender
  const { db, clock, payload, signal } = run
  const scope = jobScope(run)
  const { url, token } = newLink(run)
  const customer = await insertLoginToken(db, scope, token)
  if (customer === null) return
  const mail = {
    ...scope,
    kind: 'login',
    // A new id in every run, because each run sends a different link. With the same id it would be taken for a repetition.
    id: newId('mail', clock.now()),
    to: customer.email,
    from: { name: shop.name, replyTo: shop.supportEmail },
    ...loginMail(shop, { link: url, minutes: LOGIN_MINUTES, is_sandbox: scope.is_sandbox }),
  }
  try {
    signal.throwIfAborted()
    if (services.mailer.goesOut && leadsElsewhere(sender, payload)) await storeUnsentMail(db, mail, clock.now())
    else await sendMail(services, run, mail)
  } catch (error) {
    // After MailUnanswered the mail may have arrived, so its link must work; the next run sends another. After other errors nobody has the
    // token. If the deletion fails, the token expires anyway.
    if (!(error instanceof MailUnanswered)) await deleteLoginToken(db, run, token.hash).catch(() => undefined)
    throw error
  }
  await db.transaction((tx) => emitAndFinish(tx, run, { success: true, email: customer.email, url: null }))
}

/** True if the mail is stored for the developer and not sent: there is no mail server, or sending is not allowed. */
const isStoredOnly = (services: MailServices, sender: MailSender, payload: LoginMailJob): boolean =>
  !services.mailer.goesOut || leadsElsewhere(sender, payload)

/**
 * True for links of the sandbox that lead elsewhere than to the shop or the local machine. A public test key is in every browser, creates
 * customers of any address, and may send any `base_url`. With such links, anybody could mail any link to anybody in the shop's name.
 */
function leadsElsewhere({ allowedOrigins }: MailSender, { isSandbox, template }: LoginMailJob): boolean {
  const { origin } = new URL(template)
  return isSandbox && !allowedOrigins.includes(origin) && !isLoopback(origin)
}

/**
 * Puts the link into the event, for a merchant who sends the mail. Only in this case is the token readable in the database, for 15 minutes.
 * One transaction, so that there is one link and one event.
 */
async function emitLink(run: Run) {
  const { db } = run
  const { url, token } = newLink(run)
  await db.transaction(async (tx) => {
    const customer = await insertLoginToken(tx, jobScope(run), token)
    if (customer !== null) await emitAndFinish(tx, run, { success: true, email: customer.email, url })
  })
}

/** The 15 minutes start now, even if the job has waited. */
function newLink({ clock, payload }: Run): Link {
  const tokenText = newLoginToken()
  const expiresAt = new Date(clock.now().getTime() + LOGIN_MS)
  const { emailKey, template } = payload
  return {
    url: insertTokenIntoLink(template, tokenText),
    token: { emailKey, hash: hashLoginToken(tokenText), expiresAt },
  }
}

async function emitAndFinish(tx: Tx, run: Run, event: LoginTokenEvent) {
  await emit(tx, jobScope(run), 'customers.login.token', event, run.clock.now())
  await run.finish(tx)
}
