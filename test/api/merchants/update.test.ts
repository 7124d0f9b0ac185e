// PUT /v1/merchants: what a merchant may set, what stays, and what is refused.

import { describe, expect, it } from 'vitest'
import { newId } from '../../../src/lib/ids.ts'
import { versions } from '../../../src/versions/index.ts'
import { sharedApp } from '../../support/app.ts'
import { rowTexts, sql } from '../../support/rows.ts'
import {
  bodyOf,
  expectUnchanged,
  malformedFields,
  notValidField,
  notValidFields,
  refusal,
  replyOf,
} from '../../support/shop.ts'
import { base64, pdf } from '../assets/support.ts'
import { addImage, assetOf, publicFace, settings } from './support.ts'

const app = await sharedApp()

// One merchant for the refusals: opening one hashes a password, which takes a while.
const refused = await app.merchant()

const put = (key: string, body: unknown) => app.call('PUT', '/v1/merchants', { key, body })
const read = async (key: string) => (await app.call('GET', '/v1/merchants', { key })).body

/** Sends what must be refused: no byte of the merchant changes. */
const putRefused = (body: object) =>
  expectUnchanged(
    () => rowTexts(app.db, refused.id, 'merchants'),
    () => replyOf(put(refused.keys.sandbox.secret, { name: 'Slipped through', ...body })),
  )

const FULL = {
  name: ' Corner Shop ',
  description: 'Tea & <b>cake</b>',
  support_email: 'Help@corner.example',
  country: 'CA',
  logo_shape: 'rectangle',
  analytics: { google: { settings: { tracking_id: 'G-123', linked_domains: ['corner.example', 'b.example'] } } },
  tax: { included_in_price: true, on_shipping: true },
  allowed_origins: ['https://Corner.example/', 'http://localhost:3000', 'https://corner.example:443'],
  version: '2021-03-10',
  notifications: {
    customer: { login_token: false, orders: false, shipments: false, refunds: false, cancellations: false },
    merchant: { orders: false, email: 'orders@corner.example' },
  },
  colors: { accent: '#1d4ED8', background: '#fafafa' },
  address: { street: '1 High St', city: 'Victoria', region: 'BC', country: 'CA', postal_zip_code: 'V8V 1A1' },
  orders: { unpaid_expire_after_hours: 72 },
  checkout: {
    languages: ['fr', 'en'],
    terms_url: 'https://terms.example/of/corner?v=2#top',
    privacy_url: 'http://localhost:3000/privacy',
    return_url: 'https://CORNER.example/thanks',
  },
  time_zone: 'America/Vancouver',
}

describe('PUT /v1/merchants', () => {
  it('sets every field, and answers what GET shows from then on', async () => {
    const { id, keys } = await app.merchant({ settings: { demo: true } })
    const [logo, cover] = [await addImage(app, keys), await addImage(app, keys, { filename: 'cover.png' })]
    app.clock.advance(60)
    const answer = await put(keys.sandbox.secret, { ...FULL, logo: logo.id, cover: cover.id })
    const images = { logo: await assetOf(app, keys, logo.id), cover: await assetOf(app, keys, cover.id) }
    const { name: _, description, support_email, country, logo_shape, analytics, ...set } = FULL
    const shown = publicFace(id, {
      ...{ support_email, country, logo_shape, analytics },
      name: 'Corner Shop',
      business_name: 'Corner Shop',
      description,
      business_description: description,
      logo: images.logo.url,
      cover: images.cover.url,
      has: {
        ...publicFace(id).has,
        ...{ logo: true, cover: true, description: true, business_description: true, analytics: true },
      },
      images,
    })
    const both = { ...shown, ...set, allowed_origins: ['https://corner.example', 'http://localhost:3000'] }
    expect([answer.status, answer.body]).toEqual([200, both])
    expect(await read(keys.sandbox.secret)).toEqual(both)
    expect(await read(keys.sandbox.public)).toEqual(shown)
    const stored = await app.db.one(
      sql<{ settings: object; updated_at: Date }>`
        select settings, updated_at from merchants where merchant_id = :merchant_id`,
      { merchant_id: id },
    )
    expect(stored).toEqual({ settings: expect.objectContaining({ demo: true }), updated_at: app.clock.now() })
  })

  it('takes the older names where the newer ones are left out, and what is only shown for nothing', async () => {
    const { keys } = await app.merchant()
    let { has: _, ...shown } = (await read(keys.sandbox.secret)) as Record<string, unknown>
    for (const [body, change] of [
      [{ business_name: 'Old Name' }, { name: 'Old Name', business_name: 'Old Name' }],
      [
        { name: 'New', business_name: 'Not this' },
        { name: 'New', business_name: 'New' },
      ],
      [{ business_description: 'Old' }, { description: 'Old', business_description: 'Old' }],
      [
        { description: null, business_description: 'Not this' },
        { description: null, business_description: null },
      ],
      // PUT accepts the unchanged currency that GET shows.
      [{ currency: { code: 'USD', symbol: '$' } }, {}],
      [{ currency: 'USD' }, {}],
      [{ id: 7, status: 'inactive', has: {} }, {}],
    ] as const) {
      shown = { ...shown, ...change }
      expect(await replyOf(put(keys.sandbox.secret, body))).toMatchObject([200, shown])
    }
  })

  it('shows no picture any more when its asset is deleted, or it is set to null', async () => {
    const { id, keys } = await app.merchant()
    const [logo, cover] = [await addImage(app, keys), await addImage(app, keys)]
    await put(keys.sandbox.secret, { logo: logo.id, cover: cover.id })
    expect(await read(keys.sandbox.public)).toMatchObject({ has: { logo: true, cover: true } })
    expect((await app.call('DELETE', `/v1/assets/${logo.id}`, { key: keys.sandbox.secret })).status).toBe(204)
    expect((await put(keys.sandbox.secret, { cover: null })).body).toEqual({ ...publicFace(id), ...settings() })
  })

  const ORIGIN_RULE = 'must be an origin such as https://shop.example or http://localhost:3000, without a path.'
  const PAGE_RULE =
    'must be an https URL such as https://shop.example/terms, without a user name, spaces or backslashes; http is allowed for localhost only, or null.'
  const COUNTRY_RULE = 'must be an ISO 3166-1 alpha-2 code such as US, DE or JP, or null.'

  it.each<[body: object, rules: Record<string, string>]>([
    [{ name: ' \t' }, { name: 'must be 1 to 255 characters long.' }],
    [{ business_name: ' ' }, { business_name: 'must be 1 to 255 characters long.' }],
    [{ support_email: 'a@b@c' }, { support_email: 'must be an e-mail address such as shop@example.com.' }],
    ...['#12', '#12345g', '#000000;'].map((accent): [object, Record<string, string>] => [
      { colors: { accent } },
      { 'colors.accent': 'must be a colour such as #1d4ed8, or null for the default.' },
    ]),
    [{ checkout: { languages: ['en', 'de', 'en'] } }, { 'checkout.languages': 'must name each language once.' }],
    ...['Europe/Atlantis', '+01:00', ''].map((time_zone): [object, Record<string, string>] => [
      { time_zone },
      { time_zone: 'must be the name of a time zone such as Europe/Berlin, America/New_York or UTC.' },
    ]),
    ...['terms_url', 'privacy_url', 'return_url'].flatMap((field) =>
      [
        'http://shop.example/',
        'https://user@shop.example/',
        'javascript:alert(1)',
        'http://localhost.evil.example/',
      ].map((url): [object, Record<string, string>] => [
        { allowed_origins: ['https://shop.example', 'http://shop.example'], checkout: { [field]: url } },
        { [`checkout.${field}`]: PAGE_RULE },
      ]),
    ),
    [{ country: 'XX' }, { country: COUNTRY_RULE }],
    [{ address: { country: 'XX' } }, { 'address.country': COUNTRY_RULE }],
    [
      { notifications: { merchant: { email: 'a@b,c@d.example' } } },
      {
        'notifications.merchant.email':
          'must be an e-mail address such as shop@example.com, or null for support_email.',
      },
    ],
    [
      { allowed_origins: ['https://fine.example', '*', 'https://a.example/path', 'null'] },
      { 'allowed_origins.1': ORIGIN_RULE, 'allowed_origins.2': ORIGIN_RULE, 'allowed_origins.3': ORIGIN_RULE },
    ],
    [{ version: '2022-07-22' }, { version: `must be one of ${versions.map(({ date }) => date).join(', ')}.` }],
    [
      { country: 'XX', support_email: '' },
      { support_email: 'must be an e-mail address such as shop@example.com.', country: COUNTRY_RULE },
    ],
  ])('refuses %j, and changes nothing', async (body, rules) => {
    expect(await putRefused(body)).toEqual(malformedFields(rules))
  })

  it('sends shoppers back to allowed origins or to localhost alone, whichever of the two settings changes', async () => {
    const { keys } = await app.merchant()
    const set = (body: unknown) => put(keys.sandbox.secret, body)
    const strange = refusal('not_valid', {
      'checkout.return_url': ['checkout.return_url must begin with one of the allowed_origins or be on localhost.'],
    })
    const checkout = { return_url: 'https://shop.example:8443/thanks?from=checkout' }
    for (const allowed_origins of [undefined, [], ['https://shop.example'], ['http://shop.example:8443']])
      expect(await replyOf(set({ allowed_origins, checkout }))).toEqual([422, strange])
    expect((await set({ checkout: { return_url: 'http://127.0.0.1:3000/thanks' } })).status).toBe(200)
    expect((await set({ allowed_origins: ['https://shop.example:8443'], checkout })).status).toBe(200)
    expect(bodyOf(422, await set({ allowed_origins: ['https://other.example'] }))).toEqual(
      refusal('not_valid', {
        allowed_origins: [
          `allowed_origins must include the origin of checkout.return_url, which is ${checkout.return_url}.`,
        ],
      }),
    )
    expect((await set({ allowed_origins: [], checkout: { return_url: null } })).body).toMatchObject({
      allowed_origins: [],
      checkout: { return_url: null },
    })
  })

  it('refuses another currency, and changes nothing', async () => {
    const refusal = notValidField('currency', 'cannot be changed: the prices of this merchant are in USD.')
    for (const currency of ['EUR', { code: 'EUR' }, { code: null }])
      expect(await putRefused({ currency })).toEqual(refusal)
  })

  it('refuses a picture that shoppers could not see, in the same words whatever the reason', async () => {
    const stranger = await app.merchant()
    const { keys } = refused
    const ids = [
      newId('asset', app.clock.now()),
      'ast_1',
      '',
      (await addImage(app, stranger.keys)).id,
      (await addImage(app, keys, { private: true })).id,
      (await addImage(app, keys, { filename: 'a.pdf', contents: base64(pdf()) })).id,
      (await addImage(app, keys, { contents: undefined, pending: true })).id,
    ]
    const rule = 'must be null or the id of an image asset that is completely uploaded and not private.'
    for (const id of ids)
      expect(await putRefused({ logo: id, cover: id })).toEqual(notValidFields({ logo: rule, cover: rule }))
  })
})
