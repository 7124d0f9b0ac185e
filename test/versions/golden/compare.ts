// What is wrong with the golden bodies, or with the answers: compares the recorded exchanges of a version with the files that are kept.
// No file of a version's own means: the same as the next newer version. All of it is text in, sentences out.

import { align } from './diff.ts'

/** A version as the registry lists it, newest first. */
type Listed = { readonly date: string; readonly changes: readonly unknown[] }

/** The whole text of each by its file, `carts/add.json` or `carts/add@2021-03-17.diff`. */
export type GoldenFiles = ReadonlyMap<string, string>

/** `carts.add.variant` of 2021-03-17 → `carts/add.variant@2021-03-17.diff`; the newest version has no date. */
export function fileOf(exchange: string, version: string, newest: string): string {
  const [resource = '', ...rest] = exchange.split('.')
  return `${resource}/${rest.join('.')}${version === newest ? '.json' : `@${version}.diff`}`
}

/** `dates` newest first. The file that holds what a version answers: its own, or that of the nearest newer one that has one. */
function holderOf(files: GoldenFiles, exchange: string, version: string, dates: readonly string[]): string | null {
  const [newest = ''] = dates
  for (let index = dates.indexOf(version); index >= 0; index--) {
    const file = fileOf(exchange, dates[index] ?? '', newest)
    if (files.has(file)) return file
  }
  return null
}

/** Versions, newest first, put together where nothing changed from one to the next: a version has what all newer ones changed before it. */
export function alike(versions: readonly Listed[]): string[][] {
  const groups: string[][] = []
  for (const [index, { date }] of versions.entries()) {
    const newer = versions[index - 1]
    if (newer === undefined || newer.changes.length > 0) groups.push([date])
    else groups.at(-1)?.push(date)
  }
  return groups
}

/** `shown`: differences that a newer version has shown already, so that one change of the newest does not fill the screen 26 times. */
export function answerProblems(
  files: GoldenFiles,
  exchanges: ReadonlyMap<string, string>,
  version: string,
  dates: readonly string[],
  shown: Map<string, string> = new Map(),
): string[] {
  return [...exchanges].flatMap(([exchange, given]) => {
    const holder = holderOf(files, exchange, version, dates)
    if (holder === null) return `${exchange} at ${version} has no golden body.`
    const kept = files.get(holder) ?? ''
    if (kept === given) return []
    const difference = lineDifference(kept, given)
    const key = `${exchange}\n${difference}`
    const before = shown.get(key)
    if (before !== undefined) return `${exchange} at ${version} is not what ${holder} says, as at ${before}.`
    shown.set(key, version)
    return `${exchange} at ${version} is not what ${holder} says (- kept, + answered):\n${difference}`
  })
}

export function coverageProblems(operations: readonly string[], exchanges: Iterable<string>): string[] {
  const recorded = new Set(exchanges)
  return operations
    .filter((operation) => !recorded.has(operation))
    .map((operation) => `${operation} has no golden body: give it a step in the script, as README.md says.`)
}

/**
 * Files that nobody asks for, that say what their newer neighbour says, or that differ from it where no change lies between the two: the
 * difference is then one of the run and not of the version.
 */
export function fileProblems(files: GoldenFiles, exchanges: Iterable<string>, versions: readonly Listed[]): string[] {
  const dates = versions.map(({ date }) => date)
  const [newest = ''] = dates
  const known = new Map(
    [...exchanges].flatMap((exchange) =>
      versions.map(({ date }, index) => [fileOf(exchange, date, newest), { exchange, newer: versions[index - 1] }]),
    ),
  )
  return [...files].flatMap(([file, content]) => {
    const asked = known.get(file)
    if (asked === undefined) return `${file} belongs to nothing that the script records.`
    const { exchange, newer } = asked
    if (newer === undefined) return []
    const holder = holderOf(files, exchange, newer.date, dates)
    if (holder !== null && files.get(holder) === content) return `${file} is superfluous: it says what ${holder} says.`
    return newer.changes.length === 0
      ? `${file} cannot differ from ${newer.date}, which brought no change: look at what else differed in the run.`
      : []
  })
}

/** What a mishap of the run answers, in every version: as a golden body it would stand in the place of the answer that was meant. */
export function mishapOf(exchange: string, version: string, status: number): string | null {
  if (status !== 429 && status < 500) return null
  return `${exchange} at ${version} answered ${status}: that says something about the run, and nothing about the version.`
}

/** The files that say what was recorded, and no more of them than needed. What a version did not repeat is as in the next newer one. */
export function filesFor(
  recorded: ReadonlyMap<string, ReadonlyMap<string, string>>,
  dates: readonly string[],
): Map<string, string> {
  const [newest = ''] = dates
  const files = new Map<string, string>()
  const newer = new Map<string, string>()
  for (const date of dates)
    for (const [exchange, text] of recorded.get(date) ?? []) {
      if (newer.get(exchange) !== text) files.set(fileOf(exchange, date, newest), text)
      newer.set(exchange, text)
    }
  return files
}

const CONTEXT = 3
const MOST_LINES = 60

/** The lines that differ, with a few around them. */
export function lineDifference(kept: string, given: string): string {
  const [before, after] = [kept.split('\n'), given.split('\n')]
  const lines = align(before, after)
  const near = (at: number) => lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(([mark]) => mark !== ' ')
  const shown: string[] = []
  let isGap = false
  for (const [at, [mark, line]] of lines.entries()) {
    if (near(at)) shown.push(`${isGap ? '  …\n' : ''}${mark} ${line}`)
    isGap = !near(at)
  }
  const rest = shown.length - MOST_LINES
  return [...shown.slice(0, MOST_LINES), ...(rest > 0 ? [`  … and ${rest} more lines`] : [])].join('\n')
}
