// The jobs behind webhooks go through many rows. One that is told to stop in between must not count as done: nothing else would do the rest.

import { expect, it } from 'vitest'
import { webhookJobs } from '../../../src/api/webhooks/jobs.ts'
import { testApp } from '../../support/app.ts'
import { openShop } from '../../support/shop.ts'
import { webhooksOf } from './support.ts'

const app = await testApp()

it.each(webhookJobs)('A job of webhooks that is told to stop is left to the next run ($kind)', async ({ handle }) => {
  const { id: merchant_id, keys } = await openShop(app)
  const hooks = webhooksOf(app, keys)
  const { id: webhookId } = await hooks.create({ transport: 'listen' })
  await hooks.attribute()
  const before = await hooks.deliveries(webhookId)
  const stopping = new Error('The worker is stopping.')
  const run = (signal: AbortSignal) =>
    handle({
      db: app.db,
      clock: app.clock,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      payload: { webhookId, states: ['failed'], after: '', before: '~' },
      merchant_id,
      jobId: 'job_1',
      run: 1,
      signal,
      finish: async () => undefined,
      endWith: async () => undefined,
    })
  await expect(run(AbortSignal.abort(stopping))).rejects.toBe(stopping)
  expect(before).toHaveLength(1)
  expect(await hooks.deliveries(webhookId)).toEqual(before)
  await run(new AbortController().signal)
})
