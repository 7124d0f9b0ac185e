// What comparing passwords costs, counted in the work that is done and not in time: each scrypt takes a tenth of a second and 32 MB.

import { createHook } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/api/merchants/merchant.ts'
import { hashPasswordInSlot } from '../../src/dashboard/account/password.ts'
import { testApp } from '../support/app.ts'
import { changeRows } from '../support/rows.ts'
import { Browser, openHouse } from './support.ts'

const app = await testApp()

/** How many scrypts `work` has begun, and how many of them ran at the same moment at most. */
async function scryptsOf(work: () => Promise<unknown>): Promise<{ begun: number; atOnce: number }> {
  const running = new Set<number>()
  const seen = { begun: 0, atOnce: 0 }
  const hook = createHook({
    init(id, type) {
      if (type !== 'SCRYPTREQUEST') return
      running.add(id)
      seen.begun += 1
      seen.atOnce = Math.max(seen.atOnce, running.size)
    },
    // It is done, and tells so.
    before(id) {
      running.delete(id)
    },
  }).enable()
  try {
    await work()
  } finally {
    hook.disable()
  }
  return seen
}

/** From a place of its own, so that nobody waits for the guesses of others. */
let places = 0
const logIn = (email: string, password: string) =>
  new Browser(app, { address: `127.0.1.${++places}` }).logIn(email, password)

describe('comparing passwords', () => {
  it('is the same work for an address that nobody has as for a wrong password and the right one', async () => {
    const house = await openHouse(app)
    // What nobody's password is compared with is made once.
    await logIn('first@example.com', 'wrong password')
    const tried = [
      [house.email, house.password, 200],
      [house.email, 'wrong password', 401],
      ['ghost@example.com', 'wrong password', 401],
      ['no address at all', 'wrong password', 401],
    ] as const
    for (const [email, password, status] of tried) {
      let told = 0
      const { begun } = await scryptsOf(async () => {
        told = (await logIn(email, password)).status
      })
      expect([email, told, begun]).toEqual([email, status, 1])
    }
  })

  it('is the same work where an address has accounts in several shops, also from before they shared their salt', async () => {
    await logIn('first@example.com', 'wrong password')
    const email = 'many@example.com'
    const shops = [await openHouse(app, { email }), await openHouse(app, { email }), await openHouse(app, { email })]
    const begunBy = async (password: string, more: object, status: number) => {
      let told: unknown
      const { begun } = await scryptsOf(async () => {
        const answer = await new Browser(app, { address: `127.0.1.${++places}` }).logIn(email, password, { ...more })
        told = answer.status
      })
      expect(told).toBe(status)
      return begun
    }
    expect(await begunBy('wrong password', {}, 401)).toBe(1)
    for (const { password } of shops) expect(await begunBy(password, {}, 200)).toBe(1)
    // One from before: it is hashed on its own until its owner has come.
    const [, second] = shops
    const old = await hashPassword(second?.password ?? '')
    const where = { merchant_id: second?.id, email }
    await changeRows(app.db, 'update dashboard_accounts set password_hash = :old', where, { old })
    expect(await begunBy('wrong password', {}, 401)).toBe(2)
    expect(await begunBy(second?.password ?? '', {}, 200)).toBe(3)
    expect(await begunBy('wrong password', {}, 401)).toBe(1)
    expect(await begunBy(second?.password ?? '', {}, 200)).toBe(1)
  })

  it('is done for two at once, however many come in the same moment, and all are answered', async () => {
    const houses = await Promise.all(Array.from({ length: 4 }, () => openHouse(app)))
    const statuses: number[] = []
    const { begun, atOnce } = await scryptsOf(async () => {
      const told = await Promise.all([
        ...houses.map(({ email, password }) => logIn(email, password)),
        ...houses.map(({ email }) => logIn(email, 'wrong password')),
        ...houses.map((_, index) => logIn(`nobody${index}@example.com`, 'wrong password')),
      ])
      statuses.push(...told.map(({ status }) => status))
    })
    expect(statuses).toEqual([200, 200, 200, 200, 401, 401, 401, 401, 401, 401, 401, 401])
    expect({ begun, atOnce }).toEqual({ begun: 12, atOnce: 2 })
  })

  it('turns away those for whom there is no room to wait, and goes on once there is', async () => {
    const house = await openHouse(app)
    const told = await Promise.allSettled(Array.from({ length: 50 }, () => hashPasswordInSlot('wrong password')))
    const away = told.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    // Two that are compared, and forty that wait.
    const refusal = { status: 503, message: 'Too many people log in at the moment. Try again in a second.' }
    expect(away).toMatchObject(Array(8).fill(refusal))
    expect((await logIn(house.email, house.password)).status).toBe(200)
  })
})
