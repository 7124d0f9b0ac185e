// Runs after the tests, over every statement that they sent: none may touch the rows of more than one merchant.
// CARTWRIGHT_TEST_SENT names the folder of the logs. CARTWRIGHT_TEST_WHOLE is `test` after a complete `npm test` that passed, which records
// the statements sent. It is `proof` after a complete `npm run proof`: a statement that neither of the two sent is then an error.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadModule } from 'libpg-query'
import { describe, expect, it } from 'vitest'
import { declaredStatements } from '../architecture/declared.ts'
import { readSource, statementNames } from '../architecture/source.ts'
import { writtenBy } from '../architecture/tables.ts'
import { checkShards } from '../citus/check-shards.ts'
import { knownStatements } from '../plans/statements.ts'
import { checkStatement } from './check-statement.ts'
import { EXEMPTIONS, isOfTests, NEVER_NULL } from './exemptions.ts'
import { readLogs, type Sent } from './sent-statements.ts'
import { SHOW_NOTHING, watchStamps } from './stamps.ts'
import { readTables } from './tables.ts'

const { CARTWRIGHT_TEST_SENT: log, CARTWRIGHT_TEST_WHOLE: whole } = process.env

await loadModule()
const tables = await readTables()
const merchantTables = new Set(tables.filter(({ hasMerchantId }) => hasMerchantId).map(({ name }) => name))
const localTables = new Set(tables.filter(({ hasMerchantId }) => !hasMerchantId).map(({ name }) => name))
const stamps = watchStamps()
const distinct = new Set<Sent>()
if (log)
  for await (const part of readLogs(log))
    for (const each of part) {
      distinct.add(each.sent)
      stamps.see(each)
    }
/** Each statement once, however often it was sent. */
const sent = [...new Map([...distinct].map((each) => [`${each.name}: ${each.text}`, each])).values()].filter(
  ({ name }) => !isOfTests(name),
)
const checked = sent.map((statement) => ({
  ...statement,
  problems: checkStatement(statement.text, merchantTables),
  ...checkShards(statement.text, merchantTables, localTables),
}))
const isIn = (names: object, name: string | null) => name !== null && name in names

type Problems = 'problems' | 'refused' | 'hazards' | 'loose'

/** Returns the statements with a problem, except the exempt ones. */
const withProblems = (which: Problems, exempt: object = {}) =>
  checked
    .filter(({ name, [which]: problems }) => problems.length > 0 && !isIn(exempt, name))
    .map(({ name, text, [which]: problems }) => ({ name, text, problems }))

describe.skipIf(!log)('a statement that the tests sent', () => {
  it('stays with one merchant', () => {
    expect(withProblems('problems', EXEMPTIONS)).toEqual([])
  })

  it('has a name of its own', () => {
    // Exemptions use names; a second text under the same name would be exempt unnoticed.
    const names = sent.flatMap(({ name }) => name ?? [])
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it('is not refused on a sharded database', () => {
    expect(withProblems('refused')).toEqual([])
  })

  it('is not refused on a sharded database where a parameter is null', () => {
    expect(withProblems('hazards', NEVER_NULL)).toEqual([])
  })

  it('goes to one shard of a sharded database', () => {
    expect(withProblems('loose', EXEMPTIONS)).toEqual([])
  })

  it('is known to the test of plans, so that it was run on full tables', async () => {
    const known = new Set((await knownStatements()).map(({ name }) => name))
    // These read no rows.
    for (const name of ['begin', 'commit']) known.add(name)
    const unknown = sent.flatMap(({ name }) => (name === null || known.has(name) ? [] : name))
    expect(unknown, 'put these together in test/plans/statements.ts, too').toEqual([])
  })

  it('was declared as src was loaded if it writes, so that its table has been looked at', async () => {
    const names = new Set((await declaredStatements()).map(({ name }) => name))
    const writing = sent.filter(({ text }) => writtenBy(text).length > 0)
    const late = writing.filter(({ name }) => name === null || !names.has(name)).map(({ name, text }) => name ?? text)
    expect(late, 'declare these outside of functions: test/architecture.test.ts asks whose tables they write').toEqual(
      [],
    )
  })
})

describe.skipIf(!log)('a transaction that the tests committed', () => {
  it('has raised the stamps of what it changed of the catalogue', () => {
    expect([...stamps.forgotten]).toEqual([])
  })
})

/** Statement names: those sent, those that an exemption excuses, and those that a null parameter would break. */
type Seen = Record<'names' | 'excused' | 'harmful', (string | null)[]>

const seen: Seen = {
  names: sent.map(({ name }) => name),
  excused: withProblems('problems').map(({ name }) => name),
  harmful: withProblems('hazards').map(({ name }) => name),
}
const folder = join(import.meta.dirname, '../../node_modules/.cache/tests')
const record = join(folder, 'sent-by-npm-test.json')

it.runIf(log && whole === 'test')('what was sent is recorded for `npm run proof`', () => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(record, JSON.stringify(seen))
})

describe.runIf(log && whole === 'proof')('after `npm test` and `npm run proof`', () => {
  const before = whole === 'proof' ? readRecord() : null
  const inEither = (which: keyof Seen) => new Set([...(before?.[which] ?? []), ...seen[which]])

  it('there is a record of `npm test`', () => {
    expect(before, 'run `npm test` first: what it sent is not sent again').not.toBeNull()
  })

  it('every exemption excuses a statement', () => {
    const idle = Object.keys(EXEMPTIONS).filter((name) => !inEither('excused').has(name))
    expect(idle, 'take these out of test/tenancy/exemptions.ts, or test what sends them').toEqual([])
  })

  it('every statement whose parameters are never null has one that would do harm', () => {
    expect(Object.keys(NEVER_NULL).filter((name) => !inEither('harmful').has(name))).toEqual([])
  })

  it('every statement that needs no stamp has been sent', () => {
    expect(Object.keys(SHOW_NOTHING).filter((name) => !inEither('names').has(name))).toEqual([])
  })

  it('every statement of the source has been sent, so that it was checked', async () => {
    const names = readSource(join(import.meta.dirname, '../../src')).flatMap(statementNames)
    expect(names).not.toEqual([])
    const built = (await declaredStatements()).filter(({ isBuilt }) => isBuilt).map(({ name }) => name)
    expect(built).not.toEqual([])
    const sentNames = inEither('names')
    const unsent = [...new Set([...names, ...built])].filter((name) => !sentNames.has(name))
    expect(unsent, 'write a test that makes the service send these, or delete them').toEqual([])
  })

  function readRecord(): Seen | null {
    try {
      return JSON.parse(readFileSync(record, 'utf8')) as Seen
    } catch {
      return null
    }
  }
})
