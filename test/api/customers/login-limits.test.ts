// How often a login link can be asked for, and how many are mailed: nobody is kept from theirs by what others ask for.

import { describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { waitOf } from '../../../src/lib/words/phrases.ts'
import { testApp } from '../../support/app.ts'
import { anotherClient, jobsOf, openShop, runLoginJobs, tokenIn } from './login-support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const { sandbox, live } = shop.keys

/** What a programmer is told besides. */
const BY_SERVER = 'They were asked for with the secret key and without Shopper-Address.'

const tooMany = (seconds: number, ...notes: string[]) => {
  const sentence = `Too many login links were asked for. Please try again in ${waitOf(seconds)}.`
  return [
    429,
    String(seconds),
    {
      error: {
        type: 'too_many_requests',
        message: sentence,
        code: 'too_many_login_links',
        params: { seconds },
        errors: { email: [sentence, ...notes] },
      },
      status_code: 429,
    },
  ]
}

const setCount = statement(
  'test.set_counted_links',
  'update attempts set count = :count where merchant_id = :merchant_id and subject = :subject',
)
const countOf = statement<{ count: number }>(
  'test.counted_subject',
  'select count from attempts where merchant_id = :merchant_id and subject = :subject',
)

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
      // What was refused has not been counted against the network.
      expect(
        (await app.db.one(countOf, { merchant_id: shop.id, subject: `login-mail sandbox from ${from}` })).count,
      ).toBe(5)
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

  it('not by what others ask for under other names of the mailbox, or to pages that the shop does not have: the owner is mailed their own', async () => {
    const own = await openShop(app)
    await own.set({ allowed_origins: ['https://shop.example'] })
    const key = own.keys.live.public
    const id = await own.customer('owner@example.com', own.keys.live.secret)
    for (let asked = 0; asked < 6; asked++) {
      expect((await own.askForLink(`owner+${asked}@example.com`, { key })).status).toBe(200)
      const nowhere = 'https://shop.example/nowhere?x={token}'
      expect((await own.askForLink('owner@example.com', { key }, nowhere)).status).toBe(200)
    }
    expect((await own.askForLink('owner@example.com', { key })).status).toBe(200)
    // Nor is the link that waits replaced by what is asked for later.
    expect((await own.askForLink('owner@example.com', { key }, 'https://shop.example/later/{token}')).status).toBe(200)
    const { mails } = await runLoginJobs(app, { goesOut: true })
    expect(mails.map(({ text }) => /shop\.example\/(\w+)/.exec(text)?.[1]).sort()).toEqual([
      'later',
      'login',
      ...Array(6).fill('nowhere'),
    ])
    const link = mails.find(({ text }) => text.includes('/login/'))
    expect((await own.exchange(tokenIn(link), { key })).body).toMatchObject({ customer_id: id })
  })

  it('to one a minute and twenty an hour of an address for a server that does not name its shoppers, and by no other name of the mailbox', async () => {
    const server = { key: sandbox.secret }
    expect(await status('served+x@example.com', server)).toBe(200)
    for (let asked = 0; asked < 20; asked++) {
      expect(await status('served@example.com', server)).toBe(200)
      expect(await status('served@example.com', server)).toEqual(tooMany(asked < 19 ? 60 : 2_460, BY_SERVER))
      app.clock.advance(60)
    }
    expect(await status('served@example.com', server)).toEqual(tooMany(2_400, BY_SERVER))
    // What anybody asks for, and what it asks for with an address, counts apart.
    expect(await status('served@example.com')).toBe(200)
    const named = { ...server, headers: { 'shopper-address': '198.51.100.3' } }
    expect(await status('served@example.com', named)).toBe(200)
    expect(await status('served@example.com', named)).toEqual(tooMany(60))
    await runLoginJobs(app)
  })

  it('to six hundred an hour for a network, with more for the wider ones, but not for a server with the secret key', async () => {
    await status('v6-0@example.com', { from: '2001:db8:1:2::1' })
    for (const [network, most, inside, outside] of [
      ['2001:db8:1:2::/64', 600, '2001:db8:1:2::99', '2001:db8:1:3::1'],
      ['2001:db8:1:0::/56', 1_200, '2001:db8:1:ff::1', '2001:db8:1:100::1'],
      ['2001:db8:1::/48', 2_400, '2001:db8:1:ffff::1', '2001:db8:2:ffff::1'],
    ] as const) {
      const counted = { merchant_id: shop.id, subject: `login-mail sandbox from ${network}` }
      expect(await app.db.run(setCount, { ...counted, count: most - 1 })).toBe(1)
      expect(await status(`v6-${most}@example.com`, { from: inside })).toBe(200)
      expect(await status(`v6-${most}-more@example.com`, { from: inside })).toEqual(tooMany(3_600))
      expect(await status(`v6-${most}-more@example.com`, { from: outside })).toBe(200)
      await app.db.run(setCount, { ...counted, count: 1 })
    }
    const server = { from: '192.0.2.9', key: sandbox.secret }
    // Unless it names its shopper.
    const shopper = { ...server, headers: { 'shopper-address': '198.51.100.9' } }
    expect(await status('shopper-0@example.com', shopper)).toBe(200)
    const counted = { merchant_id: shop.id, subject: 'login-mail by server sandbox from 198.51.100.9' }
    expect(await app.db.run(setCount, { ...counted, count: 600 })).toBe(1)
    expect(await status('shopper-1@example.com', shopper)).toEqual(tooMany(3_600))
    expect(await status('shopper-1@example.com', server)).toBe(200)
    await runLoginJobs(app)
  })

  it('also when thirty come at the same moment: one passes', async () => {
    await shop.customer('rush@example.com')
    const from = anotherClient()
    const all = await Promise.all(Array.from({ length: 30 }, () => shop.askForLink('rush@example.com', { from })))
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(29).fill(429)])
    expect((await runLoginJobs(app)).mails).toHaveLength(1)
    expect(
      (await app.db.one(countOf, { merchant_id: shop.id, subject: `login-mail sandbox from ${from}` })).count,
    ).toBe(1)
  })
})

describe('a shop', () => {
  /** A customer whom anybody makes, by an order that costs nothing. */
  const byOrder = (own: typeof shop, email: string, more: object = {}) =>
    app.db.run(insertOrdered, {
      merchant_id: own.id,
      email,
      traits: JSON.stringify({ isSandbox: true, isPaid: true, value: 0, ...more }),
    })
  const insertOrdered = statement(
    'test.insert_ordered_customer',
    `with made as (
       insert into customers (merchant_id, is_sandbox, id, email, email_key, created_at, updated_at)
       values (:merchant_id, (:traits::json ->> 'isSandbox')::boolean, 'cstmr_' || :email, :email, :email, now(), now())
       on conflict do nothing
     )
     insert into orders (
       merchant_id, id, is_sandbox, checkout_id, attempt_id, body_digest, customer_id, customer_reference, email, content, currency,
       order_value, total_due, status_payment, status_fulfillment, paid_at, created_at, updated_at
     )
     values (
       :merchant_id, 'ord_' || :email, (:traits::json ->> 'isSandbox')::boolean, 'chkt_' || :email, 'pay_' || :email, '', 'cstmr_' || :email, 'SHP-1', :email, '{}', 'USD',
       (:traits::json ->> 'value')::integer, 0, 'paid', 'fulfilled', case when (:traits::json ->> 'isPaid')::boolean then now() end, now(), now()
     )`,
  )
  const counts = statement<{ subject: string; count: number }>(
    'test.counted_links',
    `select subject, count from attempts where merchant_id = :merchant_id and subject like 'login link % all' order by subject`,
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
    expect(await app.db.many(counts, { merchant_id: own.id })).toEqual([])
  })

  it('stays open to all who share a network with somebody who asks for sixty made-up addresses', async () => {
    const own = await open()
    const asked = { from: '192.0.2.77', key: own.keys.live.public }
    await own.customer('neighbour@example.com', own.keys.live.secret)
    await byOrder(own, 'stranger@example.com', { isSandbox: false })
    for (let index = 0; index < 61; index++) await own.askForLink(`made-up-${index}@example.com`, asked)
    for (const email of ['neighbour@example.com', 'stranger@example.com'])
      expect((await own.askForLink(email, asked)).status).toBe(200)
    expect(await out()).toEqual(['neighbour@example.com', 'stranger@example.com'])
  })

  it('mails sixty links an hour from a network to addresses that nobody stands for, with more for the wider ones, and to the others all the same', async () => {
    const own = await open()
    await own.customer('put-in@example.com')
    const from = (address: string, email: string) => own.askForLink(email, { from: address })
    await byOrder(own, 'first@example.com')
    await from('2001:db8:2::1', 'first@example.com')
    expect(await out()).toEqual(['first@example.com'])
    for (const [network, most] of [
      ['2001:db8:2:0::/64', 60],
      ['2001:db8:2:0::/56', 120],
      ['2001:db8:2::/48', 240],
    ] as const) {
      const counted = { merchant_id: own.id, subject: `login link sandbox from ${network}` }
      expect(await app.db.run(setCount, { ...counted, count: most - 1 })).toBe(1)
      const [last, over, elsewhere] = ['last', 'over', 'elsewhere'].map((name) => `${name}-${most}@example.com`) as [
        string,
        string,
        string,
      ]
      for (const email of [last, over, elsewhere]) await byOrder(own, email)
      await from('2001:db8:2::2', last)
      expect(await out()).toEqual([last])
      await from('2001:db8:2::3', over)
      await from('2001:db8:2::4', 'put-in@example.com')
      await from('192.0.2.98', elsewhere)
      expect(await out()).toEqual([elsewhere, 'put-in@example.com'])
      await app.db.run(setCount, { ...counted, count: 1 })
      app.clock.advance(60)
    }
  })

  it.each([
    ['live', 20],
    ['sandbox', 10],
  ] as const)(
    'mails so many links an hour to one address from wherever they are asked for, %s, and says in its log what it has not sent',
    async (mode, most) => {
      const own = await open()
      const { public: key, secret } = own.keys[mode]
      const isSandbox = mode === 'sandbox'
      await own.customer('flooded@example.com', secret)
      for (const name of ['stranger', 'stranger+a', 'flooded+a'])
        await byOrder(own, `${name}@example.com`, { isSandbox })
      for (let asked = 0; asked < most; asked++) await ask(own, key, 'flooded@example.com', 'stranger+a@example.com')
      expect((await out()).length).toBe(2 * most)
      // Of addresses that nobody stands for the whole mailbox counts, and not against one that somebody stands for.
      await ask(own, key, 'flooded@example.com', 'stranger@example.com', 'flooded+a@example.com')
      const warnings: unknown[][] = []
      const { mails } = await runLoginJobs(app, { goesOut: true, warn: (...said) => warnings.push(said) })
      expect(mails.map(({ to }) => to)).toEqual(['flooded+a@example.com'])
      const said = [{ merchantId: own.id, jobId: expect.any(String), sandbox: isSandbox }, expect.any(String)]
      expect(warnings).toEqual([said, said])
      expect(warnings[0]?.[1]).toMatch(/^A login link was not sent: too many went to this address/)
      expect(await jobsOf(app, own.id)).toEqual({ waiting: 0, failed: 0 })
      // The shop's own server has a budget of its own.
      await ask(own, secret, 'flooded@example.com')
      expect(await out()).toEqual(['flooded@example.com'])
      app.clock.advance(3_600)
      await ask(own, key, 'flooded@example.com')
      expect(await out()).toEqual(['flooded@example.com'])
    },
  )

  it('counts a link also where it could not be counted the first time', async () => {
    const own = await open()
    await byOrder(own, 'first@example.com')
    await ask(own, own.keys.sandbox.public, 'first@example.com')
    const { transaction } = app.db
    app.db.transaction = () => Promise.reject(new Error('The database is busy.'))
    const failed = await runLoginJobs(app, { goesOut: true }).finally(() => Object.assign(app.db, { transaction }))
    expect([failed.jobs, failed.mails, await app.db.many(counts, { merchant_id: own.id })]).toEqual([1, [], []])
    app.clock.advance(600)
    expect(await out()).toEqual(['first@example.com'])
    expect(await app.db.many(counts, { merchant_id: own.id })).toEqual([
      { subject: 'login link sandbox all', count: 1 },
    ])
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
      expect(await app.db.many(counts, { merchant_id: own.id })).toEqual([{ subject, count: 1 }])
      await app.db.run(setCount, { merchant_id: own.id, subject: subject, count: most - 1 })
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
      expect(await app.db.many(counts, { merchant_id: own.id })).toEqual([
        { subject, count: most },
        { subject: `login link ${mode} by server all`, count: 1 },
      ])
      await app.db.run(setCount, {
        merchant_id: own.id,
        subject: `login link ${mode} by server all`,
        count: mostByServer,
      })
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
    expect(await app.db.many(counts, { merchant_id: own.id })).toMatchObject([{ count: 1 }])
    expect(await out()).toEqual(['retried@example.com'])
    await byOrder(own, 'kept@example.com')
    expect((await own.askForLink('kept@example.com', {}, 'https://elsewhere.example/')).status).toBe(200)
    await runLoginJobs(app, { goesOut: true })
    await byOrder(own, 'outbox@example.com')
    await ask(own, own.keys.sandbox.public, 'outbox@example.com')
    await runLoginJobs(app)
    expect(await app.db.many(counts, { merchant_id: own.id })).toMatchObject([{ count: 1 }])
  })

  it('that mails links itself is told of no more of them than would be mailed', async () => {
    const own = await open()
    await own.set({ notifications: { customer: { login_token: false } } })
    for (const name of ['told', 'untold']) await byOrder(own, `${name}@example.com`)
    await own.customer('put-in@example.com')
    await ask(own, own.keys.sandbox.public, 'told@example.com')
    await out()
    await app.db.run(setCount, { merchant_id: own.id, subject: 'login link sandbox all', count: 200 })
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
      'select is_email_vouched from customers where merchant_id = :merchant_id and id = :id',
    )
    const change = (headers: Record<string, string>, email: string) =>
      app.call('PUT', `/v1/customers/${id}`, { body: { email }, headers })
    const isVouched = async () => (await app.db.one(vouched, { merchant_id: own.id, id })).is_email_vouched
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
