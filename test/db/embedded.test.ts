// @proof @alone: it starts PostgreSQL many times.
// The embedded PostgreSQL as one process sees it: start, stop, what is on disk and who can reach it.

import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EmbeddedError } from '../../src/db/embedded/errors.ts'
import { connectionFor, foldersOf, linkInTmp } from '../../src/db/embedded/folders.ts'
import { bindAbstract } from '../../src/db/embedded/lock.ts'
import { shortenLog } from '../../src/db/embedded/postmaster.ts'
import { startEmbedded } from '../../src/db/embedded/start.ts'
import { patient } from '../support/database.ts'
import { fast, query, readyDataDir, tempFolder } from './fixtures/embedded.ts'

const timeout = 180_000
const start = (dataDir: string, settings: Record<string, string> = fast) =>
  startEmbedded({ dataDir, purpose: 'server', settings })

describe('the first and the next start', () => {
  it('makes a database, keeps the data over a restart and stays within seconds', { timeout }, async () => {
    const dataDir = join(tempFolder(), 'data')
    const began = performance.now()
    const first = await start(dataDir, {})
    const firstMs = performance.now() - began
    expect(first.adopted).toBe(false)
    for (const [path, mode] of Object.entries({ '': 0o700, postgres: 0o700, 'postgres.log': 0o600 }))
      expect([path, statSync(join(dataDir, path)).mode & 0o777]).toEqual([path, mode])
    // Ctrl-C goes to the process group of the terminal, to which the server must not belong.
    expect(execFileSync('ps', ['-o', 'pgid=', '-p', String(first.pid)], { encoding: 'utf8' }).trim()).toBe(
      String(first.pid),
    )
    await query(first.connection, 'create table t (a int)')
    await query(first.connection, 'insert into t values (42)')
    await first.stop()
    await first.stop()

    const again = performance.now()
    const second = await start(dataDir, {})
    const secondMs = performance.now() - again
    expect(await query(second.connection, 'select a from t')).toEqual([{ a: 42 }])
    await second.stop()
    expect(firstMs).toBeLessThan(patient(15_000))
    expect(secondMs).toBeLessThan(patient(10_000))
  })

  it('runs durable, in UTF-8 with bytewise order, in UTC, with checksums, in a folder named from here', {
    timeout,
  }, async () => {
    const server = await start(relative(process.cwd(), await readyDataDir()), {})
    const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'server_encoding', 'TimeZone', 'data_checksums']
    const values = await query(
      server.connection,
      `select ${names.map((name) => `current_setting('${name}') "${name}"`).join()},
       (select datlocprovider::text || datlocale from pg_database where datname = current_database()) locale,
       (select array_agg(w order by w)::text from unnest(array['b', 'a', 'Z', 'ä']) w) sorted, current_user::text who`,
    )
    await server.stop()
    expect(values).toEqual([
      {
        fsync: 'on',
        synchronous_commit: 'on',
        full_page_writes: 'on',
        server_encoding: 'UTF8',
        TimeZone: 'UTC',
        data_checksums: 'on',
        locale: 'bC.UTF-8',
        sorted: '{Z,a,b,ä}',
        who: 'cartwright',
      },
    ])
  })

  it('waits for a server that takes seconds to answer, and says so', { timeout }, async () => {
    const dataDir = await readyDataDir()
    const messages: string[] = []
    // Each session begins with a pause, as on a machine that is very busy.
    const settings = { ...fast, pre_auth_delay: '6' }
    const server = await startEmbedded({ dataDir, purpose: 'server', settings, log: (line) => messages.push(line) })
    expect(messages).toContain(`Waiting for PostgreSQL (process ${server.pid}) to answer, for up to 60 s.`)
    await server.stop()
  })

  it('writes its log into the data folder and sets a large one aside', { timeout }, async () => {
    const dataDir = await readyDataDir()
    writeFileSync(join(dataDir, 'postgres.log'), 'x'.repeat(11 * 1024 * 1024))
    const server = await start(dataDir)
    await server.stop()
    expect(readFileSync(join(dataDir, 'postgres.log'), 'utf8')).toContain('database system is shut down')
    expect(statSync(join(dataDir, 'postgres.log')).size).toBeLessThan(100_000)
    expect(existsSync(join(dataDir, 'postgres.log.1'))).toBe(true)
  })

  it('keeps its log short while it runs', { timeout }, async () => {
    const dataDir = await readyDataDir()
    const log = join(dataDir, 'postgres.log')
    const server = await start(dataDir)
    shortenLog(foldersOf(dataDir))
    expect(existsSync(`${log}.1`)).toBe(false)
    appendFileSync(log, 'x'.repeat(11 * 1024 * 1024))
    shortenLog(foldersOf(dataDir))
    await expect(query(server.connection, 'select 1 / 0')).rejects.toThrow('division by zero')
    await server.stop()
    // What it wrote after that is there, and nothing but that.
    expect(readFileSync(log, 'utf8')).toMatch(
      /^[^\0x]*ERROR: {2}division by zero\n[^\0]*database system is shut down\n$/,
    )
    expect(statSync(`${log}.1`).size).toBeGreaterThan(11 * 1024 * 1024)
    expect(statSync(`${log}.1`).mode & 0o777).toBe(0o600)
  })

  it('writes no row and no statement into its log', { timeout }, async () => {
    const dataDir = await readyDataDir()
    const server = await start(dataDir)
    await query(server.connection, 'create table t (email text primary key)')
    await query(server.connection, "insert into t values ('somebody@example.com')")
    await expect(query(server.connection, "insert into t values ('somebody@example.com')")).rejects.toThrow('duplicate')
    await server.stop()
    const log = readFileSync(join(dataDir, 'postgres.log'), 'utf8')
    expect(log).toContain('ERROR:  duplicate key value violates unique constraint "t_pkey"')
    expect(log).not.toMatch(/somebody|DETAIL|STATEMENT/)
  })
})

/** Compared by socket, not by connecting: some other PostgreSQL may well listen on 5432 here. */
function tcpPorts(pid: number): string[] {
  const { uid, gid } = statSync(`/proc/${pid}`)
  // As its own user: root in a container may not look into the processes of others.
  const options = { cwd: '/', encoding: 'utf8' as const, ...(process.geteuid?.() === 0 ? { uid, gid } : {}) }
  const names = execFileSync('find', [`/proc/${pid}/fd`, '-lname', 'socket:*', '-printf', '%l\n'], options)
  const sockets = new Set(names.match(/\d+/g))
  expect(sockets.size).toBeGreaterThan(0)
  const lines = ['tcp', 'tcp6'].flatMap((kind) => readFileSync(`/proc/net/${kind}`, 'utf8').split('\n').slice(1))
  return lines.filter((line) => line !== '' && sockets.has(line.trim().split(/\s+/)[9] ?? ''))
}

describe('who can reach it', () => {
  it('opens no TCP port, asks every local user for the right name, and puts a loosened rule right', {
    timeout,
  }, async () => {
    const dataDir = await readyDataDir()
    writeFileSync(join(dataDir, 'postgres', 'pg_hba.conf'), 'local all all trust\n')
    const server = await start(dataDir)
    const settings = await query(server.connection, "select current_setting('listen_addresses') addresses")
    const rules = await query(server.connection, 'select type, auth_method, options from pg_hba_file_rules')
    const ports = tcpPorts(server.pid)
    await expect(query({ ...server.connection, user: 'postgres', database: 'postgres' }, 'select 1')).rejects.toThrow(
      /[Pp]eer authentication failed/,
    )
    await server.stop()
    expect(settings).toEqual([{ addresses: '' }])
    expect(rules).toEqual([{ type: 'local', auth_method: 'peer', options: ['map=cartwright'] }])
    expect(ports).toEqual([])
  })

  it('works below a path that is too long for a socket', { timeout }, async () => {
    const parent = join(tempFolder(), 'long-'.repeat(20), 'longer-'.repeat(10))
    mkdirSync(parent, { recursive: true })
    const dataDir = await readyDataDir(parent)
    expect(dataDir.length).toBeGreaterThan(170)
    const server = await start(dataDir)
    expect(Buffer.byteLength(server.connection.host)).toBeLessThan(80)
    expect(await query(connectionFor(dataDir), 'select 1 a')).toEqual([{ a: 1 }])
    // What systems without /proc do.
    const host = linkInTmp(join(dataDir, 'postgres'))
    expect(await query({ ...server.connection, host }, 'select 2 a')).toEqual([{ a: 2 }])
    rmSync(dirname(host), { recursive: true })
    await server.stop()
  })
})

describe('folders it cannot or should not use', () => {
  const sentence = (promise: Promise<unknown>) =>
    promise.then(
      () => 'no error',
      (error) => (error instanceof EmbeddedError ? error.message : `not a sentence: ${error}`),
    )

  it('names both versions for a database of another major version', { timeout }, async () => {
    const dataDir = await readyDataDir()
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '16\n')
    const message = await sentence(start(dataDir))
    expect(message).toMatch(/PostgreSQL 16, .*PostgreSQL 18.*pg_dump/)
    expect(message).not.toContain('\n')
  })

  it('starts over after an initdb that was cut short, and deletes what it left', { timeout }, async () => {
    const dataDir = join(tempFolder(), 'data')
    mkdirSync(join(dataDir, 'postgres.new-abc', 'base'), { recursive: true })
    mkdirSync(join(dataDir, 'postgres', 'base'), { recursive: true })
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '18\n')
    const server = await start(dataDir)
    expect(await query(server.connection, 'select 1 a')).toEqual([{ a: 1 }])
    await server.stop()
    const entries = readdirSync(dataDir)
    expect(entries).not.toContain('postgres.new-abc')
    // Not ours to throw away.
    expect(entries.some((entry) => entry.startsWith('postgres.incomplete-'))).toBe(true)
  })

  it('puts no empty database in the place of a damaged one', { timeout }, async () => {
    const dataDir = await readyDataDir()
    rmSync(join(dataDir, 'postgres', 'PG_VERSION'))
    expect(await sentence(start(dataDir))).toMatch(/damaged .*backup/)
  })

  it('says why PostgreSQL did not start and where its log is, and frees the folder', { timeout }, async () => {
    const dataDir = await readyDataDir()
    const message = await sentence(start(dataDir, { shared_buffers: 'much' }))
    expect(message).toContain('invalid value for parameter "shared_buffers"')
    expect(message).toContain(join(dataDir, 'postgres.log'))
    const server = await start(dataDir)
    await server.stop()
  })
})

describe('sharing within a process', () => {
  it('tells when the server dies by itself, and not when it is stopped', { timeout }, async () => {
    const dataDir = await readyDataDir()
    const server = await start(dataDir)
    server.stopNow()
    await server.exited
    await server.stop()
    const next = await start(dataDir)
    let died = false
    next.exited.then(() => {
      died = true
    })
    await next.stop()
    expect(died).toBe(false)
  })

  it('has a lock for systems without flock(1)', async () => {
    const file = join(tempFolder(), 'lock')
    const held = await bindAbstract(openSync(file, 'w'))
    expect(held).toBeDefined()
    expect(await bindAbstract(openSync(file, 'r'))).toBeUndefined()
    held?.free()
    expect(await bindAbstract(openSync(file, 'r'))).toBeDefined()
  })
})
