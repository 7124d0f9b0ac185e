// @proof @alone: it runs commands.
// `cartwright account list` and `reset-password`, as processes of their own.

import { beforeAll, describe, expect, it } from 'vitest'
import { cloneDatabase, urlOf } from '../support/database.ts'
import { run, start, timeout } from './support.ts'

type Made = { id: number; dashboard: { email: string; password: string } }

describe('cartwright account', { timeout }, () => {
  // A command on the embedded PostgreSQL would start it and stop it.
  let env: Record<string, string>
  const command = (...args: string[]) => run(args, { env })
  const create = async (name: string, email: string): Promise<Made> =>
    JSON.parse((await command('merchant', 'create', '--name', name, '--email', email, '--json')).stdout)
  let tea: Made
  let cake: Made
  beforeAll(async () => {
    env = { DATABASE_URL: urlOf(await cloneDatabase()) }
    tea = await create('Tea', 'ada@shop.example')
    cake = await create('Cake', 'ada@shop.example')
    await create('Rye', 'grace@shop.example')
  }, timeout)

  it('list shows who may log in to which shop, or to one', async () => {
    const all = await command('account', 'list')
    expect([all.code, all.stderr]).toEqual([0, ''])
    expect(all.stdout).toMatch(
      /^Merchant \d+, Tea\n {2}ada@shop\.example {2}owner.*\nMerchant \d+, Cake\n {2}ada@shop\.example {2}owner.*\nMerchant \d+, Rye\n {2}grace@shop\.example {2}owner.*\n$/,
    )
    const one = await command('account', 'list', '--merchant', String(cake.id))
    expect(one.stdout).toMatch(new RegExp(`^Merchant ${cake.id}, Cake\n  ada@shop\\.example  owner.*\n$`))
    // Nothing that opens an account.
    expect(all.stdout).not.toContain(tea.dashboard.password)
  })

  it('reset-password prints a password that opens the dashboard, and the one before opens it no more', async () => {
    const reset = await command('account', 'reset-password', 'ADA@shop.example', '--merchant', String(tea.id))
    expect([reset.code, reset.stderr]).toEqual([0, ''])
    const [, password = ''] = /^ada@shop\.example \/ (\S+)\n/.exec(reset.stdout) ?? []
    expect(reset.stdout).toBe(
      `ada@shop.example / ${password}\nThis is the new dashboard password for Tea, shown only once. All sessions of the account were ended.\n`,
    )
    const server = await start({ env })
    const logIn = async (secret: string) => {
      const { origin } = new URL(server.url)
      const answer = await fetch(`${origin}/dashboard/api/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin, 'sec-fetch-site': 'same-origin' },
        body: JSON.stringify({ email: 'ada@shop.example', password: secret }),
      })
      const { merchant } = (await answer.json()) as { merchant?: { id: number } }
      return [answer.status, merchant?.id]
    }
    expect(await logIn(password)).toEqual([200, tea.id])
    expect(await logIn(tea.dashboard.password)).toEqual([401, undefined])
    // The other shop's is another account.
    expect(await logIn(cake.dashboard.password)).toEqual([200, cake.id])
    expect(await server.stop()).toMatchObject({ code: 0 })
  })

  it.each([
    [['account'], 'account needs a subcommand: list or reset-password.'],
    [['account', 'list', '--merchant', '999'], 'There is no merchant with that id.'],
    [['account', 'reset-password'], 'account reset-password needs the e-mail address of the account.'],
    [['account', 'reset-password', 'nobody@shop.example'], 'There is no account with that e-mail address.'],
    [
      ['account', 'reset-password', 'ada@shop.example'],
      'ada@shop.example is in several shops: add --merchant ID, one of ',
    ],
    [['account', 'reset-password', 'grace@shop.example', '--merchant', '1'], 'There is no account with that'],
  ])('%j is refused in one sentence', async (args, sentence) => {
    const { code, stdout, stderr } = await command(...args)
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(sentence)])
  })
})
