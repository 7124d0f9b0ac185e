// @proof @alone: it starts services.
// DATABASE_URL: the same service on a PostgreSQL that somebody else runs.

import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { administer, urlOf } from '../support/database.ts'
import { until } from './processes.ts'
import {
  askDoctor,
  call,
  everyAttribute,
  expectRefusal,
  isRoot,
  newDataDir,
  run,
  secretOf,
  start,
  tempFolder,
  timeout,
} from './support.ts'

/** A database with nothing in it, on the server of the test run. */
async function emptyDatabase() {
  const { template: _, ...server } = inject('postgres')
  const database = `cli_${randomBytes(8).toString('hex')}`
  await administer(server, `create database ${database}`)
  afterAll(() => administer(server, `drop database if exists ${database} with (force)`), timeout)
  return { ...server, database }
}

describe('an empty external database', { timeout }, () => {
  it('is migrated and seeded, without a PostgreSQL of our own, and is there at the next start', async () => {
    const database = await emptyDatabase()
    const DATABASE_URL = urlOf(database)
    const dataDir = newDataDir()
    // Perhaps it is somebody else's: only what is meant to begin something makes tables in it.
    expectRefusal(
      await run(['keys', 'list'], { dataDir, env: { DATABASE_URL } }),
      expect.stringMatching(/^DATABASE_URL does not lead to a database of Cartwright\. Start the service first/),
    )
    expect(
      (await administer(database, 'select relname from pg_class where relname like $$%migrations$$')).rows,
    ).toEqual([])
    const first = await start({ dataDir, env: { DATABASE_URL } })
    const ids = await everyAttribute(first)
    expect(ids.length).toBeGreaterThan(0)
    expect(await first.stop()).toMatchObject({ code: 0 })
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)

    const doctor = await askDoctor({ dataDir, env: { DATABASE_URL } })
    expect(doctor).toMatchObject({ code: 0, stdout: expect.stringContaining('ok    DATABASE_URL: PostgreSQL ') })
    const second = await start({ dataDir, env: { DATABASE_URL } })
    expect(second.keys).toEqual(first.keys)
    expect(await everyAttribute(second)).toEqual(ids)
    await second.stop()
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
  })

  it.each(['/proc/cartwright', '/proc/self'])(
    'is left alone where files have no place: DATA_DIR=%s',
    async (dataDir) => {
      const database = await emptyDatabase()
      const ended = await run(['start'], { dataDir, env: { DATABASE_URL: urlOf(database) } })
      expectRefusal(ended, expect.stringContaining(dataDir))
      expect((await administer(database, 'select relname from pg_class where relname = $$merchants$$')).rows).toEqual(
        [],
      )
    },
  )

  it('is made ready once by two that start at the same moment, and both serve it', async () => {
    const database = await emptyDatabase()
    const env = { DATABASE_URL: urlOf(database) }
    const [one, two] = await Promise.all([start({ env }), start({ env })])
    const { rows } = await administer(database, 'select name from merchants')
    expect(rows).toEqual([{ name: 'Cartwright Demo' }])
    // Who made the demo shop knows its secret keys; the other one says where to look.
    const [maker, other] = one.keys === null ? [two, one] : [one, two]
    expect(other.keys).toBeNull()
    const key = secretOf(maker)
    expect(await call(`${other.url}/v1/attributes`, key)).toMatchObject({ status: 200 })
    expect(await call(`${maker.url}/v1/attributes`, key)).toMatchObject({ status: 200 })
    expect(await Promise.all([one.stop(), two.stop()])).toMatchObject([{ code: 0 }, { code: 0 }])
  })
})

describe('a database that cannot be reached', { timeout }, () => {
  const unreachable = [
    ['nobody listens', 'postgres://shop:hunter2@127.0.0.1:1/shop', 'connect ECONNREFUSED 127.0.0.1:1'],
    ['no socket is there', 'postgres://shop:hunter2@/shop?host=/no/such/folder', 'connect ENOENT'],
  ]
  it.each(unreachable)('is one sentence without the password: %s', async (_, DATABASE_URL = '', reason = '') => {
    const dataDir = newDataDir()
    const ended = await run(['start'], { dataDir, env: { DATABASE_URL } })
    expectRefusal(ended, expect.stringMatching(/^The database cannot be reached: .*\. Check DATABASE_URL\.$/))
    expect(ended.stderr).toContain(reason)
    expect(ended.stderr).not.toContain('hunter2')
    expect(existsSync(dataDir)).toBe(false)
  })
})

const PROGRAMS = '/usr/lib/postgresql/15/bin'
const owner = isRoot ? idsOf('postgres') : {}
const missing = !existsSync(join(PROGRAMS, 'postgres'))
  ? `there is no PostgreSQL 15 in ${PROGRAMS}`
  : owner === undefined
    ? 'PostgreSQL does not run as root and there is no user postgres'
    : null

describe('PostgreSQL 15, the oldest that will do', { timeout }, () => {
  it('serves, and a wrong or missing password is one sentence', async ({ skip }) => {
    if (missing !== null) return skip(missing)
    const socket = await startPostgres15()
    const url = (credentials: string) => `postgres://${credentials}@/postgres?host=${encodeURIComponent(socket)}`
    const server = await start({ env: { DATABASE_URL: url('shop:hunter2') } })
    expect((await everyAttribute(server)).length).toBeGreaterThan(0)
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200)
    await server.stop()
    for (const credentials of ['shop:hunter3', 'shop']) {
      const ended = await run(['start'], { env: { DATABASE_URL: url(credentials) } })
      expectRefusal(
        ended,
        expect.stringMatching(/^The database cannot be reached: .*password.*\. Check DATABASE_URL\.$/),
      )
      expect(ended.stderr).not.toContain('hunter')
    }
  })
})

function idsOf(name: string): { uid: number; gid: number } | undefined {
  const line = readFileSync('/etc/passwd', 'utf8').match(new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, 'm'))
  return line ? { uid: Number(line[1]), gid: Number(line[2]) } : undefined
}

/** Returns the folder of its socket. It asks for passwords, as a server that is not ours does. */
async function startPostgres15(): Promise<string> {
  const folder = tempFolder({ inMemory: true })
  const { uid, gid } = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, ...owner }
  writeFileSync(join(folder, 'password'), 'hunter2\n')
  chownSync(folder, uid, gid)
  const options = { uid, gid, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C' } }
  const pgdata = join(folder, 'pgdata')
  execFileSync(
    join(PROGRAMS, 'initdb'),
    ['-D', pgdata, '-U', 'shop', '-A', 'scram-sha-256', '--pwfile', join(folder, 'password'), '-E', 'UTF8', '-N'],
    { ...options, stdio: 'ignore' },
  )
  const postgres = spawn(
    join(PROGRAMS, 'postgres'),
    ['-D', pgdata, '-c', 'listen_addresses=', '-c', `unix_socket_directories=${folder}`, '-c', 'fsync=off'],
    { ...options, stdio: 'ignore' },
  )
  afterAll(async () => {
    const ended = new Promise((resolve) => postgres.once('exit', resolve))
    if (postgres.exitCode === null && postgres.kill('SIGINT')) await ended
  }, timeout)
  const pidFile = join(pgdata, 'postmaster.pid')
  const isReady = () => existsSync(pidFile) && readFileSync(pidFile, 'utf8').includes('\nready')
  if (!(await until(isReady))) throw new Error('PostgreSQL 15 did not become ready.')
  return folder
}
