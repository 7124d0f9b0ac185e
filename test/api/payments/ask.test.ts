// The one way to ask a gateway for money: one deadline, and what is thrown told apart by whether money may have moved. No database.

import { describe, expect, it } from 'vitest'
import { outageKeyOf } from '../../../src/api/payment-methods/account.ts'
import { NO_SEALING_KEY } from '../../../src/api/payment-methods/credentials.ts'
import { toTimeoutError } from '../../../src/api/payments/call-gateway.ts'
import {
  type ChargeEntry,
  lookUpPayment,
  readPaymentState,
  requestCharge,
  requestChargeCancel,
  requestRefund,
  requestRelease,
  requestTake,
} from '../../../src/api/payments/calls.ts'
import { GatewayUnavailable } from '../../../src/gateways/call.ts'
import type { ChargedOutcome, GatewayAdapter } from '../../../src/gateways/gateway.ts'
import { openBreaker } from '../../../src/gateways/provider/breaker.ts'
import { overloaded } from '../../../src/lib/errors.ts'

const ENTRY: ChargeEntry = {
  merchant_id: 1,
  key: 'payatt_1',
  is_sandbox: true,
  gateway: 'test',
  methodId: null,
  isSimulated: false,
  config: { mode: 'x' },
  amount: 500,
  currency: 'USD',
  begunAt: new Date(0),
  confirmation: null,
  reference: null,
}
const CHARGED: ChargedOutcome & { kind: 'charged' } = {
  kind: 'charged',
  amount: 500,
  currency: 'USD',
  transactionId: 'their_1',
  reference: null,
  source: { type: 'card', brand: null, country: null, zip: null },
}
const DETAILS = { transactionId: 'their_1', amount: 500, currency: 'USD' }

const fail = async (): Promise<never> => {
  throw new Error('broken off')
}
const never = () => new Promise<never>(() => undefined)

/** No database: an entry that has its config needs none. */
const gatewayThat = (answers: Partial<GatewayAdapter>, settleAfterMs = 90_000) => ({
  db: null as never,
  payments: {
    settleAfterMs,
    findAdapter: (code: string) => (code === 'test' ? (answers as GatewayAdapter) : undefined),
    credentials: NO_SEALING_KEY,
    breaker: openBreaker(),
  },
})

const charge = (answers: Partial<GatewayAdapter>, begunAt = performance.now(), settleAfterMs = 90_000) =>
  requestCharge(gatewayThat(answers, settleAfterMs), ENTRY, begunAt, (adapter, call) =>
    adapter.charge({ ...call, payment: null as never, returnUrl: '', messageUrl: null }),
  )

describe('a charge', () => {
  it.each(['unknown', 'waiting'] as const)('that breaks off and is then %s stays open', async (kind) => {
    const answer = await charge({ charge: fail, lookUp: async () => ({ kind }) })
    expect(answer).toMatchObject({ kind: 'open', cause: { message: 'broken off' } })
  })

  it('whose time is over is not asked', async () => {
    const answer = await charge({ charge: async () => CHARGED }, performance.now() - 60_000)
    expect(answer).toMatchObject({ kind: 'open', cause: { message: 'No time is left to call the gateway.' } })
  })
})

it('an answer that did not come is told as the gateway’s, with its cause; but an outage of our own as that', () => {
  const cause = new Error('broken off')
  expect(toTimeoutError({ cause }, 2)).toMatchObject({ status: 504, cause })
  const ours = overloaded('No connection to the database was free in time.')
  expect(toTimeoutError({ cause: ours }, 2)).toBe(ours)
  expect(ours.status).toBe(503)
})

describe('a take, a refund and a release', () => {
  const asks = {
    take: (answers: Partial<GatewayAdapter>, entry = ENTRY, ms = 90_000) =>
      requestTake(gatewayThat(answers, ms), entry, DETAILS),
    refund: (answers: Partial<GatewayAdapter>, entry = ENTRY, ms = 90_000) =>
      requestRefund(gatewayThat(answers, ms), entry, DETAILS),
    release: (answers: Partial<GatewayAdapter>, entry = ENTRY, ms = 90_000) =>
      requestRelease(gatewayThat(answers, ms), entry, 'their_1'),
  }

  it.each(Object.keys(asks) as (keyof typeof asks)[])('(%s) stays open, whatever is thrown', async (name) => {
    for (const work of [fail, never])
      expect(await asks[name]({ [name]: work }, ENTRY, 90)).toMatchObject({ kind: 'open' })
    const surely = async () => {
      throw new GatewayUnavailable('out', { isNothingCharged: true })
    }
    expect(await asks[name]({ [name]: surely })).toMatchObject({ kind: 'open' })
  })

  it('differ where the gateway cannot: a take stays open, a release happens by itself', async () => {
    expect(await asks.take({})).toMatchObject({ kind: 'open' })
    expect(await asks.release({})).toEqual({ kind: 'released' })
  })

  it('are told when nobody waits any longer', async () => {
    const signal = AbortSignal.abort()
    let isAborted = false
    await requestRefund(
      { ...gatewayThat({ refund: async (request) => report(request.signal) }), signal },
      ENTRY,
      DETAILS,
    )
    expect(isAborted).toBe(true)

    async function report(seen: AbortSignal) {
      isAborted = seen.aborted
      return { kind: 'refunded', transactionId: 'their_2' } as const
    }
  })
})

it('a question that moves no money throws what the gateway throws, and where it is not known', async () => {
  await expect(lookUpPayment(gatewayThat({ lookUp: fail }), ENTRY)).rejects.toThrow('broken off')
  await expect(requestChargeCancel(gatewayThat({ cancel: fail }), ENTRY)).rejects.toThrow('broken off')
  await expect(lookUpPayment(gatewayThat({}), { ...ENTRY, gateway: null })).rejects.toThrow(
    'This release does not support the gateway',
  )
})

it('how a payment stands may take too long to be told; captures are still sent to its provider', async () => {
  const out = new GatewayUnavailable('too long', { isNothingCharged: false, isOutage: true })
  const { db, payments } = gatewayThat({ history: { getPaymentState: () => Promise.reject(out) } as never })
  const context = { db, payments: { ...payments, findAdapter: () => payments.findAdapter('test') } }
  const entry = { ...ENTRY, gateway: 'razorpay', methodId: 'gway_1' }
  for (let n = 0; n < 6; n++) await expect(readPaymentState(context, entry, DETAILS)).rejects.toBe(out)
  expect(payments.breaker.secondsUntilTry(outageKeyOf(entry) ?? '')).toBeNull()
})
