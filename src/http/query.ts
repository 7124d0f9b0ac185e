// Turns a raw query string into values, in every bracket notation that clients of this API use.
// Leaves are trimmed strings; nothing is coerced here and no JSON text read, as only the schema knows what a parameter means:
// typed-query.ts does both.

import { badRequest } from '../lib/errors.ts'
import { refuseForbiddenText } from '../lib/json.ts'

export type QueryValue = string | QueryValue[] | { [key: string]: QueryValue }
export type Query = Record<string, QueryValue>

const MAX_PARAMETERS = 100
/** Brackets, and levels of JSON text, inside one another. */
export const MAX_DEPTH = 5

// No parameter of ours has such a name, and unknown parameters are ignored. The objects have no prototype to poison anyway;
// this protects whoever copies them into one that has.
export const IGNORED_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Lists: `key=a&key=b`, `key[]=a`, `key[0]=a` (a number in brackets only orders, so gaps close up and cost nothing).
 * Objects: `key[b]=c`, at any mix with lists.
 */
export function parseQuery(raw: string): Query {
  const query: Query = Object.create(null)
  if (raw === '') return query
  const parts = raw.split('&', MAX_PARAMETERS + 1)
  if (parts.length > MAX_PARAMETERS) throw badRequest(`The query has more than ${MAX_PARAMETERS} parameters.`)

  const root = newNode()
  for (const part of parts) if (part !== '') addParameter(root, part)
  for (const [name, node] of root.members) query[name] = finish(node, name)

  refuseForbiddenText(query)
  return query
}

/** What is known so far of one place: values given without a name, and members given with one (numbers included). */
type Node = { items: (QueryValue | Node)[]; members: Map<string, Node>; isList: boolean; readonly isNode: true }

const newNode = (): Node => ({ items: [], members: new Map(), isList: false, isNode: true })

function addParameter(root: Node, part: string) {
  const equals = part.indexOf('=')
  const rawName = equals === -1 ? part : part.slice(0, equals)
  const rawValue = equals === -1 ? '' : part.slice(equals + 1)
  const name = decode(rawName, rawName)
  const path = pathOf(name)
  if (path.length - 1 > MAX_DEPTH) throw tooDeep(name)
  if (path[0] === '' || path.some((step) => IGNORED_NAMES.has(step))) return

  let node = root
  for (const [index, step] of path.entries()) {
    if (step === '') {
      node.isList = true
      // At the end of the name the value itself is the entry; before it, the entry is something with members.
      if (index === path.length - 1) break
      const entry = newNode()
      node.items.push(entry)
      node = entry
    } else {
      const member = node.members.get(step) ?? newNode()
      node.members.set(step, member)
      node = member
    }
  }
  node.items.push(decode(rawValue, rawName).trim())
}

/** `a[b][]` → a, b, ''. A name whose brackets do not add up is one plain name. */
function pathOf(name: string): string[] {
  const open = name.indexOf('[')
  if (open < 1 || !name.endsWith(']')) return [name]
  const steps = name.slice(open + 1, -1).split('][')
  return steps.some((step) => step.includes('[') || step.includes(']')) ? [name] : [name.slice(0, open), ...steps]
}

function decode(text: string, rawName: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    throw badRequest(`The query parameter ${shown(rawName)} holds a % that does not begin a UTF-8 character.`)
  }
}

const POSITION = /^\d+$/

function finish(node: Node, path: string): QueryValue {
  const entries = node.items.map((item) => (isNode(item) ? finish(item, path) : item))
  const [only] = entries
  if (node.members.size === 0) return entries.length === 1 && only !== undefined && !node.isList ? only : entries

  const members = [...node.members]
  if (members.every(([name]) => POSITION.test(name))) {
    members.sort(([one], [other]) => Number(one) - Number(other))
    return [...entries, ...members.map(([name, member]) => finish(member, `${path}[${name}]`))]
  }
  if (entries.length > 0)
    throw badRequest(
      `The query parameter ${shown(path)} is given both as a value and as an object. Send one of the two.`,
    )
  const object: Query = Object.create(null)
  for (const [name, member] of members) object[name] = finish(member, `${path}[${name}]`)
  return object
}

const isNode = (item: QueryValue | Node): item is Node =>
  typeof item === 'object' && 'isNode' in item && item.isNode === true

export const tooDeep = (name: string) =>
  badRequest(`The query parameter ${shown(name)} is nested deeper than the ${MAX_DEPTH} levels accepted here.`)

/** A name as an error repeats it: short, and free of what the reply could not carry. */
const shown = (name: string): string => name.slice(0, 60).replace(/[\p{Cc}\p{Surrogate}]/gu, '\uFFFD')
