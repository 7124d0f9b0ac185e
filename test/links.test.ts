// @unit
// Every relative link in our Markdown leads to a file that exists, and every anchor to one of its headings.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const FOLDERS = ['docs', 'src', 'test', 'web', 'bench', 'examples', 'migrations', 'demo', 'scripts']

/** Code shows links and headings that are none. */
const withoutBlocks = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '')
const textOf = (path: string) => withoutBlocks(readFileSync(join(root, path), 'utf8'))

/** The anchors of a page, as the code host makes them of its headings. */
function anchorsOf(text: string): string[] {
  const counts = new Map<string, number>()
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => {
    const anchor = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-')
    const count = counts.get(anchor) ?? 0
    counts.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  })
}

/** The problem with each broken link of a page, one sentence each. */
function brokenLinks(page: string, text: string): string[] {
  const links = [...text.replaceAll(/`[^`\n]*`/g, '').matchAll(/\]\(([^)\s]+)(?: "[^"]*")?\)/g)]
  return links.flatMap(([, link = '']) => {
    if (/^[a-z]+:/.test(link)) return []
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : join(dirname(page), path)
    if (!existsSync(join(root, target))) return [`${page}: there is no file ${target}.`]
    if (anchor === undefined || statSync(join(root, target)).isDirectory()) return []
    return anchorsOf(target === page ? text : textOf(target)).includes(anchor)
      ? []
      : [`${page}: ${target} has no heading for #${anchor}.`]
  })
}

const pages = [
  ...readdirSync(root),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  ),
].filter((path) => path.endsWith('.md') && !path.includes('node_modules'))

it('links lead to files and headings that exist', () => {
  expect(pages).toContain('README.md')
  expect(pages).toContain(join('docs', 'decisions', 'README.md'))
  expect(pages.flatMap((page) => brokenLinks(page, textOf(page)))).toEqual([])
})

it.each([
  ['a file that is not there', '[it](nowhere.md)', 'README.md: there is no file nowhere.md.'],
  ['a heading that is not there', '## Here\n[it](#there)', 'README.md: README.md has no heading for #there.'],
  ['a picture that is not there', '![it](docs/pictures/no.webp)', 'README.md: there is no file docs/pictures/no.webp.'],
])('reports a link to %s', (_, text, problem) => {
  expect(brokenLinks('README.md', text)).toEqual([problem])
})

it('accepts links to headings, folders and other sites', () => {
  const text =
    '## "Refund" & `cancel`\n[it](#refund--cancel) [folder](docs) [site](https://example.com/no.md) `[code](no.md)`'
  expect(brokenLinks('README.md', text)).toEqual([])
})
