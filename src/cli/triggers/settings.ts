// `--set product.name=Shirt`: what whoever runs a trigger wants to be different in a body that it sends.

import { UsageError } from '../help.ts'

export type Setting = { readonly body: string; readonly path: readonly string[]; readonly text: string }

/** The first word names the body, the others lead into it; a number is a place in a list. */
export function settingFrom(text: string): Setting {
  const at = text.indexOf('=')
  const [body = '', ...path] = text.slice(0, Math.max(at, 0)).split('.')
  if (body === '' || path.length === 0 || path.some((word) => word === '' || word === '__proto__'))
    throw new UsageError(
      `--set is written as product.name=Shirt: a body, the way to a field of it, and a value. "${text}" is not.`,
    )
  return { body, path, text: text.slice(at + 1) }
}

/** Numbers, true, false, null, lists and objects as in JSON; everything else is text. So is a number where text stood: that of a card is none. */
function valueFrom(text: string, before: unknown): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof before === 'string' && (typeof value === 'number' || typeof value === 'boolean') ? text : value
  } catch {
    return text
  }
}

export function withSettings<Body extends object>(name: string, body: Body, settings: readonly Setting[]): Body {
  const changed = structuredClone(body)
  for (const setting of settings) if (setting.body === name) put(changed, setting.path, setting.text)
  return changed
}

function put(target: object, [first = '', ...rest]: readonly string[], text: string): void {
  const fields = target as Record<string, unknown>
  const inner = Object.hasOwn(fields, first) ? fields[first] : undefined
  if (rest.length === 0) {
    fields[first] = valueFrom(text, inner)
    return
  }
  const next = typeof inner === 'object' && inner !== null ? inner : /^\d+$/.test(rest[0] ?? '') ? [] : {}
  fields[first] = next
  put(next, rest, text)
}
