// GET /v1/discounts/export: the list as a table. read.test.ts proves its filters.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { START } from '../../support/shop.ts'
import { openShop, use } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)

const HEAD = 'code,id,type,value,currency,limit,used,expires,product_ids,description,created,updated'

const exported = async (key?: string) => {
  const answer = await shop.call('GET', 'discounts/export', undefined, key)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  expect(answer.text.startsWith(`\uFEFF${HEAD}\r\n`)).toBe(true)
  return answer.text.slice(HEAD.length + 3, -2).split('\r\n')
}

const mug = await shop.product('Mug')
const percent = await shop.create({
  code: 'SUMMER',
  value: 12.5,
  limit: 10,
  expires: START + 3_600,
  product_ids: [mug],
})
app.clock.advance(1)
const fixed = await shop.create({ code: '@HOME', type: 'fixed', value: 5, description: 'Five, off' })
await use(app.db, shop.id, percent.id, true, 3)

describe('an export of discounts', () => {
  it('is a table of what the list shows, and nothing of it is a formula', async () => {
    expect(await exported()).toEqual([
      `SUMMER,${percent.id},percentage,12.5,,10,3,2026-01-02 04:04:05,${mug},,2026-01-02 03:04:05,2026-01-02 03:04:05`,
      `'@HOME,${fixed.id},fixed,5.00,USD,,0,,,"Five, off",2026-01-02 03:04:06,2026-01-02 03:04:06`,
    ])
  })

  it('counts the uses of the mode of the key, and has times of the shop’s time zone', async () => {
    const live = shop.keys.live.secret
    await shop.succeed(200, 'PUT', 'merchants', { time_zone: 'America/New_York' }, live)
    const [line] = await exported(live)
    await shop.succeed(200, 'PUT', 'merchants', { time_zone: 'UTC' }, live)
    expect(line).toContain('percentage,12.5,,10,0,2026-01-01 23:04:05,')
  })

  it('holds every code once, part by part, whatever the filter', async () => {
    const own = await openShop(app)
    const made = Array.from({ length: 203 }, (_, index) => `PART-${index}`)
    for (const code of made) await own.create({ code })
    for (const query of ['', '?query=part', '?is_expired=false', '?is_expired=false&query=part']) {
      const { text } = await own.call('GET', `discounts/export${query}`)
      const lines = text.trim().split('\r\n').slice(1)
      expect(lines.map((line) => line.split(',')[0]).toSorted()).toEqual(made.toSorted())
    }
  })
})
