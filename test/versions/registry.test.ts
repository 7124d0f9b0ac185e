// @source: it finds the files of the changes by itself.
// The real registry contains exactly the published versions, and a file for each date with a change.

import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { ApiChange } from '../../src/versions/change.ts'
import { HEAD, versions } from '../../src/versions/index.ts'

const folder = new URL('../../src/versions/changes/', import.meta.url)

const PUBLISHED = `
  2022-07-21 2021-10-06 2021-09-29 2021-09-22 2021-07-28 2021-07-21 2021-07-14 2021-06-23 2021-06-09 2021-06-02
  2021-05-19 2021-05-05 2021-04-28 2021-04-13 2021-03-31 2021-03-17 2021-03-10 2021-03-03 2020-11-18 2020-09-23
  2020-08-26 2020-08-12 2020-07-29 2020-07-01 2020-06-17 2020-02-01`
  .trim()
  .split(/\s+/)

/** Every export of these files is a change. Returns its date, which is its file name, and its summary. */
async function exportedChanges(): Promise<string[]> {
  const files = await Promise.all(
    (await readdir(folder)).map(async (file) => {
      const changes: Record<string, ApiChange> = await import(new URL(file, folder).href)
      return Object.values(changes).map(({ summary }) => `${file.replace('.ts', '')}: ${summary}`)
    }),
  )
  return files.flat()
}

describe('the registry', () => {
  it('lists the 25 published versions and the initial one, newest first', () => {
    expect(versions.map((version) => version.date)).toEqual(PUBLISHED)
    expect(HEAD).toBe(PUBLISHED[0])
  })

  it("lists every change of the folder once, under the date in its file's name", async () => {
    const listed = versions.flatMap(({ date, changes }) => changes.map(({ summary }) => `${date}: ${summary}`))
    expect(listed.length).toBeGreaterThan(0)
    expect(listed.sort()).toEqual((await exportedChanges()).sort())
  })
})
