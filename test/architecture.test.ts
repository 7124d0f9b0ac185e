// @source
// Keeps the shape of src as ARCHITECTURE.md describes it. test/architecture/ holds the rules and shows that each can fail.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadModule } from 'libpg-query'
import { describe, expect, it, vi } from 'vitest'
import { slices } from '../src/api/index.ts'
import { declaredStatements } from './architecture/declared.ts'
import { endpointProblems } from './architecture/endpoints.ts'
import {
  importCycles,
  importsAgainstTheOrder,
  importsWithinTheApi,
  packagesOutOfPlace,
} from './architecture/imports.ts'
import {
  barrels,
  filesTooLong,
  foldersTooFull,
  idleExceptions,
  namesThatSayNothing,
  storesByOtherNames,
  treeOfCrumbs,
} from './architecture/layout-rules.ts'
import { readSource } from './architecture/source.ts'
import { tableProblems } from './architecture/tables.ts'
import {
  datesOutOfPlace,
  filesWithoutOpening,
  forbiddenText,
  impurePricing,
  numberedParameters,
  resourcesInHttp,
  sdkHeadersOutOfPlace,
  sqlOutOfPlace,
  statementNamesToMend,
  transactionsOutOfPlace,
} from './architecture/text-rules.ts'

vi.mock('../src/db/db.ts', async (original) => (await import('./architecture/declared.ts')).recording(await original()))

const files = readSource(join(import.meta.dirname, '../src'))

describe('the source', () => {
  it.each([
    ['has no import cycles', importCycles],
    ['imports one way, from main to lib', importsAgainstTheOrder],
    ['lets a slice know only those to its left', importsWithinTheApi],
    ['keeps pg in db and fastify in http', packagesOutOfPlace],
    ['holds SQL in stores, db and jobs only', sqlOutOfPlace],
    ['calls stores by few names', storesByOtherNames],
    ['names each statement once', statementNamesToMend],
    ['names the parameters of statements', numberedParameters],
    ['opens transactions in rules', transactionsOutOfPlace],
    ['names no resource in http', resourcesInHttp],
    ['mentions dates in versions only', datesOutOfPlace],
    ['names the headers of existing clients in one file', sdkHeadersOutOfPlace],
    ['has no index files but the registries', barrels],
    ['has no full folders', foldersTooFull],
    ['has files worth opening', treeOfCrumbs],
    ['has no long files', filesTooLong],
    ['names files after what they know or do', namesThatSayNothing],
    ['says at the top of each file what it owns', filesWithoutOpening],
    ['has no words that should not be there', forbiddenText],
    ['computes prices in pure functions', impurePricing],
    ['needs every exception that is listed', idleExceptions],
  ])('%s', (_, rule) => {
    expect(rule(files)).toEqual([])
  })

  it('writes each table from one room', { timeout: 240_000 }, async () => {
    await loadModule()
    const declared = await declaredStatements()
    expect(declared.length).toBeGreaterThan(200)
    expect(tableProblems(declared)).toEqual([])
  })

  it('is what ARCHITECTURE.md says: its files and folders exist, and no folder of the API is left out', () => {
    const page = readFileSync(join(import.meta.dirname, '../ARCHITECTURE.md'), 'utf8')
    const named = [...page.matchAll(/`((?:[a-z-]+\/)+[a-z-]+\.ts)`/g)].map(([, path = '']) => path)
    const root = join(import.meta.dirname, '..')
    expect(named.length).toBeGreaterThan(30)
    expect(named.filter((path) => !existsSync(join(root, /^(?:test|web)\//.test(path) ? '' : 'src', path)))).toEqual([])
    const folders = readdirSync(join(root, 'src/api'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
    const map = page.slice(page.indexOf('## The map'), page.indexOf('Imports point one way'))
    expect(folders.map(({ name }) => name).filter((name) => !new RegExp(`[ /]${name}(?![a-z-])`).test(map))).toEqual([])
  })

  it('was read', () => {
    expect(files.map(({ path }) => path)).toContain('api/index.ts')
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(files.length)
  })
})

describe('the endpoints', () => {
  it('have an operation, an address, a kind and tests', () => {
    const endpoints = slices.flatMap((slice) => slice.endpoints)
    const kinds = slices.flatMap((slice) => slice.kinds.map(({ $id }) => $id))
    expect(endpoints.length).toBeGreaterThan(0)
    expect(endpointProblems(endpoints, kinds, hasTests)).toEqual([])
  })
})

function hasTests(resource: string): boolean {
  const folder = join(import.meta.dirname, 'api', resource)
  return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.test.ts'))
}
