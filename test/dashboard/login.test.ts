// @alone: it tries the limits of logins per address.
// Logging in: who gets in, who waits, and what a browser keeps of it.

import { describe, expect, it } from 'vitest'
import { hashPasswordInSlot } from '../../src/dashboard/account/password.ts'
import { MAX_SESSIONS } from '../../src/dashboard/session.ts'
import { testApp } from '../support/app.ts'
import { cloneDatabase } from '../support/database.ts'
import { selectRows } from '../support/rows.ts'
import { Browser, errorsOf, openHouse, PASSWORD, PROXY, repeated, type SessionView, sharePassword } from './support.ts'

const connection = await cloneDatabase()
const app = await testApp({ trustProxy: [PROXY], connection })

const WRONG = {
  error: { type: 'unauthorized', message: 'There is no account with this e-mail address and password.' },
  status_code: 401,
}

const mailsOf = (merchant_id: number) =>
  selectRows(app.db, 'payload from jobs', { merchant_id, kind: 'dashboard.account_mail' }, 'order by id')

const guess = (browser: Browser, email: string, times: number, password = 'wrong password') =>
  repeated(times, () => browser.logIn(email, password))

describe('a login', () => {
  it('sets a cookie that no script reads and no other site sends, without Secure on this machine alone', async () => {
    const house = await openHouse(app)
    const here = await new Browser(app).logIn(house.email, house.password)
    expect(here.cookies.map((cookie) => cookie.replace(/=[^;]*/, '=…')).sort()).toEqual([
      'cartwright-devices=…; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax',
      'cartwright=…; Path=/; Max-Age=1209600; HttpOnly; SameSite=Lax',
    ])
    const secure = await new Browser(app, { isHttps: true }).logIn(house.email, house.password)
    expect([secure.status, secure.text]).toEqual([200, secure.text])
    expect(secure.cookies.map((cookie) => cookie.replace(/=[^;]*/, '=…')).sort()).toEqual([
      '__Host-cartwright-devices=…; Path=/; Max-Age=34560000; HttpOnly; SameSite=Lax; Secure',
      '__Host-cartwright=…; Path=/; Max-Age=1209600; HttpOnly; SameSite=Lax; Secure',
    ])
    expect(secure.headers['cache-control']).toBe('no-store')
  })

  it('is refused in the same words for an unknown address, a wrong password and an empty account', async () => {
    const house = await openHouse(app)
    const told = [
      await new Browser(app).logIn(house.email, 'wrong password'),
      await new Browser(app).logIn('nobody@example.com', house.password),
      await new Browser(app).logIn('no address at all', house.password),
    ]
    for (const { status, body, cookies } of told) expect([status, body, cookies]).toEqual([401, WRONG, []])
  })

  it('has twenty sessions at most: with one more the oldest ends', async () => {
    const house = await openHouse(app)
    const browsers: Browser[] = []
    for (let time = 0; time <= MAX_SESSIONS; time++) {
      app.clock.advance(1)
      browsers.push(await house.owner())
    }
    const standing = async () => {
      const told = await Promise.all(browsers.map((browser) => browser.send('GET', 'session')))
      return told.map(({ status }) => status)
    }
    expect(await standing()).toEqual([401, ...Array.from({ length: MAX_SESSIONS }, () => 200)])
    const listed = await browsers.at(-1)?.send('GET', 'sessions')
    expect((listed?.body as { data: unknown[] } | undefined)?.data.length).toBe(MAX_SESSIONS)
    // Another account has its own.
    const other = await (await openHouse(app)).owner()
    expect((await other.send('GET', 'session')).status).toBe(200)
    expect((await standing()).filter((status) => status === 200).length).toBe(MAX_SESSIONS)
  })

  it('takes the address in any case, and names what is missing in a body', async () => {
    const house = await openHouse(app)
    expect((await new Browser(app).logIn(` ${house.email.toUpperCase()} `, house.password)).status).toBe(200)
    const told = await new Browser(app).send('POST', 'session', { body: { email: 'a' } })
    expect([told.status, errorsOf(told)]).toEqual([422, { password: ['password is required.'] }])
  })

  it('asks which shop where an address has several with one password, and opens the one that was chosen', async () => {
    const email = 'both@example.com'
    const [one, other] = [await openHouse(app, { email, name: 'One' }), await openHouse(app, { email, name: 'Other' })]
    const browser = new Browser(app)
    // Each has its own password.
    expect(((await browser.logIn(email, other.password)).body as SessionView).merchant.id).toBe(other.id)
    await sharePassword(app, other, one)
    const asked = await new Browser(app).logIn(email, other.password)
    expect(asked.body).toEqual({
      choose: [
        { merchant_id: one.id, name: 'One' },
        { merchant_id: other.id, name: 'Other' },
      ],
    })
    expect(asked.cookies).toEqual([])
    const chosen = await new Browser(app).logIn(email, other.password, { merchant_id: one.id })
    expect((chosen.body as SessionView).merchant).toMatchObject({ id: one.id, name: 'One' })
    const strange = await openHouse(app)
    expect((await new Browser(app).logIn(email, other.password, { merchant_id: strange.id })).status).toBe(401)
  })

  it('never adopts an id that the browser brings along, and ends the session before', async () => {
    const house = await openHouse(app)
    const browser = new Browser(app)
    const planted = `${house.id}.${'A'.repeat(43)}`
    browser.jar.set('cartwright', planted)
    await browser.logIn(house.email, house.password)
    const first = browser.jar.get('cartwright')
    expect(first).not.toBe(planted)
    await browser.logIn(house.email, house.password)
    expect(browser.jar.get('cartwright')).not.toBe(first)
    const thief = new Browser(app)
    thief.jar.set('cartwright', first ?? '')
    expect((await thief.send('GET', 'session')).status).toBe(401)
  })

  it('is told by mail where the browser was not known, once for each', async () => {
    const house = await openHouse(app)
    const browser = new Browser(app)
    await browser.logIn(house.email, house.password)
    await browser.logIn(house.email, house.password)
    expect(await mailsOf(house.id)).toMatchObject([{ payload: { type: 'new_device', address: '127.0.0.1' } }])
    await new Browser(app).logIn(house.email, house.password)
    expect(await mailsOf(house.id)).toHaveLength(2)
  })
})

describe('wrong passwords', () => {
  it('wait after the fifth, right ones too; longer with each; and the right one then works', async () => {
    const house = await openHouse(app)
    const browser = new Browser(app, { address: '127.0.0.2' })
    expect(await guess(browser, house.email, 5)).toEqual([401, 401, 401, 401, 401])
    const sixth = await browser.logIn(house.email, house.password)
    expect([sixth.status, sixth.headers['retry-after'], (sixth.body as { error: unknown }).error]).toEqual([
      429,
      '30',
      { type: 'too_many_requests', message: 'Too many wrong passwords. Wait 30 seconds, then try again.' },
    ])
    for (const seconds of [30, 60, 120, 240, 480, 900, 900]) {
      const waiting = await browser.logIn(house.email, house.password)
      expect([waiting.status, waiting.headers['retry-after']]).toEqual([429, String(seconds)])
      app.clock.advance(seconds)
      expect((await browser.logIn(house.email, 'wrong password')).status).toBe(401)
    }
    app.clock.advance(900)
    expect((await browser.logIn(house.email, house.password)).status).toBe(200)
    // All is forgotten.
    expect(await guess(browser, house.email, 4)).toEqual([401, 401, 401, 401])
  })

  it('of an address that nobody has wait in the same way', async () => {
    const browser = new Browser(app, { address: '127.0.0.3' })
    expect(await guess(browser, 'ghost@example.com', 6)).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('of strangers keep the owner out neither elsewhere nor in a browser that is known', async () => {
    const house = await openHouse(app)
    const known = await house.owner({ isHttps: true, address: '203.0.113.9' })
    for (let place = 1; place <= 25; place++)
      await guess(new Browser(app, { isHttps: true, address: `198.51.100.${place}` }), house.email, 5)
    // From the very place of a stranger, who is kept waiting there.
    const stranger = new Browser(app, { isHttps: true, address: '203.0.113.9' })
    expect((await guess(stranger, house.email, 6)).at(-1)).toBe(429)
    expect((await known.logIn(house.email, house.password)).status).toBe(200)
    // Elsewhere, in an unknown browser: a hundred an hour from everywhere are the end of it, for an hour and no longer.
    const elsewhere = new Browser(app, { isHttps: true, address: '192.0.2.77' })
    expect((await elsewhere.logIn(house.email, house.password)).status).toBe(429)
    app.clock.advance(3_600)
    expect((await elsewhere.logIn(house.email, house.password)).status).toBe(200)
  })

  it('from one place, for ever other addresses, end after twenty in ten minutes', async () => {
    const house = await openHouse(app)
    const browser = new Browser(app, { isHttps: true, address: '203.0.113.50' })
    for (let count = 1; count <= 20; count++)
      expect((await browser.logIn(`person${count}@example.com`, 'wrong password')).status).toBe(401)
    const told = await browser.logIn(house.email, house.password)
    expect([told.status, told.headers['retry-after']]).toEqual([429, '600'])
    app.clock.advance(600)
    expect((await browser.logIn(house.email, house.password)).status).toBe(200)
  })

  it('in a browser that is known wait there, and nowhere else', async () => {
    const house = await openHouse(app)
    const known = await house.owner({ isHttps: true, address: '203.0.113.60' })
    expect(await guess(known, house.email, 6)).toEqual([401, 401, 401, 401, 401, 429])
    const other = new Browser(app, { isHttps: true, address: '203.0.113.60' })
    expect((await other.logIn(house.email, house.password)).status).toBe(200)
  })
})

describe('a session', () => {
  it('is over after twelve hours without a request, and goes on with one', async () => {
    const house = await openHouse(app)
    const browser = await house.owner()
    for (let time = 0; time < 3; time++) {
      app.clock.advance(12 * 3_600 - 1)
      await browser.succeed(200, 'GET', 'v1/products')
    }
    app.clock.advance(12 * 3_600)
    expect((await browser.send('GET', 'v1/products')).status).toBe(401)
  })

  it('is over after fourteen days, whatever is asked', async () => {
    const house = await openHouse(app)
    const browser = await house.owner()
    for (let hours = 0; hours < 14 * 24 - 8; hours += 8) {
      app.clock.advance(8 * 3_600)
      await browser.succeed(200, 'GET', 'session')
    }
    app.clock.advance(8 * 3_600)
    expect((await browser.send('GET', 'session')).status).toBe(401)
  })

  it('is listed, ended one by one or all but this one, and forgets the browser at logout', async () => {
    const house = await openHouse(app)
    const [one, two, three] = [await house.owner(), await house.owner(), await house.owner()]
    type List = { data: { id: string; is_this: boolean; agent: string; address: string }[] }
    const { data } = await one.succeed<List>(200, 'GET', 'sessions')
    expect(data).toHaveLength(3)
    expect(data.filter(({ is_this }) => is_this)).toMatchObject([{ address: '127.0.0.1' }])
    const other = (await two.succeed<List>(200, 'GET', 'sessions')).data.find(({ is_this }) => is_this)
    await one.succeed(204, 'DELETE', `sessions/${other?.id}`)
    expect((await two.send('GET', 'session')).status).toBe(401)
    expect((await one.send('DELETE', `sessions/${other?.id}`)).status).toBe(404)
    const foreign = await (await openHouse(app)).owner()
    const [strange] = (await foreign.succeed<List>(200, 'GET', 'sessions')).data
    expect((await one.send('DELETE', `sessions/${strange?.id}`)).status).toBe(404)
    await one.succeed(204, 'DELETE', 'sessions')
    expect((await three.send('GET', 'session')).status).toBe(401)
    const told = await one.send('DELETE', 'session')
    expect([told.status, told.headers['clear-site-data'], told.cookies]).toEqual([
      204,
      '"cache", "storage"',
      ['cartwright=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax'],
    ])
  })

  it('that one server has ended is over at another at once', async () => {
    const house = await openHouse(app)
    const second = await testApp({ connection, clock: app.clock } as never)
    const browser = await house.owner()
    const elsewhere = new Browser(second)
    elsewhere.jar.set('cartwright', browser.jar.get('cartwright') ?? '')
    expect((await elsewhere.send('GET', 'session')).status).toBe(200)
    await browser.succeed(204, 'DELETE', 'session')
    expect((await elsewhere.send('GET', 'session')).status).toBe(401)
  })
})

it('nothing that opens an account is ever logged', async () => {
  const house = await openHouse(app)
  const browser = await house.owner()
  await browser.logIn(house.email, 'a wrong one, which may be right elsewhere')
  const log = app.logged.join('')
  const secrets = [house.password, 'which may be right elsewhere', browser.csrf, ...browser.jar.values()]
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
})

describe('while all places to compare passwords are taken', () => {
  /** Whoever else comes is told to come back. */
  async function whileTaken<T>(work: () => Promise<T>): Promise<T> {
    let isOver = false
    const others = Array.from({ length: 42 }, async () => {
      while (!isOver) await hashPasswordInSlot('somebody').catch(() => undefined)
    })
    try {
      return await work()
    } finally {
      isOver = true
      await Promise.all(others)
    }
  }

  it.each(['invitations', 'password-reset'])('%s that nobody has sent take none', async (kind) => {
    const told = await whileTaken(() =>
      new Browser(app).send('POST', `${kind}/1x${'A'.repeat(40)}`, { body: { name: 'No', password: PASSWORD } }),
    )
    expect(told.status).toBe(404)
  })

  it('a password that was not compared is no wrong one', async () => {
    const house = await openHouse(app)
    const told = await whileTaken(() => guess(new Browser(app), house.email, 6, house.password))
    expect(new Set(told)).toEqual(new Set([503]))
    expect((await new Browser(app).logIn(house.email, house.password)).status).toBe(200)
  })
})
