// What a process does not do: send captures to a provider that another one is just trying, and settle payments after its jobs were stopped.

import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { ProviderPaused } from '../../../src/gateways/provider/breaker.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { openProviderShop } from '../../gateways/provider-shop.ts'
import { testApp } from '../../support/app.ts'
import { digitalBody } from '../checkouts/capture-support.ts'

/** The completer comes twice in that time. */
const SETTLE_SECONDS = 0.04

/** As it is to whoever was let through just before another capture began to try. */
const leftAlone = async () => {
  throw new ProviderPaused(7)
}
const tried = { secondsUntilTry: () => null, run: leftAlone, runUnrecorded: leftAlone }
const shop = await openProviderShop(await testApp({ breaker: tried }), {
  code: 'mollie',
  config: { api_key: 'test_key' },
  available: 1,
})
const app = await testApp({ captureSettleSeconds: SETTLE_SECONDS })
afterEach(() => onCheckpoint(null))

it('a capture that was let through while another one tries hears 503 like all others, and nothing is held', async () => {
  const answer = await shop.capture(await shop.token(), digitalBody({ payment: { gateway: 'mollie' } }))
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '7'])
  expect(answer.text).toContain('payment_provider_down')
  expect(await shop.available()).toBe(1)
})

it('the completer ends with the stop of the jobs that it was started with', async () => {
  let claims = 0
  onCheckpoint((name) => {
    if (name === 'capture.claimed') claims++
  })
  const worker = app.startJobs()
  await expect.poll(() => claims).toBeGreaterThan(1)
  await worker.stop()
  const before = claims
  await pause(SETTLE_SECONDS * 3_000)
  expect(claims).toBe(before)
})
