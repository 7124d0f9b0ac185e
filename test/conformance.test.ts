// Keeps docs/conformance.md honest: every row names a proof, and every test it names exists under that name and runs.

import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { titlesIn } from './conformance/titles.ts'

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
  const known = new Map<string, Set<string> | null>()
  const titlesOf = (file: string) => {
    if (!known.has(file)) {
      const text = read(file)
      known.set(file, text === null ? null : titlesIn(text))
    }
    return known.get(file) ?? null
  }
  return rowsOf(page).flatMap(({ promise, proof }) => {
    const named = [...proof.matchAll(PROOF)]
    // A name cut short by a missing quote or tick would silently not count.
    const mentioned = proof.split('`test/').length - 1
    if (named.length === 0 || named.length !== mentioned) return [`"${promise}" does not name its proof in full.`]
    return named.flatMap(([, file = '', title = '']) => {
      const titles = titlesOf(file)
      if (titles === null) return [`"${promise}" names ${file}, which does not exist.`]
      if (!saysSomething(title)) return [`"${promise}" names a test of ${file} whose title says nothing: ${title}`]
      return titles.has(title) ? [] : [`"${promise}" names a test that ${file} does not have: ${title}`]
    })
  })
}

/** A title of placeholders alone is shared by every table of its file. */
const saysSomething = (title: string) => /\p{L}{2}/u.test(title.replaceAll(/%\w|\$\w+/g, ''))

describe('docs/conformance.md', () => {
  it('names, for every promise, tests that exist', () => {
    const page = readFileSync('docs/conformance.md', 'utf8')
    expect(rowsOf(page).length).toBeGreaterThan(50)
    expect(problemsOf(page, (file) => (existsSync(file) ? readFileSync(file, 'utf8') : null))).toEqual([])
  })
})

describe('the check', () => {
  const read = (file: string) =>
    file === 'test/a.test.ts' ? `it('holds its promise', () => {})\nit.each([1])('%s', () => {})` : null
  const row = (proof: string) => `| Promise | Proof |\n|---|---|\n| a promise | ${proof} |`

  it('accepts a row whose tests exist', () => {
    expect(problemsOf(row('`test/a.test.ts` "holds its promise"'), read)).toEqual([])
    const twice = '`test/a.test.ts` "holds its promise"; `test/a.test.ts` "holds its promise"'
    expect(problemsOf(row(twice), read)).toEqual([])
  })

  it.each([
    ['', 'does not name its proof in full'],
    ['`test/a.test.ts"', 'does not name its proof in full'],
    ['`test/a.test.ts` "holds its promise"; `test/a.test.ts` "cut', 'does not name its proof in full'],
    ['`test/b.test.ts` "holds its promise"', 'does not exist'],
    ['`test/a.test.ts` "holds its"', 'does not have'],
    ['`test/a.test.ts` "%s"', 'says nothing'],
  ])('finds a row with the proof %j', (proof, problem) => {
    expect(problemsOf(row(proof), read)).toEqual([expect.stringContaining(problem)])
  })
})

describe('a title', () => {
  it.each([
    `it('a title', () => {})`,
    `test('a title', async () => {})`,
    'it(`a title`, () => {})',
    `it("a title", { timeout: 1 }, () => {})`,
    `it(\n  'a title',\n  () => {},\n)`,
    `it.each([1, 2])('a title', () => {})`,
    `it.each([\n  ['it', ')', /[")]/],\n] as const)(\n  'a title',\n  (_what: string) => {},\n)`,
    `test.each<[string, number]>(table)('a title', () => {})`,
    `test.for(table)('a title', () => {})`,
    `test.each\`\n  a\n  \${1}\n\`('a title', () => {})`,
    `it.skipIf(!isRoot)('a title', () => {})`,
    `it.runIf(isRoot).each([1])('a title', () => {})`,
    `describe('a group', () => { it('a title', () => {}) })`,
    `describe.skipIf(!isRoot)('a group', () => { it('a title', () => {}) })`,
    `export function itHolds() { it('a title', () => {}) }`,
  ])('is found in %s', (text) => {
    expect([...titlesIn(text)]).toEqual(['a title'])
  })

  it('is read as it runs, not as it is written', () => {
    expect([...titlesIn(String.raw`it('a merchant\'s “title” \u0041', () => {})`)]).toEqual(["a merchant's “title” A"])
  })

  it.each([
    `describe('a title', () => {})`,
    `describe.each([1])('a title', () => {})`,
    `// it('a title', () => {})`,
    `/* it('a title', () => {}) */`,
    `const text = "it('a title', () => {})"`,
    `const name = 'a title'`,
    `expect('a title').toBe('a title')`,
    `app.it('a title', () => {})`,
    `/x/.test('a title', () => {})`,
    `it('a title')`,
    `it.skip('a title', () => {})`,
    `test.todo('a title')`,
    `it.todo('a title', () => {})`,
    `it.fails('a title', () => {})`,
    `it.skip.each([1])('a title', () => {})`,
    `it.each([1]).skip('a title', () => {})`,
    `it('a title', { skip: true }, () => {})`,
    `it('a title', { timeout: 1, todo: true }, () => {})`,
    `describe.skip('a group', () => { it('a title', () => {}) })`,
    `describe('a group', { skip: true }, () => { it('a title', () => {}) })`,
    `describe.todo('a group', () => { describe('another', () => { it('a title', () => {}) }) })`,
    `it(\`a title\${isRoot ? '' : ' (skipped)'}\`, () => {})`,
  ])('is not found in %s', (text) => {
    expect([...titlesIn(text)]).toEqual([])
  })
})
