// @unit
// Lists that a body sends: what is refused of them, and which entry stands for which.

import { describe, expect, it } from 'vitest'
import { Problems, pairEntries, refuseEntries, refuseSelfReference, uniqueIds } from '../../src/lib/problems.ts'

function refusalsOf(check: (problems: Problems) => void) {
  const problems = new Problems()
  check(problems)
  try {
    problems.throwIfAny()
    return null
  } catch (error) {
    return (error as { errors: unknown }).errors
  }
}

describe('references', () => {
  it('are ids, each once, bare or inside of objects', () => {
    expect(uniqueIds(['b', { id: 'a' }, 'b', { id: 'b' }])).toEqual(['b', 'a'])
  })

  it('are refused where they name nothing, or the same twice', () => {
    const sent = ['a', { id: 'x' }, { id: 'a' }, 'b']
    expect(refusalsOf((problems) => refuseEntries(sent, new Set(['a', 'b']), 'list', 'a thing', problems))).toEqual({
      'list.1.id': ['list.1.id is not the id of a thing.'],
      'list.2.id': ['list.2.id is listed twice.'],
    })
  })

  it('are refused where they name what the list belongs to, for that alone', () => {
    const refused = refusalsOf((problems) => {
      refuseEntries(['me', 'me', 'a'], new Set(['me', 'a']), 'list', 'a thing', problems)
      refuseSelfReference(['me', 'me', 'a'], 'me', 'list', 'thing', problems)
    })
    expect(refused).toEqual({
      'list.0': ['list.0 must be another thing.'],
      'list.1': ['list.1 must be another thing.'],
    })
  })
})

describe('entries', () => {
  const [one, two] = [
    { id: '1', name: 'One' },
    { id: '2', name: 'Two' },
  ] as const
  const known = (sent: { id?: string; name: string }[]) =>
    pairEntries(sent, [one, two], 'list', new Problems()).map((pair) => pair.known)

  it('stand for the one of their id, else of their name', () => {
    expect(known([{ name: 'Two' }, { id: '1', name: 'New' }, { name: 'Other' }])).toEqual([two, one, undefined])
    expect(known([{ name: 'One' }, { id: '1', name: 'Two' }])).toEqual([undefined, one])
  })

  it('are refused with the same name, the same id, or an id that is none of theirs', () => {
    const sent = [
      { id: '1', name: 'A' },
      { id: '1', name: 'A' },
      { id: '3', name: 'B' },
    ]
    expect(refusalsOf((problems) => pairEntries(sent, [one, two], 'list', problems))).toEqual({
      'list.1.name': ['list.1.name must differ from the other names.'],
      'list.1.id': ['list.1.id is listed twice.'],
      'list.2.id': ['list.2.id is not the id of an existing entry.'],
    })
  })
})
