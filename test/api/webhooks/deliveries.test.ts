// What a receiver gets: each event once for each webhook that wants it, signed for both public verifiers, in the webhook's version.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { atOnce, openShop } from '../../support/shop.ts'
import { answerWith, openHook, openReceiver, webhooksOf } from './support.ts'
import { createVerifier } from './verifiers.ts'

const app = await testApp({ allowPrivateAddresses: true, webhookPollMs: 20, trustProxy: ['0.0.0.0/0', '::/0'] })
app.startJobs()

describe('A delivery', () => {
  it('arrives with the body as it was, and both public verifiers accept it', async () => {
    const { id, signing_key, receiver, ...hooks } = await openHook(app)
    const attribute = await hooks.attribute()
    await expect.poll(() => receiver.received.length).toBe(1)
    const [first] = receiver.received
    expect(first?.body).toEqual({
      id,
      created: expect.any(Number),
      event: 'attributes.create',
      response_code: 201,
      payload: attribute,
      signature: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': expect.stringMatching(/^evt_/),
      'cartwright-attempt': '1',
      'cartwright-mode': 'sandbox',
      'service-version': '2022-07-21',
    })
    const verifier = createVerifier(signing_key, app.clock)
    verifier.accepts(first)
    verifier.refusesChanges(first)
    await hooks.settled(id)
    const [delivery] = await hooks.deliveries(id)
    expect(delivery).toMatchObject({ state: 'delivered', attempts_made: 1, last_status: 204, object_id: attribute.id })
    const details = await hooks.delivery(id, delivery?.id ?? '')
    expect(details).toMatchObject({ payload: attribute, attempts: [{ number: 1, status: 204, error: null }] })
    expect(details.request_id).toMatch(/^req_/)
    expect((await hooks.get(id)).history.data).toEqual([delivery])
  })

  it('is made for each webhook that wants the event, of its own mode, and for no other', async () => {
    const { keys } = await openShop(app)
    const hooks = webhooksOf(app, keys)
    const [all, some, others, live, off] = await atOnce(5, () => openReceiver())
    await hooks.create({ url: all?.url })
    await hooks.create({ url: some?.url, subscribed_events: ['customers.create'] })
    await hooks.create({ url: others?.url, subscribed_events: ['products.create'] })
    // The only address of a test is of http, which live events are not sent to.
    await hooks.succeed(422, 'POST', 'webhooks', { url: live?.url, subscribed_events: ['*'] }, keys.live.secret)
    const disabled = await hooks.create({ url: off?.url, active: false })
    await hooks.succeed(201, 'POST', 'customers', { email: 'a@example.com' })
    await expect.poll(() => [all?.received.length, some?.received.length]).toEqual([1, 1])
    expect([others?.received, off?.received]).toEqual([[], []])
    expect(await hooks.deliveries(disabled.id)).toMatchObject([{ state: 'skipped', event: 'customers.create' }])
  })

  it('is tried again after a failure, with the same webhook-id and fresh signatures', async () => {
    const { id, signing_key, receiver, ...hooks } = await openHook(app, answerWith(500, {}, 'Not today.'))
    await hooks.attribute()
    await hooks.settled(id, ['retrying'])
    const [delivery] = await hooks.deliveries(id)
    expect(delivery).toMatchObject({ attempts_made: 1, last_status: 500, last_error: 'The receiver answered 500.' })
    expect((await hooks.get(id)).state).toBe('failing')
    receiver.reply = answerWith(200)
    app.clock.advance(400)
    await hooks.settled(id, ['delivered'])
    const [one, other] = receiver.received
    expect(other?.headers['webhook-id']).toBe(one?.headers['webhook-id'])
    expect(other?.headers['cartwright-attempt']).toBe('2')
    expect(other?.body.created).toBeGreaterThan(one?.body.created ?? 0)
    createVerifier(signing_key, app.clock).accepts(other)
    expect((await hooks.get(id)).state).toBe('enabled')
    expect((await hooks.delivery(id, delivery?.id ?? '')).attempts).toMatchObject([
      { number: 1, status: 500, answer: 'Not today.' },
      { number: 2, status: 200 },
    ])
  })
})
