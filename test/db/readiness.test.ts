// @unit
// Readiness is asked by anybody, as often as they like: what it costs the database, and what it says. A stand-in takes the database's place.

import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Database, Statement } from '../../src/db/db.ts'
import { watchReadiness } from '../../src/db/health/readiness.ts'
import type { Migration } from '../../src/db/migrate.ts'
import { unavailable } from '../../src/lib/errors.ts'

const FIRST: Migration = { name: '0001_first.sql', sql: '', checksum: 'a' }

afterEach(() => vi.useRealTimers())

function setUp() {
  vi.useFakeTimers({ toFake: ['performance'] })
  const state = { beats: 0, statements: 0, applied: [FIRST], failure: null as Error | null, held: Promise.resolve() }
  const answer = async (rows: unknown) => {
    state.statements++
    await state.held
    return rows
  }
  const db = {
    one: (_: Statement<unknown>) => answer({ exists: true }),
    many: (_: Statement<unknown>) => answer(state.applied),
  } as unknown as Database
  const beat = async () => {
    state.beats++
    if (state.failure) throw state.failure
  }
  return { state, readiness: watchReadiness(db, { beat }, [FIRST]) }
}

describe('one check', () => {
  it('serves all who ask while it runs, and for a second after', async () => {
    const { state, readiness } = setUp()
    const answers = await Promise.all(Array.from({ length: 50 }, () => readiness.get()))
    expect(answers).toEqual(Array(50).fill({ ready: true }))
    vi.advanceTimersByTime(999)
    expect(await readiness.get()).toEqual({ ready: true })
    expect(state).toMatchObject({ beats: 1, statements: 2 })
    vi.advanceTimersByTime(1)
    await readiness.get()
    expect(state).toMatchObject({ beats: 2, statements: 4 })
  })

  it('is made anew at once when a connection was lost, also while it ran', async () => {
    const { state, readiness } = setUp()
    await readiness.get()
    readiness.forget()
    let answer = () => {}
    state.held = new Promise((resolve) => {
      answer = resolve
    })
    const before = readiness.get()
    readiness.forget()
    answer()
    expect(await before).toEqual({ ready: true })
    state.failure = unavailable('gone')
    expect(await readiness.get()).toEqual({ ready: false, reason: 'The database cannot be reached.' })
    expect(state.beats).toBe(3)
  })
})

describe('what is not ready', () => {
  it('says that the database cannot be reached, for a second, and then that it can; or which migration is not ours', async () => {
    const { state, readiness } = setUp()
    state.failure = unavailable('gone')
    expect(await readiness.get()).toEqual({ ready: false, reason: 'The database cannot be reached.' })
    state.failure = null
    expect(await readiness.get()).toMatchObject({ ready: false })
    vi.advanceTimersByTime(1_000)
    expect(await readiness.get()).toEqual({ ready: true })
    state.applied = [{ ...FIRST, checksum: 'b' }]
    readiness.forget()
    const reason = expect.stringContaining('The migration 0001_first.sql was changed')
    expect(await readiness.get()).toEqual({ ready: false, reason })
  })
})
