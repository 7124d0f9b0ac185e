// How the mails of a shop are sent, what each looks like, and the one by which a mail server is tried.

import { beforeEach, describe, expect, it } from 'vitest'
import { MAIL_KINDS } from '../../../src/mail/previews.ts'
import { mailServer, refusal } from '../../mail/mail-server.ts'
import { testApp } from '../../support/app.ts'
import { bodyOf, openShop } from '../../support/shop.ts'

const server = await mailServer()
const app = await testApp({ mailServer: server.settings() })
const silent = await testApp()

beforeEach(() => {
  server.deliveries.length = 0
  server.onRecipient = async () => undefined
})

const open = async (of = app, draft = {}) => {
  const shop = await openShop(of, draft)
  const { secret } = shop.keys.sandbox
  return {
    ...shop,
    test: (body: object, key = secret) => shop.call('POST', 'developer/test-mail', body, key),
    setup: () => shop.succeed(200, 'GET', 'developer/mail', undefined, secret),
    preview: (kind: string) => shop.call('GET', `developer/mail/${kind}`, undefined, secret),
  }
}

describe('the setup of mails', () => {
  it('tells who sends them and where answers go', async () => {
    const shop = await open()
    expect(await shop.setup()).toEqual({
      is_sent: true,
      from: 'noreply@service.example',
      from_name: 'Shop',
      reply_to: 'shop@example.com',
      merchant_email: 'shop@example.com',
    })
    await shop.settings({ notifications: { merchant: { email: 'orders@shop.example' } } })
    expect(await shop.setup()).toMatchObject({ merchant_email: 'orders@shop.example' })
  })

  it('tells that there is no mail server', async () => {
    expect(await (await open(silent)).setup()).toMatchObject({ is_sent: false, from: null, from_name: 'Shop' })
  })
})

describe('previews', () => {
  it.each(MAIL_KINDS)('of %s are in the name, the colours and the currency of the shop', async (kind) => {
    const shop = await open(silent, { currency: 'EUR', name: 'Tinte & Papier' })
    await shop.settings({ colors: { accent: '#0a5c36' } })
    const { status, body } = await shop.preview(kind)
    const mail = body as { kind: string; subject: string; text: string; html: string }
    expect([status, mail.kind]).toEqual([200, kind])
    expect(mail.text).toContain('Tinte & Papier')
    expect(mail.html).toContain('Tinte &amp; Papier')
    if (kind === 'login' || kind === 'shipment') expect(mail.html).toContain('#0a5c36')
    if (!['login', 'shipment', 'order_digest', 'declines'].includes(kind)) expect(mail.text).toContain('€')
    expect(mail.subject).not.toContain('[Test]')
  })
})

describe('a test mail', () => {
  it('arrives, and says what the server said', async () => {
    const shop = await open()
    expect(bodyOf(200, await shop.test({ to: ' Ada@example.com ' }))).toEqual({
      to: 'Ada@example.com',
      kind: 'test',
      is_sent: true,
      message:
        'The mail server has accepted the mail. It should arrive within a minute; if not, check the spam folder.',
    })
    expect(server.deliveries).toMatchObject([
      {
        from: 'noreply@service.example',
        to: ['Ada@example.com'],
        mail: {
          from: { name: 'Shop' },
          replyTo: [{ address: 'shop@example.com' }],
          subject: '[Test] A test mail of Shop',
        },
      },
    ])
  })

  it('of every kind is marked as a test, also of a live key', async () => {
    const shop = await open()
    for (const [index, kind] of MAIL_KINDS.entries())
      expect((await shop.test({ to: `ada${index}@example.com`, kind })).body).toMatchObject({ kind, is_sent: true })
    expect(server.deliveries.map(({ mail }) => mail.subject?.startsWith('[Test] '))).toEqual(MAIL_KINDS.map(() => true))
  })

  it('that is refused says so in words, without the address', async () => {
    const shop = await open()
    server.onRecipient = () => Promise.reject(refusal(550))
    expect((await shop.test({ to: 'nobody@example.com' })).body).toEqual({
      to: 'nobody@example.com',
      kind: 'test',
      is_sent: false,
      message: 'The mail server refused the mail permanently: it answered 550 5.1.1 to RCPT TO.',
    })
    server.onRecipient = () => Promise.reject(refusal(451, '4.7.1 later'))
    expect((await shop.test({ to: 'nobody@example.com' })).body).toMatchObject({
      is_sent: false,
      message: 'The mail server did not accept the mail: it answered 451 4.7.1 to RCPT TO.',
    })
  })

  it('says that the mail server cannot be reached', async () => {
    const gone = await testApp({ mailServer: { ...server.settings(), url: 'smtp://127.0.0.1:1' } })
    expect((await (await open(gone)).test({ to: 'ada@example.com' })).body).toMatchObject({
      is_sent: false,
      message: expect.stringMatching(/^The mail server cannot be reached: /),
    })
  })

  it('goes to one mailbox five times an hour, however it is written, and to all twenty times', async () => {
    const shop = await open()
    const other = await open()
    const to = ['ada@example.com', 'ADA@example.com', 'ada+1@example.com', 'ada+2@example.com', 'ada@example.com']
    for (const address of to) expect((await shop.test({ to: address })).status).toBe(200)
    const refused = await shop.test({ to: 'Ada+3@example.com' })
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, expect.any(String)])
    expect((await other.test({ to: 'ada@example.com' })).status).toBe(200)
    for (let index = 0; index < 15; index++)
      expect((await shop.test({ to: `person${index}@example.com` })).status).toBe(200)
    expect((await shop.test({ to: 'last@example.com' })).status).toBe(429)
    expect(server.deliveries).toHaveLength(21)
    app.clock.advance(3_601)
    expect((await shop.test({ to: 'last@example.com' })).status).toBe(200)
  })
})
