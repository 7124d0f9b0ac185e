// Writes JSON for people: what fits stays on one line, so that a price is a line of a difference and not five. The formatter of the
// repository leaves it as it is.

import type { JsonData } from '../../../src/versions/change.ts'

const WIDTH = 120

/** What things are on one line: each is asked for again by what it stands in. */
type Flat = Map<object, string>

/** `taken`: how much of the line is used already, before and behind. */
function write(value: JsonData, indent: string, taken: number, known: Flat): string {
  const flat = onOneLine(value, known)
  if (typeof value !== 'object' || value === null) return flat
  const isList = Array.isArray(value)
  if (indent.length + taken + flat.length <= WIDTH) return flat
  const inner = `${indent}  `
  const lines = isList
    ? value.map((entry) => inner + write(entry, inner, 1, known))
    : Object.entries(value).map(([field, content]) => {
        const name = `${JSON.stringify(field)}: `
        return inner + name + write(content, inner, name.length + 1, known)
      })
  const [open, close] = isList ? '[]' : '{}'
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`
}

function onOneLine(value: JsonData, known: Flat): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const text = known.get(value) ?? joined(value, known)
  known.set(value, text)
  return text
}

function joined(value: JsonData & object, known: Flat): string {
  if (Array.isArray(value)) return `[${value.map((entry) => onOneLine(entry, known)).join(', ')}]`
  const fields = Object.entries(value).map(
    ([field, content]) => `${JSON.stringify(field)}: ${onOneLine(content, known)}`,
  )
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

export const print = (value: JsonData): string => `${write(value, '', 0, new Map())}\n`
