// @proof @alone: it replaces the output of the process.
// The commands that talk to a service: webhooks, events, logs and trigger, each beside one running service; and how they find it, and a key.

import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createMerchant, revokeKey } from '../../src/api/merchants/merchant.ts'
import { obtainCommandKey } from '../../src/cli/client/own-key.ts'
import { resolveServiceAddress } from '../../src/cli/client/reach.ts'
import { withDatabase } from '../../src/cli/database.ts'
import { eventsCommand } from '../../src/cli/developer/events.ts'
import { colourOf, paint } from '../../src/cli/developer/lines.ts'
import { logsCommand } from '../../src/cli/developer/logs.ts'
import { triggerCommand } from '../../src/cli/developer/trigger.ts'
import { webhooksCommand } from '../../src/cli/developer/webhooks.ts'
import { TRIGGERS } from '../../src/cli/triggers/list.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { EVENTS } from '../../src/events/catalogue.ts'
import { freePort } from '../http/harness.ts'
import { call, launch, type Running, run, secretOf, start, timeout, usedDataDir } from './support.ts'

let server: Running
let env: Record<string, string>
/** The service of this machine; without a key the commands make their own. */
let here: Config
/** The same service, as others reach it. */
let remote: Config

beforeAll(async () => {
  env = { PORT: String(await freePort()) }
  server = await start({ dataDir: await usedDataDir(), env })
  here = readConfig({ ...env, DATA_DIR: server.dataDir })
  remote = readConfig({ CARTWRIGHT_API: server.url, CARTWRIGHT_KEY: secretOf(server) })
}, timeout)

type Command = (config: Config, args: readonly string[]) => Promise<void>

/** What a command answers, in this process, to what is typed behind it: a line, or its words where one has spaces. */
async function said(command: Command, typed: string | readonly string[], config = remote): Promise<string> {
  const args = typeof typed === 'string' ? typed.split(' ').filter(Boolean) : typed
  const written: string[] = []
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0),
    vi.spyOn(process.stderr, 'write').mockImplementation(() => true),
  ]
  try {
    await command(config, args)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return written.join('')
}

const refused = (command: Command, typed: string, config?: Config) => expect(said(command, typed, config)).rejects

type EventRow = { id: string; event: string; object_id: string | null }

const newestEvent = async (event: string) => {
  const { body } = await call(`${server.url}/v1/events?event=${event}&limit=1`, secretOf(server))
  return (body as { data: EventRow[] }).data[0] ?? null
}

describe('trigger', { timeout }, () => {
  it('there is one for every event of the catalogue', () => {
    expect(Object.keys(EVENTS).filter((event) => !Object.hasOwn(TRIGGERS, event))).toEqual([])
  })

  const causes = Object.entries(TRIGGERS).filter(([event, each]) => !('why' in each) && event in EVENTS)
  it.each(causes)('%s is caused, and what was made for it is said', async (event) => {
    if (event === 'test.webhook') await said(webhooksCommand, 'create --url https://shop.example/ --events *')
    const before = await newestEvent(event)
    const answer = await said(triggerCommand, `${event} --json`)
    const { made } = JSON.parse(answer) as { made: { kind: string; id: string }[] }
    expect(made.length).toBeGreaterThan(0)
    // Login links are told by a job.
    await expect.poll(async () => (await newestEvent(event))?.id).not.toBe(before?.id)
    const caused = await newestEvent(event)
    const isOfIts = made.some(({ id }) => id === caused?.object_id)
    expect(isOfIts || ['customers.login.token', 'orders.physical.shipment', 'test.webhook'].includes(event)).toBe(true)
  })

  it('what is set is sent; what is deleted leaves nothing; a product to buy is made once', async () => {
    const made = await said(triggerCommand, [
      'products.create',
      '--set',
      'product.name=Näh & Co',
      '--set',
      'product.price=12.5',
    ])
    const [, id] = /^product {2}(prod_\w+)\nproducts\.create was triggered\.\n$/.exec(made) ?? []
    expect((await call(`${server.url}/v1/products/${id}`, secretOf(server))).body).toMatchObject({
      name: 'Näh & Co',
      price: { raw: 12.5 },
      active: false,
    })
    const deleted = await said(triggerCommand, 'categories.delete --json')
    const [category] = (JSON.parse(deleted) as { made: { id: string }[] }).made
    expect((await call(`${server.url}/v1/categories/${category?.id}`, secretOf(server))).status).toBe(404)
    expect(JSON.parse(await said(triggerCommand, 'orders.create --json'))).toEqual({
      event: 'orders.create',
      made: [{ kind: 'order', id: expect.stringMatching(/^ord_/) }],
    })
  })

  it('refuses what it cannot do before it has done anything', async () => {
    await refused(triggerCommand, 'order.create').toThrow(
      /^There is no event "order\.create"\. Did you mean orders\.create\? The events are assets\.create, /,
    )
    await refused(triggerCommand, 'toString').toThrow('There is no event "toString". The events are ')
    await refused(triggerCommand, 'carts.abandoned').toThrow('it is sent a day after the last change of a cart')
    await refused(triggerCommand, 'orders.dispute').toThrow('only a payment provider can report')
    await refused(triggerCommand, 'orders.create --set prodct.name=x').toThrow(
      '--set prodct.… changes nothing: orders.create sends product, line, order.',
    )
    await refused(triggerCommand, 'orders.create --set name').toThrow('--set must be a body, the path of its field')
    await refused(triggerCommand, 'orders.create --live').toThrow('trigger works only in the sandbox')
    await refused(triggerCommand, `orders.create --key sk_${'a'.repeat(40)}`).toThrow('only in the sandbox')
    // A card that is declined is the service's to say.
    await refused(triggerCommand, 'orders.create --set order.payment.card.number=4000000000000002').toThrow(
      /\(402, req_/,
    )
  })
})

describe('webhooks and events', { timeout }, () => {
  it('are made, listed, tried and deleted; what has happened is listed and sent again', async () => {
    const made = await said(webhooksCommand, 'create --url https://one.example/hook --events categories.create')
    const [, id = ''] =
      /^(wbhk_\w+) {2}https:\/\/one\.example\/hook\nIts signing secret, shown only once: whsec_\S+\n$/.exec(made) ?? []
    expect(await said(webhooksCommand, 'list')).toMatch(
      new RegExp(`^${id} {2}enabled {2,}https://one\\.example/hook {2}categories\\.create$`, 'm'),
    )
    expect(await said(webhooksCommand, `test ${id}`)).toMatch(
      /^test\.webhook is on its way to wbhk_\w+: dlvr_\w+ of evt_\w+\.\n$/,
    )

    await said(triggerCommand, 'categories.create')
    const [line = ''] = (await said(eventsCommand, 'list --event categories.create --limit 1 --json')).split('\n')
    const event = JSON.parse(line) as EventRow
    expect(event).toMatchObject({ event: 'categories.create', object_id: expect.stringMatching(/^cat_/) })
    expect(await said(eventsCommand, `list --object ${event.object_id ?? ''}`)).toMatch(
      new RegExp(
        `^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d {2}${event.id} {2}categories\\.create +${event.object_id} +req_\\w+\\n$`,
      ),
    )
    expect(await said(eventsCommand, `resend ${event.id} --webhook ${id}`)).toMatch(
      new RegExp(`^categories\\.create is on its way to ${id} again: dlvr_\\w+\\.\\n$`),
    )
    expect(await said(eventsCommand, 'list --object cat_none')).toBe('No events match.\n')
    expect(await said(webhooksCommand, `delete ${id}`)).toBe(`${id} is deleted.\n`)
    await refused(webhooksCommand, `delete ${id}`).toThrow(/^There is no webhook with that id\. \(404, req_/)
    await refused(webhooksCommand, 'create --url https://one.example/ --events orders.crate').toThrow(/\(422, req_/)
  })

  it('typed wrongly they say how', async () => {
    await refused(webhooksCommand, '').toThrow('webhooks needs a subcommand: list, create, test or delete.')
    await refused(webhooksCommand, 'create').toThrow('webhooks create needs --url')
    await refused(webhooksCommand, 'test one').toThrow('webhooks test needs the id of a webhook (wbhk_…)')
    await refused(eventsCommand, 'show').toThrow('events needs a subcommand: list or resend.')
    await refused(eventsCommand, 'resend').toThrow('events resend needs the id of an event (evt_…)')
    await refused(eventsCommand, 'list --limit 0').toThrow('--limit must be a whole number from 1 to 10000.')
  })
})

describe('logs', { timeout }, () => {
  it('tail shows what is asked for from now on, once, and not what these commands ask; show gives one with its bodies', async () => {
    const at = { CARTWRIGHT_API: server.url, CARTWRIGHT_KEY: secretOf(server) }
    const everything = launch(['logs', 'tail'], { env: at })
    const refusals = launch(
      ['logs', 'tail', '--status', '4XX', '--method', 'post', '--path', '/v1/categories', '--json'],
      { env: at },
    )
    await call(`${server.url}/v1/categories`, secretOf(server), 'POST', { name: 'Before', slug: 'before' })
    await everything.until(() => everything.stdout.includes('/v1/categories'))
    const refusal = await fetch(`${server.url}/v1/categories`, {
      method: 'POST',
      headers: { 'x-authorization': secretOf(server), 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Hat' }),
    })
    expect(refusal.status).toBe(422)
    const id = refusal.headers.get('x-request-id') ?? ''
    await everything.until(() => everything.stdout.includes(id))
    await refusals.until(() => refusals.stdout.includes(id))
    for (const program of [everything, refusals]) program.process.kill('SIGINT')
    const [all, some] = await Promise.all([everything.ended, refusals.ended])
    expect([all.code, all.stderr, some.code, some.stderr]).toEqual([0, '', 0, ''])
    expect(all.stdout).toMatch(
      new RegExp(`^\\d\\d:\\d\\d:\\d\\d {2}422 {2}POST {4}/v1/categories {2}\\d+ ms {2}${id}$`, 'm'),
    )
    expect(all.stdout).not.toContain('/v1/developer/logs')
    const ids = all.stdout.match(/req_\w+$/gm) ?? []
    expect(new Set(ids).size).toBe(ids.length)
    const rows = some.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; status_code: number })
    expect(rows.filter((row) => row.id === id)).toHaveLength(1)
    expect(rows.every((row) => row.status_code === 422 || row.status_code === 409)).toBe(true)

    const shown = await said(logsCommand, `show ${id}`)
    expect(shown).toMatch(new RegExp(`^id +${id}\n`))
    expect(shown).toContain('\nstatus_code       422\n')
    expect(shown).toContain('\nrequest\n{\n  "name": "Hat"\n}\n\nresponse\n{\n  "error": {')
    expect(JSON.parse(await said(logsCommand, `show ${id} --json`))).toMatchObject({ id, request: { name: 'Hat' } })
    await refused(logsCommand, 'show req_none').toThrow(/^There is no log with that id\. \(404, /)
    await refused(logsCommand, 'show').toThrow('logs show needs the id of a request')
    await refused(logsCommand, '').toThrow('logs needs a subcommand: tail or show.')
    await refused(logsCommand, 'tail --status 900').toThrow('--status must be a status such as 404')
  })
})

it('colours are for terminals, and for nobody who has set NO_COLOR', () => {
  const terminal = process.stdout.isTTY
  try {
    vi.stubEnv('NO_COLOR', '')
    vi.stubEnv('TERM', 'xterm')
    process.stdout.isTTY = true
    expect(paint('200', colourOf(200))).toBe('\u001b[32m200\u001b[0m')
    expect(paint('404', colourOf(404))).toBe('\u001b[33m404\u001b[0m')
    vi.stubEnv('NO_COLOR', '1')
    expect(paint('200', 'green')).toBe('200')
    vi.stubEnv('NO_COLOR', '')
    process.stdout.isTTY = false
    expect(paint('200', 'green')).toBe('200')
  } finally {
    process.stdout.isTTY = terminal
    vi.unstubAllEnvs()
  }
})

describe('the service that is talked to', { timeout }, () => {
  it('is that of this machine, by a key of the commands’ own, which is made anew when it is revoked', async () => {
    const wish = { merchant_id: 1, is_sandbox: true }
    const first = await obtainCommandKey(here, wish)
    const file = join(server.dataDir, 'command-keys.json')
    const kept = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, { id: string; text: string }>
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(first).toEqual({ text: kept()['1 sandbox']?.text, note: expect.stringMatching(/^key_\w+ is a new secret/) })
    expect(await obtainCommandKey(here, wish)).toEqual({ text: first.text, note: null })
    await withDatabase(here, (db, clock) => revokeKey({ db, clock }, 1, kept()['1 sandbox']?.id ?? ''))
    const second = await obtainCommandKey(here, wish)
    expect([second.text === first.text, second.note === null]).toEqual([false, false])
    expect((await call(`${server.url}/v1/webhooks`, second.text)).status).toBe(200)

    // Of several shops one must be named, and there it is another key.
    const other = await withDatabase(here, (db, clock) =>
      db.transaction((tx) => createMerchant(tx, clock, { name: 'Other', email: 'other@example.com' })),
    )
    await refused(webhooksCommand, 'list', here).toThrow('There are several shops here. Choose one with --merchant ID')
    expect(await said(webhooksCommand, `list --merchant ${other.id}`, here)).toBe('There are no webhooks.\n')
    expect(Object.keys(kept())).toEqual(['1 sandbox', `${other.id} sandbox`])
  })

  it('where none runs, it is said how to start one, and no database is started for it', async () => {
    const port = String(await freePort())
    const ended = await run(['webhooks', 'list'], { dataDir: join(server.dataDir, 'none'), env: { PORT: port } })
    expect(ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: `http://127.0.0.1:${port} does not answer (ECONNREFUSED). Start the service with "cartwright start", set PORT to where it listens, or name another one with --api URL.\n`,
    })
    const cannot = await run(['trigger', 'carts.abandoned'], { env })
    expect([cannot.code, cannot.stdout]).toEqual([2, ''])
  })

  it('is found by the settings', () => {
    const at = (settings: Record<string, string>, is_sandbox = true) =>
      resolveServiceAddress(readConfig(settings), {}, is_sandbox)
    const tls = { TLS_CERT: 'cert.pem', TLS_KEY: 'key.pem' }
    expect(at({}).origin).toBe('http://127.0.0.1:4000')
    expect(at({ HOST: '0.0.0.0', PORT: '81', ...tls }).origin).toBe('https://127.0.0.1:81')
    expect(at({ HOST: '::' }).origin).toBe('http://[::1]:4000')
    expect(at({ CARTWRIGHT_API: 'https://api.shop.example/v1/' })).toEqual({
      origin: 'https://api.shop.example',
      isLocal: false,
      acceptsAnyCertificate: false,
    })
    // Live keys go over HTTPS alone, and to nobody whose certificate is not checked but this machine itself.
    expect(at({ PUBLIC_URL: 'https://shop.example' }, false)).toMatchObject({
      origin: 'https://shop.example',
      acceptsAnyCertificate: false,
    })
    expect(at({ ...tls }, false).origin).toBe('https://127.0.0.1:4000')
    expect(() => at({}, false)).toThrow('Live keys work over HTTPS only')
    expect(() => at({ PORT: '0' })).toThrow('PORT is 0, so the port of the service is unknown')
    expect(() => at({ CARTWRIGHT_API: 'ftp://shop.example' })).toThrow('--api must be the scheme and host of a service')
  })

  it('elsewhere needs a secret key of the mode that is meant', async () => {
    await refused(webhooksCommand, `list --api ${server.url}`, here).toThrow('--api needs a secret key of that service')
    await refused(webhooksCommand, `list --key pk_test_${'a'.repeat(40)}`).toThrow('Use a secret key (sk_…)')
    await refused(webhooksCommand, 'list --key hello').toThrow('The key must be a secret key of the shop')
    await refused(webhooksCommand, 'list --live').toThrow('--live needs a live key; this is a sandbox key.')
    await refused(webhooksCommand, `list --key sk_${'a'.repeat(40)}`).toThrow(
      'This is a live key: add --live to use it.',
    )
    await refused(webhooksCommand, 'list --merchant 1').toThrow('A key belongs to one shop: omit --merchant.')
    await refused(webhooksCommand, `list --key sk_test_${'a'.repeat(40)}`).toThrow(
      /^This API key is not valid\..* \(401, /,
    )
  })
})
