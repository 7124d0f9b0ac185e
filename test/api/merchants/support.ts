// What the tests of /v1/merchants share: the whole body of a merchant with every default, and pictures to show it with.

import type { TestApp } from '../../support/app.ts'
import type { Keys } from '../../support/shop.ts'
import { base64, png, upload } from '../assets/support.ts'

/** What anybody sees of `app.merchant()`. */
export const publicFace = (id: number, more: Record<string, unknown> = {}) => ({
  id,
  name: 'Shop',
  description: null,
  business_name: 'Shop',
  business_description: null,
  currency: { code: 'USD', symbol: '$' },
  support_email: 'shop@example.com',
  logo: null,
  logo_shape: null,
  cover: null,
  status: 'active',
  country: null,
  intercom: null,
  has: {
    logo: false,
    cover: false,
    description: false,
    business_description: false,
    analytics: false,
    enabled_hosted_checkouts: true,
    enabled_hosted_storefront: false,
  },
  analytics: { google: { settings: { tracking_id: null, linked_domains: [] } } },
  images: { logo: null, cover: null },
  ...more,
})

/** What only the merchant sees besides. */
export const settings = (more: Record<string, unknown> = {}) => ({
  tax: { included_in_price: false, on_shipping: false },
  allowed_origins: [],
  version: '2022-07-21',
  notifications: {
    customer: { login_token: true, orders: true, shipments: true, refunds: true, cancellations: true },
    merchant: { orders: true, email: null },
  },
  colors: { accent: null, background: null },
  address: { street: null, city: null, region: null, country: null, postal_zip_code: null },
  orders: { unpaid_expire_after_hours: null },
  checkout: {
    languages: ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'ja'],
    terms_url: null,
    privacy_url: null,
    return_url: null,
  },
  time_zone: 'UTC',
  ...more,
})

export const addImage = (app: TestApp, { sandbox }: Keys, body: Record<string, unknown> = {}) =>
  upload(app, sandbox.secret, { filename: 'logo.png', contents: base64(png()), ...body })

/** The asset as GET /v1/assets/{id} shows it. */
export const assetOf = async (app: TestApp, { sandbox }: Keys, id: string) =>
  (await app.call('GET', `/v1/assets/${id}`, { key: sandbox.secret })).body as { url: string }
