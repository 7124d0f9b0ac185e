import { beforeEach, describe, expect, it } from 'vitest'
import { sendReceipt } from '../../../src/api/orders/receipt.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import type { Services } from '../../../src/http/endpoint/endpoint.ts'
import { claimJobs } from '../../../src/jobs/claim.ts'
import { LEASE } from '../../../src/jobs/lease.ts'
import { runJob } from '../../../src/jobs/run.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import { MailUnanswered } from '../../../src/mail/mailer.ts'
import { gate } from '../../http/harness.ts'
import { testLog } from '../../jobs/harness.ts'
import { mailServer, refusal } from '../../mail/mail-server.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { cloneDatabase } from '../../support/database.ts'
import { countRows, sql } from '../../support/rows.ts'
import { replyOf } from '../../support/shop.ts'
import { digitalBody, digital as digitalProduct, openCaptureShop } from '../checkouts/capture-support.ts'
import { digital, draftOf, openShop, physical, type Shop, WITHOUT_OWN_MAILS } from './support.ts'

const PUBLIC_URL = 'https://api.shop.example'
const server = await mailServer()
/** Keeps its mails. */
const connection = await cloneDatabase()
const keeping = await testApp({ connection, publicUrl: PUBLIC_URL })
/** Sends them, and does not know by which name it is reached. */
const sending = await testApp({ mailServer: server.settings(), trustProxy: () => true })

beforeEach(() => {
  server.deliveries.length = 0
  server.onRecipient = server.onMail = async () => undefined
})

type KeptMail = { to: string; text: string; html: string }

const outbox = async (shop: Pick<Shop, 'keys'>): Promise<KeptMail[]> => {
  const answer = await keeping.call('GET', '/v1/developer/outbox', { key: shop.keys.sandbox.secret })
  return (answer.body as { data: KeptMail[] }).data
}

const runningJobs = sql<{ count: number }>`
  select count(*) from jobs where merchant_id = :merchant_id and kind = 'orders.send_receipt' and is_running`
const waiting = (app: TestApp, { id }: Pick<Shop, 'id'>) =>
  countRows(app.db, 'jobs', { merchant_id: id, kind: 'orders.send_receipt' }, 'and failed_at is null')

/** Runs jobs until no receipt waits; `patience` moves the clock to where failed ones are tried again. */
async function runJobs(app: TestApp, shop: Pick<Shop, 'id'>, patience = 0) {
  const worker = app.startJobs()
  await expect
    .poll(
      async () => {
        // Not under a mail that is being sent: its lease would run out.
        if ((await app.db.one(runningJobs, { merchant_id: shop.id })).count === 0) app.clock.advance(patience)
        worker.poke()
        return waiting(app, shop)
      },
      { timeout: 60_000 },
    )
    .toBe(0)
  await worker.stop()
}

describe('a capture', () => {
  it('puts its receipt in with the order, and the outbox shows it', async () => {
    const shop = await openCaptureShop(keeping, { name: 'Corner Shop', ...WITHOUT_OWN_MAILS })
    const thing = await shop.product({ name: 'A <script>alert(1)</script> mug & more', ...digitalProduct })
    const token = await shop.token({ id: thing.id, quantity: 2 })
    const order = await shop.order(token, digitalBody({ customer: { email: 'Ada@Example.com', firstname: 'Ada' } }))
    expect(await waiting(keeping, shop)).toBe(1)
    await runJobs(keeping, shop)
    const [mail, ...others] = await outbox(shop)
    expect([mail, others]).toEqual([
      {
        id: expect.stringMatching(/^mail_[0-9A-Za-z]{26}$/),
        kind: 'receipt',
        to: 'Ada@Example.com',
        from: 'Corner Shop <shop@example.com>',
        subject: `[Test] Your order ${order.customer_reference} from Corner Shop`,
        text: expect.stringContaining('2 x A <script>alert(1)</script> mug & more: $20.00'),
        html: expect.stringContaining('A &lt;script&gt;alert(1)&lt;/script&gt; mug &amp; more'),
        created: Math.floor(keeping.clock.now().getTime() / 1_000),
      },
      [],
    ])
    expect(mail?.html).not.toContain('<script')
    expect(mail?.text).toContain('Visa ending in 4242: $20.00')
  })

  it('sends none where the merchant has switched them off; one that the merchant asks for is sent', async () => {
    const shop = await openShop(keeping, WITHOUT_OWN_MAILS)
    const off = { notifications: { customer: { orders: false } } }
    await keeping.call('PUT', '/v1/merchants', { key: shop.keys.sandbox.secret, body: off })
    const order = await shop.order()
    await runJobs(keeping, shop)
    expect(await outbox(shop)).toEqual([])
    // Whoever presses the button twice means one mail.
    for (let press = 0; press < 2; press++)
      expect(await replyOf(shop.call('POST', `/${order.id}/receipt`))).toEqual([200, { success: true }])
    await runJobs(keeping, shop)
    expect((await outbox(shop)).map(({ to }) => to)).toEqual(['jane@example.com'])
  })

  it('shows links to what can be downloaded, by the address that the operator has set', async () => {
    const shop = await openShop(keeping, WITHOUT_OWN_MAILS)
    const paid = await shop.order({ lines: [digital()] })
    await shop.order({ lines: [digital()] }, 'manual')
    await runJobs(keeping, shop)
    const mails = await outbox(shop)
    const linkIn = (order: Order) =>
      `${PUBLIC_URL}/fulfill/${shop.id}/${order.id}/${order.fulfillment.digital.downloads[0]?.packages[0]?.id}?`
    const [ofUnpaid, ofPaid] = mails.map(({ text }) => text)
    expect(ofPaid).toContain(linkIn(paid))
    expect(mails[1]?.html).toContain(linkIn(paid))
    expect(ofUnpaid).toContain('Manual payment, not paid yet: $10.00')
    expect(ofUnpaid).not.toContain('/fulfill/')
  })
})

describe('through a mail server', () => {
  const deliveredTo = () => server.deliveries.map(({ to }) => to)

  it('each receipt arrives once, in the name of the shop, also after failures', async () => {
    const shop = await openShop(sending, { name: 'Käse\r\nBcc: x@y.example', ...WITHOUT_OWN_MAILS })
    let failures = 0
    server.onRecipient = async () => {
      failures += 1
      if (failures <= 3) throw refusal(451)
    }
    await shop.order()
    await runJobs(sending, shop, 5)
    expect(server.deliveries).toMatchObject([
      {
        from: 'noreply@service.example',
        to: ['jane@example.com'],
        mail: {
          from: { name: 'Käse Bcc: x@y.example', address: 'noreply@service.example' },
          replyTo: [{ address: 'shop@example.com' }],
          subject: expect.stringMatching(/^\[Test\] Your order .* from Käse Bcc: x@y\.example$/),
          messageId: expect.stringMatching(/^<mail_[0-9A-Za-z]{26}@service\.example>$/),
        },
      },
    ])
    expect(failures).toBe(4)
  })

  it('a host that nobody has vouched for gets no link into the mail, also by the secret key; this machine does', async () => {
    const shop = await openShop(sending, WITHOUT_OWN_MAILS)
    const { addresses } = shop.owner
    const order = await shop.order({ lines: [digital()] }, 'card', {
      addresses: { ...addresses, origin: 'https://evil.example', lasting: { ...addresses.lasting, origin: '' } },
    })
    await runJobs(sending, shop)
    const resend = { key: shop.keys.sandbox.secret, headers: { host: 'evil.example' } }
    expect((await sending.call('POST', `/v1/orders/${order.id}/receipt`, resend)).status).toBe(200)
    await runJobs(sending, shop)
    expect(server.deliveries).toHaveLength(2)
    for (const { mail } of server.deliveries) {
      expect(mail.text).toContain('You find the download with your order in the shop.')
      expect(`${mail.text}${mail.html}`).not.toMatch(/evil\.example|fulfill|<img/)
    }
    await shop.call('POST', `/${order.id}/receipt`)
    await runJobs(sending, shop)
    expect(server.deliveries[2]?.mail.text).toContain(`http://localhost:80/fulfill/${shop.id}/${order.id}/`)
  })

  it('one that hangs holds up neither the API nor the other jobs (F15)', async () => {
    const settings = { ...WITHOUT_OWN_MAILS.settings, mails: { cancellations: false } }
    const shop = await openShop(sending, { settings })
    const held = gate()
    const hanging: string[] = []
    server.onRecipient = async (address) => {
      hanging.push(address)
      await held.opened
    }
    const { public: key, secret } = shop.keys.sandbox
    for (let at = 0; at < 4; at++) {
      const email = `login${at}@example.com`
      expect((await sending.call('POST', '/v1/customers', { key: secret, body: { email } })).status).toBe(201)
      const body = { email, base_url: 'http://localhost:3000/' }
      expect((await sending.call('POST', '/v1/customers/email-token', { key, body })).status).toBe(200)
    }
    const orders: Order[] = []
    for (let at = 0; at < 6; at++) {
      const customer = { ...draftOf().customer, email: `a${at}@example.com` }
      orders.push(await shop.order({ customer, lines: [physical()] }, at === 5 ? 'authorized' : 'card'))
    }
    const worker = sending.startJobs()
    await expect.poll(() => hanging.length).toBe(4)
    const [first, last] = [orders[0]?.id ?? '', orders[5]?.id ?? '']
    expect(await shop.call('POST', `/${first}/receipt`)).toMatchObject({ status: 200, body: { success: true } })
    const asked = { email: 'login4@example.com', base_url: 'http://localhost:3000/' }
    expect((await sending.call('POST', '/v1/customers/email-token', { key, body: asked })).status).toBe(200)
    // Lets go of the money that is held, by a job that has nothing to do with mail.
    expect((await shop.call('POST', `/${last}/cancel`, {})).status).toBe(200)
    const others = sql<{ count: number }>`
      select count(*) from jobs
      where merchant_id = :merchant_id and kind not in ('orders.send_receipt', 'customers.login_mail')`
    await expect
      .poll(
        async () => {
          worker.poke()
          return (await sending.db.one(others, { merchant_id: shop.id })).count
        },
        { timeout: 60_000 },
      )
      .toBe(0)
    const logins = [0, 1, 2, 3].map((at) => `login${at}@example.com`)
    expect([hanging.sort(), server.deliveries]).toEqual([logins, []])
    held.open()
    await expect.poll(() => server.deliveries.length).toBe(7 + 4)
    await worker.stop()
    expect(deliveredTo().flat().sort()).toEqual([...[0, 0, 1, 2, 3, 4, 5].map((at) => `a${at}@example.com`), ...logins])
  })

  it('a receipt that the server keeps taking without an answer is sent three times', async () => {
    const shop = await openShop(sending, WITHOUT_OWN_MAILS)
    await shop.order()
    let tries = 0
    const send = async () => {
      tries += 1
      throw tries % 2 === 0 ? new MailUnanswered('No answer.') : new Error('The mail server is away.')
    }
    const { db, clock } = sending
    const handler = sendReceipt({
      ...sending,
      publicUrl: null,
      signingSecret: signingSecrets(db, clock),
      mailer: { goesOut: true, send },
    } as unknown as Services)
    const log = testLog()
    while ((await waiting(sending, shop)) > 0) {
      clock.advance(3_600)
      const leasedUntil = new Date(clock.now().getTime() + LEASE.leaseMs)
      for (const job of await claimJobs(db, [handler.kind], 1, clock.now(), leasedUntil))
        await runJob({ db, clock, log, ...LEASE, activeRuns: new Set() }, handler, job, leasedUntil)
    }
    expect(tries).toBe(6)
    expect(log.lines.at(-1)).toMatchObject({
      level: 'error',
      details: { attempt: 6, err: { message: 'No answer. It was sent 3 times and is not sent again.' } },
    })
  })

  it('one whose job dies after it was taken comes again with the same Message-ID', async () => {
    const shop = await openShop(sending, WITHOUT_OWN_MAILS)
    const takeAway = sql`
      update jobs set is_running = false, claim = claim + 1, due_at = :due_at where merchant_id = :merchant_id`
    let deaths = 1
    server.onMail = async () => {
      // As after a kill: another has the job by the time this run wants to end it.
      if (deaths-- > 0) await sending.db.run(takeAway, { merchant_id: shop.id, due_at: sending.clock.now() })
    }
    await shop.order()
    await runJobs(sending, shop)
    const ids = server.deliveries.map(({ mail }) => mail.messageId)
    expect([ids.length, new Set(ids).size]).toEqual([2, 1])
  })
})
