// Shared by the tests of attributes: a shop, the least body, and the form of an attribute.

import { expect } from 'vitest'
import type { Attribute } from '../../../src/api/attributes/schema.ts'
import type { Db } from '../../../src/db/db.ts'
import type { TestApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'
import { openShopAt, replyOf } from '../../support/shop.ts'

export const TYPES = ['short_text', 'long_text', 'options', 'number', 'checkbox', 'date', 'radio'] as const

/** The least a new attribute must have. */
export const draft = (more: Record<string, unknown> = {}) => ({
  name: 'Material',
  description: 'What it is made of.',
  type: 'short_text',
  ...more,
})

/** The attribute that `draft()` becomes. */
export const shown = (more: Record<string, unknown> = {}) => ({
  ...draft(),
  id: expect.stringMatching(/^attr_[0-9A-Za-z]{26}$/),
  required: false,
  is_public: true,
  is_multiselect: false,
  default_value: null,
  meta: null,
  created: expect.any(Number),
  updated: expect.any(Number),
  options: [],
  ...more,
})

/** An option with an id of its own. */
export const option = (value: string, label = value) => ({
  id: expect.stringMatching(/^atop_[0-9A-Za-z]{26}$/),
  value,
  label,
})

const selectEvents = sql<{ name: string; payload: Attribute; text: string }>`
  select name, payload, payload::text as text from events where merchant_id = :merchant_id order by created_at, id`

export const eventsOf = (db: Db, merchant_id: number) => db.many(selectEvents, { merchant_id })

export async function openAttributes(app: TestApp) {
  const { id: merchant_id, keys, call, succeed } = await openShopAt(app, 'attributes')
  return {
    merchant_id,
    key: keys.sandbox.secret,
    call,
    create: (more: Record<string, unknown> = {}) => succeed<Attribute>(201, 'POST', '', draft(more)),
    post: (more: Record<string, unknown>) => replyOf(call('POST', '', draft(more))),
    put: (id: string, body: unknown) => replyOf(call('PUT', `/${id}`, body)),
    get: (id: string) => succeed<Attribute>(200, 'GET', `/${id}`),
  }
}
