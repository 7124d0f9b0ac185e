// @sampled: a migration is killed at each of its statements in the proof.
// Migrations: in order, once, whole or not at all, whoever starts at the same moment and whatever kills them.

import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, it } from 'vitest'
import {
  hasEveryMigration,
  isSupportedServer,
  type Migration,
  MigrationError,
  migrate,
  readMigrations,
} from '../../src/db/migrate.ts'
import { openPool } from '../../src/db/pool.ts'
import { administer, PATIENT_POOL } from '../support/database.ts'
import { isProof } from '../support/proof.ts'

type Connection = { host: string; port: number; user: string; database: string }

/** A database in which nothing was ever done. */
async function emptyDatabase(): Promise<Connection> {
  const { template: _migrated, ...server } = inject('postgres')
  const name = `test_${randomBytes(8).toString('hex')}`
  await administer(server, `create database ${name} template template0`)
  afterAll(() => administer(server, `drop database if exists ${name} with (force)`), 30_000)
  return { ...server, database: name }
}

const migration = (name: string, sql: string): Migration => ({
  name,
  sql,
  checksum: createHash('sha256').update(sql).digest('hex'),
})

const FIRST = migration('0001_first.sql', "create table trail (step text); insert into trail values ('first')")
const SECOND = migration(
  '0002_second.sql',
  "alter table trail add column more integer; insert into trail values ('second')",
)
const THIRD = migration('0003_third.sql', "insert into trail values ('third')")
const ALL = [FIRST, SECOND, THIRD]
const NAMES = ALL.map(({ name }) => name)

const rows = async (connection: Connection, sql: string) => (await administer(connection, sql)).rows as unknown[]
const trail = (connection: Connection) => rows(connection, 'select step from trail')
const applied = (connection: Connection) =>
  rows(connection, 'select name, checksum from schema_migrations order by name')
const recorded = (migrations: readonly Migration[]) => migrations.map(({ name, checksum }) => ({ name, checksum }))
const tables = async (connection: Connection) =>
  rows(
    connection,
    `select relname from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'S', 'i') order by 1`,
  )

const expectRefusal = async (attempt: Promise<unknown>, message: string) => {
  await expect(attempt).rejects.toBeInstanceOf(MigrationError)
  await expect(attempt).rejects.toThrow(message)
}

describe('migrate', () => {
  it('applies everything to an empty database, in order, and remembers it', async () => {
    const connection = await emptyDatabase()
    expect(await migrate(connection, ALL)).toEqual(NAMES)
    expect(await trail(connection)).toEqual([{ step: 'first' }, { step: 'second' }, { step: 'third' }])
    expect(await applied(connection)).toEqual(recorded(ALL))
    expect(await migrate(connection, ALL)).toEqual([])
    expect(await trail(connection)).toHaveLength(3)
  })

  it('applies each migration once when several processes start together', async () => {
    const connection = await emptyDatabase()
    const slow = migration('0001_first.sql', `${FIRST.sql}; select pg_sleep(0.2)`)
    const results = await Promise.all(Array.from({ length: 5 }, () => migrate(connection, [slow, SECOND, THIRD])))
    expect(results.flat().sort()).toEqual(NAMES)
    expect(results.filter((names) => names.length > 0)).toHaveLength(1)
    expect(await trail(connection)).toEqual([{ step: 'first' }, { step: 'second' }, { step: 'third' }])
  })

  it('refuses a migration that was changed after it had been applied', async () => {
    const connection = await emptyDatabase()
    await migrate(connection, [FIRST, SECOND])
    const changed = migration('0001_first.sql', `${FIRST.sql} -- changed`)
    await expectRefusal(
      migrate(connection, [changed, SECOND, THIRD]),
      'The migration 0001_first.sql was changed after it had been applied to this database; restore the file and add a new migration instead.',
    )
    expect(await applied(connection)).toEqual(recorded([FIRST, SECOND]))
    expect(await trail(connection)).toHaveLength(2)
  })

  it('refuses a database with an older migration that is not known', async () => {
    const connection = await emptyDatabase()
    await migrate(connection, [FIRST, SECOND])
    await expectRefusal(
      migrate(connection, [FIRST, THIRD]),
      'The database has the migration 0002_second.sql, which this version of Cartwright does not know; start the version that was used last.',
    )
    expect(await applied(connection)).toEqual(recorded([FIRST, SECOND]))
  })

  it('tolerates a newer migration, as a rolling upgrade leaves it', async () => {
    const connection = await emptyDatabase()
    await migrate(connection, ALL)
    expect(await migrate(connection, [FIRST, SECOND])).toEqual([])
    expect(await applied(connection)).toEqual(recorded(ALL))
  })

  it('leaves nothing of a migration that fails, keeps those before it, and finishes when it is mended', async () => {
    const connection = await emptyDatabase()
    const broken = migration(
      '0002_second.sql',
      "create table half (id integer); insert into trail values ('half'); select 1 / 0",
    )
    const message = 'The migration 0002_second.sql failed: division by zero'
    await expectRefusal(migrate(connection, [FIRST, broken, THIRD]), message)
    expect(await applied(connection)).toEqual(recorded([FIRST]))
    expect(await trail(connection)).toEqual([{ step: 'first' }])
    expect(await rows(connection, `select to_regclass('half') as half`)).toEqual([{ half: null }])

    expect(await migrate(connection, ALL)).toEqual(['0002_second.sql', '0003_third.sql'])
    expect(await applied(connection)).toEqual(recorded(ALL))
  })

  it('waits for the one that is migrating, and goes on when that one dies', async () => {
    const connection = await emptyDatabase()
    const endless = migration('0001_first.sql', `${FIRST.sql}; select pg_sleep(30)`)
    const dying = migrate(connection, [endless]).catch((error: unknown) => error)
    await expect.poll(() => migrating(connection)).toHaveLength(1)
    const waiting = migrate(connection, ALL)
    await expect.poll(() => migrating(connection)).toHaveLength(2)
    await administer(
      connection,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'cartwright migrate' and query like '%pg_sleep%'`,
    )
    expect(await dying).toBeInstanceOf(MigrationError)
    expect(await waiting).toEqual(NAMES)
  })

  const migrating = (connection: Connection) =>
    rows(
      connection,
      `select pid from pg_stat_activity where datname = current_database() and application_name = 'cartwright migrate'
       and state = 'active'`,
    )
})

describe('a migration killed at any of its statements', () => {
  /** Lets the server end the migrating session at the n-th change of the schema; 0 ends none. */
  const strikeAt = (connection: Connection, at: number) =>
    administer(connection, `select setval('fault.counter', 1, false); update fault.plan set at = ${at}`)

  /** The proof strikes at every second change of every migration, `npm test` at every change of the last. */
  const [STEP, LAST] = isProof ? [2, 1_000] : [1, 1]

  it('leaves nothing of itself, and the next run completes', async () => {
    const ours = await readMigrations()
    const connection = await emptyDatabase()
    await migrate(connection, ours.slice(0, -LAST))
    await administer(
      connection,
      `create schema fault; create table fault.plan (at bigint); insert into fault.plan values (0);
       -- A sequence counts on through a rollback.
       create sequence fault.counter;
       create function fault.strike() returns event_trigger language plpgsql as $$
       begin
         if nextval('fault.counter') = (select at from fault.plan) then
           perform pg_terminate_backend(pg_backend_pid());
         end if;
       end $$;
       create event trigger strike on ddl_command_end execute function fault.strike();`,
    )
    const state = async () => ({ tables: await tables(connection), applied: await applied(connection) })
    for (const [index, { name }] of ours.entries()) {
      if (index < ours.length - LAST) continue
      const before = await state()
      const attempt = async (at: number) => {
        await strikeAt(connection, at)
        return migrate(connection, ours.slice(0, index + 1)).catch((error: unknown) => error)
      }
      let at = 1
      let result = await attempt(at)
      while (result instanceof Error) {
        expect([name, at, await state()]).toEqual([name, at, before])
        at += STEP
        result = await attempt(at)
      }
      // One more than it has statements: nobody was struck, and it was completed.
      expect([result, at > 1]).toEqual([[name], true])
    }
    const whole = await emptyDatabase()
    expect(await migrate(whole, ours)).toEqual(ours.map(({ name }) => name))
    expect(await tables(connection)).toEqual(await tables(whole))
    expect(await applied(connection)).toEqual(recorded(ours))
  })
})

describe('a server', () => {
  it.each([
    [90_624, false],
    [140_023, false],
    [149_999, false],
    [150_000, true],
    [180_004, true],
  ])('is refused below PostgreSQL 15: %i is taken, %s', (number, isTaken) => {
    expect(isSupportedServer(number)).toBe(isTaken)
  })
})

describe('isCurrent', () => {
  it('is true exactly when nothing is missing, and changes nothing', async () => {
    const connection = await emptyDatabase()
    const pool = openPool(connection, { ...PATIENT_POOL, size: 1 })
    afterAll(() => pool.close())
    expect(await hasEveryMigration(pool, [])).toBe(true)
    expect(await hasEveryMigration(pool, ALL)).toBe(false)
    expect(await tables(connection)).toEqual([])
    await migrate(connection, [FIRST, SECOND])
    expect(await hasEveryMigration(pool, ALL)).toBe(false)
    await migrate(connection, ALL)
    expect(await hasEveryMigration(pool, ALL)).toBe(true)
    // An older version beside a newer one.
    expect(await hasEveryMigration(pool, [FIRST])).toBe(true)
  })
})

describe('readMigrations', () => {
  it('reads the SQL files of a folder in the order of their names, and nothing else', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cartwright-migrations-'))
    afterAll(() => rm(folder, { recursive: true, force: true }))
    await writeFile(join(folder, '0010_later.sql'), 'select 10')
    await writeFile(join(folder, '0002_earlier.sql'), 'select 2')
    await writeFile(join(folder, 'README.md'), 'not SQL')
    expect(await readMigrations(folder)).toEqual([
      migration('0002_earlier.sql', 'select 2'),
      migration('0010_later.sql', 'select 10'),
    ])
  })

  it('finds the first 73 as they were when their work on older rows was tested', async () => {
    const checksums = (await readMigrations()).slice(0, 73).map(({ checksum }) => checksum)
    const all = createHash('sha256').update(checksums.join()).digest('hex')
    expect(all, 'a migration never changes: write a new one').toBe(
      '835cba7fbae03c575c5dbc3e872c14452693a78517130a0178eeb530d0d992fb',
    )
  })

  it('finds ours, numbered without a gap', async () => {
    const names = (await readMigrations()).map(({ name }) => name)
    expect(names.length).toBeGreaterThan(0)
    names.forEach((name, index) => {
      expect(name).toMatch(new RegExp(`^${String(index + 1).padStart(4, '0')}_[a-z0-9_]+\\.sql$`))
    })
  })
})
