// @proof: it fills every table.
// Query plans must stay good as tables grow. Each statement is prepared and planned on nearly empty tables. Then the tables are filled and
// not analysed. Each statement runs with the plan that the service would then use (db/health/growth.ts). No node may visit more rows than its
// result needs; bounds.ts sets the limits.

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { haveGrown, readTableSizes } from '../../src/db/health/growth.ts'
import { PLANNING } from '../../src/db/pool.ts'
import { testApp } from '../support/app.ts'
import { administer, cloneDatabase } from '../support/database.ts'
import { boundOf, isFiltered, LOOK_UP, PAGE, wrongBounds } from './bounds.ts'
import { cascadeProblems, readForeignKeys, WITHOUT_INDEX } from './cascades.ts'
import { fill, leaveUnanalysed, openFirstShop, SMALL_CATEGORY } from './full-tables.ts'
import { productOf, STATES } from './many-variants.ts'
import { type KnownStatement, knownStatements, listSubject } from './statements.ts'
import { readSubject, type Subject } from './subject.ts'
import { valuesOf } from './values.ts'
import { hasFound, nodesOf, type PlanNode, problemsOf } from './visits.ts'

const connection = await cloneDatabase()
const app = await testApp({ connection })
// Otherwise the card-number search at the end would scan millions of copied rows.
afterAll(() => administer(connection, 'truncate merchants, jobs, attempts, request_log cascade'))
const client = new pg.Client({ ...connection, options: PLANNING, statement_timeout: 60_000 })
afterAll(() => client.end())

const names = (await knownStatements()).map(({ name }) => name)
let statements: KnownStatement[] = []
let types = new Map<string, string[]>()
let subject: Subject = {}

beforeAll(async () => {
  await leaveUnanalysed(connection)
  await client.connect()
  const shop = await openFirstShop(app)
  for (const { name, text } of await knownStatements()) await client.query(`prepare "${name}" as ${text}`)
  const { rows } = await client.query<{ name: string; types: string[] }>(
    'select name, parameter_types::text[] as types from pg_prepared_statements',
  )
  types = new Map(rows.map((row) => [row.name, row.types]))
  // PostgreSQL makes a plan at first use, and keeps it.
  for (const [name, parameters] of types) {
    const nulls = parameters.map(() => null)
    await client.query(`explain execute ${call(name, nulls)}`)
  }
  const sizes = await readTableSizes(app.db)
  await fill(app, connection, shop)
  // The service does the same with its connections.
  if (haveGrown(sizes, await readTableSizes(app.db))) await client.query('discard plans')
  subject = await readSubject(client)
  statements = await knownStatements(listSubject(subject))
  // Every product change through the API does this.
  for (const state of STATES)
    await client.query(
      `execute ${call('products.tell_variants', valuesFor('products.tell_variants', aboutProduct(state)))}`,
    )
}, 600_000)

function valuesFor(name: string, about: Subject): unknown[] {
  const { parameters = [], values } = statements.find((each) => each.name === name) ?? {}
  const byName = values ?? valuesOf(name, parameters, types.get(name) ?? [], about)
  return parameters.map((parameter) => byName[parameter])
}

const aboutProduct = (state: (typeof STATES)[number]): Subject => {
  const product = productOf(state)
  return { ...subject, product_id: product, permalink: product, sku: product }
}

const literal = (value: unknown): string => {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return literal(`{${value.map((each) => JSON.stringify(each)).join(',')}}`)
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value))
}

const call = (name: string, values: readonly unknown[]) =>
  values.length === 0 ? `"${name}"` : `"${name}"(${values.map(literal).join(', ')})`

async function planOf(name: string, values: readonly unknown[]): Promise<PlanNode> {
  // Several statements in one message have a result each.
  const results = (await client.query(
    `begin;
     explain (analyze, buffers, timing off, costs off, format json) execute ${call(name, values)};
     rollback`,
  )) as unknown as { rows: { 'QUERY PLAN': [{ Plan: PlanNode }] }[] }[]
  return results[1]?.rows[0]?.['QUERY PLAN'][0].Plan as PlanNode
}

/** Returns how many rows a filtered list matches; the list itself returns its total. */
async function matchesOf(name: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await client.query<{ total: string }>(`execute ${call(name, values)}`)
  return Number(rows[0]?.total ?? 0)
}

/** Runs twice if needed. The first run may visit dead rows of rolled-back statements. It marks them, and the second run skips them. */
async function problemsWith(name: string, values: readonly unknown[], times = 1): Promise<string[]> {
  const problems = await problemsOfRun(name, values, times)
  return problems.length === 0 ? problems : problemsOfRun(name, values, times)
}

async function problemsOfRun(name: string, values: readonly unknown[], times: number): Promise<string[]> {
  try {
    const plan = await planOf(name, values)
    const unfiltered = problemsOf(plan, boundOf(name, 0), times)
    // Count the matches only if needed: most lists stay within the cost of a page.
    const mayMatchMore = unfiltered.length > 0 && isFiltered(name)
    const problems = mayMatchMore ? problemsOf(plan, boundOf(name, await matchesOf(name, values)), times) : unfiltered
    return hasFound(plan) ? problems : [...problems, 'found nothing, so its cost says nothing; see values.ts']
  } catch (error) {
    await client.query('rollback')
    return [`failed: ${(error as Error).message}`]
  }
}

/** The part of a name before the dot: the slice or module that sends it. */
const roomOf = (name: string) => name.replace(/\..*$/, '')

describe('the bounds', () => {
  it('are of statements that there are, one for each', () => {
    expect(wrongBounds(new Set(names))).toEqual([])
  })

  it('are those of a look-up by key where none is written', () => {
    for (const name of ['carts.new', 'sweep.new', 'orders.list_new']) expect(boundOf(name, 0)).toBe(LOOK_UP)
  })
})

describe('what is deleted with something else', () => {
  it('has an index that begins with the columns of its foreign key', async () => {
    const keys = await readForeignKeys(client)
    const titled = keys.map((key) => ({ ...key, title: `${key.table} (${key.columns.join(', ')})` }))
    const without = titled.filter(({ indexes }) => indexes.length === 0).map(({ title }) => title)
    expect(keys.length).toBeGreaterThan(50)
    expect(without).toEqual(Object.keys(WITHOUT_INDEX))
  })
})

// PostgreSQL analyses tables whenever it likes, so plans must be good with and without statistics. With statistics it may choose another
// index of the same key, which for example contains the other lines of a cart. That visits twice as many rows, but not more.
describe.each([
  ['that nobody has analysed', async () => undefined, 1],
  ['that have been analysed', () => administer(connection, 'analyze'), 2],
])('on full tables %s', (_, prepare, times) => {
  beforeAll(async () => void (await prepare()), 300_000)

  it.each([...new Set(names.map(roomOf))])(
    'no statement of %s looks at more rows than it needs',
    async (room) => {
      const problems: string[] = []
      for (const { name } of statements) {
        if (roomOf(name) !== room) continue
        const found = await problemsWith(name, valuesFor(name, subject), times)
        problems.push(...found.map((problem) => `${name}: ${problem}`))
      }
      expect(problems).toEqual([])
    },
    300_000,
  )

  it('what a delete takes along is found by an index, and nothing else is looked at', async () => {
    const problems: string[] = []
    const keys = await readForeignKeys(client)
    for (const { name, text } of statements) {
      const run = `execute ${call(name, valuesFor(name, subject))}`
      problems.push(...(await cascadeProblems(client, keys, text, run)).map((problem) => `${name} ${problem}`))
    }
    expect(problems).toEqual([])
  }, 300_000)

  it.each([
    ['a category of few products', { category_id: SMALL_CATEGORY.id, slug: SMALL_CATEGORY.slug }, /_(in|slug)$/],
    // Lists by several categories are named after a large one.
    [
      'several categories, one of few products',
      { parent_id: SMALL_CATEGORY.id, parent_slug: SMALL_CATEGORY.slug },
      /_(in_all|slugs)$/,
    ],
  ])('a list by %s looks at these alone, whatever its order', async (_, categories, names) => {
    const lists = await knownStatements({ ...listSubject(subject), ...categories })
    const asked = lists.filter(
      ({ name }) =>
        /^products\.list_[a-z]+(_order)?_(asc|desc)(_active)?_[a-z]+(_all)?$/.test(name) && names.test(name),
    )
    expect(asked.length).toBeGreaterThan(30)
    const problems: string[] = []
    for (const { name, parameters, values = {} } of asked) {
      const found = await problemsWith(
        name,
        parameters.map((parameter) => values[parameter]),
        times,
      )
      problems.push(...found.map((problem) => `${name}: ${problem}`))
    }
    expect(problems).toEqual([])
  })

  it('a page of deliveries without a filter looks at what it shows, from the newest on and from the middle', async () => {
    const { parameters = [] } = statements.find(({ name }) => name === 'deliveries.list') ?? {}
    const asked = valuesOf('deliveries.list', parameters, types.get('deliveries.list') ?? [], subject)
    for (const before of ['dlvr_~', subject.delivery_id]) {
      const values = { ...asked, event: null, reach: PAGE, before }
      const plan = await planOf(
        'deliveries.list',
        parameters.map((parameter) => values[parameter as keyof typeof values]),
      )
      expect(problemsOf(plan, PAGE)).toEqual([])
      expect(nodesOf(plan).filter(({ 'Index Name': index }) => index === 'deliveries_pkey')).toMatchObject([
        { 'Actual Rows': PAGE },
      ])
    }
  })

  it('a lane that has nothing to do does not read what is due in others', async () => {
    const due = `select count(*) from jobs where failed_at is null and due_at <= ${literal(subject.far)}`
    expect(Number((await client.query<{ count: string }>(due)).rows[0]?.count)).toBeGreaterThan(1_000)
    const idle = { ...subject, job_kind: 'nobody.puts_this_in' }
    const plan = await planOf('jobs.find_due', valuesFor('jobs.find_due', idle))
    expect(hasFound(plan)).toBe(false)
    expect(problemsOf(plan, 0)).toEqual([])
  })

  // The unfiltered list, in its default order, begins with these products too.
  it.each(STATES)('a product with many variants tells by a few rows that it has $name', async (state) => {
    const about = aboutProduct(state)
    const problems: string[] = []
    for (const name of ['find_stamp', 'find_stamp_by_permalink', 'find_stamp_by_sku', 'tell_variants'])
      problems.push(...(await problemsWith(`products.${name}`, valuesFor(`products.${name}`, about), times)))
    expect(problems).toEqual([])
    const stamp = `execute ${call('products.find_stamp', valuesFor('products.find_stamp', about))}`
    const { rows } = await client.query<{ stamp: string }>(stamp)
    expect(rows[0]?.stamp.endsWith(' 1')).toBe(state.isSoldOut)
  })
})

// This runs last, because it drops an index.
describe('the look at what a delete takes along', () => {
  it('sees a table in which nothing leads to it', async () => {
    await administer(connection, 'drop index variant_assets_by_asset')
    const { text = '' } = statements.find(({ name }) => name === 'assets.delete') ?? {}
    const unlinked = { ...subject, asset_id: subject.unattached_asset_id ?? '' }
    const run = `execute ${call('assets.delete', valuesFor('assets.delete', unlinked))}`
    const keys = await readForeignKeys(client)
    expect(await cascadeProblems(client, keys, text, run)).toEqual([expect.stringContaining('pages of variant_assets')])
    expect(keys.filter(({ indexes }) => indexes.length === 0)).toContainEqual(
      expect.objectContaining({ table: 'variant_assets', columns: ['merchant_id', 'asset_id'] }),
    )
  })
})
