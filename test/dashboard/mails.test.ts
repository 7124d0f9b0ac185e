// The mails to accounts, through a real mail server: each with a link that is good once, to the right address, and for nobody else.

import { expect, it } from 'vitest'
import { mailServer, refusal } from '../mail/mail-server.ts'
import { testApp } from '../support/app.ts'
import { countRows } from '../support/rows.ts'
import { Browser, openHouse, PASSWORD } from './support.ts'

const server = await mailServer()
const app = await testApp({ mailServer: server.settings() })
app.startJobs()

const mailsTo = (address: string) => server.deliveries.filter(({ to }) => to.includes(address)).map(({ mail }) => mail)
const linkIn = (text: string | undefined, path: string) =>
  new RegExp(`http://localhost/dashboard/${path}/(\\w+)`).exec(text ?? '')?.[1]

/** Asks for a link to set the password anew. */
const askFor = (email: string) => new Browser(app).send('POST', 'password-reset', { body: { email } })
const isMailed = (address: string) => expect.poll(() => mailsTo(address).length, { timeout: 60_000 }).toBe(1)

it('a forgotten password is set anew by the link, once; sessions end, and the browser is known', async () => {
  const house = await openHouse(app)
  const before = await house.owner()
  const browser = new Browser(app)
  const told = await askFor(house.email.toUpperCase())
  expect([told.status, told.body]).toEqual([202, { sends_mail: true }])
  const subjects = () => mailsTo(house.email).map(({ subject }) => subject)
  await expect
    .poll(() => subjects().sort(), { timeout: 60_000 })
    .toEqual(['A new login to Shop', 'A new password for Shop'])
  const mail = mailsTo(house.email).find(({ subject }) => subject === 'A new password for Shop')
  const token = linkIn(mail?.text, 'reset')
  const url = `/dashboard/api/password-reset/${token}`
  const weak = await browser.send('POST', url, { body: { password: 'short' } })
  expect(weak.status).toBe(422)
  await browser.succeed(204, 'POST', url, { body: { password: PASSWORD } })
  expect((await browser.send('POST', url, { body: { password: PASSWORD } })).status).toBe(404)
  expect((await before.send('GET', 'session')).status).toBe(401)
  expect((await new Browser(app).logIn(house.email, house.password)).status).toBe(401)
  expect((await browser.logIn(house.email, PASSWORD)).status).toBe(200)
  expect(subjects().filter((subject) => subject === 'A new login to Shop')).toHaveLength(1)
})

it('a link is over after thirty minutes', async () => {
  const house = await openHouse(app)
  await askFor(house.email)
  await isMailed(house.email)
  const token = linkIn(mailsTo(house.email)[0]?.text, 'reset')
  app.clock.advance(30 * 60)
  const told = await new Browser(app).send('POST', `password-reset/${token}`, { body: { password: PASSWORD } })
  expect(told.status).toBe(404)
})

it('an invitation goes to who is invited, and its link is in no answer', async () => {
  const house = await openHouse(app)
  const owner = await house.owner()
  const body = { email: 'invited@example.com', name: 'Ada', role: 'packer' }
  expect(await owner.succeed(201, 'POST', 'team', { body })).toMatchObject({ invitation_url: null })
  await isMailed('invited@example.com')
  const [mail] = mailsTo('invited@example.com')
  expect(mail?.text).toContain(`${house.email} invites you to the dashboard of Shop, as packer.`)
  const token = linkIn(mail?.text, 'invitation')
  await new Browser(app).succeed(200, 'POST', `invitations/${token}`, { body: { name: 'Ada', password: PASSWORD } })
  // A link for another purpose opens nothing.
  expect(
    (await new Browser(app).send('POST', `password-reset/${token}`, { body: { password: PASSWORD } })).status,
  ).toBe(404)
})

it('an address that is nobody’s gets none', async () => {
  const before = server.deliveries.length
  await askFor('nobody@example.com')
  const house = await openHouse(app)
  await askFor(house.email)
  await isMailed(house.email)
  expect(server.deliveries.length).toBe(before + 1)
})

it('a link whose mail is refused is gone with it', async () => {
  const house = await openHouse(app)
  let refused = 0
  server.onRecipient = async (address) => {
    if (address !== house.email) return
    refused += 1
    throw refusal(451, '4.3.0 Not now')
  }
  await askFor(house.email)
  // By then there was one.
  await expect.poll(() => refused, { timeout: 60_000 }).toBeGreaterThan(0)
  const links = () => countRows(app.db, 'dashboard_links', { merchant_id: house.id })
  await expect.poll(links, { timeout: 60_000 }).toBe(0)
})
