// @unit
// Categories as a tree: where a step leads, and what a move makes of the list.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadWeb } from './load.ts'

type Category = { id: string; parent_id: string | null; name: string }
type Place = { parent: string | null; before: string | null }
type Tree = {
  flattenTree(all: Category[]): { category: Category; level: number }[]
  categoryPathTo(all: Category[], id: string): Category[]
  placeAfter(all: Category[], id: string, step: string): Place | null
  moveCategory(all: Category[], id: string, place: Place): Category[] | null
  describePosition(all: Category[], id: string): string
}
const { flattenTree, categoryPathTo, placeAfter, moveCategory, describePosition } =
  await loadWeb<Tree>('screens/categories/tree.ts')

/** `Kitchen`, `  Mugs`: indented by level. */
function treeOf(...lines: string[]): Category[] {
  const parents: string[] = []
  return lines.map((line) => {
    const level = line.search(/\S/) / 2
    const name = line.trim()
    parents[level] = name
    return { id: name, name, parent_id: parents[level - 1] ?? null }
  })
}

const linesOf = (all: Category[]) => flattenTree(all).map(({ category, level }) => '  '.repeat(level) + category.name)

const KITCHEN = treeOf('Kitchen', '  Mugs', '  Glasses', 'Bath', 'Garden')

describe('a step', () => {
  it.each([
    ['Glasses', 'up', ['Kitchen', '  Glasses', '  Mugs', 'Bath', 'Garden']],
    ['Mugs', 'down', ['Kitchen', '  Glasses', '  Mugs', 'Bath', 'Garden']],
    ['Kitchen', 'down', ['Bath', 'Kitchen', '  Mugs', '  Glasses', 'Garden']],
    ['Garden', 'in', ['Kitchen', '  Mugs', '  Glasses', 'Bath', '  Garden']],
    ['Bath', 'in', ['Kitchen', '  Mugs', '  Glasses', '  Bath', 'Garden']],
    ['Mugs', 'out', ['Kitchen', '  Glasses', 'Mugs', 'Bath', 'Garden']],
    ['Kitchen', 'up', null],
    ['Garden', 'down', null],
    ['Mugs', 'in', null],
    ['Bath', 'out', null],
    ['Nowhere', 'up', null],
  ] as const)('of %s %s', (id, step, lines) => {
    const next = placeAfter(KITCHEN, id, step)
    const moved = next && moveCategory(KITCHEN, id, next)
    expect(moved && linesOf(moved)).toEqual(lines)
  })

  it('never loses a category, nor puts one under itself, and can be taken back', () => {
    const step = fc.tuple(fc.constantFrom(...KITCHEN.map(({ id }) => id)), fc.constantFrom('up', 'down', 'in', 'out'))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let all = KITCHEN
        for (const [id, way] of steps) {
          const next = placeAfter(all, id, way)
          const moved = next && moveCategory(all, id, next)
          if (moved === null) continue
          expect(linesOf(moved)).toHaveLength(KITCHEN.length)
          const back = { up: 'down', down: 'up', in: 'out', out: undefined }[way]
          const former = back === undefined ? null : placeAfter(moved, id, back)
          if (former !== null) expect(linesOf(moveCategory(moved, id, former) ?? moved)).toEqual(linesOf(all))
          all = moved
        }
      }),
    )
  })
})

describe('a move', () => {
  it('into itself, below itself, or to where it is, is none', () => {
    expect(moveCategory(KITCHEN, 'Kitchen', { parent: 'Mugs', before: null })).toBeNull()
    expect(moveCategory(KITCHEN, 'Kitchen', { parent: 'Kitchen', before: null })).toBeNull()
    expect(moveCategory(KITCHEN, 'Bath', { parent: null, before: 'Bath' })).toBeNull()
    expect(moveCategory(KITCHEN, 'Bath', { parent: null, before: 'Garden' })).toBeNull()
    expect(moveCategory(KITCHEN, 'Garden', { parent: null, before: null })).toBeNull()
  })

  it('says where the category is now', () => {
    expect(describePosition(KITCHEN, 'Glasses')).toBe('“Glasses” is now 2 of 2, under “Kitchen”')
    expect(describePosition(KITCHEN, 'Bath')).toBe('“Bath” is now 2 of 3, at the top')
    expect(describePosition(KITCHEN, 'Nowhere')).toBe('')
  })

  it('knows the way from the top, also where the list is in a circle', () => {
    expect(categoryPathTo(KITCHEN, 'Mugs').map(({ id }) => id)).toEqual(['Kitchen', 'Mugs'])
    const circle = [
      { id: 'a', name: 'a', parent_id: 'b' },
      { id: 'b', name: 'b', parent_id: 'a' },
    ]
    expect(categoryPathTo(circle, 'a').map(({ id }) => id)).toEqual(['b', 'a'])
  })
})
