// @alone
// `cartwright start` as the person who types it sees it: the first start, the next ones, the ways to stop it, and refusals.

import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { noPostgresOf, postgresOf, until } from './processes.ts'
import {
  call,
  everyAttribute,
  freePort,
  launch,
  newDataDir,
  refusal,
  run,
  secretOf,
  start,
  takenPort,
  tempFolder,
  timeout,
  usedDataDir,
} from './support.ts'

const execute = promisify(execFile)

describe('the first start on an empty folder', { timeout }, () => {
  it('prints the address, four keys and a line that works when pasted; the next start prints none of the secrets', async () => {
    const dataDir = join(tempFolder(), 'not there yet', 'data')
    const first = await start({ dataDir })
    expect(first.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(first.keys).toEqual({
      sandbox: {
        public: expect.stringMatching(/^pk_test_\w{40}$/),
        secret: expect.stringMatching(/^sk_test_\w{40}$/),
      },
      live: { public: expect.stringMatching(/^pk_\w{40}$/), secret: expect.stringMatching(/^sk_\w{40}$/) },
    })
    const pasted = await paste(first.curl ?? '')
    expect(pasted).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ name: 'Stoneware Mug' })]) })
    expect((await fetch(`${first.url}/health/ready`)).status).toBe(200)
    expect((await fetch(`${first.url}/openapi.json`)).status).toBe(200)
    expect(first.stdout).toContain(`${first.url}/storefront/\n`)
    expect(first.stdout).toContain(`dashboard        ${first.url}/dashboard\n`)
    expect((await fetch(`${first.url}/dashboard`)).status).toBe(200)
    const [, page = ''] = /checkout page {4}(\S+)\n/.exec(first.stdout) ?? []
    const shown = await fetch(page)
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringMatching(/Stoneware Mug[\s\S]*Buy now/)])
    const settings = await (await fetch(`${first.url}/storefront/config.js`)).text()
    expect(settings).toContain(`"${first.keys?.sandbox.public}"`)
    expect(statSync(join(dataDir, 'demo-keys.json')).mode & 0o777).toBe(0o600)
    const ids = await everyAttribute(first)
    expect(await first.stop()).toMatchObject({ code: 0, signal: null })

    const second = await start({ dataDir })
    expect(first.stdout).toContain(join(dataDir, 'demo-keys.json'))
    const { keys, dashboard } = JSON.parse(readFileSync(join(dataDir, 'demo-keys.json'), 'utf8'))
    expect(first.stdout).toContain(dashboard.password)
    for (const secret of [keys.sandbox.secret, keys.live.secret, keys.live.public, dashboard.password])
      expect(second.stdout + second.stderr).not.toContain(secret)
    expect(second.stdout).toContain(
      `Demo shop: public sandbox key ${keys.sandbox.public}; the others and the dashboard's password are in ${join(dataDir, 'demo-keys.json')}\n`,
    )
    expect(second.stdout).toContain(`${second.url}/storefront/\n`)
    expect(await everyAttribute(second)).toEqual(ids)
    expect(await paste(second.curl ?? '')).toEqual(JSON.parse(JSON.stringify(pasted).replaceAll(first.url, second.url)))
    await second.stop()
  })

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

/** In a shell as it stands; where there is no curl, the request that it describes. */
async function paste(line: string): Promise<unknown> {
  const hasCurl = await execute('curl', ['--version']).then(
    () => true,
    () => false,
  )
  if (hasCurl) return JSON.parse((await execute('bash', ['-c', line])).stdout)
  const [, key = '', url = ''] = /^curl -H 'X-Authorization: (\w+)' (\S+)$/.exec(line) ?? []
  return (await call(url, key)).body
}

describe('the log', { timeout }, () => {
  it('is one JSON object a line on standard error, without any key', async () => {
    const server = await start({ dataDir: await usedDataDir() })
    const { keys, url } = server
    await call(`${url}/v1/attributes`, secretOf(server))
    await call(`${url}/v1/attributes`, keys?.live.secret ?? '')
    await call(`${url}/v1/attributes?key=${keys?.live.public}`, keys?.sandbox.public ?? '')
    await call(`${url}/v1/attributes/${keys?.live.secret}`, 'sk_test_wrong')
    const { stdout, stderr } = await server.stop()
    const lines = stderr.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(4)
    for (const line of lines)
      expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), time: expect.any(String) })
    expect(stderr).not.toMatch(/[ps]k_(?:test_)?\w{40}/)
    expect(stdout).not.toContain('"level"')
  })
})

describe('a stop', { timeout }, () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('by %s ends with exit code 0 and leaves no PostgreSQL', async (signal) => {
    const dataDir = await usedDataDir()
    const server = await start({ dataDir })
    expect(postgresOf(dataDir).length).toBeGreaterThan(0)
    expect(await server.stop(signal)).toMatchObject({ code: 0, signal: null })
    expect(postgresOf(dataDir)).toEqual([])
    expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false)
    await expect(fetch(server.url)).rejects.toThrow()
  })
})

describe('keys that no longer open anything', { timeout }, () => {
  it('are not printed', async () => {
    const dataDir = await usedDataDir()
    const file = join(dataDir, 'demo-keys.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/sk_test_\w{40}/, `sk_test_${'0'.repeat(40)}`))
    const server = await start({ dataDir })
    expect(server.curl).toBeNull()
    expect(server.stdout).toContain('cartwright keys list')
    await server.stop()
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
  it('is refused in one sentence while another runs on the same folder, which goes on', async () => {
    const dataDir = await usedDataDir()
    const server = await start({ dataDir })
    expect(refusal(await run(['start'], { dataDir }))).toEqual({
      code: 1,
      stdout: '',
      lines: [`Cartwright is already running on this data folder (pid ${server.pid}): ${dataDir}.`],
    })
    await expect.poll(async () => (await fetch(`${server.url}/health/ready`)).status).toBe(200)
    await server.stop()
  })

  it('is refused in one sentence when the port is taken, before it makes anything', async () => {
    const dataDir = newDataDir()
    const port = await takenPort()
    expect(refusal(await run(['start'], { dataDir, env: { PORT: String(port) } }))).toEqual({
      code: 1,
      stdout: '',
      lines: [`Another program listens on port ${port} already; set PORT to another one.`],
    })
    expect(existsSync(dataDir)).toBe(false)
  })

  it.each(['1', '2'])(
    'is refused in the same sentence when the port is taken meanwhile, with WORKERS=%s',
    async (WORKERS) => {
      const dataDir = await usedDataDir()
      const { starting, port } = await startAndTakePort(dataDir, WORKERS)
      expect(refusal(await starting.ended)).toEqual({
        code: 1,
        stdout: '',
        lines: [`Another program listens on port ${port} already; set PORT to another one.`],
      })
      expect(await noPostgresOf(dataDir)).toBe(true)
    },
  )

  it('names HOST when it is no address of this machine, before it makes anything', async () => {
    const dataDir = newDataDir()
    expect(refusal(await run(['start'], { dataDir, env: { HOST: '192.0.2.1' } }))).toEqual({
      code: 1,
      stdout: '',
      lines: [expect.stringMatching(/^HOST must be an address of this machine; it is "192\.0\.2\.1"/)],
    })
    expect(existsSync(dataDir)).toBe(false)
  })

  it.each(['/proc/cartwright', '/proc/self'])(
    'names a data folder in which nothing can be made: %s',
    async (dataDir) => {
      const ended = await run(['start'], { dataDir })
      expect(refusal(ended)).toEqual({ code: 1, stdout: '', lines: [expect.stringContaining(dataDir)] })
      expect(ended.stderr).toMatch(/: set DATA_DIR to another\.\n$/)
    },
  )

  it('names a data folder that cannot be made', async () => {
    const file = join(tempFolder({ inMemory: true }), 'file')
    writeFileSync(file, '')
    const ended = await run(['start'], { dataDir: join(file, 'data') })
    expect(refusal(ended)).toEqual({
      code: 1,
      stdout: '',
      lines: [`The data folder ${join(file, 'data')} is a file, or lies below one: set DATA_DIR to a folder.`],
    })
  })

  const bad: [string, Record<string, string>][] = [
    ['PORT', { PORT: '70000' }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://root:hunter2@localhost/x' }],
    ['TLS_KEY', { TLS_CERT: '/etc/passwd' }],
    ['TLS_CERT', { TLS_CERT: '/no/such/file', TLS_KEY: '/etc/passwd' }],
    ['TLS_CERT and TLS_KEY', { TLS_CERT: '/etc/passwd', TLS_KEY: '/etc/passwd' }],
  ]
  it.each(bad)('names %s when it is set to %o, before it makes anything', async (name, env) => {
    const dataDir = newDataDir()
    const ended = await run(['start'], { dataDir, env })
    expect(refusal(ended)).toEqual({ code: 1, stdout: '', lines: [expect.stringContaining(name)] })
    expect(ended.stderr).not.toContain('hunter2')
    expect(existsSync(dataDir)).toBe(false)
  })
})
