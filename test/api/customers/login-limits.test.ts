// How often a login link can be asked for, and how many are mailed: nobody is kept from theirs by what others ask for.

import { describe, expect, it } from 'vitest'
import { describeWait } from '../../../src/lib/words/phrases.ts'
import { testApp } from '../../support/app.ts'
import { selectValue, setAttempts } from '../../support/rows.ts'
import { atOnce } from '../../support/shop.ts'
import { anotherClient, openShop, runLoginJobs, tokenIn } from './login-support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const { sandbox, live } = shop.keys

/** What a programmer is told besides. */
const BY_SERVER = 'They were requested with the secret key and without the Shopper-Address header.'

const tooMany = (seconds: number, ...notes: string[]) => {
  const message = `Too many login links were asked for. Please try again in ${describeWait(seconds)}.`
  const said = { message, code: 'too_many_login_links', params: { seconds }, errors: { email: [message, ...notes] } }
  return [429, String(seconds), { error: { type: 'too_many_requests', ...said }, status_code: 429 }]
}

const countFrom = async (address: string) =>
  selectValue(app.db, 'count', 'attempts', { merchant_id: shop.id, subject: `login-mail sandbox from ${address}` })

describe('links are limited', () => {
  const status = async (...request: Parameters<typeof shop.askForLink>) => {
    const { status, headers, body } = await shop.askForLink(...request)
    return status === 200 ? 200 : [status, headers['retry-after'], body]
  }

  it('to one a minute and five an hour for an address asked for from one place, known or not, and a refused one counts for nothing', async () => {
    await shop.customer('limited@example.com')
    const other = await openShop(app)
    await shop.set({ allowed_origins: ['https://shop.example'] })
    for (const email of ['limited@example.com', 'stranger@example.com']) {
      const start = app.clock.now().getTime()
      const since = () => (app.clock.now().getTime() - start) / 1_000
      const from = anotherClient()
      for (let asked = 0; asked < 5; asked++) {
        expect(await status(email, { from })).toBe(200)
        // After the fifth it is the hour that has to end.
        expect(await status(email.toUpperCase(), { from })).toEqual(tooMany(asked < 4 ? 60 : 3_360))
        app.clock.advance(60)
      }
      expect(since()).toBe(300)
      expect(await status(email, { from })).toEqual(tooMany(3_300))
      // A stranger who asks for a link keeps nobody from asking for their own.
      expect(await status(email)).toBe(200)
      expect(await status(email, { from, key: live.public })).toBe(200)
      expect((await other.askForLink(email, { from })).status).toBe(200)
      // What was refused has not been counted against the network.
      expect(await countFrom(from)).toBe(5)
      app.clock.advance(3_300)
      expect(await status(email, { from })).toBe(200)
      app.clock.advance(3_600)
    }
    await runLoginJobs(app)
  })

  it('to one place, which a network is with all its parts', async () => {
    const parts = [0x1, 0x2, 0x100, 0x2000].map((subnet) => `2001:db8:77:${subnet.toString(16)}::1`)
    expect(await status('victim@example.com', { from: parts[0] as string })).toBe(200)
    for (const from of parts) expect(await status('victim@example.com', { from })).toEqual(tooMany(60))
    await runLoginJobs(app)
  })

  it('not by what others ask for under other names of the mailbox, or to pages that the shop does not have: the owner is mailed their own', async () => {
    const own = await openShop(app)
    await own.set({ allowed_origins: ['https://shop.example'] })
    const key = own.keys.live.public
    const id = await own.customer('owner@example.com', own.keys.live.secret)
    for (let asked = 0; asked < 6; asked++) {
      expect((await own.askForLink(`owner+${asked}@example.com`, { key })).status).toBe(200)
      const nowhere = 'https://shop.example/nowhere?x={token}'
      expect((await own.askForLink('owner@example.com', { key }, nowhere)).status).toBe(200)
    }
    expect((await own.askForLink('owner@example.com', { key })).status).toBe(200)
    // Nor is the link that waits replaced by what is asked for later, be it by the shop's own server.
    const later = (page: string, by: string) =>
      own.askForLink('owner@example.com', { key: by }, `https://shop.example/${page}/{token}`)
    expect((await later('later', key)).status).toBe(200)
    expect((await later('server', own.keys.live.secret)).status).toBe(200)
    const { mails } = await runLoginJobs(app, { goesOut: true })
    expect(mails.map(({ text }) => /shop\.example\/(\w+)/.exec(text)?.[1]).sort()).toEqual([
      'later',
      'login',
      ...Array(6).fill('nowhere'),
      'server',
    ])
    const link = mails.find(({ text }) => text.includes('/login/'))
    expect((await own.exchange(tokenIn(link), { key })).body).toMatchObject({ customer_id: id })
  })

  it('to one a minute and twenty an hour of an address for a server that does not name its shoppers, and by no other name of the mailbox', async () => {
    const server = { key: sandbox.secret }
    expect(await status('served+x@example.com', server)).toBe(200)
    for (let asked = 0; asked < 20; asked++) {
      expect(await status('served@example.com', server)).toBe(200)
      expect(await status('served@example.com', server)).toEqual(tooMany(asked < 19 ? 60 : 2_460, BY_SERVER))
      app.clock.advance(60)
    }
    expect(await status('served@example.com', server)).toEqual(tooMany(2_400, BY_SERVER))
    // What anybody asks for, and what it asks for with an address, counts apart.
    expect(await status('served@example.com')).toBe(200)
    const named = { ...server, headers: { 'shopper-address': '198.51.100.3' } }
    expect(await status('served@example.com', named)).toBe(200)
    expect(await status('served@example.com', named)).toEqual(tooMany(60))
    await runLoginJobs(app)
  })

  it('to six hundred an hour for a network, with more for the wider ones, but not for a server with the secret key', async () => {
    await status('v6-0@example.com', { from: '2001:db8:1:2::1' })
    for (const [network, most, inside, outside] of [
      ['2001:db8:1:2::/64', 600, '2001:db8:1:2::99', '2001:db8:1:3::1'],
      ['2001:db8:1:0::/56', 1_200, '2001:db8:1:ff::1', '2001:db8:1:100::1'],
      ['2001:db8:1::/48', 2_400, '2001:db8:1:ffff::1', '2001:db8:2:ffff::1'],
    ] as const) {
      const count = (links: number) => setAttempts(app.db, shop.id, `login-mail sandbox from ${network}`, links)
      expect(await count(most - 1)).toBe(1)
      expect(await status(`v6-${most}@example.com`, { from: inside })).toBe(200)
      expect(await status(`v6-${most}-more@example.com`, { from: inside })).toEqual(tooMany(3_600))
      expect(await status(`v6-${most}-more@example.com`, { from: outside })).toBe(200)
      await count(1)
    }
    const server = { from: '192.0.2.9', key: sandbox.secret }
    // Unless it names its shopper.
    const shopper = { ...server, headers: { 'shopper-address': '198.51.100.9' } }
    expect(await status('shopper-0@example.com', shopper)).toBe(200)
    const counted = 'login-mail by server sandbox from 198.51.100.9'
    expect(await setAttempts(app.db, shop.id, counted, 600)).toBe(1)
    expect(await status('shopper-1@example.com', shopper)).toEqual(tooMany(3_600))
    expect(await status('shopper-1@example.com', server)).toBe(200)
    await runLoginJobs(app)
  })

  it('also when thirty come at the same moment: one passes', async () => {
    await shop.customer('rush@example.com')
    const from = anotherClient()
    const all = await atOnce(30, () => shop.askForLink('rush@example.com', { from }))
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(29).fill(429)])
    expect((await runLoginJobs(app)).mails).toHaveLength(1)
    expect(await countFrom(from)).toBe(1)
  })
})
