// @alone
// Keeps docs/conformance.md honest: every promise names a proof, every test it names exists under that name and runs, and the page is
// what comes of both. UPDATE_CONFORMANCE=1 writes it (`npm run conformance`).

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { chapterOf, pageOf } from './conformance/promises.ts'
import { titlesIn } from './conformance/titles.ts'

const PAGE = 'docs/conformance.md'
const FOLDER = 'test/conformance/promises'

describe('docs/conformance.md', () => {
  const read = (file: string) => (/\.ts$/.test(file) && existsSync(file) ? readFileSync(file, 'utf8') : null)
  const chapters = readdirSync(FOLDER)
    .sort()
    .map((name) => chapterOf(readFileSync(`${FOLDER}/${name}`, 'utf8'), read))

  it('names, for every promise, tests that exist', () => {
    expect(chapters.flatMap(({ chapter }) => chapter.promises).length).toBeGreaterThan(900)
    expect(chapters.flatMap(({ problems }) => problems)).toEqual([])
  })

  it('is written from the promises and the tests', () => {
    const page = pageOf(chapters.map(({ chapter }) => chapter))
    if (process.env.UPDATE_CONFORMANCE) writeFileSync(PAGE, page)
    expect(readFileSync(PAGE, 'utf8') === page, 'run `npm run conformance` and look at what it changed').toBe(true)
  })
})

describe('the check', () => {
  const files: Record<string, string> = {
    'test/a/b.test.ts': `it('holds its promise at once', () => {})\nit('holds its promise later', () => {})\nit.each([1])('%s', () => {})`,
    'test/a/rules.ts': `export const rule = () => it('goes for all', () => {})`,
    'test/c/d.test.ts': `it('is elsewhere, and far away', () => {})\nit.skip('is switched off now', () => {})`,
  }
  const check = (proofs: string) =>
    chapterOf(`A chapter (spec 1)\nin test/a\n\na promise\n${proofs}`, (file) => files[file] ?? null)

  it('finds tests by the beginnings of their titles, in the folders of the chapter and elsewhere', () => {
    const { chapter, problems } = check(
      '  b: holds its promise at · holds its promise later\n  rules.ts: goes for all\n  c/d: is elsewhere, and',
    )
    expect(problems).toEqual([])
    expect(chapter).toEqual({
      heading: 'A chapter (spec 1)',
      promises: [
        {
          promise: 'a promise',
          proofs: [
            { file: 'test/a/b.test.ts', title: 'holds its promise at once' },
            { file: 'test/a/b.test.ts', title: 'holds its promise later' },
            { file: 'test/a/rules.ts', title: 'goes for all' },
            { file: 'test/c/d.test.ts', title: 'is elsewhere, and far away' },
          ],
        },
      ],
    })
    expect(pageOf([chapter])).toContain(
      '\n## A chapter (spec 1)\n\n| Promise | Proof |\n|---|---|\n| a promise | `test/a/b.test.ts` "holds its promise at once"; `test/a/b.test.ts` "holds',
    )
  })

  it.each([
    ['', 'names no test'],
    ['  b', 'cannot be read'],
    ['  x: holds its promise later', 'no file of tests'],
    ['  b: kept its promise', 'does not have: kept its promise'],
    ['  b: holds its promise', 'names 2 tests'],
    ['  c/d: is elsewhere,', 'fewer than 3 words'],
    ['  c/d: is switched off now', 'does not have'],
    ['  b: %s', 'says nothing'],
  ])('finds a promise with the proof %j', (proofs, problem) => {
    expect(check(proofs).problems).toContainEqual(expect.stringContaining(problem))
  })

  it('finds a chapter without folders', () => {
    const { problems } = chapterOf('A chapter\na promise\n  c/d: is elsewhere, and', (file) => files[file] ?? null)
    expect(problems).toContainEqual(expect.stringContaining('does not say in which folders'))
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
