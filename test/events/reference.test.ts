// @unit
// docs/events.md: the page that receivers look events up in, made of the catalogue and the schemas.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { slices } from '../../src/app.ts'
import { describeEvents, eventsPage } from '../../src/events/reference.ts'

const kinds = slices.flatMap((slice) => slice.kinds)

describe('docs/events.md', () => {
  const page = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8')

  it('is what the catalogue and the schemas say', () => {
    expect(page === eventsPage(kinds), 'docs/events.md is out of date: run `npm run events` and commit it').toBe(true)
  })

  it('shows every field of every payload, and all that its links lead to', () => {
    for (const { kind: name } of describeEvents()) {
      const kind = kinds.find(({ $id }) => $id === name) as { properties?: object } | undefined
      const part = page.split(`\n### ${name}\n`)[1]?.split('\n### ')[0] ?? ''
      const fields = [...part.matchAll(/^\| `(\w+)` \|/gm)].map(([, field]) => field)
      expect(fields, name).toEqual(Object.keys(kind?.properties ?? {}))
      expect(fields.length, name).toBeGreaterThan(0)
    }
    const headings = [...page.matchAll(/^### (\w+)$/gm)].map(([, name]) => name)
    const links = [...page.matchAll(/\(#(\w+)\)/g)].map(([, name]) => name)
    expect([...new Set(links)].sort()).toEqual([...headings].sort())
  })
})
