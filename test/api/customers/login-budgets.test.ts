// @sampled: the proof sends a thousand requests of strangers.
// How many login links a shop mails: to one address, from one network, and to addresses that nobody stands for.

import { expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { size } from '../../support/proof.ts'
import { selectRows, selectValue, setAttempts, sql } from '../../support/rows.ts'
import { jobsOf, openShop, runLoginJobs } from './login-support.ts'

const app = await testApp({ trustProxy: () => true })
type LoginShop = Awaited<ReturnType<typeof openShop>>

/** A customer whom anybody makes, by an order that costs nothing. */
const byOrder = (own: LoginShop, email: string, more: object = {}) =>
  app.db.run(insertOrdered, {
    merchant_id: own.id,
    email,
    traits: JSON.stringify({ is_sandbox: true, isPaid: true, value: 0, ...more }),
  })
const insertOrdered = sql`
  with made as (
    insert into customers (merchant_id, is_sandbox, id, email, email_key, created_at, updated_at)
    values (:merchant_id, (:traits::json ->> 'is_sandbox')::boolean, 'cstmr_' || :email, :email, :email, now(), now())
    on conflict do nothing
  )
  insert into orders (
    merchant_id, id, is_sandbox, checkout_id, attempt_id, body_digest, customer_id, customer_reference, email, content, currency,
    order_value, total_due, status_payment, status_fulfillment, paid_at, created_at, updated_at
  )
  values (
    :merchant_id, 'ord_' || :email, (:traits::json ->> 'is_sandbox')::boolean, 'chkt_' || :email, 'pay_' || :email, '', 'cstmr_' || :email, 'SHP-1', :email, '{}', 'USD',
    (:traits::json ->> 'value')::integer, 0, 'paid', 'fulfilled', case when (:traits::json ->> 'isPaid')::boolean then now() end, now(), now()
  )`
const countsOf = ({ id }: LoginShop) =>
  selectRows(
    app.db,
    'subject, count from attempts',
    { merchant_id: id },
    "and subject like 'login link % all' order by subject",
  )
const out = async () => (await runLoginJobs(app, { goesOut: true })).mails.map(({ to }) => to).sort()
const open = async () => {
  const own = await openShop(app)
  await own.set({ allowed_origins: ['https://shop.example'] })
  return own
}
const ask = async (own: LoginShop, key: string, ...emails: string[]) => {
  for (const email of emails) expect([email, (await own.askForLink(email, { key })).status]).toEqual([email, 200])
}

it('stays open to its customers however many links strangers ask for, also from the same network, and made-up addresses count for nothing', async () => {
  const own = await open()
  const key = own.keys.live.public
  const networks = Array.from({ length: size(1, 50) }, (_, index) => `2001:db8:${index.toString(16)}::1`)
  for (const [at, from] of networks.entries()) {
    const made = Array.from({ length: at === 0 ? 61 : 20 }, (_, index) => `made-up-${at}-${index}@example.com`)
    const asked = await Promise.all(made.map((email) => own.askForLink(email, { from, key })))
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200]))
  }
  await own.customer('honest@example.com', own.keys.live.secret)
  await own.customer('neighbour@example.com', own.keys.live.secret)
  await byOrder(own, 'stranger@example.com', { is_sandbox: false })
  await ask(own, key, 'honest@example.com')
  for (const email of ['neighbour@example.com', 'stranger@example.com'])
    expect((await own.askForLink(email, { from: networks[0] as string, key })).status).toBe(200)
  // A thousand jobs at a time.
  const mailed = [...(await out()), ...(await out())].sort()
  expect(mailed).toEqual(['honest@example.com', 'neighbour@example.com', 'stranger@example.com'])
  // Only the stranger's address counts: nobody stands for it.
  expect(await countsOf(own)).toEqual([{ subject: 'login link live all', count: 1 }])
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
    const count = (links: number) => setAttempts(app.db, own.id, `login link sandbox from ${network}`, links)
    expect(await count(most - 1)).toBe(1)
    const at = (name: string) => `${name}-${most}@example.com`
    const [last, over, elsewhere] = [at('last'), at('over'), at('elsewhere')]
    for (const email of [last, over, elsewhere]) await byOrder(own, email)
    await from('2001:db8:2::2', last)
    expect(await out()).toEqual([last])
    await from('2001:db8:2::3', over)
    await from('2001:db8:2::4', 'put-in@example.com')
    await from('192.0.2.98', elsewhere)
    expect(await out()).toEqual([elsewhere, 'put-in@example.com'])
    await count(1)
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
    const is_sandbox = mode === 'sandbox'
    await own.customer('flooded@example.com', secret)
    for (const name of ['stranger', 'stranger+a', 'flooded+a'])
      await byOrder(own, `${name}@example.com`, { is_sandbox })
    for (let asked = 0; asked < most; asked++) await ask(own, key, 'flooded@example.com', 'stranger+a@example.com')
    expect((await out()).length).toBe(2 * most)
    // The whole mailbox counts where nobody stands for the address, and not against one that somebody stands for.
    await ask(own, key, 'flooded@example.com', 'stranger@example.com', 'flooded+a@example.com')
    const warnings: unknown[][] = []
    const { mails } = await runLoginJobs(app, { goesOut: true, warn: (...said) => warnings.push(said) })
    expect(mails.map(({ to }) => to)).toEqual(['flooded+a@example.com'])
    const said = [{ merchant_id: own.id, jobId: expect.any(String), sandbox: is_sandbox }, expect.any(String)]
    expect(warnings).toEqual([said, said])
    expect(warnings[0]?.[1]).toMatch(/^A login link was not sent: the hourly limit was reached/)
    expect(await jobsOf(app, own.id)).toEqual({ waiting: 0, failed: 0 })
    // The shop's own server has a budget of its own.
    await ask(own, secret, 'flooded@example.com')
    expect(await out()).toEqual(['flooded@example.com'])
    app.clock.advance(3_600)
    await ask(own, key, 'flooded@example.com')
    expect(await out()).toEqual(['flooded@example.com'])
  },
)

it.each([
  ['live', false, 1_000, 5_000],
  ['sandbox', true, 200, 1_000],
] as const)(
  'mails so many links an hour to addresses that nobody stands for, %s; who bought, logged in or was put in gets theirs all the same',
  async (mode, is_sandbox, most, mostByServer) => {
    const own = await open()
    const key = own.keys[mode]
    const subject = `login link ${mode} all`
    for (const name of ['first', 'last', 'over', 'served', 'over-too'])
      await byOrder(own, `${name}@example.com`, { is_sandbox })
    await byOrder(own, 'unpaid@example.com', { is_sandbox, isPaid: false, value: 100 })
    await byOrder(own, 'bought@example.com', { is_sandbox, value: 100 })
    await byOrder(own, 'reader@example.com', { is_sandbox })
    // Where the shop's own mail goes.
    await byOrder(own, 'shop@example.com', { is_sandbox })
    await own.customer('put-in@example.com', key.secret)
    const token = await own.issueToken('reader@example.com', key.secret)
    expect((await own.exchange(token, { key: key.public })).status).toBe(200)

    await ask(own, key.public, 'first@example.com')
    expect(await out()).toEqual(['first@example.com'])
    expect(await countsOf(own)).toEqual([{ subject, count: 1 }])
    await setAttempts(app.db, own.id, subject, most - 1)
    await ask(own, key.public, 'last@example.com')
    expect(await out()).toEqual(['last@example.com'])

    await ask(own, key.public, 'over@example.com', 'unpaid@example.com', 'bought@example.com')
    await ask(own, key.public, 'reader@example.com', 'put-in@example.com', 'nobody@example.com', 'shop@example.com')
    // In the sandbox nobody pays, so that whoever bought there has shown nothing.
    const bought = is_sandbox ? [] : ['bought@example.com']
    expect(await out()).toEqual([...bought, 'put-in@example.com', 'reader@example.com', 'shop@example.com'])
    const left = (await own.tokens()).map(({ email_key }) => email_key)
    expect([left.includes('over@example.com'), left.includes('unpaid@example.com')]).toEqual([false, false])
    expect(await jobsOf(app, own.id)).toEqual({ waiting: 0, failed: 0 })

    // The shop's own server has another budget, and a greater one.
    await ask(own, key.secret, 'served@example.com')
    expect(await out()).toEqual(['served@example.com'])
    expect(await countsOf(own)).toEqual([
      { subject, count: most },
      { subject: `login link ${mode} by server all`, count: 1 },
    ])
    const byServer = `login link ${mode} by server all`
    await setAttempts(app.db, own.id, byServer, mostByServer)
    await ask(own, key.secret, 'over-too@example.com')
    expect(await out()).toEqual([])
    app.clock.advance(3_601)
    await ask(own, key.public, 'over@example.com')
    expect(await out()).toEqual(['over@example.com'])
  },
)

it('counts a link once, however often it is counted or its mail is tried, and none that is kept here', async () => {
  const own = await open()
  await byOrder(own, 'retried@example.com')
  await ask(own, own.keys.sandbox.public, 'retried@example.com')
  const { transaction } = app.db
  app.db.transaction = () => Promise.reject(new Error('The database is busy.'))
  const failed = await runLoginJobs(app, { goesOut: true }).finally(() => Object.assign(app.db, { transaction }))
  expect([failed.jobs, failed.mails, await countsOf(own)]).toEqual([1, [], []])
  const away = () => Promise.reject(new Error('The mail server is away.'))
  for (let time = 0; time < 3; time++) {
    app.clock.advance(600)
    await runLoginJobs(app, { goesOut: true, send: away })
  }
  expect(await countsOf(own)).toEqual([{ subject: 'login link sandbox all', count: 1 }])
  app.clock.advance(600)
  expect(await out()).toEqual(['retried@example.com'])
  await byOrder(own, 'kept@example.com')
  expect((await own.askForLink('kept@example.com', {}, 'https://elsewhere.example/')).status).toBe(200)
  await runLoginJobs(app, { goesOut: true })
  await byOrder(own, 'outbox@example.com')
  await ask(own, own.keys.sandbox.public, 'outbox@example.com')
  await runLoginJobs(app)
  expect(await countsOf(own)).toMatchObject([{ count: 1 }])
})

it('that mails links itself is told of no more of them than would be mailed', async () => {
  const own = await open()
  await own.set({ notifications: { customer: { login_token: false } } })
  for (const name of ['told', 'untold']) await byOrder(own, `${name}@example.com`)
  await own.customer('put-in@example.com')
  await ask(own, own.keys.sandbox.public, 'told@example.com')
  await out()
  await setAttempts(app.db, own.id, 'login link sandbox all', 200)
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
  const change = (headers: Record<string, string>, email: string) =>
    app.call('PUT', `/v1/customers/${id}`, { body: { email }, headers })
  const isVouched = () => selectValue(app.db, 'is_email_vouched', 'customers', { merchant_id: own.id, id })
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
