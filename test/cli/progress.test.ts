// @unit
// What a terminal shows of a command that takes its time, letter by letter; and that nothing of it is in a log.

import { describe, expect, it } from 'vitest'
import { createProgress } from '../../src/cli/progress.ts'

/** A terminal of one line: what a person would see on it now. `hasWrapped`: the line has reached the last column. */
function screen(columns: number | undefined, isTTY = true) {
  const cells: string[] = []
  let at = 0
  let hasWrapped = false
  const write = (text: string) => {
    for (const letter of text) {
      if (letter === '\r') at = 0
      else {
        cells[at] = letter
        at += 1
      }
      hasWrapped ||= at >= (columns ?? 80)
    }
    return true
  }
  return {
    terminal: { isTTY, columns, write } as Parameters<typeof createProgress>[0],
    seen: () => cells.join('').trimEnd(),
    cursor: () => at,
    hasWrapped: () => hasWrapped,
  }
}

describe('a line of progress', () => {
  it('is replaced by the next one, also by a shorter one, and taken away whole', () => {
    const { terminal, seen, cursor } = screen(80)
    const progress = createProgress(terminal)
    progress.show('Creating the database')
    expect(seen()).toBe('Creating the database …')
    progress.show('Short')
    expect([seen(), cursor()]).toEqual(['Short …', 7])
    progress.show('Something longer again')
    expect(seen()).toBe('Something longer again …')
    progress.clear()
    expect([seen(), cursor()]).toEqual(['', 0])
    terminal.write('the answer')
    expect(seen()).toBe('the answer')
    progress.clear()
    expect(seen()).toBe('the answer')
  })

  it.each([20, 10, undefined])('never reaches the last column, of %s', (columns) => {
    const { terminal, seen, hasWrapped } = screen(columns)
    const progress = createProgress(terminal)
    progress.show('Updating the database: 12 of 40, 0012_a_migration_with_a_name_that_is_longer_than_most')
    expect(seen().length).toBeLessThan(columns ?? 80)
    progress.clear()
    expect([seen(), hasWrapped()]).toEqual(['', false])
  })

  it('is not written where there is no terminal', () => {
    const { terminal, seen } = screen(80, false)
    const progress = createProgress(terminal)
    progress.show('Creating the database')
    progress.clear()
    expect(seen()).toBe('')
  })
})
