// A dead receiver recovers while a transaction is open that queued a delivery because the receiver counted as dead. That delivery is sent too.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { recordWebhookSuccess } from '../../../src/api/webhooks/sending/store.ts'
import { emit } from '../../../src/events/emit.ts'
import { testApp } from '../../support/app.ts'
import { changeRows, selectValue } from '../../support/rows.ts'
import { openShop } from '../../support/shop.ts'
import { openReceiver, webhooksOf } from './support.ts'

const app = await testApp({ allowPrivateAddresses: true })

const HOLD = 'update webhooks set is_held = true, probes = 1, failing_since = :now, turn_at = :later'

it('sends a delivery that was queued by a transaction which commits after the queue was found empty', async () => {
  const { id: merchant_id, keys } = await openShop(app)
  const hooks = webhooksOf(app, keys)
  const receiver = await openReceiver()
  const { id } = await hooks.create({ url: receiver.url })
  const now = app.clock.now()
  const later = new Date(now.getTime() + 3_600_000)
  const key = { merchant_id, id }
  await changeRows(app.db, HOLD, key, { now, later })
  app.startJobs()
  await app.db.transaction(async (tx) => {
    await emit(tx, { merchant_id, is_sandbox: true }, 'customers.create', { id: 'cstmr_1' }, now)
    await recordWebhookSuccess(app.db, { merchant_id, webhookId: id }, now)
    // The dispatcher serves the queue, which is still empty, and has time to end it.
    await expect.poll(() => selectValue(app.db, 'turn_at', 'webhooks', key)).not.toEqual(now)
    await sleep(500)
  })
  expect(receiver.received).toEqual([])
  app.clock.advance(100)
  await expect.poll(() => receiver.received.length).toBe(1)
})
