// Two people edit one object: every PUT accepts If-Match, or is listed as an exception. The access table says how to call each.

import { describe, expect, it } from 'vitest'
import { slices } from '../../src/app.ts'
import { findObjectReader, hasEtag } from '../../src/http/if-match.ts'
import { testApp } from '../support/app.ts'
import { addressOf, PROXY } from './ask.ts'
import { type Ids, openWorld } from './objects.ts'
import { TABLE } from './table.ts'
import { pathOf, type Row } from './table-row.ts'

const app = await testApp({ trustProxy: [PROXY] })
const world = await openWorld(app)
const key = world.shop.keys.sandbox.secret
const endpoints = slices.flatMap((slice) => slice.endpoints)
/** PUTs without If-Match: a shopper's cart and checkout, which nobody edits in parallel, and objects without a GET. */
const WITHOUT = [
  'PUT /v1/carts/:cart_id',
  'PUT /v1/carts/:cart_id/items/:line_item_id',
  'PUT /v1/checkouts/:id',
  'PUT /v1/orders/:id/fulfillments/physical/items/:item_id',
  'PUT /v1/orders/:id/transactions/:transaction_id',
  'PUT /v1/products/:id/variant_groups/:group_id/options/:option_id',
]

const puts = TABLE.filter(({ route }) => route.startsWith('PUT /v1/'))
const endpointOf = (route: string) => endpoints.find(({ method, path }) => `${method} ${path}` === route)
const readerFor = ({ route }: Row) => {
  const endpoint = endpointOf(route)
  return endpoint ? findObjectReader(endpoint, endpoints) : null
}
const conditional = puts.filter((row) => readerFor(row) !== null)

/** Returns the row for the GET of the object that a row changes. */
const objectOf = (row: Row): Row => ({ ...row, route: `GET ${readerFor(row)?.path}` })

let count = 1_000
const get = (row: Row, ids: Ids, headers: Record<string, string> = {}, version?: string) =>
  app.call('GET', addressOf(objectOf(row), ids), { key, headers, ...(version && { version }) })

/** The body differs each time, so that each write changes the object. */
const put = (row: Row, ids: Ids, ifMatch: string | null, version?: string) => {
  app.clock.advance(1)
  return app.call('PUT', addressOf(row, ids), {
    key,
    headers: ifMatch === null ? {} : { 'if-match': ifMatch },
    // A shop has no time of its last change, so the same text again would change nothing.
    body: row.route === 'PUT /v1/merchants' ? { description: `A shop, ${++count}.` } : (row.body?.(ids, ++count) ?? {}),
    ...(version && { version }),
  })
}

const idsFor = async (row: Row): Promise<Ids> => (row.of ? world.make(row.of) : {})

describe('every PUT', () => {
  it('takes an If-Match, or is listed here', () => {
    expect(puts.filter((row) => readerFor(row) === null).map(({ route }) => route)).toEqual(
      expect.arrayContaining(WITHOUT),
    )
    expect(conditional.length + WITHOUT.length).toBe(puts.length)
  })

  it.each(WITHOUT)('%s refuses one instead of going on without it', async (route) => {
    const row = puts.find((each) => each.route === route) as Row
    const answer = await put(row, await idsFor(row), '"x"')
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('If-Match')])
  })
})

describe.each(conditional.map((row) => [row.route, row] as const))('%s', (_, row) => {
  it('goes through with the ETag that was read, and refuses any other with what the object is now', async () => {
    const ids = await idsFor(row)
    const first = await get(row, ids)
    const etag = String(first.headers.etag)
    expect([first.status, etag]).toEqual([200, expect.stringMatching(/^"[\w-]{27}"$/)])

    // Time does not change the ETag, not even for URLs that are signed for an hour.
    app.clock.advance(4_000)
    expect((await get(row, ids)).headers.etag).toBe(etag)
    const refused = await put(row, ids, '"another"')
    expect([refused.status, refused.headers.etag]).toEqual([409, etag])
    const { body } = await get(row, ids)
    expect(unsigned(refused.body)).toEqual(
      unsigned({ error: { ...(refused.body as Refused).error, type: 'conflict', current: body }, status_code: 409 }),
    )
    expect((await get(row, ids)).headers.etag).toBe(etag)

    const changed = await put(row, ids, `W/"another", ${etag}`)
    expect([changed.status, changed.text]).toEqual([200, changed.text])
    const now = (await get(row, ids)).headers.etag
    expect(now).not.toBe(etag)
    if (changed.headers.etag !== undefined) expect(changed.headers.etag).toBe(now)
    expect((await put(row, ids, etag)).status).toBe(409)
    expect((await put(row, ids, '*')).status).toBe(200)
    expect((await put(row, ids, null)).status).toBe(200)
  })

  it('lets one of several win that were sent at the same moment with the same ETag', async () => {
    const ids = await idsFor(row)
    const etag = String((await get(row, ids)).headers.etag)
    const answers = await Promise.all(Array.from({ length: 4 }, () => put(row, ids, etag)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409])
  })

  it('speaks of the object as the version of the request shows it', async () => {
    const ids = await idsFor(row)
    const version = '2020-02-01'
    const { headers, body } = await get(row, ids, {}, version)
    const refused = await put(row, ids, '"another"', version)
    expect([refused.status, unsigned((refused.body as Refused).error?.current)]).toEqual([409, unsigned(body)])
    const allowed = await put(row, ids, String(headers.etag), version)
    // Other requirements of an older version are not under test.
    expect(allowed.status).not.toBe(409)
  })
})

type Refused = { error: { current?: unknown } }
const unsigned = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll(/\?expires=\d+&signature=[\w-]+/g, ''))

describe('If-Match', () => {
  it('is told apart from a list of tags, and of something that is not there the answer is a 404', async () => {
    const { product } = await world.make('product')
    const send = (id: string, ifMatch: string) =>
      app.call('PUT', `/v1/products/${id}`, { key, body: { name: 'X' }, headers: { 'if-match': ifMatch } })
    for (const wrong of ['abc', '"a', '', 'W/', '"a" "b"', '"a",*'])
      expect([wrong, (await send(product ?? '', wrong)).status]).toEqual([wrong, 400])
    for (const tag of ['"a"', '*']) expect((await send(`prod_${'0'.repeat(26)}`, tag)).status).toBe(404)
    const foreign = await world.make('product', world.stranger)
    expect((await send(foreign.product ?? '', '"a"')).status).toBe(404)
    // Proxies that compress a response write its ETag like this.
    const etag = String((await app.call('GET', `/v1/products/${product}`, { key })).headers.etag)
    expect((await send(product ?? '', etag.replace(/"$/, '-gzip"'))).status).toBe(200)
    const now = String((await app.call('GET', `/v1/products/${product}`, { key })).headers.etag)
    const both = await app.call('PUT', `/v1/products/${product}`, {
      key,
      body: { name: 'Y' },
      headers: { 'if-match': now, 'if-none-match': now },
    })
    expect(both.status).toBe(200)
  })

  it('sees the stock that a product shows, and not what it is looked up by', async () => {
    const made = (await app.call('POST', '/v1/products', {
      key,
      body: { name: 'Stocked', price: 1, sku: 'looked-up', inventory: { managed: true, available: 3 } },
    })) as { body: unknown }
    const { id } = made.body as { id: string }
    const by = async (path: string) => (await app.call('GET', `/v1/products/${path}`, { key })).headers.etag
    const etag = await by(id)
    expect(await by('looked-up?type=sku')).toBe(etag)
    await app.call('PUT', `/v1/products/${id}`, { key, body: { inventory: { on_hand: 3 } } })
    const after = await by(id)
    app.clock.advance(5)
    await app.call('PUT', `/v1/products/${id}`, { key, body: { inventory: { on_hand: 2 } } })
    expect(await by(id)).not.toBe(after)
  })
})

describe('a GET of one object', () => {
  it('is not sent again to who has it, and is when it has changed', async () => {
    const { attribute } = await world.make('attribute')
    const read = (etag: string) =>
      app.call('GET', `/v1/attributes/${attribute}`, { key, headers: { 'if-none-match': etag } })
    const etag = String((await read('"x"')).headers.etag)
    const known = await read(`"x", W/${etag}`)
    expect([known.status, known.text, known.headers.etag]).toEqual([304, '', etag])
    app.clock.advance(1)
    await app.call('PUT', `/v1/attributes/${attribute}`, { key, body: { name: 'Else' } })
    expect((await read(etag)).status).toBe(200)
  })

  it('has an ETag wherever there is one kind of object, but for what shoppers gather', () => {
    const without = endpoints.filter(
      (each) => each.method === 'GET' && each.returns && '$id' in each.returns && !hasEtag(each),
    )
    expect(without.filter(({ metered, noStore }) => !metered && !noStore).map(({ operation }) => operation)).toEqual([])
    expect(TABLE.some((row) => pathOf(row) === '/v1/products/:id')).toBe(true)
  })
})
