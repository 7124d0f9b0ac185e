// What doctor says of a database that is spread over several machines; where the tests run on Citus, of that one.

import { describe, expect, inject, it } from 'vitest'
import { describePlacement, describeShop } from '../../src/cli/shards.ts'
import { findShopPlacement, inspectPlacement, type Placement } from '../../src/db/placement.ts'
import { administer, cloneDatabase } from '../support/database.ts'

const MB = 1024 * 1024
const COORDINATOR = { address: 'a:5432', isCoordinator: true, isActive: true, shards: 0, bytes: 0 }
const WORKER = { address: 'b:5432', isCoordinator: false, isActive: true, shards: 16, bytes: 20.5 * MB }
const PLACEMENT: Placement = {
  nodes: [COORDINATOR, WORKER],
  tables: { distributed: 48, reference: 3, local: 5 },
  unplaced: [],
}

describe('doctor tells of a sharded database', () => {
  it('its tables and nodes', () => {
    expect(describePlacement(PLACEMENT)).toEqual([
      {
        ok: true,
        text: 'shards: 48 tables in 16 shards each, by merchant; 3 copied to every node; 5 only on the coordinator',
      },
      { ok: true, text: 'node a:5432, the coordinator: no shops' },
      { ok: true, text: 'node b:5432: the shops of 16 shards, 21 MB' },
    ])
  })

  it.each<[Partial<Placement>, object]>([
    [{ nodes: [{ ...WORKER, isActive: false }] }, { ok: false, text: 'node b:5432: is known, but not in use' }],
    [
      { nodes: [{ ...COORDINATOR, shards: 16 }] },
      {
        ok: true,
        isWarning: true,
        text: 'shards: all shards are on the coordinator; add nodes with citus_add_node, then citus_rebalance_start',
      },
    ],
    [
      { unplaced: ['carts', 'orders'] },
      {
        ok: false,
        text: 'shards: carts, orders not distributed, because the database had tables before it had Citus; copy its rows into a new database (docs/shards.md)',
      },
    ],
  ])('what is wrong with it: %j', (more, line) => {
    expect(describePlacement({ ...PLACEMENT, ...more })).toContainEqual(line)
  })

  const PLACE = { shardId: '12', address: 'b:5432' }
  it.each([
    [{ ...PLACE, isAlone: false }, 'merchant 7: on b:5432, in the shard 12 of events, with other shops'],
    [{ ...PLACE, isAlone: true }, 'merchant 7: on b:5432, in the shard 12 of events, the only shop in its shard'],
    [null, 'merchant 7: in the only database, with all other shops'],
  ])('where a shop is: %o', (place, text) => {
    expect(describeShop(7, place)).toEqual({ ok: true, text })
  })
})

const { length: nodes } = inject('nodes')

it.runIf(nodes === 0)('a plain PostgreSQL has nothing to tell', async () => {
  const connection = await cloneDatabase()
  expect(describePlacement(await inspectPlacement(connection))).toEqual([])
  expect(await findShopPlacement(connection, 1)).toBeNull()
})

it.runIf(nodes > 0)('on Citus the shops are on the nodes, and one can be given a shard of its own', async () => {
  const connection = await cloneDatabase()
  const placement = await inspectPlacement(connection)
  expect(placement?.nodes).toHaveLength(nodes + 1)
  expect(placement?.unplaced).toEqual([])
  expect(placement?.tables).toMatchObject({ reference: 3, local: 5 })
  expect(await findShopPlacement(connection, 7)).toMatchObject({ isAlone: false })
  await administer(connection, "select isolate_tenant_to_new_shard('events', 7, 'CASCADE', 'block_writes')")
  expect(await findShopPlacement(connection, 7)).toMatchObject({ isAlone: true })
})
