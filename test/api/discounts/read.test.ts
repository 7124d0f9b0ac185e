// GET /v1/discounts and /v1/discounts/{id}; and for every endpoint of discounts, whose key it takes and whose discounts it knows.

import { describe, expect, it } from 'vitest'
import type { Discount } from '../../../src/api/discounts/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { START } from '../../support/shop.ts'
import { openShop, shown, use } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const other = await openShop(app)
await other.create({ code: 'FOREIGN' })

const summer = await shop.create({ code: 'SUMMER', expires: START + 60 })
const made = [summer]
for (const code of ['Summer-2', 'winter', '100%_OFF']) {
  app.clock.advance(1)
  made.push(await shop.create({ code }))
}

const list = async (query: string) => {
  const answer = await shop.call('GET', `discounts${query}`)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  const { data, meta } = answer.body as { data: Discount[]; meta: { pagination: { total: number } } }
  return [data.map(({ code }) => code), meta.pagination.total]
}

/** The codes in the first column of the export. */
const exported = async (query: string, of = shop) =>
  (await of.call('GET', `discounts/export${query}`)).text
    .trim()
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(',')[0])

describe('GET /v1/discounts', () => {
  it.each([
    ['?limit=1&page=2', ['Summer-2'], 4],
    ['?query=SUMMER', ['SUMMER', 'Summer-2'], 2],
    ['?query=mer-', ['Summer-2'], 1],
    ['?query=%25_', ['100%_OFF'], 1],
    [`?query=${summer.id}`, ['SUMMER'], 1],
    ['?query=', ['SUMMER', 'Summer-2', 'winter', '100%_OFF'], 4],
    ['?query=FOREIGN', [], 0],
    ['?is_expired=true', [], 0],
    ['?is_expired=false&query=summer', ['SUMMER', 'Summer-2'], 2],
  ])('picks by %s, and so does the export', async (query, codes, total) => {
    expect(await list(query)).toEqual([codes, total])
    if (!query.includes('limit')) expect(await exported(query)).toEqual(codes)
  })

  it('tells the expired from the others', async () => {
    const later = await openShop(app)
    await later.create({ code: 'SHORT', expires: START + 100 })
    await later.create({ code: 'LONG', expires: START + 101 })
    await later.create({ code: 'ENDLESS' })
    app.clock.advance(START + 100 - app.clock.now().getTime() / 1_000)
    const codes = async (isExpired: boolean) => {
      const { body } = await later.call('GET', `discounts?is_expired=${isExpired}`)
      return (body as { data: Discount[] }).data.map(({ code }) => code).sort()
    }
    expect([await codes(true), await codes(false)]).toEqual([['SHORT'], ['ENDLESS', 'LONG']])
    expect(await exported('?is_expired=true', later)).toEqual(['SHORT'])
    expect((await exported('?is_expired=false', later)).sort()).toEqual(['ENDLESS', 'LONG'])
  })
})

it('GET /v1/discounts/{id} counts the uses of the mode of the key, in a list too', async () => {
  const { id } = await other.create({ code: 'MODES' })
  await use(app.db, other.id, id, true, 3)
  await use(app.db, other.id, id, false, 5)
  const { sandbox, live } = other.keys
  const moment = Math.floor(app.clock.now().getTime() / 1_000)
  const both = shown({ code: 'MODES', created: moment, updated: moment })
  expect(await other.get(id, sandbox.secret)).toEqual({ ...both, used: 3 })
  expect(await other.get(id, live.secret)).toEqual({ ...both, used: 5 })
  const listed = await other.call('GET', `discounts?query=${id}`, undefined, live.secret)
  expect(listed.body).toMatchObject({ data: [{ id, used: 5 }] })
})
