// `cartwright logs`, against a log that answers as `GET /v1/developer/logs` does.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { USER_AGENT } from '../../src/cli/client/call.ts'
import { logs } from '../../src/cli/developer/logs.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { freePort, launch, timeout } from './support.ts'

const KEY = `sk_test_${'a'.repeat(40)}`

type Row = Record<string, unknown> & { id: string; created: number }

const row = (id: string, created: number, more: Record<string, unknown> = {}): Row => ({
  id,
  created,
  method: 'GET',
  url: '/v1/carts',
  status_code: 200,
  ms: 3.4,
  user_agent: 'a storefront',
  ...more,
})

const rows: Row[] = []
const asked: string[] = []
let config: Config

beforeAll(async () => {
  const server = createServer((request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://log.example')
    const reply = (status: number, body: unknown) =>
      answer
        .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req_1' })
        .end(JSON.stringify(body))
    if (request.headers['x-authorization'] !== KEY) return reply(401, { error: { message: 'No.' } })
    asked.push(request.url ?? '')
    const [, id] = /^\/v1\/developer\/logs\/(\w+)$/.exec(pathname) ?? []
    if (id !== undefined) {
      const found = rows.find((each) => each.id === id)
      return found ? reply(200, found) : reply(404, { error: { message: 'There is no log with that id.' } })
    }
    const from = Number(searchParams.get('from') ?? 0)
    const limit = Number(searchParams.get('limit') ?? 20)
    const found = rows.filter(({ created }) => created >= from).toSorted((one, other) => other.created - one.created)
    const start = Number(searchParams.get('after') ?? 0)
    const next = start + limit < found.length ? String(start + limit) : null
    return reply(200, { data: found.slice(start, start + limit), next })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  config = readConfig({ CARTWRIGHT_API: api, CARTWRIGHT_KEY: KEY })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
})

it('tail shows the last ten, then each new one once; not what these commands ask; by the filters that it is given', {
  timeout,
}, async () => {
  for (let i = 0; i < 12; i++) rows.push(row(`req_old${i}`, 1_000 + i))
  const { api, key } = config.command
  const filters = ['--status', '4XX', '--method', 'post', '--path', '/v1/carts']
  const program = launch(['logs', 'tail', ...filters], {
    env: { CARTWRIGHT_API: api ?? '', CARTWRIGHT_KEY: key ?? '' },
  })
  await program.until(() => program.stdout.includes('req_old11'))
  expect(program.stdout.trimEnd().split('\n')).toHaveLength(10)
  expect(program.stdout).toMatch(/^\d\d:\d\d:\d\d {2}200 {2}GET {5}\/v1\/carts {2}3 ms {2}req_old2$/m)
  expect(asked[0]).toBe('/v1/developer/logs?status=4xx&method=POST&path=%2Fv1%2Fcarts&limit=200')
  rows.push(
    row('req_own', 1_020, { url: '/v1/developer/logs?limit=200', user_agent: USER_AGENT }),
    row('req_pull', 1_020, { url: '/v1/webhooks/wbhk_1/pull', method: 'POST', user_agent: USER_AGENT }),
    row('req_new', 1_021, { url: 'https://api.example/v1/products?x=1\u001b[2J', status_code: 404 }),
  )
  await program.until(() => program.stdout.includes('req_new'))
  program.process.kill('SIGINT')
  const { code, stdout, stderr } = await program.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  // Whatever was asked for, the terminal is not told to do anything.
  expect(stdout.trimEnd().split('\n').slice(10)).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d {2}404 {2}GET {5}\/v1\/products\?x=1 \[2J {2}3 ms {2}req_new$/),
  ])
})

it('show gives one with its bodies; tail and show say what they need', async () => {
  rows.push(row('req_body', 900, { request: { name: 'Hat' }, response: '{"id":"prod_1"}', events: ['evt_1'] }))
  const written: string[] = []
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  try {
    await logs(config, ['show', 'req_body'])
    await logs(config, ['show', 'req_body', '--json'])
  } finally {
    spy.mockRestore()
  }
  const [last = '', ...lines] = written.join('').trimEnd().split('\n').reverse()
  expect(JSON.parse(last)).toEqual(rows.at(-1))
  const text = lines.reverse().join('\n')
  expect(text).toMatch(/^id +req_body\ncreated +1970-01-01 .*\nmethod +GET\n/)
  expect(text).toContain('\nevents            ["evt_1"]\n')
  expect(text).toContain('\nrequest\n{\n  "name": "Hat"\n}\n\nresponse\n{\n  "id": "prod_1"\n}')
  await expect(logs(config, ['show', 'req_none'])).rejects.toThrow('There is no log with that id. (404, req_1)')
  await expect(logs(config, ['show'])).rejects.toThrow('logs show needs the id of a request')
  await expect(logs(config, [])).rejects.toThrow('logs is followed by tail or show.')
  await expect(logs(config, ['tail', '--status', '900'])).rejects.toThrow('--status is a status such as 404')
  const nowhere = readConfig({ CARTWRIGHT_API: `http://127.0.0.1:${await freePort()}`, CARTWRIGHT_KEY: KEY })
  await expect(logs(nowhere, ['tail'])).rejects.toThrow(
    /does not answer \(ECONNREFUSED\)\. Is the address of --api right/,
  )
})
