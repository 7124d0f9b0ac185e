// @alone: it stops the clock of the process.
// Each route that is open without a secret key refuses a client that has spent its share.

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { slices } from '../../src/app.ts'
import type { Endpoint } from '../../src/http/endpoint/endpoint.ts'
import { testApp } from '../support/app.ts'

const isOpen = ({ access }: Endpoint) => access === 'public' || access === 'customer'
const open = slices.flatMap(({ endpoints }) => endpoints.filter(isOpen))

describe('a client that has spent its share', async () => {
  const app = await testApp({ clientRequestsPerSecond: 5 })
  const { keys } = await app.merchant()
  const key = keys.sandbox.public
  const ask = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, headers: Record<string, string> = {}) =>
    app.server.inject({ method, url, remoteAddress: '203.0.113.7', headers: { 'x-authorization': key, ...headers } })
  const customer = await app.call('POST', '/v1/customers', {
    key: keys.sandbox.secret,
    body: { email: 'a@example.com' },
  })
  const { id } = customer.body as { id: string }
  const issued = await app.call('POST', `/v1/customers/${id}/issue-token`, { key: keys.sandbox.secret })
  const { jwt } = issued.body as { jwt: string }

  beforeAll(async () => {
    // No share comes back while a slow machine asks.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => 0)
    for (const url of ['/v1/carts', '/v1/products']) {
      let status = 0
      for (let times = 0; status !== 429 && times < 1_000; times++) status = (await ask('GET', url)).statusCode
      expect([url, status]).toEqual([url, 429])
    }
    return () => clock.mockRestore()
  })

  it.each(open.map((endpoint) => [endpoint.operation, endpoint] as const))('is refused %s', async (_, endpoint) => {
    const url = endpoint.path.replace(':customer_id', id).replace(/:\w+/g, 'x')
    const token: Record<string, string> = endpoint.access === 'customer' ? { authorization: `Bearer ${jwt}` } : {}
    const { statusCode, headers } = await ask(endpoint.method, url, token)
    expect([statusCode, headers['retry-after']]).toEqual([429, expect.stringMatching(/^[1-9]\d*$/)])
  })
})
