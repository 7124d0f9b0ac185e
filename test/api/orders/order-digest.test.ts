// New orders that come too fast to be told one by one: their merchant hears of them all the same, by one mail when the hour is over.

import { beforeEach, describe, expect, it } from 'vitest'
import { mailServer, refusal } from '../../mail/mail-server.ts'
import { testApp } from '../../support/app.ts'
import { countRows, selectRows, setAttempts, sql } from '../../support/rows.ts'
import { openShop, type PaidBy, physical, type Shop } from './support.ts'

const server = await mailServer()
const app = await testApp({
  mailServer: server.settings(),
  trustProxy: () => true,
  publicUrl: 'https://api.shop.example',
})

beforeEach(() => {
  server.deliveries.length = 0
  server.onMail = async () => undefined
})

const MUG = { lines: [physical({ quantity: 2 })] }
const HOUR = 3_600
const LIVE = { is_sandbox: false }

const countDue = sql<{ count: number }>`
  select count(*) from jobs where merchant_id = :merchant_id and due_at <= :now and failed_at is null`
const digestsOf = ({ id }: Shop) =>
  selectRows<{ orders: number; order_references: string[] }>(app.db, 'orders, order_references from order_digests', {
    merchant_id: id,
  })

/** Runs what is due now, and gives the subjects of the mails that went out. */
async function sent({ id }: Pick<Shop, 'id'>): Promise<string[]> {
  const worker = app.startJobs()
  await expect
    .poll(async () => (await app.db.one(countDue, { merchant_id: id, now: app.clock.now() })).count, {
      timeout: 60_000,
    })
    .toBe(0)
  await worker.stop()
  return server.deliveries.map(({ mail }) => mail.subject ?? '')
}

const open = () => openShop(app, { name: 'Corner Shop', settings: { mails: { orders: false } } })

const order = async (shop: Shop, count: number, paidBy: PaidBy = 'card', mode = {}) => {
  const references: string[] = []
  for (let nth = 0; nth < count; nth++) references.push((await shop.order(MUG, paidBy, mode)).customer_reference)
  return references
}

/** The merchant has been told of so many in this hour. */
const tellOf = (shop: Shop, mode: 'live' | 'sandbox', count: number) =>
  setAttempts(app.db, shop.id, `new order ${mode}`, count)

/** A shop that has been told of sixty orders this hour, and two more that wait for the digest. */
async function openWithDigest() {
  const shop = await open()
  await order(shop, 1)
  await sent(shop)
  await tellOf(shop, 'sandbox', 60)
  const references = await order(shop, 2)
  await sent(shop)
  server.deliveries.length = 0
  return { shop, references }
}

describe('new orders', () => {
  it('are told one by one up to sixty an hour in the sandbox; the rest by one digest when the hour is over', async () => {
    const shop = await open()
    await order(shop, 1)
    expect(await sent(shop)).toHaveLength(1)
    await tellOf(shop, 'sandbox', 59)
    server.deliveries.length = 0
    await order(shop, 3)
    expect(await sent(shop)).toHaveLength(1)
    server.deliveries.length = 0
    app.clock.advance(HOUR - 60)
    expect(await sent(shop)).toEqual([])
    app.clock.advance(60)
    expect(await sent(shop)).toEqual(['[Test] 2 more new orders at Corner Shop'])
    const [digest] = server.deliveries
    expect(digest?.to).toEqual(['shop@example.com'])
    for (const part of [digest?.mail.text, digest?.mail.html]) {
      expect(part).toContain('https://api.shop.example/dashboard/orders')
      expect(part).toMatch(/CRNRSHP-\d+/)
    }
    expect(await digestsOf(shop)).toEqual([])
    server.deliveries.length = 0
    await order(shop, 1)
    expect(await sent(shop)).toHaveLength(1)
    app.clock.advance(2 * HOUR)
    expect(await sent(shop)).toHaveLength(1)
  })

  it('that are live and not paid are gathered above two hundred, and listed up to fifty; paid ones are told all the same', async () => {
    const shop = await open()
    await order(shop, 1, 'manual', LIVE)
    expect(await sent(shop)).toHaveLength(1)
    await tellOf(shop, 'live', 200)
    server.deliveries.length = 0
    const unpaid = await order(shop, 53, 'manual', LIVE)
    const [paid] = await order(shop, 1, 'card', LIVE)
    expect(await sent(shop)).toEqual([expect.stringContaining(`New order ${paid}`)])
    server.deliveries.length = 0
    app.clock.advance(HOUR)
    expect(await sent(shop)).toEqual(['53 more new orders at Corner Shop'])
    const text = server.deliveries[0]?.mail.text ?? ''
    const listed = unpaid.filter((reference) => new RegExp(`- ${reference}$`, 'm').test(text))
    expect([listed.length, text.includes('and 3 more')]).toEqual([50, true])
  })

  it('are in the next digest where the mail server was down, and in no mail twice', async () => {
    const { shop } = await openWithDigest()
    server.onMail = async () => {
      throw refusal(451)
    }
    app.clock.advance(HOUR)
    expect(await sent(shop)).toEqual([])
    expect(await digestsOf(shop)).toMatchObject([{ orders: 2 }])
    server.onMail = async () => undefined
    app.clock.advance(2 * HOUR)
    expect(await sent(shop)).toEqual(['[Test] 2 more new orders at Corner Shop'])
    expect(await digestsOf(shop)).toEqual([])
  })

  it('that come while a digest is being sent stay for the next one', async () => {
    const { shop, references: first } = await openWithDigest()
    const waiting = () => digestsOf(shop)
    app.clock.advance(HOUR)
    let mails = 0
    const later: string[] = []
    // The digest has been read by now. The first order of the new hour has a mail of its own.
    server.onMail = async () => {
      mails += 1
      if (mails > 1) return
      await order(shop, 1)
      await expect.poll(() => server.deliveries).toHaveLength(1)
      await tellOf(shop, 'sandbox', 60)
      later.push(...(await order(shop, 3)))
      await expect.poll(async () => (await waiting())[0]?.orders).toBe(5)
    }
    const worker = app.startJobs()
    await expect.poll(() => server.deliveries).toHaveLength(2)
    await expect.poll(async () => (await waiting())[0]?.orders).toBe(3)
    await worker.stop()
    const [rest] = await waiting()
    expect([rest?.orders, rest?.order_references.toSorted()]).toEqual([3, later.toSorted()])
    server.deliveries.length = 0
    app.clock.advance(HOUR)
    expect(await sent(shop)).toEqual(['[Test] 3 more new orders at Corner Shop'])
    const text = server.deliveries[0]?.mail.text ?? ''
    const listed = (references: string[]) => references.filter((reference) => text.includes(`- ${reference}`))
    expect([listed(first), listed(later)]).toEqual([[], later])
    expect(await waiting()).toEqual([])
  })

  it('that their merchant does not want to hear of any more are in no digest', async () => {
    const { shop } = await openWithDigest()
    expect(await countRows(app.db, 'jobs', { merchant_id: shop.id, kind: 'orders.send_digest' })).toBe(1)
    const body = { notifications: { merchant: { orders: false } } }
    expect((await app.call('PUT', '/v1/merchants', { key: shop.keys.sandbox.secret, body })).status).toBe(200)
    server.deliveries.length = 0
    app.clock.advance(HOUR)
    expect(await sent(shop)).toEqual([])
    expect(await digestsOf(shop)).toEqual([])
  })
})
