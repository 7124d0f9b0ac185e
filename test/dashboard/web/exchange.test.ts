// @unit
// Requests of the dashboard: repeated until the server is back, after a new login, and never twice without a key.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { happen, loadWeb } from './load.ts'

type Problem = { status: number; message: string; [name: string]: unknown }
type Api = {
  call(method: string, path: string, options?: object): Promise<unknown>
  exchange(method: string, path: string, options?: object): Promise<{ data: unknown; etag: string | null }>
  connection: {
    mode: string
    csrfToken: string | null
    login: (() => Promise<void>) | null
    renew: (() => Promise<void>) | null
  }
  watchConnection(listener: (isAway: boolean) => void): () => void
}
const { call, exchange, connection, watchConnection } = await loadWeb<Api>('api.ts')

type Sent = { url: string; method: string; headers: Record<string, string>; body?: string }
type Reply = { status: number; body?: unknown; headers?: Record<string, string> } | 'none'

let replies: Reply[] = []
let sent: Sent[] = []
const away: boolean[] = []
watchConnection((isAway) => away.push(isAway))

beforeEach(() => {
  sent = []
  away.length = 0
  Object.assign(connection, { mode: 'sandbox', csrfToken: 'token', login: null, renew: null })
  vi.stubGlobal('fetch', async (url: string, options: Sent) => {
    sent.push({ ...options, url })
    const reply = replies.shift() ?? { status: 200, body: {} }
    // The line is back at once.
    setTimeout(() => happen('online'))
    if (reply === 'none') throw new TypeError('Failed to fetch')
    const body = reply.body === undefined ? null : JSON.stringify(reply.body)
    return new Response(body, { status: reply.status, ...(reply.headers ? { headers: reply.headers } : {}) })
  })
})
afterEach(() => expect(replies).toEqual([]))

const problem = (status: number, error: object = {}): Reply => ({
  status,
  body: { error: { type: 'not_valid', message: 'No.', ...error } },
})
const keys = () => sent.map(({ headers }) => headers['idempotency-key'])
const refusedBy = (asked: Promise<unknown>) =>
  asked.then(
    () => expect.unreachable(),
    (error: Problem) => error,
  )

describe('a request', () => {
  it('names the mode, the ETag and, where it writes, the token', async () => {
    replies = [{ status: 200, body: { id: 1 }, headers: { etag: '"2"' } }]
    const options = { body: { name: 'Mug' }, ifMatch: '"1"', mode: 'live' }
    expect(await exchange('PUT', '/v1/products/1', options)).toEqual({ data: { id: 1 }, etag: '"2"' })
    expect(sent).toMatchObject([
      {
        url: '/dashboard/api/v1/products/1',
        method: 'PUT',
        headers: { 'x-mode': 'live', 'x-csrf-token': 'token', 'if-match': '"1"', 'content-type': 'application/json' },
        body: '{"name":"Mug"}',
      },
    ])
    replies = [{ status: 204 }]
    expect(await call('GET', '/v1/products')).toBeNull()
    expect(sent[1]?.headers).toEqual({ accept: 'application/json', 'x-mode': 'sandbox' })
  })

  it('waits while the server is away, and says so', async () => {
    replies = ['none', problem(503), { status: 200, body: 'here' }]
    expect(await call('GET', '/v1/orders')).toBe('here')
    expect(away).toEqual([true, false])
  })

  it('that writes is repeated with the same key, and not at all where it has none', async () => {
    replies = ['none', { status: 201, body: 'made' }]
    expect(await call('POST', '/v1/orders/1/refund')).toBe('made')
    expect([keys()[0] === keys()[1], typeof keys()[0]]).toEqual([true, 'string'])
    replies = ['none', { status: 200, body: {} }]
    await call('POST', '/v1/orders/1/refund', { idempotencyKey: 'mine' })
    expect(keys().slice(2)).toEqual(['mine', 'mine'])
    replies = ['none']
    expect((await refusedBy(call('POST', '/session'))).message).toMatch(/^The server did not answer\. Nothing you have/)
    // The page shows a temporary refusal of the server and does not retry.
    replies = [problem(503)]
    expect((await refusedBy(call('POST', '/v1/orders'))).status).toBe(503)
  })

  it('goes on after a new login, but for the login itself and a second factor', async () => {
    const login = vi.fn(async () => undefined)
    connection.login = login
    replies = [problem(401, { type: 'unauthorized' }), { status: 200, body: 'here' }]
    expect(await call('PUT', '/v1/products/1', { body: { name: 'Cup' } })).toBe('here')
    expect(sent[1]?.body).toBe('{"name":"Cup"}')
    replies = [problem(401)]
    expect((await refusedBy(call('POST', '/session'))).status).toBe(401)
    replies = [problem(401, { type: 'second_factor' })]
    expect((await refusedBy(call('DELETE', '/second-factor'))).status).toBe(401)
    expect(login).toHaveBeenCalledTimes(1)
  })

  it('that writes is repeated once with the token of a newer session', async () => {
    let times = 0
    connection.renew = async () => {
      connection.csrfToken = `newer ${++times}`
    }
    replies = [problem(403), { status: 200, body: 'here' }]
    expect(await call('PUT', '/v1/products/1')).toBe('here')
    expect(sent.map(({ headers }) => headers['x-csrf-token'])).toEqual(['token', 'newer 1'])
    replies = [problem(403), problem(403)]
    expect((await refusedBy(call('PUT', '/v1/products/1'))).status).toBe(403)
    connection.renew = async () => undefined
    replies = [problem(403)]
    expect((await refusedBy(call('PUT', '/v1/products/1'))).status).toBe(403)
  })

  it('that is refused tells fields, people, the wait and what is stored now', async () => {
    const errors = { price: ['price must be a number.'] }
    const people = [{ name: 'Ada', role: 'owner' }]
    const headers = { 'retry-after': '30', 'x-request-id': 'req_1', etag: '"3"' }
    const error = { type: 'not_valid', message: 'No.', errors, current: { id: 1 } }
    replies = [{ status: 409, body: { error, may: { people } }, headers }]
    const told = await refusedBy(call('PUT', '/v1/products/1'))
    const expected = { status: 409, type: 'not_valid', message: 'No.', errors, people, current: { id: 1 }, etag: '"3"' }
    expect(told).toMatchObject({ ...expected, retryAfter: 30, requestId: 'req_1' })
    replies = [{ status: 500 }]
    expect((await refusedBy(call('GET', '/v1/products'))).message).toBe('The server answered 500.')
  })
})
