// An account's own affairs: its password, the second factor, the team that it is part of.

import { describe, expect, it } from 'vitest'
import { base32, newRecoveryCodes, totpCode, totpUri } from '../../src/dashboard/account/totp.ts'
import { mailServer } from '../mail/mail-server.ts'
import { testApp } from '../support/app.ts'
import { selectRows, sql } from '../support/rows.ts'
import { codeAt, openGuardedHouse } from './second-factor-support.ts'
import { Browser, errorsOf, invite, join, openHouse, PASSWORD, repeated, type SessionView, typeOf } from './support.ts'

const app = await testApp()

const sameTransaction = sql<{ is_same: boolean }>`
  select a.xmin = j.xmin as is_same
  from dashboard_accounts a
  join jobs j on j.merchant_id = a.merchant_id and j.payload ->> 'accountId' = a.id and j.payload ->> 'type' = 'invitation'
  where a.merchant_id = :merchant_id and a.email = :email`

describe('a password', () => {
  it('is changed by who knows the one before; other sessions end, and this one goes on under another id', async () => {
    const house = await openHouse(app)
    const [browser, other] = [await house.owner(), await house.owner()]
    const before = browser.jar.get('cartwright') ?? ''
    const wrong = await browser.send('POST', 'password', { body: { current: 'x', password: PASSWORD } })
    expect([wrong.status, errorsOf(wrong)]).toEqual([422, { current: ['current is not your password.'] }])
    await browser.succeed(200, 'POST', 'password', { body: { current: house.password, password: PASSWORD } })
    expect(browser.jar.get('cartwright')).not.toBe(before)
    await browser.succeed(200, 'GET', 'session')
    expect((await other.send('GET', 'session')).status).toBe(401)
    const thief = new Browser(app)
    thief.jar.set('cartwright', before)
    expect((await thief.send('GET', 'session')).status).toBe(401)
    expect((await new Browser(app).logIn(house.email, house.password)).status).toBe(401)
    expect((await new Browser(app).logIn(house.email, PASSWORD)).status).toBe(200)
  })

  it.each([
    ['too short', 'short', 'password must have at least 10 characters.'],
    ['the address', 'me@example.com!', 'password must not contain the e-mail address.'],
  ])('is refused that is %s', async (_, password, sentence) => {
    const house = await openHouse(app, { email: 'me@example.com' })
    const browser = await house.owner()
    const told = await browser.send('POST', 'password', { body: { current: house.password, password } })
    expect([told.status, errorsOf(told)]).toEqual([422, { password: [sentence] }])
  })

  it('that was guessed in an open session waits like a login', async () => {
    const house = await openHouse(app)
    const browser = await house.owner()
    const change = () => browser.send('POST', 'password', { body: { current: 'x', password: PASSWORD } })
    expect(await repeated(6, change)).toEqual([422, 422, 422, 422, 422, 429])
  })
})

describe('a forgotten password', () => {
  it('is asked for in the same way for everybody', async () => {
    const house = await openHouse(app)
    for (const email of [house.email, 'nobody@example.com']) {
      const told = await new Browser(app).send('POST', 'password-reset', { body: { email } })
      expect([told.status, told.body]).toEqual([202, { sends_mail: false }])
    }
    type Job = { payload: { email: string } }
    const jobs = await selectRows<Job>(app.db, 'payload from jobs', { kind: 'dashboard.reset' })
    expect(jobs.map(({ payload }) => payload.email)).toEqual(
      expect.arrayContaining([house.email, 'nobody@example.com']),
    )
  })

  it('is five times an hour the end of it, known or not', async () => {
    for (const email of [(await openHouse(app)).email, 'ghost@example.com']) {
      const browser = new Browser(app, { address: '127.0.0.9' })
      const ask = () => browser.send('POST', 'password-reset', { body: { email } })
      expect(await repeated(6, ask)).toEqual([202, 202, 202, 202, 202, 429])
    }
  })

  it.each(['nothing', `1x${'A'.repeat(40)}`, `999999x${'A'.repeat(40)}`, "1x' or true --"])(
    'is not set by a made-up link: %s',
    async (token) => {
      const url = `/dashboard/api/password-reset/${encodeURIComponent(token)}`
      const told = await new Browser(app).send('POST', url, { body: { password: PASSWORD } })
      expect([told.status, told.text]).toEqual([404, expect.stringContaining('This link is not valid')])
    },
  )
})

describe('the second factor', () => {
  it('reckons as RFC 6238 does', () => {
    const secret = Buffer.from('12345678901234567890')
    const at = (seconds: number) => totpCode(secret, Math.floor(seconds / 30), 'sha1', 8)
    expect([59, 1_111_111_109, 1_111_111_111, 1_234_567_890, 2_000_000_000, 20_000_000_000].map(at)).toEqual([
      '94287082',
      '07081804',
      '14050471',
      '89005924',
      '69279037',
      '65353130',
    ])
    expect(base32(Buffer.from('foobar'))).toBe('MZXW6YTBOI')
    expect(totpUri(secret, 'A & B', 'a@b.example')).toBe(
      'otpauth://totp/A%20%26%20B:a%40b.example?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=A%20%26%20B&algorithm=SHA1&digits=6&period=30',
    )
    expect(new Set(newRecoveryCodes()).size).toBe(10)
  })

  const codeNow = (secret: string) => codeAt(secret, app.clock.now())

  const guarded = () => openGuardedHouse(app)

  it('is asked for at login; a code works once, and so does a spare one', async () => {
    const { house, secret, codes } = await guarded()
    const asked = await new Browser(app).logIn(house.email, house.password)
    expect([asked.status, typeOf(asked), asked.cookies]).toEqual([401, 'second_factor', []])
    // The code that has confirmed it is used already.
    const used = await new Browser(app).logIn(house.email, house.password, { code: codeNow(secret) })
    expect([used.status, typeOf(used)]).toEqual([401, 'second_factor'])
    app.clock.advance(30)
    const code = codeNow(secret)
    expect((await new Browser(app).logIn(house.email, house.password, { code })).status).toBe(200)
    expect((await new Browser(app).logIn(house.email, house.password, { code })).status).toBe(401)
    const [spare = ''] = codes
    expect(codes).toHaveLength(10)
    const typed = spare.toLowerCase().replaceAll('-', ' ')
    expect((await new Browser(app).logIn(house.email, house.password, { code: typed })).status).toBe(200)
    expect((await new Browser(app).logIn(house.email, house.password, { code: spare })).status).toBe(401)
    // Without the password no code opens anything, nor tells that it is right.
    const [, other] = codes
    const told = await new Browser(app).logIn(house.email, 'wrong password', { code: other })
    expect([told.status, typeOf(told)]).toEqual([401, 'unauthorized'])
  })

  it('ends other sessions when it is switched on, and changes this one’s id', async () => {
    const house = await openHouse(app)
    const [browser, other] = [await house.owner(), await house.owner()]
    const before = browser.jar.get('cartwright')
    const { secret } = await browser.succeed<{ secret: string }>(200, 'POST', 'second-factor')
    const wrong = await browser.send('POST', 'second-factor/confirm', {
      body: { code: '000000', password: house.password },
    })
    expect([wrong.status, errorsOf(wrong)]).toEqual([422, { code: ['code is not the one that the app shows now.'] }])
    await browser.succeed(200, 'POST', 'second-factor/confirm', {
      body: { code: codeNow(secret), password: house.password },
    })
    expect(browser.jar.get('cartwright')).not.toBe(before)
    expect((await other.send('GET', 'session')).status).toBe(401)
  })

  it('of one code sent twice at the same moment lets one in', async () => {
    const { house, secret } = await guarded()
    app.clock.advance(30)
    const code = codeNow(secret)
    const told = await Promise.all([1, 2].map(() => new Browser(app).logIn(house.email, house.password, { code })))
    expect(told.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  it('is switched off with the password alone', async () => {
    const { house, browser } = await guarded()
    const told = await browser.send('DELETE', 'second-factor', { body: { password: 'wrong one' } })
    expect([told.status, errorsOf(told)]).toEqual([422, { password: ['password is not your password.'] }])
    expect((await browser.send('DELETE', 'second-factor', { body: {} })).status).toBe(422)
    await browser.succeed(204, 'DELETE', 'second-factor', { body: { password: house.password } })
    expect((await new Browser(app).logIn(house.email, house.password)).status).toBe(200)
  })
})

type Member = { id: string; email: string; role: string; state: string; name: string }
const team = async (browser: Browser) => (await browser.succeed<{ data: Member[] }>(200, 'GET', 'team')).data

describe('the team', () => {
  it('grows by an invitation, which is good once', async () => {
    const house = await openHouse(app)
    const owner = await house.owner()
    const body = { email: 'New@Example.com', name: 'Ada', role: 'packer' }
    const made = await owner.succeed<Member & { invitation_url: string }>(201, 'POST', 'team', { body })
    expect(made).toMatchObject({ email: 'new@example.com', name: 'Ada', role: 'packer', state: 'invited' })
    const token = /^http:\/\/localhost\/dashboard\/invitation\/(\w+)$/.exec(made.invitation_url)?.[1]
    const url = `/dashboard/api/invitations/${token}`
    expect((await new Browser(app).logIn('new@example.com', '')).status).toBe(422)
    expect((await new Browser(app).logIn('new@example.com', PASSWORD)).status).toBe(401)
    const ada = new Browser(app)
    expect(await ada.succeed(200, 'GET', url)).toEqual({
      email: 'new@example.com',
      name: 'Ada',
      role: 'packer',
      has_account: false,
      merchant: { name: 'Shop' },
    })
    const told = await Promise.all(
      [1, 2].map(() => new Browser(app).send('POST', url, { body: { name: 'Ada L.', password: PASSWORD } })),
    )
    expect(told.map(({ status }) => status).sort()).toEqual([200, 404])
    expect((await ada.send('GET', url)).status).toBe(404)
    expect(await team(owner)).toMatchObject([
      { email: house.email, role: 'owner', state: 'active' },
      { email: 'new@example.com', name: 'Ada L.', role: 'packer', state: 'active' },
    ])
    const again = await owner.send('POST', 'team', { body })
    expect([again.status, errorsOf(again)]).toEqual([
      422,
      { email: ['email belongs to somebody who is already in the team.'] },
    ])
  })

  it('has names: one of blanks is refused, when somebody is invited and when they come', async () => {
    const owner = await (await openHouse(app)).owner()
    const blank = { error: { errors: { name: ['name must not be blank.'] } } }
    for (const name of [' ', '\t\n', '\u00a0']) {
      const body = { email: 'blank@example.com', name, role: 'packer' }
      const told = await owner.send('POST', 'team', { body })
      expect([told.status, told.body]).toMatchObject([422, blank])
    }
    const at = await invite(owner, 'blank@example.com')
    const came = new Browser(app)
    const told = await came.send('POST', at, { body: { name: '  ', password: PASSWORD } })
    expect([told.status, told.body]).toMatchObject([422, blank])
    // The link is still good.
    await came.succeed(200, 'POST', at, { body: { name: 'Bo', password: PASSWORD } })
  })

  it('writes an invitation and the job of its mail in one transaction', async () => {
    const mailing = await testApp({ mailServer: (await mailServer()).settings(), publicUrl: 'https://shop.example' })
    const house = await openHouse(mailing)
    const owner = await house.owner()
    await owner.succeed(201, 'POST', 'team', { body: { email: 'one@example.com', name: 'One', role: 'packer' } })
    // Rows of one transaction: whatever dies, both are there or neither is.
    expect(await mailing.db.one(sameTransaction, { merchant_id: house.id, email: 'one@example.com' })).toEqual({
      is_same: true,
    })
  })

  it('takes an invitation back with the member, and replaces one that was lost', async () => {
    const owner = await (await openHouse(app)).owner()
    const first = await invite(owner, 'lost@example.com')
    const [, lost] = await team(owner)
    const second = await invite(owner, 'lost@example.com', 'manager')
    expect(await team(owner)).toMatchObject([{ role: 'owner' }, { id: lost?.id, role: 'manager' }])
    expect((await new Browser(app).send('GET', first)).status).toBe(404)
    expect((await new Browser(app).send('GET', second)).status).toBe(200)
    await owner.succeed(204, 'DELETE', `team/${lost?.id}`)
    expect((await new Browser(app).send('GET', second)).status).toBe(404)
  })

  it('is over for who is removed, and a role that changes ends the sessions', async () => {
    const house = await openHouse(app)
    const owner = await house.owner()
    const packer = await join(app, owner, 'packer')
    const { account } = await packer.succeed<SessionView>(200, 'GET', 'session')
    await owner.succeed(200, 'PUT', `team/${account.id}`, { body: { role: 'manager' } })
    expect((await packer.send('GET', 'session')).status).toBe(401)
    await packer.logIn(account.email, PASSWORD)
    await packer.succeed(200, 'GET', 'session')
    await owner.succeed(204, 'DELETE', `team/${account.id}`)
    expect((await packer.send('GET', 'session')).status).toBe(401)
    expect((await packer.logIn(account.email, PASSWORD)).status).toBe(401)
  })

  it('keeps its last owner, also where two leave at the same moment', async () => {
    const house = await openHouse(app)
    const owner = await house.owner()
    const [{ id } = { id: '' }] = await team(owner)
    for (const told of [
      await owner.send('PUT', `team/${id}`, { body: { role: 'packer' } }),
      await owner.send('DELETE', `team/${id}`),
    ])
      expect([told.status, typeOf(told)]).toEqual([422, 'not_valid'])
    // Who was invited as owner and has not come yet is none.
    await invite(owner, 'later@example.com', 'owner')
    expect((await owner.send('DELETE', `team/${id}`)).status).toBe(422)
    const other = await join(app, owner, 'owner')
    const { account } = await other.succeed<SessionView>(200, 'GET', 'session')
    const told = await Promise.all([owner.send('DELETE', `team/${id}`), other.send('DELETE', `team/${account.id}`)])
    expect(told.map(({ status }) => status).sort()).toEqual([204, 422])
  })

  it('is of one shop: another’s members do not exist', async () => {
    const owner = await (await openHouse(app)).owner()
    const foreign = await (await openHouse(app)).owner()
    const [{ id } = { id: '' }] = await team(foreign)
    for (const unknown of [id, 'acct_nobody']) {
      const told = [
        await owner.send('PUT', `team/${unknown}`, { body: { role: 'owner' } }),
        await owner.send('PUT', `team/${unknown}`, { body: { role: 'packer' } }),
        await owner.send('DELETE', `team/${unknown}`),
      ]
      expect(told.map(({ status }) => status)).toEqual([404, 404, 404])
      expect(new Set(told.map(({ text }) => text)).size).toBe(1)
    }
  })
})
