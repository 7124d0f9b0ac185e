// Checks params, query and body against their schemas, without changing a value, and says what is wrong in sentences that
// name the field, the rule and what would be accepted. However much is wrong, the time and the reply stay small.

import { Ajv, type ErrorObject, type Options } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import type { FieldErrors } from '../../lib/errors.ts'
import { shortPath } from '../../lib/json.ts'
import { fieldRefusal, inOne, type Refusal } from '../../lib/words/refusals.ts'

// `strictTypes` would object to type lists such as ["string", "null"], which give clearer errors than unions.
// `x-secret` says of a field that it is kept in no log; it refuses nothing.
const common = { coerceTypes: false, removeAdditional: false, strictTypes: false, keywords: ['x-secret'] }

/** Defaults are for queries alone: in a body they would make a partial update overwrite what was not sent. */
const queries = twoWays({ ...common, useDefaults: true })
const bodies = twoWays({ ...common, useDefaults: false })

/** `first` stops at the first mistake; `all` names every one, and need not check again that the schema is one. */
type TwoWays = { readonly first: Ajv; readonly all: Ajv }

/** Each is made when it is first needed, as what it compiles: a start needs none of them. */
function twoWays(options: Options): TwoWays {
  let first: Ajv | undefined
  let all: Ajv | undefined
  return {
    get first() {
      first ??= new Ajv({ ...options, allErrors: false })
      return first
    },
    get all() {
      all ??= new Ajv({ ...options, allErrors: true, validateSchema: false })
      return all
    },
  }
}

/** Values with more parts than this hear of their first mistake only: a megabyte of wrong entries has half a million mistakes. */
const MOST_PARTS = 1_000
const MOST_SENTENCES = 50

export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  compile(schema, httpPart === 'querystring' ? queries : bodies)

type Validate = { (value: unknown): boolean; errors?: ErrorObject[] }

function compile(schema: object, ways: TwoWays): Validate {
  // When it is first needed: all of them at the start would be most of a start.
  let isValid: ReturnType<Ajv['compile']> | undefined
  const validate: Validate = (value) => {
    isValid ??= ways.first.compile(schema)
    if (isValid(value)) return true
    validate.errors = isValid.errors ?? []
    if (hasAtMost(MOST_PARTS, value)) {
      // Compiled when it is first needed, and kept by Ajv: most schemas never refuse anything.
      const isWhollyValid = ways.all.compile(schema)
      if (!isWhollyValid(value)) validate.errors = isWhollyValid.errors ?? []
    }
    return false
  }
  return validate
}

function hasAtMost(parts: number, value: unknown): boolean {
  let left = parts
  const count = (part: unknown): boolean => {
    if (--left < 0) return false
    if (typeof part !== 'object' || part === null) return true
    // `for in` stops where it is told to; Object.values would first make a list of half a million.
    for (const key in part) if (!count(part[key as never])) return false
    return true
  }
  return count(value)
}

export function fieldErrors(errors: readonly ErrorObject[], part: string): FieldErrors {
  const found: FieldErrors = {}
  let count = 0
  for (const error of errors) {
    const path = fieldPath(error) || part
    const sentence = `${path} ${rule(error)}.`
    const sentences = Object.hasOwn(found, path) ? (found[path] ?? []) : []
    if (sentences.includes(sentence)) continue
    found[path] = [...sentences, sentence]
    if (++count === MOST_SENTENCES) break
  }
  return found
}

/** What a shopper is told of them, as far as the fields are a shopper's. */
export const saidOfMistakes = (errors: readonly ErrorObject[]): Refusal =>
  inOne(errors.slice(0, MOST_SENTENCES).map((error) => fieldRefusal(fieldPath(error), isLeftOut(error))))

/** A field that breaks its schema: where it is, its dotted path, and what a shopper is told of it. */
export type Mistake = { readonly parts: readonly string[]; readonly path: string; readonly said: Refusal }

/** Checks values that come by other roads than a body of an endpoint, and says the same of them. */
export function mistakeFinder(schema: object): (value: unknown) => Mistake[] {
  const validate = compile(schema, bodies)
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).slice(0, MOST_SENTENCES).map((error) => {
          const path = fieldPath(error)
          return { parts: partsOf(error), path, said: fieldRefusal(path, isLeftOut(error)) }
        })
}

const isLeftOut = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'required' || (keyword === 'minLength' && params.limit === 1)

const fieldPath = (error: ErrorObject): string => shortPath(partsOf(error).join('.'))

function partsOf(error: ErrorObject): string[] {
  const parts = error.instancePath.split('/').slice(1).map(unescapePointer)
  if (error.keyword === 'required') parts.push(String(error.params.missingProperty))
  return parts
}

const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

function rule({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'type':
      return `must be ${alternatives([params.type].flat().map(named))}`
    case 'enum':
      return `must be one of ${params.allowedValues.map(String).join(', ')}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must be at least ${params.limit} characters long`
    case 'maxLength':
      return `must be at most ${params.limit} characters long`
    case 'minItems':
      return `must have at least ${params.limit} ${params.limit === 1 ? 'entry' : 'entries'}`
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${params.limit} entries`
    case 'minimum':
      return `must be ${params.limit} or more`
    case 'maximum':
      return `must be ${params.limit} or less`
    default:
      return message ?? 'is not valid'
  }
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a list',
}

const named = (type: string) => TYPE_NAMES[type] ?? type

const alternatives = (names: string[]) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
