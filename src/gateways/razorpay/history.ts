// Razorpay's messages, and the state of payments, refunds and disputes when queried.
// A signature covers the exact bytes, with the secret that the merchant chose for the webhook. Messages have no time, so only equal bytes
// reveal a repeated one.

import { createHash } from 'node:crypto'
import { type GatewayCall, unknownOutcomeError } from '../call.ts'
import { isForbidden } from '../provider/answer.ts'
import {
  type CredentialsCheck,
  filterDisputes,
  type MessageSubject,
  type ParsedMessage,
  type PaymentDetails,
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
import { type JsonRecord, objectOrEmpty, parseObject, textOf } from '../provider/json.ts'
import { splitValues } from '../provider/messages.ts'
import {
  chargeKeyIn,
  type RazorpayApi,
  type RazorpayDispute,
  type RazorpayPayment,
  type RazorpayRefund,
  razorpayRefundKey,
} from './api.ts'
import { isUnknownId, razorpayOutcomeUnknown } from './outcomes.ts'
import { isSignedInHex, unprovenPaymentId } from './payment.ts'

export const createRazorpayHistory = (api: RazorpayApi): ProviderHistory => ({
  readMessage: async (message) => readMessage(message),
  keyOf: (call, orderId) => keyOfOrder(api, call, orderId),
  findConfirmation: (call, payment) => findOrderOfPayment(api, call, payment),
  getPaymentState: (question) => standingOf(api, question),
  checkCredentials: (call) => checkCredentials(api, call),
})

// Messages.

const SIGNATURE = 'x-razorpay-signature'

function readMessage({ headers, body, config }: ProviderMessage): ParsedMessage {
  const secrets = splitValues(config.webhook_secret)
  if (secrets.length === 0) return refuseMessage('No webhook_secret is set up to verify the signature.')
  const signature = headers[SIGNATURE]
  if (signature === undefined) return refuseMessage(`There is no signature: ${SIGNATURE}.`)
  if (!isSignedInHex(secrets, body, signature))
    return refuseMessage('The signature does not match the body and the webhook_secret that is set up.')
  const event = parseObject(body)
  if (textOf(event.event) === null) return refuseMessage('It is not an event.')
  return { kind: 'event', id: idOf(body), subject: subjectOf(event) }
}

/**
 * Derives the id only from the signed bytes. Razorpay's own id is in an unsigned header (x-razorpay-event-id), which anybody could replace.
 * An attacker could then repeat a message as new, or block the id of a future one. Razorpay repeats a message with the same bytes.
 */
const idOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex')

/** Null if the event is about something else, or names no payment. */
function subjectOf(event: JsonRecord): MessageSubject | null {
  const payload = objectOrEmpty(event.payload)
  const entity = (name: string): JsonRecord => objectOrEmpty(objectOrEmpty(payload[name]).entity)
  const [topic, subtopic] = (textOf(event.event) ?? '').split('.')
  if (topic === 'refund') {
    const refund = entity('refund')
    return toMessageSubject(razorpayRefundKey(refund), textOf(refund.payment_id))
  }
  if (topic === 'payment' && subtopic === 'dispute')
    return toMessageSubject(null, textOf(entity('dispute').payment_id) ?? textOf(entity('payment').id))
  if (topic !== 'payment' && topic !== 'order') return null
  const [payment, order] = [entity('payment'), entity('order')]
  const orderId = textOf(payment.order_id)
  const key = chargeKeyIn(payment) ?? chargeKeyIn(order)
  const messageSubject = toMessageSubject(key, textOf(payment.id))
  return messageSubject === null || key !== null || orderId === null
    ? messageSubject
    : { ...messageSubject, keyAt: orderId }
}

/** Loads our key from the order. A payment has only the notes with which the window was opened. */
async function keyOfOrder(api: RazorpayApi, call: GatewayCall, orderId: string): Promise<string | null> {
  const answer = await api.findOrder(call, orderId)
  if (answer.ok) return answer.value.key
  if (isUnknownId(answer.refusal)) return null
  throw razorpayOutcomeUnknown(answer.refusal, 'does not show the order')
}

/** Order of a payment that came without a signature; null if it has none. */
async function findOrderOfPayment(
  api: RazorpayApi,
  call: GatewayCall,
  payment: PaymentDetails,
): Promise<string | null> {
  const id = unprovenPaymentId(payment)
  if (id === null) return null
  const answer = await api.findPayment(call, id)
  if (answer.ok) return answer.value.orderId
  if (isUnknownId(answer.refusal)) return null
  throw razorpayOutcomeUnknown(answer.refusal, 'does not show the payment')
}

// Payment state.

function chargeStateOf({ status, isCaptured }: RazorpayPayment): ProviderPaymentState['charge'] {
  // A fully refunded payment stays complete: refunds are reported separately.
  if (isCaptured) return 'complete'
  const charge = CHARGE_STATES[status]
  if (charge === undefined) throw unknownOutcomeError('Razorpay shows the payment in an unknown state.')
  return charge
}

const CHARGE_STATES: Readonly<Record<string, ProviderPaymentState['charge']>> = {
  created: 'pending',
  authorized: 'held',
  captured: 'complete',
  failed: 'failed',
  // Never captured, and refunded when its time was over.
  refunded: 'released',
}

async function standingOf(api: RazorpayApi, question: PaymentStateQuery): Promise<ProviderPaymentState> {
  const reply = await api.findPayment(question, question.transactionId)
  if (!reply.ok) throw razorpayOutcomeUnknown(reply.refusal, 'does not show the payment')
  const { id, sum, isRefunded } = reply.value
  if (sum === null) throw unknownOutcomeError('Razorpay reports an amount that is not valid.')
  const charge = chargeStateOf(reply.value)
  // An uncaptured payment has no refunds and no disputes. The payment itself does not show failed refunds, so always list them.
  if (charge !== 'complete') return { charge, ...sum, refunds: [], disputes: [] }
  const refunds = await api.listRefunds(question, id, sum.currency)
  if (!refunds.ok) throw razorpayOutcomeUnknown(refunds.refusal, 'does not list refunds')
  if (isRefunded && refunds.value.length === 0)
    throw unknownOutcomeError('Razorpay does not show the refunds of the payment yet.')
  const disputes = filterDisputes(await api.listDisputes(question), id, disputeOf, razorpayOutcomeUnknown)
  return { charge, ...sum, refunds: refunds.value.map(refundOf), disputes }
}

const refundOf = (refund: RazorpayRefund) => toProviderRefund('Razorpay', refund, ['failed'])

const DISPUTE_STATES: Readonly<Record<string, ProviderDispute['status']>> = {
  won: 'won',
  lost: 'lost',
  closed: 'closed',
}

const disputeOf = (dispute: RazorpayDispute) => toProviderDispute('Razorpay', dispute, DISPUTE_STATES)

// Credentials.

async function checkCredentials(
  api: RazorpayApi,
  call: Parameters<ProviderHistory['checkCredentials']>[0],
): Promise<CredentialsCheck> {
  const { config, is_sandbox } = call
  if (!(config.key_id ?? '').startsWith(is_sandbox ? 'rzp_test_' : 'rzp_live_'))
    return unusableCredentials(
      is_sandbox
        ? 'key_id is not one of the test mode, and this gateway is for the sandbox: make a key in the test mode (rzp_test_…).'
        : 'key_id is not one of the live mode, and this gateway takes real payments: make a key in the live mode (rzp_live_…).',
    )
  const answer = await api.listAnyOrder(call)
  if (answer.ok) return usableCredentials(`Razorpay knows the key, of its ${call.is_sandbox ? 'test' : 'live'} mode.`)
  const { refusal } = answer
  if (!isForbidden(refusal)) throw razorpayOutcomeUnknown(refusal, 'does not list orders')
  return unusableCredentials(
    refusal.status === 401
      ? 'Razorpay does not know the key_id with this key_secret, or the key was replaced. Both are made together, and the secret is shown once: make a new key, and copy both.'
      : 'The key may not do what is needed: it has to read and write orders, payments and refunds.',
  )
}
