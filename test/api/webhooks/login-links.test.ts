// Login links of live customers: only callers who may log in as a customer subscribe to them, change a webhook that does, and read them.

import { beforeAll, describe, expect, it } from 'vitest'
import { type Browser, join, openHouse } from '../../dashboard/support.ts'
import { testApp } from '../../support/app.ts'
import { patient } from '../../support/database.ts'
import { changeRows, sql } from '../../support/rows.ts'
import { callsOf, errorReply } from '../../support/shop.ts'
import { runLoginJobs } from '../customers/login-support.ts'

const LOGIN = 'customers.login.token'
const app = await testApp({ trustProxy: () => true, requestLog: 'all' })
const house = await openHouse(app)
const { live } = house.keys
const { succeed } = callsOf(app, '', live.secret)
const owner = await house.owner({ mode: 'live' })
const developer = await join(app, owner, 'developer', { mode: 'live' })
const manager = await join(app, owner, 'manager', { mode: 'live' })

type Made = { id: string }
type Listed = { data: { id: string; event: string; event_id?: string }[] }

const LISTENER = { transport: 'listen', subscribed_events: [LOGIN] }
const message = `As developer you may not receive ${LOGIN} of live customers, nor change a webhook that does: its links open their accounts. An owner or manager may.`
const REFUSED = errorReply(403, { type: 'forbidden', message })
const MISSING = (thing: string) => errorReply(404, { type: 'not_found', message: `There is no ${thing} with that id.` })

const send = async (browser: Browser, method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown) => {
  const { status, body: told } = await browser.send(
    method,
    `/dashboard/api/v1/${path}`,
    body === undefined ? {} : { body },
  )
  return [status, told] as const
}
const read = async (browser: Browser, path: string) => browser.succeed<Listed>(200, 'GET', `/dashboard/api/v1/${path}`)

let webhook = ''
let event = ''
let delivery = ''
let token = ''

async function askForLink(email: string) {
  await succeed(201, 'POST', 'customers', { email })
  await succeed(200, 'POST', 'customers/email-token', { email, base_url: 'https://shop.example/{token}' })
  await runLoginJobs(app)
}

beforeAll(async () => {
  await succeed(200, 'PUT', 'merchants', {
    notifications: { customer: { login_token: false } },
    allowed_origins: ['https://shop.example'],
  })
  webhook = (await succeed<Made>(201, 'POST', 'webhooks', LISTENER)).id
  await askForLink('ada@example.com')
  const events = await read(owner, 'events')
  event = events.data.find(({ event: name }) => name === LOGIN)?.id ?? ''
  const deliveries = await read(owner, `webhooks/${webhook}/deliveries`)
  delivery = deliveries.data[0]?.id ?? ''
  const { payload } = (await send(owner, 'GET', `events/${event}`))[1] as { payload: { url: string } }
  token = payload.url.replace('https://shop.example/', '')
  expect(token).toMatch(/^[0-9A-Za-z]{40}$/)
})

describe('a developer, in live mode', () => {
  it('subscribes no webhook to login links, by making or by changing one', async () => {
    const all = { transport: 'listen', subscribed_events: ['*', LOGIN] }
    expect(await send(developer, 'POST', 'webhooks', LISTENER)).toEqual(REFUSED)
    expect(await send(developer, 'POST', 'webhooks', all)).toEqual(REFUSED)
    const [status, made] = await send(developer, 'POST', 'webhooks', { transport: 'listen', subscribed_events: ['*'] })
    expect(status).toBe(201)
    const { id } = made as Made
    expect(await send(developer, 'PUT', `webhooks/${id}`, { subscribed_events: ['orders.create', LOGIN] })).toEqual(
      REFUSED,
    )
    expect((await send(developer, 'PUT', `webhooks/${id}`, { description: 'Mine' }))[0]).toBe(200)
    expect((await send(developer, 'POST', `webhooks/${id}/pull`, {}))[1]).toEqual({ data: [] })
  })

  it('changes, rotates, pulls and answers none of a webhook that is subscribed', async () => {
    for (const body of [{ description: 'Mine' }, { subscribed_events: ['orders.create'] }, { active: false }])
      expect(await send(developer, 'PUT', `webhooks/${webhook}`, body)).toEqual(REFUSED)
    expect(await send(developer, 'POST', `webhooks/${webhook}/rotate`, {})).toEqual(REFUSED)
    expect(await send(developer, 'POST', `webhooks/${webhook}/pull`, {})).toEqual(REFUSED)
    const answer = { attempt: 1, status: 200, ms: 1, error: null }
    expect(await send(developer, 'POST', `webhooks/${webhook}/deliveries/${delivery}/answer`, answer)).toEqual(REFUSED)
  })

  it('reads and sends again no login link', async () => {
    const names = async (browser: Browser, path: string) =>
      (await read(browser, path)).data.map(({ event: name }) => name)
    expect(await names(owner, 'events')).toContain(LOGIN)
    for (const query of ['', `?event=${LOGIN}`, '?limit=1']) {
      expect(await names(developer, `events${query}`)).not.toContain(LOGIN)
      expect(await names(developer, `webhooks/${webhook}/deliveries${query}`)).toEqual([])
    }
    expect(await names(owner, `webhooks/${webhook}/deliveries`)).toEqual([LOGIN])
    const [, details] = await send(developer, 'GET', `webhooks/${webhook}`)
    expect((details as { history: Listed }).history.data).toEqual([])
    expect(await send(developer, 'GET', `events/${event}`)).toEqual(MISSING('event'))
    expect(await send(developer, 'POST', `events/${event}/resend`, { webhook_id: webhook })).toEqual(MISSING('event'))
    const one = `webhooks/${webhook}/deliveries/${delivery}`
    expect(await send(developer, 'GET', one)).toEqual(MISSING('delivery'))
    expect(await send(developer, 'POST', `${one}/replay`)).toEqual(MISSING('delivery'))
  })

  it('finds none in the request log, whoever has read them', async () => {
    await owner.succeed(200, 'GET', `/dashboard/api/v1/webhooks/${webhook}/deliveries/${delivery}`)
    await owner.succeed(200, 'GET', `/dashboard/api/v1/events/${event}`)
    const pulled = await succeed<{ data: { body: string }[] }>(200, 'POST', `webhooks/${webhook}/pull`, {})
    expect(pulled.data[0]?.body).toContain(token)
    const logs = async () => (await app.db.one(allLogs, { merchant_id: house.id })).rows
    for (const path of [`/deliveries/${delivery}`, `/events/${event}`, `/${webhook}/pull`])
      await expect.poll(logs, { timeout: patient(10_000) }).toContain(path)
    expect(await logs()).not.toContain(token)
  })

  it('sends no login links again in bulk', async () => {
    const listener = await succeed<Made>(201, 'POST', 'webhooks', LISTENER)
    await askForLink('bulk@example.com')
    const own = `webhooks/${listener.id}`
    const [first] = (await read(owner, `${own}/deliveries`)).data
    await changeRows(app.db, "update deliveries set state = 'failed'", { merchant_id: house.id, id: first?.id ?? '' })
    const statesOf = async () =>
      ((await read(owner, `${own}/deliveries`)).data as unknown as { state: string }[]).map(({ state }) => state)
    expect(await statesOf()).toEqual(['failed'])
    expect(await send(developer, 'POST', `${own}/replay`, { from: 0 })).toEqual(REFUSED)
    expect(await statesOf()).toEqual(['failed'])
    const [status, told] = await send(manager, 'POST', `${own}/replay`, { from: 0 })
    expect([status, told]).toMatchObject([202, { replayed: 1 }])
  })

  it('may do all of it in the sandbox', async () => {
    const [status] = await send(await join(app, await house.owner(), 'developer'), 'POST', 'webhooks', LISTENER)
    expect(status).toBe(201)
  })
})

const allLogs = sql<{ rows: string }>`
  select coalesce(string_agg(l::text, E'\\n'), '') as rows from request_log l where merchant_id = :merchant_id`

describe('who may log in as a customer', () => {
  it.each([
    ['an owner', () => owner],
    ['a manager', () => manager],
  ])('%s subscribes, changes and reads', async (_, browser) => {
    const [status, made] = await send(browser(), 'POST', 'webhooks', LISTENER)
    expect(status).toBe(201)
    const { id } = made as Made
    expect((await send(browser(), 'PUT', `webhooks/${id}`, { description: 'Ours' }))[0]).toBe(200)
    expect((await send(browser(), 'POST', `webhooks/${id}/pull`, {}))[0]).toBe(200)
    expect((await send(browser(), 'GET', `events/${event}`))[0]).toBe(200)
  })

  it('sends a link to no webhook that does not subscribe to them', async () => {
    const { id } = await succeed<Made>(201, 'POST', 'webhooks', { transport: 'listen', subscribed_events: ['*'] })
    const answer = await callsOf(app, '', live.secret).call('POST', `events/${event}/resend`, { webhook_id: id })
    const rule = `webhook_id must be the id of a webhook that subscribes to ${LOGIN}.`
    expect([answer.status, answer.body]).toMatchObject([422, { error: { errors: { webhook_id: [rule] } } }])
  })

  it('has links that wait sent nowhere once the webhook is no longer subscribed', async () => {
    const [left, kept] = [
      await succeed<Made>(201, 'POST', 'webhooks', LISTENER),
      await succeed<Made>(201, 'POST', 'webhooks', LISTENER),
    ]
    await askForLink('grace@example.com')
    await succeed(200, 'PUT', `webhooks/${left.id}`, { subscribed_events: ['orders.create'] })
    const pulled = async ({ id }: Made) =>
      (await succeed<{ data: { event: string }[] }>(200, 'POST', `webhooks/${id}/pull`, {})).data.map(
        (one) => one.event,
      )
    expect([await pulled(left), await pulled(kept)]).toEqual([[], [LOGIN]])
  })
})
