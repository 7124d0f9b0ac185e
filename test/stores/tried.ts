// The tables of docs/moving-in.md are made of what a test file has run. UPDATE_TRIED=1 writes them; otherwise a different table fails.

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'

const page = fileURLToPath(new URL('../../docs/moving-in.md', import.meta.url))

/** The rows of one table, in the order in which they were tried. */
export function triedTable(name: string, columns: readonly string[]) {
  const rows: string[][] = []
  return {
    /**
     * Runs one, which says at each step how far it has come, and notes what came of it: the words for a success, or the step that it has not
     * got over. One that never ends has failed too.
     */
    async try(row: readonly string[], success: string, run: (steps: (step: string) => void) => Promise<void>) {
      const outcome = [...row, '']
      const note = (result: string) => {
        outcome[row.length] = result
      }
      rows.push(outcome)
      note('**fails**')
      await run((step) => note(`**fails at ${step}**`))
      note(success)
    },
    /** At the end of the file. */
    compare() {
      const lines = [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
      const table = lines.join('\n')
      const text = readFileSync(page, 'utf8')
      const [before, written, after] = split(text, name)
      if (process.env.UPDATE_TRIED) writeFileSync(page, `${before}\n${table}\n${after}`)
      else expect(written, 'UPDATE_TRIED=1 writes it, in a run of the whole file').toBe(`\n${table}\n`)
    },
  }
}

function split(text: string, name: string): [string, string, string] {
  const [start, end] = [`<!-- tried: ${name} -->`, `<!-- end: ${name} -->`]
  const [from, to] = [text.indexOf(start), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/moving-in.md has no place for the table: ${start} … ${end}`)
  return [text.slice(0, from + start.length), text.slice(from + start.length, to), text.slice(to)]
}
