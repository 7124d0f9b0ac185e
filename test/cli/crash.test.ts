// @proof @alone: it kills services.
// What is left of a service that did not end as it should: every acknowledged write, and no PostgreSQL.

import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { beginRequest } from './begun-request.ts'
import { noPostgresOf, postgresOf, postmasterOf, signal, until } from './processes.ts'
import {
  call,
  everyAttribute,
  launch,
  newDataDir,
  type Running,
  run,
  secretOf,
  start,
  tempFolder,
  timeout,
  usedDataDir,
} from './support.ts'

/** Writes without a pause until the server is gone; every id that was acknowledged is in `acknowledged`. */
async function writeUntilItEnds(server: Running, writer: string, acknowledged: string[]) {
  for (let number = 0; ; number++) {
    try {
      const draft = { name: `${writer} ${number}`, description: 'x'.repeat(500), type: 'short_text' }
      const { status, body } = await call(`${server.url}/v1/attributes`, secretOf(server), 'POST', draft)
      if (status === 201) acknowledged.push((body as { id: string }).id)
    } catch {
      return
    }
  }
}

describe('a server killed in the middle of writes', () => {
  it('has every acknowledged one after the next start, time after time', { timeout: 2 * timeout }, async () => {
    const dataDir = await usedDataDir(tempFolder())
    const acknowledged: string[] = []
    for (const round of [1, 2]) {
      const server = await start({ dataDir })
      const before = acknowledged.length
      const writers = ['a', 'b', 'c', 'd'].map((name) => writeUntilItEnds(server, `${round}${name}`, acknowledged))
      expect(await until(() => acknowledged.length >= before + 40)).toBe(true)
      // In the second round PostgreSQL is killed too and has to recover by itself.
      if (round === 2) signal(postmasterOf(dataDir), 'SIGKILL')
      expect(await server.kill9()).toMatchObject({ signal: 'SIGKILL' })
      await Promise.all(writers)
    }
    const server = await start({ dataDir })
    const kept = new Set(await everyAttribute(server))
    expect(acknowledged.length).toBeGreaterThanOrEqual(80)
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
    expect(await server.stop()).toMatchObject({ code: 0 })
    expect(postgresOf(dataDir)).toEqual([])
  })
})

describe('PostgreSQL does not stay behind', { timeout }, () => {
  it('an uncaught exception', async () => {
    const dataDir = await usedDataDir()
    const trap = join(tempFolder(), 'throw-on-signal.mjs')
    writeFileSync(trap, "process.on('SIGUSR2', () => { throw new Error('out of the blue') })\n")
    const server = await start({ dataDir, env: { NODE_OPTIONS: `--import=file://${trap}` } })
    const { code, stderr } = await server.stop('SIGUSR2')
    expect(code).toBe(1)
    expect(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({
      level: 'fatal',
      msg: 'crashed',
      err: { message: 'out of the blue' },
    })
    expect(await noPostgresOf(dataDir)).toBe(true)
  })

  it('a second signal, which does not wait for requests in flight', async () => {
    const dataDir = await usedDataDir()
    const server = await start({ dataDir })
    await beginRequest(server.url, '/v1/attributes', secretOf(server), { name: 'never ends' })
    // As from a terminal through npm, which hands on what has come already: one press.
    for (const _ of ['from the terminal', 'from npm']) server.process.kill('SIGINT')
    await server.until(() => server.stderr.includes('"stopping"'))
    await pause(1_100)
    expect(server.process.exitCode).toBe(null)
    expect(await server.stop('SIGINT')).toMatchObject({ code: 1 })
    expect(await noPostgresOf(dataDir)).toBe(true)
  })

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s while PostgreSQL is starting', async (name) => {
    const dataDir = await usedDataDir()
    const server = launch(['start'], { dataDir })
    expect(await until(() => postgresOf(dataDir).length > 0)).toBe(true)
    signal(-server.pid, name)
    const { code, stdout, stderr } = await server.ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    for (const line of stderr.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ level: 'info' })
    expect(await noPostgresOf(dataDir)).toBe(true)
  })

  it('Ctrl-C while the first start makes the database, which the next start makes again', async () => {
    const dataDir = newDataDir()
    const server = launch(['start'], { dataDir })
    const isMaking = () => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('postgres.new'))
    expect(await until(isMaking)).toBe(true)
    signal(-server.pid, 'SIGINT')
    const { code, stdout, stderr } = await server.ended
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).not.toMatch(/^\s+at /m)
    const again = await start({ dataDir })
    expect((await everyAttribute(again)).length).toBeGreaterThan(0)
    await again.stop()
  })

  it('a terminal that is closed, after the service went on without a reader', async () => {
    const server = await start({ dataDir: await usedDataDir() })
    server.process.stdout.destroy()
    server.process.stderr.destroy()
    for (let times = 0; times < 5; times++)
      expect(await call(`${server.url}/v1/attributes`, secretOf(server))).toMatchObject({ status: 200 })
    signal(-server.pid, 'SIGHUP')
    expect(await server.ended).toMatchObject({ code: 0, signal: null })
    expect(postgresOf(server.dataDir)).toEqual([])
  })

  it.each([
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ] as const)('%s during a command', async (name, code) => {
    const dataDir = await usedDataDir()
    const command = launch(['keys', 'list'], { dataDir })
    expect(await until(() => postgresOf(dataDir).length > 0)).toBe(true)
    signal(-command.pid, name)
    expect(await command.ended).toMatchObject({ code, stdout: '', stderr: '' })
    expect(await noPostgresOf(dataDir)).toBe(true)
    expect(await run(['keys', 'list'], { dataDir })).toMatchObject({ code: 0, stderr: '' })
  })

  it('a command whose reader has gone', async () => {
    const dataDir = await usedDataDir()
    const command = launch(['keys', 'list'], { dataDir })
    command.process.stdout.destroy()
    expect(await command.ended).toMatchObject({ code: 0, stderr: '' })
    expect(postgresOf(dataDir)).toEqual([])
  })
})
