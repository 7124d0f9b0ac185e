// The job behind a login link: finds the customer, makes the token and mails the link, or hands it to the merchant's webhook.
// Every run makes a token of its own, so that none is ever mailed twice.

import type { Tx } from '../../db/db.ts'
import { keepMail } from '../../db/mail-outbox.ts'
import { emit } from '../../db/outbox.ts'
import type { Services } from '../../http/endpoint.ts'
import type { JobContext, JobHandler } from '../../jobs/job.ts'
import { newId } from '../../lib/ids.ts'
import { loginMail } from '../../mail/login-mail.ts'
import { type Mail, MailUnanswered } from '../../mail/mailer.ts'
import { mailShop, type ShownShop } from '../merchants/mail-shop.ts'
import { countSandboxMail, mailOrigin } from '../merchants/mail-trust.ts'
import { sendMail } from '../merchants/send-mail.ts'
import { isLoopback, linkTo } from './login-link.ts'
import type { LoginTokenEvent } from './login-schema.ts'
import { deleteLoginToken, insertLoginToken, type NewLoginToken } from './login-store.ts'
import { hashLoginToken, LOGIN_MINUTES, LOGIN_MS, newLoginToken } from './login-token.ts'

export const LOGIN_MAIL_JOB = 'customers.login_mail'

export type LoginMailJob = {
  readonly emailKey: string
  /** Of login-link.ts. */
  readonly template: string
  readonly isSandbox: boolean
  /** That of the request that asked for it. Jobs of before have an `origin` that nobody had looked at, and count as having none. */
  readonly lastingOrigin: string
}

type Run = JobContext<LoginMailJob>
type Link = { readonly url: string; readonly token: NewLoginToken }
type Needed = Pick<Services, 'db' | 'mailer' | 'publicUrl'>

export const loginMailJob = (services: Needed): JobHandler<LoginMailJob> => ({
  kind: LOGIN_MAIL_JOB,
  lane: 'mail',
  async handle(run) {
    const origin = mailOrigin(services, run.payload)
    const shown = await mailShop(services, run.merchantId, origin)
    // The merchant is gone, and with it the customers.
    if (shown === null) return
    if (shown.mails.login_token) await mailLink(services, shown, run)
    else await tellMerchant(run)
  },
})

async function mailLink(services: Needed, { shop, allowedOrigins }: ShownShop, run: Run) {
  const { db, clock, merchantId, payload, signal } = run
  const { isSandbox } = payload
  const { url, token } = newLink(run)
  const customer = await insertLoginToken(db, { merchantId, isSandbox }, token)
  if (customer === null) return
  const mail = {
    merchantId,
    isSandbox,
    kind: 'login',
    // Of its own in every run: it is another mail, with another link, that must not be taken for the last one.
    id: newId('mail', clock.now()),
    to: customer.email,
    from: { name: shop.name, replyTo: shop.supportEmail },
    ...loginMail(shop, { link: url, minutes: LOGIN_MINUTES, isSandbox }),
  }
  try {
    signal.throwIfAborted()
    if (!(await deliver(services, allowedOrigins, run, mail)))
      return void (await deleteLoginToken(db, merchantId, token.hash))
  } catch (error) {
    // Where it may have arrived, its link should work; the next run sends another beside it. Else the token is nobody's. Should this
    // fail, too, it ends by itself.
    if (!(error instanceof MailUnanswered)) await deleteLoginToken(db, merchantId, token.hash).catch(() => undefined)
    throw error
  }
  await db.transaction((tx) => finishWith(tx, run, { success: true, email: customer.email, url: null }))
}

/**
 * A public test key is in every browser, buys with made-up cards for any e-mail address, and may name any address as `base_url`: by it
 * anybody could have us mail any link to anybody, in the name of the shop. So a mail of the sandbox goes out only where its link leads to
 * the shop itself, or to the machine of whoever opens it; otherwise it is kept, for the developer to read. False where there have been too
 * many: then it is neither.
 */
async function deliver(services: Needed, allowedOrigins: readonly string[], run: Run, mail: Mail): Promise<boolean> {
  const { db, clock, payload } = run
  if (services.mailer.goesOut && payload.isSandbox) {
    const { origin } = new URL(payload.template)
    if (!allowedOrigins.includes(origin) && !isLoopback(origin)) {
      await keepMail(db, mail, clock.now())
      return true
    }
    if (!(await countSandboxMail(run, { kind: 'login link', emailKey: payload.emailKey }))) return false
  }
  await sendMail(services, run, mail)
  return true
}

/**
 * The merchant sends the link, and has it from the event: the one case in which a token can be read in the database, for its 15
 * minutes. In one transaction, so that there is one link and one event.
 */
async function tellMerchant(run: Run) {
  const { db, merchantId, payload } = run
  await db.transaction(async (tx) => {
    const { url, token } = newLink(run)
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
  await emit(tx, {
    merchantId,
    sandbox: payload.isSandbox,
    name: 'customers.login.token',
    kind: 'login_token_event',
    payload: event,
    responseCode: 200,
    now: clock.now(),
  })
  await finish(tx)
}
