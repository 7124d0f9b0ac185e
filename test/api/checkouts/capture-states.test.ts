// @unit
// The diagram of an attempt's states shows the transitions of src/api/capture/attempt.ts, and nothing else.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { TRANSITIONS } from '../../../src/api/capture/attempt.ts'

/** The page with the diagram, from the root of the repository. */
const PAGE = 'ARCHITECTURE.md'

const page = readFileSync(join(import.meta.dirname, '../../..', PAGE), 'utf8')

/** The arrows of the diagram, without their indentation. */
function arrowsIn(text: string): string[] {
  const [, diagram] = /```mermaid\nstateDiagram\S*\n([\s\S]*?)```/.exec(text) ?? []
  if (diagram === undefined) throw new Error(`${PAGE} has no mermaid stateDiagram.`)
  return diagram
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

const arrows = TRANSITIONS.map(({ from, on, to, effect }) => `${from} --> ${to}: ${on.join(', ')} / ${effect}`)
const states = [...new Set(TRANSITIONS.flatMap(({ from, to }) => [from, to]))]
const ends = states.filter((state) => !TRANSITIONS.some(({ from, to }) => from === state && to !== state))

it('draws each transition of the table, and no other', () => {
  expect(arrowsIn(page).sort()).toEqual(
    ['[*] --> charging: reserveHold', ...arrows, ...ends.map((state) => `${state} --> [*]`)].sort(),
  )
})

it('has one transition at most for an event in a state', () => {
  const pairs = TRANSITIONS.flatMap(({ from, on }) => on.map((event) => `${from} ${event}`))
  expect(new Set(pairs).size).toBe(pairs.length)
})

it('keeps the states that are stored in the table capture_attempts', () => {
  expect(states.sort()).toEqual(['charging', 'done', 'released', 'waiting'])
})
