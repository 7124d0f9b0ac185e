// POST /v1/attributes: what is stored, what the fields become when they are left out, and what is refused.
// Which fields go with which type is in create-rules.test.ts; text and meta are in create-text.test.ts.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { malformed } from '../../support/shop.ts'
import {
  create,
  draft,
  ENUM_SENTENCE,
  eventsOf,
  itNeedsTheSecretKey,
  OPTION_ID,
  rowsOf,
  shopOf,
  shown,
  TYPES,
} from './support.ts'

const app = await testApp({ trustProxy: () => true })

const post = async (body: unknown, headers: Record<string, string> = {}) => {
  const { keys } = await shopOf(app)
  return app.call('POST', '/v1/attributes', { key: keys.sandbox.secret, body, headers })
}

/** Sends what must be refused, and checks that nothing was stored and no event written. */
async function refused(body: unknown) {
  const { id } = await shopOf(app)
  const before = [(await rowsOf(app.db, id)).length, (await eventsOf(app.db, id)).length]
  const answer = await post(body)
  expect([(await rowsOf(app.db, id)).length, (await eventsOf(app.db, id)).length]).toEqual(before)
  return [answer.status, answer.body]
}

describe('POST /v1/attributes', () => {
  it.each(TYPES)('creates an attribute of type %s from the three required fields, with every default', async (type) => {
    const answer = await post(draft({ type }))
    expect([answer.status, answer.body]).toEqual([201, shown({ type })])
  })

  it('stores every field that is sent', async () => {
    const answer = await post({
      name: 'Material',
      description: 'What it is made of.',
      type: 'options',
      required: true,
      is_public: false,
      is_multiselect: true,
      options: [
        { value: 'oak', label: 'Oak' },
        { value: 'steel', label: 'Steel' },
      ],
      default_value: 'steel',
      meta: { supplier: 7 },
    })
    const stored = shown({
      type: 'options',
      required: true,
      is_public: false,
      is_multiselect: true,
      options: [
        { id: expect.stringMatching(OPTION_ID), value: 'oak', label: 'Oak' },
        { id: expect.stringMatching(OPTION_ID), value: 'steel', label: 'Steel' },
      ],
      default_value: 'steel',
      meta: { supplier: 7 },
    })
    expect([answer.status, answer.body]).toEqual([201, stored])
    const { keys } = await shopOf(app)
    const { id } = answer.body as { id: string }
    expect((await app.call('GET', `/v1/attributes/${id}`, { key: keys.sandbox.secret })).body).toEqual(answer.body)
  })

  it('takes each default given by hand for what it is', async () => {
    const body = draft({ required: false, is_public: true, is_multiselect: false, default_value: null, meta: null })
    expect((await post({ ...body, options: [] })).body).toEqual(shown())
  })

  it('gives every attribute and every option an id of its own', async () => {
    const options = Array.from({ length: 50 }, (_, index) => ({ value: `v${index}` }))
    const made = await Promise.all(
      Array.from({ length: 20 }, async () =>
        create(app, (await shopOf(app)).keys.sandbox.secret, { type: 'radio', options }),
      ),
    )
    const ids = made.flatMap((attribute) => [attribute.id, ...attribute.options.map(({ id }) => id)])
    expect(new Set(ids).size).toBe(20 * 51)
  })

  it('lets two attributes have the same name', async () => {
    expect((await post(draft())).status).toBe(201)
    expect((await post(draft())).status).toBe(201)
  })

  it('shows the live key what the sandbox key made, and the other way round', async () => {
    const { keys } = await shopOf(app)
    const headers = { 'x-forwarded-proto': 'https' }
    const made = await app.call('POST', '/v1/attributes', { key: keys.live.secret, headers, body: draft() })
    expect([made.status, made.body]).toEqual([201, shown()])
    const { id } = made.body as { id: string }
    expect((await app.call('GET', `/v1/attributes/${id}`, { key: keys.sandbox.secret })).body).toEqual(made.body)
  })

  it('ignores fields it does not know, and those that are not for the client to set', async () => {
    const answer = await post(
      draft({ id: 'attr_mine', created: 1, updated: 1, colour: 'red', merchant_id: 999, is_required: true, Name: 'x' }),
    )
    expect([answer.status, answer.body]).toEqual([201, shown()])
  })

  describe('required fields', () => {
    it('refuses an empty object, and names all three', async () => {
      const errors = {
        name: ['name is required.'],
        description: ['description is required.'],
        type: ['type is required.'],
      }
      expect(await refused({})).toEqual([422, malformed(errors)])
      expect(await refused(null)).toEqual([422, malformed(errors)])
    })

    it.each(['name', 'description', 'type'])('refuses a body without %s', async (field) => {
      const body: Record<string, unknown> = draft()
      delete body[field]
      expect(await refused(body)).toEqual([422, malformed({ [field]: [`${field} is required.`] })])
    })
  })

  describe('JSON types', () => {
    const VALUES = { null: null, string: 'text', integer: 7, fraction: 1.5, boolean: true, list: [], object: {} }
    const FIELDS = {
      name: { takes: ['string'], says: ['name must be a string.'] },
      description: { takes: ['string'], says: ['description must be a string.'] },
      type: { takes: ['string'], says: ['type must be a string.', ENUM_SENTENCE] },
      required: { takes: ['boolean'], says: ['required must be true or false.'] },
      is_public: { takes: ['boolean'], says: ['is_public must be true or false.'] },
      is_multiselect: { takes: ['boolean'], says: ['is_multiselect must be true or false.'] },
      options: { takes: ['list'], says: ['options must be a list.'] },
      default_value: {
        takes: ['null', 'string', 'integer', 'boolean'],
        says: ['default_value must be a string, an integer, true or false or null.'],
      },
      meta: { takes: ['null', 'object'], says: ['meta must be a JSON object or null.'] },
    }
    const wrong = Object.entries(FIELDS).flatMap(([field, { takes, says }]) =>
      Object.entries(VALUES)
        .filter(([type]) => !takes.includes(type))
        .map(([type, value]) => [field, type, value, says] as const),
    )

    it.each(wrong)('refuses for %s the JSON type %s', async (field, _type, value, says) => {
      expect(await refused(draft({ [field]: value }))).toEqual([422, malformed({ [field]: [...says] })])
    })

    it('coerces nothing', async () => {
      expect(await refused(draft({ required: 'true' }))).toEqual([
        422,
        malformed({ required: ['required must be true or false.'] }),
      ])
      expect(await refused(draft({ is_public: 1 }))).toEqual([
        422,
        malformed({ is_public: ['is_public must be true or false.'] }),
      ])
    })

    it('names every wrong field at once', async () => {
      const body = { name: 7, description: 'x', type: 'text', required: 'no', options: [{ value: 1 }, 2], meta: [] }
      expect(await refused(body)).toEqual([
        422,
        malformed({
          name: ['name must be a string.'],
          type: [ENUM_SENTENCE],
          required: ['required must be true or false.'],
          'options.0.value': ['options.0.value must be a string.'],
          'options.1': ['options.1 must be a JSON object.'],
          meta: ['meta must be a JSON object or null.'],
        }),
      ])
    })

    it.each([[[]], ['text'], [7], [true]])('refuses the body %j', async (body) => {
      expect(await refused(body)).toEqual([422, malformed({ body: ['body must be a JSON object.'] })])
    })
  })

  it.each(['Options', 'OPTIONS', ' options', 'text', ''])('refuses the type %j', async (type) => {
    expect(await refused(draft({ type }))).toEqual([422, malformed({ type: [ENUM_SENTENCE] })])
  })

  describe('limits', () => {
    it('takes a name of 255 characters, counted as people count them', async () => {
      expect((await post(draft({ name: 'x'.repeat(255) }))).body).toEqual(shown({ name: 'x'.repeat(255) }))
      expect((await post(draft({ name: '😀'.repeat(255) }))).body).toEqual(shown({ name: '😀'.repeat(255) }))
    })

    it.each(['x', '😀'])('refuses a name of 256 times %s', async (character) => {
      expect(await refused(draft({ name: character.repeat(256) }))).toEqual([
        422,
        malformed({ name: ['name must be at most 255 characters long.'] }),
      ])
    })

    it('refuses an empty name, and takes an empty description', async () => {
      expect(await refused(draft({ name: '' }))).toEqual([422, malformed({ name: ['name must not be empty.'] })])
      expect((await post(draft({ description: '' }))).body).toEqual(shown({ description: '' }))
    })

    it('takes a description and a default value of 10,000 characters, and refuses one more', async () => {
      const long = 'x'.repeat(10_000)
      const body = { type: 'long_text', description: long, default_value: long }
      expect((await post(draft(body))).body).toEqual(shown(body))
      expect(await refused(draft({ ...body, description: `${long}x`, default_value: `${long}x` }))).toEqual([
        422,
        malformed({
          description: ['description must be at most 10000 characters long.'],
          default_value: ['default_value must be at most 10000 characters long.'],
        }),
      ])
    })

    it('refuses a body larger than a megabyte', async () => {
      expect(await refused(draft({ meta: { blob: 'x'.repeat(1_048_576) } }))).toEqual([
        413,
        {
          error: {
            type: 'payload_too_large',
            message: 'The request body is larger than the 1048576 bytes accepted here.',
          },
          status_code: 413,
        },
      ])
    })
  })

  describe('unreadable bodies', () => {
    const send = async (payload: string, type: string | null = 'application/json') => {
      const { id, keys } = await shopOf(app)
      const before = (await rowsOf(app.db, id)).length
      const headers = { 'x-authorization': keys.sandbox.secret, ...(type === null ? {} : { 'content-type': type }) }
      const answer = await app.server.inject({ method: 'POST', url: '/v1/attributes', headers, payload })
      expect((await rowsOf(app.db, id)).length).toBe(before)
      return [answer.statusCode, answer.json()]
    }

    it('refuses what is not JSON', async () => {
      const [status, body] = await send('{"name": "n",}')
      expect(status).toBe(400)
      expect(body).toEqual({
        error: { type: 'bad_request', message: expect.stringMatching(/^The request body is not valid JSON/) },
        status_code: 400,
      })
    })

    it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', null])(
      'refuses the content type %s',
      async (type) => {
        expect(await send(JSON.stringify(draft()), type)).toEqual([
          415,
          {
            error: {
              type: 'unsupported_media_type',
              message: 'Send the body as JSON in UTF-8, with the header Content-Type: application/json.',
            },
            status_code: 415,
          },
        ])
      },
    )
  })

  itNeedsTheSecretKey(app, () => ({ method: 'POST', url: '/v1/attributes', body: draft() }))
})
