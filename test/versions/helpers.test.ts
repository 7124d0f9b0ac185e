// @unit
// The helpers for change files, as far as neither the golden bodies nor round-trip.test.ts cover them.

import { describe, expect, it } from 'vitest'
import { assignField, renameField, renameRequestField } from '../../src/versions/change.ts'
import { frozen, told } from './support.ts'

describe('rename', () => {
  it('leaves an object without the field alone', () => {
    const value = { id: 1, last_updated: 2 }
    expect(renameField('updated', 'last_updated')(value)).toBe(value)
  })

  it('lets the renamed field win over one that has the name already', () => {
    expect(renameField('a', 'b')({ b: 'old', a: 'new' })).toEqual({ b: 'new' })
  })
})

describe('set', () => {
  it('replaces a field where it stands', () => {
    expect(JSON.stringify(assignField('a', null)({ a: 1, b: 2 }, told))).toBe('{"a":null,"b":2}')
  })

  it('may compute the value from the object and from what it is told', () => {
    const edit = assignField('note', (value, { merchant_id }) => `${value.id} of ${merchant_id}`)
    expect(edit({ id: 'ast_1' }, told)).toEqual({ id: 'ast_1', note: 'ast_1 of 7' })
  })
})

describe('renameRequestField', () => {
  const request = (body: Parameters<typeof up>[0]['body']) => frozen({ params: {}, query: {}, body: body ?? null })
  const up = renameRequestField('variant', 'options')

  it.each([['n'], [null], [false]])('lets the new name count when both are sent, even as %j', (sent) => {
    expect(up(request({ variant: 'v', options: sent })).body).toEqual({ options: sent })
  })

  it('leaves a request without the old field alone', () => {
    const newer = request({ options: 'n' })
    expect(up(newer)).toBe(newer)
  })

  it.each([[undefined], [null], ['text'], [[{ variant: 'v' }]]])(
    'leaves a body that is no object alone: %j',
    (body) => {
      const sent = { params: {}, query: {}, body }
      expect(up(sent)).toBe(sent)
    },
  )

  it('renames in the query when told to', () => {
    const sent = frozen({ params: {}, query: { product: 'p' }, body: { product: 'b' } })
    expect(renameRequestField('product', 'id', 'query')(sent)).toEqual({ ...sent, query: { id: 'p' } })
  })
})
