// A Citus cluster for the tests, where CARTWRIGHT_TEST_CITUS names its coordinator (scripts/test-citus.js sets it). Citus keeps what it
// knows of nodes and shards in each database, so a copy of a migrated database, made on every node under one name, is a sharded database.

import pg from 'pg'
import { migrate, readMigrations } from '../../src/db/migrate.ts'

export type Node = { host: string; port: number; user: string; database: string }

/** Few, so that a copy takes a moment; with two nodes there is still more than one shard on each. */
const SHARDS = 4

/** The coordinator, and the nodes that it knows besides itself. */
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

/** Makes the template on every node: an empty database that knows its nodes, then our migrations. */
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
  // Citus keeps a process of its own connected to each database, and a database that anybody is connected to cannot be copied.
  for (const node of all)
    await run(
      node,
      `alter database ${name} allow_connections false`,
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`,
    )
}

/**
 * On one server as files, where nothing is synced to a disk (global-setup.ts): copying and dropping then take half of the time. What is set for
 * a database is not copied with it: on a cluster some tests watch writes, or make one fail, by a trigger of their own.
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
