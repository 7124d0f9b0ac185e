// Guesses by somebody who has an account of the same address in a shop of their own: nothing they do there gives them further guesses elsewhere.

import { describe, expect, it } from 'vitest'
import { resetByOperator } from '../../src/dashboard/account/password.ts'
import { findAccountsByEmail } from '../../src/dashboard/store.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { cloneDatabase } from '../support/database.ts'
import { codeAt, openGuardedHouse, switchOnSecondFactor } from './second-factor-support.ts'
import { Browser, errorsOf, invite, openHouse, PASSWORD, repeated, type Told, typeOf } from './support.ts'

const connection = await cloneDatabase()
const app = await testApp({ connection })
const other = await testApp({ connection, clock: app.clock } as never)

const statusesOf = (told: readonly Told[]) => told.map(({ status }) => status)

let people = 0
let places = 0

const newAddress = () => `victim${++people}@example.com`
/** Networks that nobody has guessed from yet. */
const newPlace = () => `127.${++places}.0.1`

/** A shop of the attacker, who invites the address and accepts the invitation before it has an account elsewhere. */
async function openTrap(email: string, usual = { address: newPlace() }) {
  const owner = await (await openHouse(app)).owner()
  const url = await invite(owner, email)
  const browser = new Browser(app, usual)
  await browser.succeed(200, 'POST', url, { body: { name: 'Not me', password: PASSWORD } })
  const { merchant } = await browser.succeed<{ merchant: { id: number } }>(200, 'GET', 'session')
  return { browser, merchant_id: merchant.id }
}

describe('an attacker with an account of the same address', () => {
  it.each([
    ['in the same browser, naming no shop', false],
    ['in a new browser each time, naming the shop', true],
  ])('gets no more guesses by logging in to it between them, %s', async (_, namesShop) => {
    const email = newAddress()
    const address = newPlace()
    const { browser, merchant_id } = await openTrap(email, { address })
    const victim = await openHouse(app, { email })
    const more = namesShop ? { merchant_id: victim.id } : {}
    const guess = async (time: number) => {
      const told = await browser.logIn(email, `wrong password ${time}`, more)
      const own = namesShop ? new Browser(app, { address }) : browser
      await own.logIn(email, PASSWORD, { merchant_id })
      return told
    }
    expect(await repeated(8, guess)).toEqual([401, 401, 401, 401, 401, 429, 429, 429])
    // The password of the victim is not compared either.
    expect((await browser.logIn(email, victim.password, more)).status).toBe(429)
    // The attacker's own account still opens, and the victim's own browser does.
    expect((await browser.logIn(email, PASSWORD, { merchant_id })).status).toBe(200)
    expect((await new Browser(app, { address: newPlace() }).logIn(email, victim.password, more)).status).toBe(200)
  })

  it('gets five guesses when all are sent at once, to two processes', async () => {
    const email = newAddress()
    const { browser, merchant_id } = await openTrap(email)
    const victim = await openHouse(app, { email })
    const second = (served: TestApp) => {
      const copy = new Browser(served, { address: `127.${places}.0.1` })
      for (const [name, value] of browser.jar) copy.jar.set(name, value)
      return copy
    }
    const told = await Promise.all(
      [app, other].flatMap((served) =>
        Array.from({ length: 8 }, async (__, time) => {
          const each = second(served)
          const guessed = await each.logIn(email, `wrong password ${time}`, { merchant_id: victim.id })
          await each.logIn(email, PASSWORD, { merchant_id })
          return guessed
        }),
      ),
    )
    expect(statusesOf(told).filter((status) => status === 401)).toHaveLength(5)
    expect(statusesOf(told).filter((status) => status === 429)).toHaveLength(11)
  })

  it('gets no free guess by making the guess the password of that account', async () => {
    const email = newAddress()
    const { browser, merchant_id } = await openTrap(email)
    await openHouse(app, { email })
    let current = PASSWORD
    for (let time = 0; time < 6; time++) {
      const guess = `guess number ${time}`
      await browser.succeed(200, 'POST', 'password', { body: { current, password: guess } })
      current = guess
      // Had it been the victim's too, the answer would ask which shop.
      await browser.succeed(200, 'POST', 'session', { body: { email, password: guess } })
    }
    const victim = (await findAccountsByEmail(app.db, email)).find((account) => account.merchant_id !== merchant_id)
    const told = await browser.logIn(email, 'wrong password', { merchant_id: victim?.merchant_id })
    expect(told.status).toBe(429)
  })
})

describe('an invitation that nobody has accepted', () => {
  it('makes no right login a wrong guess, in new browsers or in known ones', async () => {
    const email = newAddress()
    const house = await openHouse(app, { email })
    await invite(await (await openHouse(app)).owner(), email)
    const address = newPlace()
    const inNewBrowser = () => new Browser(app, { address }).logIn(email, house.password)
    const known = new Browser(app, { address })
    const told: Told[] = []
    for (let time = 0; time < 7; time++) told.push(await inNewBrowser(), await known.logIn(email, house.password))
    expect(new Set(statusesOf(told))).toEqual(new Set([200]))
    // All five free guesses are left.
    const wrong = await repeated(6, () => new Browser(app, { address }).logIn(email, 'wrong password'))
    expect(wrong).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('is answered and counted as an address that nobody has', async () => {
    const invited = newAddress()
    const inviter = await openHouse(app)
    await invite(await inviter.owner(), invited)
    const guess = async (email: string, more: Record<string, unknown>) => {
      const address = newPlace()
      const told: Told[] = []
      for (let time = 0; time < 6; time++)
        told.push(await new Browser(app, { address }).logIn(email, 'wrong password', more))
      return told.map(({ status, body }) => [status, body])
    }
    for (const more of [{}, { merchant_id: inviter.id }])
      expect(await guess(invited, more)).toEqual(await guess(newAddress(), more))
  })
})

describe('wrong codes', () => {
  const guarded = () => openGuardedHouse(app, { address: newPlace() })

  it('are counted by the account: the right password, a login elsewhere and another place give no more', async () => {
    const { house } = await guarded()
    const mine = await openHouse(app, { email: house.email })
    const guesses: Told[] = []
    for (let time = 0; time < 7; time++) {
      const browser = new Browser(app, { address: newPlace() })
      guesses.push(
        await browser.logIn(house.email, house.password, { merchant_id: house.id, code: `00000${time % 10}` }),
      )
      // Neither the password without a code, nor an account of the same address, sets anything back.
      await browser.logIn(house.email, house.password, { merchant_id: house.id })
      expect((await browser.logIn(house.email, mine.password, { merchant_id: mine.id })).status).toBe(200)
    }
    expect(statusesOf(guesses)).toEqual([401, 401, 401, 401, 401, 429, 429])
    expect(guesses.at(-1)?.body).toMatchObject({
      error: { message: 'Too many wrong codes. Wait 30 seconds, then try again.' },
    })
  })

  it('are forgotten with time only, not with a right one', async () => {
    const { house, secret } = await guarded()
    app.clock.advance(30)
    const guess = (code: string) =>
      new Browser(app, { address: newPlace() }).logIn(house.email, house.password, { code })
    for (let time = 0; time < 4; time++) expect((await guess('000000')).status).toBe(401)
    expect((await guess(codeAt(secret, app.clock.now()))).status).toBe(200)
    expect((await guess('000000')).status).toBe(401)
    expect([(await guess('000000')).status, (await guess('000000')).headers['retry-after']]).toEqual([429, '30'])
    for (const seconds of [30, 60, 120]) {
      app.clock.advance(seconds)
      expect((await guess('000000')).status).toBe(401)
    }
    app.clock.advance(24 * 3_600)
    for (let time = 0; time < 4; time++) expect((await guess('000000')).status).toBe(401)
    app.clock.advance(30)
    expect((await guess(codeAt(secret, app.clock.now()))).status).toBe(200)
  })

  it('of whoever knows the password do not keep the owner out of a known browser; nor out where the machine is theirs', async () => {
    const { house, browser, secret } = await guarded()
    for (let time = 0; time < 6; time++)
      await new Browser(app, { address: newPlace() }).logIn(house.email, house.password, { code: '000000' })
    app.clock.advance(30)
    const stranger = () => new Browser(app, { address: newPlace() })
    for (let time = 0; time < 2; time++) await stranger().logIn(house.email, house.password, { code: '000000' })
    const code = () => ({ code: codeAt(secret, app.clock.now()) })
    expect((await stranger().logIn(house.email, house.password, code())).status).toBe(429)
    expect((await browser.logIn(house.email, house.password, code())).status).toBe(200)
    const [account] = await findAccountsByEmail(app.db, house.email)
    if (account === undefined) throw new Error('The account is gone.')
    const password = await resetByOperator(app, account, false)
    app.clock.advance(30)
    expect((await stranger().logIn(house.email, password, code())).status).toBe(200)
  })

  it('sent all at once pass five times, through two processes', async () => {
    const { house } = await guarded()
    const told = await Promise.all(
      Array.from({ length: 16 }, (_, time) =>
        new Browser(time % 2 === 0 ? app : other, { address: newPlace() }).logIn(house.email, house.password, {
          code: '000000',
        }),
      ),
    )
    expect(statusesOf(told).filter((status) => status === 401)).toHaveLength(5)
    expect(statusesOf(told).filter((status) => status === 429)).toHaveLength(11)
  })
})

describe('an invitation of an address that has an account', () => {
  it('is confirmed with the password of that account, and gets a password of its own', async () => {
    const victim = await openHouse(app)
    const inviter = await (await openHouse(app, { name: 'Trap' })).owner()
    const url = await invite(inviter, victim.email)
    const attacker = new Browser(app, { address: newPlace() })
    expect(await attacker.succeed(200, 'GET', url)).toMatchObject({ email: victim.email, has_account: true })
    const body = { name: 'Me', password: PASSWORD }
    const missing = await attacker.send('POST', url, { body })
    const rule = 'account_password is required: this e-mail address already has an account here. Enter its password.'
    expect([missing.status, errorsOf(missing), missing.cookies]).toEqual([422, { account_password: [rule] }, []])
    const wrong = await attacker.send('POST', url, { body: { ...body, account_password: PASSWORD } })
    const other = 'account_password is not the password of an account with this e-mail address.'
    expect([wrong.status, errorsOf(wrong), wrong.cookies]).toEqual([422, { account_password: [other] }, []])
    expect((await attacker.logIn(victim.email, PASSWORD)).status).toBe(401)
    // These are guesses at the account, and limited like others.
    const guess = () => attacker.send('POST', url, { body: { ...body, account_password: 'wrong password' } })
    expect(await repeated(4, guess)).toEqual([422, 422, 422, 429])

    const owner = new Browser(app, { address: newPlace() })
    await owner.succeed(200, 'POST', url, { body: { ...body, account_password: victim.password } })
    expect((await owner.logIn(victim.email, PASSWORD)).body).toMatchObject({ merchant: { name: 'Trap' } })
    expect((await owner.logIn(victim.email, victim.password)).body).toMatchObject({ merchant: { id: victim.id } })
  })

  it('asks for the second factor of that account, whose wrong codes are limited', async () => {
    const victim = await openHouse(app)
    const { secret } = await switchOnSecondFactor(app, await victim.owner(), victim.password)
    const url = await invite(await (await openHouse(app)).owner(), victim.email)
    const browser = new Browser(app, { address: newPlace() })
    const body = { name: 'Me', password: PASSWORD, account_password: victim.password }
    const asked = await browser.send('POST', url, { body })
    expect([asked.status, typeOf(asked), asked.cookies]).toEqual([401, 'second_factor', []])
    const guess = () => browser.send('POST', url, { body: { ...body, code: '000000' } })
    expect(await repeated(6, guess)).toEqual([401, 401, 401, 401, 401, 429])
    app.clock.advance(30)
    await browser.succeed(200, 'POST', url, { body: { ...body, code: codeAt(secret, app.clock.now()) } })
  })

  it('is confirmed also if the account was made after the invitation', async () => {
    const email = newAddress()
    const url = await invite(await (await openHouse(app)).owner(), email)
    const body = { name: 'Me', password: PASSWORD }
    await openHouse(app, { email })
    expect((await new Browser(app).send('POST', url, { body })).status).toBe(422)
  })

  it('of two that are accepted at the same moment is confirmed by the second', async () => {
    const email = newAddress()
    const urls = [
      await invite(await (await openHouse(app)).owner(), email),
      await invite(await (await openHouse(app)).owner(), email),
    ]
    const told = await Promise.all(
      urls.map((url) => new Browser(app).send('POST', url, { body: { name: 'Me', password: PASSWORD } })),
    )
    expect(statusesOf(told).sort()).toEqual([200, 422])
  })

  it('gives whoever has squatted the address nothing in the shop that invites it later', async () => {
    const email = newAddress()
    const { browser } = await openTrap(email)
    const victim = await openHouse(app)
    const url = await invite(await victim.owner(), email)
    // The invited person got the squatted account back by the operator, and confirms with it.
    const [squatted] = await findAccountsByEmail(app.db, email)
    if (squatted === undefined) throw new Error('The account is gone.')
    const password = await resetByOperator(app, squatted, true)
    await new Browser(app, { address: newPlace() }).succeed(200, 'POST', url, {
      body: { name: 'Really me', password: 'a password of my own', account_password: password },
    })
    expect((await browser.logIn(email, PASSWORD, { merchant_id: victim.id })).status).toBe(401)
    // A password that others know opens the account that it was confirmed with, and not the new one.
    expect((await browser.logIn(email, password, { merchant_id: victim.id })).status).toBe(401)
  })
})

it('turning on the second factor asks for the password, and changes nothing without it', async () => {
  const house = await openHouse(app)
  const browser = await house.owner()
  const { secret } = await browser.succeed<{ secret: string }>(200, 'POST', 'second-factor')
  const code = codeAt(secret, app.clock.now())
  const confirm = (body: object) => browser.send('POST', 'second-factor/confirm', { body })
  const missing = await confirm({ code })
  expect([missing.status, errorsOf(missing)]).toEqual([422, { password: ['password is required.'] }])
  const wrong = await confirm({ code, password: 'wrong password' })
  expect([wrong.status, errorsOf(wrong)]).toEqual([422, { password: ['password is not your password.'] }])
  expect((await new Browser(app).logIn(house.email, house.password)).status).toBe(200)
  expect(await repeated(5, () => confirm({ code, password: 'wrong password' }))).toEqual([422, 422, 422, 422, 429])
})
