// Sends each scenario's request to the real application once and notes what it sends to the database and how long the answer is.

import pg from 'pg'
import { createApp } from '../dist/app.js'
import { readMigrations } from '../dist/db/migrate.js'
import { createLog } from '../dist/http/log.js'

/** scenario name → {statements: what node-postgres was asked, bytes: length of the body} */
export async function record(connection, dataDir, scenarios) {
  const log = createLog('silent')
  const app = await createApp({ connection, dataDir, log, migrations: await readMigrations() })
  const recorded = new Map()
  for (const { name, method = 'GET', path, headers } of scenarios) {
    const send = () => app.server.inject({ method, url: path, headers })
    // The second time, so that the key and whatever else is remembered costs no statement any more.
    await send()
    const statements = []
    const response = await listening(statements, send)
    if (response.statusCode >= 300) throw new Error(`${name}: ${response.statusCode} ${response.body}`)
    recorded.set(name, { statements, bytes: Buffer.byteLength(response.body) })
  }
  await app.close()
  return recorded
}

async function listening(statements, send) {
  const { query } = pg.Client.prototype
  pg.Client.prototype.query = function (config, ...rest) {
    // The heartbeat beats beside every request and belongs to none.
    if (typeof config === 'object' && config.text && !config.name.startsWith('heartbeat.')) {
      const { name, text, values } = config
      statements.push({ name, text, values })
    }
    return query.call(this, config, ...rest)
  }
  try {
    return await send()
  } finally {
    pg.Client.prototype.query = query
  }
}
