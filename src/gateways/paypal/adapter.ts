// Payments with PayPal. We create an order, the shopper approves it on PayPal's pages, and then we take the money.
// PayPal never takes it by itself, so an abandoned order costs nobody anything.

import type { Clock } from '../../lib/clock.ts'
import {
  failAsNothingCharged,
  type GatewayUnavailable,
  nothingChargedError,
  unknownOutcomeError,
  withNothingCharged,
} from '../call.ts'
import { isManualCapture } from '../config-fields.ts'
import type {
  ChargeCall,
  ChargeOutcome,
  ChargeRequest,
  GatewayAdapter,
  GatewayPorts,
  LookupOutcome,
} from '../gateway.ts'
import {
  findPaypalOrder,
  isRefusal,
  openPaypalApi,
  type PaypalApi,
  type PaypalOrder,
  pathOf,
  paypalUnavailable,
  readResource,
  refusalOf,
} from './api.ts'
import { createPaypalHistory } from './history.ts'
import { createMovements, toPaypalMoney } from './movements.ts'
import {
  cancelledMark,
  classifyIssue,
  declineForIssue,
  isCancelledOrder,
  matchesCharge,
  outcomeOfOrder,
  PAYPAL_CANCELLED,
  redirectOutcome,
} from './outcomes.ts'
import { findPaypalProblems, paypalConfirmation } from './payment.ts'

export function paypalAdapter(ports: GatewayPorts): GatewayAdapter {
  const api = openPaypalApi(ports)
  return {
    problemsOf: findPaypalProblems,
    confirmationOf: paypalConfirmation,
    charge: (request) => failAsNothingCharged(() => createOrder(api, request)),
    confirm: (call) => captureOrder(api, ports.clock, call).catch(rethrowOpen),
    lookUp: (call) => lookUp(api, call),
    cancel: (call) => cancel(api, call),
    ...createMovements(api),
    history: createPaypalHistory(ports, api),
  }
}

/** PayPal's two capture modes. `manual` first sets the money aside. */
type Intent = 'CAPTURE' | 'AUTHORIZE'

const intentOf = (call: Pick<ChargeCall, 'config'>): Intent => (isManualCapture(call) ? 'AUTHORIZE' : 'CAPTURE')

/** Creates the order. If this fails, nothing was charged and nothing will be: nobody has approved the order. */
async function createOrder(api: PaypalApi, request: ChargeRequest): Promise<ChargeOutcome> {
  const reply = await api.request(request, {
    method: 'POST',
    path: '/v2/checkout/orders',
    requestId: request.key,
    body: buildOrder(request),
  })
  if (isRefusal(reply)) {
    const refusal = refusalOf(reply)
    if (reply.status === 422 && classifyIssue(refusal.issue) === 'declined') return declineForIssue(refusal.issue)
    throw paypalUnavailable(request, refusal, true)
  }
  const order = readResource<PaypalOrder>(reply)
  if (!matchesCharge(order, request))
    throw nothingChargedError(`The PayPal order ${order.id} does not match the request.`)
  const outcome = outcomeOfOrder(order, request)
  // PayPal answers a repeated request with the current state of the order.
  return isOutcome(outcome) ? outcome : redirectOutcome(order, request)
}

function buildOrder(request: ChargeRequest) {
  const { key, description, config, returnUrl } = request
  const backUrl = config.return_url ?? returnUrl
  return {
    intent: intentOf(request),
    purchase_units: [
      {
        custom_id: key,
        // An account that refuses duplicate invoice ids then accepts one payment only, whatever else goes wrong.
        invoice_id: key,
        description: description.slice(0, 127),
        amount: toPaypalMoney(request),
      },
    ],
    payment_source: {
      paypal: {
        experience_context: {
          user_action: 'PAY_NOW',
          // The checkout has the address. Shipping and tax would not know one chosen at PayPal.
          shipping_preference: 'NO_SHIPPING',
          // No eChecks, which take days.
          payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
          return_url: backUrl,
          // The same page: it queries the payment, and does not trust the URL.
          cancel_url: backUrl,
          ...(config.brand_name === undefined ? {} : { brand_name: config.brand_name.slice(0, 127) }),
        },
      },
    },
  }
}

const isOutcome = (outcome: LookupOutcome): outcome is ChargeOutcome =>
  outcome.kind !== 'unknown' && outcome.kind !== 'waiting' && outcome.kind !== 'approved'

/**
 * Time window with one request id, so that PayPal sees concurrent captures of an order as one request.
 * The id changes later: PayPal might answer the shopper's second choice with the refusal of the first. An order is captured only once,
 * whatever the ids are.
 */
const CONFIRM_WINDOW_MS = 15_000

const confirmId = (key: string, clock: Clock): string =>
  `${key}_c${Math.floor(clock.now().getTime() / CONFIRM_WINDOW_MS).toString(36)}`

/** Captures or authorizes the order that the shopper has approved. */
async function captureOrder(
  api: PaypalApi,
  clock: Clock,
  call: ChargeCall,
  intent = intentOf(call),
): Promise<ChargeOutcome> {
  const { confirmation: id, key } = call
  if (id === null) throw nothingChargedError('There is no PayPal order to capture.')
  const action = intent === 'CAPTURE' ? 'capture' : 'authorize'
  const reply = await api.request(call, {
    method: 'POST',
    path: `${pathOf`/v2/checkout/orders/${id}`}/${action}`,
    requestId: confirmId(key, clock),
    body: {},
  })
  if (!isRefusal(reply)) return requireOutcome(outcomeOfOrder(readResource<PaypalOrder>(reply), call))
  const refusal = refusalOf(reply)
  switch (classifyIssue(refusal.issue)) {
    case 'elsewhere':
      return redirectOutcome({ id }, call)
    case 'declined':
      return declineForIssue(refusal.issue)
    case 'account':
      throw new CaptureRefused(paypalUnavailable(call, refusal, true))
  }
  const order = await findPaypalOrder(api, call, id)
  if (order === null) return declineForIssue('ORDER_EXPIRED')
  const outcome = outcomeOfOrder(order, call)
  if (outcome.kind !== 'approved') return requireOutcome(outcome)
  // The merchant has changed the capture setting since the order was created. Use the intent of the order.
  if (refusal.issue === 'ACTION_DOES_NOT_MATCH_INTENT' && isIntent(order.intent) && order.intent !== intent)
    return captureOrder(api, clock, call, order.intent)
  // PayPal may show an order as approved a moment before it can be captured.
  if (refusal.issue === 'ORDER_NOT_APPROVED') throw paypalUnavailable(call, refusal, false)
  throw new CaptureRefused(paypalUnavailable(call, refusal, true))
}

const isIntent = (intent: string | undefined): intent is Intent => intent === 'CAPTURE' || intent === 'AUTHORIZE'

function requireOutcome(outcome: LookupOutcome): ChargeOutcome {
  if (isOutcome(outcome)) return outcome
  throw unknownOutcomeError(`PayPal has answered, but the order is still ${outcome.kind}.`)
}

/** PayPal has refused the capture. After any other error the approved order can still be captured a moment later. */
class CaptureRefused extends Error {
  readonly error: GatewayUnavailable

  constructor(error: GatewayUnavailable) {
    super(error.message)
    this.error = error
  }
}

/** An approved order may still be charged by another attempt. An outage or a rate limit is no reason to cancel it. */
function rethrowOpen(cause: unknown): never {
  if (cause instanceof CaptureRefused) throw cause.error
  throw withNothingCharged(cause, false)
}

/** Without an order id nothing can have been captured, because a capture needs it. */
async function lookUp(api: PaypalApi, call: ChargeCall): Promise<LookupOutcome> {
  const order = call.confirmation === null ? null : await findPaypalOrder(api, call, call.confirmation)
  // PayPal forgets unpaid orders after some hours.
  return order === null ? { kind: 'unknown' } : outcomeOfOrder(order, call)
}

/**
 * PayPal cannot cancel an order. We change its intent instead, so that a capture still in flight is refused. The mark shows a later
 * cancellation that it was done.
 */
async function cancel(api: PaypalApi, call: ChargeCall): Promise<ChargeOutcome | { readonly kind: 'cancelled' }> {
  const { confirmation: id, key } = call
  for (let round = 1; ; round++) {
    const order = id === null ? null : await findPaypalOrder(api, call, id)
    if (order === null || isCancelledOrder(order, key)) return { kind: 'cancelled' }
    // The shopper may have paid in the last moment.
    const paidOutcome = findPaidOutcome(order, call)
    if (paidOutcome !== null) return paidOutcome
    // The order cannot be changed in this state. So nobody has approved it, and nobody will capture it.
    if (round > 1 && order.status !== 'APPROVED') return { kind: 'cancelled' }
    // An order approved since the first check can be changed. Until that succeeds, a capture in flight could still take it.
    if (round > MAX_PATCHES)
      throw unknownOutcomeError('PayPal does not allow changes to an order that the shopper has approved.')
    const reply = await api.request(call, {
      method: 'PATCH',
      path: pathOf`/v2/checkout/orders/${order.id}`,
      body: [
        { op: 'replace', path: '/intent', value: order.intent === 'AUTHORIZE' ? 'CAPTURE' : 'AUTHORIZE' },
        { op: 'replace', path: "/purchase_units/@reference_id=='default'/custom_id", value: cancelledMark(key) },
      ],
    })
    if (!isRefusal(reply)) return { kind: 'cancelled' }
  }
}

const MAX_PATCHES = 2

/** Null if no money has moved. */
function findPaidOutcome(order: PaypalOrder, call: ChargeCall): ChargeOutcome | null {
  const isOpen = !order.purchase_units?.some(({ payments }) => payments !== undefined)
  if (isOpen && order.status !== 'COMPLETED') return null
  const outcome = outcomeOfOrder(order, call)
  return isOutcome(outcome) && outcome !== PAYPAL_CANCELLED && outcome.kind !== 'redirect' ? outcome : null
}
