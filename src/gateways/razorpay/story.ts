// What Razorpay tells by itself, and what it says of a payment, a refund or a dispute when it is asked later. Its messages are signed over
// the bytes that came, with the secret that the merchant has chosen for the webhook; they bear no time, so that only their id tells one
// that is sent again.

import { createHash, createHmac } from 'node:crypto'
import type {
  CredentialsCheck,
  FoundDispute,
  FoundRefund,
  MessageSubject,
  PaymentStanding,
  ProviderMessage,
  ProviderStory,
  ReadMessage,
  StandingQuestion,
} from '../provider/story.ts'
import {
  chargeKeyIn,
  objectOf,
  open,
  type RazorpayApi,
  type RazorpayDispute,
  type RazorpayPayment,
  type RazorpayRefund,
  refundKeyIn,
  textOf,
} from './api.ts'
import { isForbidden, isUnknownId, refusedLater } from './outcomes.ts'
import { isDigest } from './payment.ts'

export const razorpayStory = (api: RazorpayApi): ProviderStory => ({
  readMessage: (message) => readMessage(api, message),
  standingOf: (question) => standingOf(api, question),
  checkCredentials: (call) => checkCredentials(api, call),
})

// Messages.

const SIGNATURE = 'x-razorpay-signature'
const EVENT_ID = 'x-razorpay-event-id'

async function readMessage(api: RazorpayApi, message: ProviderMessage): Promise<ReadMessage> {
  const { headers, body, config } = message
  const secrets = (config.webhook_secret ?? '').split(/\s+/).filter((secret) => secret !== '')
  if (secrets.length === 0) return refused('No webhook_secret is set up, by which a signature could be verified.')
  const signature = headers[SIGNATURE]
  if (signature === undefined) return refused(`There is no signature: ${SIGNATURE}.`)
  if (!secrets.some((secret) => isDigest(createHmac('sha256', secret).update(body).digest(), signature)))
    return refused('The signature is not that of the body by the webhook_secret that is set up.')
  const event = parse(body)
  if (textOf(event.event) === null) return refused('It is no event.')
  return { kind: 'event', id: idOf(message), subject: await subjectOf(api, message, event) }
}

const refused = (reason: string): ReadMessage => ({ kind: 'refused', reason })

/** The id stands beside what is signed. Without one the bytes tell: what is sent again has the same. */
function idOf({ headers, body }: ProviderMessage): string {
  const id = headers[EVENT_ID]
  return id !== undefined && /^[\w-]{1,64}$/.test(id) ? id : createHash('sha256').update(body).digest('hex')
}

type Json = Readonly<Record<string, unknown>>

function parse(body: Buffer): Json {
  try {
    return objectOf(JSON.parse(body.toString('utf8')))
  } catch {
    return {}
  }
}

/** Null for what is about something else, and for what names no payment. */
async function subjectOf(api: RazorpayApi, message: ProviderMessage, event: Json): Promise<MessageSubject | null> {
  const payload = objectOf(event.payload)
  const entity = (name: string): Json => objectOf(objectOf(payload[name]).entity)
  const [what, about] = (textOf(event.event) ?? '').split('.')
  if (what === 'refund') {
    const refund = entity('refund')
    return subject(refundKeyIn(refund), textOf(refund.payment_id))
  }
  if (what === 'payment' && about === 'dispute')
    return subject(null, textOf(entity('dispute').payment_id) ?? textOf(entity('payment').id))
  if (what !== 'payment' && what !== 'order') return null
  const [payment, order] = [entity('payment'), entity('order')]
  const orderId = textOf(payment.order_id)
  const key = chargeKeyIn(payment) ?? chargeKeyIn(order)
  return subject(key ?? (orderId === null ? null : await keyOfOrder(api, message, orderId)), textOf(payment.id))
}

const subject = (key: string | null, transactionId: string | null): MessageSubject | null =>
  key === null && transactionId === null ? null : { key, transactionId }

/** A payment has the notes that the window was opened with, and not those of its order, which has our key. */
async function keyOfOrder(api: RazorpayApi, message: ProviderMessage, orderId: string): Promise<string | null> {
  const answer = await api.findOrder(message, orderId)
  if (answer.ok) return answer.value.key
  if (isUnknownId(answer.refusal)) return null
  throw refusedLater(answer.refusal, 'does not show the order')
}

// How a payment stands.

function chargeOf({ status, isCaptured }: RazorpayPayment): PaymentStanding['charge'] {
  // Also after all of it has gone back: refunds are told by themselves.
  if (isCaptured) return 'complete'
  const charge = CHARGE_STATES[status]
  if (charge === undefined) throw open('Razorpay shows the payment in a way that is not known here.')
  return charge
}

const CHARGE_STATES: Readonly<Record<string, PaymentStanding['charge']>> = {
  created: 'pending',
  authorized: 'held',
  captured: 'complete',
  failed: 'failed',
  // Never taken, and given back when its time was over.
  refunded: 'released',
}

async function standingOf(api: RazorpayApi, question: StandingQuestion): Promise<PaymentStanding> {
  const found = await api.findPayment(question, question.transactionId)
  if (!found.ok) throw refusedLater(found.refusal, 'does not show the payment')
  const { id, sum, isRefunded } = found.value
  if (sum === null) throw open('Razorpay names a sum that nobody has asked for.')
  const charge = chargeOf(found.value)
  // What was never taken can neither be refunded nor disputed. A refund that has failed leaves no trace in the payment.
  if (charge !== 'complete') return { charge, ...sum, refunds: [], disputes: [] }
  const refunds = await api.listRefunds(question, id, sum.currency)
  if (!refunds.ok) throw refusedLater(refunds.refusal, 'does not list refunds')
  if (isRefunded && refunds.value.length === 0) throw open('Razorpay does not show the refunds of the payment yet.')
  return { charge, ...sum, refunds: refunds.value.map(foundRefund), disputes: await disputesOf(api, question, id) }
}

function foundRefund({ id, key, amount, status }: RazorpayRefund): FoundRefund {
  if (amount === null) throw open('Razorpay names a refund without a sum.')
  return { id, key, amount, status: status === 'failed' ? 'failed' : 'accepted' }
}

/** Payments do not name their disputes: those of the account are gone through. */
async function disputesOf(api: RazorpayApi, question: StandingQuestion, paymentId: string): Promise<FoundDispute[]> {
  const answer = await api.listDisputes(question)
  if (answer.ok) return answer.value.filter((dispute) => dispute.paymentId === paymentId).map(foundDispute)
  // An account that may not read disputes still tells of everything else.
  if (answer.refusal.status === 403 || answer.refusal.status === 404) return []
  throw refusedLater(answer.refusal, 'does not list disputes')
}

const DISPUTE_STATES: Readonly<Record<string, FoundDispute['status']>> = { won: 'won', lost: 'lost', closed: 'closed' }

function foundDispute({ id, status, amount, reason }: RazorpayDispute): FoundDispute {
  if (amount === null) throw open('Razorpay names a dispute without a sum.')
  return { id, amount, reason, status: DISPUTE_STATES[status] ?? 'open' }
}

// Credentials.

async function checkCredentials(
  api: RazorpayApi,
  call: Parameters<ProviderStory['checkCredentials']>[0],
): Promise<CredentialsCheck> {
  const { config, isSandbox } = call
  if (!(config.key_id ?? '').startsWith(isSandbox ? 'rzp_test_' : 'rzp_live_'))
    return unusable(
      isSandbox
        ? 'key_id is not one of the test mode, and this gateway is for the sandbox: make a key in the test mode (rzp_test_…).'
        : 'key_id is not one of the live mode, and this gateway takes real payments: make a key in the live mode (rzp_live_…).',
    )
  const answer = await api.listAnyOrder(call)
  if (answer.ok) return { isUsable: true, message: 'Razorpay knows the key.' }
  const { refusal } = answer
  if (!isForbidden(refusal)) throw refusedLater(refusal, 'does not list orders')
  return unusable(
    refusal.status === 401
      ? 'Razorpay does not know the key_id with this key_secret. Both are made together, and the secret is shown once: make a new key, and copy both.'
      : 'The key may not do what is needed: it has to read and write orders, payments and refunds.',
  )
}

const unusable = (message: string): CredentialsCheck => ({ isUsable: false, message })
