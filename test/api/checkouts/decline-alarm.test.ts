// Many declined payments of one shop: its owner hears of them, once a day at most, and nothing is switched off.

import { beforeEach, describe, expect, it } from 'vitest'
import { mailServer } from '../../mail/mail-server.ts'
import { testApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { digital, digitalBody, openCaptureShop } from './capture-support.ts'

const server = await mailServer()
const app = await testApp({
  mailServer: server.settings(),
  trustProxy: () => true,
  clientRequestsPerSecond: 0,
  publicUrl: 'https://api.shop.example',
})

beforeEach(() => {
  server.deliveries.length = 0
})

const pay = (number: string) =>
  digitalBody({ payment: { gateway: 'test_gateway', card: { number, expires: '01/22', cvc: 123 } } })

async function open() {
  const shop = await openCaptureShop(app, { settings: { mails: { orders: false }, merchant_mails: { orders: false } } })
  const file = await shop.product({ name: 'File', price: 10, ...digital })
  return { ...shop, fileToken: () => shop.token({ id: file.id }) }
}

type AlarmShop = Awaited<ReturnType<typeof open>>

const countJobs = sql<{ count: number }>`
  select count(*) from jobs where merchant_id = :merchant_id and kind = 'capture.decline_alarm' and failed_at is null`

/** Copies an attempt that was declined, and counts the copies, as the captures of so many shoppers would. */
const copyDecline = sql`
  with copied as (
    insert into capture_attempts
    select copy.*
    from (
      select * from capture_attempts where merchant_id = :merchant_id and state = 'released' order by id desc limit 1
    ) declined,
    generate_series(1, :count::integer) n,
    jsonb_populate_record(
      null::capture_attempts,
      to_jsonb(declined) || jsonb_build_object('id', declined.id || lpad(n::text, 4, '0'), 'checkout_id', declined.id || n)
    ) copy
  )
  update decline_counters set declines = declines + :count where merchant_id = :merchant_id and subject = 'sandbox'`

/** The first and the last are real. A server sends them that names no shopper, so that no network has to wait. */
async function decline(shop: AlarmShop, count: number) {
  const send = async () => {
    const token = await shop.fileToken()
    expect((await shop.capture(token, pay('4000000000000002'), shop.keys.sandbox.secret)).status).toBe(402)
  }
  await send()
  if (count > 2) await app.db.run(copyDecline, { merchant_id: shop.id, count: count - 2 })
  if (count > 1) await send()
}

/** Attempts of the shop that were paid, made up beside those that were declined. */
const payFor = sql`
  insert into capture_attempts (merchant_id, id, is_sandbox, checkout_id, amount, currency, body_digest, origin, gives_up_at, state, settle_after,
    created_at, updated_at)
  select merchant_id, max(id) || lpad(n::text, 4, '0'), true, 'chkt_paid' || n, 1000, 'USD', '\\x00', '', :now, 'done', :now, :now, :now
  from capture_attempts, generate_series(1, :count::integer) n
  where merchant_id = :merchant_id
  group by merchant_id, n`

/** The subjects of the mails that have gone out since. */
async function sent({ id }: Pick<AlarmShop, 'id'>): Promise<string[]> {
  const worker = app.startJobs()
  await expect.poll(async () => (await app.db.one(countJobs, { merchant_id: id })).count, { timeout: 30_000 }).toBe(0)
  await worker.stop()
  return server.deliveries.splice(0).map(({ mail }) => mail.subject ?? '')
}

const warnings = ({ id }: Pick<AlarmShop, 'id'>) =>
  app.logged.filter((line) => line.includes('trying out cards') && line.includes(`"merchant_id":${id},`))

describe('a hundred declined payments of a shop within an hour', () => {
  it('are told to its owner, once a day, and log a line; everybody can still pay', async () => {
    const shop = await open()
    await decline(shop, 99)
    expect(await sent(shop)).toEqual([])
    await decline(shop, 1)
    expect(await sent(shop)).toEqual(['[Test] Many payments are being declined at Shop'])
    expect(warnings(shop)).toHaveLength(1)
    expect((await shop.capture(await shop.fileToken(), pay('4242424242424242'))).status).toBe(200)
    await decline(shop, 100)
    expect(await sent(shop)).toEqual([])
    expect(warnings(shop)).toHaveLength(2)
    app.clock.advance(86_400)
    await decline(shop, 100)
    expect(await sent(shop)).toEqual(['[Test] Many payments are being declined at Shop'])
  })

  it('are not told where as many were paid', async () => {
    const shop = await open()
    await decline(shop, 99)
    await app.db.run(payFor, { merchant_id: shop.id, count: 100, now: app.clock.now() })
    await decline(shop, 1)
    expect([await sent(shop), warnings(shop)]).toEqual([[], []])
  })
})
