// How PayPal takes money. An order is made there, the shopper approves it on PayPal's pages, and then the money is taken: never by PayPal
// itself. So an order that nobody goes on with costs nobody anything, and making one moves no money.

import type { Clock } from '../../lib/clock.ts'
import { beforeCharging, type GatewayUnavailable, nothingCharged, open, toldAs } from '../call.ts'
import {
  type ChargeCall,
  type ChargeOutcome,
  type ChargeRequest,
  type FoundOutcome,
  type GatewayAdapter,
  type GatewayPorts,
  isManual,
} from '../gateway.ts'
import {
  type Api,
  findOrder,
  isRefusal,
  type Order,
  openApi,
  pathOf,
  refusalOf,
  resourceIn,
  unavailable,
} from './api.ts'
import { moneyOf, movementsOf } from './movements.ts'
import {
  CANCELLED,
  cancelledMark,
  declinedBy,
  isAbout,
  isCalledOff,
  meaningOf,
  outcomeOf,
  redirectTo,
} from './outcomes.ts'
import { confirmationOf, problemsOf } from './payment.ts'
import { storyOf } from './story.ts'

export function paypalAdapter(ports: GatewayPorts): GatewayAdapter {
  const api = openApi(ports)
  return {
    problemsOf,
    confirmationOf,
    charge: (request) => beforeCharging(() => begin(api, request)),
    confirm: (call) => complete(api, ports.clock, call).catch(throwOpen),
    lookUp: (call) => lookUp(api, call),
    cancel: (call) => cancel(api, call),
    ...movementsOf(api),
    story: storyOf(ports, api),
  }
}

/** What PayPal calls the two ways; `manual` sets the money aside first. */
type Intent = 'CAPTURE' | 'AUTHORIZE'

const intentOf = (call: Pick<ChargeCall, 'config'>): Intent => (isManual(call) ? 'AUTHORIZE' : 'CAPTURE')

/** Makes the order. Whatever goes wrong here, nothing was charged, and nothing will be: nobody has approved it. */
async function begin(api: Api, request: ChargeRequest): Promise<ChargeOutcome> {
  const reply = await api.ask(request, {
    method: 'POST',
    path: '/v2/checkout/orders',
    requestId: request.key,
    body: orderOf(request),
  })
  if (isRefusal(reply)) {
    const refusal = refusalOf(reply)
    if (reply.status === 422 && meaningOf(refusal.issue) === 'declined') return declinedBy(refusal.issue)
    throw unavailable(request, refusal, true)
  }
  const order = resourceIn<Order>(reply)
  if (!isAbout(order, request)) throw nothingCharged(`The PayPal order ${order.id} is not about what was asked for.`)
  const outcome = outcomeOf(order, request)
  // Asked again, PayPal answers with what has become of the order since.
  return isOutcome(outcome) ? outcome : redirectTo(order, request)
}

function orderOf(request: ChargeRequest) {
  const { key, description, config, returnUrl } = request
  const backUrl = config.return_url ?? returnUrl
  return {
    intent: intentOf(request),
    purchase_units: [
      {
        custom_id: key,
        // An account that accepts no invoice twice then pays for it once, whatever else goes wrong.
        invoice_id: key,
        description: description.slice(0, 127),
        amount: moneyOf(request),
      },
    ],
    payment_source: {
      paypal: {
        experience_context: {
          user_action: 'PAY_NOW',
          // The address is the checkout's: one chosen at PayPal would be unknown to shipping and tax.
          shipping_preference: 'NO_SHIPPING',
          // No eChecks, which take days.
          payment_method_preference: 'IMMEDIATE_PAYMENT_REQUIRED',
          return_url: backUrl,
          // To the same page: it asks what has become of the payment, and does not believe the address.
          cancel_url: backUrl,
          ...(config.brand_name === undefined ? {} : { brand_name: config.brand_name.slice(0, 127) }),
        },
      },
    },
  }
}

const isOutcome = (found: FoundOutcome): found is ChargeOutcome =>
  found.kind !== 'unknown' && found.kind !== 'waiting' && found.kind !== 'approved'

/**
 * Under one id for so long: of two processes that take the same order at once PayPal then sees one request. Not for ever: whether it would
 * answer the shopper's second choice with the refusal of the first is not documented. An order is taken once, whatever the ids say.
 */
const CONFIRM_MS = 15_000

const confirmId = (key: string, clock: Clock): string =>
  `${key}_c${Math.floor(clock.now().getTime() / CONFIRM_MS).toString(36)}`

/** Takes, or sets aside, what the shopper has approved. */
async function complete(api: Api, clock: Clock, call: ChargeCall, intent = intentOf(call)): Promise<ChargeOutcome> {
  const { confirmation: id, key } = call
  if (id === null) throw nothingCharged('There is no PayPal order to take.')
  const action = intent === 'CAPTURE' ? 'capture' : 'authorize'
  const reply = await api.ask(call, {
    method: 'POST',
    path: `${pathOf`/v2/checkout/orders/${id}`}/${action}`,
    requestId: confirmId(key, clock),
    body: {},
  })
  if (!isRefusal(reply)) return decided(outcomeOf(resourceIn<Order>(reply), call))
  const refusal = refusalOf(reply)
  switch (meaningOf(refusal.issue)) {
    case 'elsewhere':
      return redirectTo({ id }, call)
    case 'declined':
      return declinedBy(refusal.issue)
    case 'account':
      throw new Refused(unavailable(call, refusal, true))
  }
  const order = await findOrder(api, call, id)
  if (order === null) return declinedBy('ORDER_EXPIRED')
  const found = outcomeOf(order, call)
  if (found.kind !== 'approved') return decided(found)
  // The merchant has chosen the other way since the order was made; it is taken in the way that it was made for.
  if (refusal.issue === 'ACTION_DOES_NOT_MATCH_INTENT' && isIntent(order.intent) && order.intent !== intent)
    return complete(api, clock, call, order.intent)
  // It may be told as approved a moment before it can be taken.
  if (refusal.issue === 'ORDER_NOT_APPROVED') throw unavailable(call, refusal, false)
  throw new Refused(unavailable(call, refusal, true))
}

const isIntent = (intent: string | undefined): intent is Intent => intent === 'CAPTURE' || intent === 'AUTHORIZE'

function decided(found: FoundOutcome): ChargeOutcome {
  if (isOutcome(found)) return found
  throw open(`PayPal has answered, and the order is still ${found.kind}.`)
}

/** PayPal has decided: it was not taken. What is thrown otherwise leaves the approved order to be taken a moment later. */
class Refused extends Error {
  readonly error: GatewayUnavailable

  constructor(error: GatewayUnavailable) {
    super(error.message)
    this.error = error
  }
}

/**
 * Of an order that the shopper has approved, something "will be" charged as long as somebody may take it: an outage, or too many requests,
 * are no reason to call it off.
 */
function throwOpen(cause: unknown): never {
  if (cause instanceof Refused) throw cause.error
  throw toldAs(cause, false)
}

/** Without the id of an order nothing can have been taken: it is what the money is taken by. */
async function lookUp(api: Api, call: ChargeCall): Promise<FoundOutcome> {
  const order = call.confirmation === null ? null : await findOrder(api, call, call.confirmation)
  // PayPal forgets orders that nobody has paid after some hours.
  return order === null ? { kind: 'unknown' } : outcomeOf(order, call)
}

/**
 * PayPal has nothing that takes an order back. Its intent can be changed, though, and a request to take it that is still on its way is then
 * refused; the mark says that it was so, to whoever calls it off again.
 */
async function cancel(api: Api, call: ChargeCall): Promise<ChargeOutcome | { readonly kind: 'cancelled' }> {
  const { confirmation: id, key } = call
  for (let round = 1; ; round++) {
    const order = id === null ? null : await findOrder(api, call, id)
    if (order === null || isCalledOff(order, key)) return { kind: 'cancelled' }
    // Perhaps in the last moment.
    const paid = paidOf(order, call)
    if (paid !== null) return paid
    // It is in a state that cannot be changed: nobody has approved it then, and nobody will take it.
    if (round > 1 && order.status !== 'APPROVED') return { kind: 'cancelled' }
    // Approved since it was first looked at, it can be changed. As long as it is not, a request on its way would take it.
    if (round > MOST_PATCHES) throw open('PayPal does not let an order be changed that the shopper has approved.')
    const reply = await api.ask(call, {
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

const MOST_PATCHES = 2

/** Null where no money has moved. */
function paidOf(order: Order, call: ChargeCall): ChargeOutcome | null {
  const isOpen = !order.purchase_units?.some(({ payments }) => payments !== undefined)
  if (isOpen && order.status !== 'COMPLETED') return null
  const found = outcomeOf(order, call)
  return isOutcome(found) && found !== CANCELLED && found.kind !== 'redirect' ? found : null
}
