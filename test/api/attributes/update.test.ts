// PUT /v1/attributes/{id}: only what is sent changes, and what would break a rule changes nothing.
// Options are in update-options.test.ts, changes at the same moment in update-together.test.ts.

import { describe, expect, it } from 'vitest'
import type { Attribute } from '../../../src/api/attributes/schema.ts'
import { testApp } from '../../support/app.ts'
import { malformed, notValid } from '../../support/shop.ts'
import { create, ENUM_SENTENCE, eventsOf, itFindsNoOther, itNeedsTheSecretKey, rowsOf, shopOf } from './support.ts'

const app = await testApp({ trustProxy: () => true })

const FULL = {
  type: 'options',
  required: true,
  is_public: false,
  is_multiselect: true,
  options: [
    { value: 'oak', label: 'Oak' },
    { value: 'steel', label: 'Steel' },
  ],
  default_value: 'oak',
  meta: { z: 1, a: { b: 2 } },
}

const make = async (more: Record<string, unknown> = {}) => create(app, (await shopOf(app)).keys.sandbox.secret, more)

const put = async (id: string, body: unknown, headers: Record<string, string> = {}) =>
  app.call('PUT', `/v1/attributes/${id}`, { key: (await shopOf(app)).keys.sandbox.secret, body, headers })

const read = async (id: string) =>
  (await app.call('GET', `/v1/attributes/${id}`, { key: (await shopOf(app)).keys.sandbox.secret })).body

const now = () => Math.floor(app.clock.now().getTime() / 1_000)

/** Sends a change a minute later and expects the attribute as it was, with these fields in place of the old ones. */
async function becomes(before: Attribute, body: unknown, fields: Partial<Attribute>) {
  app.clock.advance(60)
  const answer = await put(before.id, body)
  const expected = { ...before, ...fields, updated: now() }
  expect([answer.status, answer.body]).toEqual([200, expected])
  expect(await read(before.id)).toEqual(expected)
}

/** Sends what must be refused, and checks that no byte of any row changed and no event was written. */
async function refused(id: string, body: unknown) {
  const shop = await shopOf(app)
  app.clock.advance(60)
  const before = { rows: await rowsOf(app.db, shop.id), events: await eventsOf(app.db, shop.id) }
  const answer = await put(id, body)
  expect({ rows: await rowsOf(app.db, shop.id), events: await eventsOf(app.db, shop.id) }).toEqual(before)
  return [answer.status, answer.body]
}

describe('PUT /v1/attributes/{id}', () => {
  describe('each field alone', () => {
    it.each([
      ['name', 'New'],
      ['description', ''],
      ['required', false],
      ['is_public', true],
      ['is_multiselect', false],
      ['default_value', 'steel'],
      ['default_value', null],
      ['meta', { only: 'this' }],
      ['meta', {}],
      ['meta', null],
    ] as const)('changes %s to %j and leaves the others', async (field, value) => {
      await becomes(await make(FULL), { [field]: value }, { [field]: value })
    })

    it('changes the type and leaves the others', async () => {
      await becomes(await make({ default_value: 'text' }), { type: 'long_text' }, { type: 'long_text' })
    })

    it('changes options and leaves the others', async () => {
      const before = await make(FULL)
      await becomes(before, { options: before.options.slice(0, 1) }, { options: before.options.slice(0, 1) })
    })
  })

  it('changes every field at once', async () => {
    const before = await make(FULL)
    const fields = {
      name: 'Weight',
      description: 'In grams.',
      type: 'number' as const,
      required: false,
      is_public: true,
      is_multiselect: false,
      default_value: 7,
      meta: null,
      options: [],
    }
    await becomes(before, fields, fields)
  })

  it('moves updated with the clock, and created never', async () => {
    const before = await make()
    expect([before.created, before.updated]).toEqual([now(), now()])
    await becomes(before, { name: 'A minute later' }, { name: 'A minute later' })
    await becomes(before, { name: 'Two minutes later' }, { name: 'Two minutes later' })
    expect(((await read(before.id)) as Attribute).updated - before.created).toBe(120)
  })

  it('changes no field for an empty object or null', async () => {
    const before = await make(FULL)
    await becomes(before, {}, {})
    await becomes(before, null, {})
  })

  it('changes no field for a request without a body', async () => {
    const before = await make(FULL)
    const { keys } = await shopOf(app)
    const answer = await app.call('PUT', `/v1/attributes/${before.id}`, { key: keys.sandbox.secret })
    expect([answer.status, answer.body]).toEqual([200, { ...before, updated: now() }])
  })

  it('ignores fields it does not know, and those that are not for the client to set', async () => {
    const body = { id: 'attr_mine', created: 1, updated: 1, is_required: false, colour: 'red', merchant_id: 1 }
    await becomes(await make(FULL), body, {})
  })

  it('replaces meta as a whole, in the order it is sent', async () => {
    const before = await make({ meta: { kept: false, nested: { a: 1 } } })
    await becomes(before, { meta: { z: 1, nested: { b: 2 } } }, { meta: { z: 1, nested: { b: 2 } } })
    const { keys } = await shopOf(app)
    const { text } = await app.call('GET', `/v1/attributes/${before.id}`, { key: keys.sandbox.secret })
    expect(text).toContain('"meta":{"z":1,"nested":{"b":2}}')
  })

  it('lets the live key change what the sandbox key made', async () => {
    const before = await make()
    const { keys } = await shopOf(app)
    const headers = { 'x-forwarded-proto': 'https' }
    const body = { name: 'By live' }
    const answer = await app.call('PUT', `/v1/attributes/${before.id}`, { key: keys.live.secret, headers, body })
    expect([answer.status, answer.body]).toEqual([200, { ...before, name: 'By live' }])
    expect(await read(before.id)).toEqual(answer.body)
  })

  it('leaves the other attributes as they were', async () => {
    const { id: merchantId, keys } = await app.merchant()
    await create(app, keys.sandbox.secret, { name: 'First' })
    app.clock.advance(1)
    const second = await create(app, keys.sandbox.secret, { name: 'Second' })
    const [first] = await rowsOf(app.db, merchantId)
    await app.call('PUT', `/v1/attributes/${second.id}`, { key: keys.sandbox.secret, body: { name: 'Changed' } })
    const rows = await rowsOf(app.db, merchantId)
    expect(rows).toEqual([first, expect.stringContaining(',Changed,')])
  })

  it.each(['👩‍👩‍👧‍👦', '\u202Eשלום', 'e\u0301', '<script>alert(1)</script>', `'; drop table attributes; --`])(
    'stores %j exactly',
    async (text) => {
      const fields = { name: text, description: text, default_value: text, meta: { [text]: text } }
      await becomes(await make(), fields, fields)
    },
  )

  describe('refuses, and changes nothing,', () => {
    it.each([
      ['name', [null, 7, true, [], {}], ['name must be a string.']],
      ['description', [null, 7, true, [], {}], ['description must be a string.']],
      ['type', [null, 7, true, [], {}], ['type must be a string.', ENUM_SENTENCE]],
      ['type', ['text', '', 'RADIO'], [ENUM_SENTENCE]],
      ['required', [null, 'true', 1, [], {}], ['required must be true or false.']],
      ['is_public', [null, 'true', 1, [], {}], ['is_public must be true or false.']],
      ['is_multiselect', [null, 'true', 1, [], {}], ['is_multiselect must be true or false.']],
      ['options', [null, 'oak', 1, true, {}], ['options must be a list.']],
      ['default_value', [1.5, [], {}], ['default_value must be a string, an integer, true or false or null.']],
      ['meta', ['x', 1, true, []], ['meta must be a JSON object or null.']],
    ])('a %s of the wrong JSON type or value: %j', async (field, values, says) => {
      const { id } = await make(FULL)
      // Together with a good field, which must not slip through.
      for (const value of values)
        expect(await refused(id, { description: 'Slipped through', [field]: value })).toEqual([
          422,
          malformed({ [field]: says }),
        ])
    })

    it('an empty or too long name', async () => {
      const { id } = await make()
      expect(await refused(id, { name: '' })).toEqual([422, malformed({ name: ['name must not be empty.'] })])
      expect(await refused(id, { name: 'x'.repeat(256) })).toEqual([
        422,
        malformed({ name: ['name must be at most 255 characters long.'] }),
      ])
    })

    it('a body that is no object', async () => {
      const { id } = await make()
      for (const body of [[], 'text', 7, true])
        expect(await refused(id, body)).toEqual([422, malformed({ body: ['body must be a JSON object.'] })])
    })

    it.each(['short_text', 'long_text', 'number', 'date'])('the type %s while there are options', async (type) => {
      const { id } = await make({ type: 'radio', options: FULL.options })
      expect(await refused(id, { type, name: 'Slipped through' })).toEqual([
        422,
        notValid({
          options: [`options are for the types options, radio, checkbox; an attribute of type ${type} must have none.`],
        }),
      ])
    })

    it.each(['radio', 'checkbox'])('the type %s while is_multiselect is true', async (type) => {
      const { id } = await make(FULL)
      expect(await refused(id, { type })).toEqual([
        422,
        notValid({ is_multiselect: [`is_multiselect can be true for the type options only, not for ${type}.`] }),
      ])
    })

    it('is_multiselect for another type than options', async () => {
      const { id } = await make({ type: 'radio', options: FULL.options })
      expect(await refused(id, { is_multiselect: true })).toEqual([
        422,
        notValid({ is_multiselect: ['is_multiselect can be true for the type options only, not for radio.'] }),
      ])
    })

    it('both at once, and names both', async () => {
      const { id } = await make(FULL)
      expect(await refused(id, { type: 'number' })).toEqual([
        422,
        notValid({
          options: ['options are for the types options, radio, checkbox; an attribute of type number must have none.'],
          is_multiselect: ['is_multiselect can be true for the type options only, not for number.'],
        }),
      ])
    })

    it.each([
      ['short_text', 'text', 'number', 'default_value must be an integer for an attribute of type number.'],
      ['short_text', 'text', 'checkbox', 'default_value must be true or false for a checkbox without options.'],
      [
        'long_text',
        'text',
        'date',
        'default_value must be a date written as YYYY-MM-DD for an attribute of type date.',
      ],
      ['number', 7, 'short_text', 'default_value must be a string for an attribute of type short_text.'],
      ['checkbox', true, 'radio', 'default_value must be the value of one of the options.'],
      ['date', '2024-02-29', 'options', 'default_value must be the value of one of the options.'],
    ])('a change of type from %s with the default %j to %s', async (type, value, wanted, says) => {
      const { id } = await make({ type, default_value: value })
      expect(await refused(id, { type: wanted })).toEqual([422, notValid({ default_value: [says] })])
    })

    it('a default value that is not among the options', async () => {
      const { id } = await make(FULL)
      expect(await refused(id, { default_value: 'linen' })).toEqual([
        422,
        notValid({ default_value: ['default_value must be the value of one of the options.'] }),
      ])
    })

    it('options without the default value', async () => {
      const { id } = await make(FULL)
      const errors = { default_value: ['default_value must be the value of one of the options.'] }
      expect(await refused(id, { options: [{ value: 'steel' }] })).toEqual([422, notValid(errors)])
      expect(await refused(id, { options: [] })).toEqual([422, notValid(errors)])
    })

    it('half of a surrogate pair', async () => {
      const { id } = await make()
      expect(await refused(id, { name: '\uD83D' })).toEqual([
        422,
        malformed({ name: ['name must not contain the character U+0000 or half of a surrogate pair.'] }),
      ])
    })
  })

  it('takes the change of type when what stood in its way changes with it', async () => {
    const fields = { type: 'date' as const, options: [], is_multiselect: false, default_value: '2024-02-29' }
    await becomes(await make(FULL), fields, fields)
  })

  itNeedsTheSecretKey(app, (id) => ({ method: 'PUT', url: `/v1/attributes/${id}`, body: { name: 'Stolen' } }))
  itFindsNoOther(app, (id) => ({ method: 'PUT', url: `/v1/attributes/${id}`, body: { name: 'Stolen' } }))

  it('checks the body before it looks for the attribute', async () => {
    const answer = await put('attr_0', { name: 7 })
    expect([answer.status, answer.body]).toEqual([422, malformed({ name: ['name must be a string.'] })])
  })
})
