// The guess limiter on its own: how counters begin anew and go. Guessing itself is in test/api/discounts.

import { describe, expect, it } from 'vitest'
import { statement } from '../../src/db/db.ts'
import { checkGuess, type GuessSubject } from '../../src/limits/guesses.ts'
import { type GuardedRow, guardedLookupSql, guardedSecretSql, sweepEndedCounters } from '../../src/limits/store.ts'
import { TestClock } from '../support/app.ts'
import { testDatabase } from '../support/database.ts'

const db = await testDatabase()
const clock = new TestClock()
const start = clock.now()
const later = (seconds: number) => new Date(start.getTime() + seconds * 1_000)

const lookup = statement<GuardedRow<{ word: string }>>(
  'test.guess',
  guardedLookupSql("select 'yes' as word where :word = 'yes'"),
)
const selectCounters = statement<{ merchant_id: number; subject: string; count: number; resets_at: Date }>(
  'test.attempts',
  'select merchant_id, subject, count, resets_at from attempts order by merchant_id, subject',
)
const counters = () => db.many(selectCounters, {})

const sweep = () => sweepEndedCounters.run({ db, clock, signal: new AbortController().signal } as never)

const excess = { field: 'code', code: 'too_many_codes' } as const

const ten = (...subjects: string[]): GuessSubject[] => subjects.map((subject) => ({ subject, most: 10 }))

const guess = (word: string, merchant_id: number, ...subjects: string[]) =>
  checkGuess(db, lookup, { merchant_id, subjects: ten(...subjects), now: clock.now(), excess }, { word })
const fail = (merchant_id: number, ...subjects: string[]) => guess('no', merchant_id, ...subjects)

describe('counters', () => {
  it('count each failure once, start anew when their window has ended, and are swept after it', async () => {
    expect(await guess('yes', 1, 'b', 'a', 'b')).toEqual({ word: 'yes' })
    expect(await counters()).toEqual([])

    await fail(1, 'b', 'a', 'b')
    clock.advance(59.999)
    await Promise.all(Array.from({ length: 8 }, () => fail(1, 'a')))
    await fail(2, 'a')
    expect(await counters()).toEqual([
      { merchant_id: 1, subject: 'a', count: 9, resets_at: later(60) },
      { merchant_id: 1, subject: 'b', count: 1, resets_at: later(60) },
      { merchant_id: 2, subject: 'a', count: 1, resets_at: later(119.999) },
    ])

    clock.advance(0.001)
    await fail(1, 'a')
    const left = [
      { merchant_id: 1, subject: 'a', count: 1, resets_at: later(120) },
      { merchant_id: 2, subject: 'a', count: 1, resets_at: later(119.999) },
    ]
    expect(await sweep()).toBe(1)
    expect(await counters()).toEqual(left)
    clock.advance(60)
    expect(await sweep()).toBe(2)
    expect(await counters()).toEqual([])
  })

  it('of two subjects are counted by many at once without a deadlock, in whatever order they are named', async () => {
    const pairs = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? ['x', 'y'] : ['y', 'x']))
    const refused = (await Promise.allSettled(pairs.map((pair) => fail(3, ...pair)))).filter(
      ({ status }) => status === 'rejected',
    )
    for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toMatchObject({ status: 429 })
    expect(refused).toHaveLength(30)
  })

  it('have limits of their own, and the first that is reached refuses right and wrong alike', async () => {
    const subjects = [
      { subject: 'cart', most: 2 },
      { subject: 'network', most: 3 },
    ]
    const tryIt = (word: string, of: readonly GuessSubject[] = subjects) =>
      checkGuess(db, lookup, { merchant_id: 5, subjects: of, now: clock.now(), excess }, { word }).catch(
        ({ status }) => status,
      )
    const answers = [await tryIt('no'), await tryIt('no'), await tryIt('no'), await tryIt('yes')]
    expect(answers).toEqual([null, null, 429, 429])
    // What was refused has not counted: the network has one more.
    const other = [{ subject: 'other cart', most: 2 }, ...subjects.slice(1)]
    const further = [await tryIt('yes', other), await tryIt('no', other), await tryIt('yes', other)]
    expect(further).toEqual([{ word: 'yes' }, null, 429])
  })

  it('of what nobody can guess refuse only what is wrong', async () => {
    const secret = statement<GuardedRow<{ word: string }>>(
      'test.guess_secret',
      guardedSecretSql('select word from asked', "asked as (select 'yes' as word where :word = 'yes'),"),
    )
    const tryIt = (word: string) =>
      checkGuess(
        db,
        secret,
        { merchant_id: 6, subjects: [{ subject: 'client', most: 2 }], now: clock.now(), excess },
        { word },
      ).catch(({ status, headers }) => [status, headers['retry-after']])
    const [found, refused] = [{ word: 'yes' }, [429, '60']]
    const words = ['yes', 'no', 'no', 'no', 'yes', 'no', 'yes']
    const outcomes = []
    for (const word of words) outcomes.push(await tryIt(word))
    expect(outcomes).toEqual([found, null, null, refused, found, refused, found])
  })
})
