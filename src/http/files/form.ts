// Reads urlencoded forms of our pages, and nothing else. Returns a flat list of inputs, and fields nested by name: `shipping[name]` becomes
// `{shipping: {name}}`.

import { badRequest } from '../../lib/errors.ts'

/** Objects without prototype, so that no input name can reach one. */
export type FormFields = { readonly [name: string]: string | FormFields }

export type SubmittedForm = {
  /** Values by input name, as sent. The last of several inputs with one name counts. */
  readonly inputs: ReadonlyMap<string, string>
  readonly fields: FormFields
}

/** More than any page needs: a cart of three hundred lines has some inputs for each. */
const MAX_INPUTS = 2_000
const MAX_NAME_LENGTH = 200
const MAX_DEPTH = 5

const NAME = /^([\w-]+)((?:\[[\w-]+\])*)$/
const DANGEROUS = new Set(['__proto__', 'constructor', 'prototype'])

const decoder = new TextDecoder('utf-8', { fatal: true })

export const EMPTY_FORM: SubmittedForm = { inputs: new Map(), fields: Object.create(null) }

/** Throws `badRequest` for bodies that no browser sends. Ignores inputs with names that none of our pages has. */
export function readForm(body: Buffer): SubmittedForm {
  const inputs = new Map<string, string>()
  const pairs = textOf(body).split('&', MAX_INPUTS + 1)
  if (pairs.length > MAX_INPUTS) throw badRequest(`The form has more than ${MAX_INPUTS} fields.`)
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    const name = decodeText(at === -1 ? pair : pair.slice(0, at))
    if (name.length > MAX_NAME_LENGTH || partsOf(name) === null) continue
    // Browsers send line breaks as two characters.
    inputs.set(name, at === -1 ? '' : decodeText(pair.slice(at + 1)).replaceAll('\r\n', '\n'))
  }
  return { inputs, fields: nestFields(inputs) }
}

/** Builds fields from inputs that were not sent, such as a page's initial values. */
export function nestFields(inputs: ReadonlyMap<string, string>): FormFields {
  const fields: Branch = Object.create(null)
  for (const [name, value] of inputs) setField(fields, partsOf(name) ?? [], value)
  return fields
}

/** Decodes the body. Browsers escape everything outside ASCII. */
function textOf(body: Buffer): string {
  try {
    return decoder.decode(body)
  } catch {
    throw badRequest('The form is not valid UTF-8.')
  }
}

function decodeText(text: string): string {
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

/** `['shipping', 'name']` of `shipping[name]`; null for any other form of name. */
function partsOf(name: string): string[] | null {
  const [, first = '', rest = ''] = NAME.exec(name) ?? []
  const parts = [first, ...[...rest.matchAll(/\[([\w-]+)\]/g)].map(([, part = '']) => part)]
  return first === '' || parts.length > MAX_DEPTH || parts.some((part) => DANGEROUS.has(part)) ? null : parts
}

type Branch = { [name: string]: string | Branch }

/** Later values win, even if one name is used for a value and for fields. */
function setField(fields: Branch, parts: readonly string[], value: string) {
  let branch = fields
  for (const [index, part] of parts.entries()) {
    if (index === parts.length - 1) {
      branch[part] = value
      return
    }
    const child = branch[part]
    const next: Branch = typeof child === 'object' ? child : Object.create(null)
    branch[part] = next
    branch = next
  }
}
