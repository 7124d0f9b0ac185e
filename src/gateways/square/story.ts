// What Square tells by itself, and what it says of a payment, a refund or a dispute when it is asked later. Its messages are signed over the
// address that was registered for them, and the bytes that came; they bear no time, so that only their id tells one that is sent again.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { GatewayUnavailable } from '../call.ts'
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
import { open, type Refusal, type SquareApi, type SquareDispute, type SquareRefund } from './api.ts'
import { isForbidden, refusedLater, troubleIn } from './outcomes.ts'

/** Square keeps nothing else of ours with a refund, and shows it again. */
export const refundReason = (key: string): string => `Refund ${key}`
const KEY_IN_REASON = /^Refund ([\w-]{1,64})$/

const keyIn = (reason: string | null): string | null => KEY_IN_REASON.exec(reason ?? '')?.[1] ?? null

export const squareStory = (api: SquareApi): ProviderStory => ({
  readMessage: async (message) => readMessage(message),
  standingOf: (question) => standingOf(api, question),
  checkCredentials: (call) => checkCredentials(api, call),
})

// Messages.

const SIGNATURE = 'x-square-hmacsha256-signature'

function readMessage(message: ProviderMessage): ReadMessage {
  const { headers, body, config } = message
  const keys = (config.webhook_signature_key ?? '').split(/\s+/).filter((key) => key !== '')
  if (keys.length === 0) return refused('No signature key is set up: enter that of the webhook subscription.')
  const signature = headers[SIGNATURE]
  if (signature === undefined) return refused(`There is no ${SIGNATURE}.`)
  if (!keys.some((key) => isSignedBy(key, message, signature)))
    return refused('The signature is not that of the address and the body by the signature key that is set up.')
  const event = parse(body)
  const id = textOf(event.event_id)
  return id === null ? refused('There is no event_id.') : { kind: 'event', id, subject: subjectOf(event) }
}

const refused = (reason: string): ReadMessage => ({ kind: 'refused', reason })

function isSignedBy(key: string, { url, body }: ProviderMessage, signature: string): boolean {
  // As texts: several of them stand for the same bytes.
  const expected = Buffer.from(createHmac('sha256', key).update(url).update(body).digest('base64'))
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

type Json = Readonly<Record<string, unknown>>

const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

function parse(body: Buffer): Json {
  try {
    return objectOf(JSON.parse(body.toString('utf8')))
  } catch {
    return {}
  }
}

/** Null for what is about something else, such as the catalogue of the account, and for what names no payment. */
function subjectOf(event: Json): MessageSubject | null {
  const [what] = (textOf(event.type) ?? '').split('.')
  const object = objectOf(objectOf(event.data).object)
  const subject = SUBJECTS.get(what ?? '')?.(object) ?? null
  return subject === null || (subject.key === null && subject.transactionId === null) ? null : subject
}

function ofPayment(object: Json): MessageSubject {
  const payment = objectOf(object.payment)
  return { key: textOf(payment.reference_id), transactionId: textOf(payment.id) }
}

function ofRefund(object: Json): MessageSubject {
  const refund = objectOf(object.refund)
  return { key: keyIn(textOf(refund.reason)), transactionId: textOf(refund.payment_id) }
}

/** Under `dispute` in what is sent, and under `object` in the published specification. */
function ofDispute(object: Json): MessageSubject {
  const dispute = objectOf(object.dispute ?? object.object)
  return { key: null, transactionId: textOf(objectOf(dispute.disputed_payment).payment_id) }
}

const SUBJECTS = new Map([
  ['payment', ofPayment],
  ['refund', ofRefund],
  ['dispute', ofDispute],
])

// How a payment stands.

const CHARGE_STATES: Readonly<Record<string, PaymentStanding['charge']>> = {
  PENDING: 'pending',
  APPROVED: 'held',
  COMPLETED: 'complete',
  FAILED: 'failed',
  CANCELED: 'released',
}

async function standingOf(api: SquareApi, question: StandingQuestion): Promise<PaymentStanding> {
  const found = await api.findPayment(question, question.transactionId)
  if (!found.ok) throw refusedLater(found.refusal, 'does not show the payment')
  const { id, status, total, refundIds } = found.value
  const charge = CHARGE_STATES[status]
  if (charge === undefined || total === null) throw open('Square shows the payment in a way that is not known here.')
  // By their ids, one by one: lists are seconds behind.
  const refunds = await Promise.all(refundIds.map((refundId) => refundOf(api, question, refundId)))
  // What was never taken cannot be disputed.
  const disputes = charge === 'complete' ? await disputesOf(api, question, id) : []
  return { charge, ...total, refunds, disputes }
}

async function refundOf(api: SquareApi, question: StandingQuestion, id: string): Promise<FoundRefund> {
  const answer = await api.findRefund(question, id)
  if (!answer.ok) throw refusedLater(answer.refusal, 'does not show a refund')
  return foundRefund(answer.value)
}

function foundRefund({ id, status, amount, reason }: SquareRefund): FoundRefund {
  if (amount === null) throw open('Square names a refund without a sum.')
  return {
    id,
    key: keyIn(reason),
    amount,
    status: status === 'REJECTED' || status === 'FAILED' ? 'failed' : 'accepted',
  }
}

const DISPUTE_STATES: Readonly<Record<string, FoundDispute['status']>> = {
  WON: 'won',
  LOST: 'lost',
  // By the seller, who has given the money up.
  ACCEPTED: 'lost',
  INQUIRY_CLOSED: 'closed',
}

/** Payments do not name their disputes: those of the location are gone through. */
async function disputesOf(api: SquareApi, question: StandingQuestion, paymentId: string): Promise<FoundDispute[]> {
  const answer = await api.listDisputes(question)
  if (answer.ok) return answer.value.filter((dispute) => dispute.paymentId === paymentId).map(foundDispute)
  // A token that may not read disputes still tells of everything else.
  if (answer.refusal.status === 403) return []
  throw refusedLater(answer.refusal, 'does not list disputes')
}

function foundDispute({ id, state, amount, reason }: SquareDispute): FoundDispute {
  if (amount === null) throw open('Square names a dispute without a sum.')
  return { id, amount, reason: reason?.toLowerCase() ?? null, status: DISPUTE_STATES[state] ?? 'open' }
}

// Credentials.

async function checkCredentials(
  api: SquareApi,
  call: Parameters<ProviderStory['checkCredentials']>[0],
): Promise<CredentialsCheck> {
  const { config, isSandbox } = call
  const mode = isSandbox ? 'sandbox' : 'live'
  if ((config.application_id ?? '').startsWith('sandbox-') !== isSandbox)
    return unusable(
      isSandbox
        ? 'application_id is of production, and this gateway is for the sandbox: copy the one below "Sandbox" (sandbox-sq0idb-…).'
        : 'application_id is of the sandbox, and this gateway takes real payments: copy the one below "Production" (sq0idp-…).',
    )
  const answer = await api.findLocation(call, config.location_id ?? '')
  if (!answer.ok) return unusableBy(answer.refusal, mode)
  const { name, isActive, takesCards, currency } = answer.value
  const place = name === null ? 'The location' : `The location "${name}"`
  if (!isActive) return unusable(`${place} is not active at Square.`)
  if (!takesCards) return unusable(`${place} cannot take cards at Square yet: finish the activation of the account.`)
  return {
    isUsable: true,
    message: `Square knows the access token. ${place} takes cards in ${currency ?? 'its currency'}.`,
  }
}

const unusable = (message: string): CredentialsCheck => ({ isUsable: false, message })

function unusableBy(refusal: Refusal, mode: string): CredentialsCheck {
  if (refusal.status === 404 || refusal.codes.includes('INVALID_LOCATION'))
    return unusable('The account of the access token has no location with that location_id.')
  if (isForbidden(refusal))
    return unusable(
      refusal.status === 401
        ? `Square does not know the access token for ${mode} payments. Copy it anew; the sandbox and production have one each.`
        : 'The access token may not do what is needed: it has to read the location, and to read and write payments.',
    )
  const trouble: GatewayUnavailable = troubleIn(refusal) ?? refusedLater(refusal, 'does not show the location')
  throw trouble
}
