// PayPal's messages about payments, and the state of a payment when queried.

import type { GatewayPorts } from '../gateway.ts'
import {
  type CredentialsCheck,
  type MessageSubject,
  NO_DISPUTE_STATUSES,
  type ParsedMessage,
  type PaymentStateQuery,
  type ProviderDispute,
  type ProviderHistory,
  type ProviderMessage,
  type ProviderPaymentState,
  refuseMessage,
  toMessageSubject,
  toProviderRefund,
  unusableCredentials,
  usableCredentials,
} from '../provider/history.ts'
import { parseObject } from '../provider/json.ts'
import {
  findAuthorization,
  findCapture,
  isRefusal,
  type PaypalApi,
  type PaypalAuthorization,
  type PaypalCapture,
  type PaypalDispute,
  type PaypalRefund,
  pathOf,
  paypalUnavailable,
  refusalOf,
} from './api.ts'
import { FAILED_PAYPAL_REFUNDS, findCaptures, listCaptureRefunds } from './movements.ts'
import { DECLINED_CAPTURE, fromPaypalMoney, TAKEN_CAPTURE } from './outcomes.ts'
import { signatureCheck } from './signature.ts'

export function createPaypalHistory(ports: Pick<GatewayPorts, 'http' | 'address'>, api: PaypalApi): ProviderHistory {
  const findSignatureProblem = signatureCheck(ports)
  return {
    async readMessage(message) {
      const reason = await findSignatureProblem(message)
      return reason === null ? readEvent(message) : refuseMessage(reason)
    },
    getPaymentState: (question) => standingOf(api, question),
    checkCredentials: (call) => checkCredentials(api, call),
  }
}

// Messages.

type Event = { readonly id?: unknown; readonly event_type?: unknown; readonly resource?: Resource }

type Resource = {
  readonly id?: string
  readonly custom_id?: string
  readonly invoice_id?: string
  readonly links?: readonly { readonly href: string; readonly rel: string }[]
  readonly purchase_units?: readonly { readonly custom_id?: string }[]
  readonly disputed_transactions?: readonly { readonly seller_transaction_id?: string; readonly custom?: string }[]
}

function readEvent({ body }: ProviderMessage): ParsedMessage {
  const event: Event = parseObject(body)
  if (typeof event.id !== 'string') return refuseMessage('It is not an event.')
  return { kind: 'event', id: event.id, subject: subjectOf(String(event.event_type), event.resource ?? {}) }
}

/** Filters by event type: an account also has events about subscriptions and payouts. */
function subjectOf(type: string, resource: Resource): MessageSubject | null {
  if (/^CHECKOUT\.(?:ORDER|PAYMENT-APPROVAL)\./.test(type))
    return toMessageSubject(keepOurKey(resource.purchase_units?.[0]?.custom_id), null)
  // The event is about a refund, although it is named after the refunded capture.
  if (/^PAYMENT\.(?:CAPTURE\.(?:REFUNDED|REVERSED)|REFUND\.)/.test(type)) {
    const capture = resource.links?.find(({ rel, href }) => rel === 'up' && CAPTURE_LINK.test(href))
    return toMessageSubject(
      keepOurKey(resource.invoice_id ?? resource.custom_id),
      CAPTURE_LINK.exec(capture?.href ?? '')?.[1] ?? null,
    )
  }
  if (/^PAYMENT\.(?:CAPTURE|AUTHORIZATION)\./.test(type))
    return toMessageSubject(keepOurKey(resource.custom_id), resource.id ?? null)
  if (/^CUSTOMER\.DISPUTE\./.test(type)) {
    const [disputed] = resource.disputed_transactions ?? []
    return toMessageSubject(keepOurKey(disputed?.custom), disputed?.seller_transaction_id ?? null)
  }
  return null
}

const CAPTURE_LINK = /\/v2\/payments\/captures\/([A-Z0-9]+)$/
/** Keys of attempts, refunds and refunds of late payments. Keys of other programs in the same account are not ours. */
const OUR_KEY = /^(?:atmpt|rfnd)_[0-9A-Za-z]{26}(?:_refund)?$/

const keepOurKey = (key: string | undefined): string | null => (key !== undefined && OUR_KEY.test(key) ? key : null)

// Payment state.

async function standingOf(api: PaypalApi, question: PaymentStateQuery): Promise<ProviderPaymentState> {
  const { transactionId } = question
  const capture = await findCapture(api, question, transactionId)
  if (capture !== null) return standingOfCapture(api, question, capture)
  const authorization = await findAuthorization(api, question, transactionId)
  if (authorization === null)
    throw paypalUnavailable(question, { status: 404, issue: 'RESOURCE_NOT_FOUND', debugId: null }, false)
  const { status, amount } = authorization
  const charge = UNTAKEN[status]
  if (charge !== undefined) return { charge, ...fromPaypalMoney(amount), refunds: [], disputes: [] }
  const { made: captures, fresh, isFinal } = await findCaptures(api, question, authorization)
  const newCapture = fresh.find((each) => TAKEN_CAPTURE.includes(each.status)) ?? fresh[0]
  if (newCapture === undefined) return standingOfRest(question, authorization, captures, isFinal)
  // Load the capture by its own URL: only there PayPal names its order.
  const standing = await standingOfCapture(
    api,
    question,
    (await findCapture(api, question, newCapture.id)) ?? newCapture,
  )
  const isRestOpen = fresh.length > 1 || !isFinal
  return { ...standing, transactionId: newCapture.id, ...(isRestOpen ? { isRestOpen } : {}) }
}

/** States in which nothing has been taken. */
const UNTAKEN: Readonly<Record<string, ProviderPaymentState['charge']>> = {
  CREATED: 'held',
  PENDING: 'pending',
  DENIED: 'failed',
}

/** State of an authorization that is over, or with all its captures recorded as other charges. */
function standingOfRest(
  question: PaymentStateQuery,
  { status, amount }: PaypalAuthorization,
  captures: readonly PaypalCapture[],
  isFinal: boolean,
): ProviderPaymentState {
  const isOver = status === 'VOIDED' || status === 'EXPIRED'
  // Captured, but no capture is known.
  if (!isOver && captures.length === 0)
    throw paypalUnavailable(question, { status: 200, issue: status, debugId: null }, false)
  const { currency, ...authorizedSum } = fromPaypalMoney(amount)
  const remaining = captures.reduce(
    (rest, capture) => rest - fromPaypalMoney(capture.amount).amount,
    authorizedSum.amount,
  )
  return { charge: isFinal ? 'released' : 'held', amount: remaining, currency, refunds: [], disputes: [] }
}

async function standingOfCapture(
  api: PaypalApi,
  question: PaymentStateQuery,
  capture: PaypalCapture,
): Promise<ProviderPaymentState> {
  const { id, status, amount } = capture
  const refunds = await listCaptureRefunds(api, question, id, capture)
  // A refunded capture without its refunds cannot be recorded.
  if (refunds === null && /REFUNDED$/.test(status))
    throw paypalUnavailable(question, { status: 404, issue: 'RESOURCE_NOT_FOUND', debugId: null }, false)
  return {
    charge: TAKEN_CAPTURE.includes(status) ? 'complete' : DECLINED_CAPTURE.includes(status) ? 'failed' : 'pending',
    ...fromPaypalMoney(amount),
    refunds: (refunds ?? []).map(refundOf),
    disputes: await disputesOf(api, question, id),
  }
}

const refundOf = ({ id, status, amount, invoice_id: key }: PaypalRefund) =>
  toProviderRefund(
    'PayPal',
    { id, status, key: keepOurKey(key), amount: fromPaypalMoney(amount).amount },
    FAILED_PAYPAL_REFUNDS,
  )

/** Empty if the application may not see disputes. The merchant must allow that at PayPal, and most do not. */
async function disputesOf(
  api: PaypalApi,
  question: PaymentStateQuery,
  captureId: string,
): Promise<readonly ProviderDispute[]> {
  const reply = await api.request(question, {
    method: 'GET',
    path: pathOf`/v1/customer/disputes?disputed_transaction_id=${captureId}`,
  })
  if (isRefusal(reply)) {
    if (NO_DISPUTE_STATUSES.includes(reply.status)) return []
    throw paypalUnavailable(question, refusalOf(reply), false)
  }
  const { items = [] } = reply.body as { items?: readonly PaypalDispute[] }
  const disputes: ProviderDispute[] = []
  for (const item of items) {
    const isOver = item.status === 'RESOLVED'
    // Only the dispute itself shows its result, not the list.
    const outcome = isOver ? await outcomeOfDispute(api, question, item.dispute_id) : undefined
    disputes.push({
      id: item.dispute_id,
      amount: fromPaypalMoney(item.dispute_amount).amount,
      reason: item.reason ?? null,
      status: isOver ? (ENDS[outcome ?? ''] ?? 'closed') : 'open',
    })
  }
  return disputes
}

async function outcomeOfDispute(api: PaypalApi, question: PaymentStateQuery, id: string): Promise<string | undefined> {
  const reply = await api.request(question, { method: 'GET', path: pathOf`/v1/customer/disputes/${id}` })
  if (isRefusal(reply)) throw paypalUnavailable(question, refusalOf(reply), false)
  return (reply.body as PaypalDispute).dispute_outcome?.outcome_code
}

/** With a payout PayPal pays the shopper itself, and the merchant keeps the money. */
const ENDS: Readonly<Record<string, ProviderDispute['status']>> = {
  RESOLVED_BUYER_FAVOUR: 'lost',
  ACCEPTED: 'lost',
  RESOLVED_SELLER_FAVOUR: 'won',
  RESOLVED_WITH_PAYOUT: 'won',
  DENIED: 'won',
}

// Credentials. Sandbox and live credentials look alike. Only PayPal can distinguish them, each on its own host.

async function checkCredentials(
  { tokens }: PaypalApi,
  call: Parameters<ProviderHistory['checkCredentials']>[0],
): Promise<CredentialsCheck> {
  const [mode, other] = call.is_sandbox ? (['sandbox', 'live'] as const) : (['live', 'sandbox'] as const)
  if (await tokens.isKnown(call)) return usableCredentials(`PayPal knows these credentials (${mode}).`)
  const isOther = await tokens.isKnown({ ...call, is_sandbox: !call.is_sandbox })
  return unusableCredentials(
    isOther
      ? `These are ${other} credentials, and PayPal does not know them for ${mode}. Copy those of the ${mode} application.`
      : 'PayPal does not know these credentials, or the secret was replaced. Copy the client id and the secret of the application again.',
  )
}
