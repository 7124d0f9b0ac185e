// Products as a table: what is exported can be imported again and changes nothing; what was changed in it changes that and no more.

import { describe, expect, it } from 'vitest'
import type { ProductBatch } from '../../../src/api/products/batch/schema.ts'
import { readCsv } from '../../../src/api/products/table/csv.ts'
import { testApp } from '../../support/app.ts'
import { atOnce, refusedFields } from '../../support/shop.ts'
import { runJobs } from '../assets/support.ts'
import { addCategory, eventsOf, openShop, type Shop, UNKNOWN_ID } from './support.ts'

const app = await testApp({ trustProxy: ['127.0.0.1'] })

const exported = async (shop: Shop, query = ''): Promise<string> => {
  const answer = await shop.call('GET', `/export${query}`)
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
  return answer.text
}

async function imported(shop: Shop, csv: string, dryRun?: boolean): Promise<ProductBatch> {
  const body = { csv, ...(dryRun === undefined ? {} : { dry_run: dryRun }) }
  const { id } = await shop.succeed<ProductBatch>(202, 'POST', '/import', body)
  await runJobs(app)
  return shop.succeed<ProductBatch>(200, 'GET', `/batch/${id}`)
}

const states = ({ results }: ProductBatch) => results.map(({ state }) => state)
const cellsIn = (csv: string) => {
  const table = readCsv(csv)
  return 'rows' in table ? table.rows.map(({ cells }) => cells) : []
}

/** With everything in it that a spreadsheet might take for something else. */
async function furnished(shop: Shop) {
  const category = await addCategory(app, shop, 'hats')
  await shop.create({ name: '=1+1', price: '12.50', sku: '-5', description: 'Line, "one"\r\nline; two\ttab' })
  await shop.create({ name: "'=quoted", price: 0, seo: { title: '@me', description: "'tis" }, sort_order: -3 })
  await shop.create({
    name: 'Ünïcödé 漢字 🎩',
    price: 7,
    categories: [category.id],
    inventory: { managed: true, available: 4 },
  })
  await shop.create({ name: 'Plain', price: 1, active: false, tax_exempt: true, delivery: { weight: 300 } })
}

describe('an export', () => {
  it('has a line for each product, and no cell that a spreadsheet would run', async () => {
    const shop = await openShop(app)
    await furnished(shop)
    const csv = await exported(shop, '?sortBy=created')
    expect(csv.startsWith('\uFEFFid,name,sku,permalink,active,price,on_hand,')).toBe(true)
    const raw = csv.slice(1).split('\r\n')[1] ?? ''
    expect(raw).toMatch(/^prod_\w+,'=1\+1,'-5,1-1,true,12\.50,,/)
    expect(csv).toContain(",''=quoted,")
    const [, ...rows] = cellsIn(csv)
    expect(rows.map(([, name]) => name)).toEqual(['=1+1', "'=quoted", 'Ünïcödé 漢字 🎩', 'Plain'])
    expect(rows.map((cells) => cells[6])).toEqual(['', '', '4', ''])
    expect(cellsIn(await exported(shop, '?active=false')).length).toBe(2)
    expect(cellsIn(await exported(shop, '?stock_below=5')).map(([, name]) => name)).toEqual(['name', 'Ünïcödé 漢字 🎩'])
    expect((await exported(shop, '?query=nobody')).split('\r\n').length).toBe(2)
  })

  it('goes through more products than are read at once', async () => {
    const shop = await openShop(app)
    await atOnce(201, (index) => shop.create({ name: `P${index}` }))
    expect(cellsIn(await exported(shop)).length).toBe(202)
  }, 120_000)
})

describe('an import', () => {
  it('of what was exported changes nothing, and tells nobody', async () => {
    const shop = await openShop(app)
    await furnished(shop)
    const csv = await exported(shop)
    const before = (await eventsOf(app, shop)).length
    const batch = await imported(shop, csv)
    expect([batch.refused, states(batch)]).toEqual([0, ['unchanged', 'unchanged', 'unchanged', 'unchanged']])
    expect([await exported(shop), (await eventsOf(app, shop)).length]).toEqual([csv, before])
    // As a spreadsheet writes it that has opened it.
    const rewritten = csv.slice(1).replaceAll('12.50', '12.5').replaceAll('true', 'TRUE').replaceAll('\r\n', '\n')
    expect(new Set(states(await imported(shop, rewritten)))).toEqual(new Set(['unchanged']))
  })

  it('changes what differs and no more, and makes what has no id', async () => {
    const shop = await openShop(app)
    const hat = await shop.create({ name: 'Hat', price: 5, sku: 'H', inventory: { managed: true, available: 3 } })
    const csv = `id;name;price;on_hand\r\n${hat.id};Hat;6.50;3\r\n;"Cap; red";4;\r\n`
    const batch = await imported(shop, csv)
    expect(batch.results.map(({ name, state, line }) => [name, state, line])).toEqual([
      ['Hat', 'changed', 2],
      ['Cap; red', 'changed', 3],
    ])
    const changed = { name: 'Hat', sku: 'H', price: { raw: 6.5 }, inventory: { available: 3 } }
    expect(await shop.get(hat.id)).toMatchObject(changed)
    const cap = await shop.get(batch.results[1]?.id ?? '')
    expect(cap).toMatchObject({ name: 'Cap; red', price: { raw: 4 }, inventory: { managed: false } })
  })

  it('says what is wrong by line and column, and does the other lines', async () => {
    const shop = await openShop(app)
    const stranger = await openShop(app)
    const theirs = await stranger.create({ name: 'Theirs' })
    const hat = await shop.create({ name: 'Hat', price: 5 })
    const lines = [
      'id,name,price,active,on_hand,categories',
      `${hat.id},Hat,cheap,perhaps,-1,nowhere`,
      `${UNKNOWN_ID},X,1,true,,`,
      `${theirs.id},Mine,1,true,,`,
      `,"two\nlines",1,true,,`,
      ',,,,,',
      ',New,,true,,',
      `${hat.id},Hat,6,true,,`,
      ',Many,1,true,,,,more',
    ]
    const { results, refused, total } = await imported(shop, lines.join('\n'))
    expect([total, refused]).toEqual([7, 6])
    expect(results.map(({ line, state, errors }) => [line, state, errors.map(({ column }) => column)])).toEqual([
      [2, 'refused', ['price', 'active', 'on_hand', 'categories']],
      [3, 'refused', []],
      [4, 'refused', []],
      [5, 'changed', []],
      [8, 'refused', ['price']],
      [9, 'refused', [null]],
      [10, 'refused', [null]],
    ])
    // So that a client can show the messages alone.
    for (const { column, message } of results.flatMap(({ errors }) => errors))
      if (column !== null) expect(message).toMatch(new RegExp(`^${column} `))
    expect(results[0]?.errors[0]?.message).toBe('price must be a number or a decimal string such as 12.00, in USD.')
    expect([results[2]?.name, results[2]?.message]).toEqual([null, 'There is no product with that id.'])
    expect((await stranger.get(theirs.id)).name).toBe('Theirs')
    expect((await shop.get(hat.id)).price.raw).toBe(5)
  })

  it('refuses cells that are longer than the field of the API', async () => {
    const shop = await openShop(app)
    const long = 'x'.repeat(1_001)
    const { results } = await imported(shop, `name,price,sku,seo_title\n${long},1,${long},${long}\nFine,1,S-1,Title`)
    expect(results.map(({ state }) => state)).toEqual(['refused', 'changed'])
    expect(results[0]?.errors).toEqual([
      { column: 'name', message: 'name must be at most 255 characters long.' },
      { column: 'sku', message: 'sku must be at most 255 characters long.' },
      { column: 'seo_title', message: 'seo_title must be at most 1000 characters long.' },
    ])
  })

  it('tried first writes nothing, and says the same', async () => {
    const shop = await openShop(app)
    const hat = await shop.create({ name: 'Hat', price: 5 })
    const csv = `id,name,price\n${hat.id},Hat,6\n,Cap,1\n,,1\n`
    const trial = await imported(shop, csv, true)
    expect([trial.dry_run, states(trial)]).toEqual([true, ['changed', 'changed', 'refused']])
    expect(trial.results[1]?.id).toBe(null)
    expect(await shop.names()).toEqual(['Hat'])
    expect((await shop.get(hat.id)).price.raw).toBe(5)
    expect(states(await imported(shop, csv))).toEqual(states(trial))
  })

  it.each([
    '',
    'name,price',
    'name,colour\nHat,red',
    'name,name\nHat,Hat',
    'price\n1',
    'name,price\n"Hat,1',
    'name,price\n"Hat"x,1',
    `name,price\n${'a,1\n'.repeat(2_001)}`,
  ])('is refused as a whole where it is no such table: %j', async (csv) => {
    const shop = await openShop(app)
    expect(await refusedFields(shop.call('POST', '/import', { csv }))).toEqual([422, ['csv']])
  })
})
