// Reads the promises of test/conformance/promises and finds the tests that prove them. Both make the page docs/conformance.md.
//
// A file is a chapter. Its first line is the heading; `in` names the folders of its tests. Each promise is a line, and below it stand,
// indented, the tests: `<file>: <beginning of a title> · <of another>`. A beginning must fit one title of the file, and one alone.

import { titlesIn } from './titles.ts'

export type Proof = { file: string; title: string }
export type Promised = { promise: string; proofs: Proof[] }
export type Chapter = { heading: string; promises: Promised[] }

/** A test file's text, or null. */
export type Read = (file: string) => string | null

/** A beginning of one word or two would fit a title that is written tomorrow. */
const LEAST_WORDS = 3

export function chapterOf(text: string, read: Read): { chapter: Chapter; problems: string[] } {
  const [heading = '', second = '', ...lines] = text.split('\n').filter((line) => line.trim() !== '')
  const folders = second.replace(/^in /, '').split(' ')
  const problems = second.startsWith('in ') ? [] : [`"${heading}" does not say in which folders its tests are.`]
  const chapter: Chapter = { heading, promises: [] }
  for (const line of lines) {
    const current = chapter.promises.at(-1)
    if (!line.startsWith('  ')) chapter.promises.push({ promise: line, proofs: [] })
    else if (current) {
      const found = proofsOf(line.trim(), folders, read)
      current.proofs.push(...found.proofs)
      problems.push(...found.problems.map((problem) => `"${current.promise}" ${problem}`))
    }
  }
  for (const { promise, proofs } of chapter.promises)
    if (proofs.length === 0) problems.push(`"${promise}" names no test that proves it.`)
  return { chapter, problems }
}

function proofsOf(line: string, folders: readonly string[], read: Read): { proofs: Proof[]; problems: string[] } {
  const [, name = '', beginnings = ''] = /^(\S+): (.*)$/.exec(line) ?? []
  if (name === '') return { proofs: [], problems: [`names a test in a way that cannot be read: ${line}`] }
  const file = [...folders, 'test']
    .flatMap((folder) => [`${folder}/${name}.test.ts`, `${folder}/${name}`])
    .find((path) => read(path) !== null)
  const titles = file === undefined ? null : titlesOf(file, read)
  if (file === undefined || titles === null)
    return { proofs: [], problems: [`names ${name}, which is no file of tests.`] }
  const proofs: Proof[] = []
  const problems: string[] = []
  for (const beginning of beginnings.split(' · ')) {
    const fitting = titles.has(beginning) ? [beginning] : [...titles].filter((title) => title.startsWith(beginning))
    const [title] = fitting
    if (title === undefined) problems.push(`names a test that ${file} does not have: ${beginning}`)
    else if (fitting.length > 1) problems.push(`names ${fitting.length} tests of ${file} at once: ${beginning}`)
    else if (title !== beginning && beginning.split(' ').length < LEAST_WORDS)
      problems.push(`names a test of ${file} by fewer than ${LEAST_WORDS} words: ${beginning}`)
    else if (!saysSomething(title)) problems.push(`names a test of ${file} whose title says nothing: ${title}`)
    else proofs.push({ file, title })
  }
  return { proofs, problems }
}

const known = new Map<string, { text: string; titles: ReadonlySet<string> }>()

/** Parsed once, however many promises name it. */
function titlesOf(file: string, read: Read): ReadonlySet<string> | null {
  const text = read(file)
  if (text === null) return null
  const before = known.get(file)
  if (before?.text === text) return before.titles
  const titles = titlesIn(text)
  known.set(file, { text, titles })
  return titles
}

/** A title of placeholders alone is shared by every table of its file. */
const saysSomething = (title: string) => /\p{L}{2}/u.test(title.replaceAll(/%\w|\$\w+/g, ''))

const OPENING = `# Conformance

Every promise of the specification and of the decisions, and the test that proves it. \`npm run conformance\` writes this page from
\`test/conformance/promises\`. A test fails when a test named there does not exist or is switched off. A few tests run as root only.
"spec" is the specification of the API that existing storefronts speak. "dec" is a decision where the specification is silent. The
numbers are those of their sections.
`

export const pageOf = (chapters: readonly Chapter[]): string =>
  [
    OPENING,
    ...chapters.map(
      ({ heading, promises }) => `## ${heading}\n\n| Promise | Proof |\n|---|---|\n${promises.map(rowOf).join('\n')}\n`,
    ),
  ].join('\n')

const rowOf = ({ promise, proofs }: Promised) =>
  `| ${promise} | ${proofs.map(({ file, title }) => `\`${file}\` "${title}"`).join('; ')} |`
