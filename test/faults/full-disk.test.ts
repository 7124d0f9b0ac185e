// @proof @alone: it fills a disk.
// F13: a full disk. The service answers 503, recovers by itself and has lost nothing. F13b: less free space than the limit.

import { execFileSync, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { connectionFor } from '../../src/db/embedded/folders.ts'
import { start as startCommand } from '../cli/support.ts'
import { administer, patient } from '../support/database.ts'
import { newFolder, programOf } from './processes.ts'
import { beginProof, cannotProve, seconds, timeout } from './prove.ts'
import { cardPayment, openWorld, tally, times } from './world.ts'

const MEGABYTE = 1_048_576
const SIZE_MB = 300

/** Mounts a small file system, which only root can do. */
function smallDisk(): string | null {
  const folder = join(dirname(newFolder()), 'disk')
  mkdirSync(folder)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MB}m,mode=755`, 'tmpfs', folder])
  return status === 0 ? folder : null
}

const disk = smallDisk()
if (disk !== null) afterAll(() => void execFileSync('umount', ['-l', disk]))
const withDisk = disk === null ? describe.skip : describe
if (disk === null) for (const id of ['F13', 'F13b']) cannotProve(id, 'Only root can mount a file system to fill.')
const why = disk === null ? ' (skipped: only root can mount a file system to fill)' : ''

const freeMegabytes = () => {
  const { bavail, bsize } = statfsSync(disk ?? '/')
  return (bavail * bsize) / MEGABYTE
}

/** Fills the disk until only this much is free. */
function fillUntil(leftMb: number): () => void {
  const path = join(disk ?? '', 'junk')
  const file = openSync(path, 'w')
  const block = Buffer.alloc(MEGABYTE / 16, 'x')
  try {
    while (freeMegabytes() > leftMb) writeSync(file, block)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
  return () => rmSync(path)
}

const everyOrder = statement<{ id: string }>('test.every_order_id', 'select id from orders')

const dataDir = join(disk ?? '', 'data')

async function startOnDisk(env: Record<string, string>) {
  const command = await programOf('command')
  return startCommand({ dataDir, command: [process.execPath, command], env: { LOG_LEVEL: 'error', ...env } })
}

let server = disk === null ? null : await startOnDisk({ MIN_FREE_DISK_MB: '0' })
// Registered before the world's own hook, because hooks run in reverse and that one searches the database.
afterAll(async () => void (await server?.stop()), 60_000)
const opened = server === null ? null : await openWorld(connectionFor(dataDir))

/** Returns the shop on the small disk, served by only this server. */
function shopOn(serving: typeof server) {
  if (serving === null || opened === null) throw new Error('There is no disk to fill.')
  opened.servers.splice(0, Infinity, serving)
  return { server: serving, world: opened }
}

withDisk(`a full disk${why}`, { timeout }, () => {
  it('stops nothing for good: 503 while it is full, and every acknowledged order when there is room again', async () => {
    const [rounds, workers] = [2, 8]
    const conclude = beginProof(
      'F13',
      'the disk of the data folder filled to the last byte under a load of captures, with a PostgreSQL that needs more of it; then room again',
      `${rounds} times, ${workers} clients, ${SIZE_MB} MB`,
    )
    const { server: first, world } = shopOn(server)
    const product = await world.product(100_000)
    const seen: { status: number }[] = []
    const acknowledged: string[] = []
    let isOver = false
    const clients = times(workers, async () => {
      while (!isOver) {
        const made = await world.ask('GET', `/v1/checkouts/${product}?type=product_id`)
        seen.push(made)
        const { id: token } = made.body as { id: string }
        for (let isPaid = made.status !== 201; !isPaid && !isOver; ) {
          const reply = await world.capture(token, world.body(cardPayment()))
          seen.push(reply)
          if (reply.status === 200) acknowledged.push((reply.body as { id: string }).id)
          isPaid = reply.status < 500
          if (!isPaid) await pause(50)
        }
        if (made.status !== 201) await pause(50)
      }
    })
    const more = async (count: number) => {
      const wanted = acknowledged.length + count
      const end = performance.now() + patient(60_000)
      while (acknowledged.length < wanted && performance.now() < end) await pause(20)
      expect(acknowledged.length).toBeGreaterThanOrEqual(wanted)
    }
    const statusOf = async (path: string) => (await fetch(`${first.url}${path}`)).status
    const back: number[] = []
    for (let round = 0; round < rounds; round++) {
      await more(20)
      const makeRoom = fillUntil(0)
      // PostgreSQL exits when it cannot write its log any further.
      for (let tries = 0; tries < 1_000 && (await statusOf('/health/ready')) === 200; tries++) {
        await administer(connectionFor(dataDir), 'select pg_switch_wal()').catch(() => undefined)
        await pause(50)
      }
      expect(await statusOf('/health/ready')).toBe(503)
      expect(await statusOf('/health/live')).toBe(200)
      await first.until(() => first.stderr.split('PostgreSQL could not be restarted').length > round + 1)
      const { status, headers } = await world.ask('GET', '/v1/products')
      expect([status, headers['retry-after']]).toEqual([503, '1'])
      makeRoom()
      const madeAt = performance.now()
      while ((await statusOf('/health/ready')) !== 200 && performance.now() - madeAt < patient(60_000)) await pause(20)
      back.push((performance.now() - madeAt) / 1_000)
      await more(20)
    }
    isOver = true
    await clients
    const kept = new Set((await world.db.many(everyOrder, {})).map(({ id }) => id))
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
    expect(seen.filter(({ status }) => ![200, 201, 402, 408, 409, 503, 504].includes(status))).toEqual([])
    expect(Math.max(...back)).toBeLessThan(patient(20))
    // Captures that the full disk interrupted are settled within half a minute.
    await world.settled(performance.now())
    await world.expectOracles()
    expect(await Promise.race([first.ended, 'runs'])).toBe('runs')
    conclude(
      `${acknowledged.length} captures acknowledged, 0 lost; ready ${seconds(Math.max(...back))} after there was room again; the process was never restarted; ${tally(seen)}`,
    )
  })

  it('is not reached by strangers: below the mark public keys save nothing, and all else goes on', async () => {
    const floor = 60
    const conclude = beginProof(
      'F13b',
      'captures without end while the disk fills, with MIN_FREE_DISK_MB',
      `${floor} MB of ${SIZE_MB}`,
    )
    await server?.stop()
    server = await startOnDisk({ MIN_FREE_DISK_MB: String(floor) })
    const { server: second, world } = shopOn(server)
    const product = await world.product(100_000)
    const buy = async () => {
      const made = await world.ask('GET', `/v1/checkouts/${product}?type=product_id`)
      if (made.status !== 201) return made
      return world.capture((made.body as { id: string }).id, world.body(cardPayment()))
    }
    expect((await buy()).status).toBe(200)
    const makeRoom = fillUntil(floor + 4)
    const seen: { status: number }[] = []
    await times(4, async () => {
      const end = performance.now() + 30_000
      for (let last = 200; last === 200 && performance.now() < end; ) {
        const reply = await buy()
        seen.push(reply)
        last = reply.status
        if (last === 200 && freeMegabytes() < floor) await pause(100)
      }
    })
    if (freeMegabytes() >= floor) fillUntil(floor - 1)
    await expect.poll(async () => (await buy()).status, { interval: 250 }).toBe(503)
    const refusal = await buy()
    expect([refusal.status, refusal.body]).toEqual([
      503,
      {
        error: {
          type: 'unavailable',
          message: 'The server is low on disk space and cannot save anything at the moment. Try again later.',
        },
        status_code: 503,
      },
    ])
    expect((await world.ask('GET', '/v1/products')).status).toBe(200)
    expect(
      (await world.ask('PUT', `/v1/products/${product}`, { key: world.secret, body: { name: 'On' } })).status,
    ).toBe(200)
    expect(freeMegabytes()).toBeGreaterThan(floor / 3)
    makeRoom()
    const madeAt = performance.now()
    while ((await buy()).status !== 200 && performance.now() - madeAt < patient(20_000)) await pause(100)
    expect((await buy()).status).toBe(200)
    expect(second.stderr).not.toContain('PostgreSQL stopped unexpectedly')
    await world.expectOracles()
    conclude(
      `${tally(seen)}; reads and the secret key 200 meanwhile; PostgreSQL never at the end of the disk; public keys sell again within ${seconds((performance.now() - madeAt) / 1_000)}`,
    )
  })
})
