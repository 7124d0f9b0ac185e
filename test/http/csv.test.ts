// @unit
// Tables for spreadsheets: no cell becomes a formula, whichever separator the spreadsheet of the reader goes by, and reading gives back what was written.

import { expect, it } from 'vitest'
import { readCsv } from '../../src/api/products/table/csv.ts'
import { csvLine } from '../../src/http/files/csv.ts'

/**
 * The cells of a line, as a spreadsheet reads them that separates at `separator`. A quotation mark counts only where a cell begins; one inside is
 * a letter, and so is everything up to the next separator or the end of the line.
 */
function cellsAt(line: string, separator: string): string[] {
  const cells: string[] = []
  for (let at = 0; at <= line.length; ) {
    let cell = ''
    if (line[at] === '"') {
      at += 1
      while (at < line.length && (line[at] !== '"' || line[at + 1] === '"')) {
        cell += line[at]
        at += line[at] === '"' ? 2 : 1
      }
      at += 1
    }
    while (at < line.length && line[at] !== separator && line[at] !== '\r' && line[at] !== '\n') cell += line[at++]
    cells.push(cell)
    at += 1
  }
  return cells
}

const FORMULA = /^[\s"]*[=+\-@＝＋－＠]/

it('has no formula in it at any separator, and reads back as it was written, for random texts', () => {
  const letters = [...`=+-@＝''"";\t\r\n, \u00a0a1ü`]
  let state = 7
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  for (let round = 0; round < 20_000; round++) {
    const texts = Array.from({ length: 3 }, () =>
      Array.from({ length: random(9) }, () => letters[random(letters.length)]).join(''),
    )
    const cells = [...texts, 'last']
    const line = csvLine(cells)
    const table = readCsv(`a,b,c,last\r\n${line}`)
    if (!('rows' in table)) throw new Error(`${JSON.stringify(line)}: ${table.problem}`)
    if (JSON.stringify(table.rows[1]?.cells) !== JSON.stringify(cells)) expect(table.rows[1]?.cells).toEqual(cells)
    for (const separator of [',', ';', '\t']) {
      const formula = cellsAt(line, separator).find((cell) => FORMULA.test(cell))
      if (formula !== undefined) expect([line, separator, formula]).toBeNull()
    }
  }
})
