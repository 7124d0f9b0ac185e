// What the tests of gateways share: a shop to call, the whole body of a gateway, credentials, refusals, a look into the table.

import { expect } from 'vitest'
import { availableGateways } from '../../../src/api/payment-methods/available.ts'
import type { GatewayRecord } from '../../../src/api/payment-methods/schema.ts'
import { type OfferRow, offerRowsJson } from '../../../src/api/payment-methods/store.ts'
import { type Db, statement } from '../../../src/db/db.ts'
import type { Answer, TestApp } from '../../support/app.ts'

/** Where the tests' clock stands at first: 2026-01-02T03:04:05Z. */
export const START = 1_767_323_045

export const UNKNOWN_ID = `gway_${'0'.repeat(26)}`

/** Put together here, so that no scanner takes them for keys that somebody lost. */
export const SECRET = `sk_${'test'}_51JZhidden0000000wxyz`

/** The least each gateway needs, and how that is shown. */
export const CONFIGS: Record<string, { sent: Record<string, string>; shown: Record<string, string | null> }> = {
  test_gateway: { sent: {}, shown: {} },
  manual: { sent: { name: 'Bank transfer' }, shown: { name: 'Bank transfer', details: null } },
  stripe: {
    sent: { publishable_key: 'pk_1', secret_key: SECRET },
    shown: { publishable_key: 'pk_1', secret_key: '********wxyz' },
  },
  square: {
    sent: { application_id: 'app', location_id: 'loc', access_token: 'square-hidden-0123456789' },
    shown: { application_id: 'app', location_id: 'loc', access_token: '********6789' },
  },
  razorpay: {
    sent: { key_id: 'rzp_1', key_secret: 'hidden-short' },
    shown: { key_id: 'rzp_1', key_secret: '********' },
  },
  paypal: {
    sent: { client_id: 'client', client_secret: 'paypal-hidden-abcdef' },
    shown: { client_id: 'client', client_secret: '********cdef', email: null },
  },
}

export const configOf = (code: string) => CONFIGS[code]?.sent ?? {}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** `app` must trust every proxy: live keys are told over "HTTPS". */
export async function openShop(app: TestApp) {
  const { id, keys } = await app.merchant()
  const call = (method: Method, path: string, body?: unknown, key = keys.sandbox.secret): Promise<Answer> =>
    app.call(method, `/v1/gateways${path}`, {
      key,
      headers: { 'x-forwarded-proto': key.includes('_test_') ? 'http' : 'https' },
      ...(body === undefined ? {} : { body }),
    })
  const succeed = async (status: number, ...request: Parameters<typeof call>) => {
    const answer = await call(...request)
    expect([answer.status, answer.text]).toEqual([status, answer.text])
    return answer.body as GatewayRecord
  }
  return {
    id,
    keys,
    call,
    /** Sets up a gateway with the least it needs, a second after the one before. */
    create: (code: string, body: Record<string, unknown> = {}, key?: string) => {
      app.clock.advance(1)
      return succeed(201, 'POST', '', { code, config: configOf(code), ...body }, key)
    },
    update: (gateway: string, body: unknown, key?: string) => succeed(200, 'PUT', `/${gateway}`, body, key),
    get: (gateway: string, key?: string) => succeed(200, 'GET', `/${gateway}`, undefined, key),
    remove: (gateway: string) => succeed(204, 'DELETE', `/${gateway}`),
    /** Sends what must be refused, and checks that no byte of any row changed. */
    refused: async (...request: Parameters<typeof call>) => {
      const before = await rowsOf(app.db, id)
      const answer = await call(...request)
      expect(await rowsOf(app.db, id)).toEqual(before)
      return [answer.status, answer.body]
    },
    /** What a checkout would offer. */
    offered: async (isSandbox: boolean) => availableGateways((await app.db.one(selectOffers, [id])).rows, isSandbox),
  }
}

const refusal = (type: string, errors: Record<string, string>) => {
  const sentences = Object.entries(errors).map(([field, rule]) => [field, [`${field} ${rule}`]] as const)
  const [first, ...others] = sentences.map(([, [sentence]]) => sentence)
  const more = others.length === 0 ? '' : ` (and ${others.length} more ${others.length === 1 ? 'error' : 'errors'})`
  return [422, { error: { type, message: `${first}${more}`, errors: Object.fromEntries(sentences) }, status_code: 422 }]
}

export const malformed = (errors: Record<string, string>) => refusal('unprocessable_entity', errors)
export const notValid = (errors: Record<string, string>) => refusal('not_valid', errors)

export const NOT_FOUND = [
  404,
  { error: { type: 'not_found', message: 'There is no gateway with that id.' }, status_code: 404 },
]

const selectOffers = statement<{ rows: OfferRow[] }>('test.offer_rows', `select ${offerRowsJson('$1')} as rows`)

const selectRows = statement<{ row: string }>(
  'test.payment_method_rows',
  'select p::text as row from payment_methods p where merchant_id = $1 order by id',
)

export const rowsOf = async (db: Db, merchantId: number): Promise<string[]> =>
  (await db.many(selectRows, [merchantId])).map(({ row }) => row)
