// Tags on the first line of a test file say where and how it runs: `// @proof @alone: it kills the server.`

import { closeSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'

const TAGS = ['unit', 'alone', 'source', 'proof', 'sampled'] as const
type Tag = (typeof TAGS)[number]

export type TestFile = { path: string; tags: readonly Tag[] }

/** Returns all test files below `test/`, with paths from the root. */
export function testFiles(root: string): TestFile[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join('test', path))
    .sort()
    .map((path) => ({ path, tags: tagsOf(firstLineOf(join(root, path)), path) }))
}

/** Tags come before the first colon; a reason follows it. */
export function tagsOf(line: string, path: string): Tag[] {
  const [, words] = /^\/\/ (@[^:]*)/.exec(line) ?? []
  return (words ?? '')
    .split(' ')
    .filter((word) => word.startsWith('@'))
    .map((word) => {
      const tag = TAGS.find((known) => word === `@${known}`)
      if (tag === undefined) throw new Error(`${path}: ${word} is no tag. Tags are @${TAGS.join(', @')}.`)
      return tag
    })
}

/** Reads only the start: there are hundreds of files, and some are long. */
function firstLineOf(file: string): string {
  const start = Buffer.alloc(200)
  const handle = openSync(file, 'r')
  try {
    return start.toString('utf8', 0, readSync(handle, start)).split('\n', 1)[0] ?? ''
  } finally {
    closeSync(handle)
  }
}

/** `npm test` runs `test`, `npm run proof` runs `proof`, and `npm run check` runs `unit`. Without a part, all files run. */
export type Part = 'test' | 'proof' | 'unit' | undefined

export function isInPart({ tags }: TestFile, part: Part): boolean {
  if (part === 'unit') return tags.includes('unit') && !tags.includes('proof')
  if (part === 'proof') return tags.includes('proof') || tags.includes('sampled')
  return part === undefined || !tags.includes('proof')
}

/** Returns the project of vitest.config.ts that runs the file. */
export function projectOf({ tags }: TestFile): 'unit' | 'shared' | 'alone' | 'source' {
  if (tags.includes('source')) return 'source'
  if (tags.includes('alone')) return 'alone'
  return tags.includes('unit') ? 'unit' : 'shared'
}
