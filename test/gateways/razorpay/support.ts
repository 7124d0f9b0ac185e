// What the tests of Razorpay's adapter share: the double, an adapter that asks it, and charges that were begun now.

import { afterAll, afterEach, expect } from 'vitest'
import type { ChargeOutcome, ChargeRequest, GatewayAdapter, PaymentInput } from '../../../src/gateways/gateway.ts'
import type { ProviderStory } from '../../../src/gateways/provider/story.ts'
import { razorpayAdapter } from '../../../src/gateways/razorpay/adapter.ts'
import { TestClock } from '../../support/app.ts'
import { chargeRequest, gatewayPorts, NO_PAYMENT } from '../../support/gateways.ts'
import { openRazorpay, type Paying, RAZORPAY_CONFIG } from '../doubles/razorpay.ts'

/** What a storefront sends under `payment.razorpay`. */
export const payWith = (fields: object = {}): PaymentInput => ({
  ...NO_PAYMENT,
  gateway: 'razorpay',
  details: { razorpay: fields },
})

export const MANUAL = { ...RAZORPAY_CONFIG, capture: 'manual' }

type Whole = GatewayAdapter & Required<Pick<GatewayAdapter, 'confirm' | 'take'>> & { story: ProviderStory }

export async function openRazorpayTest() {
  const clock = new TestClock()
  const razorpay = await openRazorpay(() => clock.now())
  // Nothing of Razorpay's is kept in our database.
  const ports = gatewayPorts({ db: undefined as never, clock }, { places: razorpay.places })
  afterEach(() => {
    razorpay.calm()
    razorpay.refundStatus = 'processed'
    expect(razorpay.mistakes.splice(0)).toEqual([])
  })
  afterAll(async () => {
    ports.http.close()
    await razorpay.close()
  })
  /** Another adapter for every call, as another process would have. */
  const adapter = () => razorpayAdapter(ports) as Whole
  const request = (more: Partial<ChargeRequest> = {}) =>
    chargeRequest(1, clock.now(), { config: RAZORPAY_CONFIG, payment: payWith(), ...more })
  return {
    clock,
    razorpay,
    /** What is kept of connections is let go: on one that was just cut nobody could tell whether a request got there. */
    hangUp: () => ports.http.close(),
    adapter,
    request,
    /** A charge by a payment that a shopper has made without an order, as the machine asks for it. */
    named: (paying: Paying = {}, more: Partial<ChargeRequest> = {}) => {
      const payment = razorpay.pay(paying)
      const { id } = payment
      return { payment, charge: request({ payment: payWith({ payment_id: id }), reference: id, ...more }) }
    },
    /** A charge that waits for its shopper, and its order. */
    begun: async (more: Partial<ChargeRequest> = {}) => {
      const charge = request(more)
      const orderId = orderIn(await adapter().charge(charge))
      return { orderId, charge: { ...charge, confirmation: orderId } }
    },
    statusOf: (id: string) => razorpay.payments.get(id)?.status,
  }
}

export function orderIn(outcome: ChargeOutcome): string {
  expect(outcome).toEqual({
    kind: 'requires_verification',
    param: expect.stringMatching(/^order_/),
    confirmation: expect.any(String),
  })
  const { param, confirmation } = outcome as { param: string; confirmation: string }
  expect(confirmation).toBe(param)
  return param
}
