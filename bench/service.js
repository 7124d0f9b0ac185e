// Runs one build of the service as in production, with its own PostgreSQL. `cartwright start` runs in its own process, with jobs, sweeps
// and one log line per request. Only the database is started directly. Everything else uses the command line and HTTP, so that any checkout
// can be measured.

import { spawn } from 'node:child_process'
import { openSync, readFileSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { cpuSeconds, familyOf, memoryOf } from './processes.js'

/** Turn off limits that are not under test. A build ignores settings that it does not know. */
export const SETTINGS = { CLIENT_REQUESTS_PER_SECOND: '0', SANDBOX_QUOTA: '0', SANDBOX_DAYS: '0', LIVE_CARTS: '0' }
const START_MS = 60_000

/**
 * @param {string} folder A built checkout.
 * @param {{ isAsInLife?: boolean, settings?: Record<string, string> }} [options] `isAsInLife`: PostgreSQL vacuums and analyses when it
 * likes.
 */
export async function openService(folder, { isAsInLife = false, settings = {} } = {}) {
  const { startEmbedded } = await import(pathToFileURL(join(folder, 'dist/db/embedded/start.js')).href)
  const dataDir = await mkdtemp(join(tmpdir(), 'cartwright-bench-'))
  const postgres = await startEmbedded({
    dataDir,
    purpose: 'server',
    settings: {
      ...(isAsInLife ? {} : { autovacuum: 'off' }),
      shared_preload_libraries: 'pg_stat_statements',
      max_wal_size: '4GB',
    },
  })
  // An interrupted bench leaves nothing behind.
  const abandon = () => {
    postgres.stopNow()
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
  }
  process.once('exit', abandon)
  const { connection } = postgres
  const { host, port, user, database } = connection
  const url = `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
  const environment = { ...process.env, ...SETTINGS, ...settings, DATABASE_URL: url, DATA_DIR: dataDir }
  const command = join(folder, 'bin/cartwright.js')
  const admin = new pg.Client(connection)
  admin.on('error', () => undefined)
  let server = null
  try {
    await admin.connect()
    await run(command, ['migrate'], environment)
    await admin.query('create extension if not exists pg_stat_statements')
    // Turned on only while statements are counted, because counting costs time.
    await admin.query('alter system set pg_stat_statements.track = none')
    await admin.query('select pg_reload_conf()')
    const shop = ['--name', 'Bench', '--email', 'bench@example.com', '--json']
    const { id, keys, dashboard } = JSON.parse(await run(command, ['merchant', 'create', ...shop], environment))
    server = await start(command, environment, dataDir)
    return {
      folder,
      connection,
      admin,
      merchantId: id,
      /** Login of the shop's owner. */
      dashboard,
      keys: keys.sandbox,
      port: server.port,
      startMs: server.startMs,
      pid: server.pid,
      send: (...request) => send(server.port, keys.sandbox.secret, ...request),
      /** CPU seconds of the server and of the database so far. */
      cpu: () => ({ server: cpuSeconds(server.pid), database: cpuSeconds(postgres.pid) }),
      memory: () => memoryOf(server.pid),
      /** Starts the same build a second time on the same database, with several HTTP processes, while `look` runs. */
      beside: async (workers, look) => {
        const other = await start(command, { ...environment, WORKERS: String(workers) }, dataDir)
        try {
          return await look({ ...other, memories: familyOf(other.pid).map(memoryOf) })
        } finally {
          await other.stop()
        }
      },
      close: () => close({ server, admin, postgres, dataDir, abandon }),
    }
  } catch (error) {
    await close({ server, admin, postgres, dataDir, abandon })
    throw error
  }
}

async function close({ server, admin, postgres, dataDir, abandon }) {
  await server?.stop()
  await admin.end().catch(() => undefined)
  await postgres.stop()
  process.off('exit', abandon)
  await rm(dataDir, { recursive: true, force: true })
}

// Without this, a signal would end the process without its `exit` event.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/** Runs a command of the build and returns its output. */
export function run(command, args, environment) {
  const child = spawn(process.execPath, [command, ...args], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'])
    child[stream].on('data', (chunk) => {
      said[stream] += chunk
    })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) =>
      code === 0 ? resolve(said.stdout) : reject(new Error(`${args[0]} ended with ${code}: ${said.stderr}`)),
    )
  })
}

export async function start(command, environment, dataDir) {
  const port = await freePort()
  const complaints = join(dataDir, `server-${port}.txt`)
  const startedAt = performance.now()
  const child = spawn(process.execPath, [command, 'start'], {
    env: { ...environment, PORT: String(port) },
    // Log lines are written as in production, but discarded.
    stdio: ['ignore', openSync('/dev/null', 'w'), openSync(complaints, 'w')],
  })
  const gone = new Promise((resolve) => child.once('exit', resolve))
  // A failed bench leaves no server behind.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  const stop = async () => {
    process.off('exit', kill)
    child.kill('SIGTERM')
    await gone
  }
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/products`).catch(() => null)
    if (answer !== null) break
    const isLate = performance.now() - startedAt > START_MS
    if (child.exitCode !== null || isLate) {
      if (isLate) await stop()
      throw new Error(`The server did not start: ${readFileSync(complaints, 'utf8')}`)
    }
    await sleep(10)
  }
  return { port, pid: child.pid, startMs: performance.now() - startedAt, stop }
}

function freePort() {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

/** Sends one request with the given key; throws on an error status. */
export async function send(port, key, method, path, body, headers = {}) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: {
      'x-authorization': key,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
  return text === '' ? null : JSON.parse(text)
}
