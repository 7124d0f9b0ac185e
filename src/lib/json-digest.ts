// A digest that is the same for equal JSON, whatever the order of its fields.

import { createHmac } from 'node:crypto'

/** Keyed, because by a plain digest what is short, such as a card number, could be found by trying. `value` was read from JSON. */
export const jsonDigest = (secret: Uint8Array, value: unknown): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify(withSortedFields(value)) ?? '')
    .digest()

/** A copy, because a function that JSON.stringify asks for every field takes twice the time, and anybody may send many fields. */
function withSortedFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withSortedFields)
  const fields = value as Readonly<Record<string, unknown>>
  // Without a prototype, `__proto__` is a field like any other.
  const sorted: Record<string, unknown> = Object.create(null)
  for (const name of Object.keys(fields).sort()) sorted[name] = withSortedFields(fields[name])
  return sorted
}
