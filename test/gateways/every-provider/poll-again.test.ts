// @proof: a poll hangs for nine seconds with each provider.
// A poll of an order that fails while the next one is queued for tomorrow. Messages that come after that are acted on within a minute:
// otherwise a refund or a dispute would be missing from the order for a day, and the merchant may refund twice.

import { describe, expect, it } from 'vitest'
import { openEveryProvider, openToldShop, PATIENT, paymentOf } from './shop.ts'

const opened = await openEveryProvider()
const { app } = opened

/** Longer than a poll waits for its provider. */
const HANGS_MS = 9_000
const POLL = 'orders.look_into_payments'

describe.each(opened.providers)('$code', async (provider) => {
  const shop = await openToldShop(opened, provider)

  it('hangs in one poll of an order while another succeeds: a dispute that is told afterwards is in the order', async () => {
    const order = await shop.buy()
    const id = paymentOf(order)
    const refund = provider.refundByHand(id, 400)
    await shop.tell('refunded', { key: null, id, refund })
    expect((await shop.read(order)).refunds).toHaveLength(1)
    const lines = app.logged.length
    const worker = app.startJobs()
    const send = async (told: 'moved' | 'disputed') => {
      expect((await shop.send(shop.message(told, { key: null, id, refund }))).statusCode).toBe(200)
      worker.poke()
    }
    const asked = shop.asked()
    provider.double.trouble({ slowMs: HANGS_MS })
    await send('moved')
    await expect.poll(() => shop.asked(), PATIENT).toBeGreaterThan(asked)
    app.clock.advance(1)
    await send('moved')
    // The second poll has ended, and queued that of tomorrow.
    await expect
      .poll(async () => (await shop.waitingJobs(POLL)) === 1 && (await shop.queuedJobs(POLL)) === 2, PATIENT)
      .toBe(true)
    const failed = () => app.logged.slice(lines).some((line) => line.includes(POLL) && line.includes('tried again'))
    await expect.poll(failed, PATIENT).toBe(true)
    expect((await shop.read(order)).disputes).toEqual([])

    provider.dispute(id)
    await send('disputed')
    app.clock.advance(60)
    worker.poke()
    await expect
      .poll(async () => (await shop.read(order)).disputes, PATIENT)
      .toMatchObject([{ status: 'open' }])
      .finally(worker.stop)
    expect(provider.givenBack(id)).toEqual([400])
  })
})
