// A Citus cluster for the tests. CARTWRIGHT_TEST_CITUS names its coordinator (scripts/test-citus.js sets it). Citus stores its metadata
// about nodes and shards in each database. So a migrated database, copied under one name on every node, is a sharded database.

import pg from 'pg'
import { migrate, readMigrations } from '../../src/db/migrate.ts'

export type Node = { host: string; port: number; user: string; database: string }

/** Few shards, so that copying is fast; two nodes still have more than one each. */
const SHARDS = 4

/** Returns the coordinator and the other nodes that it knows. */
export async function findNodes(url: string): Promise<{ coordinator: Node; nodes: Node[] }> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { host, port, user = '', database = '' } = client
    const coordinator = { host, port, user, database }
    const { rows } = await client.query<{ host: string; port: number }>(
      'select nodename as host, nodeport as port from pg_dist_node where groupid > 0 order by nodeid',
    )
    return { coordinator, nodes: rows.map((row) => ({ ...coordinator, ...row })) }
  } finally {
    await client.end()
  }
}

/** Creates the template on every node: an empty database with the nodes registered, then our migrations. */
export async function makeTemplate(coordinator: Node, nodes: readonly Node[], name: string): Promise<void> {
  const all = [coordinator, ...nodes]
  await Promise.all(
    all.map(async (node) => {
      await run(node, `drop database if exists ${name} with (force)`, `create database ${name}`)
      await run(
        { ...node, database: name },
        'create extension citus',
        `alter database ${name} set citus.shard_count = ${SHARDS}`,
      )
    }),
  )
  const template = { ...coordinator, database: name }
  await run(
    template,
    `select citus_set_coordinator_host('${coordinator.host}', ${coordinator.port})`,
    ...nodes.map(({ host, port }) => `select citus_add_node('${host}', ${port})`),
  )
  await migrate(template, await readMigrations())
  // Citus keeps one of its own processes connected to each database, and a database with connections cannot be copied.
  for (const node of all)
    await run(
      node,
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
    )
}

/**
 * A single server copies files, since it syncs nothing to disk (global-setup.ts): copying and dropping then take half the time. A copy does
 * not inherit the database's settings. On a cluster some tests watch or fail writes with triggers, which need this setting.
 */
export const copyDatabase = (all: readonly Node[], template: string, name: string) =>
  Promise.all(
    all.map((node) =>
      all.length === 1
        ? run(node, `create database ${name} template ${template} strategy file_copy`)
        : run(
            node,
            `create database ${name} template ${template}`,
            `alter database ${name} set citus.enable_unsafe_triggers = on`,
          ),
    ),
  )

export const dropDatabase = (all: readonly Node[], name: string) =>
  Promise.all(all.map((node) => run(node, `drop database if exists ${name} with (force)`)))

async function run(node: Node, ...statements: readonly string[]) {
  const client = new pg.Client(node)
  client.on('error', () => undefined)
  await client.connect()
  try {
    for (const text of statements) await client.query(text)
  } finally {
    await client.end()
  }
}
