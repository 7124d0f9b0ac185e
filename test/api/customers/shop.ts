// What the tests of customers' records share: a shop that makes orders and customers, sessions of customers, and a look at all rows.

import { expect } from 'vitest'
import { issueSession } from '../../../src/api/customers/login/session.ts'
import type { Customer, CustomerAddress } from '../../../src/api/customers/schema.ts'
import type { Db } from '../../../src/db/db.ts'
import { sessionKeys } from '../../../src/keys/session-keys.ts'
import { errorBody } from '../../http/harness.ts'
import type { Answer, TestApp } from '../../support/app.ts'
import { rowTexts } from '../../support/rows.ts'
import { expectUnchanged, replyOf } from '../../support/shop.ts'
import { openShop } from '../orders/support.ts'

export const UNKNOWN_ID = `cstmr_${'0'.repeat(26)}`

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export const SESSION_OVER = errorBody(
  401,
  'unauthorized',
  "The customer's token is not valid, or its 24 hours are over. Let the customer log in again.",
)

/** `app` must trust every proxy: live keys are told over "HTTPS". */
export async function openCustomers(app: TestApp) {
  const shop = await openShop(app)
  const { keys } = shop
  const signing = sessionKeys(app.db, app.clock, { revision: 0, isFresh: () => false })
  /** Below /v1/customers, with the sandbox's secret key, another key, or `Bearer` and a token. */
  const call = (method: Method, path: string, body?: unknown, by = keys.sandbox.secret): Promise<Answer> =>
    app.call(method, `/v1/customers${path}`, {
      ...(by.startsWith('Bearer ') ? {} : { key: by }),
      headers: {
        'x-forwarded-proto': by.startsWith('sk_') && !by.includes('_test_') ? 'https' : 'http',
        ...(by.startsWith('Bearer ') ? { authorization: by, 'x-authorization': 'undefined' } : {}),
      },
      body,
    })
  const succeed = async (status: number, ...request: Parameters<typeof call>) => {
    const answer = await call(...request)
    expect([answer.status, answer.text]).toEqual([status, answer.text])
    return answer.body
  }
  let number = 0
  return {
    ...shop,
    call,
    succeed,
    create: async (body: object = {}, by?: string) =>
      (await succeed(201, 'POST', '', { email: `c${++number}@example.com`, ...body }, by)) as Customer,
    get: async (id: string, by?: string) => (await succeed(200, 'GET', `/${id}`, undefined, by)) as Customer,
    update: async (id: string, body: object, by?: string) =>
      (await succeed(200, 'PUT', `/${id}`, body, by)) as Customer,
    addAddress: async (id: string, body: object = {}) =>
      (await succeed(201, 'POST', `/${id}/addresses`, body)) as CustomerAddress,
    /** The header of a customer who logs in now. */
    logIn: async (customerId: string) =>
      `Bearer ${await issueSession({ sessionKeys: signing }, { merchant_id: shop.id, is_sandbox: true, customerId }, app.clock.now())}`,
    /** Sends what must be refused, and checks that no byte of any row changed and no event was written. */
    refused: (...request: Parameters<typeof call>) =>
      expectUnchanged(
        () => rowsOf(app.db, shop.id),
        () => replyOf(call(...request)),
      ),
    customerEvents: async () => (await shop.events()).filter(({ kind }) => kind === 'customer'),
  }
}

/** Every row of a merchant that has to do with customers. */
export const rowsOf = (db: Db, merchant_id: number) =>
  rowTexts(db, merchant_id, 'customers', 'customer_addresses', 'login_tokens', 'events')
