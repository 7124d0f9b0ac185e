// Runs after the suite, over every statement it sent: none may touch the rows of more than one merchant.
// scripts/test.js names the log, and says whether the suite ran in full; only then can something be missing from it.

import { join } from 'node:path'
import { loadModule } from 'libpg-query'
import { describe, expect, it, vi } from 'vitest'
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

vi.mock('../../src/db/db.ts', async (original) =>
  (await import('../architecture/declared.ts')).recording(await original()),
)

const { CARTWRIGHT_TEST_SENT: log, CARTWRIGHT_TEST_IS_COMPLETE: isComplete } = process.env

await loadModule()
const tables = await readTables()
const merchantTables = new Set(tables.filter(({ hasMerchantId }) => hasMerchantId).map(({ name }) => name))
const stamps = watchStamps()
const distinct = new Set<Sent>()
if (log)
  for await (const part of readLogs(log))
    for (const each of part) {
      distinct.add(each.sent)
      stamps.see(each)
    }
/** Each once, however often and in whichever way it was sent. */
const sent = [...new Map([...distinct].map((each) => [`${each.name}: ${each.text}`, each])).values()].filter(
  ({ name }) => !isOfTests(name),
)
const checked = sent.map((statement) => ({
  ...statement,
  title: statement.name ?? statement.text.replaceAll(/\s+/g, ' ').slice(0, 80),
  problems: checkStatement(statement.text, merchantTables),
}))
const localTables = new Set(tables.filter(({ hasMerchantId }) => !hasMerchantId).map(({ name }) => name))
const placed = checked.map((statement) => ({
  ...statement,
  ...checkShards(statement.text, merchantTables, localTables),
}))
const isExempt = (name: string | null) => name !== null && name in EXEMPTIONS

describe.skipIf(!log)('a statement sent by the suite', () => {
  it.each(checked.filter(({ name }) => !isExempt(name)))('stays with one merchant: $title', ({ problems, text }) => {
    expect(problems, `${text}\n`).toEqual([])
  })

  it('has a name of its own', () => {
    // Exemptions go by name; a second text under the same name would be exempt unseen.
    const names = sent.flatMap(({ name }) => name ?? [])
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })
})

describe.skipIf(!log)('on a sharded database a statement sent by the suite', () => {
  it.each(placed)('is not refused: $title', ({ refused, text }) => {
    expect(refused, `${text}\n`).toEqual([])
  })

  it.each(placed.filter(({ name }) => !(name !== null && name in NEVER_NULL)))(
    'is not refused where a parameter is null: $title',
    ({ hazards, text }) => {
      expect(hazards, `${text}\n`).toEqual([])
    },
  )

  it.each(placed.filter(({ name }) => !isExempt(name)))('goes to one shard: $title', ({ loose, text }) => {
    expect(loose, `${text}\n`).toEqual([])
  })
})

describe.skipIf(!log)('a statement with a name', () => {
  it('is known to the test of plans, so that it was run on full tables', async () => {
    const known = new Set((await knownStatements()).map(({ name }) => name))
    // These look at no rows.
    for (const name of ['begin', 'commit']) known.add(name)
    const unknown = sent.flatMap(({ name }) => (name === null || known.has(name) ? [] : name))
    expect(unknown, 'put these together in test/plans/statements.ts, too').toEqual([])
  })
})

describe.skipIf(!log)('a statement that writes', () => {
  it('was declared as src was loaded, so that its table has been looked at', async () => {
    const names = new Set((await declaredStatements()).map(({ name }) => name))
    const writing = sent.filter(({ text }) => writtenBy(text).length > 0)
    const late = writing.filter(({ name }) => name === null || !names.has(name)).map(({ name, text }) => name ?? text)
    expect(late, 'declare these outside of functions: test/architecture.test.ts asks whose tables they write').toEqual(
      [],
    )
  })
})

describe.skipIf(!log)('a transaction committed by the suite', () => {
  it('has raised the stamps of what it changed of the catalogue', () => {
    expect([...stamps.forgotten]).toEqual([])
  })
})

describe.skipIf(!log || !isComplete)('after the whole suite', () => {
  it('every exemption excuses a statement', () => {
    const excused = new Set(checked.filter(({ problems }) => problems.length > 0).map(({ name }) => name))
    const idle = Object.keys(EXEMPTIONS).filter((name) => !excused.has(name))
    expect(idle, 'take these out of test/tenancy/exemptions.ts, or test what sends them').toEqual([])
  })

  it('every statement whose parameters are never null has one that would do harm', () => {
    const harmful = new Set(placed.filter(({ hazards }) => hazards.length > 0).map(({ name }) => name))
    expect(Object.keys(NEVER_NULL).filter((name) => !harmful.has(name))).toEqual([])
  })

  it('every statement that needs no stamp has been sent', () => {
    const names = new Set(sent.map(({ name }) => name))
    expect(Object.keys(SHOW_NOTHING).filter((name) => !names.has(name))).toEqual([])
  })

  it('every statement of the source has been sent, so that it was checked', () => {
    const names = new Set(sent.map(({ name }) => name))
    const declared = readSource(join(import.meta.dirname, '../../src')).flatMap(statementNames)
    expect(declared).not.toEqual([])
    const unsent = declared.filter((name) => !names.has(name))
    expect(unsent, 'write a test that makes the service send these, or delete them').toEqual([])
  })
})
