// A file that is sold, or was, is not deleted under its buyers: the product would be sold as nothing, and links would open nothing.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { changeRows, sql } from '../../support/rows.ts'
import { notValidField, replyOf } from '../../support/shop.ts'
import { pathOf, pdf, upload } from '../assets/support.ts'
import { countWaitingLocks } from '../waiting-locks.ts'
import { digital, openShop } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
// The shop sells live, so that its catalogue is written with the live key.
const key = shop.keys.live.secret
const headers = { 'x-forwarded-proto': 'https' }
const bytes = pdf('The book')
const newFile = () =>
  upload(app, key, { filename: 'book.pdf', contents: bytes.toString('base64'), private: true }).then(({ id }) => id)
const remove = (id: string, as = key) => app.call('DELETE', `/v1/assets/${id}`, { key: as, headers })
const refused = async (id: string) => {
  const { status, body } = await remove(id)
  expect((await app.call('GET', `/v1/assets/${id}`, { key, headers })).status).toBe(200)
  return [status, body]
}
const product = async (asset: string) => {
  const body = { name: 'Book', price: 5, delivery: { digital: { packages: [{ asset }] } } }
  return ((await app.call('POST', '/v1/products', { key, headers, body })).body as { id: string }).id
}
const detach = (id: string) =>
  app.call('PUT', `/v1/products/${id}`, { key, headers, body: { delivery: { physical: true, digital: null } } })

type Lifespan = { duration: number | null; period: 'days' | null; download_limit: number | null }

/** A live order of the file. */
const sell = (
  assetId: string,
  lifespan: Lifespan | null = null,
  paidBy: 'card' | 'manual' = 'card',
  is_sandbox = false,
) =>
  shop.order(
    {
      lines: [
        digital({
          packages: [{ asset_id: assetId, name: 'Book', ext: 'pdf', size_in_bytes: bytes.length, is_sample: false }],
          lifespan,
        }),
      ],
    },
    paidBy,
    { is_sandbox },
  )

const sold = (count: number) =>
  notValidField(
    'asset_id',
    `is a file that buyers may still download, in live orders: ${count}. Revoke these downloads first.`,
  )
const inProducts = (list: string) =>
  notValidField(
    'asset_id',
    `is a file that products deliver. Remove it from delivery.digital.packages of these products first: ${list}.`,
  )

describe('a file that a product delivers', () => {
  it('is not deleted until no product has it', async () => {
    const file = await newFile()
    const [first = '', second = ''] = [await product(file), await product(file)].sort()
    expect(await refused(file)).toEqual(inProducts(`${first}, ${second}`))
    expect((await detach(first)).status).toBe(200)
    expect(await refused(file)).toEqual(inProducts(second))
    expect((await detach(second)).status).toBe(200)
    expect((await remove(file)).status).toBe(204)
  })

  it('names five products at most', async () => {
    const file = await newFile()
    const ids: string[] = []
    while (ids.length < 6) ids.push(await product(file))
    expect(await refused(file)).toEqual(inProducts(`${ids.sort().slice(0, 5).join(', ')} and others`))
  })

  it('is not deleted by a request that has waited for a product to take it up', async () => {
    const file = await newFile()
    const id = await product(await newFile())
    const deletion = await app.db.transaction(async (tx) => {
      await tx.run(holdAsset, { merchant_id: shop.id, id: file })
      const waitsForIt = remove(file)
      await expect.poll(waiting).toBe(1)
      await tx.run(attach, { merchant_id: shop.id, product_id: id, asset_id: file })
      return { waitsForIt }
    })
    expect(await replyOf(deletion.waitsForIt)).toEqual(inProducts(id))
  })
})

describe('a file of live orders', () => {
  it('is not deleted while a buyer may fetch it, paid or not, and is when the last may not', async () => {
    const file = await newFile()
    const orders = [
      await sell(file, null, 'manual'),
      await sell(file, { duration: 2, period: 'days', download_limit: null }),
      await sell(file, { duration: null, period: null, download_limit: 1 }),
    ]
    const { access_link: link = '' } = orders[2]?.fulfillment.digital.downloads[0]?.packages[0] ?? {}
    expect(await refused(file)).toEqual(sold(3))
    expect((await app.server.inject({ method: 'GET', url: pathOf(link) })).statusCode).toBe(200)
    expect(await refused(file)).toEqual(sold(2))
    app.clock.advance(2 * 86_400 + 1)
    expect(await refused(file)).toEqual(sold(1))
    const live = shop.keys.live.secret
    expect((await shop.call('POST', `/${orders[0]?.id}/cancel`, {}, live)).status).toBe(200)
    expect((await remove(file)).status).toBe(204)
  })

  it('is deleted once its downloads are refunded or revoked', async () => {
    const file = await newFile()
    const [first, second] = [await sell(file), await sell(file)]
    expect(await refused(file)).toEqual(sold(2))
    expect((await shop.call('POST', `/${first.id}/refund`, {}, shop.keys.live.secret)).status).toBe(200)
    expect(await refused(file)).toEqual(sold(1))
    await changeRows(app.db, 'update downloads set is_revoked = true', { merchant_id: shop.id, order_id: second.id })
    expect((await remove(file)).status).toBe(204)
  })

  it('is not held by orders of the sandbox, nor by those of another merchant', async () => {
    const file = await newFile()
    await sell(file, null, 'card', true)
    const other = await openShop(app)
    await other.order(
      {
        lines: [digital({ packages: [{ asset_id: file, name: 'x', ext: 'pdf', size_in_bytes: 1, is_sample: false }] })],
      },
      'card',
      {
        is_sandbox: false,
      },
    )
    expect((await remove(file)).status).toBe(204)
  })
})

const holdAsset = sql`select id from assets where merchant_id = :merchant_id and id = :id for key share`
const attach = sql`
  insert into product_packages (merchant_id, product_id, asset_id, position, is_sample)
  values (:merchant_id, :product_id, :asset_id, 9, false)`
const waiting = () => countWaitingLocks(app.db)
