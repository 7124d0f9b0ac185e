import { describe, expect, it } from 'vitest'
import { statement } from '../../../src/db/db.ts'
import { testApp } from '../../support/app.ts'
import { base64, download, filesOnDisk, png, put, runJobs, upload } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await app.merchant()
const key = shop.keys.sandbox.secret
const create = (as = key) => upload(app, as, { filename: 'a.png', contents: base64(png()) })
const remove = (id: string, as = key) => app.call('DELETE', `/v1/assets/${id}`, { key: as })

describe('DELETE /v1/assets/{asset_id}', () => {
  it('answers 204 with nothing, and the asset, its address and then its bytes are gone', async () => {
    const { id, url } = await create()
    const kept = await create()
    const answer = await remove(id)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await app.call('GET', `/v1/assets/${id}`, { key })).status).toBe(404)
    expect((await download(app, url)).status).toBe(404)
    await runJobs(app)
    const files = await filesOnDisk(app)
    expect(files.filter((name) => name.includes(id))).toEqual([])
    expect(files.filter((name) => name.includes(kept.id))).toHaveLength(1)
    expect((await download(app, kept.url)).status).toBe(200)
  })

  it('deletes a pending asset, with the bytes that may have arrived', async () => {
    const bare = await upload(app, key, { filename: 'a.png', pending: true })
    const arrived = await upload(app, key, { filename: 'a.png', pending: true })
    await put(app, arrived.upload_url, png())
    expect([(await remove(bare.id)).status, (await remove(arrived.id)).status]).toEqual([204, 204])
    await runJobs(app)
    expect((await filesOnDisk(app)).filter((name) => name.includes(arrived.id))).toEqual([])
  })

  it('detaches an asset that is still attached', async () => {
    const { id } = await create()
    const attach = statement(
      'test.attach',
      `with category as (
         insert into categories (merchant_id, id, slug, name, description, meta, created_at, updated_at)
         values (:merchant_id, 'cat_1', 'office', 'Office', '', '{}', now(), now()) returning merchant_id, id
       )
       insert into category_assets (merchant_id, category_id, asset_id, position)
       select merchant_id, id, :asset_id, 1 from category`,
    )
    await app.db.run(attach, { merchant_id: shop.id, asset_id: id })
    expect((await remove(id)).status).toBe(204)
    const left = statement<{ count: number }>(
      'test.attached',
      'select count(*) from category_assets where merchant_id = :merchant_id',
    )
    expect((await app.db.one(left, { merchant_id: shop.id })).count).toBe(0)
  })
})
