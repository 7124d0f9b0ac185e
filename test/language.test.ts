// @unit
// Limits of the language of src and web. They may only go down; docs/writing.md has the rules behind them.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const files = ['src', 'web']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, String(name))))
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: read(path) }))

const NO_SUBJECT = /^(What|Who|Whoever|Whatever|Of|As|By|Those|That|Such|Thus|Hence|Whether|Whose)\b/
const PARTICIPLE =
  /\bconst (found|known|sent|made|kept|read|shown|held|told|said|given|taken|wanted|asked|left|gone|written|seen|done|met|paid|chosen|named|meant|lost|bound|built|put|set|cut) =/g
const EXPORT = /^export (?:async )?(?:const|function|type|class|interface) (\w+)/gm

/** Each block of comments as one line of text. */
const comments = files.flatMap(({ path, text }) => {
  const blocks = [...text.matchAll(/\/\*\*?([\s\S]*?)\*\//g)].map(([, block = '']) => block.replace(/^\s*\*\s?/gm, ' '))
  const lines = [...text.matchAll(/(?:^[ \t]*\/\/.*\n?)+/gm)].map(([block]) => block.replace(/^[ \t]*\/\/\s?/gm, ''))
  return [...blocks, ...lines]
    .map((comment) => ({ path, text: comment.replace(/\s+/g, ' ').trim() }))
    .filter((comment) => comment.text !== '' && !/^(biome-ignore|@)/.test(comment.text))
})

const inSentences = (text: string) => text.split(/(?<=[.!?;:])\s+/)
const countWords = (text: string) => text.split(/\s+/).length

function sharedExports(): string[] {
  const places = new Map<string, Set<string>>()
  for (const { path, text } of files)
    for (const [, name = ''] of text.matchAll(EXPORT)) places.set(name, (places.get(name) ?? new Set()).add(path))
  return [...places].filter(([, in_]) => in_.size > 1).map(([name, in_]) => `${name}: ${[...in_].join(', ')}`)
}

it.each([
  [
    'comments that open without a subject',
    comments.filter(({ text }) => NO_SUBJECT.test(text)).map(({ path, text }) => `${path}: ${text}`),
    300,
  ],
  [
    'sentences over 25 words',
    comments.flatMap(({ path, text }) =>
      inSentences(text).flatMap((sentence) => (countWords(sentence) > 25 ? `${path}: ${sentence}` : [])),
    ),
    40,
  ],
  ['exported names in several files', sharedExports(), 60],
  [
    'bare participles as names',
    files.flatMap(({ path, text }) => [...text.matchAll(PARTICIPLE)].map(([found]) => `${path}: ${found}`)),
    60,
  ],
])('has few %s', (_, offenders, limit) => {
  expect(offenders.length > limit ? offenders : []).toEqual([])
})

it.each([
  ['README.md', 1_200],
  ['ARCHITECTURE.md', 1_500],
  ['CONTRIBUTING.md', 800],
  ['CHANGELOG.md', 1_000],
])('%s has at most %i words', (path, limit) => {
  expect(countWords(read(path))).toBeLessThanOrEqual(limit)
})
