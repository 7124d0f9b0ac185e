// Webhooks as records: made, changed, listed and deleted; what each field may be; and how their secret is changed.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { malformedField, notValidField, openShop } from '../../support/shop.ts'
import { answerWith, openHook, type Webhook, webhooksOf } from './support.ts'
import { createVerifier } from './verifiers.ts'

const app = await testApp({ trustProxy: ['0.0.0.0/0', '::/0'] })
const apart = await testApp({ allowPrivateAddresses: true, webhookPollMs: 20 })
apart.startJobs()
const shop = await openShop(app)
const hooks = webhooksOf(app, shop.keys)
const URL = 'https://shop.example.com/hook'

const refusalOf = async (body: Record<string, unknown>, key?: string) => {
  const { status, body: refused } = await hooks.call(
    'POST',
    'webhooks',
    { url: URL, subscribed_events: ['*'], ...body },
    key,
  )
  return [status, refused]
}

describe('A webhook', () => {
  it('is made with a secret that is shown once', async () => {
    const made = await hooks.create({ url: URL, description: 'Warehouse' })
    const { signing_key, ...shown } = made
    expect(signing_key).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(shown).toMatchObject({ url: URL, transport: 'http', description: 'Warehouse', state: 'enabled' })
    expect(await hooks.get(made.id)).toEqual({ ...shown, history: { data: [] } })
    const list = await hooks.call('GET', 'webhooks')
    expect((list.body as { data: Webhook[] }).data).toContainEqual(shown)
    for (const text of [list.text, app.logged.join('')]) expect(text).not.toContain(signing_key)
  })

  it('takes a secret that its receivers know already', async () => {
    const signing_key = `whsec_${Buffer.alloc(24, 1).toString('base64')}`
    expect((await hooks.create({ url: URL, signing_key })).signing_key).toBe(signing_key)
  })

  it.each([
    [{ url: undefined }, malformedField('url', 'is required.')],
    [
      { url: 'shop.example.com' },
      malformedField('url', 'must be an absolute http or https address without a user name or password.'),
    ],
    [{ signing_key: 'whsec_short' }, malformedField('signing_key', 'must be whsec_ and 24 to 64 bytes in base64.')],
    [{ version: '2020-13-01' }, notValidField('version', 'must be the date of an API version.')],
    [{ transport: 'listen' }, notValidField('url', 'must be omitted if transport is listen: deliveries are fetched.')],
  ])('is refused with %j', async (body, refused) => {
    expect(await refusalOf(body)).toEqual(refused)
  })

  it.each([
    ...['http://127.0.0.1/', 'http://[::ffff:10.0.0.1]/', 'http://localhost/', 'http://db.internal/'],
    ...['http://printer.local/', 'http://intranet/', 'http://169.254.169.254/latest'],
  ])('cannot lead to %s', async (url) => {
    expect(await refusalOf({ url })).toEqual(
      notValidField(
        'url',
        'must lead to a server on the public internet. Use cartwright listen to test on your own machine.',
      ),
    )
  })

  it('needs https for live events', async () => {
    expect(await refusalOf({ url: 'http://shop.example.com/' }, shop.keys.live.secret)).toEqual(
      notValidField('url', 'must begin with https:// for live events.'),
    )
  })

  it('is one of twenty at most in each mode', async () => {
    const other = await openShop(app)
    const { create, call } = webhooksOf(app, other.keys)
    for (let made = 0; made < 20; made++) await create({ url: URL })
    const { status, text } = await call('POST', 'webhooks', { url: URL, subscribed_events: ['*'] })
    expect([status, text]).toEqual([422, expect.stringContaining('A shop can have 20 webhooks in each mode.')])
    await create({ url: URL }, other.keys.live.secret)
  })
})

it('The secret changes without a delivery that is refused', async () => {
  const { id, signing_key: old, receiver, succeed, attribute, settled } = await openHook(apart, answerWith(200))
  const rotate = (body = {}) => succeed<Webhook>(200, 'POST', `webhooks/${id}/rotate`, body)
  const arrived = async () => {
    const before = receiver.received.length
    await attribute()
    await expect.poll(() => receiver.received.length).toBe(before + 1)
    // One that the clock overtakes before it is noted is sent once more.
    await settled(id)
    return receiver.received.at(-1)
  }
  const { signing_key: fresh, previous_key_until } = await rotate()
  expect(previous_key_until).toBe(Math.floor(apart.clock.now().getTime() / 1_000) + 86_400)
  const during = await arrived()
  createVerifier(old, apart.clock).accepts(during)
  createVerifier(fresh, apart.clock).acceptsHeaders(during)
  apart.clock.advance(86_401)
  createVerifier(fresh, apart.clock).accepts(await arrived())
  const { signing_key: third } = await rotate()
  const finished = await rotate({ finish_now: true })
  expect([finished.signing_key, finished.previous_key_until]).toEqual([undefined, null])
  createVerifier(third, apart.clock).accepts(await arrived())
  const { signing_key: fourth } = await rotate({ finish_now: true })
  createVerifier(fourth, apart.clock).accepts(await arrived())
})
