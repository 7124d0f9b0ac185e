// Sends each scenario's requests to the real application once and notes what it sends to the database and how long the answers are.

import pg from 'pg'
import { createApp } from '../dist/app.js'
import { readMigrations } from '../dist/db/migrate.js'
import { createLog } from '../dist/http/server/log.js'
import { newId } from '../dist/lib/ids.js'
import { fillIn } from './placeholders.js'

const IDS = /[a-z]+_[0-9A-Za-z]{26}/g

/**
 * scenario → {steps: for each the statements that node-postgres was asked and the length of the body, n and target: what stood
 * for the placeholders, made: the ids that these very requests made}
 */
export async function record(connection, dataDir, scenarios) {
  const log = createLog('silent')
  const app = await createApp({
    connection,
    dataDir,
    log,
    migrations: await readMigrations(),
    clientRequestsPerSecond: 0,
  })
  const recorded = new Map()
  for (const scenario of scenarios) {
    const [first = [], second = first] = scenario.isEachOnce ? scenario.targets.splice(-2) : scenario.targets
    // The second time, so that the key and whatever else is remembered costs no statement any more.
    await runOnce(app, scenario, { n: 'recorded', target: first, ids: [] })
    const before = newId('event', app.clock.now()).slice(4, 13)
    const run = { n: 'recording', target: second, ids: [] }
    const steps = await runOnce(app, scenario, run)
    const values = steps.flatMap(({ statements }) => statements.flatMap((statement) => statement.values ?? []))
    const named = new Set(values.flatMap((value) => JSON.stringify(value)?.match(IDS) ?? []))
    // An id begins with the time of its birth.
    const made = [...named].filter((id) => id.slice(-26, -17) >= before)
    recorded.set(scenario, { steps, n: run.n, target: second, made })
  }
  await app.close()
  return recorded
}

async function runOnce(app, { name, steps, headers }, run) {
  const taken = []
  for (const { method = 'GET', path, body } of steps) {
    const statements = []
    const payload = body === undefined ? {} : { payload: JSON.parse(fillIn(JSON.stringify(body), run)) }
    const response = await listening(statements, () =>
      app.server.inject({ method, url: fillIn(path, run), headers, ...payload }),
    )
    if (response.statusCode >= 300) throw new Error(`${name}: ${response.statusCode} ${response.body}`)
    run.ids.push(response.json().id)
    taken.push({ statements, bytes: Buffer.byteLength(response.body) })
  }
  return taken
}

async function listening(statements, send) {
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (config, ...rest) {
    if (typeof config === 'string') statements.push({ text: config })
    // A round trip has one statement or several. The heartbeat beats beside every request and belongs to none.
    for (const { name, text, values } of config.statements ?? [])
      if (!name.startsWith('heartbeat.')) statements.push({ name, text, values })
    return query.call(this, config, ...rest)
  }
  try {
    return await send()
  } finally {
    pg.Client.prototype.query = query
  }
}
