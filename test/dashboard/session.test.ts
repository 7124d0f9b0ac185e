// A session from its beginning to its end, and what is kept of its requests.

import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.ts'
import { openHouse, type SessionView } from './support.ts'

const app = await testApp({ requestLog: 'all' })

it('a session begins with the right password, shows itself, calls /v1 and ends', async () => {
  const house = await openHouse(app)
  const browser = await house.owner()
  const session = await browser.succeed<SessionView>(200, 'GET', '/dashboard/api/session')
  expect(session).toMatchObject({
    account: { email: house.email, role: 'owner', has_second_factor: false },
    merchant: { id: house.id, name: 'Shop', time_zone: 'UTC', currency: 'USD', logo_url: null },
    modes: ['sandbox', 'live'],
  })
  expect(await browser.succeed(200, 'GET', '/dashboard/api/v1/orders')).toMatchObject({ data: [] })
  await browser.succeed(201, 'POST', '/dashboard/api/v1/products', { body: { name: 'Thing', price: 10 } })
  expect(await browser.succeed(200, 'GET', '/dashboard/api/v1/orders', { mode: 'live' })).toMatchObject({ data: [] })
  await browser.succeed(204, 'DELETE', '/dashboard/api/session')
  expect((await browser.send('GET', '/dashboard/api/session')).status).toBe(401)
})

it('stands in the request log by name, with neither its cookie nor its token', async () => {
  const house = await openHouse(app)
  const browser = await house.owner()
  await browser.succeed(201, 'POST', '/dashboard/api/v1/products', { body: { name: 'Thing', price: 10 } })
  const logs = async () => (await browser.send('GET', '/dashboard/api/v1/developer/logs')).text
  await expect.poll(logs, { timeout: 30_000 }).toContain('"route":"/v1/products"')
  const text = await logs()
  const { data } = JSON.parse(text) as { data: { route: string }[] }
  expect(data.find(({ route }) => route === '/v1/products')).toMatchObject({
    key_used: `${house.email} (owner)`,
    key_id: null,
    method: 'POST',
    url: '/v1/products',
  })
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
