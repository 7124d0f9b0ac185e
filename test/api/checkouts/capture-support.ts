// Shared by the tests of capture: a shop to capture in, and bodies as a form sends them.

import { expect } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import type { TestApp } from '../../support/app.ts'
import type { Body } from '../../support/shop.ts'
import { openCheckoutShop } from './support.ts'

export const NUMBER = '4242 4242 4242 4242'

export const CARD = {
  gateway: 'test_gateway',
  card: { number: NUMBER, expires: '01/22', cvc: 123, postal_zip_code: '94107' },
}

export const ADDRESS = {
  name: 'Ada Lovelace',
  street: '1 Main Street',
  town_city: 'San Francisco',
  county_state: 'CA',
  postal_zip_code: '94107',
  country: 'US',
}

export const CUSTOMER = { email: 'ada@example.com' }

export type CaptureShop = Awaited<ReturnType<typeof openCaptureShop>>

/** A shop that ships within the US by one method. */
export async function openCaptureShop(app: TestApp, draft: Parameters<typeof openCheckoutShop>[1] = {}) {
  const shop = await openCheckoutShop(app, draft)
  const zone = await shop.zone()
  const method = zone.methods[0]?.id ?? ''
  const capture = (token: { id: string }, body: unknown, key?: string) =>
    shop.call('POST', `checkouts/${token.id}`, body, key)
  return {
    ...shop,
    zoneId: zone.id,
    method,
    capture,
    order: async (token: { id: string }, body: unknown, key?: string): Promise<Order> => {
      const answer = await capture(token, body, key)
      expect([answer.status, answer.text]).toEqual([200, answer.text])
      return answer.body as Order
    },
    /** The errors of a capture that is refused, by path. */
    errors: async (token: { id: string }, body: unknown, key?: string): Promise<Record<string, string[]>> => {
      const answer = await capture(token, body, key)
      expect([answer.status, answer.text]).toEqual([422, answer.text])
      return (answer.body as { error: { errors: Record<string, string[]> } }).error.errors
    },
    /** What is needed to buy something that is shipped. */
    body: (more: Body = {}): Body => ({
      customer: CUSTOMER,
      shipping: ADDRESS,
      fulfillment: { shipping_method: method },
      payment: CARD,
      ...more,
    }),
  }
}

/** What is needed to buy something that is not shipped. */
export const digitalBody = (more: Body = {}): Body => ({ customer: CUSTOMER, payment: CARD, ...more })

export const digital = { delivery: { physical: false } }

export const noAddress = {
  name: null,
  street: null,
  street_2: null,
  town_city: null,
  county_state: null,
  postal_zip_code: null,
  country: null,
  delivery_instructions: null,
  meta: null,
}
