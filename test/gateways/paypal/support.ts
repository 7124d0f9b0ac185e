// The adapter of PayPal beside a double of PayPal's, and the steps that shop and shopper take.

import { afterAll, afterEach, expect } from 'vitest'
import type { ChargeCall, ChargeRequest, GatewayAdapter, PaymentInput } from '../../../src/gateways/gateway.ts'
import { paypalAdapter } from '../../../src/gateways/paypal/adapter.ts'
import { TestClock } from '../../support/app.ts'
import { chargeRequest, gatewayPorts, NO_PAYMENT } from '../../support/gateways.ts'
import { CONFIG, openPayPal, WEBHOOK_ID } from '../doubles/paypal.ts'

/** What breaks the specification fails the test after which it is found. */
export async function openAdapter() {
  const clock = new TestClock()
  const paypal = await openPayPal(() => clock.now())
  const { places } = paypal
  // The books of the test gateways, and so the database, are not asked.
  const ports = gatewayPorts({ db: null as never, clock }, { places })
  const adapter = paypalAdapter(ports) as Required<GatewayAdapter>
  afterEach(() => {
    paypal.calm()
    expect(paypal.mistakes).toEqual([])
  })
  afterAll(async () => {
    ports.http.close()
    await paypal.close()
  })

  const config = { ...CONFIG, webhook_id: WEBHOOK_ID }
  const request = (more: Partial<ChargeRequest> = {}) => chargeRequest(7, clock.now(), { config, ...more })

  /** A charge that waits for its shopper. */
  async function begun(more: Partial<ChargeRequest> = {}) {
    const asked = request(more)
    const outcome = await adapter.charge(asked)
    if (outcome.kind !== 'redirect') throw new Error(`It is ${outcome.kind}.`)
    const call: ChargeCall = { ...asked, confirmation: outcome.confirmation }
    return { call, id: outcome.confirmation, order: paypal.books.orderOf(outcome.confirmation) }
  }

  /** One that the shopper has approved. */
  async function approved(more: Partial<ChargeRequest> = {}) {
    const charge = await begun(more)
    paypal.approve(charge.id)
    return charge
  }

  async function paid(more: Partial<ChargeRequest> = {}) {
    const charge = await approved(more)
    const outcome = await adapter.confirm({ ...charge.call, payment: null })
    if (outcome.kind !== 'charged' && outcome.kind !== 'authorized') throw new Error(`It is ${outcome.kind}.`)
    return { ...charge, transactionId: outcome.transactionId }
  }

  return { clock, paypal, ports, adapter, config, request, begun, approved, paid }
}

/** A payment as storefronts send it under `paypal`. */
export const sent = (paypal: object): PaymentInput => ({ ...NO_PAYMENT, gateway: 'paypal', details: { paypal } })

/** A call again, later: nobody waits for the first any more. */
export const again = <Call extends ChargeCall>(call: Call): Call => ({ ...call, signal: AbortSignal.timeout(60_000) })
