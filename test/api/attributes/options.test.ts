// Options of an attribute: the list that is sent replaces the old one, and an option that stays keeps its id.

import { describe, expect, it } from 'vitest'
import type { Attribute } from '../../../src/api/attributes/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { notValid } from '../../support/shop.ts'
import { openAttributes, option } from './support.ts'

const app = await sharedApp()
const shop = await openAttributes(app)

type Option = Attribute['options'][number]

/** A radio attribute with the options a, b and c, whose labels are A, B and C. */
async function make(): Promise<{ before: Attribute; a: Option; b: Option; c: Option }> {
  const options = ['a', 'b', 'c'].map((value) => ({ value, label: value.toUpperCase() }))
  const before = await shop.create({ type: 'radio', options })
  const [a, b, c] = before.options
  if (!a || !b || !c) throw new Error('the attribute lacks its options')
  return { before, a, b, c }
}
type Made = Awaited<ReturnType<typeof make>>

async function becomes({ before }: Pick<Made, 'before'>, options: unknown, expected: unknown) {
  const [status, body] = await shop.put(before.id, { options })
  expect([status, body]).toEqual([200, { ...before, updated: expect.any(Number), options: expected }])
  const { options: changed } = await shop.get(before.id)
  expect({ options: changed }).toEqual({ options: (body as Attribute).options })
  expect(new Set(changed.map(({ id }) => id)).size).toBe(changed.length)
  return changed
}

async function refused({ before }: Made, options: unknown) {
  const outcome = await shop.put(before.id, { name: 'Slipped through', options })
  expect(await shop.get(before.id)).toEqual(before)
  return outcome
}

describe('options of a new attribute', () => {
  it('take the value for a label that is left out, and the label for a value, in their order', async () => {
    const options = [{ value: 'z' }, { label: 'Steel' }, { value: 'a', label: 'A', colour: 'red' }]
    const created = await shop.create({ type: 'options', options })
    expect(created.options).toEqual([option('z'), option('Steel'), option('a', 'A')])
  })

  it('differ in the bytes of their values; labels may repeat', async () => {
    const options = ['a', 'A', 'a ', 'é', 'e\u0301'].map((value) => ({ value, label: 'Same' }))
    expect((await shop.create({ type: 'radio', options })).options).toMatchObject(options)
    const twice = { 'options.1.value': ["options.1.value must differ from the other options' values."] }
    expect(await shop.post({ type: 'radio', options: [{ value: 'a' }, { label: 'a' }] })).toEqual([
      422,
      notValid(twice),
    ])
  })

  it('must have a value or a label, and cannot have an id', async () => {
    const { a } = await make()
    expect(await shop.post({ type: 'radio', options: [{ id: a.id, value: 'a' }, {}] })).toEqual([
      422,
      notValid({
        'options.0.id': ['options.0.id is not an option of this attribute.'],
        'options.1.value': ['options.1 must have a value or a label.'],
      }),
    ])
  })
})

describe('options of a change', () => {
  it.each<[string, (made: Made) => [unknown[], unknown[]]]>([
    ['replace the old list', () => [[{ value: 'x' }], [option('x')]]],
    ['may become none', () => [[], []]],
    ['stay when the list is sent back as it came', ({ before }) => [before.options, before.options]],
    [
      'keep their ids in another order',
      ({ a, b, c }) => [
        [c, a, b],
        [c, a, b],
      ],
    ],
    [
      'keep the id where the id is sent, while value and label change',
      ({ a }) => [[{ id: a.id, value: 'x', label: 'X' }], [{ id: a.id, value: 'x', label: 'X' }]],
    ],
    ['keep value and label where the id alone is sent', ({ b }) => [[{ id: b.id }], [b]]],
    [
      'keep what is not sent beside the id',
      ({ a, b }) => [
        [
          { id: a.id, label: 'New' },
          { id: b.id, value: 'new' },
        ],
        [
          { ...a, label: 'New' },
          { ...b, value: 'new' },
        ],
      ],
    ],
    [
      'keep the id where the value stays the same, and take the new label',
      ({ b }) => [
        [{ value: 'b', label: 'New' }, { value: 'd' }],
        [{ ...b, label: 'New' }, option('d')],
      ],
    ],
    [
      'move a value to another id where the id says so',
      ({ a }) => [
        [{ id: a.id, value: 'b' }, { value: 'a' }],
        [{ ...a, value: 'b' }, option('a')],
      ],
    ],
    [
      'exchange their values by id',
      ({ a, b }) => [
        [
          { id: a.id, value: 'b' },
          { id: b.id, value: 'a' },
        ],
        [
          { ...a, value: 'b' },
          { ...b, value: 'a' },
        ],
      ],
    ],
    [
      'give an id to the option that names it, wherever it stands in the list',
      ({ a }) => [
        [{ value: 'a' }, { id: a.id, value: 'x' }],
        [option('a'), { ...a, value: 'x' }],
      ],
    ],
  ])('%s', async (_, change) => {
    const made = await make()
    await becomes(made, ...change(made))
  })

  it('do not get back the id they had before they were taken away', async () => {
    const made = await make()
    await becomes(made, [made.b], [made.b])
    const [first] = await becomes(made, [{ value: 'a' }, { id: made.b.id }], [option('a'), made.b])
    expect(first?.id).not.toBe(made.a.id)
    const gone = [made.b, { id: made.a.id, value: 'x' }]
    const errors = { 'options.1.id': ['options.1.id is not an option of this attribute.'] }
    expect(await shop.put(made.before.id, { options: gone })).toEqual([422, notValid(errors)])
  })

  it.each<[string, string, (made: Made, other: Made) => unknown[], string]>([
    [
      'an id of another attribute',
      'options.1.id',
      ({ a }, other) => [a, { id: other.a.id, value: 'x' }],
      'options.1.id is not an option of this attribute.',
    ],
    ['an id twice', 'options.1.id', ({ a }) => [a, { id: a.id, value: 'x' }], 'options.1.id is listed twice.'],
    [
      'two values that are sent alike',
      'options.1.value',
      () => [{ value: 'x' }, { value: 'x' }],
      "options.1.value must differ from the other options' values.",
    ],
    [
      'a value that another keeps',
      'options.1.value',
      ({ a, b }) => [{ id: a.id, value: 'b' }, { id: b.id }],
      "options.1.value must differ from the other options' values.",
    ],
    [
      'one without value, label and id',
      'options.1.value',
      ({ a }) => [a, {}],
      'options.1 must have a value or a label.',
    ],
  ])('refuse %s, and nothing changes', async (_, field, options, says) => {
    const made = await make()
    expect(await refused(made, options(made, await make()))).toEqual([422, notValid({ [field]: [says] })])
  })
})
