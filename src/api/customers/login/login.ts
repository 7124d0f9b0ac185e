// Logging in: asking for a link, and turning its token into a session. mail-job.ts makes the link and sends it.

import { createHash } from 'node:crypto'
import type { Caller, Context } from '../../../http/endpoint/endpoint.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { perNetwork } from '../../../lib/addresses.ts'
import { type Excess, type FieldErrors, loginRefused, notFound, notValid, unprocessable } from '../../../lib/errors.ts'
import { emailRule, readEmail } from '../../../lib/text.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import { MAX_FAILURES } from '../../../limits/guesses.ts'
import { networkLimits, takeFromLimits } from '../../../limits/requests.ts'
import type { Limit } from '../../../limits/store.ts'
import { allowedOrigins } from '../../merchants/settings.ts'
import { findSettings } from '../../merchants/store.ts'
import { emailKey } from '../store.ts'
import {
  BASE_URL_RULE,
  hashLoginToken,
  LOGIN_MS,
  newLoginToken,
  ORIGIN_RULE,
  readBaseUrl,
  readLoginToken,
} from './link.ts'
import { LOGIN_MAIL_JOB, type LoginMailJob } from './mail-job.ts'
import { issueSession } from './session.ts'
import { findCustomerToLogIn, insertLoginToken, useLoginToken } from './store.ts'

type LinkContext = Pick<Context, 'db' | 'clock' | 'caller' | 'clientNetworks' | 'lastingOrigin'>

/** `notFinal`: what opens a session is not kept for a repeated Idempotency-Key. */
type SessionContext = Pick<Context, 'db' | 'clock' | 'caller' | 'sessionKeys' | 'notFinal'>

type Session = { customer_id: string; jwt: string }

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/**
 * The customer is not looked up here but by the job: whether there is one shows neither in the answer, nor in the time it takes, nor
 * in what can be asked for how often.
 */
export async function askForLogin(context: LinkContext, body: { email: string; base_url: string }): Promise<void> {
  const { db, clock, caller, clientNetworks, lastingOrigin } = context
  const { merchantId, isSandbox, isSecret } = caller
  const problems: FieldErrors = {}
  const email = readEmail(body.email)
  const base = readBaseUrl(body.base_url)
  if (email === null) problems.email = [emailRule('email')]
  if (base === null) problems.base_url = [BASE_URL_RULE]
  if (email === null || base === null) throw unprocessable(problems)
  if (!isSandbox) await refuseOtherOrigins(context, base.origin)
  const payload: LoginMailJob = {
    emailKey: emailKey(email),
    template: base.template,
    isSandbox,
    isSecret,
    networks: clientNetworks,
    lastingOrigin,
  }
  const now = clock.now()
  await db.transaction(async (tx) => {
    await takeFromLimits(tx, caller, askLimits(context, payload.emailKey), now, tooMany(context))
    await enqueue(tx, {
      merchantId,
      kind: LOGIN_MAIL_JOB,
      // A link asked for twice while the mail server was away is mailed once. At once: the wait of the earlier job says nothing of the
      // server any more.
      key: linkKey(context, payload),
      replaces: true,
      payload,
      runAt: now,
    })
  })
}

/**
 * What makes one link the same as another that waits: from one place, for one address, to the same page. Else whoever asks for somebody
 * else's, to a page that the shop does not have, would take the place of the owner's own.
 */
function linkKey({ caller, clientNetworks }: LinkContext, { emailKey, template }: LoginMailJob): string {
  // A key stands in an index, whose entries are short.
  const page = createHash('sha256').update(template).digest('base64url')
  return `${modeOf(askedBy(emailKey, caller), caller.isSandbox)} ${page} ${placeOf(clientNetworks)}`
}

/** Links that others choose would lead the customers of a shop, with their token, to whoever asks. */
async function refuseOtherOrigins({ db, caller }: LinkContext, origin: string) {
  const shop = await findSettings(db, caller)
  if (shop === null || !allowedOrigins(shop).includes(origin)) throw notValid({ base_url: [ORIGIN_RULE] })
}

const tooMany = ({ clientNetworks }: LinkContext): Excess => ({
  field: 'email',
  code: 'too_many_login_links',
  // All shoppers of such a server count as one.
  ...(clientNetworks.length === 0
    ? { note: 'They were asked for with the secret key and without Shopper-Address.' }
    : {}),
})

/** Of one address, asked for from one place. */
const MOST_PER_MINUTE = 1
const MOST_PER_HOUR = 5
/** The same, where one place is all shoppers of a server that does not name them. */
const MOST_PER_HOUR_BY_SERVER = 20
/**
 * An hour, of all addresses, from one network. Far above what those who share one ask for, as it keeps them all out: it only bounds how
 * many jobs somebody puts in for made-up addresses.
 */
const MOST_PER_NETWORK = 600

/**
 * How often a link may be asked for: by place and address, so that who asks for somebody else's uses up their own and not the other's; and
 * by network. Nothing is counted for an address from everywhere, nor for the whole shop: whoever asks for somebody else's, or for
 * made-up ones, would keep others out without a mail to anybody. The job counts the mails that go out (mail/trust.ts).
 * What a server asks for with the secret key counts apart from what anybody asks for with the public one. Unless it names its shoppers'
 * addresses, all that it asks for is from one place.
 */
function askLimits({ caller, clientNetworks }: LinkContext, email: string): Limit[] {
  const login = modeOf(askedBy('login-mail', caller), caller.isSandbox)
  const place = `${email} ${placeOf(clientNetworks)}`
  const anHour = clientNetworks.length === 0 ? MOST_PER_HOUR_BY_SERVER : MOST_PER_HOUR
  return [
    { subject: `${login} minute ${place}`, most: MOST_PER_MINUTE, windowMs: MINUTE_MS },
    { subject: `${login} hour ${place}`, most: anHour, windowMs: HOUR_MS },
    ...networkLimits(`${login} from`, clientNetworks, MOST_PER_NETWORK, HOUR_MS),
  ]
}

/** The widest: who has a whole network asks from each part of it. */
const placeOf = (networks: readonly string[]): string => networks.at(-1) ?? ''

const askedBy = (what: string, { isSecret }: Pick<Caller, 'isSecret'>) => (isSecret ? `${what} by server` : what)

const modeOf = (what: string, isSandbox: boolean) => `${what} ${isSandbox ? 'sandbox' : 'live'}`

export async function exchangeToken(
  context: SessionContext & Pick<Context, 'clientNetworks'>,
  text: string,
): Promise<Session> {
  const { db, clock, caller, clientNetworks } = context
  context.notFinal()
  const login = modeOf('login', caller.isSandbox)
  const subjects = perNetwork(clientNetworks, MAX_FAILURES).map(({ network, most }) => ({
    subject: `${login} ${network}`,
    most,
  }))
  const hash = hashLoginToken(readLoginToken(text))
  const now = clock.now()
  const customer = await useLoginToken(db, caller, hash, {
    subjects,
    now,
    excess: { field: 'token', code: 'too_many_logins' },
  })
  // In the same words whatever is wrong with it.
  if (customer === null)
    throw loginRefused(
      'token',
      'This login link is not valid: it has been used, or its 15 minutes are over. Ask for another.',
      refusal('login_link_over'),
    )
  return sessionOf(context, customer.id, now)
}

/** A session without a link: the merchant knows who it is. It proves no address. */
export async function issueSessionFor(context: SessionContext, customerId: string): Promise<Session> {
  context.notFinal()
  const now = context.clock.now()
  const customer = await findCustomerToLogIn(context.db, context.caller, customerId)
  if (customer === null) throw notFound('customer')
  return sessionOf(context, customer.id, now)
}

/** A token for a mail of the merchant's own to that address, which its use proves as that of our mail does. */
export async function issueToken(
  { db, clock, caller, notFinal }: SessionContext,
  email: string,
): Promise<{ token: string }> {
  notFinal()
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

const sessionOf = async (context: SessionContext, customerId: string, now: Date): Promise<Session> => ({
  customer_id: customerId,
  jwt: await issueSession(context, { ...context.caller, customerId }, now),
})
