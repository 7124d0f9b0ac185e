// @proof @alone: it runs commands.
// The key of the credentials: made once, named when it is wrong or missing, replaced by `credentials rotate`, and missed by `doctor`.

import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { cloneDatabase, urlOf } from '../support/database.ts'
import {
  askDoctor,
  call,
  checkout,
  expectRefusal,
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

const SECRET = `live_${'hidden'.repeat(4)}wxyz`
/** None is simulated in the demo shop. The key is of the other mode, which is seen without asking Mollie. */
const MOLLIE = { code: 'mollie', config: { api_key: SECRET } }

const enter = async (server: Running) => {
  const { status, body } = await call(`${server.url}/v1/gateways`, secretOf(server), 'POST', MOLLIE)
  return { status, body: body as { id: string; error?: { message: string } } }
}

const newKey = () => randomBytes(32).toString('base64')
const keyFile = (dataDir: string) => join(dataDir, 'credentials.key')
const ABOUT = /^.*\bcredentials: .*$/gm

describe('the file with the key', { timeout }, () => {
  it('is made once by processes that need it at the same moment', async () => {
    // Has the program built.
    await run(['help'])
    const script = join(tempFolder(), 'first.mjs')
    const module = JSON.stringify(join(checkout, 'dist', 'keys', 'credential-keys.js'))
    writeFileSync(
      script,
      `const { keysInFile } = await import(${module})
       while (Date.now() < Number(process.env.AT));
       console.log((await keysInFile(process.env.DATA_DIR).first()).id)`,
    )
    const dataDir = newDataDir()
    const env = { AT: String(Date.now() + 1_500) }
    const command = [process.execPath, script] as const
    const ended = await Promise.all(Array.from({ length: 4 }, () => launch([], { dataDir, env, command }).ended))
    expect(ended.map(({ code, stderr }) => [code, stderr])).toEqual(ended.map(() => [0, '']))
    expect(new Set(ended.map(({ stdout }) => stdout)).size).toBe(1)
    expect(readdirSync(dataDir)).toEqual(['credentials.key'])
    expect(statSync(keyFile(dataDir)).mode & 0o777).toBe(0o600)
  })

  it('stops the start when it holds no key, and is left as it is', async () => {
    const dataDir = await usedDataDir()
    writeFileSync(keyFile(dataDir), 'hunter2')
    const sentence = `${keyFile(dataDir)} must hold keys of 32 bytes in base64 or hex, one on each line. Restore the file that was there.`
    expectRefusal(await run(['start'], { dataDir }), sentence)
    const doctor = await askDoctor({ dataDir })
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(`\nWRONG credentials: ${sentence}\n`)])
    expect(readFileSync(keyFile(dataDir), 'utf8')).toBe('hunter2')
  })
})

describe('with the embedded database', { timeout }, () => {
  let server: Running
  beforeAll(async () => {
    server = await start({ dataDir: await usedDataDir() })
  }, timeout)
  const command = (...args: string[]) => run(args, { dataDir: server.dataDir })
  const doctor = (...more: string[]) => askDoctor({ dataDir: server.dataDir }, ...more)
  const about = async () => (await doctor()).stdout.match(ABOUT)

  it('the first credentials make the key, another one replaces it, and a lost one is told by name', async () => {
    const file = keyFile(server.dataDir)
    const none = `ok    credentials: no gateway has any yet; the first credentials that a merchant enters create the key file ${file}; include this file in backups`
    expect(await about()).toEqual([none])
    expect(existsSync(file)).toBe(false)
    const { status, body } = await enter(server)
    expect(status).toBe(201)
    const older = readFileSync(file, 'utf8')
    const well = `ok    credentials: of 1 gateway; one key in ${file}; include this file in backups`
    expect(await about()).toEqual([well])
    const told = await doctor('--merchant', '1')
    expect(told).toMatchObject({ code: 1, stderr: '' })
    expect(told.stdout).toMatch(
      new RegExp(`^WRONG gateway: mollie ${body.id} of merchant 1, sandbox: .*live.*\\.$`, 'm'),
    )
    // The demo shop's was made before there was a key.
    const ofWebhook = 'The signing secrets of 1 webhook were encrypted with the first key.\n'
    expect(await command('credentials', 'rotate')).toMatchObject({ code: 0, stdout: ofWebhook, stderr: '' })
    const nothing = 'Nothing to do: no credentials are stored as plain text, or encrypted with an older key.\n'
    expect(await command('credentials', 'rotate')).toMatchObject({ code: 0, stdout: nothing, stderr: '' })

    const newer = newKey()
    writeFileSync(file, `${newer}\n${older}`)
    const gateway = `credentials: mollie ${body.id} of merchant 1, sandbox`
    expect(await about()).toEqual([
      `ok    credentials: of 1 gateway; 2 keys in ${file}; include this file in backups`,
      `WARN  ${gateway}: encrypted with an older key; cartwright credentials rotate encrypts them with the first`,
    ])
    expect(await command('credentials', 'rotate')).toMatchObject({
      code: 0,
      stdout: `The credentials of 1 gateway were encrypted with the first key.\n${ofWebhook}You can now remove all keys but the first from ${file}.\n`,
      stderr: '',
    })
    writeFileSync(file, newer)
    expect(await about()).toEqual([well])

    rmSync(file)
    const missed = await doctor()
    expect(missed.stdout).toMatch(
      /^WRONG webhook: wbhk_\w+ of merchant 1, sandbox: no key decrypts its signing secret; /m,
    )
    expect([missed.code, missed.stdout.match(ABOUT)]).toEqual([
      1,
      [
        `ok    credentials: of 1 gateway; the first credentials that a merchant enters create the key file ${file}; include this file in backups`,
        `WRONG ${gateway}: no key decrypts them; restore the lost key, or have the merchant enter them again`,
      ],
    ])
    expect(missed.stdout).not.toContain('gateway: mollie')
    const lost = await command('credentials', 'rotate')
    expect(lost).toMatchObject({ code: 1, stderr: '' })
    expect(lost.stdout).toContain(`${gateway}: no key decrypts its credentials; enter them again`)
    expect(existsSync(file)).toBe(false)
    expect(server.stderr + lost.stdout).not.toContain('hidden')
  })
})

describe('with DATABASE_URL', { timeout }, () => {
  const dataDir = newDataDir()
  let DATABASE_URL = ''
  beforeAll(async () => {
    DATABASE_URL = urlOf(await cloneDatabase())
  }, timeout)
  const started = (env: Record<string, string> = {}) => start({ dataDir, env: { DATABASE_URL, ...env } })
  const command = (args: readonly string[], env: Record<string, string> = {}) =>
    run(args, { dataDir, env: { DATABASE_URL, ...env } })
  const doctor = (env: Record<string, string> = {}) => askDoctor({ dataDir, env: { DATABASE_URL, ...env } })

  it('and no CREDENTIALS_KEY nobody can enter credentials, and every sentence names the setting', async () => {
    const server = await started()
    const refused = await enter(server)
    expect([refused.status, refused.body.error?.message]).toEqual([
      422,
      'config.api_key cannot be stored: this service has no key to encrypt credentials. The operator must set CREDENTIALS_KEY first.',
    ])
    await server.stop()
    const { stdout } = await doctor()
    expect(stdout.match(ABOUT)).toEqual([
      'WARN  credentials: no gateway has any yet; CREDENTIALS_KEY is not set; without it merchants cannot enter credentials',
    ])
    expectRefusal(
      await command(['credentials', 'rotate']),
      'There is no key to encrypt with. Set CREDENTIALS_KEY to the same value as for every process of the service.',
    )
    expect(existsSync(keyFile(dataDir))).toBe(false)
  })

  it('and CREDENTIALS_KEY they are entered in any process, sealed anew with another, and opened by that alone', async () => {
    const [older, newer] = [newKey(), newKey()]
    const server = await started({ CREDENTIALS_KEY: older, WORKERS: '2' })
    expect((await enter(server)).status).toBe(201)
    await server.stop()
    expect(await command(['credentials', 'rotate'], { CREDENTIALS_KEY: `${newer},${older}` })).toMatchObject({
      code: 0,
      stdout:
        'The credentials of 1 gateway were encrypted with the first key.\nThe signing secrets of 1 webhook were encrypted with the first key.\nYou can now remove all keys but the first from CREDENTIALS_KEY.\n',
    })
    const { stdout } = await doctor({ CREDENTIALS_KEY: newer })
    expect(stdout.match(ABOUT)).toEqual(['ok    credentials: of 1 gateway; one key in CREDENTIALS_KEY'])
    expect((await doctor({ CREDENTIALS_KEY: older })).code).toBe(1)
    expect(existsSync(keyFile(dataDir))).toBe(false)
  })

  it('a key that is none stops the start with a sentence that does not repeat it', async () => {
    const ended = await run(['start'], { env: { CREDENTIALS_KEY: 'hunter2' } })
    expectRefusal(
      ended,
      'CREDENTIALS_KEY must be 32 bytes in base64 or hex, such as openssl rand -base64 32 prints; separate several keys with commas.',
    )
  })
})
