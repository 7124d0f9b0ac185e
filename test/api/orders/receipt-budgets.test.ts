// @sampled: npm run proof sends hundreds of mails.
// How many receipts go out of orders that nobody has paid for: anybody can make them, for any address.

import { beforeEach, describe, expect, it } from 'vitest'
import type { OrderDraft } from '../../../src/api/orders/make.ts'
import { statement } from '../../../src/db/db.ts'
import { networksOf } from '../../../src/lib/addresses.ts'
import { mailServer } from '../../mail/mail-server.ts'
import { testApp } from '../../support/app.ts'
import { isProof } from '../../support/proof.ts'
import { openCaptureShop } from '../checkouts/capture-support.ts'
import { openShop, physical, type Shop, WITHOUT_OWN_MAILS } from './support.ts'

const server = await mailServer()
const app = await testApp({ mailServer: server.settings(), trustProxy: () => true })

beforeEach(() => {
  server.deliveries.length = 0
})

const LIVE = { isSandbox: false }
const FREE = { lines: [physical({ line_total: 0, unit_price: 0 })] }

const to = (email: string): Pick<OrderDraft, 'customer'> => ({
  customer: { id: null, email, firstname: null, lastname: null, phone: null, meta: null },
})
const from = (address: string): Pick<OrderDraft, 'captured_by'> => ({
  captured_by: { is_secret: false, networks: networksOf(address) },
})
const BY_SERVER: Pick<OrderDraft, 'captured_by'> = { captured_by: { is_secret: true, networks: [] } }

const waiting = statement<{ count: number }>(
  'test.receipts_to_send',
  'select count(*) from jobs where merchant_id = :merchant_id',
)
const setCount = statement(
  'test.set_counted_receipts',
  'update attempts set count = :count where merchant_id = :merchant_id and subject = :subject',
)

/** Runs the jobs and gives whom the mails went to since, in alphabetical order. */
async function sent({ id }: Pick<Shop, 'id'>): Promise<string[]> {
  const worker = app.startJobs()
  await expect.poll(async () => (await app.db.one(waiting, { merchant_id: id })).count).toBe(0)
  await worker.stop()
  return server.deliveries
    .splice(0)
    .flatMap(({ to: recipients }) => recipients)
    .sort()
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index)
const said = (merchantId: number) =>
  app.logged
    .filter((line) => line.includes('A receipt was not sent'))
    .filter((line) => line.includes(`"merchantId":${merchantId},`))

describe('receipts of what nobody has paid for', () => {
  it('go five times an hour to an address, whatever a live public key orders for it, and hold nothing that was typed as a link', async () => {
    const shop = await openCaptureShop(app, WITHOUT_OWN_MAILS)
    const { id } = shop
    const { public: key, secret } = shop.keys.live
    const make = (path: string, body: object) => shop.succeed<{ id: string }>(201, 'POST', path, body, secret)
    const digital = { delivery: { physical: false } }
    const gift = await make('products', { name: 'Leaflet', price: 0, ...digital })
    const paper = await make('products', { name: 'Paper', price: 5, ...digital })
    await make('gateways', { code: 'manual', config: { name: 'Invoice', details: 'Pay later.' } })
    const evil = 'Win a prize at https://evil.example'
    const body = {
      customer: { email: 'victim@example.com', firstname: evil, lastname: evil },
      billing: { name: evil, street: 'mailto:me@evil.example', town_city: 'evil.example', country: 'US' },
      payment: { gateway: 'manual' },
    }
    const orders: string[] = []
    for (const index of times(12)) {
      const path = `checkouts/${index % 2 === 0 ? gift.id : paper.id}?type=product_id`
      orders.push((await shop.order(await shop.succeed(201, 'GET', path, undefined, key), body, key)).id)
    }
    const worker = app.startJobs()
    await expect.poll(async () => (await app.db.one(waiting, { merchant_id: id })).count).toBe(0)
    await worker.stop()
    const mails = server.deliveries.splice(0).map(({ mail }) => mail)
    expect(mails.length).toBe(5)
    for (const { html, text, subject } of mails) {
      const [heading] = /<h1[^>]*>(.*?)<\/h1>/.exec(String(html)) ?? []
      expect(heading).toMatch(/>Thank you for your order<\/h1>$/)
      expect(`${subject}${text}${html}`).not.toMatch(/evil\.example|:\/\/evil|mailto:me/)
      expect(text).toContain('Win a prize at evil.\u200cexample\nme@evil.\u200cexample\n')
    }
    expect(said(id).map((line) => JSON.parse(line))).toMatchObject(
      times(7).map(() => ({ level: 'warn', sandbox: false })),
    )
    expect(app.logged.join('')).not.toContain('victim@example.com')
    // The merchant sends it all the same.
    for (const order of orders) await shop.succeed(200, 'POST', `orders/${order}/receipt`, undefined, secret)
    expect(await sent({ id })).toEqual(times(12).map(() => 'victim@example.com'))
  })

  it.runIf(isProof)(
    'go eight times an hour and twenty-four times a day to an address from wherever, and its own place is not used up by others',
    async () => {
      const shop = await openShop(app, WITHOUT_OWN_MAILS)
      const order = (address: string) => shop.order({ ...FREE, ...from(address) }, 'nothing', LIVE)
      for (const _ of times(6)) await order('2001:db8:1:1::1')
      // The same place: a /48 is given to one.
      for (const subnet of times(4)) await order(`2001:db8:1:${subnet + 2}::1`)
      expect((await sent(shop)).length).toBe(5)
      await order('192.0.2.50')
      expect((await sent(shop)).length).toBe(1)
      for (const index of times(6)) await order(`198.51.100.${index}`)
      expect((await sent(shop)).length).toBe(2)
      await shop.order({ ...FREE, ...to('Jane+2@example.com'), ...from('198.51.100.99') }, 'nothing', LIVE)
      expect(await sent(shop)).toEqual([])
      for (const hour of [1, 2]) {
        app.clock.advance(3_600)
        for (const index of times(9)) await order(`198.51.${hour}.${index}`)
        expect((await sent(shop)).length).toBe(8)
      }
      app.clock.advance(3_600)
      await order('203.0.113.200')
      expect(await sent(shop)).toEqual([])
      app.clock.advance(86_400)
      await order('203.0.113.200')
      expect((await sent(shop)).length).toBe(1)
    },
  )

  it.runIf(isProof)(
    'go to an address that somebody stands for whatever others order under other names of its mailbox, five an hour from one place, forty an hour and two hundred a day from all',
    async () => {
      const shop = await openShop(app, WITHOUT_OWN_MAILS)
      await app.call('POST', '/v1/customers', {
        key: shop.keys.live.secret,
        headers: { 'x-forwarded-proto': 'https' },
        body: { email: 'known@example.com' },
      })
      const order = (email: string, address: string) =>
        shop.order({ ...FREE, ...to(email), ...from(address) }, 'nothing', LIVE)
      for (const index of times(9)) await order(`known+${index}@example.com`, `198.51.100.${index}`)
      expect((await sent(shop)).length).toBe(8)
      await shop.order({ ...to('known@example.com'), ...from('192.0.2.1') }, 'manual', LIVE)
      expect(await sent(shop)).toEqual(['known@example.com'])
      for (const index of times(9)) await order('known@example.com', `203.0.113.${index}`)
      expect((await sent(shop)).length).toBe(9)
      for (const _ of times(5)) await order('known@example.com', '192.0.2.1')
      expect((await sent(shop)).length).toBe(4)
      for (const [subject, most] of [
        ['receipt live to known@example.com', 40],
        ['receipt live a day to known@example.com', 200],
      ] as const) {
        expect(await app.db.run(setCount, { merchant_id: shop.id, subject, count: most - 1 })).toBe(1)
        for (const host of [1, 2]) await order('known@example.com', `198.51.${most}.${host}`)
        expect((await sent(shop)).length).toBe(1)
        await app.db.run(setCount, { merchant_id: shop.id, subject, count: 1 })
      }
    },
  )

  it('stop none of what was paid for', async () => {
    const shop = await openShop(app, WITHOUT_OWN_MAILS)
    for (const _ of times(9)) await shop.order({ ...FREE, ...from('192.0.2.1') }, 'nothing', LIVE)
    expect((await sent(shop)).length).toBe(5)
    for (const _ of times(3)) {
      await shop.order(from('192.0.2.1'), 'card', LIVE)
      await shop.order(from('192.0.2.1'), 'authorized', LIVE)
    }
    expect((await sent(shop)).length).toBe(6)
    // Whoever has bought is stood for: what others had ordered for the address before no longer counts, and what is not paid does.
    for (const _ of times(6)) await shop.order(from('192.0.2.1'), 'manual', LIVE)
    expect((await sent(shop)).length).toBe(5)
  })

  it.runIf(isProof)(
    'go sixty times an hour from a network to addresses that nobody stands for, and to the others all the same',
    async () => {
      const shop = await openShop(app, WITHOUT_OWN_MAILS)
      await shop.order({ ...to('bought@example.com'), ...from('192.0.2.99') }, 'card', LIVE)
      expect(await sent(shop)).toEqual(['bought@example.com'])
      const order = (email: string, address: string) =>
        shop.order({ ...FREE, ...to(email), ...from(address) }, 'nothing', LIVE)
      await order('first@example.com', '2001:db8:2::1')
      expect(await sent(shop)).toEqual(['first@example.com'])
      for (const [network, most] of [
        ['2001:db8:2:0::/64', 60],
        ['2001:db8:2:0::/56', 120],
        ['2001:db8:2::/48', 240],
      ] as const) {
        const subject = `receipt live from ${network}`
        expect(await app.db.run(setCount, { merchant_id: shop.id, subject, count: most - 1 })).toBe(1)
        await order(`last-${most}@example.com`, '2001:db8:2::2')
        expect(await sent(shop)).toEqual([`last-${most}@example.com`])
        await order(`over-${most}@example.com`, '2001:db8:2::3')
        await order('bought@example.com', '2001:db8:2::4')
        await order(`elsewhere-${most}@example.com`, '192.0.2.98')
        expect(await sent(shop)).toEqual(['bought@example.com', `elsewhere-${most}@example.com`])
        await app.db.run(setCount, { merchant_id: shop.id, subject, count: 1 })
      }
    },
  )

  it.runIf(isProof)(
    'that the server of the merchant orders with the secret key have a budget of their own, and a network where it names one',
    async () => {
      const shop = await openShop(app, WITHOUT_OWN_MAILS)
      for (const _ of times(6)) await shop.order({ ...FREE, ...from('192.0.2.1') }, 'nothing', LIVE)
      for (const _ of times(21)) await shop.order({ ...FREE, ...BY_SERVER }, 'nothing', LIVE)
      expect((await sent(shop)).length).toBe(5 + 20)
      const named = { captured_by: { is_secret: true, networks: ['192.0.2.7'] } }
      await shop.order({ ...FREE, ...named, ...to('a@example.com') }, 'nothing', LIVE)
      expect((await sent(shop)).length).toBe(1)
      expect(
        await app.db.run(setCount, {
          merchant_id: shop.id,
          subject: 'receipt live by server from 192.0.2.7',
          count: 60,
        }),
      ).toBe(1)
      await shop.order({ ...FREE, ...named, ...to('b@example.com') }, 'nothing', LIVE)
      await shop.order({ ...FREE, ...BY_SERVER, ...to('c@example.com') }, 'nothing', LIVE)
      expect(await sent(shop)).toEqual(['c@example.com'])
    },
  )

  it.runIf(isProof)('that an older release has put in count by the address in their order', async () => {
    const shop = await openShop(app, WITHOUT_OWN_MAILS)
    for (const _ of times(7)) await shop.order(FREE, 'nothing', LIVE)
    expect((await sent(shop)).length).toBe(5)
    const counted = statement<{ subject: string }>(
      'test.receipt_subjects',
      `select subject from attempts where merchant_id = :merchant_id and subject like '% from %' order by subject`,
    )
    expect(await app.db.many(counted, { merchant_id: shop.id })).toEqual([
      { subject: 'receipt live from 192.0.2.1' },
      { subject: 'receipt live to mailbox jane@example.com from 192.0.2.1' },
    ])
  })
})

describe('receipts of the sandbox', () => {
  it('go five times an hour to an address, paid or not, as nobody pays there', async () => {
    const shop = await openShop(app, WITHOUT_OWN_MAILS)
    for (const _ of times(6)) await shop.order(from('192.0.2.1'))
    expect((await sent(shop)).length).toBe(5)
    expect(said(shop.id).map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn', sandbox: true }])
    app.clock.advance(3_601)
    await shop.order(from('192.0.2.1'))
    expect((await sent(shop)).length).toBe(1)
  })

  it.runIf(isProof)(
    'go two hundred times an hour to addresses that nobody stands for; who builds the shop gets theirs all the same',
    async () => {
      const shop = await openShop(app, WITHOUT_OWN_MAILS)
      const { secret } = shop.keys.sandbox
      await app.call('POST', '/v1/customers', { key: secret, body: { email: 'developer@example.com' } })
      await shop.order({ ...to('first@example.com'), ...from('192.0.2.1') })
      expect(await sent(shop)).toEqual(['first@example.com'])
      await app.db.run(setCount, { merchant_id: shop.id, subject: 'receipt sandbox all', count: 200 })
      // Bought in the sandbox, which shows nothing.
      await shop.order({ ...to('first@example.com'), ...from('192.0.2.2') })
      const over = await shop.order({ ...to('over@example.com'), ...from('192.0.2.3') })
      await shop.order({ ...to('developer@example.com'), ...from('192.0.2.4') })
      await shop.order({ ...to('by-server@example.com'), ...BY_SERVER })
      expect(await sent(shop)).toEqual(['by-server@example.com', 'developer@example.com'])
      await shop.call('POST', `/${over.id}/receipt`)
      expect(await sent(shop)).toEqual(['over@example.com'])
    },
  )
})
