// The real registry: exactly the published versions, and one file for each change it lists.

import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { compileVersions } from '../../src/versions/apply.ts'
import type { Change } from '../../src/versions/change.ts'
import { HEAD, versions } from '../../src/versions/index.ts'
import { isMeantAsChangeFile, registrationProblems } from './registration.ts'

const folder = new URL('../../src/versions/', import.meta.url)

async function loadChangeFiles() {
  const names = (await readdir(folder)).filter(isMeantAsChangeFile)
  return Promise.all(
    names.map(async (name) => {
      const file: { default: Change } = await import(new URL(name, folder).href)
      return { name, change: file.default }
    }),
  )
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

  it('lists every change file of the folder once, under the date in its name', async () => {
    expect(registrationProblems(await loadChangeFiles(), versions)).toEqual([])
  })
})

describe('the check of change files', () => {
  const change: Change = { summary: 'A change.' }
  const other: Change = { summary: 'Another change.' }
  const listing = (newer: readonly Change[], older: readonly Change[]) => [
    { date: '2022-02-02', changes: newer },
    { date: '2022-01-01', changes: older },
  ]
  const file = { name: '2022-02-02-rename-a-field.ts', change }

  it('accepts a file that is listed once under its date', () => {
    expect(registrationProblems([file], listing([change], []))).toEqual([])
  })

  it('finds a file that is not listed', () => {
    expect(registrationProblems([file], listing([], []))).toEqual([
      '2022-02-02-rename-a-field.ts: import it in src/versions/index.ts and list it under its date',
    ])
  })

  it('finds a file that is listed under another date', () => {
    expect(registrationProblems([file], listing([], [change]))).toEqual([
      '2022-02-02-rename-a-field.ts: it is listed under 2022-01-01',
    ])
  })

  it('finds a file that is listed twice', () => {
    expect(registrationProblems([file], listing([change], [change]))).toEqual([
      '2022-02-02-rename-a-field.ts: list it once, not under 2022-02-02 and 2022-01-01',
    ])
  })

  it('finds a change without a file', () => {
    expect(registrationProblems([file], listing([change, other], []))).toEqual([
      '2022-02-02 lists a change without a file of its own: Another change.',
    ])
  })

  it('finds a name that says nothing', () => {
    expect(registrationProblems([{ name: '2022-02-02.ts', change }], listing([change], []))).toEqual([
      '2022-02-02.ts: name it <date>-<what-changed>.ts',
      '2022-02-02.ts: it is listed under 2022-02-02',
    ])
  })

  it('takes a file whose name begins with a digit for a change file, and no other', () => {
    const names = ['index.ts', 'change.ts', 'README.md', '2022-02-02-rename-a-field.ts', '202-02-02-typo.ts']
    expect(names.filter(isMeantAsChangeFile)).toEqual(['2022-02-02-rename-a-field.ts', '202-02-02-typo.ts'])
  })
})
