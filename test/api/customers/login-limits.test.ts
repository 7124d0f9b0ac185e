// How often a login link can be asked for, and how many are mailed: nobody is kept from theirs by what others ask for.

import { describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { anotherClient, jobsOf, openShop, runLoginJobs, tokenIn } from './login-support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const { sandbox, live } = shop.keys

const tooMany = (seconds: number) => {
  const again = `Try again in ${seconds} seconds.`
  const sentence = `Too many login links have been asked for; one that has been mailed works for 15 minutes. ${again}`
  return [
    429,
    String(seconds),
    {
      error: { type: 'too_many_requests', message: `Too many requests. ${again}`, errors: { email: [sentence] } },
      status_code: 429,
    },
  ]
}
describe('links are limited', () => {
  const status = async (...request: Parameters<typeof shop.askForLink>) => {
    const { status, headers, body } = await shop.askForLink(...request)
    return status === 200 ? 200 : [status, headers['retry-after'], body]
  }

  it('to one a minute and five an hour for an address asked for from one place, known or not, and a refused one counts for nothing', async () => {
    await shop.customer('limited@example.com')
    const other = await openShop(app)
    await shop.set({ allowed_origins: ['https://shop.example'] })
    for (const email of ['limited@example.com', 'stranger@example.com']) {
      const start = app.clock.now().getTime()
      const since = () => (app.clock.now().getTime() - start) / 1_000
      const from = anotherClient()
      for (let asked = 0; asked < 5; asked++) {
        expect(await status(email, { from })).toBe(200)
        // After the fifth it is the hour that has to end.
        expect(await status(email.toUpperCase(), { from })).toEqual(tooMany(asked < 4 ? 60 : 3_360))
        app.clock.advance(60)
      }
      expect(since()).toBe(300)
      expect(await status(email, { from })).toEqual(tooMany(3_300))
      expect([
        await status(email, { from, key: live.public }),
        (await other.askForLink(email, { from })).status,
      ]).toEqual([200, 200])
      // What was refused has not been counted against the client: of its sixty, five are used.
      for (let asked = 5; asked < 60; asked++) expect(await status(`${asked}.${email}`, { from })).toBe(200)
      expect(await status(`more.${email}`, { from })).toEqual(tooMany(3_300))
      app.clock.advance(3_300)
      expect(await status(email, { from })).toBe(200)
      app.clock.advance(3_600)
    }
    await runLoginJobs(app)
  })

  it('so that whoever asks for the link of somebody else keeps nobody from asking for their own', async () => {
    const id = await shop.customer('victim@example.com')
    const stranger = anotherClient()
    // From every part of a network, too, it is one place.
    const parts = [0x1, 0x2, 0x100, 0x2000].map((subnet) => `2001:db8:77:${subnet.toString(16)}::1`)
    expect(await status('victim@example.com', { from: parts[0] as string })).toBe(200)
    for (const from of parts) expect(await status('victim@example.com', { from })).toEqual(tooMany(60))
    for (let asked = 0; asked < 5; asked++) {
      expect(await status('victim@example.com', { from: stranger })).toBe(200)
      await runLoginJobs(app)
      app.clock.advance(60)
    }
    expect((await shop.askForLink('victim@example.com', { from: stranger })).status).toBe(429)
    app.clock.advance(600)
    expect(await status('victim@example.com')).toBe(200)
    expect((await runLoginJobs(app)).mails.map(({ to }) => to)).toEqual(['victim@example.com'])
    expect((await shop.tokens()).filter(({ customer_id }) => customer_id === id).length).toBeGreaterThan(0)
  })

  it('to six of one address in the 15 minutes for which a link works, from wherever; those who are refused have links that work', async () => {
    const id = await shop.customer('flooded@example.com')
    const mails = []
    for (let asked = 0; asked < 6; asked++) {
      expect(await status('flooded@example.com')).toBe(200)
      mails.push(...(await runLoginJobs(app)).mails)
      app.clock.advance(120)
    }
    // By whichever of its names: what follows a + is a label.
    for (const name of ['flooded', 'FLOODED+a', 'flooded+b'])
      expect(await status(`${name}@example.com`)).toEqual(tooMany(180))
    // The shop's own server is not kept from anything by them, nor they by it.
    const server = { key: sandbox.secret }
    expect(await status('flooded@example.com', server)).toBe(200)
    expect(await status('flooded@example.com', server)).toEqual(tooMany(60))
    app.clock.advance(179)
    expect(await status('flooded@example.com')).toEqual(tooMany(1))
    const { customer_id } = (await shop.exchange(tokenIn(mails[0]))).body as { customer_id?: string }
    expect([mails.length, customer_id]).toEqual([6, id])
    app.clock.advance(1)
    expect(await status('flooded@example.com')).toBe(200)
    // Of a server that does not say for whom it asks, all is from one place.
    for (let asked = 1; asked < 6; asked++) {
      expect(await status('flooded@example.com', server)).toBe(200)
      app.clock.advance(60)
    }
    expect(await status('flooded@example.com', server)).toEqual(tooMany(420))
    await runLoginJobs(app)
  })

  it('to sixty an hour for a client, whichever addresses it has of its network, but not for a server with the secret key', async () => {
    const asked = Array.from({ length: 61 }, (_, index) => index)
    const of = (index: number) => ({ from: `2001:db8:1:2::${index.toString(16)}` })
    for (const index of asked.slice(1)) expect(await status(`v6-${index}@example.com`, of(index))).toBe(200)
    expect(await status('v6-0@example.com', of(99))).toEqual(tooMany(3_600))
    expect(await status('v6-0@example.com', { from: '2001:db8:1:3::1' })).toBe(200)
    // Twice as many for a /56, and four times as many for a /48.
    for (const index of asked.slice(2))
      expect(await status(`v6-56-${index}@example.com`, { from: `2001:db8:1:${(index + 1).toString(16)}::1` })).toBe(
        200,
      )
    expect(await status('v6-56@example.com', { from: '2001:db8:1:ff::1' })).toEqual(tooMany(3_600))
    for (let index = 0; index < 120; index++)
      expect(
        await status(`v6-48-${index}@example.com`, { from: `2001:db8:1:${((index + 2) * 256).toString(16)}::1` }),
      ).toBe(200)
    expect(await status('v6-48@example.com', { from: '2001:db8:1:ffff::1' })).toEqual(tooMany(3_600))
    expect(await status('v6-48@example.com', { from: '2001:db8:2:ffff::1' })).toBe(200)

    const server = { from: '192.0.2.9', key: sandbox.secret }
    for (const index of asked) expect(await status(`server-${index}@example.com`, server)).toBe(200)
    // Unless it names its shopper.
    const shopper = { ...server, headers: { 'shopper-address': '198.51.100.9' } }
    for (const index of asked.slice(1)) expect(await status(`shopper-${index}@example.com`, shopper)).toBe(200)
    expect(await status('shopper-0@example.com', shopper)).toEqual(tooMany(3_600))
    await runLoginJobs(app)
  })

  it('also when thirty come at the same moment: one passes', async () => {
    await shop.customer('rush@example.com')
    const from = anotherClient()
    const all = await Promise.all(Array.from({ length: 30 }, () => shop.askForLink('rush@example.com', { from })))
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(29).fill(429)])
    expect((await runLoginJobs(app)).mails).toHaveLength(1)
    for (let asked = 1; asked < 60; asked++) expect(await status(`rush-${asked}@example.com`, { from })).toBe(200)
    expect(await status('rush-60@example.com', { from })).toEqual(tooMany(3_600))
    await runLoginJobs(app)
  })
})

describe('a shop', () => {
  /** A customer whom anybody makes, by an order that costs nothing. */
  const byOrder = (own: typeof shop, email: string, more: object = {}) =>
    app.db.run(insertOrdered, [own.id, email, JSON.stringify({ isSandbox: true, isPaid: true, value: 0, ...more })])
  const insertOrdered = statement(
    'test.insert_ordered_customer',
    `with made as (
       insert into customers (merchant_id, is_sandbox, id, email, email_key, created_at, updated_at)
       values ($1, ($3::json ->> 'isSandbox')::boolean, 'cstmr_' || $2, $2, $2, now(), now())
       on conflict do nothing
     )
     insert into orders (
       merchant_id, id, is_sandbox, checkout_id, attempt_id, body_digest, customer_id, customer_reference, email, content, currency,
       order_value, total_due, status_payment, status_fulfillment, paid_at, created_at, updated_at
     )
     values (
       $1, 'ord_' || $2, ($3::json ->> 'isSandbox')::boolean, 'chkt_' || $2, 'pay_' || $2, '', 'cstmr_' || $2, 'SHP-1', $2, '{}', 'USD',
       ($3::json ->> 'value')::integer, 0, 'paid', 'fulfilled', case when ($3::json ->> 'isPaid')::boolean then now() end, now(), now()
     )`,
  )
  const counts = statement<{ subject: string; count: number }>(
    'test.counted_links',
    `select subject, count from attempts where merchant_id = $1 and subject like 'login link %' order by subject`,
  )
  const setCount = statement(
    'test.set_counted_links',
    'update attempts set count = $3 where merchant_id = $1 and subject = $2',
  )
  const out = async () => (await runLoginJobs(app, { goesOut: true })).mails.map(({ to }) => to).sort()
  const open = async () => {
    const own = await openShop(app)
    await own.set({ allowed_origins: ['https://shop.example'] })
    return own
  }
  const ask = async (own: typeof shop, key: string, ...emails: string[]) => {
    for (const email of emails) expect([email, (await own.askForLink(email, { key })).status]).toEqual([email, 200])
  }

  it('stays open to its customers however many links strangers ask for, and made-up addresses count for nothing', async () => {
    const own = await open()
    const networks = Array.from({ length: 50 }, (_, index) => `2001:db8:${index.toString(16)}::1`)
    for (const [at, from] of networks.entries()) {
      const made = Array.from({ length: 20 }, (_, index) => `made-up-${at}-${index}@example.com`)
      const asked = await Promise.all(made.map((email) => own.askForLink(email, { from, key: own.keys.live.public })))
      expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]))
    }
    await own.customer('honest@example.com', own.keys.live.secret)
    await ask(own, own.keys.live.public, 'honest@example.com')
    // A thousand jobs at a time.
    expect([...(await out()), ...(await out())]).toEqual(['honest@example.com'])
    expect(await app.db.many(counts, [own.id])).toEqual([])
  })

  it.each([
    ['live', false, 1_000, 5_000],
    ['sandbox', true, 200, 1_000],
  ] as const)(
    'mails so many links an hour to addresses that nobody stands for, %s; who bought, logged in or was put in gets theirs all the same',
    async (mode, isSandbox, most, mostByServer) => {
      const own = await open()
      const key = own.keys[mode]
      const subject = `login link ${mode} all`
      for (const name of ['first', 'last', 'over', 'served', 'over-too'])
        await byOrder(own, `${name}@example.com`, { isSandbox })
      await byOrder(own, 'unpaid@example.com', { isSandbox, isPaid: false, value: 100 })
      await byOrder(own, 'bought@example.com', { isSandbox, value: 100 })
      await byOrder(own, 'reader@example.com', { isSandbox })
      // Where the shop's own mail goes.
      await byOrder(own, 'shop@example.com', { isSandbox })
      await own.customer('put-in@example.com', key.secret)
      expect(
        (await own.exchange(await own.issueToken('reader@example.com', key.secret), { key: key.public })).status,
      ).toBe(200)

      await ask(own, key.public, 'first@example.com')
      expect(await out()).toEqual(['first@example.com'])
      expect(await app.db.many(counts, [own.id])).toEqual([{ subject, count: 1 }])
      await app.db.run(setCount, [own.id, subject, most - 1])
      await ask(own, key.public, 'last@example.com')
      expect(await out()).toEqual(['last@example.com'])

      await ask(own, key.public, 'over@example.com', 'unpaid@example.com', 'bought@example.com')
      await ask(own, key.public, 'reader@example.com', 'put-in@example.com', 'nobody@example.com', 'shop@example.com')
      // In the sandbox nobody pays, so that whoever bought there has shown nothing.
      const bought = isSandbox ? [] : ['bought@example.com']
      expect(await out()).toEqual([...bought, 'put-in@example.com', 'reader@example.com', 'shop@example.com'])
      const left = (await own.tokens()).map(({ email_key }) => email_key)
      expect([left.includes('over@example.com'), left.includes('unpaid@example.com')]).toEqual([false, false])
      expect(await jobsOf(app, own.id)).toEqual({ waiting: 0, failed: 0 })

      // The shop's own server has another budget, and a greater one.
      await ask(own, key.secret, 'served@example.com')
      expect(await out()).toEqual(['served@example.com'])
      expect(await app.db.many(counts, [own.id])).toEqual([
        { subject, count: most },
        { subject: `login link ${mode} by server all`, count: 1 },
      ])
      await app.db.run(setCount, [own.id, `login link ${mode} by server all`, mostByServer])
      await ask(own, key.secret, 'over-too@example.com')
      expect(await out()).toEqual([])
      app.clock.advance(3_601)
      await ask(own, key.public, 'over@example.com')
      expect(await out()).toEqual(['over@example.com'])
    },
  )

  it('counts a link once, however often its mail is tried, and none that is kept here', async () => {
    const own = await open()
    await byOrder(own, 'retried@example.com')
    await ask(own, own.keys.sandbox.public, 'retried@example.com')
    for (let time = 0; time < 3; time++) {
      await runLoginJobs(app, { goesOut: true, send: () => Promise.reject(new Error('The mail server is away.')) })
      app.clock.advance(600)
    }
    expect(await app.db.many(counts, [own.id])).toMatchObject([{ count: 1 }])
    expect(await out()).toEqual(['retried@example.com'])
    await byOrder(own, 'kept@example.com')
    expect((await own.askForLink('kept@example.com', {}, 'https://elsewhere.example/')).status).toBe(200)
    await runLoginJobs(app, { goesOut: true })
    await byOrder(own, 'outbox@example.com')
    await ask(own, own.keys.sandbox.public, 'outbox@example.com')
    await runLoginJobs(app)
    expect(await app.db.many(counts, [own.id])).toMatchObject([{ count: 1 }])
  })

  it('that mails links itself is told of no more of them than would be mailed', async () => {
    const own = await open()
    await own.set({ notifications: { customer: { login_token: false } } })
    for (const name of ['told', 'untold']) await byOrder(own, `${name}@example.com`)
    await own.customer('put-in@example.com')
    await ask(own, own.keys.sandbox.public, 'told@example.com')
    await out()
    await app.db.run(setCount, [own.id, 'login link sandbox all', 200])
    await ask(own, own.keys.sandbox.public, 'untold@example.com', 'put-in@example.com')
    await out()
    expect((await own.events()).map(({ payload }) => (payload as { email: string }).email).sort()).toEqual([
      'put-in@example.com',
      'told@example.com',
    ])
  })

  it('forgets that somebody stands for an address when a customer takes another', async () => {
    const own = await open()
    const id = await own.customer('before@example.com')
    const { jwt } = await own.session(id)
    const vouched = statement<{ is_email_vouched: boolean }>(
      'test.is_vouched',
      'select is_email_vouched from customers where merchant_id = $1 and id = $2',
    )
    const change = (headers: Record<string, string>, email: string) =>
      app.call('PUT', `/v1/customers/${id}`, { body: { email }, headers })
    const isVouched = async () => (await app.db.one(vouched, [own.id, id])).is_email_vouched
    expect(await isVouched()).toBe(true)
    await change({ authorization: `Bearer ${jwt}` }, 'after@example.com')
    expect(await isVouched()).toBe(false)
    await change({ authorization: `Bearer ${jwt}` }, 'AFTER@example.com')
    expect(await isVouched()).toBe(false)
    expect((await own.exchange(await own.mailedToken('after@example.com'))).status).toBe(200)
    expect(await isVouched()).toBe(true)
    await change({ 'x-authorization': own.keys.sandbox.secret }, 'merchant@example.com')
    expect(await isVouched()).toBe(true)
  })

  it("is not made to take a stranger's link for one that its server has asked for", async () => {
    const own = await open()
    await own.customer('both@example.com', own.keys.live.secret)
    await own.askForLink('both@example.com', { key: own.keys.live.secret }, 'https://shop.example/server/{token}')
    await own.askForLink('both@example.com', { key: own.keys.live.public }, 'https://shop.example/stranger/{token}')
    const { mails } = await runLoginJobs(app, { goesOut: true })
    expect(mails.map(({ text }) => /shop\.example\/(\w+)/.exec(text)?.[1]).sort()).toEqual(['server', 'stranger'])
  })
})
