// GET /v1/merchants: the merchant that the key belongs to, to the public and to itself, and the same inside other statements.

import { describe, expect, it } from 'vitest'
import { setMerchantDisabled } from '../../../src/api/merchants/merchant.ts'
import { FACE_JSON, type FaceRow } from '../../../src/api/merchants/read-store.ts'
import { taxSettings } from '../../../src/api/merchants/settings.ts'
import { viewAnalytics, viewTokenMerchant } from '../../../src/api/merchants/view.ts'
import { statement } from '../../../src/db/db.ts'
import { sharedApp } from '../../support/app.ts'
import { addImage, assetOf, publicFace, settings } from './support.ts'

// Live keys need HTTPS; the tests say so through a proxy that is trusted.
const app = await sharedApp()
const get = (key: string, more: { version?: string; headers?: Record<string, string> } = {}) =>
  app.call('GET', '/v1/merchants', { key, ...more })

// One for the tests that change nothing: opening a merchant hashes a password, which takes a while.
const shop = await app.merchant()

describe('GET /v1/merchants', () => {
  it('shows a public key the face of the merchant, as an object and not as a list', async () => {
    const { id, keys } = shop
    const answer = await get(keys.sandbox.public)
    expect([answer.status, answer.body]).toEqual([200, publicFace(id)])
    expect(answer.headers['access-control-allow-origin']).toBe('*')
  })

  it('shows the secret key the settings, too', async () => {
    const { id, keys } = shop
    expect((await get(keys.sandbox.secret)).body).toEqual({ ...publicFace(id), ...settings() })
  })

  it('tells that a disabled merchant is inactive', async () => {
    const { id, keys } = await app.merchant()
    await setMerchantDisabled(app, id, true)
    expect((await get(keys.sandbox.public)).body).toEqual(publicFace(id, { status: 'inactive' }))
  })
})

describe('the merchant inside another statement', () => {
  const select = statement<{ face: FaceRow }>(
    'test.merchant_face',
    `select ${FACE_JSON} as face from merchants m where m.merchant_id = :merchant_id`,
  )

  it('is shown in a checkout token with both names and its pictures', async () => {
    const { id, keys } = await app.merchant({ description: 'Tea.', settings: { tax: { on_shipping: true } } })
    const logo = await addImage(app, keys)
    const body = { logo: logo.id, logo_shape: 'circle', analytics: { google: { settings: { tracking_id: 'G-1' } } } }
    expect((await app.call('PUT', '/v1/merchants', { key: keys.sandbox.secret, body })).status).toBe(200)
    const { face } = await app.db.one(select, { merchant_id: id, is_sandbox: true })
    const { url } = await assetOf(app, keys, logo.id)
    expect(viewTokenMerchant(face, { origin: 'http://localhost:80', sign: null })).toEqual({
      id,
      name: 'Shop',
      description: 'Tea.',
      business_name: 'Shop',
      business_description: 'Tea.',
      currency: { code: 'USD', symbol: '$' },
      support_email: 'shop@example.com',
      logo: url,
      logo_shape: 'circle',
      cover: null,
      has: { logo: true, cover: false, description: true, business_description: true },
    })
    expect(viewAnalytics(face)).toEqual({ google: { settings: { tracking_id: 'G-1', linked_domains: [] } } })
    expect(taxSettings(face)).toEqual({ included_in_price: false, on_shipping: true })
  })
})
