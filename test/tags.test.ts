// @unit
// The tags of the test files decide where each of them runs. A file that ran nowhere would prove nothing.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isInPart, projectOf, tagsOf, testFiles } from './support/tags.ts'

const files = testFiles(`${import.meta.dirname}/..`)
const tagged = (...tags: string[]) => files.filter((file) => tags.some((tag) => (file.tags as string[]).includes(tag)))

describe('the tags of test files', () => {
  it('put every file into npm test, into npm run proof, or into both', () => {
    expect(files.length).toBeGreaterThan(300)
    expect(files.filter((file) => !isInPart(file, 'test') && !isInPart(file, 'proof'))).toEqual([])
    expect(tagged('sampled').filter((file) => !isInPart(file, 'test') || !isInPart(file, 'proof'))).toEqual([])
  })

  it('exclude each other where they say opposite things', () => {
    const opposites = [
      ['proof', 'sampled'],
      ['unit', 'alone'],
      ['unit', 'source'],
      ['alone', 'source'],
    ]
    const both = files.filter(({ tags }) => opposites.some((pair) => pair.every((tag) => tags.includes(tag as never))))
    expect(both.map(({ path }) => path)).toEqual([])
  })

  it('give a reason where a file costs more than others, or is left out of npm test', () => {
    const withoutReason = tagged('alone', 'source', 'proof', 'sampled').filter(
      ({ path }) => !/^\/\/ @[a-z @]+: \S/.test(readFileSync(path, 'utf8')),
    )
    expect(withoutReason.map(({ path }) => path)).toEqual([])
  })

  it('are read up to the colon, and unknown ones are refused', () => {
    expect(tagsOf('// @proof @alone: it kills @unit tests.', 'a.test.ts')).toEqual(['proof', 'alone'])
    expect(tagsOf('// Writes to an @alone address.', 'a.test.ts')).toEqual([])
    expect(() => tagsOf('// @prof', 'a.test.ts')).toThrow('a.test.ts: @prof is no tag. Tags are @unit,')
    expect(projectOf({ path: 'a.test.ts', tags: ['proof', 'alone'] })).toBe('alone')
  })
})
