// @proof @alone: it starts services.
// `cartwright start` as the person who types it sees it: where it starts, and refusals. first-start.test.ts has the usual way.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { freePort } from '../http/harness.ts'
import { noPostgresOf, postgresOf, until } from './processes.ts'
import {
  call,
  expectRefusal,
  launch,
  newDataDir,
  run,
  start,
  takenPort,
  tempFolder,
  timeout,
  usedDataDir,
} from './support.ts'

describe('the first start on an empty folder', { timeout }, () => {
  it('takes ./data when no folder is named; a command that comes before it is ready waits for its shop', async () => {
    const cwd = tempFolder({ inMemory: true })
    const dataDir = join(cwd, 'data')
    const starting = start({ cwd, dataDir, env: { DATA_DIR: '' } })
    await until(() => holderOf(dataDir) !== '')
    const KEY = 'pk_test_184625ed86f36703d7d233bcf6d519a4f9398f20048ec'
    const imported = await run(['keys', 'import', '--merchant', '1', KEY], { dataDir })
    expect(imported).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(`  ${KEY}\n`) })
    const server = await starting
    expect(readdirSync(dataDir)).toContain('demo-keys.json')
    expect(await call(`${server.url}/v1/products?limit=1`, KEY)).toMatchObject({ status: 200 })
    await server.stop()
  })
})

/** What the lock of a data folder says of who has it; nothing before there is one. */
function holderOf(dataDir: string): string {
  const file = join(dataDir, 'cartwright.lock')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}

describe('keys that no longer open anything', { timeout }, () => {
  it('are not printed', async () => {
    const dataDir = await usedDataDir()
    const file = join(dataDir, 'demo-keys.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/sk_test_\w{40}/, `sk_test_${'0'.repeat(40)}`))
    const server = await start({ dataDir })
    expect(server.curl).toBeNull()
    expect(server.stdout).toContain('cartwright keys list')
    expect(await server.stop('SIGINT')).toMatchObject({ code: 0, signal: null })
    expect(postgresOf(dataDir)).toEqual([])
  })
})

/** A start whose port is taken after it has looked whether it is free. Where the start was quicker, because this process paused, another one. */
async function startAndTakePort(dataDir: string, WORKERS: string) {
  for (;;) {
    const port = await freePort()
    const starting = launch(['start'], { dataDir, env: { PORT: String(port), WORKERS, LOG_LEVEL: 'error' } })
    await until(() => holderOf(dataDir).includes(String(starting.pid)))
    try {
      await takenPort(() => undefined, port)
      return { starting, port }
    } catch {
      starting.process.kill('SIGTERM')
      await starting.ended
    }
  }
}

describe('a start that cannot be', { timeout }, () => {
  it('is refused in one sentence when the port is taken, before it makes anything', async () => {
    const dataDir = newDataDir()
    const port = await takenPort()
    expectRefusal(
      await run(['start'], { dataDir, env: { PORT: String(port) } }),
      `Another program listens on port ${port} already; set PORT to another one.`,
    )
    expect(existsSync(dataDir)).toBe(false)
  })

  it.each(['1', '2'])(
    'is refused in the same sentence when the port is taken meanwhile, with WORKERS=%s',
    async (WORKERS) => {
      const dataDir = await usedDataDir()
      const { starting, port } = await startAndTakePort(dataDir, WORKERS)
      expectRefusal(await starting.ended, `Another program listens on port ${port} already; set PORT to another one.`)
      expect(await noPostgresOf(dataDir)).toBe(true)
    },
  )

  it('names HOST when it is no address of this machine, before it makes anything', async () => {
    const dataDir = newDataDir()
    expectRefusal(
      await run(['start'], { dataDir, env: { HOST: '192.0.2.1' } }),
      expect.stringMatching(/^HOST must be an address of this machine; it is "192\.0\.2\.1"/),
    )
    expect(existsSync(dataDir)).toBe(false)
  })

  it.each(['/proc/cartwright', '/proc/self'])(
    'names a data folder in which nothing can be made: %s',
    async (dataDir) => {
      const ended = await run(['start'], { dataDir })
      expectRefusal(ended, expect.stringContaining(dataDir))
      expect(ended.stderr).toMatch(/: set DATA_DIR to another folder\.\n$/)
    },
  )

  it('names a data folder that cannot be made', async () => {
    const file = join(tempFolder({ inMemory: true }), 'file')
    writeFileSync(file, '')
    const ended = await run(['start'], { dataDir: join(file, 'data') })
    expectRefusal(ended, `The data folder ${join(file, 'data')} is a file, or inside one: set DATA_DIR to a folder.`)
  })

  const bad: [string, Record<string, string>][] = [
    ['DATABASE_URL', { DATABASE_URL: 'mysql://root:hunter2@localhost/x' }],
    ['TLS_KEY', { TLS_CERT: '/etc/passwd' }],
    ['TLS_CERT', { TLS_CERT: '/no/such/file', TLS_KEY: '/etc/passwd' }],
    ['TLS_CERT and TLS_KEY', { TLS_CERT: '/etc/passwd', TLS_KEY: '/etc/passwd' }],
  ]
  it.each(bad)('names %s when it is set to %o, before it makes anything', async (name, env) => {
    const dataDir = newDataDir()
    const ended = await run(['start'], { dataDir, env })
    expectRefusal(ended, expect.stringContaining(name))
    expect(ended.stderr).not.toContain('hunter2')
    expect(existsSync(dataDir)).toBe(false)
  })
})
