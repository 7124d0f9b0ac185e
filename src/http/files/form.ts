// Reads what a form of a page sends: urlencoded and nothing else, into the flat list of its inputs and into nested fields by their names,
// `shipping[name]` as `{shipping: {name}}`.

import { badRequest } from '../../lib/errors.ts'

/** Fields have no prototype: no name that is sent can reach one. */
export type FormFields = { readonly [name: string]: string | FormFields }

export type Form = {
  /** By the names of the inputs, as they were sent. Of several with one name the last counts. */
  readonly inputs: ReadonlyMap<string, string>
  readonly fields: FormFields
}

/** More than any page asks: a cart of three hundred lines has some inputs for each. */
const MOST_INPUTS = 2_000
const LONGEST_NAME = 200
const DEEPEST = 5

const NAME = /^([\w-]+)((?:\[[\w-]+\])*)$/
const DANGEROUS = new Set(['__proto__', 'constructor', 'prototype'])

const decoder = new TextDecoder('utf-8', { fatal: true })

export const EMPTY_FORM: Form = { inputs: new Map(), fields: Object.create(null) }

/** Throws `badRequest` for what no browser sends. Inputs with names that no page of ours has are passed over. */
export function readForm(body: Buffer): Form {
  const inputs = new Map<string, string>()
  const pairs = textOf(body).split('&', MOST_INPUTS + 1)
  if (pairs.length > MOST_INPUTS) throw badRequest(`The form has more than ${MOST_INPUTS} fields.`)
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    const name = decoded(at === -1 ? pair : pair.slice(0, at))
    if (name.length > LONGEST_NAME || partsOf(name) === null) continue
    // Browsers send line breaks as two characters, whatever was typed.
    inputs.set(name, at === -1 ? '' : decoded(pair.slice(at + 1)).replaceAll('\r\n', '\n'))
  }
  return { inputs, fields: fieldsOf(inputs) }
}

/** The same of inputs that nobody has sent, such as those that a page begins with. */
export function fieldsOf(inputs: ReadonlyMap<string, string>): FormFields {
  const fields: Branch = Object.create(null)
  for (const [name, value] of inputs) put(fields, partsOf(name) ?? [], value)
  return fields
}

/** ASCII as it is sent: what is not is escaped. */
function textOf(body: Buffer): string {
  try {
    return decoder.decode(body)
  } catch {
    throw badRequest('The form is not valid UTF-8.')
  }
}

function decoded(text: string): string {
  let plain: string
  try {
    plain = decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw badRequest('The form holds a percent sign that does not begin a valid escape.')
  }
  // PostgreSQL refuses it in text, and nobody can type it.
  if (plain.includes('\0')) throw badRequest('The form holds a character U+0000.')
  return plain
}

/** `['shipping', 'name']` of `shipping[name]`; null where it is no such name. */
function partsOf(name: string): string[] | null {
  const [, first = '', rest = ''] = NAME.exec(name) ?? []
  const parts = [first, ...[...rest.matchAll(/\[([\w-]+)\]/g)].map(([, part = '']) => part)]
  return first === '' || parts.length > DEEPEST || parts.some((part) => DANGEROUS.has(part)) ? null : parts
}

type Branch = { [name: string]: string | Branch }

/** What comes later counts, also where one name is that of a value and of fields. */
function put(fields: Branch, parts: readonly string[], value: string) {
  let branch = fields
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1) {
      branch[part] = value
      return
    }
    const below = branch[part]
    const next: Branch = typeof below === 'object' ? below : Object.create(null)
    branch[part] = next
    branch = next
  }
}
