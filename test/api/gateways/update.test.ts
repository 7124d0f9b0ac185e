// GET, PUT and DELETE /v1/gateways/{id}, and the list: what is sent changes, and a secret stays when its mask comes back.

import { describe, expect, it } from 'vitest'
import { findMethodOrDeleted, sweepDeletedMethods } from '../../../src/api/payment-methods/store.ts'
import { keysInFile } from '../../../src/keys/credential-keys.ts'
import { createCredentials, sealedText } from '../../../src/keys/credentials.ts'
import { testApp } from '../../support/app.ts'
import { selectValue, sql } from '../../support/rows.ts'
import { malformedFields, notValidFields, START } from '../../support/shop.ts'
import { configOf, NOT_FOUND, openShop, rowsOf, SECRET } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const { id: stripeId } = await shop.create('stripe')

const { open } = createCredentials(keysInFile(app.dataDir))

/** The config in the table, with its secrets opened. */
const stored = async (merchant_id: number, id: string) => {
  const config = await selectValue<Record<string, string>>(app.db, 'config', 'payment_methods', { merchant_id, id })
  const opened = Object.entries(config).map(async ([field, value]) => [
    field,
    sealedText(value) === null ? value : await open({ merchant_id, id, field }, value),
  ])
  return Object.fromEntries(await Promise.all(opened))
}

describe('PUT /v1/gateways/{id}', () => {
  it('switches it off and on, and leaves the rest', async () => {
    const own = await openShop(app)
    const gateway = await own.create('manual')
    app.clock.advance(1)
    const updated = Math.floor(app.clock.now().getTime() / 1_000)
    for (const enabled of [false, true]) {
      const changed = await own.update(gateway.id, { enabled })
      expect(changed).toEqual({ ...gateway, enabled, updated })
      expect(await own.get(gateway.id)).toEqual(changed)
    }
    expect(await stored(own.id, gateway.id)).toEqual(configOf('manual'))
  })

  it('merges the config one level deep', async () => {
    const own = await openShop(app)
    const { id } = await own.create('paypal', { config: { ...configOf('paypal'), email: 'shop@example.com' } })
    await own.update(id, { config: { client_id: 'new' } })
    expect(await stored(own.id, id)).toEqual({ ...configOf('paypal'), client_id: 'new', email: 'shop@example.com' })
    const changed = await own.update(id, { config: { email: null, client_secret: 'another-hidden-secret' } })
    expect(changed.config).toMatchObject({ client_id: 'new', client_secret: '********cret', email: null })
    expect(await stored(own.id, id)).toEqual({ client_id: 'new', client_secret: 'another-hidden-secret' })
  })

  it('refuses the mask of a secret that has changed since', async () => {
    const own = await openShop(app)
    const { id, config } = await own.create('stripe')
    await own.update(id, { config: { secret_key: `${SECRET}9999` } })
    expect(await own.refused('PUT', `/${id}`, { config })).toEqual(
      malformedFields({
        'config.secret_key': 'is masked: send the whole secret, or leave it out to keep the stored one.',
      }),
    )
  })

  it('takes credentials from one mode to the other, unless that mode has its own', async () => {
    const own = await openShop(app)
    const { id } = await own.create('stripe')
    const live = own.keys.live.secret
    expect((await own.update(id, { sandbox: false }, live)).sandbox).toBe(false)
    const second = await own.create('stripe')
    expect(await own.refused('PUT', `/${second.id}`, { sandbox: false }, live)).toEqual(
      notValidFields({ sandbox: 'cannot be changed: a live stripe is already set up.' }),
    )
  })

  it('refuses another code, and takes its own', async () => {
    expect(await shop.refused('PUT', `/${stripeId}`, { code: 'square' })).toEqual(
      notValidFields({ code: 'cannot be changed from stripe: set up another gateway instead.' }),
    )
    expect((await shop.update(stripeId, { code: 'stripe' })).code).toBe('stripe')
  })

  it.each([
    [{ config: { secret_key: null } }, { 'config.secret_key': 'is required.' }],
    [{ config: { publishable_key: '' } }, { 'config.publishable_key': 'must not be empty.' }],
    [{ config: null }, { config: 'must be a JSON object.' }],
    [{ enabled: 1 }, { enabled: 'must be true or false.' }],
  ])('refuses %j and changes nothing', async (body, errors) => {
    expect(await shop.refused('PUT', `/${stripeId}`, body)).toEqual(malformedFields(errors as Record<string, string>))
  })
})

describe('GET /v1/gateways', () => {
  it('shows nothing of the config of a gateway that only a newer release knows', async () => {
    const own = await openShop(app)
    const id = `gway_${'1'.repeat(26)}`
    const insert = sql`
      insert into payment_methods (merchant_id, id, code, is_sandbox, config, is_enabled, is_single, created_at, updated_at)
      values (:merchant_id, :id, 'newer', false, '{"key": "hidden"}', true, true, :created_at, :created_at)`
    await app.db.run(insert, { merchant_id: own.id, id, created_at: new Date(START * 1_000) })
    const shown = {
      id,
      code: 'newer',
      name: 'newer',
      enabled: true,
      sandbox: false,
      simulated: false,
      config: {},
      webhook_path: null,
      created: START,
      updated: START,
    }
    expect(await own.get(id)).toEqual(shown)
    expect(((await own.call('GET', '')).body as { data: unknown[] }).data).toEqual([shown])
    expect(await own.refused('PUT', `/${id}`, { enabled: false })).toEqual(
      notValidFields({ code: 'newer is a gateway that needs a newer release of this service.' }),
    )
    expect(Object.keys(await own.offered(false))).toEqual(['available', 'available_count'])
  })
})

describe('DELETE /v1/gateways/{id}', () => {
  it('answers 204 without a body, and the gateway can be set up anew', async () => {
    const own = await openShop(app)
    const { id } = await own.create('stripe')
    const answer = await own.call('DELETE', `/${id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await rowsOf(app.db, own.id)).toEqual([])
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      expect(await own.refused(method, `/${id}`, method === 'PUT' ? {} : undefined)).toEqual(NOT_FOUND)
    await own.create('stripe')
  })

  it('keeps what is needed for what is under way there, and lets it go with the credentials after 30 days', async () => {
    const own = await openShop(app)
    const { id } = await own.create('stripe')
    await own.remove(id)
    const sweep = (days: number) => {
      const clock = { now: () => new Date(app.clock.now().getTime() + days * 86_400_000) }
      return sweepDeletedMethods.run({ ...app, clock, signal: new AbortController().signal })
    }
    const find = () => findMethodOrDeleted(app.db, { merchant_id: own.id }, id)
    expect(await sweep(29)).toBe(0)
    expect(await find()).toMatchObject({ code: 'stripe', is_sandbox: true, is_deleted: true })
    await sweep(31)
    expect(await find()).toBeNull()
  })
})
