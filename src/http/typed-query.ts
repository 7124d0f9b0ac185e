// Gives the text of a query the types its schema names: a URL has no numbers or booleans of its own.
// What does not read as the wanted type is left as it is, for validation to refuse.

import type { TObject } from 'typebox'

const BOOLEANS: Record<string, boolean> = { true: true, false: false, 1: true, 0: false }

export function typedQuery(schema: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const typed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    const property = schema.properties[name]
    // Unknown parameters are ignored, as unknown fields of a body are.
    if (property) typed[name] = typedValue((property as { type?: string }).type, value)
  }
  return typed
}

function typedValue(type: string | undefined, value: unknown): unknown {
  if (type === 'array' && typeof value === 'string') return [value]
  if (typeof value !== 'string') return value
  if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return Number(value)
  if (type === 'boolean') return BOOLEANS[value] ?? value
  return value
}
