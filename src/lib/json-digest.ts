// A digest that is the same for equal JSON, whatever the order of its fields.

import { createHmac } from 'node:crypto'

/** Keyed, because by a plain digest what is short, such as a card number, could be found by trying. `value` was read from JSON. */
export const jsonDigest = (secret: Uint8Array, value: unknown): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify(value, withSortedFields) ?? '')
    .digest()

function withSortedFields(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
