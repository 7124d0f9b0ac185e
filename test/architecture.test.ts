// @unit
// Keeps the shape of src as ARCHITECTURE.md describes it, and that of web. test/architecture/ holds the rules and shows that each can fail.

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadModule } from 'libpg-query'
import { describe, expect, it } from 'vitest'
import { apiSlices } from '../src/api/index.ts'
import { declaredStatements } from './architecture/declared.ts'
import { endpointProblems } from './architecture/endpoints.ts'
import {
  importCycles,
  importsAgainstTheOrder,
  importsWithinTheApi,
  packagesOutOfPlace,
  SLICES,
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
  namesToMend,
  numberedParameters,
  resourcesInHttp,
  sdkHeadersOutOfPlace,
  secondSpellingOfScope,
  sqlOutOfPlace,
  statementNamesToMend,
  storesWithoutScope,
  transactionsOutOfPlace,
} from './architecture/text-rules.ts'
import {
  exportedTwice,
  parsedSentences,
  SHARED_WITH_SRC,
  screensInCircles,
  shapesTypedByHand,
  webImportsAgainstTheOrder,
} from './architecture/web.ts'

const root = join(import.meta.dirname, '..')
const files = readSource(join(root, 'src'))
const webFiles = readSource(join(root, 'web'))
const { limitsOf }: { limitsOf: (operation: string) => object } = await import(
  new URL('../scripts/field-limits.js', import.meta.url).href
)
const pageOf = (name: string) => readFileSync(join(root, name), 'utf8')

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
    ['spells the scope one way', secondSpellingOfScope],
    ['gives stores the scope', storesWithoutScope],
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

  it('declares each statement under a name of its own, those of record stores too', { timeout: 240_000 }, async () => {
    const declared = await declaredStatements()
    expect(namesToMend(declared)).toEqual([])
    const built = declared.filter(({ isBuilt }) => isBuilt)
    expect(built).toContainEqual(expect.objectContaining({ name: 'tax.find_zone', path: 'api/tax/store.ts' }))
    expect(built).toContainEqual(expect.objectContaining({ name: 'discounts.find', path: 'api/discounts/store.ts' }))
    expect(declared).toContainEqual(expect.objectContaining({ name: 'discounts.insert', isBuilt: false }))
  })

  it.each(['ARCHITECTURE.md', 'docs/walks.md'])('has every path that %s names', (name) => {
    const paths = [...pageOf(name).matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)].map(([, path = '']) => path)
    expect(paths.length).toBeGreaterThan(30)
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([])
  })

  it('is on the map of ARCHITECTURE.md, each folder and each slice on a line', () => {
    const [, map = ''] = pageOf('ARCHITECTURE.md').split(/^## /m)
    const folders = ['src', 'src/api'].flatMap((folder) =>
      readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => `${folder}/${entry.name}/`),
    )
    const lines = [...map.matchAll(/^- (`.*?`): ./gm)].map(([line]) => line)
    expect(folders.filter((folder) => !lines.some((line) => line.includes(`\`${folder}\``)))).toEqual([])
    const slices = [...map.matchAll(/`src\/api\/([\w-]+)\/`/g)].map(([, slice]) => slice)
    expect(slices).toEqual(SLICES)
  })

  it('has a glossary of at most 25 words', () => {
    const [, glossary = ''] = /^## Glossary\n([\s\S]*?)^## /m.exec(pageOf('ARCHITECTURE.md')) ?? []
    const rows = glossary.match(/^\| (?!Concept|-).*$/gm) ?? []
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.length).toBeLessThanOrEqual(25)
  })

  it('was read', () => {
    expect(files.map(({ path }) => path)).toContain('api/index.ts')
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(files.length)
  })
})

describe('the code for browsers', () => {
  it.each([
    ['has no import cycles', importCycles],
    ['imports one way, from main to icons', webImportsAgainstTheOrder],
    ['has no two folders of screens that import each other', screensInCircles],
    ['has no full folders', foldersTooFull],
    ['has no long files', filesTooLong],
    ['says at the top of each file what it owns', filesWithoutOpening],
    ['has no words that should not be there', forbiddenText],
    ['exports each name once', exportedTwice],
    ['types no body of the API by hand', shapesTypedByHand],
    ['reads no sentences of the API', parsedSentences],
  ])('%s', (_, rule) => {
    expect(rule(webFiles)).toEqual([])
  })

  it('runs only modules of src that import nothing', () => {
    const shared = SHARED_WITH_SRC.map((path) => files.find((file) => `../src/${file.path}` === path)?.imports)
    expect(shared).toEqual(SHARED_WITH_SRC.map(() => []))
  })

  it('takes the limits of fields from operations that have some', () => {
    const operations = webFiles.flatMap(({ imports }) =>
      imports.flatMap(({ specifier }) => specifier.match(/^limits:(.*)/)?.[1] ?? []),
    )
    expect(operations.length).toBeGreaterThan(5)
    expect(operations.filter((operation) => Object.keys(limitsOf(operation)).length === 0)).toEqual([])
  })

  it('was read', () => {
    expect(webFiles.map(({ path }) => path)).toContain('dashboard/screens/orders/list.tsx')
    expect(webFiles.flatMap(({ imports }) => imports).length).toBeGreaterThan(webFiles.length)
  })
})

describe('the endpoints', () => {
  it('have an operation, an address, a kind and tests', () => {
    const endpoints = apiSlices.flatMap((slice) => slice.endpoints)
    const kinds = apiSlices.flatMap((slice) => slice.kinds.map(({ $id }) => $id))
    expect(endpoints.length).toBeGreaterThan(0)
    expect(endpointProblems(endpoints, kinds, hasTests)).toEqual([])
  })
})

function hasTests(resource: string): boolean {
  const folder = join(import.meta.dirname, 'api', resource)
  return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith('.test.ts'))
}
