// @sampled: `npm test` asks a sample of the questions of most callers.
// Every route × every caller × own, foreign and unknown objects (decisions 2 and 10.3). Foreign is answered like unknown.

import { describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { testApp } from '../support/app.ts'
import { isProof } from '../support/proof.ts'
import { hasObjects, nothingOf, type Pair, PROXY, pairsOf } from './ask.ts'
import { type Caller, callersOf, isBySession, OTHER_CUSTOMER, type Outcome, outcomeOf, refusal } from './callers.ts'
import { checker, type Question } from './check.ts'
import { type Ids, openWorld, SPLIT } from './objects.ts'
import { routesOf } from './router.ts'
import { stateReader } from './state.ts'
import { AREAS, TABLE } from './table.ts'
import { pathOf, type Row } from './table-row.ts'

// The example storefront uses this shop once it exists.
let demoKey: string | null = null
const { made: app, routes } = await routesOf(() =>
  testApp({ trustProxy: [PROXY], clientRequestsPerSecond: 0, findDemoKey: async () => demoKey }),
)
const world = await openWorld(app)
demoKey = world.shop.keys.sandbox.public
const callers = await callersOf(app, world)
const readState = await stateReader(app.db)

describe('the table', () => {
  /** Returns the routes that the table lacks. */
  async function missingFrom(table: readonly Row[]): Promise<string[]> {
    const known = new Set(table.map(({ route }) => route))
    for (const row of table) {
      if (row.hasHead) known.add(`HEAD ${pathOf(row)}`)
      if (row.access !== 'plain') known.add(`OPTIONS ${pathOf(row)}`)
    }
    const missing: string[] = []
    for (const route of routes.filter((one) => !known.has(one))) {
      const [method, path = ''] = route.split(' ')
      const url = path.replace(/:\w+|\*/g, 'x')
      // Fastify also registers routes that refuse a path's unsupported methods.
      if ((await app.server.inject({ method: method as 'GET', url })).statusCode !== 405) missing.push(route)
    }
    return missing
  }
  const goneFrom = (table: readonly Row[]) =>
    table
      .flatMap((row) => [row.route, ...(row.hasHead ? [`HEAD ${pathOf(row)}`] : [])])
      .filter((route) => !routes.includes(route))

  it('has every route of the router, and the router every row', async () => {
    expect({ missing: await missingFrom(TABLE), gone: goneFrom(TABLE) }).toEqual({ missing: [], gone: [] })
    expect(new Set(TABLE.map(({ route }) => route)).size).toBe(TABLE.length)
  })

  it('names the route that it lacks, and the row that no longer has one', async () => {
    const [first, ...others] = TABLE
    expect(first?.route).toBe('GET /v1/assets')
    const anyhow = await missingFrom(TABLE)
    const named = (await missingFrom(others)).filter((route) => !anyhow.includes(route))
    expect(named).toEqual(['GET /v1/assets', 'HEAD /v1/assets'])
    expect(goneFrom([{ ...(first as Row), route: 'GET /v1/gone' }])).toEqual(['GET /v1/gone', 'HEAD /v1/gone'])
  })
})

describe('a preflight', () => {
  it('is answered without a key, and allows what a public key or a customer may send', async () => {
    const paths = new Map<string, Row[]>()
    for (const row of TABLE) paths.set(pathOf(row), [...(paths.get(pathOf(row)) ?? []), row])
    const expected: unknown[] = []
    const given: unknown[] = []
    for (const [path, rows] of paths) {
      if (rows.some(({ access }) => access === 'plain')) continue
      const methods = rows
        .filter(({ access }) => access !== 'secret' && access !== 'session')
        .flatMap((row) => [row.route.split(' ')[0], ...(row.access === 'open' && row.hasHead ? ['HEAD'] : [])])
      const allowed = methods.length > 0 ? ['*', methods.sort().join(', ')] : [undefined, '']
      for (const key of [undefined, 'nonsense']) {
        const headers = { origin: 'https://shop.example', ...(key === undefined ? {} : { 'x-authorization': key }) }
        const url = path.replace(/:\w+|\*/g, 'x')
        const answer = await app.server.inject({ method: 'OPTIONS', url, headers })
        const named = String(answer.headers['access-control-allow-methods'] ?? '')
        expected.push([path, 204, ...allowed])
        given.push([
          path,
          answer.statusCode,
          answer.headers['access-control-allow-origin'],
          named.split(', ').sort().join(', '),
        ])
      }
    }
    expect(given).toEqual(expected)
  })
})

/** The objects of each row, created in advance, so that nothing is created between two reads of the tables. */
const families = new Map<string, { own: Ids; foreign: Ids; sibling: Ids }>()
for (const { of } of TABLE)
  if (of && !families.has(of))
    families.set(of, {
      own: await world.shared(of),
      foreign: await world.shared(of, world.stranger),
      sibling: await world.shared(of, world.shop, 1),
    })

function objectsFor(row: Row): { own: Ids; pairs: Pair[] } {
  const { own, foreign, sibling } = families.get(row.of ?? '') ?? { own: {}, foreign: {}, sibling: {} }
  return { own, pairs: pairsOf(row, own, foreign, sibling) }
}

/** Routes without authentication ignore keys: two callers suffice to see their effects and what they hide. */
const isAskedByTwo = ({ access, of, changes }: Row) => access === 'plain' && (of === undefined || changes)
const isOneOfTwo = ({ name }: Caller) => name === 'no key' || name === "another merchant's secret key"
const needsNoKey = ({ access }: Row) => access === 'open' || access === 'plain'

const outcomeAt = (row: Row, caller: Caller): Outcome => {
  const outcome = outcomeOf(caller, row)
  return outcome === 'otherMode' && row.refusesLive ? refusal(403, row.refusesLive) : outcome
}

/** True if the object does not exist for this caller. */
function isHiddenFrom(row: Row, outcome: Outcome): boolean {
  if (!hasObjects(row)) return false
  return outcome === 'stranger' || (outcome === 'otherMode' && SPLIT.has(row.of ?? ''))
}

/** Sessions are for endpoints of /v1. */
const callersOfRoute = (row: Row) => callers.filter((caller) => !isBySession(caller) || pathOf(row).startsWith('/v1/'))

// Session use is recorded once a minute. Trigger it now, not between two reads of the tables.
for (const caller of callers.filter(isBySession))
  await app.server.inject({ url: '/dashboard/api/session', headers: await caller.headers({}) })

/** In `npm test`, too, these callers ask every plain question. */
const THOROUGH = new Set(['the secret key', "another merchant's secret key", "the customer's token"])

/**
 * `npm run proof` asks everything. In `npm test` most callers ask one question per route, a different one on the next. Key and token
 * validation does not depend on the route, so callers with an invalid one try every sixteenth route. Questions come in threes: plain, by HEAD
 * and in the oldest version.
 */
function sampleOf(questions: readonly Question[], caller: Caller, row: Row, turn: number): readonly Question[] {
  if (isProof) return questions
  if (THOROUGH.has(caller.name)) return questions.filter((_, place) => place % 3 === 0 || (place + turn) % 3 === 0)
  const outcome = outcomeAt(row, caller)
  if (typeof outcome === 'object' && outcome.status === 401 && caller.name !== 'no key' && turn % 16 > 0) return []
  const place = Math.floor(turn / 3) + turn
  return questions.length === 0 ? [] : [questions[place % questions.length] as Question]
}

function questionsOf(row: Row, caller: Caller, problems: string[]): Question[] {
  const { own, pairs } = objectsFor(row)
  const check = checker(app, row, caller, own, problems)
  const outcome = outcomeAt(row, caller)
  if (typeof outcome === 'object') return check.refused(row.access === 'customer' ? pairs : pairs.slice(0, 1), outcome)
  if (isHiddenFrom(row, outcome)) {
    const status = Object.keys(row.path).length > 0 ? row.missing : (Object.values(row.named)[0] ?? row.missing)
    const name = "the shop's own"
    return check.hidden({ name, theirs: own, unknown: nothingOf(row, own), status, isOtherCustomer: false })
  }
  if (outcome === 'customer')
    return pairs.flatMap((pair) =>
      pair.isOtherCustomer ? check.refusedForBoth(pair, OTHER_CUSTOMER) : check.hidden(pair),
    )
  if (outcome === 'served' && !caller.hasBoth && (!needsNoKey(row) || isOneOfTwo(caller)))
    return pairs.flatMap(check.hidden)
  return []
}

/** The rows of each area, with the tables that refusals may write to. */
const AREAS_OF_REFUSALS: (readonly [area: string, rows: readonly Row[], written: readonly string[]])[] = [
  ...Object.entries(AREAS).map(([area, rows]) => [area, rows.filter(({ isCounted }) => !isCounted), []] as const),
  // Guesses are counted, to limit them.
  ['guesses', TABLE.filter(({ isCounted }) => isCounted), ['attempts']],
]

let before = await readState()

describe.each(AREAS_OF_REFUSALS)('refused, %s:', (_area, rows, written) => {
  it.each(rows.map((row) => [row.route, row] as const))(
    '%s refuses whoever may not, and hides what is not theirs in the bytes of what does not exist',
    async (_route, row) => {
      const problems: string[] = []
      const turn = TABLE.indexOf(row)
      const questions = callersOfRoute(row).flatMap((caller, place) =>
        sampleOf(questionsOf(row, caller, problems), caller, row, turn + place),
      )
      // Operations that count guesses run one by one: each deletes the counts of those before it.
      if (row.isCounted) for (const question of questions) await question()
      else await Promise.all(questions.map((question) => question()))
      expect(problems.slice(0, 8)).toEqual([])
    },
  )

  it('has changed nothing by what it refused', async () => {
    const after = await readState()
    const changed = Object.keys(after).filter((table) => after[table] !== before[table])
    before = after
    expect(changed.filter((table) => !written.includes(table))).toEqual([])
  })
})

const forgetImports = statement(
  'test.forget_imports',
  "delete from jobs where kind = 'products.work_through_batch' and not is_running",
)

describe('served:', () => {
  it.each(TABLE.map((row) => [row.route, row] as const))(
    '%s serves whoever may, with nothing of anybody else',
    async (_route, row) => {
      const own =
        row.of && row.changes && !row.isSpent ? await world.shared(row.of, world.shop, 2) : objectsFor(row).own
      const problems: string[] = []
      const idsOfShop = [...world.idsOfShop]
      const serve = async (caller: Caller) => {
        const outcome = outcomeAt(row, caller)
        const fresh = row.of && row.isSpent ? await world.make(row.of) : own
        const check = checker(app, row, caller, fresh, problems)
        // No worker runs these imports here, and no more than ten may be queued.
        if (row.changes) await app.db.run(forgetImports, {})
        const answer = await check.served({ withHead: isProof || THOROUGH.has(caller.name) })
        // Lists and records without an id: each merchant has its own, and so has each mode if they are split.
        if (outcome === 'stranger' || (outcome === 'otherMode' && row.isSplit)) check.showsNoneOf(idsOfShop, answer)
      }
      const all = callersOfRoute(row).filter((caller) => isServed(row, caller))
      const turn = TABLE.indexOf(row)
      // Creating an object for each caller takes longer than everything else.
      const served =
        isProof || !row.isSpent
          ? all
          : all.filter((caller, place) => THOROUGH.has(caller.name) || place === turn % all.length)
      if (row.changes || row.isCounted) for (const caller of served) await serve(caller)
      else await Promise.all(served.map(serve))
      expect(problems.slice(0, 8)).toEqual([])
    },
  )

  function isServed(row: Row, caller: Caller): boolean {
    const outcome = outcomeAt(row, caller)
    if (typeof outcome === 'object' || isHiddenFrom(row, outcome)) return false
    if (isAskedByTwo(row) && !isOneOfTwo(caller)) return false
    return !(row.changes && outcome === 'served' && caller.hasBoth)
  }
})
