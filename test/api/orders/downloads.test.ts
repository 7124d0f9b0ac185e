// GET /fulfill/…: what was bought is fetched by a signed link, without a key, as long and as often as the order allows.

import { describe, expect, it } from 'vitest'
import { updatePackage } from '../../../src/api/fulfillment/fulfillment.ts'
import { countOneDownload } from '../../../src/api/fulfillment/store.ts'
import type { OrderLineRow } from '../../../src/api/orders/read-store.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import type { Tx } from '../../../src/db/db.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import { testApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { atOnce, ORIGIN } from '../../support/shop.ts'
import { pathOf, pdf, runJobs, upload } from '../assets/support.ts'
import { digital, NOT_FOUND, openShop, UNKNOWN_ID } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const bytes = pdf('The book')
const asset = await upload(app, shop.keys.sandbox.secret, {
  filename: 'book.pdf',
  contents: bytes.toString('base64'),
  private: true,
})

/** The sandbox gives the file itself where it is a sample of a product. */
const sellSample = async (assetId: string) => {
  const delivery = { physical: false, digital: { packages: [{ asset: assetId, is_sample: true }] } }
  const body = { name: 'A book', price: 10, delivery }
  expect((await app.call('POST', '/v1/products', { key: shop.keys.sandbox.secret, body })).status).toBe(201)
}
await sellSample(asset.id)

const bookOf = (lifespan: Partial<NonNullable<OrderLineRow['lifespan']>> = {}, assetId = asset.id) =>
  digital({
    // sandbox-downloads.test.ts has what is given of files that are no samples.
    packages: [{ asset_id: assetId, name: 'The book: one', ext: 'pdf', size_in_bytes: bytes.length, is_sample: true }],
    lifespan: { duration: null, period: null, download_limit: null, ...lifespan },
  })

const fileOf = (order: Order) => {
  const [file] = order.fulfillment.digital.downloads[0]?.packages ?? []
  if (!file) throw new Error('The order has no download.')
  return file
}

const fetchFrom = async (
  link: string,
  method: 'GET' | 'HEAD' | 'POST' = 'GET',
  headers: Record<string, string> = {},
) => {
  const answer = await app.server.inject({ method, url: pathOf(link), headers })
  return { status: answer.statusCode, headers: answer.headers, bytes: answer.rawPayload, text: answer.body }
}

const refusal = (message: string) => ({ error: { type: 'forbidden', message }, status_code: 403 })
const NOT_PAID = refusal('This file can be downloaded only while its order is paid.')
const REVOKED = refusal('The shop has revoked access to this file.')
const OVER = refusal('The download period of this file has ended.')
const USED_UP = refusal('This file has been downloaded as often as the order allows.')

const asks = async (link: string) => {
  const { status, text } = await fetchFrom(link)
  return [status, status === 200 ? 'the file' : JSON.parse(text)]
}
const remainingOf = async (order: Order) => fileOf(await shop.get(order.id)).remaining_downloads

const markOrder = sql`update orders set cancelling_at = :cancelling_at where merchant_id = :merchant_id and id = :id`

describe('a link to a download', () => {
  it('gives the file for saving, to anybody who has it and to no cache', async () => {
    const order = await shop.order({ lines: [bookOf()] })
    const answer = await fetchFrom(fileOf(order).access_link, 'GET', { range: 'bytes=0-3' })
    expect(answer.status).toBe(200)
    expect(answer.bytes.equals(bytes)).toBe(true)
    expect(answer.headers).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="The book- one.pdf"; filename*=UTF-8''The%20book-%20one.pdf`,
      'cache-control': 'private, no-store',
      'accept-ranges': 'none',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'access-control-allow-origin': '*',
    })
    expect(await remainingOf(order)).toBe(null)
  })

  it('works three times of fifty at once where three are allowed, unless it is revoked, and a look at it counts as none', async () => {
    const order = await shop.order({ lines: [bookOf({ download_limit: 3 })] })
    const { access_link: link } = fileOf(order)
    const head = await fetchFrom(link, 'HEAD')
    expect([head.status, head.headers['content-length'], head.bytes.length]).toEqual([200, String(bytes.length), 0])
    const set = (body: object) =>
      shop.succeed(200, 'PUT', `/${order.id}/fulfillments/digital/packages/${fileOf(order).id}`, body)
    await set({ is_access_revoked: true })
    expect(await asks(link)).toEqual([403, REVOKED])
    await set({ is_access_revoked: false })
    const answers = await atOnce(50, () => fetchFrom(link))
    const given = answers.filter(({ status }) => status === 200)
    expect(given.length).toBe(3)
    expect(given.every((answer) => answer.bytes.equals(bytes))).toBe(true)
    for (const { status, text } of answers.filter((answer) => !given.includes(answer)))
      expect([status, JSON.parse(text)]).toEqual([403, USED_UP])
    expect(await remainingOf(order)).toBe(0)
    expect((await fetchFrom(link, 'HEAD')).status).toBe(403)
    // The merchant gives one more.
    await set({ remaining_downloads: 1 })
    expect([(await asks(link))[0], await asks(link)]).toEqual([200, [403, USED_UP]])
  })

  it('works only while the order is paid', async () => {
    const unpaid = await shop.order({ lines: [bookOf({ download_limit: 1 })] }, 'manual')
    const { access_link: link } = fileOf(unpaid)
    expect(await asks(link)).toEqual([403, NOT_PAID])
    const complete = { status: 'complete' }
    await shop.call('PUT', `/${unpaid.id}/transactions/${unpaid.transactions[0]?.id}`, complete)
    // The link of the receipt, which was made before it was paid.
    expect(await asks(link)).toEqual([200, 'the file'])
    const refunded = await shop.order({ lines: [bookOf()] })
    expect(await asks(fileOf(refunded).access_link)).toEqual([200, 'the file'])
    expect((await shop.call('POST', `/${refunded.id}/refund`)).status).toBe(200)
    expect(await asks(fileOf(refunded).access_link)).toEqual([403, NOT_PAID])
    const cancelled = await shop.order({ lines: [digital({ ...bookOf(), line_total: 0, unit_price: 0 })] })
    expect((await shop.call('POST', `/${cancelled.id}/cancel`)).status).toBe(200)
    expect(await asks(fileOf(cancelled).access_link)).toEqual([403, NOT_PAID])
  })

  it('does not work while the money of its order is on its way back, and works again where that was refused', async () => {
    const order = await shop.order({ lines: [bookOf({ download_limit: 1 })] })
    const { access_link: link } = fileOf(order)
    await app.db.run(markOrder, { merchant_id: shop.id, id: order.id, cancelling_at: app.clock.now() })
    expect(await asks(link)).toEqual([403, NOT_PAID])
    // Nor one that was about to be given when the cancel began.
    expect(
      await countOneDownload(app.db, shop.owner, { orderId: order.id, id: fileOf(order).id }, app.clock.now()),
    ).toBe(false)
    await app.db.run(markOrder, { merchant_id: shop.id, id: order.id, cancelling_at: null })
    expect(await asks(link)).toEqual([200, 'the file'])
  })

  it('ends with its lifespan, which begins with the payment', async () => {
    const order = await shop.order({ lines: [bookOf({ duration: 2, period: 'days' })] }, 'manual')
    const before = fileOf(order).access_link
    app.clock.advance(10 * 86_400)
    await shop.call('PUT', `/${order.id}/transactions/${order.transactions[0]?.id}`, { status: 'complete' })
    const after = fileOf(await shop.get(order.id)).access_link
    app.clock.advance(2 * 86_400 - 1)
    expect([await asks(before), await asks(after)]).toEqual([
      [200, 'the file'],
      [200, 'the file'],
    ])
    expect((await shop.get(order.id)).fulfillment.digital.downloads).toMatchObject([{ is_expired: false }])
    app.clock.advance(1)
    expect(await asks(before)).toEqual([403, OVER])
    // This one names its own end, and is no link any more.
    expect(await asks(after)).toEqual([404, NOT_FOUND('download')])
    expect((await shop.get(order.id)).fulfillment.digital.downloads).toMatchObject([{ is_expired: true }])
  })

  it('counts what is fetched in the very moment in which the merchant changes something else of it', async () => {
    const order = await shop.order({ lines: [bookOf({ download_limit: 5 })] })
    const { id, access_link: link } = fileOf(order)
    let isFetched = false
    const slow = (tx: Tx): Tx => ({
      ...tx,
      // The order has been read, and nothing is written yet.
      async run(...asked) {
        if (!isFetched) expect(await asks(link)).toEqual([200, 'the file'])
        isFetched = true
        return tx.run(...asked)
      },
    })
    const context = {
      db: { ...app.db, transaction: <T>(work: (tx: Tx) => Promise<T>) => app.db.transaction((tx) => work(slow(tx))) },
      clock: app.clock,
      caller: shop.owner,
      origin: ORIGIN,
      lastingOrigin: ORIGIN,
      signingSecret: signingSecrets(app.db, app.clock),
    }
    await updatePackage(context, order.id, id, { is_access_revoked: false })
    expect(await remainingOf(order)).toBe(4)
  })

  it('opens nothing else: altered, unsigned, or of another order or merchant, it answers as an unknown one', async () => {
    const order = await shop.order({ lines: [bookOf({ download_limit: 5 })] })
    const other = await shop.order({ lines: [bookOf()] })
    const { id, access_link: link } = fileOf(order)
    const none = [404, NOT_FOUND('download')]
    const [address = '', query = ''] = link.split('?')
    for (const wrong of [
      address,
      `${address}?expires=1&signature=`,
      `${link}x`,
      `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`,
      link.replace('expires=2', 'expires=3'),
      link.replace(order.id, other.id),
      link.replace(id, fileOf(other).id),
      link.replace(`/fulfill/${shop.id}/`, `/fulfill/${shop.id + 1}/`),
      `/fulfill/${shop.id}/${UNKNOWN_ID}/${id}?${query}`,
      `/fulfill/${shop.id}/x/y?${query}`,
      `/fulfill/0/${order.id}/${id}?${query}`,
    ])
      expect([wrong, ...(await asks(wrong))]).toEqual([wrong, ...none])
    expect(await remainingOf(order)).toBe(5)
    const posted = await fetchFrom(link, 'POST')
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  it('opens nothing once the file is deleted, and counts nothing', async () => {
    const own = await upload(app, shop.keys.sandbox.secret, { filename: 'b.pdf', contents: bytes.toString('base64') })
    const order = await shop.order({ lines: [bookOf({ download_limit: 5 }, own.id)] })
    await app.call('DELETE', `/v1/assets/${own.id}`, { key: shop.keys.sandbox.secret })
    await runJobs(app)
    expect(await asks(fileOf(order).access_link)).toEqual([404, NOT_FOUND('download')])
    expect(await shop.get(order.id)).toEqual(order)
  })

  it('never gives the placeholder of a file that has not been fetched, and counts nothing', async () => {
    const own = await upload(app, shop.keys.sandbox.secret, { filename: 'b.pdf', contents: bytes.toString('base64') })
    await sellSample(own.id)
    const order = await shop.order({ lines: [bookOf({ download_limit: 5 }, own.id)] })
    expect(await asks(fileOf(order).access_link)).toEqual([200, 'the file'])
    // No product takes one up; were one sold all the same, its buyer would rather get nothing.
    const mark = sql`update assets set source_url = :url where merchant_id = :merchant_id and id = :id`
    await app.db.run(mark, { merchant_id: shop.id, id: own.id, url: 'https://gone.example/b.pdf' })
    expect(await asks(fileOf(order).access_link)).toEqual([404, NOT_FOUND('download')])
    expect(await remainingOf(order)).toBe(4)
  })
})
