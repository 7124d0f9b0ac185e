// @unit
// Each architecture rule finds its violation in small made-up sources. architecture.test.ts shows with the real source that good code
// passes.

import { loadModule } from 'libpg-query'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Described, endpointProblems } from './endpoints.ts'
import { importCycles, importsAgainstTheOrder, importsWithinTheApi, packagesOutOfPlace } from './imports.ts'
import {
  barrels,
  filesTooLong,
  foldersTooFull,
  idleExceptions,
  namesThatSayNothing,
  storesByOtherNames,
  treeOfCrumbs,
} from './layout-rules.ts'
import { type SourceFile, sourceFile, statementNames } from './source.ts'
import { type Declared, tableProblems } from './tables.ts'
import {
  datesOutOfPlace,
  filesWithoutOpening,
  forbiddenText,
  impurePricing,
  numberedParameters,
  resourcesInHttp,
  sdkHeadersOutOfPlace,
  secondSpellingOfScope,
  sqlOutOfPlace,
  statementNamesToMend,
  storesWithoutScope,
  transactionsOutOfPlace,
} from './text-rules.ts'
import {
  exportedTwice,
  parsedSentences,
  screensInCircles,
  shapesTypedByHand,
  webImportsAgainstTheOrder,
} from './web.ts'

type Rule = (files: readonly SourceFile[]) => string[]
type Tree = Record<string, string>

const filesOf = (tree: Tree) => Object.entries(tree).map(([path, text]) => sourceFile(path, text))
const many = (count: number, folder: string, text = ''): Tree =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}a${index}.ts`, text]))
const lines = (count: number) => '\n'.repeat(count)
/** A file that imports another file. */
const from = (path: string, specifier: string): Tree => ({ [path]: `import { x } from '${specifier}'` })

describe('imports', () => {
  it.each([
    ["import type { A } from '../a.ts'", { target: 'api/a.ts', isType: true }],
    ["import {\n  type A,\n  type B,\n} from '../a.ts'", { target: 'api/a.ts', isType: true }],
    ["import a, { type B } from '../a.ts'", { target: 'api/a.ts', isType: false }],
    ["import './a.ts'", { target: 'api/x/a.ts', isType: false }],
    ["export * from './a.ts'", { target: 'api/x/a.ts', isType: false }],
    ["const a = await import('./a.ts')", { target: 'api/x/a.ts', isType: false }],
    ["import pg from 'pg'", { target: null, isType: false }],
  ])('are read: %s', (text, expected) => {
    expect(sourceFile('api/x/y.ts', text).imports).toEqual([expect.objectContaining(expected)])
  })
})

it('statement names are read, however the call is broken into lines', () => {
  const code = "statement('a.b', x) statement<{ a: 1 }>(\n  'a.c',\n  x) statement(name, x) const statement = 1"
  expect(statementNames({ path: 'db/a.ts', code })).toEqual(['a.b', 'a.c', null])
})

it('statement names are read where a store calls functions of db/record-store.ts, and not in that file', () => {
  const code = "findRecord<A, Scope>('a.find', x) deleteRecord(\n  'a.delete', x) listRecords<A>(name, x)"
  expect(statementNames({ path: 'api/a/store.ts', code })).toEqual(['a.find', 'a.delete', null])
  expect(statementNames({ path: 'db/record-store.ts', code })).toEqual([])
})

describe('a rule finds', () => {
  it.each<[string, Rule, Tree, string]>([
    [
      'a cycle behind a chain, of types too',
      importCycles,
      {
        ...from('lib/a.ts', './b.ts'),
        ...from('lib/b.ts', './c.ts'),
        'lib/c.ts': "import type { B } from './b.ts'",
      },
      'lib/b.ts → lib/c.ts → lib/b.ts',
    ],
    ['lib that knows db', importsAgainstTheOrder, from('lib/a.ts', '../db/db.ts'), 'nothing of ours'],
    ['http that knows a slice', importsAgainstTheOrder, from('http/a.ts', '../api/carts/cart.ts'), 'http may'],
    ['compat that calls a rule', importsAgainstTheOrder, from('compat/a.ts', '../api/a/b.ts'), 'types alone of api'],
    ['a slice that knows the registry', importsAgainstTheOrder, from('api/carts/a.ts', '../index.ts'), 'api may'],
    ['a new module', importsAgainstTheOrder, { 'plugins/a.ts': '' }, 'src/plugins has no place'],
    ['a slice to its right', importsWithinTheApi, from('api/products/a.ts', '../carts/a.ts'), 'before carts'],
    ['a new slice', importsWithinTheApi, { 'api/refunds/a.ts': '' }, 'api/refunds has no place'],
    ['the server', importsWithinTheApi, from('api/carts/a.ts', '../../http/server/a.ts'), 'describe an endpoint'],
    ['a view in a store', importsWithinTheApi, from('api/carts/list-store.ts', './line-view.ts'), 'gives rows'],
    ['a store that prices', importsWithinTheApi, from('api/carts/store.ts', '../../pricing/a.ts'), 'gives rows'],
    ['a view that reads', importsWithinTheApi, from('api/carts/view.ts', '../../db/db.ts'), 'pure function'],
    ['pricing that knows the clock', importsWithinTheApi, from('pricing/a.ts', '../lib/clock.ts'), 'lib/money'],
    ['pg outside db', packagesOutOfPlace, { 'jobs/a.ts': "import type pg from 'pg'" }, 'db/db.ts'],
    ['fastify made in app', packagesOutOfPlace, { 'app.ts': "import fastify from 'fastify'" }, 'http/'],
    ['a fastify plugin in a slice', packagesOutOfPlace, from('api/carts/a.ts', '@fastify/swagger'), 'http/'],
    ['a statement in routes', sqlOutOfPlace, { 'api/carts/routes.ts': "statement<Row>('a.b', x)" }, 'store.ts'],
    ['a record store in rules', sqlOutOfPlace, { 'api/tax/zone.ts': 'recordStore<Row>()' }, 'store.ts'],
    ['a read in rules', sqlOutOfPlace, { 'api/tax/zone.ts': "findRecord<Row>('a.b', x)" }, 'store.ts'],
    ['a fragment', sqlOutOfPlace, { 'limits/a.ts': '`a as (\n  insert into b values (1)\n)`' }, 'store.ts'],
    ['SQL in rules', sqlOutOfPlace, { 'api/carts/cart.ts': '`\n  select a\n  from b where c`' }, 'store.ts'],
    ['a number for a parameter', numberedParameters, { 'api/carts/store.ts': "'where id = $12'" }, 'not $12'],
    ['another name of a store', storesByOtherNames, { 'api/carts/choice-store.ts': '' }, 'store, read-store'],
    ['another spelling of a scope', secondSpellingOfScope, { 'api/a.ts': 'const isSandbox = 1' }, 'as rows do'],
    [
      'a store that takes a number',
      storesWithoutScope,
      { 'api/store.ts': '(db: Db, merchant_id: number)' },
      'the scope',
    ],
    ['a transaction', transactionsOutOfPlace, { 'api/a/b-routes.ts': 'db.transaction(f)' }, 'the rule it calls'],
    ['an operation in http', resourcesInHttp, { 'http/a.ts': "=== 'carts.add_item'" }, 'names carts'],
    ['a resource in http', resourcesInHttp, { 'http/a.ts': "notFound('gift_card')" }, 'names gift_card'],
    ['an address in http', resourcesInHttp, { 'http/a.ts': "get('/v1/products/:id')" }, 'names /v1/products'],
    ['15 files in a folder', foldersTooFull, many(15, 'api/carts/'), 'api/carts has 15 files'],
    ['short files on the whole', treeOfCrumbs, many(10, 'lib/', lines(104)), '104 lines a file'],
    ['crumbs', treeOfCrumbs, { ...many(26, 'lib/'), ...many(100, 'db/', lines(200)) }, '26 files of fewer'],
    ['a name used twice', statementNamesToMend, many(2, 'db/', "statement('a.b', x)"), 'another statement'],
    ['a computed name', statementNamesToMend, { 'db/a.ts': 'statement(name, x)' }, 'write the name'],
    ['a computed name of a read', statementNamesToMend, { 'db/a.ts': 'findRecord(name, x)' }, 'write the name'],
    ['a name of the tests', statementNamesToMend, { 'db/a.ts': "statement('test.a', x)" }, "the tests' own"],
    ['a name without a resource', statementNamesToMend, { 'db/a.ts': "statement('find', x)" }, 'attributes.find'],
    ['a date in a slice', datesOutOfPlace, { 'api/carts/a.ts': '// since 2021-03-31' }, 'mentions 2021-03-31'],
    ['a header of the SDK', sdkHeadersOutOfPlace, { 'http/a.ts': "'X-Chec-Agent'" }, 'compat/sdk.ts alone'],
    ['a barrel', barrels, { 'api/carts/index.ts': '' }, 'from the files themselves'],
    ['351 lines', filesTooLong, { 'api/carts/cart.ts': lines(351) }, '351 lines'],
    ['a helper of something', namesThatSayNothing, { 'api/carts/cart-helper.ts': '' }, 'noun or verb'],
    ['a layer in a slice', namesThatSayNothing, { 'api/carts/types.ts': '' }, 'routes, schema, store and view'],
    ['a folder in a slice', namesThatSayNothing, { 'api/carts/lines/add.ts': '' }, 'the folders in slices are'],
    ['camel case', namesThatSayNothing, { 'api/carts/addItem.ts': '' }, 'hyphens'],
    ['no opening', filesWithoutOpening, { 'lib/a.ts': "import a from 'a'\n// Owns a." }, 'begin with'],
    ['console', forbiddenText, { 'lib/a.ts': "console.log('a')" }, 'uses console'],
    ['the environment', forbiddenText, { 'lib/a.ts': 'process.env.PORT' }, 'config.ts'],
    ['work put off', forbiddenText, { 'lib/a.ts': '// TODO: later' }, 'TODO'],
    ['any', forbiddenText, { 'lib/a.ts': 'x as any' }, 'as any'],
    ['a clock in pricing', impurePricing, { 'pricing/a.ts': 'new Date()' }, 'uses Date'],
  ])('%s', (_, rule, tree, message) => {
    expect(rule(filesOf(tree))).toEqual([expect.stringContaining(message)])
  })

  it('an exception that excuses nothing', () => {
    expect(idleExceptions([])).toContainEqual(expect.stringContaining('versions/changes does not exist'))
    expect(idleExceptions([])).toContainEqual(expect.stringContaining('api/carts/line-store.ts does not exist'))
  })
})

describe('a rule about web finds', () => {
  const [api, part, orders, picture] = [
    'dashboard/api.ts',
    'dashboard/parts/page/a.tsx',
    'dashboard/screens/orders/a.tsx',
    'dashboard/screens/files/a.tsx',
  ]
  const schema = '../../../../src/api/orders/schema.ts'

  it.each<[string, Rule, Tree, string]>([
    ['a part that knows a screen', webImportsAgainstTheOrder, from(part, '../../screens/orders/a.tsx'), 'to its right'],
    ['a value of the server', webImportsAgainstTheOrder, from(orders, schema), 'import types only'],
    ['the dashboard in the checkout', webImportsAgainstTheOrder, from('checkout/a.ts', '../dashboard/api.ts'), 'share'],
    [
      'folders of screens that know each other',
      screensInCircles,
      { ...from(orders, '../files/b.tsx'), ...from(picture, '../orders/b.tsx') },
      'files and of orders import each other',
    ],
    [
      'a name exported twice',
      exportedTwice,
      { [part]: 'export function Row() {}', [orders]: 'export type Row = string' },
      `${orders} exports Row, and so does ${part}`,
    ],
    [
      'a field of the API in a type',
      shapesTypedByHand,
      { [orders]: 'type A = {\n  readonly order_id: string\n}' },
      'order_id',
    ],
    [
      'a field of the API in a parameter',
      shapesTypedByHand,
      { [orders]: 'f({ x }: { order_id: string })' },
      'order_id',
    ],
    ['a body without a name', shapesTypedByHand, { [orders]: "useQuery<{ url: string }>('/v1/a')" }, '{ url: string }'],
    [
      'a body with a name',
      shapesTypedByHand,
      { [orders]: "type Row = {\n  readonly url: string\n}\nuseQuery<ListPage<Row>>('/v1/a')" },
      '(Row)',
    ],
    [
      'a body of another file',
      shapesTypedByHand,
      {
        [api]: 'export type Row = {\n  readonly url: string\n}',
        [orders]: "import { type Row } from '../../api.ts'\nlistScreen<Row>({})",
      },
      '(Row)',
    ],
    [
      'a screen that reads a sentence',
      parsedSentences,
      { [orders]: "problem.message.startsWith('At most')" },
      'look at the status, the code or the field',
    ],
  ])('%s', (_, rule, tree, message) => {
    expect(rule(filesOf(tree))).toEqual([expect.stringContaining(message)])
  })

  it('nothing in what is allowed', () => {
    const tree = {
      ...from(part, '../../api.ts'),
      [orders]: `import type { Order } from '${schema}'\nuseQuery<ListPage<Order>>('/v1/orders')\ncall('PUT', path, { body: { order_id: id } })`,
    }
    const rules = [webImportsAgainstTheOrder, screensInCircles, exportedTwice, shapesTypedByHand, parsedSentences]
    expect(rules.flatMap((rule) => rule(filesOf(tree)))).toEqual([])
  })
})

describe('an endpoint', () => {
  const good: Described = { operation: 'carts.get', path: '/v1/carts/:id', status: 200, returns: { $id: 'cart' } }
  const check = (more: Partial<Described>, ...others: Described[]) =>
    endpointProblems([{ ...good, ...more }, ...others], ['cart'], (resource) => resource === 'carts')

  it.each<[string, Partial<Described>, string]>([
    ['no verb', { operation: 'carts' }, '<resource>.<verb>'],
    ['an address elsewhere', { path: '/v2/carts' as '/v1/' }, 'under /v1'],
    ['an unknown kind', { returns: { $id: 'basket' } }, 'return a kind'],
    ['no schema', { returns: undefined }, 'return a kind'],
    ['a body with 204', { status: 204 }, 'no body'],
    ['no tests', { path: '/v1/baskets/:id' }, 'test/api/baskets/'],
  ])('is refused with %s', (_, more, message) => {
    expect(check(more)).toEqual([expect.stringContaining(message)])
  })

  it('is refused with the operation of another', () => {
    expect(check({}, good)).toEqual([expect.stringContaining('two endpoints')])
  })
})

describe('a table', () => {
  beforeAll(async () => void (await loadModule()))

  const owners = { carts: 'carts', orders: 'orders' }
  const insert: Declared = { name: 'carts.insert', text: 'insert into carts values ($1)', path: 'api/carts/store.ts' }
  const make: Declared = { name: 'orders.make', text: 'insert into orders values (1)', path: 'api/orders/store.ts' }
  const guest = { tables: 'carts', room: 'orders', statements: 'orders.more', reason: 'A reason.' }
  const check = (text: string, guests: readonly (typeof guest)[] = []) =>
    tableProblems([insert, make, { ...make, name: 'orders.more', text }], owners, guests)

  it.each([
    'insert into carts values (1)',
    'update carts set id = 1',
    'merge into carts using orders on true when matched then delete',
    'truncate carts',
    'with gone as (delete from carts where id = $1 returning id) select id from gone',
  ])('is found where another room writes it, unless it is listed: %s', (text) => {
    const problem =
      "api/orders/store.ts: orders.more writes carts, which belongs to carts. Call a function of carts's store"
    expect(check(text)).toEqual([expect.stringContaining(problem)])
    expect(check(text, [guest])).toEqual([])
  })

  it('is found without an owner, and in a list that nothing needs', () => {
    expect(check('insert into baskets values (1)')).toEqual([expect.stringContaining('baskets has no owner')])
    expect(tableProblems([insert], owners, [])).toEqual([expect.stringContaining('orders is written by no statement')])
    expect(check('select 1', [guest])).toEqual([expect.stringContaining('orders.more of orders does not write carts')])
  })
})
