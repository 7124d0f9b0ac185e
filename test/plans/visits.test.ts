// @unit
// Tests the plan checker: what it must report, and what it must accept.

import { describe, expect, it } from 'vitest'
import { hasFound, type PlanNode, problemsOf, visitsOf } from './visits.ts'

const scan: PlanNode = {
  'Node Type': 'Index Scan',
  'Relation Name': 'carts',
  'Index Name': 'carts_pkey',
  'Actual Rows': 1,
  'Actual Loops': 1,
}

describe('a node', () => {
  it.each([
    ['rows in all loops', { 'Actual Rows': 2, 'Actual Loops': 30 }, 60],
    ['rows that a filter threw away', { 'Rows Removed by Filter': 999 }, 1_000],
    ['rows that a join threw away', { 'Rows Removed by Join Filter': 9, 'Actual Loops': 10 }, 100],
    ['rows that an index could not vouch for', { 'Heap Fetches': 500 }, 500],
    ['entries that it skipped to, one after the other', { 'Index Searches': 800 }, 799],
  ])('is charged for %s', (_, changes, visits) => {
    const node = { ...scan, ...changes }
    expect(visitsOf(node)).toBe(visits)
    expect(problemsOf({ ...scan, 'Node Type': 'Result', Plans: [node] }, visits)).toEqual([])
    expect(problemsOf({ ...scan, 'Node Type': 'Result', Plans: [node] }, visits - 1)).toHaveLength(1)
  })

  it('may not read a table that grows from end to end, however few rows it has', () => {
    expect(problemsOf({ ...scan, 'Node Type': 'Seq Scan' }, 10)).toEqual([
      'Seq Scan using carts_pkey on carts reads the table from end to end',
    ])
    expect(problemsOf({ ...scan, 'Node Type': 'Seq Scan', 'Relation Name': 'schedules' }, 10)).toEqual([])
  })

  it('may not go through all pages of an index to give one row', () => {
    expect(problemsOf({ ...scan, 'Shared Hit Blocks': 900, 'Shared Read Blocks': 100 }, 10)).toEqual([
      'Index Scan using carts_pkey on carts touched 1000 pages for 1 rows, more than 36',
    ])
  })
})

describe('a plan', () => {
  it('that gave nothing and changed nothing has found nothing', () => {
    const nothing = { ...scan, 'Actual Rows': 0 }
    expect(hasFound(nothing)).toBe(false)
    expect(hasFound(scan)).toBe(true)
    expect(hasFound({ ...nothing, 'Node Type': 'ModifyTable', Plans: [nothing] })).toBe(false)
    expect(hasFound({ ...nothing, 'Node Type': 'ModifyTable', Plans: [scan] })).toBe(true)
  })
})
