// One side of a measurement: a service with its database, its shop, and the ids that the scenarios use.

import { fork } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fillTables } from './full-tables.js'
import { scenarios } from './scenarios.js'
import { openService } from './service.js'
import { LINES, makeShop } from './shop.js'

/** Carts and tokens that the API creates before any are copied. */
const FIRST_CARTS = 60
const FIRST_TOKENS = 4
/** Ids that a scenario takes in turn. */
const READ = 1_000
const GROWING = 500
/** Each is added to once. */
const FRESH = 20_000
const MAIL_MS = 120_000
/** Idle connections close after half a minute, and their prepared statements are lost. */
const AWAKE_MS = 5_000

export async function openSide(folder, options) {
  const service = await openService(folder, options)
  try {
    const idle = service.memory()
    const shop = await makeShop(service.send)
    const carts = []
    for (let n = 0; n < FIRST_CARTS; n++) {
      const { id } = await service.send('GET', '/v1/carts')
      for (const choice of shop.choices.slice(0, LINES)) await service.send('POST', `/v1/carts/${id}`, choice)
      carts.push(id)
    }
    for (const id of carts.slice(0, FIRST_TOKENS)) await service.send('GET', `/v1/checkouts/${id}?type=cart`)
    const side = { service, shop, idle, startMs: service.startMs }
    await mailsSince(side, 0, 1)
    await look(side)
    await keepJob(side)
    // Make every connection plan every statement now, while the tables are nearly empty.
    for (const { name } of scenarios(side.shop)) await prepare(side, name)
    return side
  } catch (error) {
    await service.close()
    throw error
  }
}

/** Uses more clients than the service has connections. On a busy machine one may time out, so it retries. */
async function prepare(side, name) {
  for (let tries = 1; ; tries++)
    try {
      return await round(side, name, { clients: 10, seconds: 0.7 })
    } catch (error) {
      if (tries === 3) throw error
    }
}

/** Fills the tables while the service keeps running with its existing plans. */
export async function fillSide(side, filling) {
  const { admin, connection, merchantId } = side.service
  const before = await bytesOf(admin)
  // Only while nothing is measured: the folder is temporary anyway.
  await set(admin, 'fsync', 'off')
  const work = fillTables(connection, { merchantId, templates: side.shop.templates, ...filling })
  const isOver = { value: false }
  const awake = stayAwake(side, isOver)
  const startedAt = performance.now()
  try {
    side.filled = { ...(await work), seconds: (performance.now() - startedAt) / 1_000 }
  } finally {
    isOver.value = true
    await awake
    await set(admin, 'fsync', 'on')
  }
  const after = await bytesOf(admin)
  side.bytes = Object.fromEntries([...after].map(([table, bytes]) => [table, bytes - (before.get(table) ?? 0)]))
  // The first reader of each row marks it as committed. That work belongs to the filling, not to the first request.
  for (const table of after.keys()) await admin.query(`select count(*) from ${table}`)
  await admin.query('checkpoint')
  await look(side)
}

async function stayAwake(side, isOver) {
  while (!isOver.value) {
    await round(side, 'read a cart', { clients: 16, seconds: 0.1 }).catch(() => undefined)
    await sleep(AWAKE_MS)
  }
}

const set = async (admin, name, value) => {
  await admin.query(`alter system set ${name} = ${value}`)
  await admin.query('select pg_reload_conf()')
  await sleep(50)
}

const bytesOf = async (admin) => {
  const { rows } = await admin.query(
    `select relname, pg_total_relation_size(oid)::float8 as bytes from pg_class
     where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  )
  return new Map(rows.map(({ relname, bytes }) => [relname, bytes]))
}

/** Picks the ids for the scenarios, spread over the whole table, and reads the expected list totals. */
async function look(side) {
  const { admin, merchantId } = side.service
  const list = async (text, values) =>
    (await admin.query({ text, values: [merchantId, ...values], rowMode: 'array' })).rows
  const ids = (rows) => rows.map(([id]) => id)
  const carts = await list(
    `select cart_id, min(product_id) filter (where line.id = first.id)
     from cart_lines line
     join lateral (
       select id from cart_lines other
       where other.merchant_id = line.merchant_id and other.cart_id = line.cart_id order by id limit 1
     ) as first on true
     where merchant_id = $1 and cart_id <> all($4) group by cart_id having count(*) = $2 order by md5(cart_id) limit $3`,
    // Exclude the template carts, which must not change.
    [LINES, READ + GROWING + FRESH, side.shop.templates.carts],
  )
  const share = Math.min(READ, Math.floor(carts.length / 4))
  const [[total]] = await list('select count(*)::integer from products where merchant_id = $1', [])
  side.shop.totals = { products: total }
  side.targets = {
    products: ids(await list('select id from products where merchant_id = $1 order by md5(id) limit $2', [READ])),
    carts: ids(carts.slice(0, share)),
    growingCarts: carts.slice(share, share + Math.min(GROWING, share)),
    freshCarts: ids(carts.slice(2 * share)),
    tokens: ids(
      await list(
        `select t.id from checkouts t where merchant_id = $1 and not exists (
           select from orders where orders.merchant_id = t.merchant_id and orders.checkout_id = t.id
         ) order by md5(id) limit $2`,
        [READ],
      ),
    ),
  }
}

/**
 * Stores a copy of a receipt's job as a template, due in the distant future. The job itself runs within milliseconds; locking the mails
 * table keeps it visible.
 */
async function keepJob({ service, shop }) {
  const { admin, merchantId } = service
  await admin.query('begin')
  await admin.query('lock table mails in exclusive mode')
  const bought = round({ service, shop, targets: {} }, 'whole purchase', {
    clients: 1,
    seconds: 10,
    most: 1,
    isBare: true,
  })
  const kept = async () =>
    (
      await admin.query(
        `insert into jobs select (jsonb_populate_record(job, jsonb_build_object(
           'id', left(id, -6) || 'KEPT00', 'key', key || ' kept', 'is_running', false, 'due_at', now() + interval '30 days'
         ))).* from jobs job where merchant_id = $1 limit 1`,
        [merchantId],
      )
    ).rowCount
  for (let tries = 0; tries < 200 && (await kept()) === 0; tries++) await sleep(25)
  await admin.query('commit')
  await bought
}

/**
 * Runs one round of a scenario and returns count, speed and cost. A purchase is done when its mail is stored.
 * @param {{ clients: number, seconds: number, most?: number, headers?: Record<string, string>, isBare?: boolean }} options
 */
export async function round(side, name, { clients, seconds, most, headers = {}, isBare = false }) {
  const { service, shop, targets } = side
  const { uses, isOfMerchant, leavesMail, isEachOnce } = scenarios(shop).find((scenario) => scenario.name === name)
  const list = targets[uses] ?? ['']
  if (list.length === 0) throw new Error(`${name}: there is nothing left to ask for.`)
  const since = leavesMail && !isBare ? (await service.admin.query('select now()::text as now')).rows[0].now : null
  const before = isBare ? null : await spent(service)
  const startedAt = performance.now()
  const figures = await load({
    port: service.port,
    key: isOfMerchant ? service.keys.secret : service.keys.public,
    shop,
    name,
    targets: list,
    clients,
    seconds,
    most,
    headers,
  })
  if (isEachOnce) list.splice(0, figures.used)
  if (figures.error !== null) throw new Error(`${name}: ${figures.error}`)
  if (figures.count === 0) throw new Error(`${name}: nothing was done within ${seconds} s.`)
  if (isBare) return figures
  if (since !== null) await mailsSince(side, since, figures.count)
  const elapsed = since === null ? figures.seconds : (performance.now() - startedAt) / 1_000
  const after = await spent(service)
  const each = (read) => (read(after) - read(before)) / figures.count
  return {
    ...figures,
    rate: figures.count / elapsed,
    serverMs: each(({ cpu }) => cpu.server) * 1_000,
    databaseMs: each(({ cpu }) => cpu.database) * 1_000,
    walBytes: each(({ wal }) => wal),
    memory: service.memory(),
  }
}

const spent = async ({ admin, cpu }) => {
  const { rows } = await admin.query("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as wal")
  return { wal: rows[0].wal, cpu: cpu() }
}

/** Waits until the shop has stored this many mails since then. */
async function mailsSince({ service }, since, count) {
  const end = performance.now() + MAIL_MS
  for (;;) {
    const { rows } = await service.admin.query(
      `select count(*)::integer from mails where merchant_id = $1 and is_sandbox and created_at >= ${since === 0 ? "'2000-01-01'" : '$2'}`,
      since === 0 ? [service.merchantId] : [service.merchantId, since],
    )
    if (rows[0].count >= count) return
    if (performance.now() > end)
      throw new Error(`${rows[0].count} of ${count} mails were stored within ${MAIL_MS / 1_000} s.`)
    await sleep(20)
  }
}

/** Returns the statements per operation, including begin and commit, and those of the job that follows. */
export async function statementsOf(side, name, count = 30) {
  const { admin } = side.service
  const calls = async (work) => {
    await admin.query('select pg_stat_statements_reset()')
    const startedAt = performance.now()
    await work()
    const { rows } = await admin.query(
      `select sum(calls)::integer as calls from pg_stat_statements
       where dbid = (select oid from pg_database where datname = current_database())
         and query not like '%pg_stat_statements%' and query not like '%pg_wal_lsn_diff%' and query not like '%from mails where%count%'`,
    )
    return { calls: rows[0].calls ?? 0, ms: performance.now() - startedAt }
  }
  await set(admin, 'pg_stat_statements.track', 'top')
  try {
    const busy = await calls(() => round(side, name, { clients: 1, seconds: 20, most: count }))
    // Subtract background statements of the service over the same time.
    const idle = await calls(() => sleep(1_000))
    return Math.max(0, busy.calls - (idle.calls * busy.ms) / idle.ms) / count
  } finally {
    await set(admin, 'pg_stat_statements.track', 'none')
  }
}

/** Runs the load in a separate process: on the bench's own thread it would measure itself. */
export function load(task) {
  const child = fork(new URL('load.js', import.meta.url))
  child.send(task)
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`The load ended with ${code}.`)))
  })
}
