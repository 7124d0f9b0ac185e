// PayPal's books: orders, what was set aside and taken for them, what was given back, disputes; and the rules by which they change. Facts
// [S] from the published specification (specifications/paypal.ts names it), [D] from developer.paypal.com, [U] not documented: then the choice
// is the one that is worse for us.

import { randomBytes } from 'node:crypto'

export type Money = { currency_code: string; value: string }
type Link = { href: string; rel: string; method: string }

export type CaptureBook = {
  id: string
  status: string
  status_details?: { reason: string }
  amount: Money
  custom_id: string | undefined
  final_capture: boolean
}

type RefundBook = { id: string; status: string; amount: Money; invoice_id?: string; links: Link[] }

type AuthorizationBook = { id: string; status: string; amount: Money; custom_id: string | undefined }

export type OrderBook = {
  id: string
  status: string
  intent: string
  amount: Money
  custom_id?: string
  invoice_id?: string
  description?: string
  isApproved: boolean
  captures: CaptureBook[]
  authorizations: AuthorizationBook[]
  refunds: RefundBook[]
  /** What the next requests to take it are refused with. */
  issues: string[]
  /** What the next capture of it is to be. */
  nextCapture: { status: string; reason?: string }
}

export type DisputeBook = {
  dispute_id: string
  captureId: string
  reason: string
  status: string
  dispute_amount: Money
  outcome_code?: string
}

/** Thrown: the request is refused, and nothing is done. */
export class Refused extends Error {
  readonly status: number
  readonly issue: string
  constructor(issue: string, status = 422) {
    super(issue)
    this.issue = issue
    this.status = status
  }
}

const STATUSES: Readonly<Record<string, number>> = { PERMISSION_DENIED: 403, PREVIOUS_REQUEST_IN_PROGRESS: 409 }

const NO_DECIMALS = ['HUF', 'JPY', 'TWD']
const CURRENCIES =
  'AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN RUB SEK SGD THB TWD USD'.split(' ')

/** [P] As clients of the Orders API quote its refusal of more. */
const MOST = 9_999_999.99

/** [D] Currency codes; [S] the issues. */
function checkMoney({ currency_code: currency, value }: Money) {
  if (!CURRENCIES.includes(currency)) throw new Refused('INVALID_CURRENCY_CODE')
  const [, decimals = ''] = value.split('.')
  if (decimals !== '' && NO_DECIMALS.includes(currency)) throw new Refused('DECIMALS_NOT_SUPPORTED')
  if (decimals.length > 2) throw new Refused('DECIMAL_PRECISION')
  if (Number(value) <= 0) throw new Refused('CANNOT_BE_ZERO_OR_NEGATIVE')
  if (Number(value) > MOST) throw new Refused('MAX_VALUE_EXCEEDED')
}

/** [S] 20 characters at most, capitals and digits. Seventeen letters and digits, never digits alone: those would be taken for the number of a card. */
const newId = () => `${randomBytes(8).toString('hex')}T`.toUpperCase()

const cents = ({ value }: Money) => Math.round(Number(value) * 100)

export function openBooks() {
  const orders = new Map<string, OrderBook>()
  const disputes: DisputeBook[] = []
  let nextRefundStatus = 'COMPLETED'

  const orderOf = (id: string): OrderBook => {
    const order = orders.get(id)
    if (order === undefined) throw new Refused('INVALID_RESOURCE_ID', 404)
    return order
  }
  const find = <K extends 'captures' | 'authorizations'>(kind: K, id: string) => {
    for (const order of orders.values()) {
      const found = order[kind].find((each) => each.id === id) as OrderBook[K][number] | undefined
      if (found !== undefined) return { order, found }
    }
    throw new Refused('INVALID_RESOURCE_ID', 404)
  }

  function newCapture(order: OrderBook, amount: Money, isFinal = true): CaptureBook {
    const { status, reason } = order.nextCapture
    const capture: CaptureBook = {
      id: newId(),
      status,
      ...(reason === undefined ? {} : { status_details: { reason } }),
      amount,
      custom_id: order.custom_id,
      final_capture: isFinal,
    }
    order.captures.push(capture)
    return capture
  }

  /** Nothing more can be taken of what it has set aside. */
  const isTaken = ({ captures, authorizations }: OrderBook) =>
    captures.some(({ final_capture: isFinal }) => isFinal) || authorizations.some(({ status }) => status === 'CAPTURED')

  return {
    orders,
    disputes,
    orderOf,
    captureOf: (id: string) => find('captures', id),
    authorizationOf: (id: string) => find('authorizations', id),
    letNextRefundBe: (status: string) => {
      nextRefundStatus = status
    },

    /** [P] woocommerce-paypal-payments#1491: with a payment source the shopper's action is required. */
    create(draft: Pick<OrderBook, 'intent' | 'amount'> & Partial<OrderBook>): OrderBook {
      checkMoney(draft.amount)
      const order: OrderBook = {
        ...draft,
        id: newId(),
        status: 'PAYER_ACTION_REQUIRED',
        isApproved: false,
        captures: [],
        authorizations: [],
        refunds: [],
        issues: [],
        nextCapture: { status: 'COMPLETED' },
      }
      orders.set(order.id, order)
      return order
    },

    /** [S] Orders that are CREATED or APPROVED; of the rest it is not said that they can be changed. */
    patch(id: string, changes: readonly { op: string; path: string; value: string }[]) {
      const order = orderOf(id)
      if (order.status === 'COMPLETED') throw new Refused('ORDER_ALREADY_COMPLETED')
      if (order.status !== 'APPROVED') throw new Refused('NOT_PATCHABLE')
      for (const { op, path, value } of changes) {
        if (op !== 'replace') throw new Refused('INVALID_PATCH_OPERATION', 400)
        if (path === '/intent') order.intent = value
        else if (path === "/purchase_units/@reference_id=='default'/custom_id") order.custom_id = value
        else throw new Refused('FIELD_NOT_PATCHABLE', 400)
      }
    },

    /** [S] The issues, and which comes first: what does not fit the order at all before what the payer's bank says. */
    complete(id: string, intent: 'CAPTURE' | 'AUTHORIZE'): OrderBook {
      const order = orderOf(id)
      if (order.captures.length > 0) throw new Refused('ORDER_ALREADY_CAPTURED')
      if (order.authorizations.length > 0) throw new Refused('ORDER_ALREADY_AUTHORIZED')
      if (order.intent !== intent) throw new Refused('ACTION_DOES_NOT_MATCH_INTENT')
      if (!order.isApproved) throw new Refused('ORDER_NOT_APPROVED')
      const issue = order.issues.shift()
      // [U] The order stays approved, so that asking for it does not tell that it was refused.
      if (issue !== undefined) throw new Refused(issue, STATUSES[issue] ?? 422)
      order.status = 'COMPLETED'
      if (intent === 'CAPTURE') newCapture(order, order.amount)
      else
        order.authorizations.push({
          id: newId(),
          status: order.nextCapture.status === 'PENDING' ? 'PENDING' : 'CREATED',
          amount: order.amount,
          custom_id: order.custom_id,
        })
      return order
    },

    /** [S] Several times, until one is the last; less than was set aside has a status of its own, also after the last. */
    take(id: string, amount: Money | undefined, isFinal = true): { order: OrderBook; capture: CaptureBook } {
      const { order, found } = find('authorizations', id)
      const sum = amount ?? found.amount
      checkMoney(sum)
      if (found.status === 'VOIDED') throw new Refused('AUTHORIZATION_VOIDED')
      if (found.status === 'EXPIRED') throw new Refused('AUTHORIZATION_EXPIRED')
      if (isTaken(order)) throw new Refused('AUTHORIZATION_ALREADY_CAPTURED')
      // [D] 115 %, or 75 USD more.
      const total = order.captures.reduce((before, each) => before + cents(each.amount), cents(sum))
      if (total > cents(found.amount) * 1.15) throw new Refused('MAX_CAPTURE_AMOUNT_EXCEEDED')
      const issue = order.issues.shift()
      if (issue !== undefined) throw new Refused(issue)
      found.status = total >= cents(found.amount) ? 'CAPTURED' : 'PARTIALLY_CAPTURED'
      return { order, capture: newCapture(order, sum, isFinal) }
    },

    void(id: string): AuthorizationBook {
      const { order, found } = find('authorizations', id)
      if (found.status === 'VOIDED') throw new Refused('PREVIOUSLY_VOIDED')
      if (isTaken(order)) throw new Refused('PREVIOUSLY_CAPTURED')
      found.status = 'VOIDED'
      return found
    },

    refund(
      id: string,
      { amount, invoice_id }: { amount?: Money; invoice_id?: string },
      linkTo: (id: string) => Link,
    ): RefundBook {
      const { order, found } = find('captures', id)
      const sum = amount ?? found.amount
      checkMoney(sum)
      if (sum.currency_code !== found.amount.currency_code) throw new Refused('REFUND_CAPTURE_CURRENCY_MISMATCH')
      const issue = order.issues.shift()
      if (issue !== undefined) throw new Refused(issue)
      if (found.status === 'PENDING') throw new Refused('PENDING_CAPTURE')
      if (found.status === 'REFUNDED') throw new Refused('CAPTURE_FULLY_REFUNDED')
      // [D] The same invoice_id twice is refused only where the account is set to: this one is not, which is worse for us.
      const made = order.refunds.filter(
        ({ status, links: [up] }) => status !== 'FAILED' && status !== 'CANCELLED' && up?.href.endsWith(`/${id}`),
      )
      const before = made.reduce((total, each) => total + cents(each.amount), 0)
      if (before + cents(sum) > cents(found.amount)) throw new Refused('REFUND_AMOUNT_EXCEEDED')
      const refund: RefundBook = {
        id: newId(),
        status: nextRefundStatus,
        amount: sum,
        ...(invoice_id === undefined ? {} : { invoice_id }),
        links: [linkTo(id)],
      }
      nextRefundStatus = 'COMPLETED'
      order.refunds.push(refund)
      if (refund.status !== 'FAILED')
        found.status = before + cents(sum) === cents(found.amount) ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
      return refund
    },
  }
}
