// @alone
// Each architecture rule on small made-up sources: it finds what it is there to find, and nothing else.

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
import { roomOf, type SourceFile, sourceFile, statementNames } from './source.ts'
import { type Declared, type Guest, tableProblems } from './tables.ts'
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
} from './text-rules.ts'

type Rule = (files: readonly SourceFile[]) => string[]
type Tree = Record<string, string>

const files = (tree: Tree) => Object.entries(tree).map(([path, text]) => sourceFile(path, text))
const many = (count: number, folder: string, text = ''): Tree =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${folder}a${index}.ts`, text]))
const lines = (count: number) => '\n'.repeat(count)
const importing = (specifier: string) => `import { x } from '${specifier}'`

describe('imports', () => {
  it.each([
    ["import { a } from './a.ts'", { target: 'api/x/a.ts', isType: false }],
    ["import type { A } from '../a.ts'", { target: 'api/a.ts', isType: true }],
    ["import { type A, type B } from '../a.ts'", { target: 'api/a.ts', isType: true }],
    ["import { type A, b } from '../a.ts'", { target: 'api/a.ts', isType: false }],
    ["import {\n  type A,\n  type B,\n} from '../a.ts'", { target: 'api/a.ts', isType: true }],
    ["import a, { type B } from '../a.ts'", { target: 'api/a.ts', isType: false }],
    ["import * as a from '../../lib/a.ts'", { target: 'lib/a.ts', isType: false }],
    ["import './a.ts'", { target: 'api/x/a.ts', isType: false }],
    ["export type { A } from './a.ts'", { target: 'api/x/a.ts', isType: true }],
    ["export * from './a.ts'", { target: 'api/x/a.ts', isType: false }],
    ["const a = await import('./a.ts')", { target: 'api/x/a.ts', isType: false }],
    ["type A = import('./a.ts').A", { target: 'api/x/a.ts', isType: false }],
    ["import pg from 'pg'", { target: null, isType: false }],
  ])('are read: %s', (text, expected) => {
    expect(sourceFile('api/x/y.ts', text).imports).toEqual([expect.objectContaining(expected)])
  })

  it.each(["// import { a } from './a.ts'", "const a = 'b'", "export const from = 'a'"])(
    'are not seen in: %s',
    (text) => {
      expect(sourceFile('api/x/y.ts', text).imports).toEqual([])
    },
  )
})

describe('statement names', () => {
  it('are read, however the call is broken into lines', () => {
    const code = "statement('a.b', x) statement<{ a: 1 }>(\n  'a.c',\n  x) statement(name, x) const statement = 1"
    expect(statementNames({ code })).toEqual(['a.b', 'a.c', null])
  })
})

describe('a rule passes', () => {
  it.each<[string, Rule, Tree]>([
    [
      'a chain of imports',
      importCycles,
      { 'lib/a.ts': importing('./b.ts'), 'lib/b.ts': importing('./c.ts'), 'lib/c.ts': '' },
    ],
    [
      'two ways to the same file',
      importCycles,
      {
        'lib/a.ts': `${importing('./b.ts')}\n${importing('./c.ts')}`,
        'lib/b.ts': importing('./c.ts'),
        'lib/c.ts': '',
      },
    ],
    ['main to cli', importsAgainstTheOrder, { 'main.ts': importing('./cli/start.ts') }],
    [
      'a slice to http',
      importsAgainstTheOrder,
      { 'api/carts/routes.ts': importing('../../http/endpoint/endpoint.ts') },
    ],
    [
      'a type of a gateway in http',
      importsAgainstTheOrder,
      {
        'http/endpoint/endpoint.ts': "import type { Gateway } from '../../gateways/gateway.ts'",
      },
    ],
    ['events of a slice', importsAgainstTheOrder, { 'api/carts/cart.ts': importing('../../events/emit.ts') }],
    ['what app hands the server', importsAgainstTheOrder, { 'app.ts': importing('./compat/sdk.ts') }],
    [
      'a type of a body in compat',
      importsAgainstTheOrder,
      { 'compat/product-body.ts': "import type { Body } from '../api/products/schema.ts'" },
    ],
    ['an endpoint of a slice', importsWithinTheApi, { 'api/carts/a.ts': importing('../../http/endpoint/endpoint.ts') }],
    ['lines before carts', importsWithinTheApi, { 'api/carts/cart.ts': importing('../lines/line.ts') }],
    ['a slice to its left', importsWithinTheApi, { 'api/carts/cart.ts': importing('../products/store.ts') }],
    ['pricing with money', importsWithinTheApi, { 'pricing/tax.ts': importing('../lib/money.ts') }],
    ['pg in db', packagesOutOfPlace, { 'db/pool.ts': "import pg from 'pg'" }],
    [
      'fastify in http and its types in app',
      packagesOutOfPlace,
      {
        'http/server.ts': "import fastify from 'fastify'",
        'app.ts': "import type { FastifyInstance } from 'fastify'",
      },
    ],
    ['SQL in a store', sqlOutOfPlace, { 'api/carts/store.ts': "statement('carts.find', 'select 1')" }],
    ['SQL in a store of a module', sqlOutOfPlace, { 'mail/outbox-store.ts': "'insert into mails values (1)'" }],
    ['SQL of the queue', sqlOutOfPlace, { 'jobs/queue.ts': "statement('jobs.claim', 'select 1')" }],
    [
      'names of parameters, casts, and numbers elsewhere',
      numberedParameters,
      { 'api/carts/store.ts': "'where id = :id::text'", 'lib/a.ts': "text.replace(/(a)/, '$1')", 'db/db.ts': "'$1'" },
    ],
    [
      'the names of stores',
      storesByOtherNames,
      { 'api/a/store.ts': '', 'api/a/read-store.ts': '', 'api/a/list-store.ts': '' },
    ],
    ['a store that is listed', storesByOtherNames, { 'api/carts/line-store.ts': '' }],
    [
      'a transaction of a rule, and words about one',
      transactionsOutOfPlace,
      {
        'api/carts/cart.ts': 'db.transaction(f)',
        'api/carts/routes.ts': '// db.transaction(f)',
        'cli/keys.ts': 'db.transaction(f)',
      },
    ],
    [
      'sentences and callers in http, resources elsewhere',
      resourcesInHttp,
      {
        'http/server/a.ts': "'all orders show it' access === 'customer' // 'carts'",
        'compat/sdk.ts': "'carts.add_item'",
      },
    ],
    ['14 files in a folder', foldersTooFull, { ...many(14, 'lib/'), ...many(14, 'lib/more/') }],
    ['a list by design', foldersTooFull, many(30, 'versions/changes/')],
    [
      '25 short files among long ones',
      treeOfCrumbs,
      { ...many(25, 'lib/', lines(29)), ...many(315, 'db/', lines(112)) },
    ],
    ['prose that sounds like SQL', sqlOutOfPlace, { 'api/carts/cart.ts': "// statement('a', 'select a from b')" }],
    ['names of statements', statementNamesToMend, { 'db/a.ts': "statement('a.find', x)\nstatement('a.list', x)" }],
    ['dates in versions', datesOutOfPlace, { 'versions/index.ts': "'2020-02-01'" }],
    [
      "the version of a provider's API in its client",
      datesOutOfPlace,
      { 'gateways/stripe/api.ts': "/** The last. */\nexport const STRIPE_VERSION = '2026-08-26.dahlia'\n" },
    ],
    [
      'the SDK by its name, and its headers in their file',
      sdkHeadersOutOfPlace,
      { 'http/a.ts': "'@chec/commerce.js' 'check-in'", 'compat/sdk.ts': "'chec-version'" },
    ],
    ['the registries', barrels, { 'api/index.ts': '', 'versions/index.ts': '', 'gateways/index.ts': '' }],
    ['350 lines', filesTooLong, { 'api/carts/cart.ts': lines(350) }],
    ['a long data table', filesTooLong, { 'lib/currencies.ts': lines(500) }],
    ['nouns and verbs', namesThatSayNothing, { 'api/carts/add-item.ts': '', 'http/serve-endpoint.ts': '' }],
    ['the folders in slices', namesThatSayNothing, { 'api/products/variants/group-edit.ts': '' }],
    ['an opening comment', filesWithoutOpening, { 'lib/a.ts': '// Owns a.', 'lib/b.ts': '/* Owns b. */' }],
    ['settings read in config', forbiddenText, { 'config.ts': 'process.env.PORT', 'cli/start.ts': 'process.env' }],
    ['the words "as any" in prose', forbiddenText, { 'lib/a.ts': '// as good as any' }],
    ['pure prices', impurePricing, { 'pricing/tax.ts': 'const tax = (n: number) => n', 'lib/clock.ts': 'new Date()' }],
  ])('%s', (_, rule, tree) => {
    expect(rule(files(tree))).toEqual([])
  })
})

describe('a rule finds', () => {
  it.each<[string, Rule, Tree, string]>([
    [
      'a cycle of two',
      importCycles,
      { 'lib/a.ts': importing('./b.ts'), 'lib/b.ts': importing('./a.ts') },
      'lib/a.ts → lib/b.ts → lib/a.ts',
    ],
    [
      'a cycle of types',
      importCycles,
      {
        'lib/a.ts': "import type { B } from './b.ts'",
        'lib/b.ts': "import type { A } from './a.ts'",
      },
      'lib/a.ts → lib/b.ts → lib/a.ts',
    ],
    [
      'a cycle behind a chain',
      importCycles,
      {
        'lib/a.ts': importing('./b.ts'),
        'lib/b.ts': importing('./c.ts'),
        'lib/c.ts': importing('./b.ts'),
      },
      'lib/b.ts → lib/c.ts → lib/b.ts',
    ],
    ['a file that imports itself', importCycles, { 'lib/a.ts': importing('./a.ts') }, 'lib/a.ts → lib/a.ts'],
    ['lib that knows db', importsAgainstTheOrder, { 'lib/a.ts': importing('../db/db.ts') }, 'nothing of ours'],
    [
      'db that knows jobs',
      importsAgainstTheOrder,
      { 'db/a.ts': importing('../jobs/queue.ts') },
      'db may import root, lib',
    ],
    ['versions that know db', importsAgainstTheOrder, { 'versions/a.ts': importing('../db/db.ts') }, 'versions may'],
    ['http that knows a slice', importsAgainstTheOrder, { 'http/a.ts': importing('../api/carts/cart.ts') }, 'http may'],
    ['http that calls a gateway', importsAgainstTheOrder, { 'http/a.ts': importing('../gateways/x.ts') }, 'http may'],
    [
      'a slice that knows old clients',
      importsAgainstTheOrder,
      { 'api/carts/a.ts': importing('../../compat/sdk.ts') },
      'api may',
    ],
    ['http that knows old clients', importsAgainstTheOrder, { 'http/a.ts': importing('../compat/sdk.ts') }, 'http may'],
    [
      'compat that calls a rule',
      importsAgainstTheOrder,
      { 'compat/a.ts': importing('../api/carts/cart.ts') },
      'types alone of api',
    ],
    [
      'jobs that know what they sweep',
      importsAgainstTheOrder,
      { 'jobs/a.ts': importing('../events/emit.ts') },
      'jobs may',
    ],
    [
      'a gateway that knows a slice',
      importsAgainstTheOrder,
      { 'gateways/a.ts': importing('../api/orders/a.ts') },
      'gateways may',
    ],
    ['jobs that know http', importsAgainstTheOrder, { 'jobs/a.ts': importing('../http/log.ts') }, 'jobs may'],
    ['a slice that knows app', importsAgainstTheOrder, { 'api/carts/a.ts': importing('../../app.ts') }, 'api may'],
    [
      'a slice that knows the registry',
      importsAgainstTheOrder,
      { 'api/carts/a.ts': importing('../index.ts') },
      'api may',
    ],
    [
      'a slice that reads settings',
      importsAgainstTheOrder,
      { 'api/carts/a.ts': importing('../../config.ts') },
      'api may',
    ],
    ['app that knows cli', importsAgainstTheOrder, { 'app.ts': importing('./cli/start.ts') }, 'app may'],
    ['a new module', importsAgainstTheOrder, { 'plugins/a.ts': '' }, 'src/plugins has no place'],
    [
      'a slice to its right',
      importsWithinTheApi,
      { 'api/products/a.ts': importing('../carts/cart.ts') },
      'products comes before carts',
    ],
    ['a new slice', importsWithinTheApi, { 'api/refunds/a.ts': '' }, 'api/refunds has no place'],
    [
      'orders that know their payments',
      importsWithinTheApi,
      { 'api/orders/a.ts': importing('../payments/refund.ts') },
      'orders comes before payments',
    ],
    [
      'a slice that knows the server',
      importsWithinTheApi,
      { 'api/carts/a.ts': importing('../../http/server/server.ts') },
      'describe an endpoint',
    ],
    [
      'a store that knows its view',
      importsWithinTheApi,
      { 'api/carts/store.ts': importing('./view.ts') },
      'gives rows',
    ],
    [
      'a store of one verb that knows its view',
      importsWithinTheApi,
      { 'api/carts/list-store.ts': importing('./view.ts') },
      'gives rows',
    ],
    [
      'a store that knows a view of lines',
      importsWithinTheApi,
      { 'api/carts/store.ts': importing('./line-view.ts') },
      'gives rows',
    ],
    [
      'a store that prices',
      importsWithinTheApi,
      { 'api/carts/store.ts': importing('../../pricing/price.ts') },
      'gives rows',
    ],
    ['a view that reads', importsWithinTheApi, { 'api/carts/view.ts': importing('../../db/db.ts') }, 'pure function'],
    [
      'pricing that knows the clock',
      importsWithinTheApi,
      { 'pricing/a.ts': importing('../lib/clock.ts') },
      'lib/money',
    ],
    ['pg outside db', packagesOutOfPlace, { 'jobs/a.ts': "import type pg from 'pg'" }, 'db/db.ts'],
    ['fastify in a slice', packagesOutOfPlace, { 'api/carts/a.ts': "import type { A } from 'fastify'" }, 'http/'],
    ['fastify made in app', packagesOutOfPlace, { 'app.ts': "import fastify from 'fastify'" }, 'http/'],
    ['a fastify plugin in a slice', packagesOutOfPlace, { 'api/carts/a.ts': importing('@fastify/swagger') }, 'http/'],
    ['a statement in routes', sqlOutOfPlace, { 'api/carts/routes.ts': "statement<Row>('a.b', x)" }, 'store.ts'],
    [
      'a fragment in rules',
      sqlOutOfPlace,
      { 'limits/a.ts': 'const a = `failed as (\n  insert into b values (1)\n)`' },
      'store.ts',
    ],
    ['SQL in rules', sqlOutOfPlace, { 'api/carts/cart.ts': 'const a = `\n  select a\n  from b where c`' }, 'store.ts'],
    ['a delete in http', sqlOutOfPlace, { 'http/a.ts': "'delete from carts'" }, 'store.ts'],
    ['SQL beside a store', sqlOutOfPlace, { 'mail/send.ts': "'insert into mails values (1)'" }, 'store.ts'],
    ['a number for a parameter', numberedParameters, { 'api/carts/store.ts': "'where id = $12'" }, 'not $12'],
    ['a number in the queue', numberedParameters, { 'jobs/queue.ts': "'$1'" }, 'by number, 1 times'],
    [
      'another name of a store',
      storesByOtherNames,
      { 'api/carts/choice-store.ts': '' },
      'store, read-store, list-store',
    ],
    [
      'a transaction in routes',
      transactionsOutOfPlace,
      { 'api/carts/routes.ts': 'db.transaction(f)' },
      'the rule it calls',
    ],
    [
      'one in further routes',
      transactionsOutOfPlace,
      { 'api/a/b-routes.ts': 'db.transaction(f)' },
      'the rule it calls',
    ],
    ['one in a store', transactionsOutOfPlace, { 'api/carts/line-store.ts': 'tx.transaction(f)' }, 'the rule it calls'],
    ['an operation in http', resourcesInHttp, { 'http/a.ts': "=== 'carts.add_item'" }, 'names carts'],
    ['the beginning of operations', resourcesInHttp, { 'http/a.ts': "startsWith('carts.')" }, 'names carts'],
    ['a resource in http', resourcesInHttp, { 'http/a.ts': "notFound('gift_card')" }, 'names gift_card'],
    ['an address in http', resourcesInHttp, { 'http/a.ts': "get('/v1/products/:id')" }, 'names /v1/products'],
    ['15 files in a folder', foldersTooFull, many(15, 'api/carts/'), 'src/api/carts has 15 files'],
    ['15 files at the top', foldersTooFull, many(15, ''), 'src/ has 15 files'],
    ['short files on the whole', treeOfCrumbs, many(10, 'lib/', lines(104)), '104 lines a file'],
    [
      '26 crumbs',
      treeOfCrumbs,
      { ...many(26, 'lib/', lines(29)), ...many(100, 'db/', lines(200)) },
      '26 files of fewer',
    ],
    [
      'a name used twice',
      statementNamesToMend,
      { 'db/a.ts': "statement('a.b', x)", 'db/b.ts': "statement('a.b', y)" },
      'another statement',
    ],
    ['a computed name', statementNamesToMend, { 'db/a.ts': 'statement(name, x)' }, 'write the name'],
    ['a name of the tests', statementNamesToMend, { 'db/a.ts': "statement('test.a', x)" }, "the tests' own"],
    ['a name without a resource', statementNamesToMend, { 'db/a.ts': "statement('find', x)" }, 'attributes.find'],
    ['a date in a slice', datesOutOfPlace, { 'api/carts/a.ts': '// since 2021-03-31' }, 'mentions 2021-03-31'],
    [
      "another date in a provider's client",
      datesOutOfPlace,
      { 'gateways/stripe/api.ts': "const VERSION = '2026-08-26'\n// since 2021-03-31" },
      'mentions 2021-03-31',
    ],
    [
      "a provider's version elsewhere",
      datesOutOfPlace,
      { 'api/carts/a.ts': "const VERSION = '2026-08-26'" },
      'mentions 2026-08-26',
    ],
    ['a header of the SDK', sdkHeadersOutOfPlace, { 'http/a.ts': "'X-Chec-Agent'" }, 'compat/sdk.ts alone'],
    ['a barrel', barrels, { 'api/carts/index.ts': '' }, 'from the files themselves'],
    ['a barrel at the top', barrels, { 'index.ts': '' }, 'from the files themselves'],
    ['351 lines', filesTooLong, { 'api/carts/cart.ts': lines(351) }, '351 lines'],
    ['utils', namesThatSayNothing, { 'lib/utils.ts': '' }, 'noun or verb'],
    ['a helper of something', namesThatSayNothing, { 'api/carts/cart-helper.ts': '' }, 'noun or verb'],
    ['a folder of services', namesThatSayNothing, { 'services/mail.ts': '' }, 'noun or verb'],
    ['a layer in a slice', namesThatSayNothing, { 'api/carts/types.ts': '' }, 'routes, schema, store and view'],
    ['a folder in a slice', namesThatSayNothing, { 'api/carts/lines/add.ts': '' }, 'the folders in slices are'],
    ['a folder in a folder', namesThatSayNothing, { 'api/products/variants/a/b.ts': '' }, 'the folders in slices are'],
    ['a layer in such a folder', namesThatSayNothing, { 'api/products/variants/types.ts': '' }, 'routes, schema'],
    ['camel case', namesThatSayNothing, { 'api/carts/addItem.ts': '' }, 'hyphens'],
    ['no opening', filesWithoutOpening, { 'lib/a.ts': "import a from 'a'\n// Owns a." }, 'begin with'],
    ['console', forbiddenText, { 'lib/a.ts': "console.log('a')" }, 'uses console'],
    ['the environment', forbiddenText, { 'lib/a.ts': 'process.env.PORT' }, 'config.ts'],
    ['work put off', forbiddenText, { 'lib/a.ts': '// TODO: later' }, 'TODO'],
    ['work to mend', forbiddenText, { 'lib/a.ts': '// FIXME' }, 'FIXME'],
    ['an error hushed', forbiddenText, { 'lib/a.ts': '// @ts-ignore' }, '@ts-ignore'],
    ['any', forbiddenText, { 'lib/a.ts': 'x as any' }, 'as any'],
    ['a clock in pricing', impurePricing, { 'pricing/a.ts': 'new Date()' }, 'uses Date'],
    ['waiting in pricing', impurePricing, { 'pricing/a.ts': 'async () => 1' }, 'uses async'],
  ])('%s', (_, rule, tree, message) => {
    expect(rule(files(tree))).toEqual([expect.stringContaining(message)])
  })
})

describe('an endpoint', () => {
  const good: Described = { operation: 'carts.get', path: '/v1/carts/:id', status: 200, returns: { $id: 'cart' } }
  const check = (more: Partial<Described>, ...others: Described[]) =>
    endpointProblems([{ ...good, ...more }, ...others], ['cart'], (resource) => resource === 'carts')

  it.each<[string, Partial<Described>]>([
    ['returns a kind', {}],
    ['returns a list of a kind', { returns: { properties: { data: { items: { $ref: 'cart#' } } } } }],
    ['returns nothing', { status: 204, returns: undefined }],
    ['has a verb of two words', { operation: 'carts.add_item' }],
  ])('may be one that %s', (_, more) => {
    expect(check(more)).toEqual([])
  })

  it.each<[string, Partial<Described>, string]>([
    ['no verb', { operation: 'carts' }, '<resource>.<verb>'],
    ['an address elsewhere', { path: '/v2/carts' as '/v1/' }, 'under /v1'],
    ['no kind', { returns: { type: 'object' } }, 'return a kind'],
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

describe('an exception', () => {
  it('that excuses nothing is found', () => {
    expect(idleExceptions([])).toContainEqual(expect.stringContaining('versions/changes does not exist'))
    expect(idleExceptions([])).toContainEqual(expect.stringContaining('api/carts/line-store.ts does not exist'))
  })
})

describe('a table', () => {
  beforeAll(async () => void (await loadModule()))

  const owners = { carts: ['carts'], orders: ['orders'] }
  const insert: Declared = { name: 'carts.insert', text: 'insert into carts values ($1)', path: 'api/carts/store.ts' }
  const make: Declared = { name: 'orders.make', text: 'insert into orders values (1)', path: 'api/orders/store.ts' }
  const check = (text: string, guests: readonly Guest[] = []) =>
    tableProblems(
      [insert, { ...make, text: `${make.text} returning 1` }, { ...make, name: 'orders.more', text }],
      owners,
      guests,
    )
  const embeds = 'with gone as (delete from carts where id = $1 returning id) select id from gone'
  const guest = { table: 'carts', room: 'orders', statements: ['orders.more'], reason: 'A reason.' }

  it.each([
    ['is read by others', 'select id from carts'],
    ['is locked by others', 'select id from carts for update'],
    ['is written by its owner', 'update orders set id = carts.id from carts'],
  ])('is well where it %s', (_, text) => {
    expect(check(text)).toEqual([])
  })

  it('is well where a statement that embeds the owner’s fragment is listed', () => {
    expect(check(embeds, [guest])).toEqual([])
  })

  it.each([
    ['inserted into', 'insert into carts values (1)'],
    ['updated', 'update carts set id = 1'],
    ['deleted from', 'delete from carts'],
    ['merged into', 'merge into carts using orders on true when matched then delete'],
    ['emptied', 'truncate carts'],
    ['deleted from on the way', embeds],
  ])('is found where another room has it %s', (_, text) => {
    const problem =
      "api/orders/store.ts: orders.more writes carts, which belongs to carts. Call a function of carts's store"
    expect(check(text)).toEqual([expect.stringContaining(problem)])
  })

  it('is found without an owner', () => {
    expect(check('insert into baskets values (1)')).toEqual([expect.stringContaining('baskets has no owner')])
  })

  it('is found in a list that nothing needs', () => {
    expect(tableProblems([insert], owners, [])).toEqual([expect.stringContaining('orders is written by no statement')])
    expect(check('select 1', [guest])).toEqual([expect.stringContaining('orders.more of orders does not write carts')])
  })
})

describe('a room', () => {
  it.each([
    ['api/carts/store.ts', 'carts'],
    ['api/products/variants/store.ts', 'products'],
    ['mail/outbox-store.ts', 'mail'],
    ['app.ts', 'app'],
  ])('of %s is %s', (path, room) => {
    expect(roomOf(path)).toBe(room)
  })
})
