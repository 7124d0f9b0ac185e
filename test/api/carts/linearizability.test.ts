// @unit
// The checker of histories is itself checked: it explains what can have happened, and refuses what cannot.

import { expect, it } from 'vitest'
import { type Call, explain, type ModelCart, type Operation, type Result } from './linearizability.ts'

const RED = { id: 'a', key: 'red', quantity: 2 }
const BLUE = { id: 'b', key: 'blue', quantity: 3 }
const START: ModelCart = [RED, BLUE]

/** A call that overlaps with every other, unless told when it was. */
const call = (operation: Operation, result: Result, from = 0, to = 100): Call => ({ operation, result, from, to })
const add = (quantity: number, cart?: ModelCart) =>
  call({ do: 'add', key: 'red', quantity }, { status: 200, lineId: 'a', ...(cart ? { cart } : {}) })
const remove = (status = 200) => call({ do: 'remove', id: 'a' }, { status })
const merge = call({ do: 'update', id: 'a', key: 'blue' }, { status: 200, lineId: 'b' })
const red = (quantity: number): ModelCart => [{ ...RED, quantity }, BLUE]

it.each<[string, Call[][], ModelCart]>([
  ['two adds both count', [[add(1)], [add(1)]], red(4)],
  ['one of two removals of a line finds nothing', [[remove(404)], [remove()]], [BLUE]],
  ['an answer shows what another client did in the meantime', [[add(1, red(8))], [add(5, red(8))]], red(8)],
  ['a line is merged after it has grown', [[merge], [add(5)]], [{ ...BLUE, quantity: 10 }]],
])('explains that %s', (_what, clients, end) => {
  expect(explain({ start: START, clients, end })).not.toBeNull()
})

it.each<[string, Call[][], ModelCart]>([
  ['one of two adds is lost', [[add(1)], [add(1)]], red(3)],
  ['two clients are told that they removed the same line', [[remove()], [remove()]], [BLUE]],
  ["a client's own order is turned round", [[add(1), remove()]], red(3)],
  ['an answer shows a cart that never was', [[add(1, red(9))]], red(3)],
  ['a merge loses the quantity of one line', [[merge]], [BLUE]],
])('refuses that %s', (_what, clients, end) => {
  expect(explain({ start: START, clients, end })).toBeNull()
})
