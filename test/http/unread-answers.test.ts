// @proof @alone: it writes answers of 32 MB and holds timers of the process.
// A client that does not read its answers holds up nobody else.

import { type IncomingMessage, request } from 'node:http'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.ts'
import { listen, probe, slice } from './harness.ts'
import { holdTimers } from './held-timers.ts'

describe('a client that does not read its answers', async () => {
  /** More than the buffers of the system hold: else nothing waits here. */
  const text = 'x'.repeat(32 * 1_048_576)
  let handled = 0
  const large = probe({
    operation: 'probes.large',
    path: '/v1/large',
    returns: Type.Object({ text: Type.String() }),
    handle: async () => {
      handled += 1
      return { text }
    },
  })
  const app = await testApp({ slices: [slice([large])], clientRequestsPerSecond: 1_000_000 })
  const port = await listen(app)
  const { keys } = await app.merchant()
  const headers = { 'x-authorization': keys.sandbox.public }

  it('has eight large ones written for it at a time, and the next when one is read', async () => {
    // After which one is refused that has waited in vain for those before it.
    holdTimers(5_000)
    const answers = Array.from(
      { length: 12 },
      () =>
        new Promise<IncomingMessage>((resolve, reject) => {
          const sent = request({ host: '127.0.0.1', port, path: '/v1/large', headers, agent: false })
          sent.on('response', resolve).on('error', reject).end()
        }),
    )
    const first = await Promise.race(answers)
    await expect.poll(() => handled).toBe(8)
    const neighbour = await app.server.inject({ url: '/v1/large', headers, remoteAddress: '203.0.113.7' })
    expect([neighbour.statusCode, handled]).toEqual([200, 9])
    first.resume()
    await expect.poll(() => handled).toBe(10)
    for (const answer of answers) void answer.then((each) => each.destroy())
    await expect.poll(() => handled).toBe(13)
  })
})
