// @proof @alone: it runs commands.
// The operator's commands, on the database of a running server and on one that no server has open.

import { existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { listenOn } from '../support/waiting.ts'
import { postgresOf } from './processes.ts'
import {
  askDoctor,
  call,
  type Ended,
  everyAttribute,
  expectRefusal,
  keysIn,
  newDataDir,
  type Running,
  run,
  secretOf,
  start,
  takenPort,
  tempFolder,
  timeout,
  usedDataDir,
} from './support.ts'

const NEW_SHOP = ['merchant', 'create', '--name', 'Näh & Co', '--email', 'Owner@Example.com']

/** Exactly what is documented: these fields and no others. */
function readMerchant({ code, stdout, stderr }: Ended) {
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toMatch(/^\{.*\}\n$/)
  const made = JSON.parse(stdout)
  expect(made).toStrictEqual({
    id: expect.any(Number),
    keys: {
      live: { public: expect.stringMatching(/^pk_\w{40}$/), secret: expect.stringMatching(/^sk_\w{40}$/) },
      sandbox: { public: expect.stringMatching(/^pk_test_\w{40}$/), secret: expect.stringMatching(/^sk_test_\w{40}$/) },
    },
    dashboard: { email: 'owner@example.com', password: expect.stringMatching(/^\S{16,}$/) },
  })
  return made as { id: number; keys: { sandbox: { public: string; secret: string } } }
}

describe('while the server is running', { timeout }, () => {
  let server: Running
  beforeAll(async () => {
    server = await start({ dataDir: await usedDataDir() })
  }, timeout)
  const command = (...args: string[]) => run(args, { dataDir: server.dataDir })
  const statusWith = async (key: string) => (await call(`${server.url}/v1/attributes`, key)).status
  const secondLater = () => pause(1_000)

  it('a merchant and its keys work within a second, can be disabled and enabled, and see nobody else', async () => {
    const made = readMerchant(await command(...NEW_SHOP, '--currency', 'eur', '--version', '2020-02-01', '--json'))
    await secondLater()
    expect(await everyAttribute({ url: server.url, keys: made.keys as Running['keys'] })).toEqual([])
    expect(await statusWith(made.keys.sandbox.public)).toBe(403)

    expect(await command('merchant', 'disable', String(made.id))).toMatchObject({
      code: 0,
      stdout: `Merchant ${made.id} is disabled: it can be read, but takes no orders.\n`,
    })
    expect((await command('keys', 'list', '--merchant', String(made.id))).stdout).toContain('Näh & Co (disabled)')
    await secondLater()
    expect(await statusWith(made.keys.sandbox.secret)).toBe(200)
    expect((await command('merchant', 'enable', String(made.id))).stdout).toBe(`Merchant ${made.id} is enabled.\n`)
  })

  it('a merchant is moved to another API version within a second, and told what that changes', async () => {
    const made = readMerchant(await command(...NEW_SHOP, '--version', '2020-11-18', '--json'))
    const id = String(made.id)
    const versionUsed = async () =>
      (
        await fetch(`${server.url}/v1/merchants`, { headers: { 'x-authorization': made.keys.sandbox.public } })
      ).headers.get('service-version')
    const asked = await command('merchant', 'version', id)
    expect(asked.code).toBe(0)
    expect(asked.stdout).toContain(
      'Näh & Co: requests that name no version would be answered in 2022-07-21; before, in 2020-11-18.',
    )
    expect(asked.stdout).toContain('\n2021-03-31\n  - ')
    expect(asked.stdout).toContain('Nothing has been changed.')
    await secondLater()
    expect(await versionUsed()).toBe('2020-11-18')

    const moved = await command('merchant', 'version', id, '2021-03-31')
    expect(moved.stdout).toContain('are now answered in 2021-03-31; before, in 2020-11-18.')
    expect(moved.stdout.match(/^\d{4}-\d\d-\d\d$/gm)).toEqual(['2021-03-10', '2021-03-31'])
    await secondLater()
    expect(await versionUsed()).toBe('2021-03-31')

    expect((await command('merchant', 'version', id, '2021-03-03')).stdout).toContain('What no longer applies to them:')
    const name = 'Näh\u001b[2J\r\n& Co'
    const odd = await command('merchant', 'create', '--name', name, '--email', 'odd@example.com', '--json')
    const oddId = String(JSON.parse(odd.stdout).id)
    // Whatever a shop calls itself, the terminal is not told to do anything.
    expect((await command('merchant', 'version', oddId, '2022-07-21')).stdout).toBe(
      'Näh [2J & Co is at version 2022-07-21, the newest. Nothing changes.\n',
    )
    const refused = await command('merchant', 'version', id, '2021-03-04')
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('version must be one of 2022-07-21,'),
    })
  })

  it('a key is listed, made, and refused a second after it is revoked; the others go on', async () => {
    const listed = (await command('keys', 'list', '--merchant', '1')).stdout
    expect(listed.trimEnd().split('\n')).toHaveLength(5)
    expect(listed).toContain(server.keys?.live.public)
    // Of a secret key nothing but the end is kept.
    expect(listed.match(/sk_(?:test_)?./g)).toEqual(['sk_test_…', 'sk_…'])
    expect(listed).toContain(`sk_test_…${secretOf(server).slice(-4)}`)

    const made = await command('keys', 'create', '--merchant', '1', '--secret')
    const [, id = '', key = ''] =
      /^(key_\w+) {2}(sk_test_\w{40})\nThis secret key is shown only once\.\n$/.exec(made.stdout) ?? []
    await secondLater()
    expect(await statusWith(key)).toBe(200)
    // By the database's clock, whatever this machine's says.
    const trap = join(tempFolder(), 'another-time.mjs')
    writeFileSync(
      trap,
      `const later = () => Real.now() + 3_600_000
       const Real = Date
       globalThis.Date = class extends Real {
         static now = later
         constructor(...time) {
           super(...(time.length === 0 ? [later()] : time))
         }
       }`,
    )
    const env = { NODE_OPTIONS: `--import=file://${trap}` }
    expect(await run(['keys', 'revoke', '--merchant', '1', id], { dataDir: server.dataDir, env })).toMatchObject({
      code: 0,
      stdout: `${id} is revoked.\n`,
    })
    const [, revokedAt = ''] = /revoked (\S+)$/m.exec((await command('keys', 'list', '--merchant', '1')).stdout) ?? []
    expect(Math.abs(Date.parse(revokedAt) - Date.now())).toBeLessThan(600_000)
    await secondLater()
    expect(await statusWith(key)).toBe(401)
    expect(await statusWith(secretOf(server))).toBe(200)
    expect((await command('keys', 'revoke', '--merchant', '1', id)).code).toBe(1)
  })

  it('a public key of elsewhere opens its shop within a second; a storefront with it logs in by the mail that was kept', async () => {
    const text = 'pk_test_184625ed86f36703d7d233bcf6d519a4f9398f20048ec'
    const made = readMerchant(await command(...NEW_SHOP, '--json'))
    const taken = await command('keys', 'import', '--merchant', String(made.id), text)
    expect(taken).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        new RegExp(
          `^key_\\w{26}  ${text}\nStorefronts with this key now reach the sandbox of merchant ${made.id}\\.\n$`,
        ),
      ),
    })
    expect((await command('keys', 'list', '--merchant', String(made.id))).stdout).toContain(`  ${text}\n`)
    expectRefusal(
      await command('keys', 'import', '--merchant', '1', text),
      'This key is already in use. Find its merchant with cartwright keys list, and revoke the key there first.',
    )
    await secondLater()
    expect(await call(`${server.url}/v1/merchants`, text)).toMatchObject({ status: 200, body: { id: made.id } })

    const jane = { email: 'jane@example.com', firstname: 'Jane', lastname: 'Doe' }
    expect(await call(`${server.url}/v1/customers`, made.keys.sandbox.secret, 'POST', jane)).toMatchObject({
      status: 201,
    })
    const login = { email: 'jane@example.com', base_url: 'http://localhost:3000/login' }
    expect(await call(`${server.url}/v1/customers/email-token`, text, 'POST', login)).toMatchObject({ status: 200 })
    let mail = await command('mail', 'last')
    for (let tries = 0; tries < 20 && !mail.stdout.includes('jane@'); tries++) mail = await command('mail', 'last')
    expect(mail).toMatchObject({ code: 0, stderr: '' })
    expect(mail.stdout).toMatch(/^To: jane@example\.com\nSubject: .*Log in to Näh & Co\nDate: \S+Z\n\n/)
    expect(mail.stdout).toMatch(/^\s*http:\/\/localhost:3000\/login\S+$/m)
    expect((await command('mail', 'last', '--merchant', String(made.id))).stdout).toBe(mail.stdout)
    expect((await command('mail', 'last', '--merchant', '1')).stdout).toMatch(/^There is no mail: /)
  })

  it('migrate and seed change nothing, and doctor finds everything well, but for a picture that could not be fetched', async () => {
    const picture = { filename: 'kettle.png', url: 'http://pictures.invalid/kettle.png?token=x' }
    const made = await call(`${server.url}/v1/assets`, secretOf(server), 'POST', picture)
    expect(made).toMatchObject({ status: 201, body: { id: expect.stringMatching(/^ast_/) } })
    const { id } = made.body as { id: string }
    expect(await command('migrate')).toMatchObject({ code: 0, stdout: 'The database is up to date.\n', stderr: '' })
    expect(await command('seed')).toMatchObject({
      code: 0,
      stdout: 'A merchant already exists; nothing was changed.\n',
      stderr: '',
    })
    const { port } = new URL(server.url)
    const { code, stdout } = await askDoctor({ dataDir: server.dataDir, env: { PORT: port } })
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('WRONG') })
    expect(stdout).toMatch(/^Cartwright \d+\.\d+\.\d+, Node\.js /)
    for (const line of [
      'ok    settings: all values are valid',
      'ok    migrations: all applied',
      `ok    port: Cartwright is running on 127.0.0.1:${port}`,
    ])
      expect(stdout.split('\n')).toContain(line)
    expect(stdout).toMatch(/^ok {4}embedded PostgreSQL: PostgreSQL 1\d\.\d+ answers$/m)
    expect(stdout.match(/^WARN {2}assets: .*$/gm)).toEqual([
      expect.stringMatching(
        new RegExp(
          `^WARN  assets: ${id} of merchant 1 \\(kettle\\.png\\) shows a placeholder: http://pictures\\.invalid/kettle\\.png does not answer; it is retried until 2\\S+Z$`,
        ),
      ),
    ])
    await server.stop()
  })
})

describe('while no server is running', { timeout }, () => {
  it('every command brings PostgreSQL along and takes it away again', async () => {
    const dataDir = newDataDir()
    const command = (...args: string[]) => run(args, { dataDir })
    const fresh = await command('doctor')
    expect(fresh).toMatchObject({ code: 1, stdout: expect.stringContaining(`There is no database in ${dataDir}.`) })
    expect(existsSync(dataDir)).toBe(false)
    const migrated = await command('migrate')
    expect(migrated).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/^applied 0001_merchants\.sql\n/),
    })
    expect(postgresOf(dataDir)).toEqual([])
    const seeded = await command('seed')
    expect(seeded).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('The demo shop is ready.\n') })
    const made = readMerchant(await command(...NEW_SHOP, '--json'))
    expect((await command('keys', 'list')).stdout).toMatch(
      /^Merchant 1, Cartwright Demo\n[\s\S]*\nMerchant 2, Näh & Co\n/,
    )
    expect((await command('doctor')).stdout).toContain('ok    migrations: all applied\n')
    expect(postgresOf(dataDir)).toEqual([])

    const server = await start({ dataDir })
    expect(server.keys).toEqual(keysIn(seeded.stdout))
    expect(await call(`${server.url}/v1/attributes`, made.keys.sandbox.secret)).toMatchObject({ status: 200 })
    await server.stop()
  })

  it('doctor takes no other web server for Cartwright', async () => {
    const other = createServer((_, answer) => void answer.end('welcome'))
    const port = await listenOn(other)
    const { code, stdout } = await run(['doctor'], { env: { PORT: String(port) } })
    other.close()
    expect(stdout).toContain(`WRONG port: 127.0.0.1:${port} is taken by another program\n`)
    expect(code).toBe(1)
  })

  it('doctor says what is wrong, and ends with exit code 1', async () => {
    const port = await takenPort()
    const env = {
      PORT: String(port),
      DATABASE_URL: 'postgres://shop:hunter2@127.0.0.1:1/shop',
      TLS_CERT: '/no/cert',
      TLS_KEY: '/no/key',
    }
    const { code, stdout, stderr } = await run(['doctor'], { env })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const wrong = stdout.split('\n').filter((line) => line.startsWith('WRONG'))
    expect(wrong).toEqual([
      expect.stringContaining('DATABASE_URL'),
      expect.stringContaining('TLS_'),
      `WRONG port: 127.0.0.1:${port} is taken by another program`,
    ])
    expect(stdout).not.toContain('hunter2')
  })
})
