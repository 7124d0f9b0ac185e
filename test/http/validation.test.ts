// Requests are checked: values are never converted, unknown fields do not matter, and all mistakes are named at once.

import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { Meta, nullable, oneOf } from '../../src/http/endpoint/schema.ts'
import { type Answer, testApp } from '../support/app.ts'
import { replyOf } from '../support/shop.ts'
import { errorBody, fieldError, probe, slice } from './harness.ts'

const Body = Type.Object({
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: 10 })),
  ratio: Type.Optional(Type.Number()),
  active: Type.Optional(Type.Boolean()),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })),
  code: Type.Optional(Type.String({ minLength: 3 })),
  note: Type.Optional(nullable(Type.String({ maxLength: 5 }))),
  colour: Type.Optional(oneOf(['red', 'blue'])),
  tags: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 2 })),
  pair: Type.Optional(Type.Array(Type.Integer(), { minItems: 2 })),
  address: Type.Optional(
    Type.Object({ city: Type.String(), lines: Type.Optional(Type.Array(Type.Object({ text: Type.String() }))) }),
  ),
  names: Type.Optional(Type.Array(Type.String())),
  prices: Type.Optional(Type.Record(Type.String(), Type.Integer())),
  meta: Type.Optional(Meta),
})
const echo = {
  returns: Type.Object({ got: Type.Unknown() }),
  handle: async ({ body }: { body?: unknown }) => ({ got: body }),
} as object

const app = await testApp({
  slices: [
    slice([
      probe({
        operation: 'probes.create',
        method: 'POST',
        path: '/v1/probes',
        body: Body,
        // As where a secret key is needed: it is what the largest bodies are.
        bodyLimit: 1_048_576,
        ...echo,
      }),
      probe({ operation: 'probes.update', method: 'PUT', path: '/v1/probes', body: Body, ...echo }),
      probe({
        operation: 'strict.create',
        method: 'POST',
        path: '/v1/strict',
        body: Type.Object({ name: Type.String(), price: Type.Object({ amount: Type.Integer() }) }),
      }),
    ]),
  ],
})
const { public: key } = (await app.merchant()).keys.sandbox

const post = (body: unknown, url = '/v1/probes') => app.call('POST', url, { key, body })

function expectGot(answer: Answer, got: unknown) {
  expect([answer.status, answer.body]).toEqual([200, { got }])
}

describe('a body', () => {
  test.each([
    [{ count: '3' }, 'count', 'count must be an integer.'],
    [{ count: null }, 'count', 'count must be an integer.'],
    [{ count: 0 }, 'count', 'count must be 1 or more.'],
    [{ count: 11 }, 'count', 'count must be 10 or less.'],
    [{ ratio: '1.5' }, 'ratio', 'ratio must be a number.'],
    [{ active: 'true' }, 'active', 'active must be true or false.'],
    [{ name: 3 }, 'name', 'name must be a string.'],
    [{ name: null }, 'name', 'name must be a string.'],
    [{ name: '' }, 'name', 'name must not be empty.'],
    [{ name: 'abcdef' }, 'name', 'name must be at most 5 characters long.'],
    [{ code: 'ab' }, 'code', 'code must be at least 3 characters long.'],
    [{ note: 3 }, 'note', 'note must be a string or null.'],
    [{ note: 'abcdef' }, 'note', 'note must be at most 5 characters long.'],
    [{ colour: 'green' }, 'colour', 'colour must be one of red, blue.'],
    [{ tags: 'a' }, 'tags', 'tags must be a list.'],
    [{ tags: [] }, 'tags', 'tags must have at least 1 entry.'],
    [{ tags: ['a', 'b', 'c'] }, 'tags', 'tags must have at most 2 entries.'],
    [{ tags: ['a', 3] }, 'tags.1', 'tags.1 must be a string.'],
    [{ pair: [1] }, 'pair', 'pair must have at least 2 entries.'],
    [{ address: 'x' }, 'address', 'address must be a JSON object.'],
    [{ address: {} }, 'address.city', 'address.city is required.'],
    [
      { address: { city: 'x', lines: [{ text: 1 }] } },
      'address.lines.0.text',
      'address.lines.0.text must be a string.',
    ],
  ])('%j is refused: %s', async (body, field, sentence) => {
    for (const method of ['POST', 'PUT'] as const)
      expect(await replyOf(app.call(method, '/v1/probes', { key, body }))).toEqual([422, fieldError(field, sentence)])
  })

  test('a field over several rules gets a sentence for each; one kind of mistake is said once', async () => {
    const { body } = await post({ colour: 3 })
    expect(body).toEqual(
      errorBody(422, 'unprocessable_entity', 'colour must be a string. (and 1 more error)', {
        colour: ['colour must be a string.', 'colour must be one of red, blue.'],
      }),
    )
  })

  test('everything that is wrong is said at once', async () => {
    expect((await post({ count: '3', active: 1, tags: [1, 2], address: { lines: [{}] } })).body).toEqual(
      errorBody(422, 'unprocessable_entity', 'count must be an integer. (and 5 more errors)', {
        count: ['count must be an integer.'],
        active: ['active must be true or false.'],
        'tags.0': ['tags.0 must be a string.'],
        'tags.1': ['tags.1 must be a string.'],
        'address.city': ['address.city is required.'],
        'address.lines.0.text': ['address.lines.0.text is required.'],
      }),
    )
    expect((await post({}, '/v1/strict')).body).toEqual(
      errorBody(422, 'unprocessable_entity', 'name is required. (and 1 more error)', {
        name: ['name is required.'],
        price: ['price is required.'],
      }),
    )
  })

  test('what is right arrives as it was sent', async () => {
    for (const body of [
      {},
      { count: 3, ratio: 1.5, active: false, name: 'abc', note: null, colour: 'red', tags: ['a'] },
      { note: '', name: 'ééééé' },
      { name: '👍👍👍👍👍' },
      { ratio: 3 },
      { ratio: -0.1, count: 1 },
    ])
      expectGot(await post(body), body)
  })

  test('unknown fields are no mistake, also inside others', async () => {
    for (const body of [
      { unknown: 1, address: { city: 'x', more: [1] }, count: 1 },
      { toString: 'x', hasOwnProperty: 1, $ref: '#', '': '' },
    ])
      expect((await post(body)).status).toBe(200)
  })

  test.each([[[]], [[{}]], ['text'], [3], [true], [false], [0], ['']])('%j is no object: 422', async (body) => {
    for (const version of ['2022-07-21', '2020-02-01'])
      expect(await replyOf(app.call('POST', '/v1/probes', { key, version, body }))).toEqual([
        422,
        fieldError('body', 'body must be a JSON object.'),
      ])
  })
})

describe('a body in which very much is wrong', () => {
  const errorsOf = (answer: Answer) => (answer.body as { error: { errors: Record<string, string[]> } }).error.errors

  test('is refused quickly, with its first mistake', async () => {
    const started = performance.now()
    const answer = await post({ names: Array.from({ length: 520_000 }, () => 1), count: 'x' })
    expect(performance.now() - started).toBeLessThan(20_000)
    expect(answer.status).toBe(422)
    expect(answer.text.length).toBeLessThan(1_000)
    const [[field, [sentence]] = ['', []]] = Object.entries(errorsOf(answer)) as [string, [string]][]
    expect(answer.body).toEqual(fieldError(field, sentence ?? ''))
  })

  test('hears of at most fifty mistakes', async () => {
    const answer = await post({ names: Array.from({ length: 900 }, () => 1) })
    expect(Object.keys(errorsOf(answer))).toEqual(Array.from({ length: 50 }, (_, index) => `names.${index}`))
  })

  test('hears of all of them up to a thousand parts, and of one beyond', async () => {
    // The body, its two fields, and the entries.
    const wrong = (parts: number) => ({ count: 'x', names: ['x', 1, ...Array.from({ length: parts - 5 }, () => 'x')] })
    expect(errorsOf(await post(wrong(1_000)))).toEqual({
      count: ['count must be an integer.'],
      'names.1': ['names.1 must be a string.'],
    })
    expect(errorsOf(await post(wrong(1_001)))).toEqual({ count: ['count must be an integer.'] })
  })

  test('does not have its own long names repeated to it', async () => {
    const long = '😀'.repeat(100_000)
    const answer = await post({ prices: { [long]: 'x', [`a${long}`]: 'x', constructor: 'x' } })
    expect(answer.status).toBe(422)
    expect(answer.text.length).toBeLessThan(3_000)
    expect(answer.text).not.toMatch(/\p{Surrogate}/u)
    expect(errorsOf(answer)['prices.constructor']).toEqual(['prices.constructor must be an integer.'])
  })

  test('that is large and right is no mistake', async () => {
    const names = Array.from({ length: 50_000 }, () => 'x')
    expectGot(await post({ names }), { names })
  })
})

describe('numbers', () => {
  const send = (payload: string) =>
    app.server.inject({
      method: 'POST',
      url: '/v1/probes',
      headers: { 'x-authorization': key, 'content-type': 'application/json' },
      payload,
    })

  test('that are larger than any number of JavaScript are refused by name: they would become null', async () => {
    for (const [payload, field] of [
      ['{"meta":{"a":[1,1e400]}}', 'meta.a.1'],
      ['{"meta":{"a":-1E+400}}', 'meta.a'],
      [`{"meta":{"a":${'9'.repeat(310)}}}`, 'meta.a'],
      ['{"ratio":1e309}', 'ratio'],
      ['1e400', 'body'],
    ] as const) {
      const { statusCode, ...response } = await send(payload)
      const sentence = `${field} must be a number between -1.7e308 and 1.7e308.`
      expect([statusCode, response.json()]).toEqual([422, fieldError(field, sentence)])
    }
  })

  test('that fit, or only look large, are kept', async () => {
    for (const payload of ['{"meta":{"a":1e+300,"b":-1.5e-7,"c":"1e400"}}', `{"meta":{"d":"${'9'.repeat(400)}"}}`]) {
      const { statusCode, ...response } = await send(payload)
      expect([statusCode, response.json()]).toEqual([200, { got: JSON.parse(payload) }])
    }
  })
})
