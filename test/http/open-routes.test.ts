// @alone
// What is open without a secret key has a cost: each route refuses a client that has spent its share, a page of a list has an end, and a
// client that asks for large pages over many connections holds up nobody else.

import { Agent, type IncomingMessage, request } from 'node:http'
import { Type } from 'typebox'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { slices } from '../../src/app.ts'
import { statement } from '../../src/db/db.ts'
import type { Endpoint } from '../../src/http/endpoint/endpoint.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { holdTimers } from '../support/held-timers.ts'
import { openShop } from '../support/shop.ts'
import { listen, probe, slice } from './harness.ts'

const isOpen = ({ access }: Endpoint) => access === 'public' || access === 'customer'
const open = slices.flatMap(({ endpoints }) => endpoints.filter(isOpen))

/** So that no share comes back while a slow machine asks. */
function stopTime() {
  beforeAll(() => {
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => 0)
    return () => clock.mockRestore()
  })
}

describe('a client that has spent its share', async () => {
  stopTime()
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
    for (const url of ['/v1/carts', '/v1/products']) {
      let status = 0
      for (let times = 0; status !== 429 && times < 1_000; times++) status = (await ask('GET', url)).statusCode
      expect([url, status]).toEqual([url, 429])
    }
  })

  it.each(open.map((endpoint) => [endpoint.operation, endpoint] as const))('is refused %s', async (_, endpoint) => {
    const url = endpoint.path.replace(':customer_id', id).replace(/:\w+/g, 'x')
    const token: Record<string, string> = endpoint.access === 'customer' ? { authorization: `Bearer ${jwt}` } : {}
    const { statusCode, headers } = await ask(endpoint.method, url, token)
    expect([statusCode, headers['retry-after']]).toEqual([429, expect.stringMatching(/^[1-9]\d*$/)])
  })

  it('is still served what it pays from another share', async () => {
    const other = await app.merchant({ email: 'other@example.com' })
    for (const url of ['/v1/carts', '/v1/products'])
      expect((await ask('GET', url, { 'x-authorization': other.keys.sandbox.public })).statusCode).toBeLessThan(300)
  })
})

const fillProducts = statement(
  'test.fill_products',
  `update products set description = repeat('x', :length), version = version + 1 where merchant_id = :merchant_id`,
)
const fillCategories = statement(
  'test.fill_categories',
  `update categories set description = repeat('x', :length) where merchant_id = :merchant_id`,
)
const fillVariants = statement(
  'test.fill_variants',
  `update variants set description = repeat('x', :length) where merchant_id = :merchant_id`,
)
const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

/** A shop with 200 products, whose descriptions have so many characters. */
async function shopWithProducts(app: TestApp, length: number) {
  const shop = await openShop(app)
  const key = shop.keys.sandbox.secret
  await Promise.all(
    numbers(200).map((n) => app.call('POST', '/v1/products', { key, body: { name: `Mug ${n}`, price: 1 } })),
  )
  await app.db.run(fillProducts, { merchant_id: shop.id, length })
  return shop
}

/** As many characters as a description may have. */
const LONG = 65_535

describe('a page of entries that are long', async () => {
  const app = await testApp({ clientRequestsPerSecond: 0 })
  const shop = await shopWithProducts(app, LONG)
  const { secret, public: key } = shop.keys.sandbox
  const merchantId = shop.id
  await Promise.all(
    numbers(200).map((n) =>
      app.call('POST', '/v1/categories', { key: secret, body: { name: 'Mugs', slug: `mugs-${n}` } }),
    ),
  )
  const made = await app.call('POST', '/v1/products', {
    key: secret,
    body: {
      name: 'Shirt',
      price: 1,
      variant_groups: [{ name: 'Size', options: Array.from({ length: 200 }, (_, size) => ({ name: `Size ${size}` })) }],
    },
  })
  const { id: shirt } = made.body as { id: string }
  await app.call('POST', `/v1/products/${shirt}/variants/generate`, { key: secret })
  const lists = ['/v1/products', '/v1/categories', `/v1/products/${shirt}/variants`]
  const read = (path: string, query: string, by = key) => app.call('GET', `${path}?${query}`, { key: by })
  const fill = (length: number) =>
    app.db.together((all) =>
      [fillProducts, fillCategories, fillVariants].map((each) => all.run(each, { merchant_id: merchantId, length })),
    )

  it('is shown while it has 4 MB', async () => {
    await fill(18_000)
    for (const path of lists) {
      const { status, text, body } = await read(path, 'limit=200')
      expect([path, status]).toEqual([path, 200])
      expect(text.length).toBeGreaterThan(200 * 18_000)
      expect(body).toMatchObject({ meta: { pagination: { count: 200, per_page: 200 } } })
    }
  })

  it('is refused above, by a sentence that names a limit which is not', async () => {
    await fill(LONG)
    for (const path of lists) {
      const refused = await read(path, 'limit=200')
      expect([path, refused.status]).toEqual([path, 422])
      const [sentence = ''] = (refused.body as { error: { errors: { limit: string[] } } }).error.errors.limit
      const fitting = /^limit must be smaller here, such as (\d+): .+ more than 4 MB\.$/.exec(sentence)?.[1]
      expect(Number(fitting)).toBeGreaterThan(40)
      const { status, text, body } = await read(path, `limit=${fitting}`)
      expect([path, status]).toEqual([path, 200])
      expect(text.length).toBeGreaterThan(3_500_000)
      expect(body).toMatchObject({
        meta: { pagination: { count: Number(fitting), links: { next: expect.anything() } } },
      })
    }
  })

  it('is refused before all of it is in memory', async () => {
    await fill(LONG)
    const sent: number[] = []
    const many = app.db.many
    const spy = vi.spyOn(app.db, 'many').mockImplementation(async (...given) => {
      const rows = await many(...given)
      if (given[0].name === 'products.find_many') sent.push(rows.length)
      return rows as never
    })
    expect((await read('/v1/products', 'limit=200')).status).toBe(422)
    spy.mockRestore()
    expect(sent.reduce((sum, count) => sum + count, 0)).toBeLessThan(100)
    const one = vi.spyOn(app.db, 'one')
    expect((await read('/v1/categories', 'limit=200')).status).toBe(422)
    const rows = await Promise.all(one.mock.results.map(({ value }) => value as Promise<{ rows?: unknown[] }>))
    one.mockRestore()
    expect(rows.filter((row) => Array.isArray(row.rows)).map((row) => row.rows?.length)).toEqual([0])
  })

  it('leads through all of them, once each, by a limit that fits', async () => {
    await fill(LONG)
    const ids: string[] = []
    let next: string | undefined = '/v1/products?limit=50'
    while (next !== undefined) {
      const { body } = await app.call('GET', next, { key })
      const { data, meta } = body as { data: { id: string }[]; meta: { pagination: { links: { next?: string } } } }
      ids.push(...data.map(({ id }) => id))
      next = meta.pagination.links.next?.replace(/^https?:\/\/[^/]+/, '')
    }
    expect([ids.length, new Set(ids).size]).toEqual([201, 201])
  })

  it('is shown to the secret key, and with one entry to everybody', async () => {
    await fill(LONG)
    for (const path of lists) {
      expect([path, (await read(path, 'limit=200', secret)).status]).toEqual([path, 200])
      expect([path, (await read(path, 'limit=1')).status]).toEqual([path, 200])
    }
  })
})

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
