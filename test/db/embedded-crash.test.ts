// @proof @alone: it kills PostgreSQL.
// The embedded PostgreSQL when processes are killed, raced, or have left files behind.

import { spawn } from 'node:child_process'
import { chownSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { prepareBinaries, programEnv } from '../../src/db/embedded/binaries.ts'
import { connectionFor, foldersOf } from '../../src/db/embedded/folders.ts'
import { clusterNameOf } from '../../src/db/embedded/postmaster.ts'
import { isAlive, processesNamed, waitUntil } from '../../src/db/embedded/processes.ts'
import { startEmbedded } from '../../src/db/embedded/start.ts'
import { chooseUsers } from '../../src/db/embedded/users.ts'
import {
  type Child,
  canHaveOwnNumbers,
  fast,
  OWN_NUMBERS,
  outcome,
  postmasterPid,
  query,
  readyDataDir,
  sandbox,
  startChild,
  stopChild,
  tempFolder,
} from './fixtures/embedded.ts'

const timeout = 240_000
let home: string
beforeAll(async () => {
  home = await sandbox()
}, timeout)

const start = (dataDir: string, settings: Record<string, string> = fast) =>
  startEmbedded({ dataDir, purpose: 'server', settings })

async function killHard(child: Child): Promise<void> {
  child.process.kill('SIGKILL')
  await child.ended
}

describe('a killed Node process', () => {
  it('does not wait for a session that still computes for a server that is gone', { timeout }, async () => {
    const dataDir = await readyDataDir()
    const child = startChild(home, 'server', dataDir)
    const { pid = 0 } = await outcome(child)
    child.send('select count(*) from generate_series(1, 100000000000) busy')
    const busy = () =>
      processesNamed(`postgres: ${clusterNameOf(foldersOf(dataDir))}: cartwright cartwright [local] SELECT`)
    expect(await waitUntil(() => busy().length === 1, 60_000)).toBe(true)
    process.kill(pid, 'SIGKILL')
    await killHard(child)
    const began = performance.now()
    const server = await start(dataDir)
    // It would compute for hours.
    expect(performance.now() - began).toBeLessThan(120_000)
    expect(busy()).toEqual([])
    await server.stop()
  })

  // test/cli/crash.test.ts proves that no acknowledged row is lost.
  it('leaves a server that the next start adopts, or replaces where its settings differ', { timeout }, async () => {
    const dataDir = await readyDataDir()
    for (const [settings, adopted] of [
      [fast, true],
      [{ ...fast, work_mem: '6MB' }, false],
    ] as const) {
      const child = startChild(home, 'server', dataDir)
      const { pid = 0 } = await outcome(child)
      await killHard(child)
      const server = await start(dataDir, settings)
      expect([server.adopted, server.pid === pid]).toEqual([adopted, adopted])
      expect(await query(server.connection, 'show work_mem')).toEqual([{ work_mem: adopted ? '4MB' : '6MB' }])
      await server.stop()
      // Its parent is dead: it stays listed until init has taken note of its end.
      await vi.waitFor(() => expect([pid, server.pid].filter(isAlive)).toEqual([]), { timeout: 60_000 })
      expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
    }
  })

  it('may be killed in the middle of making the database', { timeout }, async () => {
    const dataDir = join(tempFolder(), 'data')
    const child = startChild(home, 'server', dataDir)
    const initialising = () =>
      existsSync(dataDir) && readdirSync(dataDir).some((entry) => entry.startsWith('postgres.new-'))
    expect(await waitUntil(initialising, 60_000)).toBe(true)
    // However long the kill takes to come, it gets no further.
    child.process.kill('SIGSTOP')
    await waitUntil(() => false, 100)
    await killHard(child)
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
    const server = await start(dataDir)
    expect(await query(server.connection, 'select 1 a')).toEqual([{ a: 1 }])
    await server.stop()
  })
})

describe('two processes on one folder', () => {
  it('lets exactly one of two simultaneous starts win, time and again', { timeout }, async () => {
    const dataDir = await readyDataDir()
    for (let round = 0; round < 4; round++) {
      const racers = [startChild(home, 'server', dataDir), startChild(home, 'server', dataDir)]
      const outcomes = await Promise.all(racers.map(outcome))
      const [winner] = racers.filter((_, index) => outcomes[index]?.ready)
      const [loser, ...more] = outcomes.filter((message) => message.error)
      expect(more).toEqual([])
      expect(loser).toEqual({
        error: 'EmbeddedError',
        message: `Cartwright is already running on this data folder (pid ${winner?.process.pid}): ${dataDir}.`,
      })
      expect(outcomes.filter((message) => message.ready)).toHaveLength(1)
      // Killed in every other round, so that the race is also for what a killed process leaves.
      if (winner && round % 2 === 0) await killHard(winner)
      else if (winner) await stopChild(winner)
      await Promise.all(racers.map((racer) => racer.ended))
    }
    const last = await start(dataDir)
    await last.stop()
  })

  it('lets a server start wait for a command', { timeout }, async () => {
    const dataDir = await readyDataDir()
    const command = startChild(home, 'command', dataDir)
    await outcome(command)
    const starting = start(dataDir)
    const early = await Promise.race([starting, waitUntil(() => false, 300)])
    expect(early).toBe(false)
    await stopChild(command)
    const server = await starting
    expect(server.adopted).toBe(false)
    await server.stop()
  })
})

describe('files left behind', () => {
  const pidFile = (pid: number, dataDir: string) =>
    `${pid}\n${dataDir}/postgres\n1700000000\n5432\n.\n\n  1234567  99\nready   \n`

  it('is not stopped by a pid that now belongs to another process of the same user', { timeout }, async () => {
    const dataDir = await readyDataDir()
    const { server: ids } = chooseUsers(foldersOf(dataDir))
    const stranger = spawn('sleep', ['60'], { ...ids, cwd: '/', stdio: 'ignore' })
    const { pid = 0 } = stranger
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      writeFileSync(join(dataDir, 'postgres', name), pidFile(pid, dataDir))
    }
    writeFileSync(join(dataDir, 'cartwright.lock'), JSON.stringify({ pid, purpose: 'server' }))
    try {
      const server = await start(dataDir)
      expect(server.adopted).toBe(false)
      await server.stop()
      expect(isAlive(pid)).toBe(true)
    } finally {
      stranger.kill('SIGKILL')
    }
  })

  it.skipIf(!canHaveOwnNumbers())(
    'is not taken in by a file that names the new process itself',
    { timeout },
    async () => {
      const dataDir = await readyDataDir()
      const pids: number[] = []
      for (let round = 0; round < 3; round++) {
        const child = startChild(home, 'server', dataDir, { within: OWN_NUMBERS })
        // With the namespace all of its processes are killed at once, as with a container.
        expect(await outcome(child)).toMatchObject({ ready: true, adopted: false })
        pids.push(postmasterPid(dataDir))
        await killHard(child)
      }
      // Otherwise the test has tried nothing.
      expect(pids.some((pid, round) => pid === pids[round - 1])).toBe(true)
    },
  )

  it('is not stopped by a pid of nobody, an empty file or rubbish', { timeout }, async () => {
    const dataDir = await readyDataDir()
    for (const content of [pidFile(4_190_000, dataDir), '', 'rubbish\n']) {
      for (const name of ['postgres/postmaster.pid', 'postgres/.s.PGSQL.5432.lock', 'cartwright.lock']) {
        writeFileSync(join(dataDir, name), content)
      }
      const server = await start(dataDir)
      await server.stop()
    }
  })

  it('never starts a second server beside one that was started by hand', { timeout }, async () => {
    const dataDir = await readyDataDir()
    const folders = foldersOf(dataDir)
    const { server: ids } = chooseUsers(folders)
    const elsewhere = tempFolder()
    if (ids) chownSync(elsewhere, ids.uid, ids.gid)
    const pgdata = ids ? '/proc/self/cwd' : folders.pgdata
    const byHand = spawn(
      // Where its user can run it: the checkout may lie in a folder that this user cannot read.
      prepareBinaries(folders, ids).postgres,
      ['-D', pgdata, '-c', 'listen_addresses=', '-c', `unix_socket_directories=${elsewhere}`],
      { ...ids, cwd: folders.pgdata, env: programEnv, stdio: 'ignore' },
    )
    const ended = new Promise((resolve) => byHand.once('exit', resolve))
    const pidFilePath = join(folders.pgdata, 'postmaster.pid')
    expect(
      await waitUntil(() => existsSync(pidFilePath) && readFileSync(pidFilePath, 'utf8').includes('ready'), 5_000),
    ).toBe(true)
    await expect(start(dataDir)).rejects.toThrow('is still in use')
    expect(postmasterPid(dataDir)).toBe(byHand.pid)
    byHand.kill('SIGINT')
    await ended
    const server = await start(dataDir)
    expect(await query(connectionFor(dataDir), 'select 1 a')).toEqual([{ a: 1 }])
    await server.stop()
  })
})
