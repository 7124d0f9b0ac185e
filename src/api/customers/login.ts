// Logging in: asking for a link, and turning its token into a session. login-mail-job.ts makes the link and sends it.

import { MAX_FAILURES } from '../../db/attempts.ts'
import { type Limit, networkLimits, takeFromLimits } from '../../db/request-limits.ts'
import type { Caller, Context } from '../../http/endpoint.ts'
import { enqueue } from '../../jobs/queue.ts'
import { perNetwork } from '../../lib/addresses.ts'
import { emailRule, inboxOf, readEmail } from '../../lib/email.ts'
import { type FieldErrors, notFound, notValid, unauthorized, unprocessable } from '../../lib/errors.ts'
import { allowedOrigins } from '../merchants/settings.ts'
import { BASE_URL_RULE, ORIGIN_RULE, readBaseUrl } from './login-link.ts'
import { LOGIN_MAIL_JOB, type LoginMailJob } from './login-mail-job.ts'
import { findCustomerToLogIn, findShopSettings, insertLoginToken, useLoginToken } from './login-store.ts'
import { hashLoginToken, LOGIN_MS, newLoginToken, readLoginToken } from './login-token.ts'
import { emailKey } from './match-store.ts'
import { issueSession } from './session.ts'

type Asking = Pick<Context, 'db' | 'clock' | 'caller' | 'clientNetworks' | 'lastingOrigin'>
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
  const { isSecret } = caller
  const payload: LoginMailJob = {
    emailKey: emailKey(email),
    template: base.template,
    isSandbox,
    isSecret,
    lastingOrigin,
  }
  const now = clock.now()
  await db.transaction(async (tx) => {
    await takeFromLimits(tx, merchantId, askLimits(asking, payload.emailKey), now, TOO_MANY)
    await enqueue(tx, {
      merchantId,
      kind: LOGIN_MAIL_JOB,
      // Of all that were asked for while the mail server was away, one is mailed. The newest, and at once: it leads to where the customer
      // is now, and the wait of the one before it says nothing of the server any more. What anybody asks for takes the place of nothing
      // that the shop's own server has asked for.
      key: modeOf(isSecret ? `${payload.emailKey} by server` : payload.emailKey, isSandbox),
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

const TOO_MANY = {
  field: 'email',
  sentence: 'Too many login links have been asked for; one that has been mailed works for 15 minutes.',
} as const

/** Of one address, asked for from one place. */
const MOST_PER_MINUTE = 1
const MOST_PER_HOUR = 5
/** Of one address, in the time for which a link works: whoever is refused for this has mails with links that still do. */
const MOST_PER_ADDRESS = 6
/** An hour, of all addresses, from one network: one a minute, for those who share it. */
const MOST_PER_NETWORK = 60

/**
 * How often a link may be asked for. By place and address first, so that who asks for somebody else's uses up their own and not the other's;
 * then by address, so that nobody's inbox is filled from many places at once; then by network. Nothing is counted for the whole shop:
 * one who asks for made-up addresses would keep all the others out. The job counts the mails that go out.
 * What a server asks for with the secret key counts apart from what anybody asks for with the public one. Unless it names its shoppers'
 * addresses, all that it asks for is from one place.
 */
function askLimits({ caller: { isSecret, isSandbox }, clientNetworks }: Asking, email: string): Limit[] {
  const asked = modeOf(isSecret ? 'login-mail by server' : 'login-mail', isSandbox)
  // The widest: who has a whole network asks from each part of it.
  const from = clientNetworks.at(-1)
  const inbox = inboxOf(email)
  return [
    { subject: `${asked} minute ${inbox} ${from ?? ''}`, most: MOST_PER_MINUTE, windowMs: MINUTE_MS },
    ...(from === undefined
      ? []
      : [{ subject: `${asked} hour ${inbox} ${from}`, most: MOST_PER_HOUR, windowMs: HOUR_MS }]),
    { subject: `${asked} to ${inbox}`, most: MOST_PER_ADDRESS, windowMs: LOGIN_MS },
    ...networkLimits(`${asked} from`, clientNetworks, MOST_PER_NETWORK, HOUR_MS),
  ]
}

const modeOf = (what: string, isSandbox: boolean) => `${what} ${isSandbox ? 'sandbox' : 'live'}`

export async function exchangeToken(
  { clientNetworks, ...issuing }: Issuing & Pick<Context, 'clientNetworks'>,
  text: string,
): Promise<Session> {
  const { db, clock, caller } = issuing
  const tried = modeOf('login', caller.isSandbox)
  const subjects = perNetwork(clientNetworks, MAX_FAILURES).map(({ network, most }) => ({
    subject: `${tried} ${network}`,
    most,
  }))
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
