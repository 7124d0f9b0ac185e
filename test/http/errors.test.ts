// Errors inside a request: from the router, the body parser, validation and crashes. Earlier ones: errors-on-the-wire.test.ts.

import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { ApiError, tooManyRequests } from '../../src/lib/errors.ts'
import { type Answer, testApp } from '../support/app.ts'
import { NO_ROUTE } from '../support/shop.ts'
import { badRequest, crash, errorBody, fieldError, listen, probe, REQUEST_ID, slice } from './harness.ts'

const Body = Type.Object({ name: Type.Optional(Type.String()), meta: Type.Optional(Type.Unknown()) })
let thrown: unknown
const signals: AbortSignal[] = []

const app = await testApp({
  limits: { bodyBytes: 2_000, handlerMs: 3_000 },
  slices: [
    slice([
      probe({ operation: 'probes.get', path: '/v1/probes/:id', params: Type.Object({ id: Type.String() }) }),
      probe({ operation: 'probes.put', method: 'PUT', path: '/v1/probes/:id' }),
      probe({ operation: 'probes.create', method: 'POST', path: '/v1/probes', body: Body }),
      probe({ operation: 'probes.small', method: 'POST', path: '/v1/small', body: Body, bodyLimit: 10 }),
      probe({ operation: 'probes.search', path: '/v1/search', query: Type.Object({}) }),
      crash(() => thrown),
      probe({ operation: 'secrets.list', path: '/v1/secrets', access: 'secret' }),
      ...(['GET', 'POST', 'PUT', 'DELETE'] as const).map((method) =>
        probe({
          operation: `hang.${method.toLowerCase()}`,
          method,
          path: '/v1/hang',
          ...(method === 'POST' || method === 'PUT' ? { body: Body } : {}),
          handle: ({ signal }) => {
            signals.push(signal)
            return new Promise(() => undefined)
          },
        }),
      ),
    ]),
  ],
})
const port = await listen(app)
const { keys } = await app.merchant()
const key = keys.sandbox.secret

/** Sends a body as it stands, with the headers given. */
async function post(payload: string | Buffer, headers: Record<string, string> = {}, url = '/v1/probes') {
  const response = await app.server.inject({
    method: 'POST',
    url,
    headers: { 'x-authorization': key, 'content-type': 'application/json', ...headers },
    payload,
  })
  return { status: response.statusCode, headers: response.headers, body: response.json(), text: response.body }
}

function expectError(answer: Answer | Awaited<ReturnType<typeof post>>, body: ReturnType<typeof errorBody>) {
  expect(answer.body).toEqual(body)
  expect(answer.status).toBe(body.status_code)
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(answer.headers['x-request-id']).toMatch(REQUEST_ID)
  expect(answer.headers['cache-control']).toBe('no-store')
  expect(answer.headers['x-content-type-options']).toBe('nosniff')
}

const NOT_JSON_TYPE = errorBody(
  415,
  'unsupported_media_type',
  'Send the body as JSON in UTF-8, with the header Content-Type: application/json.',
)
const TOO_DEEP = badRequest('The request body is nested deeper than the 20 levels accepted here.')
const POISON = badRequest(
  'The request body uses a key that is not accepted: __proto__, or prototype inside constructor.',
)

describe('the address', () => {
  test.each(['/nothing', '/v1', '/v1/probe', '/v1/probes/1/more', '/V1/probes', '/.env', '/v1/%2e%2e/probes'])(
    '%s leads nowhere: 404, with or without a key',
    async (url) => {
      expectError(await app.call('GET', url), NO_ROUTE)
      expectError(await app.call('POST', url, { key, body: {} }), NO_ROUTE)
      expectError(await app.call('DELETE', url, { key: 'nonsense' }), NO_ROUTE)
    },
  )

  test('an unknown address is 404 whatever the body is', async () => {
    expectError(await post('{', { 'content-type': 'text/plain', 'content-encoding': 'gzip' }, '/v1/nothing'), NO_ROUTE)
    expectError(await post('x'.repeat(3_000), {}, '/v1/nothing'), NO_ROUTE)
  })

  test.each(['POST', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND', 'QUERY'])(
    'the method %s is 405 at a known address, which names those it has before it asks for a key, and 404 at an unknown one',
    async (method) => {
      const send = async (url: string, headers: Record<string, string> = {}) => {
        const { statusCode, ...response } = await app.server.inject({ method: method as 'GET', url, headers })
        return { headers: response.headers, status: statusCode, body: response.json(), text: '' }
      }
      const refused = errorBody(405, 'method_not_allowed', 'This address accepts GET, HEAD, PUT.')
      for (const url of ['/v1/probes/1', '/v1/probes/1/', '//v1/probes/1?a=/b']) {
        const answer = await send(url, { 'content-type': 'a/b' })
        expectError(answer, refused)
        expect(answer.headers).toMatchObject({ allow: 'GET, HEAD, PUT', 'access-control-allow-origin': '*' })
      }
      const secret = await send('/v1/secrets')
      expect([secret.status, secret.headers.allow]).toEqual([405, 'GET, HEAD'])
      expect(secret.headers).not.toHaveProperty('access-control-allow-origin')
      const posted = await app.call('GET', '/v1/probes', { key })
      expectError(posted, errorBody(405, 'method_not_allowed', 'This address accepts POST.'))
      for (const url of ['/nothing', '/v1/probes/1/more', '/v1/secretsandmore']) expectError(await send(url), NO_ROUTE)
    },
  )

  test('a percent sign that begins no escape is 400 in the path', async () => {
    const message = 'The address holds a percent sign that does not begin a valid escape.'
    for (const url of ['/v1/probes/%', '/v1/probes/%zz', '/v1/probes/%E0%A4', '/%ff'])
      expectError(await app.call('GET', url, { key }), badRequest(message))
  })

  test('%00 in the path is 404, in the query 422', async () => {
    expectError(await app.call('GET', '/v1/probes/a%00b', { key }), NO_ROUTE)
    expectError(await app.call('GET', '/v1/probes/%00?q=1', { key }), NO_ROUTE)
    const sentence = 'q must not contain the character U+0000 or half of a surrogate pair.'
    expectError(await app.call('GET', '/v1/search?q=a%00', { key }), fieldError('q', sentence))
    expect((await app.call('GET', '/v1/probes/a?q=%2500', { key })).status).toBe(200)
  })
})

describe('the body', () => {
  test('unreadable JSON is 400, and the message repeats nothing of it', async () => {
    for (const payload of ['{"card":"4242424242424242"', '4242x', '{"a":sk_live}', "{'a':1}", '{"a":1}}', 'NaN', ' ']) {
      const answer = await post(payload)
      const [said] = answer.body.error.errors.request
      expectError(answer, badRequest(said))
      expect(said).toMatch(/^The request body is not valid JSON(?:: look at character \d+)?\.$/)
    }
  })

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/json;charset="UTF-16LE"',
    ';',
  ])('sent as %s is 415', async (type) => {
    expectError(await post('{"name":"x"}', { 'content-type': type }), NOT_JSON_TYPE)
  })

  test.each([
    'application/json',
    'Application/JSON',
    'application/json;charset=utf-8',
    'application/json; charset="UTF-8"',
    'application/json; charset=utf8',
    'application/vnd.api+json',
  ])('sent as %s is read', async (type) => {
    expect(await post('{"name":"x"}', { 'content-type': type })).toMatchObject({ status: 200, body: { ok: true } })
  })

  test('without a content type is 415, unless it is empty', async () => {
    const inject = (payload: string) =>
      app.server.inject({ method: 'POST', url: '/v1/probes', headers: { 'x-authorization': key }, payload })
    const { headers, statusCode: status, ...response } = await inject('{"name":"x"}')
    expectError({ headers, status, body: response.json(), text: '' }, NOT_JSON_TYPE)
    expect((await inject('')).statusCode).toBe(200)
  })

  test.each(['gzip', 'br', 'gzip, identity'])('packed with %s is 415', async (encoding) => {
    expectError(await post(Buffer.from('1f8b08', 'hex'), { 'content-encoding': encoding }), NOT_JSON_TYPE)
  })

  test('that is not UTF-8 is 400', async () => {
    const body = badRequest('The request body is not valid UTF-8.')
    for (const bytes of ['7b2261223a22ff227d', 'fffe7b007d00', '22c3', '22eda080'])
      expectError(await post(Buffer.from(bytes, 'hex')), body)
  })

  test('may begin with a byte order mark', async () => {
    expect(await post('\uFEFF{"name":"x"}')).toMatchObject({ status: 200 })
    expectError(await post('\uFEFF{"name":3}'), fieldError('name', 'name must be a string.'))
  })

  test('over the limit is 413 and names the limit of its endpoint', async () => {
    const text = (limit: number) => `The request body is larger than the ${limit} bytes accepted here.`
    const body = `{"name":"${'x'.repeat(1_989)}"}`
    expect(await post(body)).toMatchObject({ status: 200 })
    expectError(await post(`${body} `), errorBody(413, 'payload_too_large', text(2_000)))
    expect(await post('{"a":1234}', {}, '/v1/small')).toMatchObject({ status: 200 })
    expectError(await post('{"a":12345}', {}, '/v1/small'), errorBody(413, 'payload_too_large', text(10)))
  })

  test('X20: is 400 from the 21st level on', async () => {
    const nested = (levels: number) => `${'{"meta":'.repeat(levels)}1${'}'.repeat(levels)}`
    expect(await post(nested(20))).toMatchObject({ status: 200 })
    expectError(await post(nested(21)), TOO_DEEP)
    expectError(await post('['.repeat(1_900)), TOO_DEEP)
  })

  test('X18: that would poison a prototype is 400, and none is poisoned', async () => {
    for (const payload of [
      '{"__proto__":{"polluted":1}}',
      '{"meta":{"__proto__":{"polluted":1}}}',
      '{"meta":[{"\\u005f_proto__":{"polluted":1}}]}',
      '{"constructor":{"prototype":{"polluted":1}}}',
      '{"meta":{"constructor":{"\\u0070rototype":{"polluted":1}}}}',
    ])
      expectError(await post(payload), POISON)
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
    expect(await post('{"meta":{"constructor":"Bob","prototype":1}}')).toMatchObject({ status: 200 })
  })

  test.each([
    ['{"name":"a\\u0000b"}', 'name'],
    ['{"name":"\\ud800"}', 'name'],
    ['{"name":"\\udc00x"}', 'name'],
    ['{"meta":{"list":["ok",{"deep":"\\u0000"}]}}', 'meta.list.1.deep'],
    ['{"meta":{"a\\u0000b":1}}', 'meta.a\uFFFDb'],
    ['{"\\ud83d":1}', '\uFFFD'],
    ['{"unknown":"\\u0000"}', 'unknown'],
    ['"\\u0000"', 'body'],
  ])('V5: %s is 422 and the place is named', async (payload, place) => {
    const sentence = `${place} must not contain the character U+0000 or half of a surrogate pair.`
    expectError(await post(payload), fieldError(place, sentence))
  })

  test('V5: other unusual text is welcome', async () => {
    for (const name of ['\u202Egnp.exe', '👨‍👩‍👧', 'e\u0301', '\r\n', '<script>', '=cmd()', '%00', '\\u0000'])
      expect(await post(JSON.stringify({ name })), name).toMatchObject({ status: 200 })
  })
})

describe('the handler', () => {
  test('gives its own errors their status, type and headers', async () => {
    thrown = tooManyRequests(7)
    const answer = await app.call('GET', '/v1/crash', { key })
    expectError(answer, errorBody(429, 'too_many_requests', 'Too many requests. Try again in 7 seconds.'))
    expect(answer.headers['retry-after']).toBe('7')
    thrown = new ApiError(402, 'requires_verification', 'Confirm with the bank.', { param: 'https://bank.example' })
    expect((await app.call('GET', '/v1/crash', { key })).body).toEqual({
      error: { type: 'requires_verification', message: 'Confirm with the bank.', param: 'https://bank.example' },
      status_code: 402,
    })
  })

  const failing = new Error('the secret ingredient')
  class Strange extends Error {
    statusCode = 418
    code = 'FST_STRANGE'
  }
  test.each([
    ['an Error', failing],
    ['an Error with a status and code of its own', new Strange('the secret ingredient')],
    ['a string', 'the secret ingredient'],
    ['an object', { message: 'the secret ingredient', statusCode: 404 }],
    ['an object without a prototype', Object.assign(Object.create(null), { message: 'the secret ingredient' })],
    ['null', null],
    ['undefined', undefined],
  ])('that throws %s answers 500 with the request id and nothing internal', async (_name, value) => {
    thrown = value
    const answer = await app.call('GET', '/v1/crash', { key })
    const id = String(answer.headers['x-request-id'])
    const message = `Something went wrong on our side. Please report it with the request id ${id}.`
    expectError(answer, errorBody(500, 'server_error', message))
  })

  // On a connection: without one, Node does not close a request when its body has been read.
  test('that takes too long is given up with 503; a POST, PUT or DELETE says that the outcome is unknown, and is told itself', async () => {
    signals.length = 0
    const headers = { 'x-authorization': key, 'content-type': 'application/json' }
    const answers = await Promise.all(
      ['GET', 'POST', 'PUT', 'DELETE'].map((method) =>
        fetch(`http://127.0.0.1:${port}/v1/hang`, { method, headers, body: method === 'GET' ? null : '{"name":"x"}' }),
      ),
    )
    const given = 'The request took too long and was stopped.'
    const unknown = `${given} It may have taken effect: check before you send it again.`
    for (const [index, answer] of answers.entries()) {
      expect(await answer.json()).toEqual(errorBody(503, 'unavailable', index === 0 ? given : unknown))
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    }
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true, true])
  })
})
