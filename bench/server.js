// One server to be measured, in a process of its own: ours, or one of the two floors.

import fastify from 'fastify'
import pg from 'pg'
import { POOL_SIZE } from '../dist/db/pool.js'
import { replayed } from './replay.js'

const { kind, connection, dataDir, recorded } = JSON.parse(process.argv[2])
const server = await { cartwright, statements: bareStatements, constant }[kind]()
process.on('message', () => {
  global.gc()
  process.send({ rss: Math.round(process.memoryUsage.rss() / 1024 / 1024) })
})
process.on('SIGTERM', () => process.exit(0))
// A run that fails must leave no server behind.
process.on('disconnect', () => process.exit(0))
process.send({ port: server.address().port })

async function cartwright() {
  const { createApp } = await import('../dist/app.js')
  const { createLog } = await import('../dist/http/server/log.js')
  const { readMigrations } = await import('../dist/db/migrate.js')
  // As it runs in production: one log line per request, written to nowhere.
  const log = createLog('info', () => undefined)
  const app = await createApp({
    connection,
    dataDir,
    log,
    migrations: await readMigrations(),
    clientRequestsPerSecond: 0,
  })
  await app.server.listen({ port: 0, host: '127.0.0.1' })
  return app.server.server
}

/** The same statements in the same transactions, the same values, the same number of connections; and nothing else. */
async function bareStatements() {
  const pool = new pg.Pool({ ...connection, max: POOL_SIZE })
  const steps = replayed(recorded)
  const app = fastify()
  app.all('/*', async ({ headers }) => {
    let client = pool
    let rows
    try {
      for (const query of steps(Number(headers['x-step']), headers['x-n'], headers['x-target'])) {
        if (query.text === 'begin') client = await pool.connect()
        rows = (await client.query(query)).rows
        if (query.text !== 'commit') continue
        client.release()
        client = pool
      }
    } finally {
      if (client !== pool) client.release(true)
    }
    return rows
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}

async function constant() {
  const bodies = recorded.steps.map(({ bytes }) => JSON.stringify({ filler: 'x'.repeat(Math.max(0, bytes - 13)) }))
  const app = fastify()
  app.all('/*', ({ headers }, reply) => reply.type('application/json; charset=utf-8').send(bodies[headers['x-step']]))
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app.server
}
