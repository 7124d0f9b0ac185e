// Mollie's adapter beside the server in Mollie's place. The shopper pays on Mollie's page, and we hear of it by looking.

import { expect } from 'vitest'
import type { ChargeRequest } from '../../../src/gateways/gateway.ts'
import { mollie as gateway } from '../../../src/gateways/mollie.ts'
import { LIVE_CONFIG } from '../doubles/mollie.ts'
import { openBench } from '../every-provider/adapter/bench.ts'
import { openMollieProvider } from '../every-provider/mollie.ts'

const FOUND = { done: 'charged', undone: 'charged' } as const

export async function openMollieBench() {
  const opened = await openBench(openMollieProvider, (ports) => gateway.createAdapter?.(ports) as never)
  const { mollie } = opened.provider
  const { adapter } = opened

  /** A charge that waits for its shopper. */
  async function begun(more: Partial<ChargeRequest> = {}) {
    const asked = opened.request(more)
    const outcome = await adapter().charge(asked)
    if (outcome.kind !== 'redirect') throw new Error(`It is ${outcome.kind}.`)
    return { call: { ...asked, confirmation: outcome.confirmation }, id: outcome.confirmation, outcome }
  }

  const bench = {
    ...opened,
    name: 'Mollie',
    ready: async (more?: Partial<ChargeRequest>) => {
      const { call, id } = await begun(more)
      mollie.become(id, 'paid')
      return call
    },
    pay: (charge: ChargeRequest) => adapter().lookUp(charge),
    cancellable: async () => {
      const { call, id } = await begun()
      mollie.become(id, 'open', { isCancelable: true })
      return call
    },
    paid: {
      reference: null,
      transactionId: expect.stringMatching(/^tr_/),
      source: { type: 'ideal', brand: null, country: null, zip: null },
    },
    tellsUnsent: true,
    steps: {
      begin: [],
      pay: [{ on: /^GET/, ...FOUND, isNothingChargedByLimit: true }],
      cancel: [/^GET/, /^DELETE/],
      refund: [/^GET/, /^POST/],
      take: [],
      release: null,
    },
    booked: (key: string) => mollie.paymentsOfKey(key)[0]?.amount.value,
    unknownId: 'tr_unknown',
    forgetKeys: () => opened.clock.advance(3 * 3_600),
    telling: {
      signing: null,
      dispute: (id: string, state: string) => {
        const chargeback = mollie.chargeBack(id)
        if (state === 'reversed') chargeback.reversedAt = '2026-01-05T00:00:00+00:00'
        return { id: chargeback.id, reason: 'AC01' }
      },
      disputes: [
        ['charged back', 'lost'],
        ['reversed', 'won'],
      ],
      hideDisputes: null,
      checks: [
        [{}, true, true, /^Mollie knows this API key \(sandbox\)\.$/],
        [LIVE_CONFIG, false, true, /^Mollie knows this API key \(live\)\.$/],
        [LIVE_CONFIG, true, false, /^This is a live API key of Mollie, and this is the sandbox/],
        [{}, false, false, /^This is a test API key of Mollie, and this is a live shop/],
        [{ api_key: 'test_revoked' }, true, false, /^Mollie does not know this API key/],
      ],
    },
    says: {
      refunded: /already refunded at Mollie/,
      credentials: /Check the API key of the gateway \(sandbox\)/,
    },
  } as const
  return { ...bench, mollie, begun, bench }
}
