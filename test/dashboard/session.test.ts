// What a session says of itself, and what is kept of its requests. login.test.ts has its beginning and its end.

import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.ts'
import { openHouse, type SessionView } from './support.ts'

const app = await testApp({ requestLog: 'all' })

it('stands in the request log by name, with neither its cookie nor its token, and says whose it is', async () => {
  const house = await openHouse(app)
  const browser = await house.owner()
  expect(await browser.succeed<SessionView>(200, 'GET', 'session')).toMatchObject({
    account: { email: house.email, role: 'owner', has_second_factor: false },
    merchant: { id: house.id, name: 'Shop', time_zone: 'UTC', currency: 'USD', logo_url: null },
    modes: ['sandbox', 'live'],
  })
  await browser.succeed(201, 'POST', 'v1/products', { body: { name: 'Thing', price: 10 } })
  const logs = async () => (await browser.send('GET', 'v1/developer/logs')).text
  await expect.poll(logs, { timeout: 30_000 }).toContain('"route":"/v1/products"')
  const text = await logs()
  const { data } = JSON.parse(text) as { data: { route: string }[] }
  const logged = { key_used: `${house.email} (owner)`, key_id: null, method: 'POST', url: '/v1/products' }
  expect(data.find(({ route }) => route === '/v1/products')).toMatchObject(logged)
  // What the dashboard itself reads is not there: looking at the log would fill it.
  expect(data.filter(({ route }) => route === '/v1/developer/logs')).toEqual([])
  for (const secret of [browser.csrf, ...browser.jar.values()]) expect(text).not.toContain(secret)
})

describe('an address that holds U+0000', () => {
  it.each([
    ['DELETE', '/dashboard/api/sessions/%00', undefined],
    ['PUT', '/dashboard/api/team/a%00', { role: 'owner' }],
    ['DELETE', '/dashboard/api/team/a%00', undefined],
    ['GET', '/dashboard/api/invitations/%00', undefined],
  ] as const)('is nothing: %s %s', async (method, url, body) => {
    const browser = await (await openHouse(app)).owner()
    expect((await browser.send(method, url, { body })).status).toBe(404)
  })
})
