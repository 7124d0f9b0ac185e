// Addresses that need no key and make us ask a provider: what one client may send there is limited, and nobody else is by that.

import { expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'

const [FLOOD, OTHER] = ['203.0.113.7', '198.51.100.1']
const app = await testApp({ clientRequestsPerSecond: 0.5, trustProxy: ['127.0.0.1', FLOOD, OTHER] })
const { id } = await app.merchant()
const ID = '0'.repeat(26)

it.each([
  [
    'messages of providers',
    'POST',
    `/gateway-webhooks/${id}/gway_${ID}`,
    `/gateway-webhooks/${id}/gway_${'1'.repeat(26)}`,
  ],
  [
    'the page to which shoppers come back',
    'GET',
    `/checkout/${id}/pay/chkt_${ID}/back`,
    `/checkout/${id + 1}/pay/chkt_${ID}/back`,
  ],
] as const)(
  '%s: a flood is told when to come again; another address, and another gateway or shop, is served',
  async (_, method, url, other) => {
    const ask = (to: string, remoteAddress: string) => app.server.inject({ method, url: to, remoteAddress })
    let refused = await ask(url, FLOOD)
    expect(refused.statusCode).toBe(404)
    for (let asked = 1; asked < 10 && refused.statusCode === 404; asked++) refused = await ask(url, FLOOD)
    expect([refused.statusCode, Number(refused.headers['retry-after'])]).toEqual([429, expect.any(Number)])
    expect([(await ask(url, OTHER)).statusCode, (await ask(other, FLOOD)).statusCode]).toEqual([404, 404])
  },
)
