// Which default values, options and is_multiselect go with which type, in a new attribute and in a changed one.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { notValid } from '../../support/shop.ts'
import { openAttributes, option, shown, TYPES } from './support.ts'

const app = await sharedApp()
const shop = await openAttributes(app)

const WITH_OPTIONS = ['options', 'radio', 'checkbox']
const OPTION_SENTENCE = 'default_value must be the value of one of the options.'
const noneFor = (type: string) => ({
  options: [`options are for the types options, radio, checkbox; an attribute of type ${type} must have none.`],
})
const singleFor = (type: string) => ({
  is_multiselect: [`is_multiselect can be true for the type options only, not for ${type}.`],
})

describe('a new attribute', () => {
  it.each(TYPES)('creates an attribute of type %s from the required fields, with every default', async (type) => {
    const [status, body] = await shop.post({ type })
    expect([status, body]).toEqual([201, shown({ type })])
    expect(Object.keys(body as object).join(' ')).toBe(
      'id name description type required is_public is_multiselect default_value meta created updated options',
    )
  })

  it('stores every field that is sent, and shows it alone and in the list', async () => {
    const options = [{ value: 'oak', label: 'Oak' }, { value: 'steel' }]
    const fields = { type: 'options', required: true, is_public: false, is_multiselect: true, default_value: 'steel' }
    const created = await shop.create({ ...fields, options, meta: { supplier: 7 } })
    const expected = { ...fields, meta: { supplier: 7 }, options: [option('oak', 'Oak'), option('steel')] }
    expect(created).toEqual(shown(expected))
    expect(await shop.get(created.id)).toEqual(created)
    const { body } = await shop.call('GET', '?limit=200')
    expect((body as { data: unknown[] }).data).toContainEqual(created)
  })
})

describe('default_value', () => {
  const DATE = 'default_value must be a date written as YYYY-MM-DD for an attribute of type date.'
  const text = (type: string) => `default_value must be a string for an attribute of type ${type}.`
  const offered = ['text', '7', 'true', 'null'].map((value) => ({ value }))
  const VALUES = ['text', '', '2024-02-29', '2023-02-29', '2024-02-29T00:00:00Z', '2024-2-9', '7', 7, -7, 0]
  const EVERY = [...VALUES, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, true, false]
  const isText = (value: unknown) => typeof value === 'string'
  const isOffered = (value: unknown) => value === 'text' || value === '7'

  it.each([
    ['short_text', [], isText, text('short_text')],
    ['long_text', [], isText, text('long_text')],
    ['number', [], Number.isInteger, 'default_value must be an integer for an attribute of type number.'],
    ['date', [], (value: unknown) => value === '2024-02-29', DATE],
    [
      'checkbox',
      [],
      (value: unknown) => typeof value === 'boolean',
      'default_value must be true or false for a checkbox without options.',
    ],
    ['options', [], () => false, OPTION_SENTENCE],
    ['radio', [], () => false, OPTION_SENTENCE],
    ...WITH_OPTIONS.map((type) => [type, offered, isOffered, OPTION_SENTENCE] as const),
  ] as const)('of type %s with the options %j fits the type', async (type, options, isTaken, says) => {
    for (const value of [...EVERY, null]) {
      const [status, body] = await shop.post({ type, options, default_value: value })
      if (value === null || isTaken(value)) expect([status, body]).toMatchObject([201, { default_value: value }])
      else expect([value, status, body]).toEqual([value, 422, notValid({ default_value: [says] })])
    }
  })

  it('may be the value of an option, and not its label', async () => {
    const options = [{ value: 'oak', label: 'Oak' }]
    const { id } = await shop.create({ type: 'options', options, default_value: 'oak' })
    const refusal = [422, notValid({ default_value: [OPTION_SENTENCE] })]
    for (const body of [{ default_value: 'Oak' }, { options: [{ value: 'steel' }] }, { options: [] }])
      expect(await shop.put(id, body)).toEqual(refusal)
    expect(await shop.post({ type: 'options', options, default_value: 'Oak' })).toEqual(refusal)
  })

  it.each([
    ['short_text', 'text', 'number'],
    ['short_text', 'text', 'checkbox'],
    ['long_text', 'text', 'date'],
    ['number', 7, 'short_text'],
    ['checkbox', true, 'radio'],
    ['date', '2024-02-29', 'options'],
  ])('refuses a change of type from %s with the default %j to %s', async (type, value, wanted) => {
    const before = await shop.create({ type, default_value: value })
    const errors = { default_value: [expect.any(String)] }
    expect(await shop.put(before.id, { type: wanted })).toMatchObject([422, { error: { errors } }])
    expect(await shop.get(before.id)).toEqual(before)
  })
})

describe('options', () => {
  it.each(TYPES)('belong to the type %s where it is options, radio or checkbox', async (type) => {
    const [status, body] = await shop.post({ type, options: [{ value: 'a' }] })
    if (WITH_OPTIONS.includes(type)) expect([status, body]).toEqual([201, shown({ type, options: [option('a')] })])
    else expect([status, body]).toEqual([422, notValid(noneFor(type))])
    expect(await shop.post({ type, options: [] })).toEqual([201, shown({ type })])
  })
})

describe('is_multiselect', () => {
  it.each(TYPES)('of type %s may be true for options alone', async (type) => {
    const isOptions = type === 'options'
    expect(await shop.post({ type, is_multiselect: true })).toEqual(
      isOptions ? [201, shown({ type, is_multiselect: true })] : [422, notValid(singleFor(type))],
    )
    const { id } = await shop.create({ type })
    expect((await shop.put(id, { is_multiselect: true }))[0]).toBe(isOptions ? 200 : 422)
  })

  it('keeps an attribute from another type, beside its options', async () => {
    const { id } = await shop.create({ type: 'options', is_multiselect: true, options: [{ value: 'a' }] })
    expect(await shop.put(id, { type: 'radio' })).toEqual([422, notValid(singleFor('radio'))])
    expect(await shop.put(id, { type: 'number' })).toEqual([
      422,
      notValid({ ...noneFor('number'), ...singleFor('number') }),
    ])
  })

  it('lets the type change with all that stood in its way', async () => {
    const { id } = await shop.create({ type: 'options', is_multiselect: true, options: [{ value: 'a' }] })
    const fields = { type: 'date', options: [], is_multiselect: false, default_value: '2024-02-29' }
    expect(await shop.put(id, fields)).toMatchObject([200, fields])
  })
})
