// Stripe's messages, and the state of a payment when queried.
// A genuine message has a recent v1 signature over its exact bytes, made with one of the merchant's secrets.

import type { GatewayPorts } from '../gateway.ts'
import {
  type CredentialsCheck,
  type MessageSubject,
  type ParsedMessage,
  type PaymentStateQuery,
  type ProviderDispute,
  type ProviderHistory,
  type ProviderMessage,
  type ProviderPaymentState,
  refuseMessage,
  toMessageSubject,
  toProviderDispute,
  toProviderRefund,
  unusableCredentials,
  usableCredentials,
} from '../provider/history.ts'
import { isObject, objectOrEmpty, parseObject, textOf } from '../provider/json.ts'
import { hasValidHmac, splitValues } from '../provider/messages.ts'
import { keyProblem, stripeApi, stripeKeyMode } from './api.ts'
import {
  ATTEMPT_METADATA_KEY,
  type Intent,
  REFUND_METADATA_KEY,
  type StripeDispute,
  type StripeRefund,
} from './objects.ts'
import { fromStripeUnits } from './sums.ts'

export const createStripeHistory = (ports: Pick<GatewayPorts, 'http' | 'address'>): ProviderHistory => ({
  readMessage: async (message) => readMessage(message),
  async getPaymentState(question) {
    const api = stripeApi(ports, question)
    const intent = await api.getIntent(question.transactionId)
    const [refunds, disputes] = await Promise.all([api.listRefunds(intent.id), api.listDisputes(intent.id)])
    return paymentStateOf(question, intent, refunds, disputes)
  },
  checkCredentials: (call) => checkCredentials(ports, call),
})

// Messages.

/** An older message may be a replay by an attacker. Stripe signs each retry again. */
const MAX_AGE_S = 300
/** Maximum number of signatures that we check. A genuine header has only a few. */
const MAX_SIGNATURES = 20

function readMessage({ config, headers, body, now, is_sandbox }: ProviderMessage): ParsedMessage {
  const secrets = splitValues(config.webhook_secret)
  if (secrets.length === 0) return refuseMessage('No webhook signing secret is set up for Stripe.')
  const header = readSignatures(headers['stripe-signature'] ?? '')
  if (header === null) return refuseMessage('The header Stripe-Signature is missing or cannot be read.')
  if (!hasValidHmac({ secrets, parts: [`${header.stamp}.`, body], signatures: header.v1, encoding: 'hex' }))
    return refuseMessage('The signature does not match the body.')
  if (Math.floor(now.getTime() / 1_000) - header.time > MAX_AGE_S) return refuseMessage('The signature is too old.')
  const event = readEvent(body)
  if (event === null) return refuseMessage('The body is not an event.')
  // An event of the other mode belongs to another configuration of this gateway.
  const isOurs = event.isLive === null || event.isLive === !is_sandbox
  return { kind: 'event', id: event.id, subject: isOurs ? subjectOf(event.object) : null }
}

type Signatures = { readonly time: number; readonly stamp: string; readonly v1: readonly string[] }

/** Format: `t=<seconds>,v1=<hex>[,v1=…]`. Other schemes are ignored. */
function readSignatures(header: string): Signatures | null {
  const parts = header.split(',').map((part) => part.trim().split('=', 2) as [string, string?])
  const stamp = parts.find(([name]) => name === 't')?.[1] ?? ''
  const v1 = parts.flatMap(([name, value]) => (name === 'v1' && value !== undefined ? [value] : []))
  if (!/^\d{1,12}$/.test(stamp) || v1.length === 0) return null
  return { time: Number(stamp), stamp, v1: v1.slice(0, MAX_SIGNATURES) }
}

type Event = { readonly id: string; readonly isLive: boolean | null; readonly object: unknown }

function readEvent(body: Buffer): Event | null {
  const { id: eventId, livemode, data } = parseObject(body)
  const id = textOf(eventId)
  if (id === null) return null
  return { id, isLive: typeof livemode === 'boolean' ? livemode : null, object: objectOrEmpty(data).object }
}

/** Decides by the object of the event, whatever its type. Null if it cannot be about one of our payments. */
function subjectOf(value: unknown): MessageSubject | null {
  if (!isObject(value)) return null
  const metadata = objectOrEmpty(value.metadata)
  const attempt = textOf(metadata[ATTEMPT_METADATA_KEY])
  const intent = textOf(value.payment_intent) ?? textOf(objectOrEmpty(value.payment_intent).id)
  switch (value.object) {
    case 'payment_intent':
      return toMessageSubject(attempt, attempt && textOf(value.id))
    // A charge has the metadata of its intent.
    case 'charge':
      return toMessageSubject(attempt, intent)
    case 'refund':
      return toMessageSubject(textOf(metadata[REFUND_METADATA_KEY]), intent)
    case 'dispute':
      return toMessageSubject(null, intent)
    default:
      return null
  }
}

// Payment state.

function paymentStateOf(
  { currency }: PaymentStateQuery,
  intent: Intent,
  refunds: readonly StripeRefund[],
  disputes: readonly StripeDispute[],
): ProviderPaymentState {
  const charge = CHARGES[intent.status](intent)
  const units =
    charge === 'complete' ? intent.amountReceived : charge === 'held' ? intent.amountCapturable : intent.amount
  const inOurUnits = <T extends { readonly amount: number }>(item: T): T => ({
    ...item,
    amount: fromStripeUnits(item.amount, currency.toUpperCase()),
  })
  return {
    charge,
    amount: fromStripeUnits(units, intent.currency),
    currency: intent.currency,
    // Nothing was taken unless the charge is complete. A refund is then only the end of a hold.
    refunds: charge === 'complete' ? withoutRest(intent, refunds).map((each) => refundOf(inOurUnits(each))) : [],
    disputes: disputes.map((each) => toProviderDispute('Stripe', inOurUnits(each), DISPUTES)),
  }
}

const CHARGES: Readonly<Record<Intent['status'], (intent: Intent) => ProviderPaymentState['charge']>> = {
  requires_payment_method: () => 'failed',
  requires_confirmation: () => 'pending',
  requires_action: () => 'pending',
  processing: () => 'pending',
  requires_capture: () => 'held',
  succeeded: () => 'complete',
  // With a charge the money was held; otherwise it never was.
  canceled: ({ charge }) => (charge === null ? 'failed' : 'released'),
}

/**
 * Removes the refund that Stripe shows for the released rest after a partial capture. It returns no captured money. It is the oldest refund
 * of that amount which we did not make.
 */
function withoutRest({ charge }: Intent, refunds: readonly StripeRefund[]): readonly StripeRefund[] {
  const rest = charge === null ? 0 : charge.amount - charge.amountCaptured
  if (rest <= 0) return refunds
  // Stripe lists the newest first.
  const releasedRest = refunds.findLast(({ key, amount }) => key === null && amount === rest)
  return refunds.filter((each) => each !== releasedRest)
}

const refundOf = (refund: StripeRefund) => toProviderRefund('Stripe', refund, ['failed', 'canceled'])

/** A warning, or a dispute that Stripe prevented, costs nothing in the end. */
const DISPUTES: Readonly<Record<string, ProviderDispute['status']>> = {
  won: 'won',
  lost: 'lost',
  warning_closed: 'closed',
  prevented: 'closed',
}

// Credentials.

async function checkCredentials(
  ports: Pick<GatewayPorts, 'http' | 'address'>,
  call: Parameters<ProviderHistory['checkCredentials']>[0],
): Promise<CredentialsCheck> {
  const problem = keyProblem(call) ?? findModeMismatch(call.config)
  if (problem !== null) return unusableCredentials(problem)
  const answer = await stripeApi(ports, call).tryKey()
  if (answer.kind === 'done')
    return usableCredentials(`Stripe accepts the secret key, of its ${call.is_sandbox ? 'test' : 'live'} mode.`)
  if (answer.error.code === 'api_key_expired')
    return unusableCredentials(
      'The secret key was revoked at Stripe, or has expired. Copy the new one from the dashboard of Stripe.',
    )
  return unusableCredentials(
    answer.status === 403
      ? 'Stripe knows the secret key, but it may not do enough: let it write payment intents, payment methods and refunds, and read disputes.'
      : 'Stripe does not accept the secret key. Copy it once more from the dashboard of Stripe.',
  )
}

/** The browser creates the payment method with one key, and the server charges it with the other. */
function findModeMismatch({
  publishable_key: publishable = '',
  secret_key: secret = '',
}: ProviderMessage['config']): string | null {
  const [browser, server] = [stripeKeyMode(publishable), stripeKeyMode(secret)]
  return browser === null || server === null || browser === server
    ? null
    : `The publishable key is of Stripe's ${browser} mode, and the secret key of its ${server} mode.`
}
