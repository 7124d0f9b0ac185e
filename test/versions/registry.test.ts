// @source: it finds the files of the changes by itself.
// The real registry: exactly the published versions, and a file for each date that brought a change.

import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { compileVersions } from '../../src/versions/apply.ts'
import type { Change } from '../../src/versions/change.ts'
import { HEAD, versions } from '../../src/versions/index.ts'
import { isChangeFileName, registrationProblems } from './registration.ts'

const folder = new URL('../../src/versions/changes/', import.meta.url)

/** Everything that a file there exports is a change. */
async function loadChanges() {
  const files = await Promise.all(
    (await readdir(folder)).map(async (file) => {
      const exported: Record<string, Change> = await import(new URL(file, folder).href)
      return Object.entries(exported).map(([name, change]) => ({ file, name, change }))
    }),
  )
  return files.flat()
}

describe('the registry', () => {
  it('lists the 25 published versions and the initial one, newest first', () => {
    expect(versions.map((version) => version.date)).toEqual([
      '2022-07-21',
      '2021-10-06',
      '2021-09-29',
      '2021-09-22',
      '2021-07-28',
      '2021-07-21',
      '2021-07-14',
      '2021-06-23',
      '2021-06-09',
      '2021-06-02',
      '2021-05-19',
      '2021-05-05',
      '2021-04-28',
      '2021-04-13',
      '2021-03-31',
      '2021-03-17',
      '2021-03-10',
      '2021-03-03',
      '2020-11-18',
      '2020-09-23',
      '2020-08-26',
      '2020-08-12',
      '2020-07-29',
      '2020-07-01',
      '2020-06-17',
      '2020-02-01',
    ])
  })

  it('has its newest version as HEAD', () => {
    const changes = versions.flatMap((version) => version.changes)
    const named = (part: 'kinds' | 'operations') => changes.flatMap((change) => Object.keys(change[part] ?? {}))
    const compiled = compileVersions({
      versions,
      operations: [...new Set(named('operations'))].map((operation) => ({ operation, returns: null })),
      kinds: Object.fromEntries(named('kinds').map((kind) => [kind, {}])),
    })
    expect(compiled.head).toBe(HEAD)
    expect(compiled.dates).toEqual(versions.map((version) => version.date))
  })

  it("lists every change of the folder once, under the date in its file's name", async () => {
    const changes = await loadChanges()
    expect(changes.length).toBeGreaterThan(0)
    expect(registrationProblems(changes, versions)).toEqual([])
  })
})

describe('the check of change files', () => {
  const change: Change = { summary: 'A change.' }
  const other: Change = { summary: 'Another change.' }
  const listing = (newer: readonly Change[], older: readonly Change[]) => [
    { date: '2022-02-02', changes: newer },
    { date: '2022-01-01', changes: older },
  ]
  const written = { file: '2022-02-02.ts', name: 'renameAField', change }

  it('accepts a change that is listed once under its date', () => {
    expect(registrationProblems([written], listing([change], []))).toEqual([])
  })

  it('finds a change that is not listed', () => {
    expect(registrationProblems([written], listing([], []))).toEqual([
      '2022-02-02.ts, renameAField: import it in src/versions/index.ts and list it under its date',
    ])
  })

  it('finds a change that is listed under another date', () => {
    expect(registrationProblems([written], listing([], [change]))).toEqual([
      '2022-02-02.ts, renameAField: it is listed under 2022-01-01',
    ])
  })

  it('finds a change that is listed twice', () => {
    expect(registrationProblems([written], listing([change], [change]))).toEqual([
      '2022-02-02.ts, renameAField: list it once, not under 2022-02-02 and 2022-01-01',
    ])
  })

  it('finds a change that no file exports', () => {
    expect(registrationProblems([written], listing([change, other], []))).toEqual([
      '2022-02-02 lists a change that no file of its own exports: Another change.',
    ])
  })

  it('finds a file that is not named by a date', () => {
    expect(registrationProblems([{ ...written, file: 'rename-a-field.ts' }], listing([change], []))).toEqual([
      'rename-a-field.ts: name it <date>.ts, after the version that brought its changes',
      'rename-a-field.ts, renameAField: it is listed under 2022-02-02',
    ])
  })

  it('takes a date alone for the name of such a file', () => {
    const names = ['index.ts', 'README.md', '2022-02-02.ts', '202-02-02.ts', '2022-02-02-rename-a-field.ts']
    expect(names.filter(isChangeFileName)).toEqual(['2022-02-02.ts'])
  })
})
