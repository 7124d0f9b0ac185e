// @proof @alone: it kills PostgreSQL.
// A server that is kept: started again whenever it ends by itself, on the very folder it was started on and on no other.

import { cpSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isAlive, waitUntil } from '../../src/db/embedded/processes.ts'
import { startEmbedded } from '../../src/db/embedded/start.ts'
import { fast, readyDataDir, tempFolder } from './fixtures/embedded.ts'

const timeout = 180_000

async function startKept(dataDir: string) {
  const said: string[] = []
  const server = await startEmbedded({
    dataDir,
    purpose: 'server',
    settings: fast,
    keep: true,
    log: (message) => void said.push(message),
  })
  return { server, said, hasSaid: (part: string) => said.some((message) => message.includes(part)) }
}

describe('a kept server', () => {
  it('that is stopped in the middle of being started again is not left behind', { timeout }, async () => {
    for (const afterMs of [0, 30]) {
      const dataDir = await readyDataDir()
      const { server, hasSaid } = await startKept(dataDir)
      process.kill(server.pid, 'SIGKILL')
      expect(await waitUntil(() => hasSaid('stopped unexpectedly'), 20_000, 1)).toBe(true)
      await waitUntil(() => false, afterMs)
      await server.stop()
      expect(isAlive(server.pid)).toBe(false)
      // The folder is free, and what was killed is recovered by the next.
      const next = await startEmbedded({ dataDir, purpose: 'server', settings: fast })
      expect(next.adopted).toBe(false)
      await next.stop()
    }
  })

  it('is not started on another folder that has taken the place of its own', { timeout }, async () => {
    const dataDir = await readyDataDir()
    const aside = join(tempFolder(), 'aside')
    const { server, hasSaid } = await startKept(dataDir)
    const former = server.pid
    renameSync(dataDir, aside)
    cpSync(aside, dataDir, { recursive: true, filter: (path) => !path.includes('.s.PGSQL') })
    process.kill(former, 'SIGKILL')
    expect(await waitUntil(() => hasSaid('is not the one that the service was started with'), 20_000)).toBe(true)
    rmSync(dataDir, { recursive: true })
    renameSync(aside, dataDir)
    expect(await waitUntil(() => server.pid !== former, 30_000)).toBe(true)
    await server.stop()
  })
})
