// @sampled @alone: it counts the requests of an address. The crowd is larger in the proof.
// The share of one client on carts and checkouts, over HTTP: a flood is refused before it costs anything, nobody else is, and no crowd.

import { afterAll, describe, expect, test, vi } from 'vitest'
import { slices } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { CLIENT_REQUESTS_PER_SECOND } from '../../src/http/server/server.ts'
import { testApp } from '../support/app.ts'
import { size } from '../support/proof.ts'
import { holdTimers } from './held-timers.ts'

const FLOOD = '203.0.113.7'
const SHOPPER = '198.51.100.1'

type Asked = { method?: 'GET' | 'POST'; body?: string; headers?: Record<string, string> }

/** A shop whose clients may spend what forty seconds bring at this rate, and a way to call it from an address. */
async function shopAt(clientRequestsPerSecond: number | undefined) {
  const app = await testApp({
    ...(clientRequestsPerSecond === undefined ? {} : { clientRequestsPerSecond }),
    trustProxy: ['127.0.0.1', FLOOD, SHOPPER],
  })
  const { keys } = await app.merchant()
  const ask = async (from: string, key: string, url: string, { method = 'GET', body, headers = {} }: Asked = {}) =>
    app.server.inject({
      method,
      url,
      remoteAddress: from,
      headers: {
        'x-authorization': key,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: body }),
    })
  return { app, keys, ask }
}

describe('a client that asks for carts without end', async () => {
  // Stands still, so that nothing comes back while a slow machine asks.
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => 0)
  afterAll(() => clock.mockRestore())
  const { app, keys, ask } = await shopAt(5)
  const key = keys.sandbox.public
  const statuses: number[] = []
  let refused = await ask(FLOOD, key, '/v1/carts')
  while (refused.statusCode === 201 && statuses.length < 1_000) {
    statuses.push(refused.statusCode)
    refused = await ask(FLOOD, key, '/v1/carts')
  }

  test('is served some hundred times and then hears when to come again, from any origin', () => {
    expect(statuses.length).toBeGreaterThan(100)
    expect([refused.statusCode, refused.json()]).toEqual([
      429,
      {
        error: {
          type: 'too_many_requests',
          message: expect.stringMatching(/^That was a little too fast\. Please try again in .+\.$/),
          code: 'too_many_requests',
          params: { seconds: expect.any(Number) },
        },
        status_code: 429,
      },
    ])
    expect(refused.headers).toMatchObject({
      'retry-after': expect.stringMatching(/^[1-9]\d*$/),
      'access-control-allow-origin': '*',
    })
  })

  test('is refused before its body is read and before the database is asked', async () => {
    const spies = (['one', 'maybe', 'many', 'run'] as const).map((name) => vi.spyOn(app.db, name))
    const answer = await ask(FLOOD, key, '/v1/carts/cart_1', { method: 'POST', body: '{"id": ' })
    expect(answer.statusCode).toBe(429)
    const sent = spies.flatMap((spy) => spy.mock.calls.map(([{ name }]) => name))
    // Whose a key is, is remembered for most requests.
    expect(sent.filter((name) => name !== 'merchants.find_caller_by_key_hash')).toEqual([])
    for (const spy of spies) spy.mockRestore()
  })

  test('takes nothing from others: another address, a server with the secret key, the other mode, or the catalogue', async () => {
    expect((await ask(SHOPPER, key, '/v1/carts')).statusCode).toBe(201)
    expect((await ask(FLOOD, keys.sandbox.secret, '/v1/carts')).statusCode).toBe(201)
    const live = { headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': FLOOD } }
    expect((await ask('127.0.0.1', keys.live.public, '/v1/carts', live)).statusCode).toBe(201)
    expect((await ask(FLOOD, key, '/v1/products')).statusCode).toBe(200)
  })

  test('shows in the metrics', async () => {
    const { body } = await app.server.inject('/metrics')
    const counted = /^cartwright_client_refusals_total\{route="\/v1\/carts"\} (\d+)$/m.exec(body)
    expect(Number(counted?.[1])).toBeGreaterThan(0)
  })
})

test('without the limit nothing is refused', async () => {
  const { keys, ask } = await shopAt(0)
  for (let n = 0; n < 400; n++) expect((await ask(FLOOD, keys.sandbox.public, '/v1/carts')).statusCode).toBe(201)
})

test('a crowd behind one address shops at the same moment, by the setting that a start has, and nobody is refused', async () => {
  expect(readConfig({}).clientRequestsPerSecond).toBe(CLIENT_REQUESTS_PER_SECOND)
  // After which one is refused that has waited in vain for those before it: as after a machine's pause.
  holdTimers(5_000)
  const { app, keys, ask } = await shopAt(undefined)
  const key = keys.sandbox.public
  const made = await app.call('POST', '/v1/products', {
    key: keys.sandbox.secret,
    body: { name: 'Mug', price: 10, delivery: { physical: false } },
  })
  const { id } = made.body as { id: string }
  const statuses: number[] = []
  const send = async (path: string, asked?: Asked) => {
    const answer = await ask(SHOPPER, key, path, asked)
    statuses.push(answer.statusCode)
    return answer.json() as { id: string }
  }
  const shopAround = async () => {
    const cart = await send('/v1/carts')
    await send(`/v1/carts/${cart.id}`, { method: 'POST', body: JSON.stringify({ id }) })
    const token = await send(`/v1/checkouts/${cart.id}?type=cart`)
    await send(`/v1/checkouts/${token.id}/live`)
  }
  const shoppers = size(30, 100)
  await Promise.all(Array.from({ length: shoppers }, shopAround))
  expect(statuses.filter((status) => status >= 300)).toEqual([])
  expect(statuses).toHaveLength(4 * shoppers)
})

test('what is metered goes by the first parameter of its address, which names a cart or a token', () => {
  const metered = slices.flatMap(({ endpoints }) => endpoints.filter((endpoint) => endpoint.metered !== undefined))
  const named = metered.map(({ path }) => [path, /:(\w+)/.exec(path)?.[1]])
  expect(named.length).toBeGreaterThan(0)
  for (const [path = '', name] of named)
    expect([path, name]).toEqual([
      path,
      path === '/v1/carts' ? undefined : path.startsWith('/v1/carts/') ? 'cart_id' : 'id',
    ])
})
