// @unit
// docs/events.md: the page that receivers look events up in, made of the catalogue and the schemas.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { slices } from '../../src/app.ts'
import { eventsPage } from '../../src/events/reference.ts'

const kinds = slices.flatMap((slice) => slice.kinds)

describe('docs/events.md', () => {
  const page = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8')

  it('is what the catalogue and the schemas say', () => {
    expect(page === eventsPage(kinds), 'docs/events.md is out of date: run `npm run events` and commit it').toBe(true)
  })
})
