// Keeps docs/conformance.md honest: every row names a proof, and every test it names exists under that name.

import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const PROOF = /`(test\/[^`]+)` "([^"]+)"/g

type Row = { promise: string; proof: string }

const rowsOf = (page: string): Row[] =>
  page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (Promise |-)/.test(line))
    .map((line) => line.split(' | '))
    .map(([promise = '', ...rest]) => ({ promise: promise.slice(2), proof: rest.join(' | ') }))

/** What is wrong with a page, one sentence each. `read` gives a test file's text, or null. */
function problemsOf(page: string, read: (file: string) => string | null): string[] {
  return rowsOf(page).flatMap(({ promise, proof }) => {
    const named = [...proof.matchAll(PROOF)]
    // A name cut short by a missing quote or tick would silently not count.
    const mentioned = proof.split('`test/').length - 1
    if (named.length === 0 || named.length !== mentioned) return [`"${promise}" does not name its proof in full.`]
    return named.flatMap(([, file = '', title = '']) => {
      const text = read(file)
      if (text === null) return [`"${promise}" names ${file}, which does not exist.`]
      return isTitleIn(text, title) ? [] : [`"${promise}" names a test that ${file} does not have: ${title}`]
    })
  })
}

/** A title stands in the source between quotes of its own, so that half a title is not taken for one. */
const isTitleIn = (text: string, title: string) =>
  [`'${title}'`, `"${title}"`, `\`${title}\``, `'${title.replaceAll("'", "\\'")}'`].some((quoted) =>
    text.includes(quoted),
  )

describe('docs/conformance.md', () => {
  it('names, for every promise, tests that exist', () => {
    const page = readFileSync('docs/conformance.md', 'utf8')
    expect(rowsOf(page).length).toBeGreaterThan(50)
    expect(problemsOf(page, (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null))).toEqual([])
  })
})

describe('the check', () => {
  const read = (file: string) => (file === 'test/a.test.ts' ? `it('holds its promise', () => {})` : null)
  const row = (proof: string) => `| Promise | Proof |\n|---|---|\n| a promise | ${proof} |`

  it('accepts a row whose test exists', () => {
    expect(problemsOf(row('`test/a.test.ts` "holds its promise"'), read)).toEqual([])
  })

  it.each([
    ['', 'does not name its proof in full'],
    ['`test/a.test.ts"', 'does not name its proof in full'],
    ['`test/b.test.ts` "holds its promise"', 'does not exist'],
    ['`test/a.test.ts` "holds its"', 'does not have'],
  ])('finds a row with the proof %j', (proof, problem) => {
    expect(problemsOf(row(proof), read)).toEqual([expect.stringContaining(problem)])
  })
})
