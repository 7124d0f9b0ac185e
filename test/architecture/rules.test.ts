// Each architecture rule on small made-up sources: it finds what it is there to find, and nothing else.

import { describe, expect, it } from 'vitest'
import { type Described, endpointProblems } from './endpoints.ts'
import { importCycles, importsAgainstTheOrder, importsWithinTheApi, packagesOutOfPlace } from './imports.ts'
import { type SourceFile, sourceFile, statementNames } from './source.ts'
import {
  barrels,
  datesOutOfPlace,
  filesTooLong,
  filesWithoutOpening,
  forbiddenText,
  impurePricing,
  namesThatSayNothing,
  sdkHeadersOutOfPlace,
  sqlOutOfPlace,
  statementNamesToMend,
} from './text-rules.ts'

type Rule = (files: readonly SourceFile[]) => string[]
type Tree = Record<string, string>

const files = (tree: Tree) => Object.entries(tree).map(([path, text]) => sourceFile(path, text))
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
    ['a slice to http', importsAgainstTheOrder, { 'api/carts/routes.ts': importing('../../http/endpoint.ts') }],
    [
      'a type of a gateway in http',
      importsAgainstTheOrder,
      {
        'http/endpoint.ts': "import type { Gateway } from '../gateways/gateway.ts'",
      },
    ],
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
    ['prose that sounds like SQL', sqlOutOfPlace, { 'api/carts/cart.ts': "// statement('a', 'select a from b')" }],
    ['names of statements', statementNamesToMend, { 'db/a.ts': "statement('a.find', x)\nstatement('a.list', x)" }],
    ['dates in versions', datesOutOfPlace, { 'versions/index.ts': "'2020-02-01'" }],
    [
      'the SDK by its name, and its headers in their file',
      sdkHeadersOutOfPlace,
      { 'http/a.ts': "'@chec/commerce.js' 'check-in'", 'http/legacy-sdk.ts': "'chec-version'" },
    ],
    ['the registries', barrels, { 'api/index.ts': '', 'versions/index.ts': '', 'gateways/index.ts': '' }],
    ['400 lines', filesTooLong, { 'api/carts/cart.ts': '\n'.repeat(400) }],
    ['a long data table', filesTooLong, { 'lib/currencies.ts': '\n'.repeat(500) }],
    ['nouns and verbs', namesThatSayNothing, { 'api/carts/add-item.ts': '', 'http/serve-endpoint.ts': '' }],
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
    ['db that knows jobs', importsAgainstTheOrder, { 'db/a.ts': importing('../jobs/queue.ts') }, 'db may import lib'],
    ['versions that know db', importsAgainstTheOrder, { 'versions/a.ts': importing('../db/db.ts') }, 'versions may'],
    ['http that knows a slice', importsAgainstTheOrder, { 'http/a.ts': importing('../api/carts/cart.ts') }, 'http may'],
    ['http that calls a gateway', importsAgainstTheOrder, { 'http/a.ts': importing('../gateways/x.ts') }, 'http may'],
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
      'a slice that knows the server',
      importsWithinTheApi,
      { 'api/carts/a.ts': importing('../../http/server.ts') },
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
    ['SQL in rules', sqlOutOfPlace, { 'api/carts/cart.ts': 'const a = `\n  select a\n  from b where c`' }, 'store.ts'],
    ['a delete in http', sqlOutOfPlace, { 'http/a.ts': "'delete from carts'" }, 'store.ts'],
    ['a store outside the slices', sqlOutOfPlace, { 'mail/store.ts': "'insert into mails values (1)'" }, 'store.ts'],
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
    ['a header of the SDK', sdkHeadersOutOfPlace, { 'http/a.ts': "'X-Chec-Agent'" }, 'http/legacy-sdk.ts alone'],
    ['a barrel', barrels, { 'api/carts/index.ts': '' }, 'from the files themselves'],
    ['a barrel at the top', barrels, { 'index.ts': '' }, 'from the files themselves'],
    ['401 lines', filesTooLong, { 'api/carts/cart.ts': '\n'.repeat(401) }, '401 lines'],
    ['utils', namesThatSayNothing, { 'lib/utils.ts': '' }, 'noun or verb'],
    ['a helper of something', namesThatSayNothing, { 'api/carts/cart-helper.ts': '' }, 'noun or verb'],
    ['a folder of services', namesThatSayNothing, { 'services/mail.ts': '' }, 'noun or verb'],
    ['a layer in a slice', namesThatSayNothing, { 'api/carts/types.ts': '' }, 'routes, schema, store and view'],
    ['a folder in a slice', namesThatSayNothing, { 'api/carts/lines/add.ts': '' }, 'no folders'],
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
