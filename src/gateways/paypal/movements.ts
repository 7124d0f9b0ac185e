// Movements after the payment: taking authorized money, releasing it, refunding it.

import { type Money, unknownOutcomeError } from '../call.ts'
import type { GatewayAdapter, RefundOutcome, RefundRequest, TakeOutcome, TakeRequest } from '../gateway.ts'
import { findSumProblem, stepOf, toProviderDecimal } from '../provider/amounts.ts'
import { declineMovement, declineOutcome } from '../provider/payment.ts'
import {
  findAuthorization,
  findCapture,
  findPaypalOrder,
  isRefusal,
  type PaypalApi,
  type PaypalAuthorization,
  type PaypalCapture,
  type PaypalMoney,
  type PaypalRefund,
  pathOf,
  paypalUnavailable,
  readResource,
  refusalOf,
} from './api.ts'
import { capturesOf, DECLINED_CAPTURE, fromPaypalMoney, TAKEN_CAPTURE } from './outcomes.ts'
import { PAYPAL_CURRENCIES } from './payment.ts'
import type { PaypalAccount } from './token.ts'

export const createMovements = (
  api: PaypalApi,
): Required<Pick<GatewayAdapter, 'take' | 'takesParts' | 'release' | 'refund' | 'stepIn'>> => ({
  take: (request) => take(api, request),
  takesParts: true,
  release: (call) => release(api, call),
  refund: (request) => refund(api, request),
  stepIn: (currency) => stepOf(PAYPAL_CURRENCIES, currency),
})

export const toPaypalMoney = (sum: Money): PaypalMoney => ({
  currency_code: sum.currency,
  value: toProviderDecimal(PAYPAL_CURRENCIES, sum),
})

/** `transactionId` is the authorization. The capture has another id, and refunds use that one. */
async function take(api: PaypalApi, request: TakeRequest): Promise<TakeOutcome> {
  const { key, transactionId, amount } = request
  const problem = findSumProblem(PAYPAL_CURRENCIES, request)
  if (problem !== null) return declineMovement(problem)
  const reply = await api.request(request, {
    method: 'POST',
    path: `${pathOf`/v2/payments/authorizations/${transactionId}`}/capture`,
    // The amount is part of the id: PayPal must not repeat its refusal of another amount. Two amounts cannot both be taken, because the
    // first capture is final.
    requestId: `${key}_t${amount.toString(36)}`,
    // Final: the rest of the authorization is released after a partial capture.
    body: { amount: toPaypalMoney(request), final_capture: true },
  })
  if (!isRefusal(reply)) return takeOutcomeOf(request, readResource<PaypalCapture>(reply))
  const refusal = refusalOf(reply)
  if (refusal.issue === 'AUTHORIZATION_ALREADY_CAPTURED') {
    const { fresh } = await findCaptures(api, request, await findAuthorization(api, request, transactionId))
    if (fresh.length > 1)
      return declineMovement('PayPal has taken the payment in several parts. The order shows them in a moment.')
    if (fresh[0] !== undefined) return takeOutcomeOf(request, fresh[0])
  }
  if (reply.status !== 422 && reply.status !== 404) throw paypalUnavailable(request, refusal, false)
  return declineMovement(TAKE_REFUSALS[refusal.issue] ?? `PayPal refuses to take the payment: ${refusal.issue}.`)
}

/** Messages for the merchant. */
const TAKE_REFUSALS: Readonly<Record<string, string>> = {
  AUTHORIZATION_EXPIRED: 'PayPal does not hold the money any more: the authorization has expired.',
  AUTHORIZATION_VOIDED: 'PayPal does not hold the money any more: the authorization was voided.',
  AUTHORIZATION_DENIED: 'PayPal has denied the authorization.',
  AUTHORIZATION_ALREADY_CAPTURED: 'The money was already taken.',
  MAX_CAPTURE_AMOUNT_EXCEEDED: 'The amount is more than PayPal holds.',
  INVALID_RESOURCE_ID: 'PayPal does not know this payment.',
  RESOURCE_NOT_FOUND: 'PayPal does not know this payment.',
}

function takeOutcomeOf({ currency }: TakeRequest, { id, status, amount }: PaypalCapture): TakeOutcome {
  if (DECLINED_CAPTURE.includes(status)) return declineMovement(`PayPal could not take the money: ${status}.`)
  if (!TAKEN_CAPTURE.includes(status)) throw unknownOutcomeError('PayPal is still processing the capture.')
  const source = { type: 'paypal', brand: null, country: null, zip: null }
  return {
    kind: 'charged',
    ...fromPaypalMoney(amount ?? { currency_code: currency, value: '' }),
    transactionId: id,
    reference: null,
    source,
  }
}

/**
 * Captures of an authorization, which PayPal lists only with the order. `fresh`: captures that are not recorded yet. `isFinal`: the rest of
 * the authorization is no longer held.
 */
export async function findCaptures(
  api: PaypalApi,
  account: PaypalAccount & { readonly otherIds?: readonly string[] },
  authorization: PaypalAuthorization | null,
): Promise<{ made: readonly PaypalCapture[]; fresh: readonly PaypalCapture[]; isFinal: boolean }> {
  const orderId = authorization?.supplementary_data?.related_ids?.order_id
  const order = orderId === undefined ? null : await findPaypalOrder(api, account, orderId)
  const captures = order === null ? [] : capturesOf(order).filter(({ status }) => !DECLINED_CAPTURE.includes(status))
  const isLast = ({ final_capture: isFinal }: PaypalCapture) => isFinal === true
  return {
    made: captures,
    fresh: captures.filter(({ id }) => !account.otherIds?.includes(id)),
    // PayPal uses this status whenever less was taken than was set aside.
    isFinal: authorization?.status !== 'PARTIALLY_CAPTURED' || captures.some(isLast),
  }
}

async function release(
  api: PaypalApi,
  call: Parameters<NonNullable<GatewayAdapter['release']>>[0],
): ReturnType<NonNullable<GatewayAdapter['release']>> {
  const reply = await api.request(call, {
    method: 'POST',
    path: `${pathOf`/v2/payments/authorizations/${call.transactionId}`}/void`,
  })
  if (!isRefusal(reply)) return { kind: 'released' }
  const refusal = refusalOf(reply)
  if (RELEASED.includes(refusal.issue)) return { kind: 'released' }
  if (reply.status !== 422 && reply.status !== 404) throw paypalUnavailable(call, refusal, false)
  return declineOutcome('payment_declined', `PayPal does not release the payment: ${refusal.issue}.`)
}

const RELEASED = ['PREVIOUSLY_VOIDED', 'AUTHORIZATION_VOIDED', 'AUTHORIZATION_EXPIRED']

/**
 * `transactionId` is the capture. A `PENDING` refund takes days and counts as accepted. If it fails later, PayPal reports it
 * (`getPaymentState`).
 */
async function refund(api: PaypalApi, request: RefundRequest): Promise<RefundOutcome> {
  const { key, transactionId } = request
  const problem = findSumProblem(PAYPAL_CURRENCIES, request)
  if (problem !== null) return declineMovement(problem)
  // PayPal forgets request ids after 45 days and would then repeat a partial refund. So check the existing refunds first.
  const earlierRefund = (await listCaptureRefunds(api, request, transactionId))?.find(
    ({ invoice_id: id }) => id === key,
  )
  if (earlierRefund !== undefined) return refundOutcomeOf(request, earlierRefund)
  const reply = await api.request(request, {
    method: 'POST',
    path: `${pathOf`/v2/payments/captures/${transactionId}`}/refund`,
    requestId: key,
    body: { amount: toPaypalMoney(request), invoice_id: key },
  })
  if (!isRefusal(reply)) return refundOutcomeOf(request, readResource<PaypalRefund>(reply))
  const refusal = refusalOf(reply)
  if (refusal.issue === 'PENDING_CAPTURE' || (reply.status !== 422 && reply.status !== 404))
    throw paypalUnavailable(request, refusal, false)
  return declineMovement(REFUND_REFUSALS[refusal.issue] ?? `PayPal refuses the refund: ${refusal.issue}.`)
}

const REFUND_REFUSALS: Readonly<Record<string, string>> = {
  CAPTURE_FULLY_REFUNDED: 'PayPal says that the payment has been refunded already.',
  REFUND_AMOUNT_EXCEEDED: 'The refund is more than is left of the payment: a part was already refunded at PayPal.',
  REFUND_FAILED_INSUFFICIENT_FUNDS: 'There is not enough money in the PayPal account for the refund.',
  REFUND_TIME_LIMIT_EXCEEDED: 'PayPal refunds payments for 180 days only, and this one is older.',
  REFUND_NOT_PERMITTED_DUE_TO_CHARGEBACK: 'The payment was charged back, so PayPal does not refund it.',
  TRANSACTION_DISPUTED: 'The payment is disputed: settle the dispute at PayPal, or refund all of it.',
  INVALID_RESOURCE_ID: 'PayPal does not know this payment.',
  RESOURCE_NOT_FOUND: 'PayPal does not know this payment.',
}

export const FAILED_PAYPAL_REFUNDS = ['FAILED', 'CANCELLED']

function refundOutcomeOf(
  { amount, currency }: RefundRequest,
  { id, status, amount: money }: PaypalRefund,
): RefundOutcome {
  if (FAILED_PAYPAL_REFUNDS.includes(status)) return declineMovement(`PayPal could not make the refund: ${status}.`)
  const sum = fromPaypalMoney(money)
  if (sum.amount !== amount || sum.currency !== currency)
    throw new Error(`${amount} ${currency} was requested as a refund, but PayPal refunded another amount (${id}).`)
  return { kind: 'refunded', transactionId: id }
}

/** Refunds of a capture, which PayPal lists only with the order. Null if the order is not available. */
export async function listCaptureRefunds(
  api: PaypalApi,
  account: PaypalAccount,
  captureId: string,
  capture?: PaypalCapture,
): Promise<readonly PaypalRefund[] | null> {
  const orderId = (capture ?? (await findCapture(api, account, captureId)))?.supplementary_data?.related_ids?.order_id
  const order = orderId === undefined ? null : await findPaypalOrder(api, account, orderId)
  if (order === null) return null
  const refunds = (order.purchase_units ?? []).flatMap(({ payments }) => payments?.refunds ?? [])
  const isOfCapture = ({ links = [] }: PaypalRefund) =>
    links.every(({ rel, href }) => rel !== 'up' || href.endsWith(`/captures/${captureId}`))
  return refunds.filter(isOfCapture)
}
