// What the tests of tax zones share: a shop to call, the least a new zone has, and the zone that becomes of it.

import { expect } from 'vitest'
import type { TaxZone } from '../../../src/api/tax/schema.ts'
import type { Answer, TestApp } from '../../support/app.ts'
import { matching, unixNow } from '../products/support.ts'

export const UNKNOWN_ID = `taxz_${'0'.repeat(26)}`

export const NOT_FOUND = {
  error: { type: 'not_found', message: 'There is no tax zone with that id.' },
  status_code: 404,
}

/** The least a new zone must have. */
export const draft = (more: Record<string, unknown> = {}) => ({
  country: 'US',
  rates: [{ type: 'state', rate: 0.06 }],
  ...more,
})

/** The zone that `draft()` becomes at this moment. */
export const shown = (app: TestApp, more: Record<string, unknown> = {}) => ({
  id: matching('taxz_'),
  country: 'US',
  region: null,
  postal_prefix: null,
  rates: [{ type: 'state', rate: 0.06, rate_percentage: '6%', digital_rate: null }],
  created: unixNow(app),
  updated: unixNow(app),
  ...more,
})

export type TaxShop = {
  id: number
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: unknown, key?: string): Promise<Answer>
  create(more?: Record<string, unknown>): Promise<TaxZone>
  publicKey: string
}

/** One for each test that creates zones: a merchant has one zone for each place. */
export async function openTaxShop(app: TestApp): Promise<TaxShop> {
  const { id, keys } = await app.merchant()
  const call: TaxShop['call'] = (method, path, body, key = keys.sandbox.secret) =>
    app.call(method, `/v1/tax_zones${path}`, { key, ...(body === undefined ? {} : { body }) })
  return {
    id,
    call,
    publicKey: keys.sandbox.public,
    create: async (more) => {
      const answer = await call('POST', '', draft(more))
      expect(answer, answer.text).toMatchObject({ status: 201 })
      return answer.body as TaxZone
    },
  }
}
