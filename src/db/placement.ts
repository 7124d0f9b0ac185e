// Report of `doctor` about a sharded database: its nodes, the tables on each, and the place of one shop. Changes nothing. It uses its own
// client: Citus tables exist on no other database, so the pool could not prepare these statements.

import pg from 'pg'
import type { ConnectionSettings } from './pool.ts'
import { COLOCATION_TABLE, isSharded, UNPLACED_TABLES_SQL } from './shards.ts'

type Node = {
  readonly address: string
  readonly isCoordinator: boolean
  readonly isActive: boolean
  /** Number of shards of one table. All distributed tables have the same number in the same places. */
  readonly shards: number
  readonly bytes: number
}

export type Placement = {
  readonly nodes: readonly Node[]
  readonly tables: { readonly distributed: number; readonly reference: number; readonly local: number }
  /** Tables of shops that are not distributed yet and lie on the coordinator. */
  readonly unplaced: readonly string[]
}

/** `isAlone`: no other shop has rows in its shard. */
export type ShopPlacement = { readonly shardId: string; readonly address: string; readonly isAlone: boolean }

/** Null if the database is a plain PostgreSQL. */
export async function inspectPlacement(connection: ConnectionSettings): Promise<Placement | null> {
  return withClient(connection, async (client) => {
    if (!(await isSharded(client))) return null
    const nodes = await client.query<Node>(NODES, [COLOCATION_TABLE])
    const tables = await client.query<Placement['tables']>(TABLES)
    const unplaced = await client.query<{ name: string }>(UNPLACED_TABLES_SQL)
    const [counts = { distributed: 0, reference: 0, local: 0 }] = tables.rows
    return { nodes: nodes.rows, tables: counts, unplaced: unplaced.rows.map(({ name }) => name) }
  })
}

/** Node with the rows of this shop; null if nothing is distributed. */
export async function findShopPlacement(
  connection: ConnectionSettings,
  merchant_id: number,
): Promise<ShopPlacement | null> {
  return withClient(connection, async (client) => {
    if (!(await isSharded(client))) return null
    const { rows } = await client.query<ShopPlacement>(SHOP, [COLOCATION_TABLE, merchant_id])
    return rows[0] ?? null
  })
}

const ADDRESS = "node.nodename || ':' || node.nodeport"

const NODES = `
  select ${ADDRESS} as address, node.groupid = 0 as "isCoordinator", node.isactive as "isActive",
    count(shard.shardid) filter (where shard.table_name::text = $1)::integer as shards,
    coalesce(sum(shard.shard_size), 0)::float8 as bytes
  from pg_dist_node node
  left join citus_shards shard on shard.nodename = node.nodename and shard.nodeport = node.nodeport
  where node.noderole = 'primary'
  group by node.nodeid
  order by node.groupid`

const TABLES = `
  select count(*) filter (where placed.partmethod = 'h')::integer as distributed,
    count(*) filter (where placed.repmodel = 't')::integer as reference,
    count(*) filter (where placed.logicalrelid is null)::integer as local
  from pg_class class
  left join pg_dist_partition placed on placed.logicalrelid = class.oid
  where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p')`

const SHOP = `
  select shard.shardid::text as "shardId", ${ADDRESS} as address, shard.shardminvalue = shard.shardmaxvalue as "isAlone"
  from pg_dist_shard shard
  join pg_dist_placement placement using (shardid)
  join pg_dist_node node on node.groupid = placement.groupid and node.noderole = 'primary'
  where shard.shardid = get_shard_id_for_distribution_column($1, $2::integer)`

async function withClient<T>(connection: ConnectionSettings, query: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...connection, application_name: 'cartwright doctor' })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await query(client)
  } finally {
    await client.end()
  }
}
