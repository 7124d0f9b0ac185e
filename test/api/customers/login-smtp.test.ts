// Login links through a real mail server, and what becomes of them while it is away, breaks off, or was never named.

import { beforeEach, describe, expect, it } from 'vitest'
import { loginMailJob } from '../../../src/api/customers/login/mail-job.ts'
import { sendReceipt } from '../../../src/api/orders/receipt.ts'
import { MailUnanswered } from '../../../src/mail/mailer.ts'
import { mailServer } from '../../mail/mail-server.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { changeRows, selectRows } from '../../support/rows.ts'
import { type Asked, jobsOf, openShop, runLoginJobs } from './login-support.ts'

const server = await mailServer()
const app = await testApp({ mailServer: server.settings(), trustProxy: () => true })
const shop = await openShop(app)
await shop.set({ allowed_origins: ['https://shop.example'] })

beforeEach(() => {
  server.deliveries.length = 0
})

const ask = async (email: string, asked?: Asked, baseUrl?: string) => {
  app.clock.advance(60)
  expect((await shop.askForLink(email, asked, baseUrl)).status).toBe(200)
}

async function runWorker(of: TestApp, merchant_id: number) {
  const worker = of.startJobs()
  await expect.poll(async () => (await jobsOf(of, merchant_id)).waiting).toBe(0)
  await worker.stop()
}

describe('a login link', () => {
  it('arrives by SMTP, in the name of the shop, and opens a session', async () => {
    const id = await shop.customer('Ada@example.com')
    await ask('ada@example.com')
    await runWorker(app, shop.id)
    const [delivery, ...others] = server.deliveries
    expect(others).toEqual([])
    expect(delivery).toMatchObject({
      from: 'noreply@service.example',
      to: ['Ada@example.com'],
      mail: { from: { name: 'Shop' }, replyTo: [{ address: 'shop@example.com' }], subject: '[Test] Log in to Shop' },
    })
    const [, token = ''] = /^https:\/\/shop\.example\/login\/(\w{40})$/m.exec(delivery?.mail.text ?? '') ?? []
    expect(delivery?.mail.html).toContain(`href="https://shop.example/login/${token}"`)
    expect((await shop.exchange(token)).body).toEqual({ customer_id: id, jwt: expect.any(String) })
  })

  it('is mailed beside the other jobs, as receipts are, and tried as long as any job', () => {
    const handlers = [loginMailJob(app as never), sendReceipt(app as never)]
    expect(handlers.map(({ lane, maxFailures, backoff }) => ({ lane, maxFailures, backoff }))).toEqual(
      Array(2).fill({ lane: 'mail' }),
    )
  })

  it('that was asked for again while the mail server was away is mailed once, at once; one to another page or from elsewhere is another', async () => {
    await shop.customer('eager@example.com')
    await shop.customer('eager@example.com', shop.keys.live.secret)
    const from = '192.0.2.1'
    app.clock.advance(3_600)
    await ask('eager@example.com', { from, key: shop.keys.live.public })
    await ask('eager@example.com', { from }, 'https://shop.example/first/{token}')
    const away = () => Promise.reject(new Error('The mail server is away.'))
    for (let failures = 0; failures < 10; failures++) {
      await runLoginJobs(app, { goesOut: true, send: away })
      app.clock.advance(3_600)
    }
    await runLoginJobs(app, { goesOut: true, send: away })
    expect(await jobsOf(app, shop.id)).toEqual({ waiting: 2, failed: 0 })
    // Both would wait some minutes more; the one that is asked for again does not.
    await ask('EAGER@example.com', { from }, 'https://shop.example/first/{token}')
    await ask('eager@example.com', { from }, 'https://shop.example/other/{token}')
    await ask('eager@example.com', { from: '192.0.2.2' }, 'https://shop.example/first/{token}')
    const { mails } = await runLoginJobs(app, { goesOut: true })
    expect(mails.map(({ is_sandbox, text }) => [is_sandbox, /shop\.example\/(\w+)/.exec(text)?.[1]])).toEqual([
      [true, 'first'],
      [true, 'other'],
      [true, 'first'],
    ])
    app.clock.advance(3_600)
    expect((await runLoginJobs(app, { goesOut: true })).mails.map(({ is_sandbox }) => is_sandbox)).toEqual([false])
    expect(await jobsOf(app, shop.id)).toEqual({ waiting: 0, failed: 0 })
  })

  it('that a server keeps taking without an answer is sent three times, and each of the three works', async () => {
    const id = await shop.customer('thrice@example.com')
    await ask('thrice@example.com')
    const [away, unanswered] = [new Error('The mail server is away.'), new MailUnanswered('No answer.')]
    const run = async (error: Error) => {
      const { mails } = await runLoginJobs(app, { goesOut: true, send: () => Promise.reject(error) })
      app.clock.advance(3_600)
      return mails.length
    }
    for (const error of [away, away, unanswered, away, unanswered]) expect(await run(error)).toBe(1)
    expect(await jobsOf(app, shop.id)).toEqual({ waiting: 1, failed: 0 })
    expect([await run(unanswered), await run(unanswered)]).toEqual([1, 0])
    expect(await jobsOf(app, shop.id)).toEqual({ waiting: 0, failed: 1 })
    expect((await shop.tokens()).filter(({ customer_id }) => customer_id === id).length).toBe(3)
  })
})

describe('without a mail server', () => {
  it('a live link can be read by nobody, not even in the database, and the start says that it is not sent', async () => {
    const keeping = await testApp({ trustProxy: () => true })
    const own = await openShop(keeping)
    await own.set({ allowed_origins: ['https://shop.example'] })
    for (const key of [own.keys.live, own.keys.sandbox]) {
      await own.customer('jane@example.com', key.secret)
      expect((await own.askForLink('jane@example.com', { key: key.public })).status).toBe(200)
    }
    await runWorker(keeping, own.id)
    const kept = 'is_sandbox, recipient, subject, body_text || body_html as body from mails'
    expect(await selectRows(keeping.db, kept, { merchant_id: own.id }, 'order by 1')).toEqual([
      { is_sandbox: false, recipient: 'jane@example.com', subject: 'Log in to Shop', body: '' },
      {
        is_sandbox: true,
        recipient: 'jane@example.com',
        subject: '[Test] Log in to Shop',
        body: expect.stringContaining('https://shop.example/login/'),
      },
    ])
    const said = (of: TestApp) => of.logged.filter((line) => line.includes('Live mails are not sent'))
    expect(said(keeping).map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn' }])
    expect(said(app)).toEqual([])
  })

  it('a shop whose address no mail program would write to is left without one', async () => {
    const keeping = await testApp({ trustProxy: () => true })
    const own = await openShop(keeping)
    const support_email = 'a\u202eb?bcc=c@shop'
    const change = 'update merchants set support_email = :support_email'
    await changeRows(keeping.db, change, { merchant_id: own.id }, { support_email })
    await own.customer('jane@example.com')
    await own.askForLink('jane@example.com')
    const { mails } = await runLoginJobs(keeping)
    expect(mails).toMatchObject([{ from: { name: 'Shop', replyTo: '' } }])
    expect(`${mails[0]?.text}${mails[0]?.html}`).not.toMatch(/bcc|Questions|mailto/)
  })
})
