// @unit
// The checker of histories is itself checked: it explains what can have happened, and refuses what cannot.

import { describe, expect, it } from 'vitest'
import { type Call, explain, type ModelCart, type Operation, type Result } from './linearizability.ts'

const START: ModelCart = [
  { id: 'a', key: 'red', quantity: 2 },
  { id: 'b', key: 'blue', quantity: 3 },
]

/** A call that overlaps with every other, unless told when it was. */
const call = (operation: Operation, result: Result, from = 0, to = 100): Call => ({ operation, result, from, to })

const add = (key: string, quantity: number, lineId: string, cart?: ModelCart, from?: number, to?: number) =>
  call({ do: 'add', key, quantity }, { status: 200, lineId, ...(cart ? { cart } : {}) }, from, to)
const remove = (id: string, status = 200, from?: number, to?: number) =>
  call({ do: 'remove', id }, { status }, from, to)
const update = (id: string, change: { quantity?: number; key?: string }, lineId?: string, status = 200) =>
  call({ do: 'update', id, ...change }, { status, ...(lineId === undefined ? {} : { lineId }) })
const empty = (from?: number, to?: number) => call({ do: 'empty' }, { status: 200 }, from, to)

const red = (quantity: number): ModelCart => [{ id: 'a', key: 'red', quantity }, ...START.slice(1)]

const ofC = (quantity: number): ModelCart => [{ id: 'c', key: 'green', quantity }]
const later = START.slice(1)

describe('a history is refused when', () => {
  it.each<[string, Call[][], ModelCart]>([
    ['one of two adds is lost', [[add('red', 1, 'a')], [add('red', 1, 'a')]], red(3)],
    ['one add counts twice', [[add('red', 1, 'a')]], red(4)],
    ['a refused add counts', [[call({ do: 'add', key: 'red', quantity: 1 }, { status: 422 })]], red(3)],
    [
      'two adds make two lines of one kind',
      [[add('green', 1, 'c')], [add('green', 1, 'd')]],
      [...START, ...ofC(1), { id: 'd', key: 'green', quantity: 1 }],
    ],
    ['a removal was acknowledged and the line is there', [[remove('a')]], START],
    ['two clients are told that they removed the same line', [[remove('a')], [remove('a')]], later],
    ['a line is missed that nobody removed', [[remove('a', 404)]], START],
    [
      'an add outlives an emptying that began after it had ended',
      [[add('green', 1, 'c', undefined, 1, 2)], [empty(3, 4)]],
      ofC(1),
    ],
    ["a client's own order is turned round", [[add('green', 1, 'c'), empty()]], ofC(1)],
    ['an answer shows the cart without the change it acknowledges', [[add('red', 1, 'a', START)]], red(3)],
    ['an answer shows a cart that never was', [[add('red', 1, 'a', red(9))]], red(3)],
    ['a merge loses the quantity of one line', [[update('a', { key: 'blue' }, 'b')]], later],
    ['an absolute quantity is added to instead of set', [[update('a', { quantity: 5 }, 'a')]], red(7)],
  ])('%s', (_what, clients, end) => {
    expect(explain({ start: START, clients, end })).toBeNull()
  })
})

describe('a history is explained when', () => {
  const tooMany = call({ do: 'add', key: 'red', quantity: 999_999 }, { status: 422 })
  it.each<[string, Call[][], ModelCart, string]>([
    ['two adds both count', [[add('red', 1, 'a')], [add('red', 1, 'a')]], red(4), 'add add'],
    [
      'an add ends after the emptying that overlaps it',
      [[add('green', 1, 'c', undefined, 1, 4)], [empty(2, 3)]],
      ofC(1),
      'empty add',
    ],
    ['one of two removals of a line finds nothing', [[remove('a', 404)], [remove('a')]], later, 'remove remove'],
    [
      'only one of the orders fits: grown, then moved to other options, then set',
      [[update('b', { quantity: 7 }, 'b')], [update('a', { key: 'blue' }, 'b')], [add('red', 5, 'a')]],
      [{ id: 'b', key: 'blue', quantity: 7 }],
      'add update update',
    ],
    [
      'a line is moved to options that no other has',
      [[update('a', { key: 'green', quantity: 4 }, 'a')]],
      [{ id: 'a', key: 'green', quantity: 4 }, ...later],
      'update',
    ],
    [
      'an answer shows what another client did in the meantime',
      [[add('red', 1, 'a', red(8))], [add('red', 5, 'a', red(8))]],
      red(8),
      'add add',
    ],
    [
      'a quantity of nothing takes the line out, and the other client does not find it',
      [[update('a', { quantity: 0 })], [update('a', { quantity: 3 }, undefined, 404)]],
      later,
      'update update',
    ],
    [
      'more than a line holds is refused',
      [[tooMany, call({ do: 'read' }, { status: 200, cart: START })]],
      START,
      'add read',
    ],
  ])('%s', (_what, clients, end, order) => {
    const found = explain({ start: START, clients, end })
    expect(found?.map((operation) => operation.do).join(' ')).toBe(order)
  })
})

// Without its memory the search would try 2 × 10^12 orders.
it('a history of four clients with six calls each that nothing explains is refused without trying every order', () => {
  const names = ['p', 'q', 'r', 's']
  const start = names.map((key) => ({ id: key, key, quantity: 1 }))
  const clients = names.map((name) => Array.from({ length: 6 }, () => add(name, 1, name)))
  expect(explain({ start, clients, end: start })).toBeNull()
})
