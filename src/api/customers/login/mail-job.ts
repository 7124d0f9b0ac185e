// The job behind a login link: finds the customer, makes the token and mails the link, or hands it to the merchant's webhook.
// Every run makes a token of its own, so that none is ever mailed twice.

import type { Tx } from '../../../db/db.ts'
import { emit } from '../../../events/emit.ts'
import type { Services } from '../../../http/endpoint/endpoint.ts'
import type { JobContext, JobHandler } from '../../../jobs/job.ts'
import { newId } from '../../../lib/ids.ts'
import { loginMail } from '../../../mail/login-mail.ts'
import { MailUnanswered } from '../../../mail/mailer.ts'
import { keepMail } from '../../../mail/outbox-store.ts'
import { sendMail } from '../../../mail/send.ts'
import { countFreeMail, mailOrigin } from '../../../mail/trust.ts'
import { isLoopback } from '../../merchants/settings.ts'
import { type MailSender, mailShop } from '../../merchants/view.ts'
import { findVouched } from '../store.ts'
import { hashLoginToken, LOGIN_MINUTES, LOGIN_MS, linkTo, newLoginToken } from './link.ts'
import type { LoginTokenEvent } from './schema.ts'
import { deleteLoginToken, insertLoginToken, type NewLoginToken } from './store.ts'

export const LOGIN_MAIL_JOB = 'customers.login_mail'

export type LoginMailJob = {
  readonly emailKey: string
  /** Of link.ts. */
  readonly template: string
  readonly isSandbox: boolean
  /** Whether the merchant's server asked for it; undefined in a job that an older release has put in. */
  readonly isSecret?: boolean
  /** Of whoever asked for it, as `Context.clientNetworks`; undefined as above. */
  readonly networks?: readonly string[]
  /** Origin of the request that asked for it. Older jobs hold an unchecked `origin` and count as having none. */
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
    const { db, merchantId, payload } = run
    const { isSandbox, isSecret = false, emailKey, networks = [] } = payload
    const isVouched = await findVouched(db, { merchantId, isSandbox }, emailKey)
    // First of all, and before anything is counted: a flood of made-up addresses costs a look-up each, and nobody a link.
    if (isVouched === null) return
    const sender = await mailShop(services, { merchantId, isSandbox }, mailOrigin(services, payload))
    // The merchant is gone, and with it the customers.
    if (sender === null) return
    const isKept = sender.mails.login_token && staysHere(services, sender, payload)
    const link = { kind: 'login link', isSandbox, emailKey, isVouched, isSecret, networks } as const
    if (!isKept && !(await countFreeMail(run, link))) return
    if (sender.mails.login_token) await mailLink(services, sender, run)
    else await tellMerchant(run)
  },
})

async function mailLink(services: MailServices, sender: MailSender, run: Run) {
  const { shop } = sender
  const { db, clock, merchantId, payload, signal } = run
  const { isSandbox } = payload
  const { url, token } = newLink(run)
  const customer = await insertLoginToken(db, { merchantId, isSandbox }, token)
  if (customer === null) return
  const mail = {
    merchantId,
    isSandbox,
    kind: 'login',
    // A new id in every run: it is another mail with another link, and must not be taken for the last one.
    id: newId('mail', clock.now()),
    to: customer.email,
    from: { name: shop.name, replyTo: shop.supportEmail },
    ...loginMail(shop, { link: url, minutes: LOGIN_MINUTES, isSandbox }),
  }
  try {
    signal.throwIfAborted()
    if (services.mailer.goesOut && isStrange(sender, payload)) await keepMail(db, mail, clock.now())
    else await sendMail(services, run, mail)
  } catch (error) {
    // Where it may have arrived, its link should work; the next run sends another beside it. Else the token is nobody's. Should this
    // fail, too, it ends by itself.
    if (!(error instanceof MailUnanswered)) await deleteLoginToken(db, run, token.hash).catch(() => undefined)
    throw error
  }
  await db.transaction((tx) => finishWith(tx, run, { success: true, email: customer.email, url: null }))
}

/** Whether it is kept, for the developer to read, because there is no mail server or because it must not go out. */
const staysHere = (services: MailServices, sender: MailSender, payload: LoginMailJob): boolean =>
  !services.mailer.goesOut || isStrange(sender, payload)

/**
 * A public test key is in every browser, buys with made-up cards for any e-mail address, and may name any address as `base_url`: by it
 * anybody could have us mail any link to anybody, in the name of the shop. So a mail of the sandbox goes out only where its link leads to
 * the shop itself, or to the machine of whoever opens it.
 */
function isStrange({ allowedOrigins }: MailSender, { isSandbox, template }: LoginMailJob): boolean {
  const { origin } = new URL(template)
  return isSandbox && !allowedOrigins.includes(origin) && !isLoopback(origin)
}

/**
 * The merchant sends the link, and has it from the event: the one case in which a token can be read in the database, for its 15
 * minutes. In one transaction, so that there is one link and one event.
 */
async function tellMerchant(run: Run) {
  const { db, merchantId, payload } = run
  const { url, token } = newLink(run)
  await db.transaction(async (tx) => {
    const customer = await insertLoginToken(tx, { merchantId, isSandbox: payload.isSandbox }, token)
    if (customer !== null) await finishWith(tx, run, { success: true, email: customer.email, url })
  })
}

/** The 15 minutes begin now, however long the job has waited. */
function newLink({ clock, payload }: Run): Link {
  const text = newLoginToken()
  const expiresAt = new Date(clock.now().getTime() + LOGIN_MS)
  const { emailKey, template } = payload
  return {
    url: linkTo(template, text),
    token: { emailKey, hash: hashLoginToken(text), expiresAt },
  }
}

async function finishWith(tx: Tx, { merchantId, payload, clock, finish }: Run, event: LoginTokenEvent) {
  await emit(tx, { merchantId, isSandbox: payload.isSandbox }, 'customers.login.token', event, clock.now())
  await finish(tx)
}
