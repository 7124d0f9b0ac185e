// POST /v1/attributes: which default values, options and is_multiselect go with which type.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { malformed, notValid } from '../../support/shop.ts'
import { draft, eventsOf, OPTION_ID, rowsOf, shopOf, shown, TYPES } from './support.ts'

const app = await testApp()

/** Sends a body; when it is refused, checks that nothing was stored and no event written. */
async function post(more: Record<string, unknown>) {
  const { id, keys } = await shopOf(app)
  const before = [(await rowsOf(app.db, id)).length, (await eventsOf(app.db, id)).length]
  const answer = await app.call('POST', '/v1/attributes', { key: keys.sandbox.secret, body: draft(more) })
  const after = [(await rowsOf(app.db, id)).length, (await eventsOf(app.db, id)).length]
  expect(after).toEqual(answer.status === 201 ? before.map((count) => count + 1) : before)
  return [answer.status, answer.body]
}

const WITH_OPTIONS = ['options', 'radio', 'checkbox']
const WITHOUT_OPTIONS = TYPES.filter((type) => !WITH_OPTIONS.includes(type))

const option = (value: string, label = value) => ({ id: expect.stringMatching(OPTION_ID), value, label })

describe('default_value of a new attribute', () => {
  const VALUES = {
    text: 'text',
    'empty text': '',
    'a date': '2024-02-29',
    'a day that does not exist': '2023-02-29',
    'a date with a time': '2024-02-29T00:00:00Z',
    'a date without zeros': '2024-2-9',
    'digits as text': '7',
    'an integer': 7,
    'a negative integer': -7,
    zero: 0,
    'the largest integer': Number.MAX_SAFE_INTEGER,
    'the smallest integer': Number.MIN_SAFE_INTEGER,
    true: true,
    false: false,
    null: null,
  }
  const texts = [
    'text',
    'empty text',
    'a date',
    'a day that does not exist',
    'a date with a time',
    'a date without zeros',
  ]
  const integers = ['an integer', 'a negative integer', 'zero', 'the largest integer', 'the smallest integer']
  const OPTION_SENTENCE = 'default_value must be the value of one of the options.'
  const offered = [{ value: 'text' }, { value: '7' }, { value: 'true' }, { value: 'null' }]
  const CASES = [
    ...(['short_text', 'long_text'] as const).map((type) => ({
      title: type,
      body: { type },
      takes: [...texts, 'digits as text'],
      says: `default_value must be a string for an attribute of type ${type}.`,
    })),
    {
      title: 'number',
      body: { type: 'number' },
      takes: integers,
      says: 'default_value must be an integer for an attribute of type number.',
    },
    {
      title: 'date',
      body: { type: 'date' },
      takes: ['a date'],
      says: 'default_value must be a date written as YYYY-MM-DD for an attribute of type date.',
    },
    {
      title: 'checkbox without options',
      body: { type: 'checkbox' },
      takes: ['true', 'false'],
      says: 'default_value must be true or false for a checkbox without options.',
    },
    ...(['options', 'radio'] as const).map((type) => ({
      title: `${type} without options`,
      body: { type },
      takes: [],
      says: OPTION_SENTENCE,
    })),
    ...WITH_OPTIONS.map((type) => ({
      title: `${type} with options`,
      body: { type, options: offered },
      takes: ['text', 'digits as text'],
      says: OPTION_SENTENCE,
    })),
  ]
  const table = CASES.flatMap(({ title, body, takes, says }) =>
    Object.entries(VALUES).map(([name, value]) => {
      const isTaken = value === null || (takes as string[]).includes(name)
      return [title, isTaken ? 'takes' : 'refuses', name, { ...body, default_value: value }, isTaken, says] as const
    }),
  )

  it.each(table)('%s %s %s', async (_title, _verb, _name, body, isTaken, says) => {
    const options = 'options' in body ? offered.map(({ value }) => option(value)) : []
    expect(await post(body)).toEqual(
      isTaken ? [201, shown({ ...body, options })] : [422, notValid({ default_value: [says] })],
    )
  })

  it.each(TYPES)('of type %s is never a fraction, a list, an object or an unsafe integer', async (type) => {
    const says = 'default_value must be a string, an integer, true or false or null.'
    for (const value of [1.5, [], ['text'], {}, { value: 'text' }])
      expect(await post({ type, default_value: value })).toEqual([422, malformed({ default_value: [says] })])
    expect(await post({ type, default_value: 2 ** 53 })).toEqual([
      422,
      malformed({ default_value: ['default_value must be 9007199254740991 or less.'] }),
    ])
    expect(await post({ type, default_value: -(2 ** 53) })).toEqual([
      422,
      malformed({ default_value: ['default_value must be -9007199254740991 or more.'] }),
    ])
  })

  it('may be the value of an option, and not its label', async () => {
    const options = [{ value: 'oak', label: 'Oak' }]
    expect((await post({ type: 'options', options, default_value: 'oak' }))[0]).toBe(201)
    expect(await post({ type: 'options', options, default_value: 'Oak' })).toEqual([
      422,
      notValid({ default_value: [OPTION_SENTENCE] }),
    ])
  })
})

describe('options of a new attribute', () => {
  it.each(WITH_OPTIONS)('belong to the type %s', async (type) => {
    const options = [{ value: 'a', label: 'A' }, { value: 'b' }]
    expect(await post({ type, options })).toEqual([201, shown({ type, options: [option('a', 'A'), option('b')] })])
  })

  it.each(WITHOUT_OPTIONS)('are refused for the type %s, unless the list is empty', async (type) => {
    expect(await post({ type, options: [{ value: 'a' }] })).toEqual([
      422,
      notValid({
        options: [`options are for the types options, radio, checkbox; an attribute of type ${type} must have none.`],
      }),
    ])
    expect(await post({ type, options: [] })).toEqual([201, shown({ type })])
  })

  it('take the value for a label that is left out, and the label for a value', async () => {
    const options = [{ value: 'oak' }, { label: 'Steel' }, { value: 'wool', label: 'Wool' }]
    expect(await post({ type: 'radio', options })).toEqual([
      201,
      shown({ type: 'radio', options: [option('oak'), option('Steel'), option('wool', 'Wool')] }),
    ])
  })

  it('keep the order they are sent in', async () => {
    const options = ['z', 'a', '10', '9', 'Ä'].map((value) => ({ value }))
    expect((await post({ type: 'options', options }))[1]).toEqual(
      shown({ type: 'options', options: options.map(({ value }) => option(value)) }),
    )
  })

  it('must have a value or a label', async () => {
    expect(await post({ type: 'radio', options: [{ value: 'a' }, {}, { colour: 'red' }] })).toEqual([
      422,
      notValid({
        'options.1.value': ['options.1 must have a value or a label.'],
        'options.2.value': ['options.2 must have a value or a label.'],
      }),
    ])
  })

  it('must differ in their values; labels may repeat', async () => {
    const differ = (index: number) => ({
      [`options.${index}.value`]: [`options.${index}.value must differ from the other options' values.`],
    })
    expect(await post({ type: 'radio', options: [{ value: 'a' }, { value: 'b' }, { value: 'a' }] })).toEqual([
      422,
      notValid(differ(2)),
    ])
    expect(await post({ type: 'radio', options: [{ value: 'a' }, { label: 'a' }] })).toEqual([422, notValid(differ(1))])
    const options = [
      { value: 'a', label: 'Same' },
      { value: 'A', label: 'Same' },
      { value: 'a ', label: 'Same' },
      { value: 'é', label: 'Same' },
      { value: 'e\u0301', label: 'Same' },
    ]
    expect(await post({ type: 'radio', options })).toEqual([
      201,
      shown({ type: 'radio', options: options.map(({ value }) => option(value, 'Same')) }),
    ])
  })

  it('have no ids yet, so an id that is sent is refused', async () => {
    const { id, keys } = await shopOf(app)
    const made = await app.call('POST', '/v1/attributes', {
      key: keys.sandbox.secret,
      body: draft({ type: 'radio', options: [{ value: 'a' }] }),
    })
    const [theirs] = (made.body as { options: { id: string }[] }).options
    expect(id).toBeGreaterThan(0)
    for (const sent of ['', 'mine', `atop_${'0'.repeat(26)}`, theirs?.id])
      expect(await post({ type: 'radio', options: [{ id: sent, value: 'a' }] })).toEqual([
        422,
        notValid({ 'options.0.id': ['options.0.id is not an option of this attribute.'] }),
      ])
  })

  it('are at most 500', async () => {
    const options = Array.from({ length: 501 }, (_, index) => ({ value: `v${index}` }))
    const [status, body] = await post({ type: 'options', options: options.slice(1) })
    expect(status).toBe(201)
    expect((body as { options: { value: string }[] }).options.map(({ value }) => ({ value }))).toEqual(options.slice(1))
    expect(await post({ type: 'options', options })).toEqual([
      422,
      malformed({ options: ['options must have at most 500 entries.'] }),
    ])
  })

  it('have values and labels of 1 to 255 characters', async () => {
    const longest = '😀'.repeat(255)
    expect(await post({ type: 'radio', options: [{ value: longest, label: longest }] })).toEqual([
      201,
      shown({ type: 'radio', options: [option(longest)] }),
    ])
    expect(
      await post({
        type: 'radio',
        options: [
          { value: `${longest}x`, label: '' },
          { value: '', label: 'b' },
        ],
      }),
    ).toEqual([
      422,
      malformed({
        'options.0.value': ['options.0.value must be at most 255 characters long.'],
        'options.0.label': ['options.0.label must not be empty.'],
        'options.1.value': ['options.1.value must not be empty.'],
      }),
    ])
  })

  it.each([
    ['id', 'options.0.id must be a string.'],
    ['value', 'options.0.value must be a string.'],
    ['label', 'options.0.label must be a string.'],
  ])('refuse for %s every JSON type but a string', async (field, says) => {
    for (const value of [null, 7, true, [], {}])
      expect(await post({ type: 'radio', options: [{ value: 'a', [field]: value }] })).toEqual([
        422,
        malformed({ [`options.0.${field}`]: [says] }),
      ])
  })

  it('ignore fields they do not know', async () => {
    const options = [{ value: 'a', colour: 'red', created: 1 }]
    expect(await post({ type: 'radio', options })).toEqual([201, shown({ type: 'radio', options: [option('a')] })])
  })
})

describe('is_multiselect of a new attribute', () => {
  it.each(TYPES)('of type %s may be true for options alone', async (type) => {
    expect(await post({ type, is_multiselect: false })).toEqual([201, shown({ type })])
    expect(await post({ type, is_multiselect: true })).toEqual(
      type === 'options'
        ? [201, shown({ type, is_multiselect: true })]
        : [
            422,
            notValid({ is_multiselect: [`is_multiselect can be true for the type options only, not for ${type}.`] }),
          ],
    )
  })
})

describe('several broken rules at once', () => {
  it('are all named', async () => {
    expect(await post({ type: 'number', is_multiselect: true, default_value: 'seven' })).toEqual([
      422,
      notValid({
        is_multiselect: ['is_multiselect can be true for the type options only, not for number.'],
        default_value: ['default_value must be an integer for an attribute of type number.'],
      }),
    ])
  })
})
