// Measures the CPU of an operation on Citus, for the server and all database servers together. It compares a plain PostgreSQL with one, two
// and three cluster nodes on this machine.
// Run `CITUS_URL=postgres://postgres@127.0.0.1:5432/postgres node bench/shards.js` after `npm run build`. The coordinator must know two
// workers, and nobody else should use the cluster. The plain PostgreSQL is a database of the coordinator's server without the extension, so
// version and settings are the same.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { readOptions } from './options.js'
import { cpuSeconds, parentOf } from './processes.js'
import { run, SETTINGS, send, start } from './service.js'
import { LINES, makeShop } from './shop.js'
import { load } from './side.js'
import { medianOf } from './statistics.js'

const COMMAND = fileURLToPath(new URL('../bin/cartwright.js', import.meta.url))
const SCENARIOS = ['read a cart', 'add to a line', 'token', 'whole purchase']
const CARTS = 40
const IDLE_MS = 3_000
const MAIL_MS = 120_000

const { rounds, seconds, clients } = readOptions({ rounds: 3, seconds: 3, clients: 8 })
const url = new URL(
  process.env.CITUS_URL ?? fail('Set CITUS_URL to the address of a coordinator that knows two workers.'),
)
const coordinator = { host: url.hostname, port: Number(url.port || 5432), user: url.username || 'postgres' }
const workers = await ask({ ...coordinator, database: url.pathname.slice(1) }, (client) =>
  client.query('select nodename as host, nodeport as port from pg_dist_node where groupid > 0 order by nodeid'),
)
if (workers.rows.length < 2) fail('The coordinator knows fewer than two workers.')
const nodes = [coordinator, ...workers.rows.map((node) => ({ ...coordinator, ...node }))]

console.log(
  `| CPU of one, in ms: server + database | ${SCENARIOS.join(' | ')} |\n|---|${SCENARIOS.map(() => '---').join('|')}|`,
)
for (const [count, title] of ['plain PostgreSQL', 'Citus, 1 node', 'Citus, 2 nodes', 'Citus, 3 nodes'].entries()) {
  const figures = await measure(`cartwright_bench_${count}`, nodes.slice(0, count))
  console.log(
    `| ${title} | ${figures.map(({ server, database }) => `${shown(server)} + ${shown(database)}`).join(' | ')} |`,
  )
}

/** @param {typeof nodes} used None: without the extension. */
async function measure(database, used) {
  const servers = used.length === 0 ? [coordinator] : used
  const dataDir = await mkdtemp(join(tmpdir(), 'cartwright-bench-'))
  const address = `postgres://${coordinator.user}@${coordinator.host}:${coordinator.port}/${database}`
  const environment = { ...process.env, ...SETTINGS, DATABASE_URL: address, DATA_DIR: dataDir }
  let server = null
  try {
    for (const node of servers) await remake(node, database)
    if (used.length > 0) await spread(used, database)
    await run(COMMAND, ['migrate'], environment)
    const about = ['--name', 'Bench', '--email', 'bench@example.com', '--json']
    const { id, keys } = JSON.parse(await run(COMMAND, ['merchant', 'create', ...about], environment))
    const postmasters = []
    for (const node of servers) postmasters.push(await postmasterOf(node, database))
    server = await start(COMMAND, environment, dataDir)
    const side = {
      port: server.port,
      key: keys.sandbox.public,
      send: (...request) => send(server.port, keys.sandbox.secret, ...request),
      spent: () => ({
        server: cpuSeconds(server.pid),
        database: postmasters.reduce((sum, pid) => sum + cpuSeconds(pid), 0),
      }),
      mails: async () => {
        const { rows } = await ask({ ...coordinator, database }, (client) =>
          client.query('select count(*)::integer as count from mails where merchant_id = $1', [id]),
        )
        return rows[0].count
      },
    }
    return await measureAll(side)
  } finally {
    await server?.stop()
    await rm(dataDir, { recursive: true, force: true })
    for (const node of servers) await drop(node, database)
  }
}

async function measureAll(side) {
  const shop = await makeShop(side.send)
  const carts = []
  for (let n = 0; n < CARTS; n++) {
    const { id } = await side.send('GET', '/v1/carts')
    for (const choice of shop.choices.slice(0, LINES)) await side.send('POST', `/v1/carts/${id}`, choice)
    carts.push(id)
  }
  const [first] = shop.choices
  const targets = { 'add to a line': carts.slice(CARTS / 2).map((cart) => [cart, first.id]) }
  const results = []
  for (const name of SCENARIOS) {
    const task = {
      port: side.port,
      key: side.key,
      shop,
      name,
      targets: targets[name] ?? carts.slice(0, CARTS / 2),
      clients,
      headers: {},
    }
    // Warm up: every connection plans its statements first.
    await loaded(side, { ...task, seconds: 2 })
    const idle = await idleOf(side)
    const figures = []
    for (let n = 0; n < rounds; n++) figures.push(await loaded(side, { ...task, seconds }, idle))
    results.push({
      server: medianOf(figures.map(({ server }) => server)),
      database: medianOf(figures.map(({ database }) => database)),
    })
  }
  return results
}

/** Returns the CPU of a second without requests: heartbeat, jobs and the cluster's own upkeep. */
async function idleOf(side) {
  const before = side.spent()
  await sleep(IDLE_MS)
  const after = side.spent()
  const each = (of) => (1_000 * (after[of] - before[of])) / IDLE_MS
  return { server: each('server'), database: each('database') }
}

/** Returns the CPU milliseconds per operation, minus those that an idle service would use in the same time. */
async function loaded(side, task, idle = { server: 0, database: 0 }) {
  const mailsBefore = task.name === 'whole purchase' ? await side.mails() : 0
  const [before, startedAt] = [side.spent(), performance.now()]
  const { count, error } = await load(task)
  if (error !== null) throw new Error(`"${task.name}": ${error}`)
  // A purchase is done when its receipt mail is stored.
  if (task.name === 'whole purchase') await untilMails(side, mailsBefore + count)
  const [after, elapsed] = [side.spent(), (performance.now() - startedAt) / 1_000]
  const each = (of) => (1_000 * Math.max(0, after[of] - before[of] - idle[of] * elapsed)) / count
  return { server: each('server'), database: each('database') }
}

async function untilMails(side, count) {
  const end = performance.now() + MAIL_MS
  while ((await side.mails()) < count) {
    if (performance.now() > end) throw new Error('The mails of the receipts were not stored in time.')
    await sleep(50)
  }
}

async function remake(node, database) {
  await drop(node, database)
  await ask({ ...node, database: 'postgres' }, (client) => client.query(`create database ${database}`))
}

function drop(node, database) {
  return ask({ ...node, database: 'postgres' }, (client) =>
    client.query(`drop database if exists ${database} with (force)`),
  )
}

async function spread(used, database) {
  for (const node of used) await ask({ ...node, database }, (client) => client.query('create extension citus'))
  const [first, ...others] = used
  await ask({ ...first, database }, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [first.host, first.port])
    for (const { host, port } of others) await client.query('select citus_add_node($1, $2)', [host, port])
    // A single node stores the shards itself; with other nodes it only coordinates.
    if (others.length === 0)
      await client.query("select citus_set_node_property($1, $2, 'shouldhaveshards', true)", [first.host, first.port])
  })
}

/** Returns the server's main process, the parent of all others. */
async function postmasterOf(node, database) {
  return ask({ ...node, database }, async (client) => {
    const { rows } = await client.query('select pg_backend_pid() as pid')
    return parentOf(rows[0].pid)
  })
}

async function ask(node, work) {
  const client = new pg.Client(node)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

function shown(milliseconds) {
  return milliseconds.toFixed(milliseconds < 10 ? 2 : 1)
}

function fail(sentence) {
  console.error(sentence)
  process.exit(1)
}
