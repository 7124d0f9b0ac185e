// `--set product.name=Shirt`: changes a field in a body that a trigger sends.

import { UsageError } from '../help.ts'

export type Setting = { readonly body: string; readonly path: readonly string[]; readonly text: string }

/** The first word names the body, the others are the path into it. A number is an index of a list. */
export function parseTriggerSetting(text: string): Setting {
  const at = text.indexOf('=')
  const [body = '', ...path] = text.slice(0, Math.max(at, 0)).split('.')
  if (body === '' || path.length === 0 || path.some((word) => word === '' || word === '__proto__'))
    throw new UsageError(
      `--set must be a body, the path of its field and a value, such as product.name=Shirt; it is "${text}".`,
    )
  return { body, path, text: text.slice(at + 1) }
}

/**
 * Reads numbers, true, false, null, lists and objects as JSON, and everything else as text. A field that was text stays text: a card number
 * is not a number.
 */
function parseValue(text: string, before: unknown): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof before === 'string' && (typeof value === 'number' || typeof value === 'boolean') ? text : value
  } catch {
    return text
  }
}

export function applyTriggerSettings<Body extends object>(
  name: string,
  body: Body,
  settings: readonly Setting[],
): Body {
  const changed = structuredClone(body)
  for (const setting of settings) if (setting.body === name) setField(changed, setting.path, setting.text)
  return changed
}

function setField(target: object, [first = '', ...rest]: readonly string[], text: string): void {
  const fields = target as Record<string, unknown>
  const inner = Object.hasOwn(fields, first) ? fields[first] : undefined
  if (rest.length === 0) {
    fields[first] = parseValue(text, inner)
    return
  }
  const next = typeof inner === 'object' && inner !== null ? inner : /^\d+$/.test(rest[0] ?? '') ? [] : {}
  fields[first] = next
  setField(next, rest, text)
}
