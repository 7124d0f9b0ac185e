// Settings in the two modes: a live key writes them for both, a key of the sandbox for the sandbox only.

import { describe, expect, it } from 'vitest'
import { join, openHouse } from '../../dashboard/support.ts'
import { type Answer, sharedApp } from '../../support/app.ts'
import { addImage, publicFace, settings } from './support.ts'

const app = await sharedApp()

type Merchant = Awaited<ReturnType<typeof app.merchant>>

/** The version that every body is read in: the one a shop chooses takes effect a moment later. */
const NEWEST = { 'service-version': '2022-07-21' }

const call = (method: 'GET' | 'PUT', key: string, body?: unknown, path = 'merchants', more = {}): Promise<Answer> =>
  app.call(method, `/v1/${path}`, {
    key,
    headers: { 'x-forwarded-proto': 'https', ...more },
    ...(body ? { body } : {}),
  })

async function put(key: string, body: unknown) {
  const answer = await call('PUT', key, body, 'merchants', NEWEST)
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return answer.body
}

const read = async ({ keys }: Merchant) => {
  const settingsFor = (key: string) => call('GET', key, undefined, 'merchants', NEWEST)
  const [live, sandbox] = [await settingsFor(keys.live.secret), await settingsFor(keys.sandbox.secret)]
  return { live: live.body as Record<string, unknown>, sandbox: sandbox.body as Record<string, unknown> }
}

const LIVE = {
  name: 'Live Shop',
  description: 'Tea.',
  support_email: 'help@shop.example',
  country: 'CA',
  allowed_origins: ['https://shop.example'],
  version: '2021-03-10',
  notifications: { customer: { login_token: true }, merchant: { email: 'orders@shop.example' } },
  checkout: { return_url: 'https://shop.example/thanks' },
  orders: { unpaid_expire_after_hours: 72 },
  time_zone: 'America/Vancouver',
}

const STRANGE = {
  name: 'Stranger',
  business_description: 'Not tea.',
  support_email: 'stranger@evil.example',
  country: null,
  logo_shape: 'circle',
  analytics: { google: { settings: { tracking_id: 'G-evil' } } },
  tax: { included_in_price: true },
  allowed_origins: ['https://evil.example'],
  version: '2020-08-12',
  notifications: {
    customer: { login_token: false, orders: false },
    merchant: { orders: false, email: 'stranger@evil.example' },
  },
  colors: { accent: '#000000' },
  address: { city: 'Elsewhere' },
  orders: { unpaid_expire_after_hours: 1 },
  checkout: { languages: ['de'], terms_url: 'https://evil.example/terms', return_url: 'https://evil.example/' },
  time_zone: 'Asia/Tokyo',
}

describe('PUT /v1/merchants with a sandbox key', () => {
  it('changes every field for the sandbox, and none for live keys', async () => {
    const merchant = await app.merchant()
    await put(merchant.keys.live.secret, LIVE)
    const before = await read(merchant)
    expect(before.sandbox).toEqual(before.live)
    const logo = await addImage(app, merchant.keys)
    const answer = await put(merchant.keys.sandbox.secret, { ...STRANGE, logo: logo.id, cover: logo.id })
    const after = await read(merchant)
    expect(after.live).toEqual(before.live)
    expect(answer).toEqual(after.sandbox)
    expect(after.sandbox).toMatchObject({
      name: 'Stranger',
      description: 'Not tea.',
      country: null,
      allowed_origins: ['https://evil.example'],
      notifications: { customer: { login_token: false, refunds: true }, merchant: { email: 'stranger@evil.example' } },
      checkout: { languages: ['de'], return_url: 'https://evil.example/' },
      has: { logo: true, cover: true },
    })
  })

  it('decides the version of sandbox requests only, down and up again', async () => {
    const merchant = await app.merchant()
    await put(merchant.keys.sandbox.secret, { version: '2020-08-12' })
    const versionOf = async (key: string) => (await call('GET', key)).headers['service-version']
    await expect.poll(() => versionOf(merchant.keys.sandbox.public)).toBe('2020-08-12')
    expect(await versionOf(merchant.keys.live.public)).toBe('2022-07-21')
    const versions = await call('GET', merchant.keys.sandbox.secret, undefined, 'versions')
    expect(versions.body).toMatchObject({ current: '2020-08-12' })
    await put(merchant.keys.sandbox.secret, { version: '2022-07-21' })
    await expect.poll(() => versionOf(merchant.keys.sandbox.public)).toBe('2022-07-21')
  })

  it('leaves the rest of the sandbox as the shop has it, also what the shop changes later', async () => {
    const merchant = await app.merchant()
    await put(merchant.keys.sandbox.secret, { notifications: { customer: { orders: false } } })
    await put(merchant.keys.live.secret, { name: 'New', notifications: { customer: { refunds: false } } })
    const { live, sandbox } = await read(merchant)
    const mails = { login_token: true, orders: true, shipments: true, refunds: false, cancellations: true }
    const merchantMails = { orders: true, email: null }
    expect([live.name, live.notifications]).toEqual(['New', { customer: mails, merchant: merchantMails }])
    expect([sandbox.name, sandbox.notifications]).toEqual([
      'New',
      { customer: { ...mails, orders: false }, merchant: merchantMails },
    ])
  })
})

it('PUT /v1/merchants with a live key changes both modes, and drops what the sandbox had of its own of these fields', async () => {
  const merchant = await app.merchant()
  await put(merchant.keys.sandbox.secret, STRANGE)
  await put(merchant.keys.live.secret, { ...publicFace(merchant.id), ...settings() })
  await put(merchant.keys.live.secret, LIVE)
  const { live, sandbox } = await read(merchant)
  expect(sandbox).toEqual(live)
})

it.each([
  ['owner', 'both modes', 'New'],
  ['manager', 'both modes', 'New'],
  ['developer', 'the sandbox only', 'Shop'],
] as const)('PUT /v1/merchants at the dashboard, in the sandbox by a %s changes %s', async (role, _modes, liveName) => {
  const house = await openHouse(app)
  const owner = await house.owner()
  const browser = role === 'owner' ? owner : await join(app, owner, role)
  const sent = { body: { name: 'New' }, mode: 'sandbox' } as const
  expect(await browser.succeed(200, 'PUT', '/dashboard/api/v1/merchants', sent)).toMatchObject({ name: 'New' })
  const live = await call('GET', house.keys.live.secret)
  expect((live.body as { name: string }).name).toBe(liveName)
})
