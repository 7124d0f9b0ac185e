// The difference between two printed exchanges, short enough to read. A hunk names the object that it changes and no line numbers: it
// stays the same when the body grows elsewhere. Indentation and commas do not count, because print() restores them. A cart that moves
// into an envelope is therefore a few lines.

import type { JsonData } from '../../../src/versions/change.ts'
import { print } from './print.ts'

/** `from` and `to` count lines of the newer text. */
type Hunk = { from: number; to: number; readonly edits: Edit[] }
type Mark = ' ' | '-' | '+'
type Edit = readonly [mark: Mark, line: string]

const linesOf = (text: string): string[] => text.trimEnd().split('\n')
const bare = (line: string): string => line.trim().replace(/,$/, '')
const isOpening = (line: string) => /[[{]$/.test(line)
const isClosing = (line: string) => /^[\]}]$/.test(line)

/** Writes the lines that lead from the newer text to the older one. Both come from print(). */
export function makeDiff(newer: string, older: string): string {
  const [before, after] = [linesOf(newer), linesOf(older)]
  const bareBefore = before.map(bare)
  const places = placesOf(bareBefore)
  const hunks = hunksOf(before, after)
  let end = 0
  const texts = hunks.map((hunk, index) => {
    widen(hunk, before, { first: end, last: hunks[index + 1]?.from ?? before.length, bareBefore, places })
    end = hunk.to
    const place = sharedPlace(places.slice(hunk.from, hunk.to))
    return [
      `@@ ${place === '' ? '' : `${place} `}@@`,
      ...hunk.edits.map(([mark, line]) => mark + line.replace(/,$/, '')),
    ].join('\n')
  })
  const diff = `${texts.join('\n')}\n`
  if (applyDiff(newer, diff) !== older) throw new Error('The diff does not lead from one text to the other.')
  return diff
}

/** Gives the older text. Throws where a hunk has no place in the newer one, or more than one. */
export function applyDiff(newer: string, diff: string): string {
  const lines = linesOf(newer).map(bare)
  const places = placesOf(lines)
  const result: string[] = []
  let end = 0
  for (const { place, edits } of readHunks(diff)) {
    const old = edits.filter(([mark]) => mark !== '+').map(([, line]) => bare(line))
    const [at, ...others] = matchesOf(old, place, { first: end, lines, places })
    if (at === undefined || others.length > 0)
      throw new Error(
        `These lines are ${at === undefined ? 'not' : 'more than once'} at "${place}":\n${old.join('\n')}`,
      )
    result.push(...lines.slice(end, at), ...edits.filter(([mark]) => mark !== '-').map(([, line]) => bare(line)))
    end = at + old.length
  }
  return print(JSON.parse(withCommas([...result, ...lines.slice(end)])) as JsonData)
}

function withCommas(lines: readonly string[]): string {
  return lines
    .map((line, index) => {
      const next = lines[index + 1]
      return isOpening(line) || next === undefined || isClosing(next) ? line : `${line},`
    })
    .join('\n')
}

function readHunks(diff: string): { place: string; edits: Edit[] }[] {
  const hunks: { place: string; edits: Edit[] }[] = []
  // Two equal texts have an empty diff.
  if (diff.trim() === '') return hunks
  for (const line of diff.trimEnd().split('\n')) {
    const [, place] = /^@@ (.*?) ?@@$/.exec(line) ?? []
    if (place !== undefined) hunks.push({ place, edits: [] })
    else if (/^[ +-]/.test(line) && hunks.length > 0) hunks.at(-1)?.edits.push([line.charAt(0) as Mark, line.slice(1)])
    else throw new Error(`This line is no part of a diff: ${line}`)
  }
  return hunks
}

/** The object or list that each line belongs to: `body.line_items[0]`. A line that opens or closes one belongs to the outer one. */
function placesOf(lines: readonly string[]): string[] {
  const open: { place: string; isList: boolean; count: number }[] = []
  return lines.map((line) => {
    if (isClosing(line)) open.pop()
    const outer = open.at(-1)
    const place = outer?.place ?? ''
    if (isOpening(line)) {
      const name = outer?.isList ? `[${outer.count}]` : (/^"(.*?)": /.exec(line)?.[1] ?? '')
      const dot = place === '' || outer?.isList ? '' : '.'
      open.push({ place: place + dot + name, isList: line.endsWith('['), count: 0 })
    }
    if (outer && !isClosing(line)) outer.count++
    return place
  })
}

const isWithin = (place: string, outer: string) =>
  outer === '' || place === outer || (place.startsWith(outer) && /[.[]/.test(place.charAt(outer.length)))

function sharedPlace(places: readonly string[]): string {
  let shared = places[0] ?? ''
  while (!places.every((place) => isWithin(place, shared))) shared = shared.replace(/(^|\.|\[)[^.[]*$/, '')
  return shared
}

type Text = { readonly lines: readonly string[]; readonly places: readonly string[]; readonly first: number }

/** Where the lines are at a place, from the line `first` on. */
function matchesOf(old: readonly string[], place: string, { lines, places, first }: Text): number[] {
  const isMatch = (at: number) =>
    old.every((line, index) => lines[at + index] === line && isWithin(places[at + index] ?? '', place))
  return lines.flatMap((_, at) => (at >= first && at + old.length <= lines.length && isMatch(at) ? at : []))
}

/** One line that stayed does not part two hunks: it is shorter than the beginning of another. */
const MOST_BETWEEN = 1

function hunksOf(before: readonly string[], after: readonly string[]): Hunk[] {
  const hunks: Hunk[] = []
  let [old, young] = [0, 0]
  let between: Edit[] = []
  for (const [mark] of align(before.map(bare), after.map(bare))) {
    const edit: Edit = [mark, (mark === '+' ? after[young] : before[old]) ?? '']
    if (mark === ' ') between.push(edit)
    else {
      const last = hunks.at(-1)
      const hunk = last && between.length <= MOST_BETWEEN ? last : { from: old, to: old, edits: [] }
      if (hunk !== last) hunks.push(hunk)
      hunk.edits.push(...(hunk === last ? between : []), edit)
      hunk.to = old + (mark === '-' ? 1 : 0)
      between = []
    }
    if (mark !== '+') old++
    if (mark !== '-') young++
  }
  return hunks
}

/** Adds lines around a hunk until there is only one place where it fits. */
function widen(
  hunk: Hunk,
  before: readonly string[],
  around: { first: number; last: number; bareBefore: readonly string[]; places: readonly string[] },
) {
  const { first, last, bareBefore: lines, places } = around
  const isPlain = () => {
    const place = sharedPlace(places.slice(hunk.from, hunk.to))
    return (
      hunk.from < hunk.to && matchesOf(lines.slice(hunk.from, hunk.to), place, { lines, places, first }).length === 1
    )
  }
  while (!isPlain()) {
    if (hunk.from > first) hunk.edits.unshift([' ', before[--hunk.from] ?? ''])
    else if (hunk.to < last) hunk.edits.push([' ', before[hunk.to++] ?? ''])
    else throw new Error('Two places of the body cannot be told apart.')
  }
}

/** Lays two lists of lines side by side, with as many lines in common as possible. */
export function align(before: readonly string[], after: readonly string[]): Edit[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const middle = alignMiddle(before.slice(start, before.length - end), after.slice(start, after.length - end))
  const same = (lines: readonly string[]): Edit[] => lines.map((line) => [' ', line] as const)
  return joinRuns([...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - end))])
}

/** Finds the longest common subsequence. */
function alignMiddle(olds: readonly string[], news: readonly string[]): Edit[] {
  const lengths = Array.from({ length: olds.length + 1 }, () => new Uint32Array(news.length + 1))
  const at = (row: number, column: number) => lengths[row]?.[column] ?? 0
  for (let row = olds.length - 1; row >= 0; row--)
    for (let column = news.length - 1; column >= 0; column--) {
      const line = lengths[row] as Uint32Array
      line[column] =
        olds[row] === news[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
    }
  const lines: Edit[] = []
  let [row, column] = [0, 0]
  while (row < olds.length || column < news.length) {
    if (row < olds.length && column < news.length && olds[row] === news[column]) {
      lines.push([' ', olds[row] ?? ''])
      row++
      column++
    } else if (column >= news.length || (row < olds.length && at(row + 1, column) >= at(row, column + 1)))
      lines.push(['-', olds[row++] ?? ''])
    else lines.push(['+', news[column++] ?? ''])
  }
  return lines
}

/** A brace that stayed can part an added object from its own closing brace. The two braces are alike: they change places. */
function joinRuns(lines: readonly Edit[]): Edit[] {
  const joined = [...lines]
  for (let at = 1; at + 1 < joined.length; at++) {
    const [before, kept, next] = joined.slice(at - 1, at + 2) as [Edit, Edit, Edit]
    if (kept[0] === ' ' && before[0] !== ' ' && next[0] === before[0] && next[1] === kept[1])
      joined.splice(at, 2, next, kept)
  }
  return joined
}
