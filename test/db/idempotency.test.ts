// The table of Idempotency-Keys on its own: who gets a key, for how long, and what becomes of it.

import { beforeEach, describe, expect, it } from 'vitest'
import { createMerchant } from '../../src/api/merchants/merchant.ts'
import { statement } from '../../src/db/db.ts'
import {
  type Claim,
  claimKey,
  freeKey,
  type KeyScope,
  renewKey,
  storeAnswer,
  sweepOldIdempotencyKeys,
} from '../../src/http/endpoint/idempotency-store.ts'
import { TestClock } from '../support/app.ts'
import { testDatabase } from '../support/database.ts'

const db = await testDatabase({ size: 8 })
const start = new TestClock().now()
const at = (seconds: number) => new Date(start.getTime() + seconds * 1_000)
const { id: merchant_id } = await db.transaction((tx) =>
  createMerchant(tx, new TestClock(), { name: 'Shop', email: 'one@example.com' } as never),
)

const DAY = 86_400
const digest = (text: string) => Buffer.from(text.padEnd(32, '.'))
const scope: KeyScope = { merchant_id, is_sandbox: true, route: 'POST /v1/things', key: 'k' }
const ANSWER = { status: 201, version: 'v1', body: '{"ok":true}' }

/** A request that arrives `seconds` after the start and may run for fifty. */
const claimAt = async (seconds: number, where: Partial<KeyScope> = {}, text = 'a') => {
  const claim: Claim = { ...scope, ...where, claimedAt: at(seconds) }
  return { claim, found: await claimKey(db, claim, digest(text), at(seconds + 50)) }
}

/** What so many find who ask at once. */
const statesOf = async (count: number, ask: () => ReturnType<typeof claimAt>) =>
  (await Promise.all(Array.from({ length: count }, ask))).map(({ found }) => found.state).sort()

const clear = statement('test.clear_keys', 'delete from idempotency_keys')
const selectKeys = statement<{ key: string; status: number | null; running_until: Date | null }>(
  'test.keys',
  'select key, status, running_until from idempotency_keys order by key',
)
const countWaiting = statement<{ count: number }>(
  'test.waiting',
  "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
)
beforeEach(() => db.run(clear, {}))

describe('a key', () => {
  it('whose request has died goes to one other when its time is over, and the dead one can no longer answer', async () => {
    const { claim: dead } = await claimAt(0)
    // With another body, even: nobody knows of the first any more.
    expect(await statesOf(20, () => claimAt(50, {}, 'b'))).toEqual(['claimed', ...Array(19).fill('running')])
    expect([await storeAnswer(db, dead, ANSWER), await freeKey(db, dead)]).toEqual([false, false])
    expect((await claimAt(60, {}, 'b')).found).toEqual({ state: 'running' })
    const large = { ...ANSWER, body: null, resultId: 'ord_1' }
    expect(await storeAnswer(db, { ...dead, claimedAt: at(50) }, large)).toBe(true)
    expect((await claimAt(200, {}, 'b')).found).toEqual({ state: 'answered', answer: large })
  })

  it('is held for longer by a request that renews it, unless another has taken it or it was let go of', async () => {
    const { claim } = await claimAt(0)
    expect(await renewKey(db, claim, at(90))).toBe(true)
    expect((await claimAt(89.999)).found).toEqual({ state: 'running' })
    const { claim: second, found } = await claimAt(90)
    expect([found.state, await renewKey(db, claim, at(200))]).toEqual(['claimed', false])
    await storeAnswer(db, second, ANSWER)
    expect(await renewKey(db, second, at(200))).toBe(false)
    expect((await claimAt(91)).found).toEqual({ state: 'answered', answer: ANSWER })
  })

  it('is remembered for a day, whether or not the sweep comes', async () => {
    const { claim } = await claimAt(0)
    await storeAnswer(db, claim, ANSWER)
    expect((await claimAt(DAY - 0.001)).found).toEqual({ state: 'answered', answer: ANSWER })
    expect(await statesOf(20, () => claimAt(DAY))).toEqual(['claimed', ...Array(19).fill('running')])
  })

  it.each([
    ['nobody had', null, 1],
    ['a dead request had', null, 50],
    ['a request had a day ago', ANSWER, DAY],
  ])(
    'that %s and somebody takes at this very moment is held by him, for whoever asks',
    async (_who, answer, moment) => {
      if (moment > 1) {
        const { claim } = await claimAt(0)
        if (answer !== null) await storeAnswer(db, claim, answer)
      }
      const second = await db.transaction(async (tx) => {
        const winner: Claim = { ...scope, claimedAt: at(moment) }
        expect(await claimKey(tx, winner, digest('b'), at(moment + 50))).toEqual({ state: 'claimed' })
        const asked = [claimAt(moment), claimAt(moment, {}, 'c')]
        // They have seen the key as it was, and wait for what becomes of it.
        await expect.poll(async () => (await db.one(countWaiting, {})).count).toBe(2)
        return asked
      })
      for (const { found } of await Promise.all(second)) expect(found).toEqual({ state: 'running' })
    },
  )
})

describe('the sweep', () => {
  it('deletes what is a day old, answered or not, and leaves the rest', async () => {
    for (const [key, age] of [
      ['old', DAY],
      ['died', DAY + 1],
      ['young', DAY - 1],
    ] as const) {
      const { claim } = await claimAt(-age, { key })
      if (key !== 'died') await storeAnswer(db, claim, ANSWER)
    }
    await claimAt(0, { key: 'running' })
    const context = { db, clock: new TestClock(), signal: new AbortController().signal }
    expect(await sweepOldIdempotencyKeys.run(context)).toBe(2)
    expect(await db.many(selectKeys, {})).toEqual([
      { key: 'running', status: null, running_until: at(50) },
      { key: 'young', status: 201, running_until: null },
    ])
  })
})
