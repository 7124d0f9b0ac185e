// Square's messages, and the state of payments, refunds and disputes when queried.
// A signature covers the registered URL and the exact bytes. Messages have no time, so only the id reveals a repeated one.

import { unknownOutcomeError } from '../call.ts'
import { isForbidden } from '../provider/answer.ts'
import {
  type CredentialsCheck,
  filterDisputes,
  type MessageSubject,
  type ParsedMessage,
  type PaymentStateQuery,
  type ProviderDispute,
  type ProviderHistory,
  type ProviderMessage,
  type ProviderPaymentState,
  type ProviderRefund,
  refuseMessage,
  toMessageSubject,
  toProviderDispute,
  toProviderRefund,
  unusableCredentials,
  usableCredentials,
} from '../provider/history.ts'
import { type JsonRecord, objectOrEmpty, parseObject, textOf } from '../provider/json.ts'
import { hasValidHmac, splitValues } from '../provider/messages.ts'
import { LOCATION_CURRENCY, type SquareApi, type SquareDispute, type SquareRefund, type SquareRefusal } from './api.ts'
import { squareOutcomeUnknown } from './outcomes.ts'

/** The reason is the only field of ours that Square stores with a refund and returns. */
export const refundReason = (key: string): string => `Refund ${key}`
const KEY_IN_REASON = /^Refund ([\w-]{1,64})$/

export const squareRefundKey = (reason: string | null): string | null => KEY_IN_REASON.exec(reason ?? '')?.[1] ?? null

/** States of failed refunds. */
export const FAILED_SQUARE_REFUNDS: readonly string[] = ['REJECTED', 'FAILED']

export const createSquareHistory = (api: SquareApi): ProviderHistory => ({
  readMessage: async (message) => readMessage(message),
  getPaymentState: (question) => standingOf(api, question),
  checkCredentials: (call) => checkCredentials(api, call),
})

// Messages.

const SIGNATURE = 'x-square-hmacsha256-signature'

function readMessage(message: ProviderMessage): ParsedMessage {
  const { headers, body, config, url } = message
  const secrets = splitValues(config.webhook_signature_key)
  if (secrets.length === 0)
    return refuseMessage('No signature key is set up: enter the one of the webhook subscription.')
  const signature = headers[SIGNATURE]
  if (signature === undefined) return refuseMessage(`There is no ${SIGNATURE}.`)
  // Square signs a full URL. Without PUBLIC_URL we know only the path.
  if (url.startsWith('/'))
    return refuseMessage('PUBLIC_URL is not set. Set it: Square signs the address of the webhook.')
  if (!hasValidHmac({ secrets, parts: [url, body], signatures: [signature], encoding: 'base64' }))
    return refuseMessage('The signature does not match the address, the body and the signature key that is set up.')
  const event = parseObject(body)
  const id = textOf(event.event_id)
  return id === null ? refuseMessage('There is no event_id.') : { kind: 'event', id, subject: subjectOf(event) }
}

/** Null if the event is about something else, such as the account's catalogue, or names no payment. */
function subjectOf(event: JsonRecord): MessageSubject | null {
  const [topic] = (textOf(event.type) ?? '').split('.')
  return SUBJECTS.get(topic ?? '')?.(objectOrEmpty(objectOrEmpty(event.data).object)) ?? null
}

function readPaymentSubject(object: JsonRecord): MessageSubject | null {
  const payment = objectOrEmpty(object.payment)
  return toMessageSubject(textOf(payment.reference_id), textOf(payment.id))
}

function readRefundSubject(object: JsonRecord): MessageSubject | null {
  const refund = objectOrEmpty(object.refund)
  const messageSubject = toMessageSubject(squareRefundKey(textOf(refund.reason)), textOf(refund.payment_id))
  const refundId = textOf(refund.id)
  return messageSubject === null || refundId === null ? messageSubject : { ...messageSubject, refundId }
}

/** Square sends it under `dispute`; its published specification says `object`. */
function readDisputeSubject(object: JsonRecord): MessageSubject | null {
  const dispute = objectOrEmpty(object.dispute ?? object.object)
  return toMessageSubject(null, textOf(objectOrEmpty(dispute.disputed_payment).payment_id))
}

const SUBJECTS = new Map([
  ['payment', readPaymentSubject],
  ['refund', readRefundSubject],
  ['dispute', readDisputeSubject],
])

// Payment state.

const CHARGE_STATES: Readonly<Record<string, ProviderPaymentState['charge']>> = {
  PENDING: 'pending',
  APPROVED: 'held',
  COMPLETED: 'complete',
  FAILED: 'failed',
  CANCELED: 'released',
}

async function standingOf(api: SquareApi, question: PaymentStateQuery): Promise<ProviderPaymentState> {
  const reply = await api.findPayment(question, question.transactionId)
  if (!reply.ok) throw squareOutcomeUnknown(reply.refusal, 'does not show the payment')
  const { id, status, total, refundIds } = reply.value
  const charge = CHARGE_STATES[status]
  if (charge === undefined || total === null) throw unknownOutcomeError('Square shows the payment in an unknown state.')
  // Load each refund by its id, because lists are seconds behind. A message may name a refund before the payment does.
  const listedRefunds = refundIds.map((refundId) => refundOf(api, question, refundId))
  const refunds = (await Promise.all([...listedRefunds, findNamedRefund(api, question, id, refundIds)])).filter(
    (each) => each !== null,
  )
  // An uncompleted payment cannot be disputed.
  const disputes =
    charge === 'complete' ? filterDisputes(await api.listDisputes(question), id, disputeOf, squareOutcomeUnknown) : []
  return { charge, ...total, refunds, disputes }
}

async function refundOf(api: SquareApi, question: PaymentStateQuery, id: string): Promise<ProviderRefund> {
  const answer = await api.findRefund(question, id)
  if (!answer.ok) throw squareOutcomeUnknown(answer.refusal, 'does not show a refund')
  return toFoundRefund(answer.value)
}

/**
 * Refund named by a message. Null if it belongs to another payment of the order, or Square does not know it; the poll continues without it.
 */
async function findNamedRefund(
  api: SquareApi,
  question: PaymentStateQuery,
  paymentId: string,
  listedIds: readonly string[],
): Promise<ProviderRefund | null> {
  const { refundId } = question
  if (refundId === undefined || listedIds.includes(refundId)) return null
  const answer = await api.findRefund(question, refundId)
  return answer.ok && answer.value.paymentId === paymentId ? toFoundRefund(answer.value) : null
}

const toFoundRefund = ({ paymentId: _, reason, ...refund }: SquareRefund): ProviderRefund =>
  toProviderRefund('Square', { ...refund, key: squareRefundKey(reason) }, FAILED_SQUARE_REFUNDS)

const DISPUTE_STATES: Readonly<Record<string, ProviderDispute['status']>> = {
  WON: 'won',
  LOST: 'lost',
  // The seller has accepted the dispute and given up the money.
  ACCEPTED: 'lost',
  INQUIRY_CLOSED: 'closed',
}

const disputeOf = ({ state: status, reason, ...dispute }: SquareDispute): ProviderDispute =>
  toProviderDispute('Square', { ...dispute, status, reason: reason?.toLowerCase() ?? null }, DISPUTE_STATES)

// Credentials.

async function checkCredentials(
  api: SquareApi,
  call: Parameters<ProviderHistory['checkCredentials']>[0],
): Promise<CredentialsCheck> {
  const { config, is_sandbox } = call
  const mode = is_sandbox ? 'sandbox' : 'live'
  if ((config.application_id ?? '').startsWith('sandbox-') !== is_sandbox)
    return unusableCredentials(
      is_sandbox
        ? 'application_id is of production, and this gateway is for the sandbox: copy the one below "Sandbox" (sandbox-sq0idb-…).'
        : 'application_id is of the sandbox, and this gateway takes real payments: copy the one below "Production" (sq0idp-…).',
    )
  const location = await api.findLocation(call, config.location_id ?? '')
  if (!location.ok) return unusableBy(location.refusal, mode)
  const { name, isActive, takesCards, currency } = location.value
  const locationLabel = name === null ? 'The location' : `The location "${name}"`
  if (!isActive) return unusableCredentials(`${locationLabel} is not active at Square.`)
  if (!takesCards)
    return unusableCredentials(
      `${locationLabel} cannot take cards at Square yet: finish the activation of the account.`,
    )
  const answer = usableCredentials(
    `Square knows the access token (${mode}). ${locationLabel} takes cards in ${currency ?? 'its currency'}.`,
  )
  return currency === null ? answer : { ...answer, learned: { [LOCATION_CURRENCY]: currency } }
}

function unusableBy(refusal: SquareRefusal, mode: string): CredentialsCheck {
  if (refusal.status === 404 || refusal.codes.includes('INVALID_LOCATION'))
    return unusableCredentials('The account of the access token has no location with that location_id.')
  if (refusal.codes.includes('ACCESS_TOKEN_REVOKED'))
    return unusableCredentials('The access token was revoked at Square. Copy the new one.')
  if (isForbidden(refusal))
    return unusableCredentials(
      refusal.status === 401
        ? `Square does not know the access token for ${mode} payments. Copy it anew; the sandbox and production have one each.`
        : 'The access token may not do what is needed: it has to read the location, and to read and write payments.',
    )
  throw squareOutcomeUnknown(refusal, 'does not show the location')
}
