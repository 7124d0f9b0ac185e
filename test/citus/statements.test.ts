// Plans every statement of the service on the Citus cluster: each goes to one shard, or test/tenancy/exemptions.ts lists it.

import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { knownStatements } from '../plans/statements.ts'
import { cloneDatabase } from '../support/database.ts'
import { EXEMPTIONS } from '../tenancy/exemptions.ts'

const isSharded = inject('nodes').length > 0
const statements = isSharded ? await knownStatements() : []

/** A value of each type that statements take; which one makes no difference to where they go. */
const VALUES: Readonly<Record<string, string>> = {
  integer: '1',
  smallint: '1',
  bigint: '1',
  'double precision': '1',
  numeric: '1',
  text: "'x'",
  boolean: 'true',
  'timestamp with time zone': 'now()',
  json: "'[]'",
  jsonb: "'[]'",
  bytea: "'x'",
  date: "'2035-01-01'",
}

const sampleOf = (type: string) => VALUES[type] ?? `'{}'::${type}`

describe.skipIf(!isSharded)('on Citus', () => {
  let client: pg.Client
  beforeAll(async () => {
    client = new pg.Client(await cloneDatabase())
    await client.connect()
    await client.query('set enable_seqscan = off')
  })
  afterAll(() => client.end())

  it.each(statements)('$name goes where it should', async ({ name, text }) => {
    await client.query(`prepare "${name}" as ${text}`)
    const { rows } = await client.query<{ types: string[] }>(
      'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
      [name],
    )
    const values = rows[0]?.types.map(sampleOf) ?? []
    const plan = await client.query(
      `explain (costs off) execute "${name}"${values.length > 0 ? `(${values.join(', ')})` : ''}`,
    )
    const lines = plan.rows.map((row) => row['QUERY PLAN'] as string)
    // Several steps are fine, each on one shard.
    const tasks = lines.flatMap((line) => /Task Count: (\d+)/.exec(line)?.[1] ?? [])
    const goesToAll = tasks.some((count) => Number(count) > 1)
    expect(goesToAll, lines.join('\n')).toBe(goesToAll && name in EXEMPTIONS)
  })
})
