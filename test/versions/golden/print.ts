// Writes JSON for people: what fits stays on one line, so that a price is a line of a difference and not five. The formatter of the
// repository leaves it as it is.

import type { Json } from '../../../src/versions/change.ts'

const WIDTH = 120

/** `taken`: how much of the line is used already, before and behind. */
function write(value: Json, indent: string, taken: number): string {
  const flat = onOneLine(value)
  if (typeof value !== 'object' || value === null) return flat
  const isList = Array.isArray(value)
  if (indent.length + taken + flat.length <= WIDTH) return flat
  const inner = `${indent}  `
  const lines = isList
    ? value.map((entry) => inner + write(entry, inner, 1))
    : Object.entries(value).map(([field, content]) => {
        const name = `${JSON.stringify(field)}: `
        return inner + name + write(content, inner, name.length + 1)
      })
  const [open, close] = isList ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

function onOneLine(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  const fields = Object.entries(value).map(([field, content]) => `${JSON.stringify(field)}: ${onOneLine(content)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

export const print = (value: Json): string => `${write(value, '', 0)}\n`
