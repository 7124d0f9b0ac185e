// Deliveries as they are listed, by key; sent again, one or all of a time; and fetched by somebody who listens.

import { describe, expect, it } from 'vitest'
import { emit } from '../../../src/events/emit.ts'
import { testApp } from '../../support/app.ts'
import { changeRows } from '../../support/rows.ts'
import { openShop } from '../../support/shop.ts'
import { answerWith, type Delivery, openHook, webhooksOf } from './support.ts'
import { createVerifier } from './verifiers.ts'

const app = await testApp({ allowPrivateAddresses: true, webhookPollMs: 20 })
app.startJobs()

type Page = { data: Delivery[]; next: string | null }
type Pulled = {
  data: { delivery: string; attempt: number; event: string; headers: Record<string, string>; body: string }[]
}

const listening = async () => {
  const { id: shop, keys } = await openShop(app)
  const hooks = webhooksOf(app, keys)
  const { id, signing_key } = await hooks.create({ transport: 'listen' })
  const pull = async (body = {}) => (await hooks.succeed<Pulled>(200, 'POST', `webhooks/${id}/pull`, body)).data
  const answer = (delivery: string, body: object) =>
    hooks.succeed<Delivery>(200, 'POST', `webhooks/${id}/deliveries/${delivery}/answer`, {
      ms: 5,
      error: null,
      ...body,
    })
  const page = (query = '') => hooks.succeed<Page>(200, 'GET', `webhooks/${id}/deliveries${query}`)
  const events = async (count: number) => {
    for (let made = 0; made < count; made++) {
      app.clock.advance(1)
      await hooks.attribute(`Name ${made}`)
    }
  }
  return { ...hooks, id, shop, signing_key, pull, answer, page, events }
}

describe('A list of deliveries', () => {
  it('shows what is asked for alone', async () => {
    const { page, events, pull, answer, succeed } = await listening()
    await events(2)
    app.clock.advance(100)
    const { id: customer } = await succeed<{ id: string }>(201, 'POST', 'customers', { email: 'a@example.com' })
    const [one, other] = await pull({ limit: 2 })
    await answer(one?.delivery ?? '', { attempt: 1, status: 200 })
    await answer(other?.delivery ?? '', { attempt: 1, status: 503 })
    const found = async (query: string) => (await page(query)).data.map(({ state, event }) => [state, event])
    const ATTRIBUTE = 'attributes.create'
    const CUSTOMER = 'customers.create'
    expect(await found('?state=delivered')).toEqual([['delivered', ATTRIBUTE]])
    expect(await found('?state=pending')).toEqual([['pending', CUSTOMER]])
    expect(await found(`?event=${CUSTOMER}`)).toEqual([['pending', CUSTOMER]])
    expect(await found('?status=503')).toEqual([['retrying', ATTRIBUTE]])
    expect(await found(`?object=${customer}`)).toEqual([['pending', CUSTOMER]])
    const now = Math.floor(app.clock.now().getTime() / 1_000)
    expect(await found(`?from=${now - 50}`)).toEqual([['pending', CUSTOMER]])
    expect((await found(`?to=${now - 50}`)).length).toBe(2)
    expect((await found(`?object=${customer}&state=delivered`)).length).toBe(0)
  })
})

describe('Listening', () => {
  it('gives each delivery once, signed, and learns what came of it', async () => {
    const { events, pull, answer, signing_key, delivery, id } = await listening()
    await events(3)
    const [first, ...rest] = await pull()
    expect(rest.length).toBe(2)
    expect(await pull()).toEqual([])
    const received = { headers: first?.headers ?? {}, text: first?.body ?? '', body: JSON.parse(first?.body ?? '') }
    createVerifier(signing_key, app.clock).accepts(received)
    const ended = await answer(first?.delivery ?? '', { attempt: 1, status: 201, answer: 'Thanks' })
    expect(ended).toMatchObject({ state: 'delivered', attempts_made: 1, last_status: 201 })
    expect((await delivery(id, ended.id)).attempts).toMatchObject([{ number: 1, status: 201, answer: 'Thanks', ms: 5 }])
    // A second answer, of an attempt that is over, changes nothing.
    expect(await answer(first?.delivery ?? '', { attempt: 1, status: 500 })).toEqual(ended)
  })

  it('gives again what was not answered, without counting it, and what failed when its time has come', async () => {
    const { events, pull, answer } = await listening()
    await events(1)
    const [lost] = await pull()
    app.clock.advance(61)
    await expect.poll(() => pull()).toMatchObject([{ delivery: lost?.delivery, attempt: 1 }])
    expect(await answer(lost?.delivery ?? '', { attempt: 1, status: null, error: 'Nobody answers.' })).toMatchObject({
      state: 'retrying',
      last_error: 'Nobody answers.',
    })
    expect(await pull()).toEqual([])
    app.clock.advance(6)
    await expect.poll(() => pull()).toMatchObject([{ delivery: lost?.delivery, attempt: 2 }])
  })

  it('gives what failed when its time has come, also where everything fails: nothing is held back, nothing comes at once', async () => {
    const { id, events, pull, answer, get } = await listening()
    await events(8)
    const all = await pull({ limit: 50 })
    for (const { delivery } of all) await answer(delivery, { attempt: 1, status: null, error: 'Nobody answers.' })
    expect(await pull({ limit: 50 })).toEqual([])
    app.clock.advance(6)
    await expect.poll(async () => (await pull({ limit: 50 })).length).toBeGreaterThan(0)
    expect(await get(id)).toMatchObject({ state: 'failing', active: true })
    await events(1)
    // What failed may come again at the same time. Who pulls has it: none comes twice.
    const pulled: number[] = []
    await expect
      .poll(async () => {
        pulled.push(...(await pull({ limit: 50 })).map(({ attempt }) => attempt))
        return pulled.filter((attempt) => attempt === 1)
      })
      .toEqual([1])
  })

  it('tells of an event that cannot be shaped, and goes on with the others', async () => {
    const { id, shop, pull, events, deliveries } = await listening()
    await app.db.transaction(async (tx) => {
      await emit(tx, { merchant_id: shop }, 'attributes.create', { id: 'attr_1' }, app.clock.now())
      await changeRows(tx, "update events set kind = 'nothing'", { merchant_id: shop })
    })
    await events(1)
    expect((await pull()).map(({ event }) => event)).toEqual(['attributes.create'])
    expect(await deliveries(id, '?state=retrying')).toMatchObject([
      { last_error: 'The event could not be converted to the API version of this webhook. Please report it.' },
    ])
  })

  it('waits for the first, and is not for webhooks that have an address', async () => {
    const { attribute, pull, call, create } = await listening()
    const waiting = pull({ wait: 20 })
    await attribute()
    expect((await waiting).length).toBe(1)
    const { id } = await create({ url: 'http://127.0.0.1:9/' })
    expect((await call('POST', `webhooks/${id}/pull`, {})).status).toBe(422)
  })
})

describe('How much has arrived', () => {
  it('is said of each webhook of the mode: of the last day, with the oldest that waits', async () => {
    const { id, pull, answer, page, events, create, succeed } = await listening()
    const arrivals = async () =>
      (await succeed<{ data: { webhook_id: string }[] }>(200, 'GET', 'webhooks/arrivals')).data
    const from = () => Math.floor(app.clock.now().getTime() / 1_000) - 86_400
    const nothing = { deliveries: 0, is_all: true, delivered: 0, percentage: null, oldest_waiting: null }
    expect(await arrivals()).toEqual([{ webhook_id: id, from: from(), ...nothing }])
    await events(3)
    const [one, other] = await pull({ limit: 2 })
    await answer(one?.delivery ?? '', { attempt: 1, status: 200 })
    await answer(other?.delivery ?? '', { attempt: 1, status: 200 })
    const waiting = (await page()).data.find(({ state }) => state === 'pending')
    const second = await create({ transport: 'listen' })
    const shown = { webhook_id: id, deliveries: 3, is_all: true, delivered: 2, percentage: 66 }
    expect(await arrivals()).toEqual(
      [
        { ...shown, from: from(), oldest_waiting: waiting?.created },
        { webhook_id: second.id, from: from(), ...nothing },
      ].sort((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1)),
    )
    // What waits is told however old it is; the share is of a day.
    app.clock.advance(90_000)
    expect((await arrivals()).find(({ webhook_id }) => webhook_id === id)).toMatchObject({
      deliveries: 0,
      percentage: null,
      oldest_waiting: waiting?.created,
    })
  })
})

describe('Sent again', () => {
  it('a delivery that arrived comes with the same webhook-id, as a further attempt', async () => {
    const { id, receiver, ...hooks } = await openHook(app, answerWith(200))
    await hooks.attribute()
    await hooks.settled(id)
    const [delivery] = await hooks.deliveries(id)
    await hooks.succeed(202, 'POST', `webhooks/${id}/deliveries/${delivery?.id}/replay`)
    await expect.poll(() => receiver.received.length).toBe(2)
    const [one, other] = receiver.received
    expect(other?.headers['webhook-id']).toBe(one?.headers['webhook-id'])
    await expect
      .poll(async () => (await hooks.deliveries(id))[0])
      .toMatchObject({ state: 'delivered', attempts_made: 2 })
  })

  it('one that waits for its next attempt is tried at once, and that attempt is one more', async () => {
    const { id, receiver, ...hooks } = await openHook(app, answerWith(500))
    await hooks.attribute()
    const first = async () => (await hooks.deliveries(id))[0]
    await expect.poll(first).toMatchObject({ state: 'retrying', attempts_made: 1 })
    const waits = (await first())?.next_attempt ?? 0
    expect(waits).toBeGreaterThan(app.clock.now().getTime() / 1_000)
    await hooks.succeed(202, 'POST', `webhooks/${id}/deliveries/${(await first())?.id}/replay`)
    await expect.poll(first).toMatchObject({ state: 'retrying', attempts_made: 2 })
    // It goes on as after the first: what somebody asked for has not used up what is tried anyway.
    const waitOf = async () => ((await first())?.next_attempt ?? 0) - Math.floor(app.clock.now().getTime() / 1_000)
    const firstWait = waits - Math.floor(app.clock.now().getTime() / 1_000)
    expect(await waitOf()).toBeLessThan(2 * firstWait + 2)
    expect(receiver.received.length).toBe(2)
  })

  it('one that waits in line has the receiver tried at once that was taken for dead', async () => {
    const { id, shop, receiver, ...hooks } = await openHook(app, answerWith(200))
    const far = new Date(app.clock.now().getTime() + 3_600_000)
    await changeRows(app.db, 'update webhooks set is_held = true, turn_at = :far', { merchant_id: shop, id }, { far })
    await hooks.attribute()
    const first = async () => (await hooks.deliveries(id))[0]
    await expect.poll(first).toMatchObject({ state: 'pending', next_attempt: null })
    expect(receiver.received.length).toBe(0)
    await hooks.succeed(202, 'POST', `webhooks/${id}/deliveries/${(await first())?.id}/replay`)
    await expect.poll(first).toMatchObject({ state: 'delivered', attempts_made: 1 })
  })

  it('a test arrives at the one webhook that is tested', async () => {
    const { id, pull, create, succeed } = await listening()
    const other = await create({ transport: 'listen' })
    const sent = await succeed<{ event: string; delivery: string }>(202, 'POST', `webhooks/${id}/test`)
    expect(await pull()).toMatchObject([{ delivery: sent.delivery, event: 'test.webhook' }])
    expect((await succeed<Pulled>(200, 'POST', `webhooks/${other.id}/pull`, {})).data).toEqual([])
  })

  it('nothing is sent to a webhook that is off', async () => {
    const { id, events, succeed, call, page } = await listening()
    await events(1)
    await succeed(200, 'PUT', `webhooks/${id}`, { active: false })
    await expect.poll(async () => (await page()).data[0]?.state).toBe('skipped')
    const [delivery] = (await page()).data
    for (const path of [`deliveries/${delivery?.id}/replay`, 'replay', 'test']) {
      const { status } = await call('POST', `webhooks/${id}/${path}`, path === 'replay' ? { from: 0 } : {})
      expect([path, status]).toEqual([path, 422])
    }
  })
})
