// What the tests of gateways share: a shop to call, the whole body of a gateway, credentials, refusals, a look into the table.

import { availableGateways } from '../../../src/api/payment-methods/available.ts'
import type { GatewayRecord } from '../../../src/api/payment-methods/schema.ts'
import { type OfferRow, offerRowsJson } from '../../../src/api/payment-methods/store.ts'
import type { Db } from '../../../src/db/db.ts'
import type { TestApp } from '../../support/app.ts'
import { rowTexts, sql } from '../../support/rows.ts'
import { expectUnchanged, missing, openShopAt, replyOf } from '../../support/shop.ts'

export const UNKNOWN_ID = `gway_${'0'.repeat(26)}`

/** Put together here, so that no scanner takes them for keys that somebody lost. */
export const SECRET = `sk_${'test'}_51JZhidden0000000wxyz`

/** The least each gateway needs, and how that is shown. */
export const CONFIGS: Record<string, { sent: Record<string, string>; shown: Record<string, string | null> }> = {
  test_gateway: { sent: {}, shown: {} },
  manual: { sent: { name: 'Bank transfer' }, shown: { name: 'Bank transfer', details: null } },
  stripe: {
    sent: { publishable_key: 'pk_1', secret_key: SECRET },
    shown: { publishable_key: 'pk_1', secret_key: '********wxyz', webhook_secret: null, capture: null },
  },
  square: {
    sent: { application_id: 'sandbox-sq0idb-app', location_id: 'loc', access_token: 'square-hidden-0123456789' },
    shown: {
      application_id: 'sandbox-sq0idb-app',
      location_id: 'loc',
      access_token: '********6789',
      webhook_signature_key: null,
      capture: null,
      statement_description_identifier: null,
    },
  },
  razorpay: {
    sent: { key_id: 'rzp_1', key_secret: 'hidden-short' },
    shown: { key_id: 'rzp_1', key_secret: '********', webhook_secret: null, capture: null },
  },
  paypal: {
    sent: { client_id: 'client', client_secret: 'paypal-hidden-abcdef' },
    shown: {
      client_id: 'client',
      client_secret: '********cdef',
      webhook_id: null,
      email: null,
      capture: null,
      brand_name: null,
      return_url: null,
    },
  },
  mollie: {
    sent: { api_key: 'test_mollie-hidden-fedcba' },
    shown: { api_key: '********dcba', return_url: null },
  },
}

export const configOf = (code: string) => CONFIGS[code]?.sent ?? {}

/** `app` must trust every proxy: live keys are told over "HTTPS". */
export async function openShop(app: TestApp) {
  const shop = await openShopAt(app, 'gateways')
  const { id, call, succeed } = shop
  return {
    ...shop,
    /** Sets up a gateway with the least it needs, a second after the one before. */
    create: (code: string, body: Record<string, unknown> = {}, key?: string) => {
      app.clock.advance(1)
      return succeed<GatewayRecord>(201, 'POST', '', { code, config: configOf(code), ...body }, key)
    },
    update: (gateway: string, body: unknown, key?: string) =>
      succeed<GatewayRecord>(200, 'PUT', `/${gateway}`, body, key),
    get: (gateway: string, key?: string) => succeed<GatewayRecord>(200, 'GET', `/${gateway}`, undefined, key),
    remove: (gateway: string, key?: string) => succeed<unknown>(204, 'DELETE', `/${gateway}`, undefined, key),
    /** Sends what must be refused, and checks that no byte of any row changed. */
    refused: (...request: Parameters<typeof call>) =>
      expectUnchanged(
        () => rowsOf(app.db, id),
        () => replyOf(call(...request)),
      ),
    /** What a checkout would offer. */
    offered: async (is_sandbox: boolean) =>
      availableGateways((await app.db.one(selectOffers, { merchant_id: id })).rows, is_sandbox),
  }
}

export const NOT_FOUND = [404, missing('gateway')]

const selectOffers = sql<{ rows: OfferRow[] }>`select ${offerRowsJson(':merchant_id')} as rows`

export const rowsOf = (db: Db, merchant_id: number) => rowTexts(db, merchant_id, 'payment_methods')
