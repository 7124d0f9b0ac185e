// POST /v1/customers/email-token, and the job that makes the link and mails it.

import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { sweepLoginTokens } from '../../../src/api/customers/login/store.ts'
import { MailRefused } from '../../../src/mail/mailer.ts'
import { testApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { replyOf } from '../../support/shop.ts'
import { statementsOf } from '../statements.ts'
import { toldOf } from '../words.ts'
import { BASE_URL, jobsOf, openShop, runLoginJobs, tokenIn } from './login-support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const { sandbox, live } = shop.keys
const later = (seconds: number) => new Date(app.clock.now().getTime() + seconds * 1_000)
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const refusal = (type: string, field: string, sentence: string) => [
  422,
  { error: toldOf({ type, message: sentence, errors: { [field]: [sentence] } }), status_code: 422 },
]

describe('an address', () => {
  it('that is known is mailed a link with a token, of which only the hash is kept', async () => {
    const id = await shop.customer('Known@Example.com')
    const { status, headers, body } = await shop.askForLink(' KNOWN@example.COM')
    expect([status, headers['cache-control'], body]).toEqual([200, 'no-store', { success: true }])
    // The 15 minutes begin when the link is made.
    app.clock.advance(3_600)
    const { mails } = await runLoginJobs(app)
    const [mail] = mails
    expect(mails).toEqual([
      {
        merchant_id: shop.id,
        is_sandbox: true,
        kind: 'login',
        id: expect.stringMatching(/^mail_[0-9A-Za-z]{26}$/),
        to: 'Known@Example.com',
        from: { name: 'Shop', replyTo: 'shop@example.com' },
        subject: '[Test] Log in to Shop',
        text: expect.stringContaining('within the next 15 minutes'),
        html: expect.stringContaining(`https://shop.example/login/${tokenIn(mail)}`),
      },
    ])
    const token = tokenIn(mail)
    expect(await shop.tokens()).toEqual([
      { hash: sha256(token), customer_id: id, email_key: 'known@example.com', expires_at: later(900) },
    ])
    expect(await shop.events()).toEqual([
      {
        name: 'customers.login.token',
        kind: 'login_token_event',
        sandbox: true,
        payload: { success: true, email: 'Known@Example.com', url: null },
      },
    ])
    expect(await jobsOf(app, shop.id)).toEqual({ waiting: 0, failed: 0 })
  })

  it('that is unknown gets the same bytes and takes the same statements, and no mail', async () => {
    await shop.customer('there@example.com')
    // A live customer is none of the sandbox, nor is another shop's.
    await shop.customer('elsewhere@example.com', live.secret)
    const other = await openShop(app)
    await other.customer('elsewhere@example.com')
    const texts: string[] = []
    const sent = async (email: string) => {
      return statementsOf(async () => {
        const { status, text } = await shop.askForLink(email)
        texts.push(`${status} ${text}`)
      })
    }
    const forKnown = await sent('there@example.com')
    expect(forKnown).toEqual(['begin', 'request_limits.take', 'jobs.enqueue', 'commit'])
    expect((await runLoginJobs(app)).mails).toHaveLength(1)
    expect(await sent('elsewhere@example.com')).toEqual(forKnown)
    expect(await sent('nobody@example.com')).toEqual(forKnown)
    expect(new Set(texts)).toEqual(new Set(['200 {"success":true}']))
    expect(await runLoginJobs(app)).toEqual({ mails: [], jobs: 2 })
  })
})

describe('base_url', () => {
  it('takes the token where {token} stands, else behind the path', async () => {
    await shop.customer('links@example.com')
    const links = [
      ['https://a.example/', 'https://a.example/T'],
      ['https://a.example/in/', 'https://a.example/in/T'],
      ['https://a.example/in?from=mail#top', 'https://a.example/in/T?from=mail#top'],
      ['https://a.example?t={token}', 'https://a.example/?t=T'],
      ['https://a.example/{token}/x?t={token}#{token}', 'https://a.example/T/x?t=T#T'],
      ['https://a.example/#/in/%7Btoken%7d', 'https://a.example/#/in/T'],
      ['HTTPS://A.Example:443/In', 'https://a.example/In/T'],
      ['http://localhost:3000/é/{token}', 'http://localhost:3000/%C3%A9/T'],
      ['https://a.example//evil.example/', 'https://a.example//evil.example/T'],
    ] as const
    for (const [base, link] of links) {
      app.clock.advance(3_600)
      const { status } = await shop.askForLink('links@example.com', {}, base)
      const { mails } = await runLoginJobs(app)
      const [shown = ''] = /https?:\S+/.exec(mails[0]?.text ?? '') ?? []
      expect([base, status, shown.replaceAll(/[0-9A-Za-z]{40}/g, 'T')]).toEqual([base, 200, link])
    }
  })

  it.each([
    '/login/{token}',
    'https:shop.example',
    'https://shop.example@evil.example/',
    'https://shop.example/\n{token}',
    'javascript:alert(1)//https://shop.example',
    'https://{token}.example/',
    'https://shop.example:{token}/',
  ])('is refused when it is no http address as it stands: %j', async (baseUrl) => {
    const sentence =
      'base_url must be an absolute http or https address such as https://shop.example/login/{token}, without a user, blanks or backslashes.'
    const answer = await shop.askForLink('links@example.com', {}, baseUrl)
    expect([answer.status, answer.body]).toEqual(refusal('unprocessable_entity', 'base_url', sentence))
  })

  it('must have a registered origin, exactly, with a live key', async () => {
    await shop.customer('live@example.com', live.secret)
    const sentence =
      "With a live key, base_url must begin with one of the shop's allowed_origins; the merchant sets them with PUT /v1/merchants."
    const answers = (baseUrl: string, key: string) => {
      app.clock.advance(3_600)
      return replyOf(shop.askForLink('live@example.com', { key }, baseUrl))
    }
    const refused = refusal('not_valid', 'base_url', sentence)
    expect(await answers(BASE_URL, live.public)).toEqual(refused)
    expect(await answers(BASE_URL, live.secret)).toEqual(refused)
    await shop.set({ allowed_origins: ['https://shop.example', 'http://localhost:3000', 'https://shöp.example'] })

    for (const baseUrl of [
      'https://shop.example.evil.example/',
      'https://evil.example#https://shop.example',
      'https://shop.example:8443/',
      'http://shop.example/',
      'http://localhost/',
    ])
      expect([baseUrl, await answers(baseUrl, live.public)]).toEqual([baseUrl, refused])
    expect(await runLoginJobs(app)).toEqual({ mails: [], jobs: 0 })

    for (const baseUrl of [BASE_URL, 'HTTPS://SHOP.example:443/in', 'https://xn--shp-tna.example/']) {
      expect([baseUrl, await answers(baseUrl, live.public)]).toEqual([baseUrl, [200, { success: true }]])
      expect((await runLoginJobs(app)).mails).toMatchObject([{ to: 'live@example.com', is_sandbox: false }])
    }
    expect(await answers('https://evil.example/', sandbox.public)).toEqual([200, { success: true }])
    // Nobody of the sandbox has that address.
    expect(await runLoginJobs(app)).toEqual({ mails: [], jobs: 1 })
  })
})

describe('the mail of a link', () => {
  const ask = async (email: string) => {
    app.clock.advance(3_600)
    expect((await shop.askForLink(email)).status).toBe(200)
  }
  const tokensOf = async (id: string) => (await shop.tokens()).filter(({ customer_id }) => customer_id === id)

  it('that could not be sent leaves no token, and is tried again with another', async () => {
    const id = await shop.customer('down@example.com')
    await ask('down@example.com')
    const first = await runLoginJobs(app, { send: () => Promise.reject(new Error('The mail server is away.')) })
    expect(first.mails).toHaveLength(1)
    expect([await tokensOf(id), await jobsOf(app, shop.id)]).toEqual([[], { waiting: 1, failed: 0 }])
    app.clock.advance(60)
    const second = await runLoginJobs(app)
    const [sent, again] = [tokenIn(first.mails[0]), tokenIn(second.mails[0])]
    expect([sent.length, again.length, sent === again]).toEqual([40, 40, false])
    expect(first.mails[0]?.id).not.toBe(second.mails[0]?.id)
    expect((await tokensOf(id)).map(({ hash }) => hash)).toEqual([sha256(again)])
    expect(await jobsOf(app, shop.id)).toEqual({ waiting: 0, failed: 0 })
  })

  it('that is refused for good is not tried again', async () => {
    const id = await shop.customer('gone@example.com')
    await ask('gone@example.com')
    await runLoginJobs(app, { send: () => Promise.reject(new MailRefused('No such mailbox.')) })
    expect([await tokensOf(id), await jobsOf(app, shop.id)]).toEqual([[], { waiting: 0, failed: 1 }])
  })

  it('is left to the merchant who has switched it off: the event has the link', async () => {
    await shop.set({ notifications: { customer: { login_token: false } } })
    const id = await shop.customer('hook@example.com')
    await ask('hook@example.com')
    expect(await runLoginJobs(app)).toEqual({ mails: [], jobs: 1 })
    const { payload, ...event } = (await shop.events()).at(-1) ?? {}
    expect(event).toEqual({ name: 'customers.login.token', kind: 'login_token_event', sandbox: true })
    const { url } = payload as { url: string }
    expect(payload).toEqual({ success: true, email: 'hook@example.com', url })
    const token = url.replace('https://shop.example/login/', '')
    expect(await tokensOf(id)).toEqual([
      { hash: sha256(token), customer_id: id, email_key: 'hook@example.com', expires_at: later(900) },
    ])
    expect((await shop.exchange(token)).body).toMatchObject({ customer_id: id })

    const before = (await shop.events()).length
    await ask('unknown@example.com')
    expect(await runLoginJobs(app)).toEqual({ mails: [], jobs: 1 })
    expect((await shop.events()).length).toBe(before)
    await shop.set({ notifications: { customer: { login_token: true } } })
  })

  it('ends with the merchant', async () => {
    const other = await openShop(app)
    await other.customer('bereft@example.com')
    await other.askForLink('bereft@example.com')
    await app.db.run(sql`delete from merchants where merchant_id = :merchant_id`, {
      merchant_id: other.id,
    })
    expect(await runLoginJobs(app)).toEqual({ mails: [], jobs: 1 })
    expect(await jobsOf(app, other.id)).toEqual({ waiting: 0, failed: 0 })
  })

  it('shows no picture from an address that only the request named, whether it goes out or is kept', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    const file = { filename: 'logo.png', contents: png }
    const logo = await shop.succeed<{ id: string }>(201, 'POST', 'assets', file, { key: sandbox.secret })
    await shop.set({ logo: logo.id, allowed_origins: ['https://shop.example'] })
    await shop.customer('picture@example.com')
    await shop.customer('picture@example.com', live.secret)
    const picture = async (key: string, options: { publicUrl?: string; goesOut: boolean }, host = 'evil.example') => {
      app.clock.advance(3_600)
      await shop.askForLink('picture@example.com', { key, headers: { host } })
      const { mails } = await runLoginJobs(app, options)
      expect(mails).toHaveLength(1)
      return / src="(https?:\/\/[^/"]+)/.exec(mails[0]?.html ?? '')?.[1] ?? null
    }
    for (const key of [live.public, sandbox.public]) {
      expect(await picture(key, { goesOut: true })).toBe(null)
      expect(await picture(key, { goesOut: false })).toBe(null)
      for (const goesOut of [true, false])
        expect(await picture(key, { goesOut }, 'localhost:4000')).toMatch(/^https?:\/\/localhost:4000$/)
      expect(await picture(key, { goesOut: true, publicUrl: 'https://api.example' })).toBe('https://api.example')
    }
  })

  it('goes out of the sandbox only where its link leads to the shop or to this machine, and is kept otherwise', async () => {
    const other = await openShop(app)
    await other.set({ allowed_origins: ['https://shop.example'] })
    const id = await other.customer('stranger@example.com')
    await other.customer('stranger@example.com', other.keys.live.secret)
    type Outbox = { data: { to: string; text: string }[] }
    const asked = { key: other.keys.sandbox.secret }
    const outbox = async () => (await other.succeed<Outbox>(200, 'GET', 'developer/outbox', undefined, asked)).data
    const sent = async (baseUrl: string, key = other.keys.sandbox.public) => {
      app.clock.advance(3_600)
      expect((await other.askForLink('stranger@example.com', { key }, baseUrl)).status).toBe(200)
      const before = (await outbox()).length
      const { mails, jobs } = await runLoginJobs(app, { goesOut: true })
      expect([jobs, mails.length + (await outbox()).length - before]).toEqual([1, 1])
      return mails.map(({ subject }) => subject)
    }
    for (const origin of ['https://shop.example', 'http://localhost:3000'])
      expect([origin, await sent(`${origin}/in/{token}`)]).toEqual([origin, ['[Test] Log in to Shop']])
    for (const origin of [
      'https://evil.example',
      'http://shop.example',
      'https://localhost.evil.example',
      'http://192.168.0.1',
    ])
      for (const key of [other.keys.sandbox.public, other.keys.sandbox.secret])
        expect([origin, await sent(`${origin}/in/{token}`, key)]).toEqual([origin, []])
    const [newest] = await outbox()
    const [, token = ''] = /192\.168\.0\.1\/in\/([0-9A-Za-z]{40})\n/.exec(newest?.text ?? '') ?? []
    expect((await other.exchange(token)).body).toMatchObject({ customer_id: id })
    expect((await other.events()).at(-1)?.payload).toEqual({ success: true, email: 'stranger@example.com', url: null })
    // Live ones lead to the shop in any case, and are no tests.
    expect(await sent(BASE_URL, other.keys.live.public)).toEqual(['Log in to Shop'])
  })
})

it('tokens that nobody used in time are swept', async () => {
  app.clock.advance(3_600)
  expect((await shop.tokens()).length).toBeGreaterThan(0)
  await shop.customer('kept@example.com')
  const token = await shop.issueToken('kept@example.com')
  await sweepLoginTokens.run({ db: app.db, clock: app.clock, signal: new AbortController().signal })
  expect((await shop.tokens()).map(({ hash }) => hash)).toEqual([sha256(token)])
})
