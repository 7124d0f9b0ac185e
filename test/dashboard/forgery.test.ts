// What is refused before anybody is asked who it is: other pages, plain HTTP from elsewhere, cookies that were made up, writes without the session's token.

import { describe, expect, it } from 'vitest'
import { testApp } from '../support/app.ts'
import { Browser, HERE, openHouse, PROXY, type Sent } from './support.ts'

const app = await testApp({ trustProxy: [PROXY] })
const house = await openHouse(app)
const PRODUCT = { name: 'Forged', price: 1 }

/** What a page of another site, or a program, can make a browser send. */
const FORGERIES: readonly [string, Sent][] = [
  ['no token', { headers: { 'x-csrf-token': undefined } }],
  ['an empty token', { headers: { 'x-csrf-token': '' } }],
  ['a made-up token', { headers: { 'x-csrf-token': 'A'.repeat(43) } }],
  ['a token that is one letter short', { headers: { 'x-csrf-token': 'short' } }],
  ['no Origin', { headers: { origin: undefined } }],
  ['the Origin null, as of a sandboxed frame', { headers: { origin: 'null' } }],
  ['the Origin of another site', { headers: { origin: 'https://evil.example' } }],
  ['an Origin with another port', { headers: { origin: 'http://localhost:3000' } }],
  ['an Origin with another scheme', { headers: { origin: 'https://localhost' } }],
  ['an Origin that begins as ours', { headers: { origin: 'http://localhost.evil.example' } }],
  ['an Origin with ours as its user', { headers: { origin: 'http://localhost@evil.example' } }],
  ['our Origin with a path', { headers: { origin: `${HERE}/` } }],
  ['our Origin in capitals', { headers: { origin: 'HTTP://LOCALHOST' } }],
  ['another name of this machine', { headers: { origin: 'http://127.0.0.1' } }],
  ['no Sec-Fetch-Site', { headers: { 'sec-fetch-site': undefined } }],
  ['Sec-Fetch-Site cross-site', { headers: { 'sec-fetch-site': 'cross-site' } }],
  ['Sec-Fetch-Site same-site, as of a neighbour', { headers: { 'sec-fetch-site': 'same-site' } }],
  ['Sec-Fetch-Site none, as of an address that was typed', { headers: { 'sec-fetch-site': 'none' } }],
  ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'name=Forged&price=1' }],
  ['a form of parts', { headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: '--x--' }],
  ['plain text', { headers: { 'content-type': 'text/plain' }, body: JSON.stringify(PRODUCT) }],
]

describe('a write is refused, and changes nothing, with', async () => {
  const browser = await house.owner()

  it.each(FORGERIES)('%s', async (_, forged) => {
    const told = await browser.send('POST', 'v1/products', { body: PRODUCT, ...forged })
    expect([403, 415], told.text).toContain(told.status)
    expect(told.headers).not.toHaveProperty('access-control-allow-origin')
    expect(await browser.succeed(200, 'GET', 'v1/products')).toMatchObject({ data: [] })
  })

  it.each(FORGERIES.slice(4, 18))('%s, a login', async (_, forged) => {
    const { email, password } = house
    const told = await new Browser(app).send('POST', 'session', { body: { email, password }, ...forged })
    expect([told.status, told.cookies]).toEqual([403, []])
  })

  it("the token of another session, and another person's", async () => {
    const [one, two] = [await house.owner(), await house.owner()]
    const told = await one.send('POST', 'v1/products', { body: PRODUCT, headers: { 'x-csrf-token': two.csrf } })
    expect(told.status).toBe(403)
  })
})

describe('a cookie opens nothing that', () => {
  const real = async () => (await house.owner()).jar.get('cartwright') ?? ''
  it.each<[string, (token: string) => string]>([
    ['is empty', () => ''],
    ['is one letter off', (token) => `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`],
    ['names another shop', (token) => token.replace(/^\d+/, '999999')],
    ['names no shop', (token) => token.replace(/^\d+/, '0')],
    ['has no shop', (token) => token.replace(/^\d+\./, '')],
    ['is cut', (token) => token.slice(0, -2)],
    ['is too long', (token) => `${token}A`],
    ['is quoted', (token) => `"${token}"`],
    ['is escaped', (token) => token.replace('.', '%2E')],
    ['holds SQL', () => "1.' or true --"],
    ['is very long', () => '1.'.padEnd(5_000, 'A')],
  ])('%s', async (_, forge) => {
    const browser = new Browser(app)
    browser.jar.set('cartwright', forge(await real()))
    expect((await browser.send('GET', 'session')).status).toBe(401)
  })

  it('was sent twice, has another name, or the name that is for HTTPS', async () => {
    const token = await real()
    const sent = [
      'x=1',
      `Cartwright=${token}`,
      `__Host-cartwright=${token}`,
      `cartwright=${token}; cartwright=${token}x`,
    ]
    for (const cookie of sent)
      expect((await new Browser(app).send('GET', 'session', { headers: { cookie } })).status).toBe(401)
    const cookie = `cartwright=${token}`
    expect((await new Browser(app).send('GET', 'session', { headers: { cookie } })).status).toBe(200)
    // By HTTPS, the cookie that a page by plain HTTP could have set is not read.
    const secure = new Browser(app, { isHttps: true })
    expect((await secure.send('GET', 'session', { headers: { cookie } })).status).toBe(401)
  })

  it('is sent to /v1 itself, where a key is asked for', async () => {
    const browser = await house.owner()
    expect((await browser.send('GET', '/v1/orders')).status).toBe(401)
    expect((await browser.send('GET', 'v1/orders')).status).toBe(200)
  })
})

describe('other pages', () => {
  it('may not read, and hear no more than that', async () => {
    const browser = await house.owner()
    for (const site of ['cross-site', 'same-site']) {
      const told = await browser.send('GET', 'v1/orders', { headers: { 'sec-fetch-site': site } })
      expect([told.status, told.headers['access-control-allow-origin']]).toEqual([403, undefined])
    }
  })

  it('may not have a GET save something', async () => {
    const browser = await house.owner()
    const told = await browser.send('GET', 'v1/carts', { headers: { 'sec-fetch-site': 'none' } })
    expect(told.status).toBe(403)
  })

  it('get no leave from a preflight, known address or not', async () => {
    for (const url of ['v1/products', 'session', 'v1/nothing', '/dashboard/x']) {
      const told = await new Browser(app).send('OPTIONS', url, {
        headers: { origin: 'https://evil.example', 'access-control-request-headers': 'x-csrf-token' },
      })
      expect(Object.keys(told.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })
})

describe('plain HTTP', () => {
  it.each<[string, Sent, RegExp]>([
    ['from another machine', { address: '203.0.113.7' }, /TLS_CERT/],
    ['to another host', { headers: { host: 'shop.example', origin: 'http://shop.example' } }, /TLS_CERT/],
    ['to a name that only begins as ours', { headers: { host: 'localhost.evil.example' } }, /TLS_CERT/],
    ['by a proxy that nobody has named', { headers: { 'x-forwarded-for': '203.0.113.7' } }, /TLS_CERT/],
    ['by a proxy that names itself', { headers: { via: '1.1 nginx' } }, /TLS_CERT/],
    [
      'by a proxy that says HTTPS and is not trusted',
      { headers: { 'x-forwarded-proto': 'https' } },
      /Set TRUST_PROXY to its address, 127\.0\.0\.1/,
    ],
  ])('is refused %s, and says which setting is missing', async (_, sent, sentence) => {
    const { email, password } = house
    for (const [method, url] of [
      ['POST', '/dashboard/api/session'],
      ['GET', '/dashboard/api/session'],
      ['GET', '/dashboard/api/v1/orders'],
    ] as const) {
      const told = await new Browser(app).send(method, url, {
        ...sent,
        ...(method === 'POST' ? { body: { email, password } } : {}),
      })
      expect([told.status, told.cookies]).toEqual([403, []])
      expect(told.text).toMatch(sentence)
    }
  })

  it('serves live data on this machine, to a session alone', async () => {
    const browser = await house.owner()
    await browser.succeed(200, 'GET', 'v1/orders', { mode: 'live' })
    const told = await app.call('GET', '/v1/orders', { key: house.keys.live.secret })
    expect(told.status).toBe(401)
  })
})

it('an address below /dashboard/api that does not exist is told as one of the API, in every method', async () => {
  const browser = await house.owner()
  for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const)
    expect((await browser.send(method, '/dashboard/api/nothing')).status).toBe(404)
  expect((await browser.send('GET', 'v1/nothing')).status).toBe(404)
})

it('a mode is live or sandbox', async () => {
  const browser = await house.owner()
  const told = await browser.send('GET', 'v1/orders', { mode: 'both' as never })
  expect([told.status, told.text]).toEqual([400, expect.stringContaining('X-Mode must be live or sandbox')])
})
