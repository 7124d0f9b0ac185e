// @unit
// docs/versions.md and the output of `cartwright merchant version`, both generated from the change files' sentences.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newsBetween, versionsPage } from '../../src/versions/changelog.ts'
import { versions } from '../../src/versions/index.ts'

describe('docs/versions.md', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/versions.md'), 'utf8')

  it('is what the change files say; `npm run versions` writes it', () => {
    expect(page).toBe(versionsPage(versions))
  })

  it('has a heading for each version, and every change with its sentence under that of its date', () => {
    for (const { date, changes } of versions) {
      const part = page.split(`## ${date}\n`)[1]?.split('\n## ')[0]
      expect(part, date).toBeDefined()
      for (const { summary } of changes) expect(part).toContain(`- ${summary}`)
      expect(part?.match(/^- /gm)?.length ?? 0).toBe(changes.length)
    }
  })

  it('says each change as one sentence that ends', () => {
    for (const { summary } of versions.flatMap(({ changes }) => changes)) expect(summary).toMatch(/^[A-Z`].+\.$/)
  })
})

describe('the news between two versions', () => {
  const registered = [
    { date: '2022-01-01', changes: [{ summary: 'D.' }] },
    { date: '2021-01-01', changes: [] },
    { date: '2020-06-01', changes: [{ summary: 'B.' }, { summary: 'C.' }] },
    { date: '2020-01-01', changes: [] },
  ]

  it('are those of all versions above the older, up to the newer, oldest first', () => {
    expect(newsBetween(registered, '2020-01-01', '2022-01-01')).toEqual([
      { date: '2020-06-01', summaries: ['B.', 'C.'] },
      { date: '2022-01-01', summaries: ['D.'] },
    ])
    expect(newsBetween(registered, '2020-06-01', '2021-01-01')).toEqual([])
    expect(newsBetween(registered, '2022-01-01', '2022-01-01')).toEqual([])
  })
})
