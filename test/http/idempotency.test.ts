// `Idempotency-Key`: what is repeated, refused and kept, and for how long. See also idempotency-header and idempotency-failures.

import { Type } from 'typebox'
import { beforeEach, describe, expect, it } from 'vitest'
import { slices } from '../../src/app.ts'
import { statement } from '../../src/db/db.ts'
import type { Endpoint } from '../../src/http/endpoint/endpoint.ts'
import {
  ApiError,
  accountLimitation,
  type ErrorType,
  paymentNotMade,
  requiresVerification,
} from '../../src/lib/errors.ts'
import { versions } from '../../src/versions/index.ts'
import { type Answer, type CallOptions, testApp } from '../support/app.ts'
import { replyOf } from '../support/shop.ts'
import { conflict, errorBody, gate, probe, STILL_RUNNING, slice } from './harness.ts'

let runs = 0
let late = gate()
let answer: { status: number; type: ErrorType } | null = null
let refusal: ApiError | null = null
const Run = Type.Object({ run: Type.Integer() })
const Body = Type.Object({ text: Type.Optional(Type.String()), card: Type.Optional(Type.Unknown()) })
/** POST /v1/<name>, which counts its runs. */
const counting = (name: string, handle: Endpoint['handle'] = async () => ({ run: runs }), more: object = {}) =>
  probe({
    ...{ operation: `probes.${name}`, method: 'POST', path: `/v1/${name}`, body: Body, status: 201, returns: Run },
    ...more,
    handle: async (context) => {
      runs += 1
      return handle(context)
    },
  })

const app = await testApp({
  versions,
  limits: { bodyBytes: 3_000_000, strangerBodyBytes: 3_000_000 },
  // So that a live key can be used, which needs HTTPS.
  trustProxy: ['127.0.0.0/8'],
  slices: [
    ...slices,
    slice([
      counting('probes'),
      counting('parts', undefined, { path: '/v1/probes/:id/parts/:part' }),
      counting('put', undefined, { method: 'PUT', path: '/v1/probes', status: 200 }),
      counting('empty', async () => undefined, { body: undefined, status: 204, returns: undefined }),
      counting('waits', async () => {
        await late.opened
        return { run: runs }
      }),
      counting('fails', async () => {
        if (answer === null) throw new Error('a bug')
        if (answer.status >= 400) throw new ApiError(answer.status, answer.type, `No ${runs}.`)
        return { run: runs }
      }),
      counting('begins', async ({ markNotFinal: notFinal }) => {
        if (refusal !== null) throw refusal
        notFinal()
        return { run: runs }
      }),
      counting(
        'large',
        async ({ origin }) => ({ id: 'thing_1', url: `${origin}/thing_1`, text: 'x'.repeat(262_144) }),
        { status: 200, returns: Type.Object({ id: Type.String(), url: Type.String(), text: Type.String() }) },
      ),
      counting('echo', async ({ body }) => body, { status: 200, returns: Body }),
    ]),
  ],
})
const { id: merchant_id, keys } = await app.merchant()
const other = await app.merchant({ email: 'other@example.com' })
const key = keys.sandbox.secret

let last = 0
/** A key that no test has used. */
const fresh = () => `key ${++last}`
const post = (url: string, name: string, options: CallOptions = {}) =>
  app.call('POST', url, { key, body: {}, ...options, headers: { 'idempotency-key': name, ...options.headers } })

const OTHER_REQUEST =
  'This Idempotency-Key was sent with another request to this address. Use a new key for each request.'
const USED = errorBody(422, 'not_valid', OTHER_REQUEST, { 'Idempotency-Key': [OTHER_REQUEST] })
const NOT_KEPT =
  'The first request with this Idempotency-Key ended with status 200, but its answer was too large or too late to be stored.'
/** Status, body, and whether the response is a replay. */
const replyIn = ({ status, text, headers }: Answer) => [status, text, headers['idempotency-replayed']]

beforeEach(() => {
  runs = 0
  late = gate()
})

describe('a repeated request', () => {
  it('gets the first answer again, and says so, without running', async () => {
    const name = fresh()
    const first = await post('/v1/probes', name)
    expect([first.status, first.body]).toEqual([201, { run: 1 }])
    expect(first.headers).not.toHaveProperty('idempotency-replayed')
    for (let time = 0; time < 2; time++) {
      const again = await post('/v1/probes', name)
      expect([again.status, again.text]).toEqual([201, first.text])
      expect(again.headers).toEqual({
        ...first.headers,
        'idempotency-replayed': 'true',
        'x-request-id': again.headers['x-request-id'],
        date: again.headers.date,
      })
      expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id'])
    }
    expect(runs).toBe(1)
  })

  it('may write its JSON and its address another way', async () => {
    const name = fresh()
    const send = (url: string, payload: string) =>
      app.server.inject({
        method: 'POST',
        url,
        headers: { 'x-authorization': key, 'content-type': 'application/json', 'idempotency-key': name },
        payload,
      })
    await send('/v1/probes/one/parts/two', '{"text":"é","card":{"a":1,"b":[1,2]}}')
    for (const [url, payload] of [
      ['/v1/probes/one/parts/two', '{ "card": {"b": [1.0, 2], "a": 1}, "text": "\\u00e9" }'],
      ['/v1/probes/one/parts/two/', '{"text":"é","card":{"a":1,"b":[1,2]}}'],
      ['//v1/probes//one/parts/t%77o', '{"text":"é","card":{"a":1,"b":[1,2]}}'],
    ] as const)
      expect((await send(url, payload)).json()).toEqual({ run: 1 })
  })

  it('without a body or with null is the same as one with an empty object', async () => {
    const name = fresh()
    await post('/v1/probes', name)
    for (const body of [undefined, null]) expect((await post('/v1/probes', name, { body })).body).toEqual({ run: 1 })
  })

  it('gets an answer without a body again', async () => {
    const name = fresh()
    for (const replayed of [undefined, 'true']) {
      const { status, text, headers } = await post('/v1/empty', name)
      expect([status, text, headers['idempotency-replayed']]).toEqual([204, '', replayed])
      expect(headers).not.toHaveProperty('content-type')
    }
    expect(runs).toBe(1)
  })

  it('of a real resource makes one of it, and every version gets the answer that was sent first', async () => {
    const [old] = versions.slice(-1)
    const name = fresh()
    const body = { name: 'Cup', price: 5 }
    const first = await post('/v1/products', name, { body, version: old?.date as string })
    expect([first.status, first.body]).toMatchObject([201, { last_updated: expect.any(Number) }])
    expect(first.body).not.toHaveProperty('updated')
    const again = await post('/v1/products', name, { body: { price: 5, name: 'Cup' } })
    expect([again.status, again.text]).toEqual([201, first.text])
    expect([again.headers['service-version'], again.headers['chec-version']]).toEqual([old?.date, old?.date])
    const list = await app.call('GET', '/v1/products', { key })
    expect(list.body).toMatchObject({ meta: { pagination: { total: 1 } } })
  })

  it('with another body is refused, and the first answer stays', async () => {
    const name = fresh()
    await post('/v1/probes', name, { body: { text: 'a' } })
    for (const body of [{ text: 'b' }, {}, { text: 'a', more: 1 }, { text: 7 }])
      expect(await post('/v1/probes', name, { body })).toMatchObject({ status: 422, body: USED })
    expect(await post('/v1/probes?a=1', name, { body: { text: 'a' } })).toMatchObject({ status: 422, body: USED })
    expect((await post('/v1/probes', name, { body: { text: 'a' } })).body).toEqual({ run: 1 })
    expect(runs).toBe(1)
  })

  it('with a public key does not get what the secret key was answered', async () => {
    const name = fresh()
    await post('/v1/probes', name)
    expect(await post('/v1/probes', name, { key: keys.sandbox.public })).toMatchObject({ status: 422, body: USED })
  })

  it('is another one for another merchant, mode, address and method', async () => {
    const name = fresh()
    const https = { 'x-forwarded-proto': 'https' }
    await post('/v1/probes', name)
    await post('/v1/probes', name, { key: other.keys.sandbox.secret })
    await post('/v1/probes', name, { key: keys.live.secret, headers: https })
    await post('/v1/probes/1/parts/2', name)
    await post('/v1/probes/2/parts/2', name)
    await post('/v1/probes/1/parts/2%2F', name)
    expect(runs).toBe(6)
    for (let time = 0; time < 2; time++)
      await app.call('PUT', '/v1/probes', { key, body: {}, headers: { 'idempotency-key': name } })
    expect(runs).toBe(8)
  })

  it('while the first still runs is 409, and gets its answer afterwards', async () => {
    const name = fresh()
    const first = post('/v1/waits', name)
    await expect.poll(async () => (await post('/v1/waits', name)).body).toEqual(STILL_RUNNING)
    expect(await post('/v1/waits', name, { body: { text: 'b' } })).toMatchObject({ status: 422, body: USED })
    late.open()
    expect((await first).body).toEqual({ run: 1 })
    expect((await post('/v1/waits', name)).body).toEqual({ run: 1 })
  })

  it('sent fifty times at once runs once', async () => {
    const name = fresh()
    const answers = await Promise.all(Array.from({ length: 50 }, () => post('/v1/probes', name)))
    expect(runs).toBe(1)
    for (const { status, body, headers } of answers)
      if (status === 201) expect(body).toEqual({ run: 1 })
      else expect([status, body, headers['idempotency-replayed']]).toEqual([409, STILL_RUNNING, undefined])
    expect(answers.filter(({ status, headers }) => status === 201 && !headers['idempotency-replayed'])).toHaveLength(1)
  })

  it('gets a refusal by the form of its body again, in the words of the first', async () => {
    const name = fresh()
    const first = await post('/v1/probes', name, { body: { text: 7 } })
    const again = await post('/v1/probes', name, { body: { text: 7 } })
    expect([first.status, ...replyIn(again)]).toEqual([422, 422, first.text, 'true'])
  })
})

describe('an answer', () => {
  it.each([
    [200, 'server_error'],
    [400, 'bad_request'],
    [402, 'gateway_error'],
    [404, 'not_found'],
    [413, 'payload_too_large'],
    [422, 'not_valid'],
  ] as const)('with status %i is final and is given again', async (status, type) => {
    const name = fresh()
    answer = { status, type }
    const first = await post('/v1/fails', name)
    expect(first.status).toBe(status === 200 ? 201 : status)
    answer = { status: 200, type }
    expect(replyIn(await post('/v1/fails', name))).toEqual([first.status, first.text, 'true'])
    expect(runs).toBe(1)
  })

  it.each([
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [408, 'request_timeout'],
    [409, 'conflict'],
    [429, 'too_many_requests'],
    [500, 'server_error'],
    [503, 'unavailable'],
    [504, 'gateway_timeout'],
    [500, null],
  ] as const)('with status %i (%s) is not, and the key is free for any body', async (status, type) => {
    const name = fresh()
    answer = type === null ? null : { status, type }
    expect((await post('/v1/fails', name)).status).toBe(status)
    answer = { status: 200, type: 'server_error' }
    const again = await post('/v1/fails', name, { body: { text: 'other' } })
    expect([again.status, again.body, again.headers['idempotency-replayed']]).toEqual([201, { run: 2 }, undefined])
  })

  it.each([
    ['a success that is only a beginning', null],
    ['the shopper has to confirm', requiresVerification('secret')],
    ['the account is disabled', accountLimitation()],
    ['the gateway has failed', paymentNotMade('Try again.', { code: 'payment_not_made', params: {} })],
  ])('that is not final whatever its status is (%s) frees the key for any body', async (_, refused) => {
    const name = fresh()
    refusal = refused
    const first = await post('/v1/begins', name)
    expect(first.status).toBe(refused?.status ?? 201)
    refusal = null
    const again = await post('/v1/begins', name, { body: { text: 'other' } })
    expect([again.status, again.body, again.headers['idempotency-replayed']]).toEqual([201, { run: 2 }, undefined])
  })

  it('of 256 KB is kept; of a larger one only that it was given', async () => {
    const [fits, large] = [fresh(), fresh()]
    const overhead = JSON.stringify({ text: '' }).length
    // Counted in bytes: an é is two.
    const text = `a${'é'.repeat((262_143 - overhead) / 2)}`
    for (const replayed of [undefined, 'true']) {
      const { status, headers, body } = await post('/v1/echo', fits, { body: { text } })
      expect([status, headers['idempotency-replayed']]).toEqual([200, replayed])
      expect(body).toEqual({ text })
    }
    expect((await post('/v1/echo', large, { body: { text: `${text}b` } })).status).toBe(200)
    expect(await replyOf(post('/v1/echo', large, { body: { text: `${text}b` } }))).toEqual([
      409,
      conflict(`${NOT_KEPT} Check what it did before you send it again with another key.`),
    ])
    expect(runs).toBe(2)
  })

  it.each(['localhost', 'elsewhere.example'])(
    'that is too large to be kept names what it was about, under the host %s',
    async (host) => {
      const name = fresh()
      const send = () => post('/v1/large', name, { headers: { host } })
      expect((await send()).status).toBe(200)
      const message = `${NOT_KEPT} It was not run again. Read its result by the id thing_1.`
      expect(await replyOf(send())).toEqual([409, conflict(message)])
      expect(runs).toBe(1)
    },
  )

  it('is kept without anything of the request but a keyed digest: no card number', async () => {
    const name = fresh()
    const card = { number: '4242424242424242', cvc: '987' }
    await post('/v1/probes', name, { body: { card } })
    const rows = await app.db.many(
      statement<{ row: string }>('test.rows', 'select k::text as row from idempotency_keys k where key = :key'),
      { key: name },
    )
    expect(rows).toEqual([
      {
        row: expect.stringMatching(
          new RegExp(`^\\(${merchant_id},t,"POST /v1/probes","${name}","\\\\\\\\x[0-9a-f]{64}",,201,[^,]+,"\\{.*\\}",`),
        ),
      },
    ])
    expect(rows[0]?.row).not.toContain(card.number)
    expect(rows[0]?.row).not.toContain(Buffer.from(card.number).toString('hex'))
  })
})
