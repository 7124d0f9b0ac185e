// Logging in: asking for a link, and turning its token into a session. login-mail-job.ts makes the link and sends it.

import { type Limit, takeFromLimits } from '../../db/request-limits.ts'
import type { Caller, Context } from '../../http/endpoint.ts'
import { enqueue } from '../../jobs/queue.ts'
import { networkOf } from '../../lib/addresses.ts'
import { emailRule, readEmail } from '../../lib/email.ts'
import { type FieldErrors, notFound, notValid, unauthorized, unprocessable } from '../../lib/errors.ts'
import { allowedOrigins } from '../merchants/settings.ts'
import { BASE_URL_RULE, ORIGIN_RULE, readBaseUrl } from './login-link.ts'
import { LOGIN_MAIL_JOB, type LoginMailJob } from './login-mail-job.ts'
import { findCustomerToLogIn, findShopSettings, insertLoginToken, useLoginToken } from './login-store.ts'
import { hashLoginToken, LOGIN_MS, newLoginToken, readLoginToken } from './login-token.ts'
import { emailKey } from './match-store.ts'
import { issueSession } from './session.ts'

type Asking = Pick<Context, 'db' | 'clock' | 'caller' | 'clientAddress' | 'lastingOrigin'>
type Issuing = Pick<Context, 'db' | 'clock' | 'caller' | 'sessionKeys'>

export type Session = { customer_id: string; jwt: string }

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/**
 * The customer is not looked up here but by the job: whether there is one shows neither in the answer, nor in the time it takes, nor
 * in what can be asked for how often.
 */
export async function askForLogin(asking: Asking, body: { email: string; base_url: string }): Promise<void> {
  const { db, clock, caller, lastingOrigin } = asking
  const { merchantId, isSandbox } = caller
  const problems: FieldErrors = {}
  const email = readEmail(body.email)
  const base = readBaseUrl(body.base_url)
  if (email === null) problems.email = [emailRule('email')]
  if (base === null) problems.base_url = [BASE_URL_RULE]
  if (email === null || base === null) throw unprocessable(problems)
  if (!isSandbox) await refuseOtherOrigins(asking, base.origin)
  const payload: LoginMailJob = { emailKey: emailKey(email), template: base.template, isSandbox, lastingOrigin }
  const now = clock.now()
  await db.transaction(async (tx) => {
    await takeFromLimits(tx, merchantId, mailLimits(asking, payload.emailKey), now)
    await enqueue(tx, {
      merchantId,
      kind: LOGIN_MAIL_JOB,
      // Of all that were asked for while the mail server was away, one is mailed. The newest, and at once: it leads to where the customer
      // is now, and the wait of the one before it says nothing of the server any more.
      key: modeOf(payload.emailKey, isSandbox),
      replaces: true,
      payload,
      runAt: now,
    })
  })
}

/** Links that others choose would lead the customers of a shop, with their token, to whoever asks. */
async function refuseOtherOrigins({ db, caller }: Asking, origin: string) {
  const shop = await findShopSettings(db, caller.merchantId)
  if (shop === null || !allowedOrigins(shop).includes(origin)) throw notValid({ base_url: [ORIGIN_RULE] })
}

/** Of a secret key's client nothing is counted: it is a server that speaks for many. */
function mailLimits({ caller: { isSecret, isSandbox }, clientAddress }: Asking, email: string): Limit[] {
  const mails = modeOf('login-mail', isSandbox)
  return [
    { subject: `${mails} minute ${email}`, most: 1, windowMs: MINUTE_MS },
    { subject: `${mails} hour ${email}`, most: 5, windowMs: HOUR_MS },
    ...(isSecret ? [] : [{ subject: `${mails} from ${networkOf(clientAddress)}`, most: 20, windowMs: HOUR_MS }]),
    { subject: `${mails} all`, most: 1_000, windowMs: HOUR_MS },
  ]
}

const modeOf = (what: string, isSandbox: boolean) => `${what} ${isSandbox ? 'sandbox' : 'live'}`

export async function exchangeToken(
  { clientAddress, ...issuing }: Issuing & Pick<Context, 'clientAddress'>,
  text: string,
): Promise<Session> {
  const { db, clock, caller } = issuing
  const subjects = caller.isSecret ? [] : [`${modeOf('login', caller.isSandbox)} ${networkOf(clientAddress)}`]
  const hash = hashLoginToken(readLoginToken(text))
  const now = clock.now()
  const customer = await useLoginToken(db, caller, hash, { subjects, now })
  // In the same words whatever is wrong with it.
  if (customer === null)
    throw unauthorized('This login link is not valid: it has been used, or its 15 minutes are over. Ask for another.')
  return sessionOf(issuing, customer.id, now)
}

/** A session without a link: the merchant knows who it is. It proves no address. */
export async function issueSessionFor(issuing: Issuing, customerId: string): Promise<Session> {
  const now = issuing.clock.now()
  const customer = await findCustomerToLogIn(issuing.db, issuing.caller, customerId)
  if (customer === null) throw notFound('customer')
  return sessionOf(issuing, customer.id, now)
}

/** A token for a mail of the merchant's own to that address, which its use proves as that of our mail does. */
export async function issueToken({ db, clock, caller }: Issuing, email: string): Promise<{ token: string }> {
  const address = readEmail(email)
  if (address === null) throw unprocessable({ email: [emailRule('email')] })
  const token = newLoginToken()
  const customer = await insertLoginToken(db, caller, {
    emailKey: emailKey(address),
    hash: hashLoginToken(token),
    expiresAt: new Date(clock.now().getTime() + LOGIN_MS),
  })
  if (customer === null) throw notFound('customer', 'e-mail address')
  return { token }
}

const sessionOf = async (
  issuing: Issuing & { readonly caller: Pick<Caller, 'merchantId' | 'isSandbox'> },
  customerId: string,
  now: Date,
): Promise<Session> => {
  const { merchantId, isSandbox } = issuing.caller
  return { customer_id: customerId, jwt: await issueSession(issuing, { merchantId, isSandbox, customerId }, now) }
}
