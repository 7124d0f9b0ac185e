// How many receipts go out of orders that nobody has paid for: anybody can make them, for any address.

import { beforeEach, describe, expect, it } from 'vitest'
import type { OrderDraft } from '../../../src/api/orders/make.ts'
import { networksOf } from '../../../src/lib/addresses.ts'
import { allowFreeMail } from '../../../src/mail/trust.ts'
import { mailServer } from '../../mail/mail-server.ts'
import { testApp } from '../../support/app.ts'
import { countRows, sql } from '../../support/rows.ts'
import { openCaptureShop } from '../checkouts/capture-support.ts'
import { openShop, physical, type Shop, WITHOUT_OWN_MAILS } from './support.ts'

const server = await mailServer()
const app = await testApp({ mailServer: server.settings(), trustProxy: () => true })

beforeEach(() => {
  server.deliveries.length = 0
})

const LIVE = { is_sandbox: false }
const FREE = { lines: [physical({ line_total: 0, unit_price: 0 })] }

const from = (address: string): Pick<OrderDraft, 'captured_by'> => ({
  captured_by: { is_secret: false, networks: networksOf(address) },
})
/** Runs the jobs and gives whom the mails went to since, in alphabetical order. */
async function sent({ id }: Pick<Shop, 'id'>): Promise<string[]> {
  const worker = app.startJobs()
  await expect.poll(() => countRows(app.db, 'jobs', { merchant_id: id })).toBe(0)
  await worker.stop()
  return server.deliveries
    .splice(0)
    .flatMap(({ to: recipients }) => recipients)
    .sort()
}

const times = (count: number) => Array.from({ length: count }, (_, index) => index)
const said = (merchant_id: number) =>
  app.logged
    .filter((line) => line.includes('A receipt was not sent'))
    .filter((line) => line.includes(`"merchant_id":${merchant_id},`))

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
    await expect.poll(() => countRows(app.db, 'jobs', { merchant_id: id })).toBe(0)
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

  it('that an older release has put in count by the address in their order', async () => {
    const shop = await openShop(app, WITHOUT_OWN_MAILS)
    for (const _ of times(7)) await shop.order(FREE, 'nothing', LIVE)
    expect((await sent(shop)).length).toBe(5)
    const counted = sql<{ subject: string }>`
      select subject from attempts where merchant_id = :merchant_id and subject like '% from %' order by subject`
    expect(await app.db.many(counted, { merchant_id: shop.id })).toEqual([
      { subject: 'receipt live from 192.0.2.1' },
      { subject: 'receipt live to mailbox jane@example.com from 192.0.2.1' },
    ])
  })
})

describe('the limits of a receipt', () => {
  const HOUR = 3_600_000
  const mail = {
    kind: 'receipt',
    is_sandbox: false,
    emailKey: 'jane+2@example.com',
    isVouched: false,
    isSecret: false,
    networks: networksOf('2001:db8:2::1'),
  } as const
  const ofMailbox = { from: 'mailbox jane@example.com from 2001:db8:2::/48', all: 'mailbox jane@example.com' }
  const [ofAddress, vouched] = [
    { from: `${mail.emailKey} from 2001:db8:2::/48`, all: mail.emailKey },
    { isVouched: true },
  ]
  const ofNetworks = (subject: string) => [
    [`${subject} from 2001:db8:2:0::/64`, 60],
    [`${subject} from 2001:db8:2:0::/56`, 120],
    [`${subject} from 2001:db8:2::/48`, 240],
  ]

  it.each<[string, object, unknown[][]]>([
    [
      'an address that nobody stands for: its mailbox, the widest place, and each network',
      {},
      [
        [`receipt live to ${ofMailbox.from}`, 5],
        [`receipt live to ${ofMailbox.all}`, 8],
        [`receipt live a day to ${ofMailbox.all}`, 24, 24 * HOUR],
        ...ofNetworks('receipt live'),
      ],
    ],
    [
      'an address that somebody stands for: itself',
      vouched,
      [
        [`receipt live to ${ofAddress.from}`, 5],
        [`receipt live to ${ofAddress.all}`, 40],
        [`receipt live a day to ${ofAddress.all}`, 200, 24 * HOUR],
      ],
    ],
    [
      'what a server orders that names no shopper',
      { isSecret: true, networks: [] },
      [
        [`receipt live by server to ${ofMailbox.all} from `, 20],
        [`receipt live by server to ${ofMailbox.all}`, 40],
        [`receipt live by server a day to ${ofMailbox.all}`, 200, 24 * HOUR],
      ],
    ],
    [
      'the sandbox: all that nobody stands for together',
      { is_sandbox: true },
      [
        [`receipt sandbox to ${ofMailbox.from}`, 5],
        [`receipt sandbox to ${ofMailbox.all}`, 8],
        ...ofNetworks('receipt sandbox'),
        ['receipt sandbox all', 200],
      ],
    ],
    [
      'the sandbox, by a server',
      { is_sandbox: true, isSecret: true, networks: [] },
      [
        [`receipt sandbox by server to ${ofMailbox.all} from `, 20],
        [`receipt sandbox by server to ${ofMailbox.all}`, 40],
        ['receipt sandbox by server all', 1_000],
      ],
    ],
  ])('are those of %s', async (_, more, expected) => {
    type Counted = { subjects: string[]; subject_limits: number[]; resets: Date[] }
    const counted: Counted[] = []
    const one = async (_statement: unknown, values: Counted) => {
      counted.push(values)
      return { blocked_until: null }
    }
    const db = { transaction: (work: (tx: object) => Promise<unknown>) => work({ one }) }
    const run = { db, clock: app.clock, merchant_id: 1, jobId: 'job_1' }
    expect(await allowFreeMail(run as never, { ...mail, ...more })).toBe(true)
    const { subjects, subject_limits, resets } = counted[1] as Counted
    const windows = resets.map((end) => end.getTime() - app.clock.now().getTime())
    const limits = subjects.map((subject, at) => [subject, subject_limits[at], windows[at]])
    expect(limits).toEqual(expected.map(([subject, most, windowMs = HOUR]) => [subject, most, windowMs]))
  })
})

it('receipts of the sandbox go five times an hour to an address, paid or not, as nobody pays there', async () => {
  const shop = await openShop(app, WITHOUT_OWN_MAILS)
  for (const _ of times(6)) await shop.order(from('192.0.2.1'))
  expect((await sent(shop)).length).toBe(5)
  expect(said(shop.id).map((line) => JSON.parse(line))).toMatchObject([{ level: 'warn', sandbox: true }])
  app.clock.advance(3_601)
  await shop.order(from('192.0.2.1'))
  expect((await sent(shop)).length).toBe(1)
})
