// Mails about what becomes of an order: to the customer at a shipment, a refund and a cancellation, to the merchant at each order. Each once,
// put in with the change, sent by a job, and not at all where the shop has switched it off.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { sweepUnpaidOrders } from '../../../src/api/payments/expire.ts'
import { recordOutsideRefund, recordRefundFailure } from '../../../src/api/payments/notices/refunds.ts'
import { mailCommand as preview } from '../../../src/cli/mail/mail.ts'
import { readConfig } from '../../../src/config.ts'
import type { Services } from '../../../src/http/endpoint/endpoint.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import { onCheckpoint } from '../../../src/lib/checkpoint.ts'
import { mailServer } from '../../mail/mail-server.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { cloneDatabase, urlOf } from '../../support/database.ts'
import { countRows } from '../../support/rows.ts'
import type { Draft } from '../../support/shop.ts'
import { appWithRefunds, digital, openShop, physical, runOrderJobs, type Shop } from './support.ts'

const PUBLIC_URL = 'https://api.shop.example'
const server = await mailServer()

beforeEach(() => {
  gateways.refund = null
  server.deliveries.length = 0
})

const connection = await cloneDatabase()
/** Keeps its mails. */
const { app: keeping, gateways } = await appWithRefunds({ connection, publicUrl: PUBLIC_URL })
/** Sends them. */
const sending = await testApp({ mailServer: server.settings(), trustProxy: () => true })

type KeptMail = { kind: string; to: string; from: string; subject: string; text: string; html: string }

/** Oldest first. */
async function allMailsOf(shop: Shop): Promise<KeptMail[]> {
  await runOrderJobs(keeping, shop.id)
  const { body } = await keeping.call('GET', '/v1/developer/outbox', { key: shop.keys.sandbox.secret })
  return (body as { data: KeptMail[] }).data.toReversed()
}

/** Without receipts, which are another test's. */
const mailsOf = async (shop: Shop) => (await allMailsOf(shop)).filter(({ kind }) => kind !== 'receipt')

/** Those to customers. */
const toldOf = async (shop: Shop) => (await mailsOf(shop)).filter(({ kind }) => kind !== 'new_order')

const onlyOf = (mails: KeptMail[]) => {
  expect(mails).toHaveLength(1)
  return mails[0]
}

const open = (draft: Draft = {}) => openShop(keeping, { name: 'Corner Shop', ...draft })

const MUG = physical({ quantity: 2 })

const waitingMails = (app: TestApp, { id }: Pick<Shop, 'id'>) =>
  countRows(app.db, 'jobs', { merchant_id: id, kind: 'orders.send_mail' })

it('a shipment is told once, with what is in it and where to follow it; each parcel by a mail of its own', async () => {
  const shop = await open()
  const order = await shop.order({ lines: [MUG] })
  const tracking = {
    carrier: 'ups',
    carrier_name: 'UPS <b>',
    tracking_number: '1Z999',
    tracking_url: 'https://carrier.example/?a=1&n=1Z999',
  }
  expect((await shop.ship(order, 1, tracking)).status).toBe(201)
  const first = onlyOf(await toldOf(shop))
  expect(first).toMatchObject({
    kind: 'shipment',
    to: 'jane@example.com',
    from: 'Corner Shop <shop@example.com>',
    subject: `[Test] Part of your order ${order.customer_reference} from Corner Shop is on its way`,
  })
  expect(first?.text).toContain('IN THIS PARCEL\n1 x Mug\n')
  expect(first?.text).toContain('Carrier: UPS <b>\nTracking number: 1Z999\n')
  expect(first?.text).toContain('Follow the parcel:\nhttps://carrier.example/?a=1&n=1Z999\n')
  expect(first?.text).toContain('STILL TO COME\n1 x Mug\n')
  expect(first?.html).toContain('href="https://carrier.example/?a=1&amp;n=1Z999"')
  expect(first?.html).toContain('UPS &lt;b&gt;')

  expect((await shop.ship(order, 1)).status).toBe(201)
  // A second press finds nothing left to ship.
  expect((await shop.ship(order, 1)).status).toBe(422)
  const [, second, ...rest] = await toldOf(shop)
  expect([second?.subject, rest]).toEqual([
    `[Test] Part of your order ${order.customer_reference} from Corner Shop is on its way`,
    [],
  ])
  expect(second?.text).not.toMatch(/STILL TO COME|Carrier|Follow/)
})

describe('a refund', () => {
  it('is told with how much, to where and of what, when its money has gone back, and not before; a refused one is not', async () => {
    const shop = await open()
    const order = await shop.order({ lines: [MUG] })
    await runOrderJobs(keeping, shop.id)
    const items = [{ line_item_id: 'item_mug', quantity: 1 }]
    gateways.refund = async () => ({ kind: 'declined', message: 'no' })
    expect((await shop.call('POST', `/${order.id}/refund`, { items })).status).toBe(402)
    gateways.refund = () => Promise.reject(new Error('down'))
    expect((await shop.call('POST', `/${order.id}/refund`, { items })).status).toBe(504)
    expect(await waitingMails(keeping, shop)).toBe(0)
    gateways.refund = null
    const mail = onlyOf(await toldOf(shop))
    expect(mail).toMatchObject({
      kind: 'refund',
      to: 'jane@example.com',
      subject: `[Test] Refund for your order ${order.customer_reference} from Corner Shop`,
    })
    expect(mail?.text).toContain('We have refunded part of your order\n')
    expect(mail?.text).toContain('We have given back $10.00 USD.\n')
    expect(mail?.text).toContain('Visa ending in 4242: $10.00\n')
    expect(mail?.text).toContain('WHAT IT IS FOR\n1 x Mug\n')
  })

  it('of all is told as all; pressed twice at once it is one', async () => {
    const shop = await open()
    const order = await shop.order({ lines: [MUG] })
    const presses = await Promise.all([1, 2].map(() => shop.call('POST', `/${order.id}/refund`, {})))
    expect(presses.map(({ status }) => status).toSorted()[0]).toBe(200)
    const mails = await toldOf(shop)
    expect(mails.map(({ kind }) => kind)).toEqual(['refund'])
    expect(mails[0]?.text).toContain('We have given back $20.00 USD, which is all that you paid.\n')
    expect(mails[0]?.text).not.toContain('WHAT IT IS FOR')
  })

  it('that dies while it is recorded is told once, when it has been', async () => {
    const shop = await open()
    const order = await shop.order({ lines: [MUG] })
    await runOrderJobs(keeping, shop.id)
    onCheckpoint((name) => {
      // The transaction that has written the answer, and put the mail in, is rolled back.
      if (name === 'orders.refund_recording') throw new Error('killed')
    })
    expect((await shop.call('POST', `/${order.id}/refund`, { amount: 5 })).status).toBe(500)
    onCheckpoint(null)
    expect(await waitingMails(keeping, shop)).toBe(0)
    expect((await toldOf(shop)).map(({ kind }) => kind)).toEqual(['refund'])
    expect((await shop.get(order.id)).refunds).toHaveLength(1)
  })

  it('that was made at the provider is told too, once; one that has failed before its mail is not', async () => {
    const shop = await open()
    const order = await shop.order({ lines: [MUG] })
    const charge = order.transactions[0]
    const of = {
      gateway: 'test_gateway',
      chargeId: charge?.gateway_transaction_id ?? '',
      currency: 'USD',
      reason: null,
    }
    const note = (refundId: string, amount: number) =>
      recordOutsideRefund(keeping, shop.owner, order.id, { ...of, refundId, amount })
    expect([await note('re_1', 500), await note('re_1', 500)]).toEqual(['recorded', 'known'])
    expect(await note('re_2', 700)).toBe('recorded')
    const failed = { gateway: 'test_gateway', refundId: 're_2', reason: 'The account is closed.' }
    expect(await recordRefundFailure(keeping, shop.owner, order.id, failed)).toBe('recorded')
    const mails = await toldOf(shop)
    expect(mails.map(({ kind }) => kind)).toEqual(['refund'])
    expect(mails[0]?.text).toContain('We have given back $5.00 USD.\n')
  })
})

describe('a cancellation', () => {
  it('that gives money back is one mail, which tells both', async () => {
    const shop = await open()
    const order = await shop.order({ lines: [MUG] })
    const cancel = () => shop.call('POST', `/${order.id}/cancel`, { refund: true, reason: 'Looks like fraud.' })
    const presses = await Promise.all([cancel(), cancel()])
    expect(presses.map(({ status }) => status)).toContain(200)
    const mail = onlyOf(await toldOf(shop))
    expect(mail).toMatchObject({
      kind: 'cancellation',
      to: 'jane@example.com',
      subject: `[Test] Your order ${order.customer_reference} from Corner Shop has been cancelled`,
    })
    expect(mail?.text).toContain('What you paid has been given back.\n')
    expect(mail?.text).toContain('Visa ending in 4242: $20.00\n')
    // What the merchant notes down is not for the customer.
    expect(`${mail?.text}${mail?.html}`).not.toContain('fraud')
  })

  it('tells of the refund alone where only cancellations are switched off', async () => {
    const shop = await open({ settings: { mails: { cancellations: false } } })
    const order = await shop.order({ lines: [MUG] })
    expect((await shop.call('POST', `/${order.id}/cancel`, { refund: true })).status).toBe(200)
    expect((await toldOf(shop)).map(({ kind }) => kind)).toEqual(['refund'])
  })

  it('of what was not paid says that nothing is to be paid, or that held money is let go', async () => {
    const shop = await open()
    for (const [paidBy, sentence] of [
      ['manual', 'You do not have to pay for it any more.\n'],
      ['authorized', 'You pay nothing: the money that was held for it is released, which can take some days.\n'],
    ] as const) {
      const order = await shop.order({ lines: [MUG] }, paidBy)
      expect((await shop.call('POST', `/${order.id}/cancel`, {})).status).toBe(200)
      const mails = await toldOf(shop)
      expect(mails.at(-1)?.text).toContain(sentence)
    }
    expect(await toldOf(shop)).toHaveLength(2)
  })

  it('by itself, of an order that was not paid in time, says so', async () => {
    const shop = await open({ settings: { orders: { unpaid_expire_after_hours: 1 } } })
    await shop.order({ lines: [MUG] }, 'manual')
    keeping.clock.advance(3_600)
    const services = {
      signingSecret: signingSecrets(keeping.db, keeping.clock),
      publicUrl: PUBLIC_URL,
    } as Services
    const context = { db: keeping.db, clock: keeping.clock, signal: new AbortController().signal }
    await sweepUnpaidOrders(services).run(context)
    await sweepUnpaidOrders(services).run(context)
    const mails = await toldOf(shop)
    expect(mails.map(({ kind }) => kind)).toEqual(['cancellation'])
    expect(mails[0]?.text).toContain('It was not paid in time. You do not have to pay for it any more.\n')
  })
})

describe('a new order', () => {
  it('is told to the merchant, with what is to be done, who has ordered, and where to see it', async () => {
    const shop = await open()
    const order = await shop.order({
      lines: [MUG, digital()],
      customer: {
        id: null,
        email: 'ada@example.com',
        firstname: 'Ada',
        lastname: 'http://evil.example',
        phone: null,
        meta: null,
      },
    })
    const mail = onlyOf(await mailsOf(shop))
    expect(mail).toMatchObject({
      kind: 'new_order',
      to: 'shop@example.com',
      // Answers go to the customer.
      from: 'Corner Shop <ada@example.com>',
      subject: `[Test] New order ${order.customer_reference}: $30.00 USD`,
    })
    expect(mail?.text).toContain(`Open the order:\n${PUBLIC_URL}/dashboard/orders/${order.id}\n`)
    expect(mail?.text).toContain('WHAT IS TO BE DONE\n- Ship 2 pieces.\n')
    expect(mail?.text).toContain('E-mail: ada@example.com\n')
    // What a shopper has typed is no link.
    expect(`${mail?.text}${mail?.html}`).not.toMatch(/evil\.example|http:\/\/evil/)
  })

  it('goes to the address that the shop has set for it, and says what is awaited', async () => {
    const shop = await open({ settings: { merchant_mails: { email: 'packing@corner.example' } } })
    await shop.order({ lines: [MUG] }, 'manual')
    await shop.order({ lines: [MUG] }, 'authorized')
    await shop.order({ lines: [digital()] })
    const mails = await mailsOf(shop)
    expect(new Set(mails.map(({ to }) => to))).toEqual(new Set(['packing@corner.example']))
    const tasks = mails.map(({ text }) => /WHAT IS TO BE DONE\n((?:- .*\n)+)/.exec(text)?.[1]).toSorted()
    expect(tasks).toEqual([
      '- Nothing: the customer has the downloads.\n',
      '- Take the payment: the payment provider holds it for you.\n- Ship 2 pieces, once it is paid.\n',
      '- Wait for the payment, and say so once it has come.\n- Ship 2 pieces, once it is paid.\n',
    ])
  })
})

describe('each kind', () => {
  it('is put in nowhere once it is switched off, and not sent where that happens in between', async () => {
    const shop = await open()
    const key = shop.keys.sandbox.secret
    const order = await shop.order({ lines: [MUG] })
    await shop.ship(order, 1)
    await shop.call('POST', `/${order.id}/refund`, { amount: 5 })
    expect(await waitingMails(keeping, shop)).toBe(3)
    const off = {
      customer: { orders: false, shipments: false, refunds: false, cancellations: false },
      merchant: { orders: false },
    }
    expect((await keeping.call('PUT', '/v1/merchants', { key, body: { notifications: off } })).status).toBe(200)
    await shop.ship(order, 1)
    await shop.call('POST', `/${order.id}/refund`, { amount: 5 })
    const other = await shop.order({ lines: [MUG] })
    expect((await shop.call('POST', `/${other.id}/cancel`, { refund: true })).status).toBe(200)
    expect(await waitingMails(keeping, shop)).toBe(3)
    expect(await mailsOf(shop)).toEqual([])
  })

  it('is what cartwright mail preview writes of its order', async () => {
    const shop = await open()
    const order = await shop.order({ lines: [MUG] })
    await shop.ship(order, 1)
    await shop.call('POST', `/${order.id}/refund`, { amount: 5 })
    const mails = await allMailsOf(shop)
    const config = readConfig({ DATABASE_URL: urlOf(connection), PUBLIC_URL, DATA_DIR: keeping.dataDir })
    const out = join(keeping.dataDir, order.id)
    const args = ['preview', '--merchant', String(shop.id), '--order', order.id, '--out', out]
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    await preview(config, args)
    await expect(preview(config, ['preview', 'cancellation', ...args.slice(1)])).rejects.toThrow(
      'There is no cancellation mail for this order.',
    )
    printed.mockRestore()
    for (const kind of ['receipt', 'shipment', 'refund'])
      expect(await readFile(join(out, `${kind}.html`), 'utf8')).toBe(mails.find((mail) => mail.kind === kind)?.html)
  })
})

it('through a mail server each arrives once, and nothing is sent by the request itself', async () => {
  const shop = await openShop(sending, { name: 'Corner Shop' })
  const order = await shop.order({ lines: [MUG] }, 'card', { is_sandbox: false })
  const key = shop.keys.live.secret
  const items = [{ id: order.fulfillment.physical.items[0]?.id, quantity: 2 }]
  const path = `/${order.id}/fulfillments/physical/shipments`
  expect((await shop.call('POST', path, { items }, key)).status).toBe(201)
  expect(server.deliveries).toEqual([])
  await runOrderJobs(sending, shop.id)
  const subjects = server.deliveries.map(({ mail }) => (mail as { subject: string }).subject).toSorted()
  expect(subjects).toEqual([
    `New order ${order.customer_reference}: $20.00 USD`,
    `Your order ${order.customer_reference} from Corner Shop`,
    `Your order ${order.customer_reference} from Corner Shop is on its way`,
  ])
})
