// What Razorpay tells by itself, and what it says of a payment, a refund or a dispute when it is asked later. Its messages are signed over
// the bytes that came, with the secret that the merchant has chosen for the webhook; they bear no time, so that only their bytes tell one
// that is sent again.

import { createHash } from 'node:crypto'
import { type GatewayCall, open } from '../call.ts'
import { isForbidden } from '../provider/answer.ts'
import { type Json, objectOf, parseObject, textOf } from '../provider/json.ts'
import { eachIn } from '../provider/messages.ts'
import {
  type CredentialsCheck,
  disputesAmong,
  type FoundDispute,
  foundDispute,
  foundRefund,
  type MessageSubject,
  type PaymentStanding,
  type ProviderMessage,
  type ProviderStory,
  type ReadMessage,
  refused,
  type SentDetails,
  type StandingQuestion,
  subject,
  unusable,
  usable,
} from '../provider/story.ts'
import {
  chargeKeyIn,
  type RazorpayApi,
  type RazorpayDispute,
  type RazorpayPayment,
  type RazorpayRefund,
  refundKeyIn,
} from './api.ts'
import { isUnknownId, refusedLater } from './outcomes.ts'
import { idSentAlone, isSignedInHex } from './payment.ts'

export const razorpayStory = (api: RazorpayApi): ProviderStory => ({
  readMessage: async (message) => readMessage(message),
  keyOf: (call, orderId) => keyOfOrder(api, call, orderId),
  findConfirmation: (call, payment) => orderPaidBy(api, call, payment),
  standingOf: (question) => standingOf(api, question),
  checkCredentials: (call) => checkCredentials(api, call),
})

// Messages.

const SIGNATURE = 'x-razorpay-signature'

function readMessage({ headers, body, config }: ProviderMessage): ReadMessage {
  const secrets = eachIn(config.webhook_secret)
  if (secrets.length === 0) return refused('No webhook_secret is set up, by which a signature could be verified.')
  const signature = headers[SIGNATURE]
  if (signature === undefined) return refused(`There is no signature: ${SIGNATURE}.`)
  if (!isSignedInHex(secrets, body, signature))
    return refused('The signature is not that of the body by the webhook_secret that is set up.')
  const event = parseObject(body)
  if (textOf(event.event) === null) return refused('It is no event.')
  return { kind: 'event', id: idOf(body), subject: subjectOf(event) }
}

/**
 * Of what is signed alone. Razorpay's own id stands in a header beside it (x-razorpay-event-id), where anybody could write another: who has
 * seen one message could send it again as new, or under the id of one that has yet to come. What Razorpay sends again has the same bytes.
 */
const idOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex')

/** Null for what is about something else, and for what names no payment. */
function subjectOf(event: Json): MessageSubject | null {
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
  const found = subject(key, textOf(payment.id))
  return found === null || key !== null || orderId === null ? found : { ...found, keyAt: orderId }
}

/** A payment has the notes that the window was opened with, and not those of its order, which has our key. */
async function keyOfOrder(api: RazorpayApi, call: GatewayCall, orderId: string): Promise<string | null> {
  const answer = await api.findOrder(call, orderId)
  if (answer.ok) return answer.value.key
  if (isUnknownId(answer.refusal)) return null
  throw refusedLater(answer.refusal, 'does not show the order')
}

/** The order that a payment which is sent without a signature was made for; null where it was made for none. */
async function orderPaidBy(api: RazorpayApi, call: GatewayCall, payment: SentDetails): Promise<string | null> {
  const id = idSentAlone(payment)
  if (id === null) return null
  const answer = await api.findPayment(call, id)
  if (answer.ok) return answer.value.orderId
  if (isUnknownId(answer.refusal)) return null
  throw refusedLater(answer.refusal, 'does not show the payment')
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
  const disputes = disputesAmong(await api.listDisputes(question), id, disputeOf, refusedLater)
  return { charge, ...sum, refunds: refunds.value.map(refundOf), disputes }
}

const refundOf = (refund: RazorpayRefund) => foundRefund('Razorpay', refund, ['failed'])

const DISPUTE_STATES: Readonly<Record<string, FoundDispute['status']>> = { won: 'won', lost: 'lost', closed: 'closed' }

const disputeOf = (dispute: RazorpayDispute) => foundDispute('Razorpay', dispute, DISPUTE_STATES)

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
  if (answer.ok) return usable(`Razorpay knows the key, of its ${call.isSandbox ? 'test' : 'live'} mode.`)
  const { refusal } = answer
  if (!isForbidden(refusal)) throw refusedLater(refusal, 'does not list orders')
  return unusable(
    refusal.status === 401
      ? 'Razorpay does not know the key_id with this key_secret, or the key was replaced. Both are made together, and the secret is shown once: make a new key, and copy both.'
      : 'The key may not do what is needed: it has to read and write orders, payments and refunds.',
  )
}
