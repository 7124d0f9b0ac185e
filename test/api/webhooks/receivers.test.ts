// @sampled: `npm run proof` also lives through the days of a dead receiver.
// Receivers that are slow, broken, dead, gone or hostile, and what becomes of their deliveries.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { isProof } from '../../support/proof.ts'
import { answerWith, openHook, openReceiver, type Receiver, type Reply } from './support.ts'

const app = await testApp({ allowPrivateAddresses: true, webhookPollMs: 20 })
app.startJobs()
const HOUR = 3_600

const opened = (reply?: Reply) => openHook(app, reply)

type Opened = Awaited<ReturnType<typeof opened>>

/** Waits until so many attempts were made, and written down. */
const tried = async ({ receiver, deliveries, id }: Opened, times: number) => {
  await expect.poll(() => receiver.received.length).toBe(times)
  await expect.poll(async () => (await deliveries(id)).every(({ state }) => state !== 'sending')).toBe(true)
}

const outcomeOf = async (reply: Reply) => {
  const hooks = await opened(reply)
  await hooks.attribute()
  await hooks.settled(hooks.id, ['delivered', 'failed', 'retrying'])
  const [delivery] = await hooks.deliveries(hooks.id)
  return { hooks, delivery, details: await hooks.delivery(hooks.id, delivery?.id ?? '') }
}

describe('A receiver', () => {
  it('has taken what it answers with a status of success, and is asked again after any other', async () => {
    const statuses = [200, 201, 204, 299, 400, 404, 422, 500]
    const outcomes = await Promise.all(statuses.map((status) => outcomeOf(answerWith(status))))
    const again = (status: number) => ({
      last_error: `The receiver answered ${status}.`,
      next_attempt: expect.any(Number),
    })
    expect(outcomes.map(({ delivery }) => delivery)).toMatchObject(
      statuses.map((status) => ({
        state: status < 300 ? 'delivered' : 'retrying',
        last_status: status,
        ...(status < 300 ? {} : again(status)),
      })),
    )
  })

  it('is not followed where it leads elsewhere', async () => {
    const elsewhere = await openReceiver()
    const { delivery } = await outcomeOf(answerWith(301, { location: elsewhere.url }))
    expect(delivery).toMatchObject({
      state: 'retrying',
      last_error: 'The receiver answered 301; redirects are not followed.',
    })
    expect(elsewhere.received).toEqual([])
  })

  it('that answers without end is read no further than it has to be', async () => {
    let written = 0
    const endless: Reply = (_, response) => {
      response.writeHead(200)
      const chunk = Buffer.alloc(16_384, 'x')
      const more = () => {
        while (!response.destroyed && response.write(chunk)) written += chunk.length
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    }
    const { delivery, details } = await outcomeOf(endless)
    expect(delivery?.state).toBe('delivered')
    expect(details.attempts[0]?.answer).toBe('x'.repeat(2_048))
    // What the system's buffers hold is more than was read.
    expect(written).toBeLessThan(16_000_000)
  })

  it('that sends its answer drop by drop is not waited for', async () => {
    const timers: NodeJS.Timeout[] = []
    const dripping: Reply = (_, response) => {
      response.writeHead(200)
      timers.push(setInterval(() => response.write('.'), 50))
    }
    const { delivery, details } = await outcomeOf(dripping)
    for (const timer of timers) clearInterval(timer)
    expect(delivery?.state).toBe('delivered')
    expect(details.attempts[0]?.answer).toMatch(/^\.+$/)
  })

  it('that closes the connection without an answer is asked again', async () => {
    const { delivery } = await outcomeOf((_, response) => void response.destroy())
    expect(delivery).toMatchObject({
      state: 'retrying',
      last_status: null,
      last_error: 'The connection was closed without an answer.',
    })
  })

  it('that says when to come again is asked then, and a day later at most', async () => {
    const { delivery } = await outcomeOf(answerWith(429, { 'retry-after': '7200' }))
    const now = Math.floor(app.clock.now().getTime() / 1_000)
    expect(delivery?.next_attempt).toBeGreaterThanOrEqual(now + 7_200)
    expect(delivery?.next_attempt).toBeLessThanOrEqual(now + 7_921)
    const { delivery: distant } = await outcomeOf(answerWith(503, { 'retry-after': '9999999' }))
    expect(distant?.next_attempt).toBeLessThanOrEqual(Math.floor(app.clock.now().getTime() / 1_000) + 95_041)
  })

  it('that is gone is not asked again, and its merchant is told', async () => {
    const hooks = await opened(answerWith(410))
    await hooks.attribute()
    await hooks.settled(hooks.id, ['failed'])
    expect(await hooks.get(hooks.id)).toMatchObject({ active: false, state: 'disabled', disabled_reason: 'gone' })
    app.clock.advance(1)
    await hooks.attribute('Size')
    expect((await hooks.deliveries(hooks.id))[0]).toMatchObject({ state: 'skipped', attempts_made: 0 })
    await expect
      .poll(async () => (await mailsOf(hooks)).map(({ subject }) => subject))
      .toEqual(['A webhook was switched off: its receiver is gone'])
  })

  it('is asked ten times in more than three days, and then it has failed', async () => {
    const hooks = await opened(answerWith(500))
    const begun = app.clock.now().getTime()
    await hooks.attribute()
    for (let attempt = 1; attempt < 10; attempt++) {
      await tried(hooks, attempt)
      const [delivery] = await hooks.deliveries(hooks.id)
      expect(delivery).toMatchObject({ state: 'retrying', attempts_made: attempt })
      app.clock.advance((delivery?.next_attempt ?? 0) + 1 - Math.floor(app.clock.now().getTime() / 1_000))
    }
    await tried(hooks, 10)
    expect(await hooks.deliveries(hooks.id)).toMatchObject([{ state: 'failed', attempts_made: 10, next_attempt: null }])
    const hours = (app.clock.now().getTime() - begun) / 3_600_000
    expect(hours).toBeGreaterThan(75.5)
    expect(hours).toBeLessThan(84)
    expect(new Set(hooks.receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  })
})

type Mail = { subject: string; text: string }

const mailsOf = async ({ succeed }: Opened): Promise<Mail[]> =>
  (await succeed<{ data: Mail[] }>(200, 'GET', 'developer/outbox')).data

/** Attempts that a dead receiver has cost, as far as they have come. */
const attemptsOf = ({ received }: Receiver) => received.length

describe.runIf(isProof)('A dead receiver', () => {
  it('costs an attempt now and then, however much waits for it, and gets all of it when it is back', async () => {
    const hooks = await opened(answerWith(500))
    for (let made = 0; made < 40; made++) await hooks.attribute(`Name ${made}`)
    await expect.poll(async () => (await hooks.deliveries(hooks.id, '?state=sending')).length).toBe(0)
    const atFirst = attemptsOf(hooks.receiver)
    expect(atFirst).toBeGreaterThanOrEqual(5)
    expect(atFirst).toBeLessThan(12)
    // Two days of events and of probes: each costs nothing but its row.
    for (let passed = 0; passed < 12; passed++) {
      app.clock.advance(4 * HOUR)
      await hooks.attribute(`Later ${passed}`)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    expect(attemptsOf(hooks.receiver)).toBeLessThan(atFirst + 12)
    hooks.receiver.reply = answerWith(200)
    app.clock.advance(25 * HOUR)
    await expect
      .poll(async () => (await hooks.deliveries(hooks.id, '?limit=200')).map(({ state }) => state))
      .toEqual(Array<string>(52).fill('delivered'))
    expect(await hooks.get(hooks.id)).toMatchObject({ state: 'enabled', failing_since: null })
  })

  it('is told of after a day and after three, and switched off after five; then what it missed is sent', async () => {
    const hooks = await opened(answerWith(500))
    const subjects = async () => (await mailsOf(hooks)).map(({ subject }) => subject).reverse()
    for (let day = 0; day < 6; day++)
      for (let part = 0; part < 4; part++) {
        await hooks.attribute(`Day ${day} ${part}`)
        await new Promise((resolve) => setTimeout(resolve, 60))
        app.clock.advance(6 * HOUR)
      }
    await expect.poll(async () => (await hooks.get(hooks.id)).disabled_reason).toBe('failures')
    await expect
      .poll(subjects)
      .toEqual([
        'A webhook does not answer',
        'A webhook does not answer',
        'A webhook was switched off: nothing has arrived for five days',
      ])
    await hooks.attribute('Missed')
    // What was to be tried again is skipped when its time has come.
    app.clock.advance(27 * HOUR)
    await expect
      .poll(async () => {
        const states = (await hooks.deliveries(hooks.id, '?limit=200')).map(({ state }) => state)
        return states.filter((state) => ['pending', 'retrying', 'sending'].includes(state))
      })
      .toEqual([])
    hooks.receiver.reply = answerWith(200)
    await hooks.succeed(200, 'PUT', `webhooks/${hooks.id}`, { active: true })
    const { replayed } = await hooks.succeed<{ replayed: number }>(202, 'POST', `webhooks/${hooks.id}/replay`, {
      from: 0,
    })
    const all = await hooks.deliveries(hooks.id, '?limit=200')
    expect(replayed).toBe(all.length)
    await expect
      .poll(async () => new Set((await hooks.deliveries(hooks.id, '?limit=200')).map(({ state }) => state)))
      .toEqual(new Set(['delivered']))
  })

  it('does not hold up one that fails at a single delivery', async () => {
    const refusesOne: Reply = ({ body }, response) =>
      void response.writeHead((body.payload as { name: string }).name === 'Poison' ? 500 : 200).end()
    const hooks = await opened(refusesOne)
    await hooks.attribute('Poison')
    for (let attempt = 1; attempt < 7; attempt++) {
      await tried(hooks, attempt)
      app.clock.advance(21 * HOUR)
    }
    await hooks.attribute('Fine')
    await expect
      .poll(async () => (await hooks.deliveries(hooks.id))[0])
      .toMatchObject({ state: 'delivered', attempts_made: 1 })
  })
})
