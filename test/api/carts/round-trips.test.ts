// @alone
// What carts cost the database: how many statements each operation sends, and that reading one and adding to one look everything
// up by an index, in a shop of some thousand products.

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { cloneDatabase, isOnCitus, patient } from '../../support/database.ts'
import { roundTripsOf, type Sent } from '../../support/sent.ts'
import { addVariant, choose, clothing } from '../products/variants/support.ts'
import { openCartShop } from './support.ts'

const connection = await cloneDatabase()
const app = await testApp({ connection })
const { shop, call, newCart, add } = await openCartShop(app)
const shirt = await clothing(shop, { inventory: { managed: true, available: 1_000_000 } })
const variant = await addVariant(app, shop, shirt.id, { options: choose(shirt, 'Red', 'S') })
const mug = await shop.create()
await app.call('POST', '/v1/discounts', {
  key: shop.keys.sandbox.secret,
  body: { type: 'percentage', value: 10, code: 'TEN', limit: 100 },
})

/** The heartbeat beats beside every request and belongs to none; whose a key is, is remembered for most. */
const BESIDE = /^(heartbeat\.|merchants\.find_caller)/

/** What the service sends while `work` runs, in order. */
async function sentBy(work: () => Promise<{ status: number }>): Promise<Sent[]> {
  const trips = await roundTripsOf(async () => expect((await work()).status).toBeLessThan(500))
  return trips.flatMap(({ statements }) => statements).filter(({ name }) => !BESIDE.test(name ?? ''))
}

const names = (sent: readonly Sent[]) => sent.map(({ name, text }) => name ?? text)

describe('the statements of an operation', async () => {
  const blue = choose(shirt, 'Blue', 'S')
  const cart = await newCart()
  await add(cart, mug)
  const { line_items } = await add(cart, shirt, { variant_id: variant.id })
  // What lines show of their products is known by now, but for what is new below.
  const before = await newCart()
  await add(before, shirt, { options: blue })
  await add(before, shirt, { options: choose(shirt, 'Red') })
  const open = `/${before.id}`
  const [first, second] = line_items.map(({ id }) => `/${cart.id}/items/${id}`)
  const path = `/${cart.id}`

  it.each([
    ['creating', 'GET', '', undefined, []],
    ['reading', 'GET', path, undefined, ['carts.find']],
    ['listing the lines', 'GET', `${path}/items`, undefined, ['carts.find']],
    ['adding a new line', 'POST', path, { id: shirt.id, options: blue }, ['carts.find_with_wish', 'carts.put_line']],
    [
      'adding a variant',
      'POST',
      path,
      { id: shirt.id, variant_id: variant.id },
      ['carts.find_with_wish', 'carts.put_line'],
    ],
    [
      'an add that is refused',
      'POST',
      path,
      { id: shirt.id, quantity: 1_000_000, options: blue },
      ['carts.find_with_wish'],
    ],
    [
      'changing the options',
      'PUT',
      second,
      { options: blue },
      ['carts.find', 'carts.find_with_wish', 'carts.join_lines'],
    ],
    [
      'a choice that nobody has made here yet',
      'POST',
      path,
      { id: shirt.id, options: choose(shirt, 'Blue', 'L') },
      ['carts.find_with_wish', 'lines.find_goods', 'carts.put_line'],
    ],
    ['reading, while something counted is left to choose', 'GET', open, undefined, ['carts.find', 'lines.find_stock']],
    ['adding to a line', 'POST', path, { id: mug.id }, ['carts.find_with_wish', 'carts.put_line']],
    ['setting a quantity', 'PUT', first, { quantity: 3 }, ['carts.find', 'carts.put_line']],
    ['setting the meta', 'PUT', path, { meta: {} }, ['carts.make_or_update', 'carts.find']],
    [
      'entering a code',
      'PUT',
      path,
      { discount_code: 'ten' },
      ['discounts.guess_usable', 'carts.make_or_update', 'carts.find'],
    ],
    ['a code that is refused', 'PUT', path, { discount_code: 'no' }, ['discounts.guess_usable', 'carts.exists']],
    ['removing a line', 'DELETE', first, undefined, ['carts.find', 'carts.remove_line']],
    ['emptying', 'DELETE', `${path}/items`, undefined, ['begin', 'carts.lock', 'carts.empty', 'commit']],
    ['deleting', 'DELETE', path, undefined, ['begin', 'carts.make_or_delete', 'carts.delete_lines', 'commit']],
  ] as const)('are few: %s', async (_what, method, where = '', body, expected) => {
    expect(names(await sentBy(() => call(method, where, body)))).toEqual(expected)
  })
})

/** The round trips of one request, each as the names of its statements. */
async function tripsOf(work: () => Promise<{ status: number }>): Promise<string[][]> {
  const trips = await roundTripsOf(async () => expect((await work()).status).toBeLessThan(500))
  return trips
    .map(({ statements }) => names(statements).filter((name) => !BESIDE.test(name)))
    .filter((trip) => trip.length > 0)
}

describe('a cart that has no row yet', () => {
  it('is made without a question, and its first line costs two round trips of one statement', {
    timeout: patient(60_000),
  }, async () => {
    let id = ''
    const made = await tripsOf(async () => {
      const answer = await call('GET', '')
      id = (answer.body as { id: string }).id
      return answer
    })
    expect(made).toEqual([])
    const add = () => call('POST', `/${id}`, { id: mug.id })
    expect(await tripsOf(add)).toEqual([['carts.find_with_wish'], ['carts.make_with_line']])
    expect(await tripsOf(add)).toEqual([['carts.find_with_wish'], ['carts.put_line']])
  })

  it.each([
    ['reading', 'GET', '', undefined, [['carts.find']]],
    ['a product that there is none of', 'POST', '', { id: 'prod_none' }, [['carts.find_with_wish']]],
    ['a line that it does not have', 'DELETE', '/items/item_none', undefined, [['carts.find']]],
    ['setting the meta', 'PUT', '', { meta: {} }, [['carts.make_or_update'], ['carts.find']]],
    [
      'emptying',
      'DELETE',
      '/items',
      undefined,
      [
        ['begin', 'carts.lock', 'carts.empty', 'commit'],
        ['begin', 'carts.make', 'carts.lock', 'carts.empty', 'commit'],
      ],
    ],
    ['deleting', 'DELETE', '', undefined, [['begin', 'carts.make_or_delete', 'carts.delete_lines', 'commit']]],
  ] as const)('is asked for as one that has: %s', async (_what, method, path, body, expected) => {
    const { id } = await newCart()
    expect(await tripsOf(() => call(method, `/${id}${path}`, body))).toEqual(expected)
  })
})

/** Thousands of everything that a cart looks at, so that reading a table from end to end would be a mistake. */
const LOAD = `
  insert into products (
    merchant_id, id, name, permalink, description, price, is_active, is_tax_exempt, is_pay_what_you_want,
    is_inventory_managed, sort_order, collects_fullname, collects_billing_address, is_physical, created_at, updated_at
  )
  select $M, 'prod_' || n, 'Product', 'product-' || n, '', 100, true, false, false, true, 0, false, false, true, now(), now()
  from generate_series(1, 3000) n;
  insert into assets (
    merchant_id, id, filename, file_key, file_extension, content_type, is_image, file_size, is_private, is_pending,
    created_at, updated_at
  )
  select $M, 'ast_' || n, 'a.png', 'a', 'png', 'image/png', true, 1, false, false, now(), now()
  from generate_series(1, 3000) n;
  insert into product_assets (merchant_id, product_id, asset_id, position)
  select $M, 'prod_' || n, 'ast_' || m, m from generate_series(1, 3000) n, generate_series(1, 3) m;
  insert into variant_groups (merchant_id, product_id, id, position, name, created_at, updated_at)
  select $M, 'prod_' || n, 'vgrp_' || n || m, m, 'Group', now(), now()
  from generate_series(1, 3000) n, generate_series(1, 2) m;
  insert into variant_options (merchant_id, product_id, group_id, id, position, name, price_delta, created_at, updated_at)
  select $M, 'prod_' || n, 'vgrp_' || n || m, 'optn_' || n || m || o, o, 'Option', 5, now(), now()
  from generate_series(1, 3000) n, generate_series(1, 2) m, generate_series(1, 3) o;
  insert into variants (merchant_id, product_id, id, options, created_at, updated_at)
  select $M, 'prod_' || n, 'vrnt_' || n || o, jsonb_build_object('vgrp_' || n || 1, 'optn_' || n || 1 || o,
    'vgrp_' || n || 2, 'optn_' || n || 2 || o), now(), now()
  from generate_series(1, 3000) n, generate_series(1, 3) o;
  insert into variant_assets (merchant_id, product_id, variant_id, asset_id, position)
  select $M, 'prod_' || n, 'vrnt_' || n || 1, 'ast_' || n, 1 from generate_series(1, 3000) n;
  insert into stock (merchant_id, product_id, item_id, is_sandbox, available)
  select $M, 'prod_' || n, item, mode, 1000
  from generate_series(1, 3000) n, unnest(array['prod_' || n, 'vrnt_' || n || 1]) item, unnest(array[true, false]) mode;
  insert into discounts (merchant_id, id, code, type, value, product_ids, created_at, updated_at)
  select $M, 'code_' || n, 'code' || n, 'fixed', 100, '{}', now(), now() from generate_series(1, 3000) n;
  insert into discount_uses (merchant_id, discount_id, is_sandbox, used)
  select $M, 'code_' || n, true, 1 from generate_series(1, 3000) n;
  insert into carts (merchant_id, id, is_sandbox, created_at, updated_at, expires_at)
  select $M, 'cart_' || n, true, now(), now(), now() from generate_series(1, 3000) n;
  insert into cart_lines (merchant_id, cart_id, id, product_id, name, options, quantity)
  select $M, 'cart_' || n, 'item_' || m, 'prod_' || m, 'Product', '{}', 1
  from generate_series(1, 3000) n, generate_series(1, 5) m;
`

describe.skipIf(isOnCitus())('in a shop of some thousand products', () => {
  const client = new pg.Client(connection)
  let sent: Sent[] = []

  beforeAll(async () => {
    await client.connect()
    await client.query(LOAD.replaceAll('$M', String(shop.id)))
    await client.query('vacuum analyze')
    // As on the service's own connections. A table of one row would be read as a whole otherwise.
    await client.query('set enable_seqscan = off')
    const cart = await newCart()
    for (const n of [1, 2, 3, 4]) await add(cart, { id: `prod_${n}` }, { variant_id: `vrnt_${n}1` })
    const body = { id: shirt.id, options: choose(shirt, 'Red', 'L') }
    sent = await sentBy(() => call('POST', `/${cart.id}`, body))
    sent.push(...(await sentBy(() => call('GET', `/${cart.id}`))))
    const unwritten = await newCart()
    sent.push(...(await sentBy(() => call('POST', `/${unwritten.id}`, { id: mug.id }))))
    sent.push(...(await sentBy(() => call('PUT', `/${unwritten.id}`, { meta: {} }))))
    sent.push(...(await sentBy(() => call('DELETE', `/${unwritten.id}`))))
    const { id: line } = (await add(cart, mug)).line_items[0] ?? { id: '' }
    sent.push(...(await sentBy(() => call('DELETE', `/${cart.id}/items/${line}`))))
  })
  afterAll(() => client.end())

  it.each([
    ['carts.find', 7, 1_000],
    ['carts.find_with_wish', 9, 1_000],
    ['carts.put_line', 1, 1_000],
    ['carts.remove_line', 2, 1_000],
    ['carts.delete_lines', 2, 1_000],
    // Once for what nobody has shown here yet.
    ['lines.find_goods', 14, 10_000],
  ])('%s only looks up by index', async (name, fewest, most) => {
    const asked = sent.find((each) => each.name === name)
    // Both may be used: PostgreSQL decides after a statement has been sent five times.
    for (const options of ['costs', 'generic_plan']) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (${options}) ${asked?.text}`,
        options === 'generic_plan' ? [] : (asked?.values ?? []),
      )
      const plan = rows.map((row) => row['QUERY PLAN'])
      expect(plan.filter((line) => /Index (Only )?Scan using/.test(line)).length).toBeGreaterThanOrEqual(fewest)
      expect(plan.filter((line) => /Seq Scan|Bitmap/.test(line))).toEqual([])
      // Above 100,000 PostgreSQL would compile the statement first, each time.
      const cost = Number(/\.\.([\d.]+)/.exec(plan[0] ?? '')?.[1])
      expect(cost).toBeLessThan(most)
    }
  })
})
