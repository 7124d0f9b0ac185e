// @sampled: `npm run proof` looks at all rows after each request, `npm test` after those of each area.
// Data shared by sandbox and live: shared.ts lists all of it, and no sandbox request changes what shoppers of a live shop see.

import { beforeAll, describe, expect, it, vi } from 'vitest'
import { UpdateMerchant } from '../../src/api/merchants/schema.ts'
import { announceChange, markLiveSeller } from '../../src/api/merchants/store.ts'
import { type Db, type Statement, statement } from '../../src/db/db.ts'
import { testApp } from '../support/app.ts'
import { patient } from '../support/database.ts'
import { isProof } from '../support/proof.ts'
import { ask, PROXY } from './ask.ts'
import { callersOf } from './callers.ts'
import { type Ids, openWorld } from './objects.ts'
import { PASSED_OVER, SETTINGS, TABLES, UNCOMPARED } from './shared.ts'
import { AREAS } from './table.ts'
import type { Row } from './table-row.ts'

const app = await testApp({ trustProxy: [PROXY] })

type Table = { readonly name: string; readonly has_mode: boolean }

const listTables: Statement<Table> = statement(
  'test.tables_by_mode',
  `select c.relname::text as name,
     exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'is_sandbox' and not a.attisdropped) as has_mode
   from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
   order by 1`,
)

const namesIn = (groups: Readonly<Record<string, Readonly<Record<string, string>>>>): string[] =>
  Object.values(groups).flatMap((entries) => Object.keys(entries))

describe('what both modes share', () => {
  it('puts every table without a mode into one group', async () => {
    const shared = (await app.db.many(listTables, {})).filter(({ has_mode }) => !has_mode).map(({ name }) => name)
    expect(shared.length).toBeGreaterThan(40)
    expect(namesIn(TABLES).sort()).toEqual(shared)
  })

  it('puts every field of a merchant into one group', () => {
    expect(namesIn(SETTINGS).sort()).toEqual(Object.keys(UpdateMerchant.properties).sort())
  })
})

/** Returns a reader that hashes, for each table, all rows that live shoppers see. */
async function liveReader(db: Db): Promise<() => Promise<Record<string, string | null>>> {
  const tables = (await db.many(listTables, {})).filter(({ name }) => !UNCOMPARED.has(name))
  const parts = tables.flatMap(({ name, has_mode }) => {
    const where = has_mode
      ? 'not r.is_sandbox'
      : name in TABLES.byLive
        ? 'true'
        : name === 'events'
          ? 'not r.sandbox'
          : null
    if (where === null) return []
    const row = `(to_jsonb(r) - '{${(PASSED_OVER[name] ?? []).join(',')}}'::text[])::text`
    return [
      `select '${name}' as name, md5(string_agg(${row}, E'\\n' order by ${row})) as hash from "${name}" r where ${where}`,
    ]
  })
  const read: Statement<{ name: string; hash: string | null }> = statement('test.live_rows', parts.join(' union all '))
  return async () => Object.fromEntries((await db.many(read, {})).map(({ name, hash }) => [name, hash]))
}

const CALLERS = ['the secret key', 'the session of the developer']

type Prepared = { readonly row: Row; readonly own: Ids | null }

describe('on a shop that sells live', async () => {
  const world = await openWorld(app)
  const callers = await callersOf(app, world)
  const readLive = await liveReader(app.db)
  const prepare = async (row: Row): Promise<Prepared> => {
    // A shop can have few webhooks, so they are created in turn. Everything else is created now: later the sandbox may not.
    if (row.of === undefined || row.of === 'webhook') return { row, own: null }
    return { row, own: row.isSpent ? await world.make(row.of) : await world.shared(row.of, world.shop, 2) }
  }
  const areas: [area: string, requests: [route: string, caller: string, prepared: Prepared][]][] = []
  for (const [area, rows] of Object.entries(AREAS)) {
    const requests: [string, string, Prepared][] = []
    for (const row of rows.filter(({ route, changes }) => changes && / \/v1\//.test(route)))
      for (const caller of CALLERS) requests.push([row.route, caller, await prepare(row)])
    if (requests.length > 0) areas.push([area, requests])
  }
  const [stocked, card] = [await world.make('product'), await world.make('giftCard')]
  await app.db.transaction(async (tx) => {
    await markLiveSeller(tx, { merchant_id: world.shop.id }, app.clock.now())
    await announceChange(tx)
  })
  const callerOf = (name: string) => {
    const found = callers.find((caller) => caller.name === name)
    if (found === undefined) throw new Error(`There is no caller called ${name}.`)
    return found
  }
  const isRefused = async () => {
    const key = world.shop.keys.sandbox.secret
    return (await app.call('POST', '/v1/products', { key, body: { name: 'Late', price: 1 } })).status === 403
  }
  beforeAll(async () => {
    await vi.waitUntil(isRefused, { timeout: patient(10_000) })
  }, patient(20_000))

  describe.each(areas)('what a sandbox writes of %s', (_area, requests) => {
    let before: Record<string, string | null> = {}
    beforeAll(async () => {
      before = await readLive()
    })

    it.each(requests)('%s by %s is refused, or done', async (_route, name, { row, own: made }) => {
      const own = made ?? (row.of === undefined ? { customer: world.customer } : await world.make(row.of))
      const { status, text } = await ask(app, row, callerOf(name), { own })
      // An invalid request would prove nothing.
      expect([200, 201, 202, 204, 403], text).toContain(status)
      if (isProof) expect(await readLive()).toEqual(before)
    })

    it('changes nothing that live shoppers see', async () => {
      expect(await readLive()).toEqual(before)
    })
  })

  it('takes stock and balances of the sandbox from it, and leaves those of live', async () => {
    const { sandbox, live } = world.shop.keys
    const { product = '', variant = '' } = stocked
    const call = (method: 'GET' | 'PUT', path: string, key: string, body?: object) =>
      app.server.inject({
        method,
        url: `/v1/${path}`,
        remoteAddress: PROXY,
        headers: { 'x-authorization': key, 'x-forwarded-proto': 'https' },
        ...(body && { payload: body }),
      })
    const paths: [string, object, string][] = [
      [`products/${product}`, { inventory: { available: 7 } }, 'quantity'],
      [`products/${product}/variants/${variant}`, { inventory: 7 }, 'inventory'],
      [`giftcards/${card.giftCard}`, { balance: 7 }, 'balance'],
    ]
    for (const [path, body, field] of paths) {
      const read = async (key: string) => (await call('GET', path, key)).json()[field]
      const before = await read(live.secret)
      const answer = await call('PUT', path, sandbox.secret, body)
      expect([path, answer.statusCode, answer.body]).toEqual([path, 200, answer.body])
      expect(await read(live.secret)).toEqual(before)
      expect(await read(sandbox.secret)).not.toEqual(before)
      // Together with any other field, the whole request is refused.
      const both = await call('PUT', path, sandbox.secret, { ...body, meta: { a: 1 } })
      expect([path, both.statusCode]).toEqual([path, 403])
    }
  })

  it('tells which key to use, or who may', async () => {
    const { sandbox } = world.shop.keys
    const answer = await app.call('POST', '/v1/products', { key: sandbox.secret, body: { name: 'Mug', price: 1 } })
    expect([answer.status, answer.body]).toEqual([
      403,
      {
        error: {
          type: 'forbidden',
          message:
            'This is shared by sandbox and live, and this shop sells live: change it with a live secret key (sk_…).',
        },
        status_code: 403,
      },
    ])
  })
})
