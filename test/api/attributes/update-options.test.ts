// PUT /v1/attributes/{id} with options: the list sent replaces the old one, and an option that stays keeps its id.

import { describe, expect, it } from 'vitest'
import type { Attribute } from '../../../src/api/attributes/schema.ts'
import { testApp } from '../../support/app.ts'
import { malformed, notValid } from '../../support/shop.ts'
import { create, eventsOf, OPTION_ID, rowsOf, shopOf } from './support.ts'

const app = await testApp()

type Option = Attribute['options'][number]

/** A radio attribute with the options a, b and c, whose labels are A, B and C. */
async function make(): Promise<{ before: Attribute; a: Option; b: Option; c: Option }> {
  const { keys } = await shopOf(app)
  const options = ['a', 'b', 'c'].map((value) => ({ value, label: value.toUpperCase() }))
  const before = await create(app, keys.sandbox.secret, { type: 'radio', options })
  const [a, b, c] = before.options
  if (!a || !b || !c) throw new Error('the attribute lacks its options')
  return { before, a, b, c }
}

async function put(id: string, body: unknown) {
  const { keys } = await shopOf(app)
  return app.call('PUT', `/v1/attributes/${id}`, { key: keys.sandbox.secret, body })
}

/** Sends options and expects these; a new id is written as `expect.stringMatching(OPTION_ID)` by the caller. */
async function becomes({ before }: { before: Attribute }, options: unknown, expected: unknown) {
  const answer = await put(before.id, { options })
  expect([answer.status, answer.body]).toEqual([200, { ...before, options: expected }])
  const ids = (answer.body as Attribute).options.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const { keys } = await shopOf(app)
  const read = await app.call('GET', `/v1/attributes/${before.id}`, { key: keys.sandbox.secret })
  expect(read.body).toEqual(answer.body)
  return answer.body as Attribute
}

async function refused({ before }: { before: Attribute }, options: unknown) {
  const shop = await shopOf(app)
  const state = async () => ({ rows: await rowsOf(app.db, shop.id), events: await eventsOf(app.db, shop.id) })
  const then = await state()
  const answer = await put(before.id, { name: 'Slipped through', options })
  expect(await state()).toEqual(then)
  return [answer.status, answer.body]
}

const fresh = (value: string, label = value) => ({ id: expect.stringMatching(OPTION_ID), value, label })

describe('options of a change', () => {
  it('replace the old list', async () => {
    const made = await make()
    const { options } = await becomes(made, [{ value: 'x' }], [fresh('x')])
    expect(made.before.options.map(({ id }) => id)).not.toContain(options[0]?.id)
  })

  it('keep ids, values and labels when the list is sent back as it came', async () => {
    const made = await make()
    await becomes(made, made.before.options, made.before.options)
  })

  it('keep their ids in another order', async () => {
    const made = await make()
    await becomes(made, [made.c, made.a, made.b], [made.c, made.a, made.b])
  })

  it('keep the id where the id is sent, while value and label change', async () => {
    const made = await make()
    await becomes(made, [{ id: made.a.id, value: 'x', label: 'X' }], [{ id: made.a.id, value: 'x', label: 'X' }])
  })

  it('keep value and label where the id alone is sent', async () => {
    const made = await make()
    await becomes(made, [{ id: made.b.id }], [made.b])
  })

  it('keep the value where the id and a label are sent, and the label where the id and a value are', async () => {
    const made = await make()
    await becomes(
      made,
      [
        { id: made.a.id, label: 'New' },
        { id: made.b.id, value: 'new' },
      ],
      [
        { ...made.a, label: 'New' },
        { ...made.b, value: 'new' },
      ],
    )
  })

  it('keep the id where the value stays the same, and take the new label', async () => {
    const made = await make()
    await becomes(
      made,
      [{ value: 'b', label: 'New' }, { value: 'd' }],
      [{ id: made.b.id, value: 'b', label: 'New' }, fresh('d')],
    )
  })

  it('keep the id of a value that moves to another id only where the id says so', async () => {
    const made = await make()
    // a is renamed to b; the b that is sent without an id is then a new option, and b's own id is gone.
    await becomes(made, [{ id: made.a.id, value: 'b' }, { value: 'a' }], [{ ...made.a, value: 'b' }, fresh('a')])
  })

  it('let two options exchange their values by id', async () => {
    const made = await make()
    await becomes(
      made,
      [
        { id: made.a.id, value: 'b' },
        { id: made.b.id, value: 'a' },
      ],
      [
        { ...made.a, value: 'b' },
        { ...made.b, value: 'a' },
      ],
    )
  })

  it('give an id that is sent to the option that names it, wherever it stands in the list', async () => {
    const made = await make()
    await becomes(made, [{ value: 'a' }, { id: made.a.id, value: 'x' }], [fresh('a'), { ...made.a, value: 'x' }])
  })

  it('may become none', async () => {
    const made = await make()
    await becomes(made, [], [])
  })

  it('are added to an attribute that had none', async () => {
    const { keys } = await shopOf(app)
    const before = await create(app, keys.sandbox.secret, { type: 'checkbox' })
    await becomes({ before }, [{ label: 'Yes' }], [fresh('Yes')])
  })

  it('do not get back the id they had before they were taken away', async () => {
    const made = await make()
    await becomes(made, [made.b], [made.b])
    const { options } = await becomes(made, [{ value: 'a' }, { id: made.b.id }], [fresh('a'), made.b])
    expect(options[0]?.id).not.toBe(made.a.id)
  })

  describe('are refused, and nothing changes,', () => {
    it('when an id belongs to no option of this attribute', async () => {
      const made = await make()
      const other = await make()
      const gone = await make()
      await becomes(gone, [gone.b], [gone.b])
      const errors = { 'options.1.id': ['options.1.id is not an option of this attribute.'] }
      for (const id of ['', 'a', `atop_${'0'.repeat(26)}`, other.a.id, made.before.id])
        expect(await refused(made, [made.a, { id, value: 'x' }])).toEqual([422, notValid(errors)])
      expect(await refused(gone, [gone.b, { id: gone.a.id, value: 'a' }])).toEqual([422, notValid(errors)])
    })

    it('when an id stands in the list twice', async () => {
      const made = await make()
      expect(await refused(made, [made.a, { id: made.a.id, value: 'x' }])).toEqual([
        422,
        notValid({ 'options.1.id': ['options.1.id stands in the list twice.'] }),
      ])
    })

    it('when two values are the same, sent or kept', async () => {
      const made = await make()
      const errors = { 'options.1.value': ["options.1.value must differ from the other options' values."] }
      expect(await refused(made, [{ value: 'x' }, { value: 'x' }])).toEqual([422, notValid(errors)])
      expect(await refused(made, [{ id: made.a.id, value: 'b' }, { id: made.b.id }])).toEqual([422, notValid(errors)])
    })

    it('when one has neither value, label nor id', async () => {
      const made = await make()
      expect(await refused(made, [made.a, {}])).toEqual([
        422,
        notValid({ 'options.1.value': ['options.1 must have a value or a label.'] }),
      ])
    })

    it('when there are more than 500', async () => {
      const options = Array.from({ length: 501 }, (_, index) => ({ value: `v${index}` }))
      expect(await refused(await make(), options)).toEqual([
        422,
        malformed({ options: ['options must have at most 500 entries.'] }),
      ])
    })

    it('when the type has none', async () => {
      const { keys } = await shopOf(app)
      const before = await create(app, keys.sandbox.secret, { type: 'number' })
      expect(await refused({ before }, [{ value: 'a' }])).toEqual([
        422,
        notValid({
          options: ['options are for the types options, radio, checkbox; an attribute of type number must have none.'],
        }),
      ])
    })
  })
})
