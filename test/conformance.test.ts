// @unit
// Every promise names a proof, and every test that it names exists under that name and runs. `npm run conformance` also writes the page
// docs/conformance.md, which is not kept in the repository.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { chapterOf, pageOf } from './conformance/promises.ts'
import { titlesIn } from './conformance/titles.ts'

const PAGE = 'docs/conformance.md'
const FOLDER = 'test/conformance/promises'

describe('the promises', () => {
  const read = (file: string) => (/\.ts$/.test(file) && existsSync(file) ? readFileSync(file, 'utf8') : null)
  const chapters = readdirSync(FOLDER)
    .sort()
    .map((name) => chapterOf(readFileSync(`${FOLDER}/${name}`, 'utf8'), read))

  it('name tests that exist', () => {
    expect(chapters.flatMap(({ chapter }) => chapter.promises).length).toBeGreaterThan(900)
    expect(chapters.flatMap(({ problems }) => problems)).toEqual([])
  })

  it('make a page that holds each of them', () => {
    const page = pageOf(chapters.map(({ chapter }) => chapter))
    if (process.env.CONFORMANCE_PAGE) writeFileSync(PAGE, page)
    expect(
      chapters.flatMap(({ chapter }) => chapter.promises).filter(({ promise }) => !page.includes(promise)),
    ).toEqual([])
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
    ['  x: holds its promise later', 'no file of tests'],
    ['  b: kept its promise', 'does not have: kept its promise'],
    ['  b: holds its promise', 'names 2 tests'],
    ['  c/d: is elsewhere,', 'fewer than 3 words'],
    ['  c/d: is switched off now', 'does not have'],
    ['  b: %s', 'says nothing'],
  ])('finds a promise with the proof %j', (proofs, problem) => {
    expect(check(proofs).problems).toContainEqual(expect.stringContaining(problem))
  })
})

describe('a title', () => {
  it.each([
    `it('a title', () => {})`,
    'it(`a title`, () => {})',
    `it.each([\n  ['it', ')', /[")]/],\n] as const)(\n  'a title',\n  (_what: string) => {},\n)`,
    `test.each<[string, number]>(table)('a title', () => {})`,
    `test.each\`\n  a\n  \${1}\n\`('a title', () => {})`,
    `it.skipIf(!isRoot)('a title', () => {})`,
    `describe('a group', () => { it('a title', () => {}) })`,
  ])('is found in %s', (text) => {
    expect([...titlesIn(text)]).toEqual(['a title'])
  })

  it('is read as it runs, not as it is written', () => {
    expect([...titlesIn(String.raw`it('a merchant\'s “title” \u0041', () => {})`)]).toEqual(["a merchant's “title” A"])
  })

  it.each([
    `describe('a title', () => {})`,
    `// it('a title', () => {})`,
    `/x/.test('a title', () => {})`,
    `it.skip('a title', () => {})`,
    `test.todo('a title')`,
    `it.each([1]).skip('a title', () => {})`,
    `it('a title', { timeout: 1, todo: true }, () => {})`,
    `describe('a group', { skip: true }, () => { it('a title', () => {}) })`,
    `describe.todo('a group', () => { describe('another', () => { it('a title', () => {}) }) })`,
    `it(\`a title\${isRoot ? '' : ' (skipped)'}\`, () => {})`,
  ])('is not found in %s', (text) => {
    expect([...titlesIn(text)]).toEqual([])
  })
})
