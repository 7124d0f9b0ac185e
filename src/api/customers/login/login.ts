// Logging in: requesting a link, and exchanging its token for a session. mail-job.ts creates and sends the link.

import { createHash } from 'node:crypto'
import type { Caller, Context } from '../../../http/endpoint/endpoint.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { perNetwork } from '../../../lib/addresses.ts'
import { type Excess, type FieldErrors, loginRefused, notFound, notValid, unprocessable } from '../../../lib/errors.ts'
import { emailRule, readEmail } from '../../../lib/text.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import { MAX_FAILURES } from '../../../limits/guesses.ts'
import { countAgainstLimits, networkLimits } from '../../../limits/requests.ts'
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

/** `markNotFinal` keeps session credentials from being stored for a repeated Idempotency-Key. */
type SessionContext = Pick<Context, 'db' | 'clock' | 'caller' | 'sessionKeys' | 'markNotFinal'>

type Session = { customer_id: string; jwt: string }

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/**
 * Enqueues a job that mails a login link. Only the job looks up the customer, so neither the reply, nor its time, nor the limits reveal
 * whether the customer exists.
 */
export async function requestLoginLink(context: LinkContext, body: { email: string; base_url: string }): Promise<void> {
  const { db, clock, caller, clientNetworks, lastingOrigin } = context
  const { merchant_id, is_sandbox, isSecret } = caller
  const problems: FieldErrors = {}
  const email = readEmail(body.email)
  const base = readBaseUrl(body.base_url)
  if (email === null) problems.email = [emailRule('email')]
  if (base === null) problems.base_url = [BASE_URL_RULE]
  if (email === null || base === null) throw unprocessable(problems)
  if (!is_sandbox) await refuseOtherOrigins(context, base.origin)
  const payload: LoginMailJob = {
    emailKey: emailKey(email),
    template: base.template,
    isSandbox: is_sandbox,
    isSecret,
    networks: clientNetworks,
    lastingOrigin,
  }
  const now = clock.now()
  await db.transaction(async (tx) => {
    await countAgainstLimits(tx, caller, limitsOf(context, payload.emailKey), now, excessOf(context))
    await enqueue(tx, {
      merchant_id,
      kind: LOGIN_MAIL_JOB,
      // A link requested twice during an outage of the mail server is mailed once. It runs at once: the old job's backoff says nothing
      // about the server now.
      key: linkKey(context, payload),
      replaces: true,
      payload,
      runAt: now,
    })
  })
}

/**
 * Two requests share a job only if they come from the same place, for the same address and the same page. Otherwise a stranger's request
 * with a wrong page could replace the owner's.
 */
function linkKey({ caller, clientNetworks }: LinkContext, { emailKey, template }: LoginMailJob): string {
  // Hashed because the key is in an index with short entries.
  const page = createHash('sha256').update(template).digest('base64url')
  return `${modeOf(labelFor(emailKey, caller), caller.is_sandbox)} ${page} ${placeOf(clientNetworks)}`
}

/** A link to a foreign page would deliver a customer's token to a stranger. */
async function refuseOtherOrigins({ db, caller }: LinkContext, origin: string) {
  const shop = await findSettings(db, caller)
  if (shop === null || !allowedOrigins(shop).includes(origin)) throw notValid({ base_url: [ORIGIN_RULE] })
}

const excessOf = ({ clientNetworks }: LinkContext): Excess => ({
  field: 'email',
  code: 'too_many_login_links',
  // All shoppers of such a server count as one place.
  ...(clientNetworks.length === 0
    ? { note: 'They were requested with the secret key and without the Shopper-Address header.' }
    : {}),
})

/** Limits for one address from one place. */
const MAX_PER_MINUTE = 1
const MAX_PER_HOUR = 5
/** The hourly limit if the place is a server that does not send its shoppers' addresses. */
const MAX_PER_HOUR_BY_SERVER = 20
/**
 * Limit per hour and network, for all addresses. Far above the needs of a shared network, because reaching it locks out everybody there. It
 * only bounds the jobs for made-up addresses.
 */
const MAX_PER_NETWORK = 600

/**
 * Limits on requests for links, by place with address, and by network. Requests for somebody else's address use up the requester's limit,
 * not the owner's.
 * There is no limit per address from everywhere, or per shop: strangers could use it up and lock others out. The job limits the mails that
 * are sent (mail/trust.ts).
 * Requests with the secret key count separately from those with the public key. A server that does not send its shoppers' addresses is one
 * place.
 */
function limitsOf({ caller, clientNetworks }: LinkContext, email: string): Limit[] {
  const login = modeOf(labelFor('login-mail', caller), caller.is_sandbox)
  const place = `${email} ${placeOf(clientNetworks)}`
  const mostPerHour = clientNetworks.length === 0 ? MAX_PER_HOUR_BY_SERVER : MAX_PER_HOUR
  return [
    { subject: `${login} minute ${place}`, most: MAX_PER_MINUTE, windowMs: MINUTE_MS },
    { subject: `${login} hour ${place}`, most: mostPerHour, windowMs: HOUR_MS },
    ...networkLimits(`${login} from`, clientNetworks, MAX_PER_NETWORK, HOUR_MS),
  ]
}

/** The widest network, because an attacker with a whole network can use each part of it. */
const placeOf = (networks: readonly string[]): string => networks.at(-1) ?? ''

const labelFor = (what: string, { isSecret }: Pick<Caller, 'isSecret'>) => (isSecret ? `${what} by server` : what)

const modeOf = (what: string, is_sandbox: boolean) => `${what} ${is_sandbox ? 'sandbox' : 'live'}`

export async function exchangeToken(
  context: SessionContext & Pick<Context, 'clientNetworks'>,
  text: string,
): Promise<Session> {
  const { db, clock, caller, clientNetworks } = context
  context.markNotFinal()
  const login = modeOf('login', caller.is_sandbox)
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
  // The same message for every defect.
  if (customer === null)
    throw loginRefused(
      'token',
      'This login link is not valid: it has been used, or its 15 minutes are over. Ask for another.',
      refusal('login_link_over'),
    )
  return createSession(context, customer.id, now)
}

/** Issues a session without a link, because the merchant knows the customer. It proves no address. */
export async function issueSessionFor(context: SessionContext, customerId: string): Promise<Session> {
  context.markNotFinal()
  const now = context.clock.now()
  const customer = await findCustomerToLogIn(context.db, context.caller, customerId)
  if (customer === null) throw notFound('customer')
  return createSession(context, customer.id, now)
}

/** Issues a token for a mail that the merchant sends. Its use proves the address, as with our mail. */
export async function issueToken(
  { db, clock, caller, markNotFinal }: SessionContext,
  email: string,
): Promise<{ token: string }> {
  markNotFinal()
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

const createSession = async (context: SessionContext, customerId: string, now: Date): Promise<Session> => ({
  customer_id: customerId,
  jwt: await issueSession(context, { ...context.caller, customerId }, now),
})
