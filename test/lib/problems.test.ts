// @unit
// Problems gathered of one request: what becomes of them together.

import { describe, expect, it } from 'vitest'
import { Problems } from '../../src/lib/problems.ts'

const thrown = (work: () => void): unknown => {
  try {
    work()
    return null
  } catch (error) {
    const { type, errors } = error as { type: string; errors: unknown }
    return { type, errors }
  }
}

describe('problems', () => {
  it('that are refusals wait until all is looked up', () => {
    const problems = new Problems()
    problems.refused('a', 'must be less')
    expect(thrown(() => problems.throwIfMalformed())).toBeNull()
    expect(thrown(() => problems.throwIfAny())).toEqual({ type: 'not_valid', errors: { a: ['a must be less.'] } })
  })

  it('that are badly formed are told alone before that', () => {
    const problems = new Problems()
    problems.refused('a', 'must be less')
    problems.malformed('b', 'must be a number')
    const malformed = { b: ['b must be a number.'] }
    expect(thrown(() => problems.throwIfMalformed())).toEqual({ type: 'unprocessable_entity', errors: malformed })
    expect(thrown(() => problems.throwIfAny())).toEqual({
      type: 'unprocessable_entity',
      errors: { ...malformed, a: ['a must be less.'] },
    })
  })

  it('of one field add up, unless one takes the place of the others', () => {
    const problems = new Problems()
    problems.refused('a', 'must be less')
    problems.refused('b', 'must be less')
    problems.refused('b', 'must be even')
    problems.refusedInstead('a', 'must be gone')
    expect(thrown(() => problems.throwIfAny())).toEqual({
      type: 'not_valid',
      errors: { a: ['a must be gone.'], b: ['b must be less.', 'b must be even.'] },
    })
  })
})
