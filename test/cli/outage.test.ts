// @proof @alone: it kills databases.
// A database that dies under a running service: the same process answers 503 until it is back, and loses nothing that it acknowledged.

import { copyFileSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { startEmbedded } from '../../src/db/embedded/start.ts'
import { httpProcessesOf, isAlive, noPostgresOf, postgresOf, postmasterOf, signal, until } from './processes.ts'
import {
  call,
  everyAttribute,
  expectRefusal,
  newDataDir,
  type Running,
  run,
  secretOf,
  start,
  tempFolder,
  timeout,
  usedDataDir,
} from './support.ts'

const statusOf = async ({ url }: Running, path: string) => (await fetch(`${url}${path}`)).status
const isReady = (server: Running) => until(async () => (await statusOf(server, '/health/ready')) === 200)

const attribute = { name: 'Colour', description: '', type: 'short_text' }
const add = async (server: Running) => call(`${server.url}/v1/attributes`, secretOf(server), 'POST', attribute)

const deaths: ((postmaster: number) => void)[] = [
  (pid) => signal(pid, 'SIGKILL'),
  (pid) => signal(pid, 'SIGQUIT'),
  // With all of its processes, which are a group of their own.
  (pid) => signal(-pid, 'SIGKILL'),
]

describe('a running service whose PostgreSQL is killed', { timeout }, () => {
  it.each(['1', '2'])('starts it again and goes on, however it was killed, with WORKERS=%s', async (WORKERS) => {
    const dataDir = await usedDataDir(tempFolder())
    const server = await start({ dataDir, env: { WORKERS } })
    const processes = WORKERS === '1' ? [server.pid] : httpProcessesOf(server.pid)
    const acknowledged: string[] = []
    const seen = new Set<number>()
    let isOver = false
    const writers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const { status, body } = await add(server)
        seen.add(status)
        if (status === 201) acknowledged.push((body as { id: string }).id)
        else await pause(20)
      }
    })
    // With several processes the way is the same; they only have to find the new one.
    for (const kill of WORKERS === '1' ? deaths : deaths.slice(-1)) {
      const [before, postmaster] = [acknowledged.length, postmasterOf(dataDir)]
      expect(await until(() => acknowledged.length > before + 20)).toBe(true)
      kill(postmaster)
      expect(await until(() => !isAlive(postmaster))).toBe(true)
      expect(await statusOf(server, '/health/live')).toBe(200)
      const after = acknowledged.length
      expect(await until(() => acknowledged.length > after + 20)).toBe(true)
      expect(postmasterOf(dataDir)).not.toBe(postmaster)
    }
    isOver = true
    await Promise.all(writers)
    expect([...seen].filter((status) => status !== 201 && status !== 503)).toEqual([])
    const kept = new Set(await everyAttribute(server))
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
    expect(await isReady(server)).toBe(true)
    expect(processes.filter((pid) => !isAlive(pid))).toEqual([])
    expect(server.stderr).toContain('PostgreSQL stopped unexpectedly and is being restarted')
    expect(await server.stop()).toMatchObject({ code: 0 })
    expect(await noPostgresOf(dataDir)).toBe(true)
  })

  it('tries for as long as it takes: it answers 503, keeps others from the folder, is back by itself, and can be stopped', async () => {
    const dataDir = await usedDataDir()
    const [pgdata, elsewhere] = [join(dataDir, 'postgres'), join(dataDir, 'elsewhere')]
    const server = await start({ dataDir })
    const postmaster = postmasterOf(dataDir)
    renameSync(pgdata, elsewhere)
    signal(postmaster, 'SIGKILL')
    await server.until(() => server.stderr.includes('PostgreSQL could not be restarted'))
    expect(server.stderr).toContain(`There is no database in ${pgdata} any more.`)
    expect(await statusOf(server, '/health/live')).toBe(200)
    // Its sessions outlive a postmaster that was killed, until they notice.
    await expect.poll(() => statusOf(server, '/health/ready')).toBe(503)
    const answer = await fetch(`${server.url}/v1/products`, { headers: { 'x-authorization': secretOf(server) } })
    expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([
      503,
      '1',
      { error: { type: 'unavailable', message: 'The database cannot be reached at the moment.' }, status_code: 503 },
    ])
    expectRefusal(
      await run(['start'], { dataDir }),
      `Cartwright is already running on this data folder (pid ${server.pid}): ${dataDir}.`,
    )
    renameSync(elsewhere, pgdata)
    expect(await isReady(server)).toBe(true)
    expect((await add(server)).status).toBe(201)

    // And a stop while it is away is a stop in order, at once.
    const tries = () => server.stderr.split('PostgreSQL could not be restarted').length
    const [before, again] = [tries(), postmasterOf(dataDir)]
    renameSync(pgdata, elsewhere)
    signal(-again, 'SIGKILL')
    await server.until(() => tries() > before)
    const began = performance.now()
    expect(await server.stop()).toMatchObject({ code: 0, signal: null })
    expect(performance.now() - began).toBeLessThan(60_000)
    expect(postgresOf(dataDir)).toEqual([])
  })
})

describe('a service with DATABASE_URL', { timeout }, () => {
  it('outlives an outage of that database', async () => {
    const dataDir = await usedDataDir()
    const options = { dataDir, purpose: 'server', settings: { fsync: 'off' } } as const
    let postgres = await startEmbedded(options)
    afterAll(() => postgres.stop())
    const { host, user, database } = postgres.connection
    const DATABASE_URL = `postgres://${user}@/${database}?host=${encodeURIComponent(host)}`
    const own = newDataDir()
    mkdirSync(own, { mode: 0o700 })
    copyFileSync(join(dataDir, 'demo-keys.json'), join(own, 'demo-keys.json'))
    const server = await start({ dataDir: own, env: { DATABASE_URL } })
    const ids = await everyAttribute(server)
    await postgres.stop()
    expect(await statusOf(server, '/health/live')).toBe(200)
    expect(await until(async () => (await statusOf(server, '/health/ready')) === 503)).toBe(true)
    expect((await add(server)).status).toBe(503)
    postgres = await startEmbedded(options)
    expect(await isReady(server)).toBe(true)
    expect(await everyAttribute(server)).toEqual(ids)
    expect(await server.stop()).toMatchObject({ code: 0 })
  })
})
