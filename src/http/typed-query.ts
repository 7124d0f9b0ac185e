// Gives the text of a query the types its schema names: a URL has no numbers or booleans of its own.
// What does not read as the wanted type is left as it is, for validation to refuse.

import type { TObject } from 'typebox'

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

export function typedQuery(schema: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const typed: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(query)) {
    const property = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined
    // Unknown parameters are ignored, as unknown fields of a body are.
    if (property) typed[name] = typedValue((property as { type?: string }).type, value)
  }
  return typed
}

function typedValue(type: string | undefined, value: unknown): unknown {
  if (type === 'array' && typeof value === 'string') return [value]
  if (typeof value !== 'string') return value
  if (type === 'integer' && /^-?\d+$/.test(value)) return Number(value)
  if (type === 'boolean') return BOOLEANS.get(value) ?? value
  return value
}
