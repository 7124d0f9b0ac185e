// @proof: it fills lists with 13 MB.
// A page of a list has an end, whatever its entries hold.

import { describe, expect, it, vi } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { testApp } from '../support/app.ts'
import { openShop } from '../support/shop.ts'

const fillOf = (table: string, more = '') =>
  statement(
    `test.fill_${table}`,
    `update ${table} set description = repeat('x', :length)${more} where merchant_id = :merchant_id`,
  )
const FILLS = [fillOf('products', ', version = version + 1'), fillOf('categories'), fillOf('variants')]
/** The longest description that is accepted. */
const LONG = 65_535

describe('a page of entries that are long', async () => {
  const app = await testApp({ clientRequestsPerSecond: 0 })
  const shop = await openShop(app)
  const { secret, public: key } = shop.keys.sandbox
  const merchant_id = shop.id
  await Promise.all(
    Array.from({ length: 200 }, async (_, n) => {
      await app.call('POST', '/v1/products', { key: secret, body: { name: `Mug ${n}`, price: 1 } })
      await app.call('POST', '/v1/categories', { key: secret, body: { name: 'Mugs', slug: `mugs-${n}` } })
    }),
  )
  const made = await app.call('POST', '/v1/products', {
    key: secret,
    body: {
      name: 'Shirt',
      price: 1,
      variant_groups: [{ name: 'Size', options: Array.from({ length: 200 }, (_, size) => ({ name: `Size ${size}` })) }],
    },
  })
  const { id: shirt } = made.body as { id: string }
  await app.call('POST', `/v1/products/${shirt}/variants/generate`, { key: secret })
  const lists = ['/v1/products', '/v1/categories', `/v1/products/${shirt}/variants`]
  const read = (path: string, query: string, by = key) => app.call('GET', `${path}?${query}`, { key: by })
  const fill = (length: number) => app.db.together((all) => FILLS.map((each) => all.run(each, { merchant_id, length })))

  it('is shown while it has 4 MB', async () => {
    await fill(18_000)
    for (const path of lists) {
      const { status, text, body } = await read(path, 'limit=200')
      expect([path, status]).toEqual([path, 200])
      expect(text.length).toBeGreaterThan(200 * 18_000)
      expect(body).toMatchObject({ meta: { pagination: { count: 200, per_page: 200 } } })
    }
  })

  it('is refused above, by a sentence that names a limit which is not', async () => {
    await fill(LONG)
    for (const path of lists) {
      const refused = await read(path, 'limit=200')
      expect([path, refused.status]).toEqual([path, 422])
      const [sentence = ''] = (refused.body as { error: { errors: { limit: string[] } } }).error.errors.limit
      const fitting = /^limit must be smaller here, such as (\d+): .+ more than 4 MB\.$/.exec(sentence)?.[1]
      expect(Number(fitting)).toBeGreaterThan(40)
      const { status, text, body } = await read(path, `limit=${fitting}`)
      expect([path, status]).toEqual([path, 200])
      expect(text.length).toBeGreaterThan(3_500_000)
      expect(body).toMatchObject({
        meta: {
          pagination: { count: Number(fitting), links: { next: `http://localhost:80${path}?limit=${fitting}&page=2` } },
        },
      })
    }
  })

  it('is refused before all of it is in memory', async () => {
    await fill(LONG)
    const sent: number[] = []
    const many = app.db.many
    const spy = vi.spyOn(app.db, 'many').mockImplementation(async (...given) => {
      const rows = await many(...given)
      if (given[0].name === 'products.find_many') sent.push(rows.length)
      return rows as never
    })
    expect((await read('/v1/products', 'limit=200')).status).toBe(422)
    spy.mockRestore()
    expect(sent.reduce((sum, count) => sum + count, 0)).toBeLessThan(100)
    const one = vi.spyOn(app.db, 'one')
    expect((await read('/v1/categories', 'limit=200')).status).toBe(422)
    const rows = await Promise.all(one.mock.results.map(({ value }) => value as Promise<{ rows?: unknown[] }>))
    one.mockRestore()
    expect(rows.filter((row) => Array.isArray(row.rows)).map((row) => row.rows?.length)).toEqual([0])
  })

  it('is shown to the secret key, and with one entry to everybody', async () => {
    await fill(LONG)
    for (const path of lists) {
      expect([path, (await read(path, 'limit=200', secret)).status]).toEqual([path, 200])
      expect([path, (await read(path, 'limit=1')).status]).toEqual([path, 200])
    }
  })
})
