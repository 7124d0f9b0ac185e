// What Stripe tells by itself, and what it says of a payment later. A message is Stripe's when one of its v1 signatures was made with a secret
// that the merchant has set up, over the very bytes, a moment ago.

import type { GatewayPorts } from '../gateway.ts'
import { isObject, objectOf, parseObject, textOf } from '../provider/json.ts'
import { eachIn, isSigned } from '../provider/messages.ts'
import {
  type CredentialsCheck,
  type FoundDispute,
  foundDispute,
  foundRefund,
  type MessageSubject,
  type PaymentStanding,
  type ProviderMessage,
  type ProviderStory,
  type ReadMessage,
  refused,
  type StandingQuestion,
  subject,
  unusable,
  usable,
} from '../provider/story.ts'
import { keyProblem, modeOf, stripeApi } from './api.ts'
import { ATTEMPT, type Dispute, type Intent, REFUND, type Refund } from './objects.ts'
import { amountOf } from './sums.ts'

export const stripeStory = (ports: Pick<GatewayPorts, 'http' | 'address'>): ProviderStory => ({
  readMessage: async (message) => readMessage(message),
  async standingOf(question) {
    const api = stripeApi(ports, question)
    const intent = await api.getIntent(question.transactionId)
    const [refunds, disputes] = await Promise.all([api.listRefunds(intent.id), api.listDisputes(intent.id)])
    return standing(question, intent, refunds, disputes)
  },
  checkCredentials: (call) => checkCredentials(ports, call),
})

// Messages.

/** Older ones may be recorded ones, sent again by somebody else. Stripe signs each of its own tries anew. */
const OLDEST_S = 300
/** What a header may hold: a few secrets at once, no more. */
const MOST_SIGNATURES = 20

function readMessage({ config, headers, body, now, isSandbox }: ProviderMessage): ReadMessage {
  const secrets = eachIn(config.webhook_secret)
  if (secrets.length === 0) return refused('No signing secret of a webhook is set up for Stripe.')
  const header = readSignatures(headers['stripe-signature'] ?? '')
  if (header === null) return refused('There is no Stripe-Signature that could be read.')
  if (!isSigned({ secrets, parts: [`${header.stamp}.`, body], signatures: header.v1, encoding: 'hex' }))
    return refused('The signature is not of this body.')
  if (Math.floor(now.getTime() / 1_000) - header.time > OLDEST_S) return refused('The signature is too old.')
  const event = readEvent(body)
  if (event === null) return refused('The body is no event.')
  // Of the other mode: another set-up of this gateway hears of it.
  const isOurs = event.isLive === null || event.isLive === !isSandbox
  return { kind: 'event', id: event.id, subject: isOurs ? subjectOf(event.object) : null }
}

type Signatures = { readonly time: number; readonly stamp: string; readonly v1: readonly string[] }

/** `t=<seconds>,v1=<hex>[,v1=…]`; other schemes say nothing. */
function readSignatures(header: string): Signatures | null {
  const parts = header.split(',').map((part) => part.trim().split('=', 2) as [string, string?])
  const stamp = parts.find(([name]) => name === 't')?.[1] ?? ''
  const v1 = parts.flatMap(([name, value]) => (name === 'v1' && value !== undefined ? [value] : []))
  if (!/^\d{1,12}$/.test(stamp) || v1.length === 0) return null
  return { time: Number(stamp), stamp, v1: v1.slice(0, MOST_SIGNATURES) }
}

type Event = { readonly id: string; readonly isLive: boolean | null; readonly object: unknown }

function readEvent(body: Buffer): Event | null {
  const { id: sent, livemode, data } = parseObject(body)
  const id = textOf(sent)
  if (id === null) return null
  return { id, isLive: typeof livemode === 'boolean' ? livemode : null, object: objectOf(data).object }
}

/** By what the event is about, whatever it is called. Null where no payment of ours can be meant. */
function subjectOf(value: unknown): MessageSubject | null {
  if (!isObject(value)) return null
  const metadata = objectOf(value.metadata)
  const attempt = textOf(metadata[ATTEMPT])
  const intent = textOf(value.payment_intent) ?? textOf(objectOf(value.payment_intent).id)
  switch (value.object) {
    case 'payment_intent':
      return subject(attempt, attempt && textOf(value.id))
    // A charge has the metadata of its intent.
    case 'charge':
      return subject(attempt, intent)
    case 'refund':
      return subject(textOf(metadata[REFUND]), intent)
    case 'dispute':
      return subject(null, intent)
    default:
      return null
  }
}

// What has become of a payment.

function standing(
  { currency }: StandingQuestion,
  intent: Intent,
  refunds: readonly Refund[],
  disputes: readonly Dispute[],
): PaymentStanding {
  const charge = CHARGES[intent.status](intent)
  const units =
    charge === 'complete' ? intent.amountReceived : charge === 'held' ? intent.amountCapturable : intent.amount
  const inOurs = <T extends { readonly amount: number }>(listed: T): T => ({
    ...listed,
    amount: amountOf(listed.amount, currency.toUpperCase()),
  })
  return {
    charge,
    amount: amountOf(units, intent.currency),
    currency: intent.currency,
    // Nothing was taken of what is not complete: what looks like a refund is the end of a hold.
    refunds: charge === 'complete' ? withoutRest(intent, refunds).map((each) => refundOf(inOurs(each))) : [],
    disputes: disputes.map((each) => foundDispute('Stripe', inOurs(each), DISPUTES)),
  }
}

const CHARGES: Readonly<Record<Intent['status'], (intent: Intent) => PaymentStanding['charge']>> = {
  requires_payment_method: () => 'failed',
  requires_confirmation: () => 'pending',
  requires_action: () => 'pending',
  processing: () => 'pending',
  requires_capture: () => 'held',
  succeeded: () => 'complete',
  // With a charge it was held; without one it never came to that.
  canceled: ({ charge }) => (charge === null ? 'failed' : 'released'),
}

/**
 * Where only a part was taken, Stripe shows the rest, which it lets go, as a refund. It is the oldest of that sum that was not made from here,
 * and gives back nothing that was taken.
 */
function withoutRest({ charge }: Intent, refunds: readonly Refund[]): readonly Refund[] {
  const rest = charge === null ? 0 : charge.amount - charge.amountCaptured
  if (rest <= 0) return refunds
  // The newest come first in Stripe's lists.
  const letGo = refunds.findLast(({ key, amount }) => key === null && amount === rest)
  return refunds.filter((each) => each !== letGo)
}

const refundOf = (refund: Refund) => foundRefund('Stripe', refund, ['failed', 'canceled'])

/** A warning, or what Stripe has prevented, costs nothing once it is over. */
const DISPUTES: Readonly<Record<string, FoundDispute['status']>> = {
  won: 'won',
  lost: 'lost',
  warning_closed: 'closed',
  prevented: 'closed',
}

// The credentials.

async function checkCredentials(
  ports: Pick<GatewayPorts, 'http' | 'address'>,
  call: Parameters<ProviderStory['checkCredentials']>[0],
): Promise<CredentialsCheck> {
  const problem = keyProblem(call) ?? pairProblem(call.config)
  if (problem !== null) return unusable(problem)
  const answer = await stripeApi(ports, call).tryKey()
  if (answer.kind === 'done')
    return usable(`Stripe accepts the secret key, of its ${call.isSandbox ? 'test' : 'live'} mode.`)
  if (answer.error.code === 'api_key_expired')
    return unusable(
      'The secret key was revoked at Stripe, or has expired. Copy the new one from the dashboard of Stripe.',
    )
  return unusable(
    answer.status === 403
      ? 'Stripe knows the secret key, but it may not do enough: let it write payment intents, payment methods and refunds, and read disputes.'
      : 'Stripe does not accept the secret key. Copy it once more from the dashboard of Stripe.',
  )
}

/** The browser makes the payment method with one of them, and the server charges it with the other. */
function pairProblem({
  publishable_key: shown = '',
  secret_key: secret = '',
}: ProviderMessage['config']): string | null {
  const [browser, server] = [modeOf(shown), modeOf(secret)]
  return browser === null || server === null || browser === server
    ? null
    : `The publishable key is of Stripe's ${browser} mode, and the secret key of its ${server} mode.`
}
