// `simulated` of a gateway: who may switch it on and beside what; and that a gateway which cannot charge is on nowhere.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findGateway } from '../../../src/gateways/index.ts'
import { razorpay } from '../../../src/gateways/razorpay/razorpay.ts'
import { sharedApp } from '../../support/app.ts'
import { PROVIDERS } from '../../support/gateways.ts'
import { changeRows } from '../../support/rows.ts'
import { malformedFields, notValidFields } from '../../support/shop.ts'
import { configOf, openShop, rowsOf } from './support.ts'

const app = await sharedApp()

const SIMULATED = { config: {}, simulated: true }

describe('a simulated provider', () => {
  it.each(PROVIDERS)('%s is set up without credentials, on at once, and offered in the sandbox alone', async (code) => {
    const shop = await openShop(app)
    const gateway = await shop.create(code, SIMULATED)
    expect(gateway).toMatchObject({ code, enabled: true, sandbox: true, simulated: true })
    expect(Object.values(gateway.config).every((value) => value === null)).toBe(true)
    expect(await shop.get(gateway.id)).toEqual(gateway)
    const offered = await shop.offered(true)
    expect(offered.available).toMatchObject({ [code]: true })
    expect(offered[code]).toMatchObject({ settings: findGateway(code)?.publicSettings({}), simulated: true })
    expect((await shop.offered(false)).available_count).toBe(0)
    await shop.update(gateway.id, { enabled: false })
    expect((await shop.offered(true)).available).toMatchObject({ [code]: false })
  })

  it('shows shoppers the public settings that it was given', async () => {
    const shop = await openShop(app)
    await shop.create('stripe', { simulated: true, config: { publishable_key: 'pk_test_1' } })
    expect((await shop.offered(true)).stripe).toMatchObject({ settings: { publishable_key: 'pk_test_1' } })
    expect(await shop.refused('POST', '', { code: 'square', simulated: true, config: { location_id: 7 } })).toEqual(
      malformedFields({ 'config.location_id': 'must be a string.' }),
    )
  })

  it('cannot be switched on with a live key, neither anew nor of what is there, but is left alone by one', async () => {
    const shop = await openShop(app)
    const live = shop.keys.live.secret
    const rule = notValidFields({ simulated: 'can be switched on only with a sandbox secret key (sk_test_…).' })
    for (const more of [{}, { sandbox: true }])
      expect(await shop.refused('POST', '', { code: 'stripe', simulated: true, ...more }, live)).toEqual(rule)
    const { id } = await shop.create('paypal')
    const body = { simulated: true, config: { client_secret: null } }
    expect(await shop.refused('PUT', `/${id}`, body, live)).toEqual(rule)
    const gateway = await shop.update(id, body)
    expect(gateway).toMatchObject({
      simulated: true,
      enabled: true,
      config: { client_id: 'client', client_secret: null },
    })
    expect(await shop.update(id, gateway, live)).toEqual(gateway)
  })

  it('serves no live keys, nor what needs no account', async () => {
    const shop = await openShop(app)
    const rule = notValidFields({ sandbox: 'must be true when simulated is true: live payments cannot be simulated.' })
    expect(await shop.refused('POST', '', { code: 'stripe', simulated: true, sandbox: false })).toEqual(rule)
    const { id } = await shop.create('stripe', SIMULATED)
    expect(await shop.refused('PUT', `/${id}`, { sandbox: false })).toEqual(rule)
    for (const code of ['manual', 'test_gateway', 'test_redirect'])
      expect(await shop.refused('POST', '', { code, config: configOf(code), simulated: true })).toEqual(
        notValidFields({ simulated: `must be false for ${code}: you can try it without an account.` }),
      )
    expect(await shop.refused('POST', '', { code: 'stripe', simulated: 'yes' })).toEqual(
      malformedFields({ simulated: 'must be true or false.' }),
    )
  })

  it('stands beside no credentials: they come with false, and it comes when they go', async () => {
    const shop = await openShop(app)
    const rule = notValidFields({
      simulated:
        'must be false while credentials are set: config.secret_key. To use them, send simulated: false. To simulate, send null for each of them.',
    })
    expect(await shop.refused('POST', '', { code: 'stripe', config: configOf('stripe'), simulated: true })).toEqual(
      rule,
    )
    const { id } = await shop.create('stripe', SIMULATED)
    expect(await shop.refused('PUT', `/${id}`, { config: configOf('stripe') })).toEqual(rule)
    expect(await shop.refused('PUT', `/${id}`, { simulated: false })).toEqual(
      malformedFields({ 'config.publishable_key': 'is required.', 'config.secret_key': 'is required.' }),
    )
    const real = await shop.update(id, { simulated: false, config: configOf('stripe') })
    expect(real).toMatchObject({ simulated: false, enabled: true })
    expect((await shop.offered(true)).stripe).toMatchObject({ settings: { publishable_key: 'pk_1' } })
    expect((await shop.offered(true)).stripe).not.toHaveProperty('simulated')
    expect(await shop.refused('PUT', `/${id}`, { simulated: true })).toEqual(rule)
    expect(await shop.update(id, { simulated: true, config: { secret_key: null } })).toMatchObject({
      simulated: true,
      enabled: true,
      config: { publishable_key: 'pk_1', secret_key: null, webhook_secret: null, capture: null },
    })
  })

  it('is there once, also when two come at the same moment, and takes the place of credentials in the sandbox', async () => {
    const shop = await openShop(app)
    const body = { code: 'square', simulated: true }
    const answers = await Promise.all([shop.call('POST', '', body), shop.call('POST', '', body)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422])
    expect(await shop.refused('POST', '', { code: 'square', config: configOf('square') })).toEqual(
      notValidFields({ code: 'must be new: a sandbox square is already set up. Change that gateway instead.' }),
    )
    await shop.create('square', {}, shop.keys.live.secret)
    expect(await rowsOf(app.db, shop.id)).toHaveLength(2)
  })
})

describe('a provider with credentials, which cannot charge yet', () => {
  // All of them can by now: one is taken its client.
  const { createAdapter } = razorpay
  beforeAll(() => void Object.assign(razorpay, { createAdapter: undefined }))
  afterAll(() => void Object.assign(razorpay, { createAdapter }))

  it('is off in both modes, and cannot be switched on', async () => {
    const code = 'razorpay'
    const shop = await openShop(app)
    for (const key of [shop.keys.sandbox.secret, shop.keys.live.secret]) {
      const { id, enabled } = await shop.create(code, {}, key)
      expect(enabled).toBe(false)
      const rule = `must be false: ${code} cannot take payments yet. To try it in the sandbox without credentials, send simulated: true.`
      expect(await shop.refused('PUT', `/${id}`, { enabled: true }, key)).toEqual(notValidFields({ enabled: rule }))
      expect(await shop.refused('POST', '', { code, config: configOf(code), enabled: true }, key)).toEqual(
        notValidFields({ enabled: rule }),
      )
      expect((await shop.update(id, { enabled: false }, key)).enabled).toBe(false)
    }
    expect((await shop.offered(true)).available).toMatchObject({ [code]: false })
    expect((await shop.offered(false)).available).toMatchObject({ [code]: false })
  })

  it('is shown as off also where an older release has switched it on', async () => {
    const shop = await openShop(app)
    const { id } = await shop.create('razorpay')
    await changeRows(app.db, 'update payment_methods set is_enabled = true', { merchant_id: shop.id })
    expect((await shop.get(id)).enabled).toBe(false)
    expect((await shop.offered(true)).available).toMatchObject({ razorpay: false })
  })
})
