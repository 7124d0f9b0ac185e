// @proof @alone: it stops the clock of the process.
// A client that asks for large pages over many connections, or does not read them, holds up nobody else.

import { Agent, type IncomingMessage, request } from 'node:http'
import { Type } from 'typebox'
import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.ts'
import { listen, probe, slice } from './harness.ts'
import { holdTimers } from './held-timers.ts'
import { numbers, shopWithProducts, stopTime } from './large-pages.ts'

describe('thirty connections of one network that ask for large pages', async () => {
  stopTime()
  const app = await testApp({ clientRequestsPerSecond: 50 })
  const port = await listen(app)
  const shop = await shopWithProducts(app, 18_000)
  const other = await app.merchant({ email: 'other@example.com' })

  type Got = { status: number; bytes: number }
  const get = (from: string, key: string, path: string, agent?: Agent) =>
    new Promise<Got>((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port, path, localAddress: from, agent, headers: { 'x-authorization': key } },
        (answer) => {
          let bytes = 0
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length
          })
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes }))
        },
      )
      sent.on('error', reject).end()
    })

  it('are refused once they have spent its share, and nobody else is', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 30 })
    const flood: Got[] = []
    const others: number[] = []
    let isOver = false
    const connection = async () => {
      for (let times = 0; times < 5; times++)
        flood.push(await get('127.0.0.2', shop.keys.sandbox.public, '/v1/products?limit=200', agent))
    }
    const shopper = async () => {
      while (!isOver || others.length < 30) {
        others.push((await get('127.0.0.3', other.keys.sandbox.public, '/v1/carts')).status)
        others.push((await get('127.0.0.3', shop.keys.sandbox.public, '/v1/products?limit=1')).status)
        others.push((await get('127.0.0.3', '', '/health/ready')).status)
        if (others.length > 60) return
      }
    }
    const visits = shopper()
    await Promise.all(Array.from({ length: 30 }, connection))
    isOver = true
    await visits
    agent.destroy()
    const count = (status: number) => flood.filter((got) => got.status === status).length
    expect([count(200) + count(429), flood.length]).toEqual([150, 150])
    // 2,000 may be spent, and each page costs some 250; eight run at a time, and those may be owed.
    expect(count(200)).toBeGreaterThan(4)
    expect(count(200)).toBeLessThan(20)
    expect(others.filter((status) => status !== 200 && status !== 201)).toEqual([])
  })
})

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
    const answers = numbers(12).map(
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
