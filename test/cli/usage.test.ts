// @proof @alone: it runs commands.
// Commands typed wrongly: one sentence that helps, exit code 1, and nothing done.

import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../../src/settings.ts'
import { cloneDatabase, urlOf } from '../support/database.ts'
import { expectRefusal, newDataDir, run, timeout } from './support.ts'

const SEE = 'Run "cartwright help" for all commands.'

const NO_SECRET =
  'The key must be a public key: secret keys cannot be imported. Use the secret key of this installation, and revoke the other one.'

describe('help', { timeout }, () => {
  it('lists every command and every setting, even while a setting is wrong', async () => {
    const { code, stdout, stderr } = await run(['help'], { env: { PORT: 'none' } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const commands = [
      ...['start', 'migrate', 'seed', 'doctor', 'help', '--version', 'merchant disable ID', 'merchant enable ID'],
      'merchant create --name N --email E [--currency C] [--version V] [--public-key KEY] [--json]',
      ...['keys list', 'keys create', 'keys revoke', 'keys import --merchant ID pk_…|pk_test_…'],
      ...['account list', 'account reset-password EMAIL [--merchant ID] [--without-second-factor]'],
      ...['mail last [--merchant ID]', 'listen --forward-to URL [--events a,b] [--print-secret] [--json]'],
      ...['trigger EVENT [--set path=value]', 'logs tail', 'logs show REQUEST_ID', 'events list'],
      'events resend ID [--webhook ID]',
      'webhooks list · create --url U --events a,b · test ID · delete ID',
    ]
    for (const command of commands) expect(stdout).toContain(command)
    for (const { name, meaning } of SETTINGS) {
      expect(stdout).toContain(`\n  ${name}`)
      expect(stdout).toContain(meaning)
    }
    expect(stdout).toMatch(/\n {2}PORT \(4000\)\n/)
  })

  it.each([[[]], [['merchant', 'create', '--help']]])('is what %o prints', async (args) => {
    const { code, stdout } = await run(args)
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('Settings, from the environment') })
  })
})

describe('--version', { timeout }, () => {
  it('is the release, even while a setting is wrong', async () => {
    expect(await run(['--version'], { env: { PORT: 'none' } })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    })
  })
})

describe('a command in a folder without a database', { timeout }, () => {
  it('says so, and makes none', async () => {
    const dataDir = newDataDir()
    expectRefusal(
      await run(['keys', 'list'], { dataDir }),
      `There is no database in ${dataDir}. Start the service first, or set DATA_DIR (or DATABASE_URL) to where it is.`,
    )
    expect(existsSync(dataDir)).toBe(false)
  })
})

describe('a wrong command', { timeout }, () => {
  const wrong: [string[], string][] = [
    [['constructor'], `There is no command "constructor". ${SEE}`],
    [['start', '--port', '4000'], `Unknown option '--port'. ${SEE}`],
    [['seed', 'twice'], `Unexpected argument 'twice'. ${SEE}`],
    [['merchant'], `merchant needs a subcommand: create, version, disable or enable. ${SEE}`],
    [
      ['merchant', 'create', '--name', 'Shop'],
      `merchant create needs --name "Your shop" and --email you@example.com. ${SEE}`,
    ],
    [['merchant', 'create', '--name', '--email', 'a@b.c'], `Option '--name' argument is ambiguous. ${SEE}`],
    [['merchant', 'disable', '1', '2'], `Unexpected argument '2'. ${SEE}`],
    [['keys'], `keys needs a subcommand: list, create, import, revoke or rotate. ${SEE}`],
    [['keys', 'import'], `keys import needs --merchant ID and a public key, pk_… or pk_test_…. ${SEE}`],
    [['keys', 'import', 'pk_1', 'sk_a-b-c'], `${NO_SECRET} ${SEE}`],
    [['merchant', 'create', '--public-key=sk_a-b-c'], `${NO_SECRET} ${SEE}`],
    [
      ['listen'],
      `listen needs --forward-to and the address of your receiver, such as http://localhost:3000/webhooks. ${SEE}`,
    ],
    [['listen', '--forward-to', '3000', '--port', '1'], `Unknown option '--port'. ${SEE}`],
    [['credentials'], `credentials needs the subcommand rotate. ${SEE}`],
    [['credentials', 'rotate', 'x'], `Unexpected argument 'x'. ${SEE}`],
    [['keys', 'create'], `Enter the id of the merchant, a whole number. ${SEE}`],
  ]
  it.each(wrong)('%o is answered in one sentence', async (args, sentence) => {
    const dataDir = newDataDir()
    expectRefusal(await run(args, { dataDir }), sentence)
    expect(existsSync(dataDir)).toBe(false)
  })
})

describe('a merchant that cannot be', { timeout }, () => {
  it('is refused in a sentence for each field, and nothing is made', async () => {
    const env = { DATABASE_URL: urlOf(await cloneDatabase()) }
    const create = (...args: string[]) => run(['merchant', 'create', '--json', ...args], { env })
    const named = ['--name', 'Shop', '--email', 'shop@example.com']
    expectRefusal(
      await create('--name', 'Shop', '--email', 'not an address'),
      'email must be an e-mail address such as shop@example.com.',
    )
    expectRefusal(
      await create(...named, '--currency', 'XXQ', '--version', '1999-01-01'),
      'currency must be an ISO 4217 code such as USD, EUR or JPY.',
      expect.stringMatching(/^version must be one of 2022-07-21, .*2020-02-01\.$/),
    )
    expectRefusal(await run(['merchant', 'disable', '99'], { env }), expect.any(String))
    // A shop may be called like a command.
    expect(await create('--name', 'help', '--email', 'shop@example.com')).toMatchObject({ code: 0 })
    expect((await run(['keys', 'list'], { env })).stdout.match(/^Merchant /gm)).toHaveLength(1)
  })
})
