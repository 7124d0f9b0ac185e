// Validates params, query and body against their schemas without changing a value. Error messages name the field, the rule and the accepted
// values. Time and reply stay small, however many mistakes there are.

import { Ajv, type ErrorObject, type Options } from 'ajv'
import type { FastifySchemaCompiler } from 'fastify'
import { type FieldErrors, unprocessable } from '../../lib/errors.ts'
import { shortPath } from '../../lib/json.ts'
import { combineRefusals, fieldRefusal, type ShopperRefusal } from '../../lib/words/refusals.ts'

// `strictTypes` would reject type lists such as ["string", "null"], which give clearer errors than unions. `x-secret` keeps a field out of
// logs and refuses nothing.
const common = { coerceTypes: false, removeAdditional: false, strictTypes: false, keywords: ['x-secret'] }

/** Defaults apply only to queries. In a body they would make a partial update overwrite fields that were not sent. */
const queries = createValidators({ ...common, useDefaults: true })
const bodies = createValidators({ ...common, useDefaults: false })

/** `first` stops at the first mistake; `all` reports each one, and need not validate the schema again. */
type Validators = { readonly first: Ajv; readonly all: Ajv }

/** Creates both on first use, like the validators they compile: a start needs none of them. */
function createValidators(options: Options): Validators {
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

/** Larger values get only their first mistake reported: a megabyte of wrong entries has half a million mistakes. */
const MAX_PARTS = 1_000
const MAX_SENTENCES = 50

export const compileValidator: FastifySchemaCompiler<object> = ({ schema, httpPart }) =>
  compile(schema, httpPart === 'querystring' ? queries : bodies)

type Validate = { (value: unknown): boolean; errors?: ErrorObject[] }

function compile(schema: object, validators: Validators): Validate {
  // Compiled on first use: compiling all at the start would take most of it.
  let isValid: ReturnType<Ajv['compile']> | undefined
  const validate: Validate = (value) => {
    isValid ??= validators.first.compile(schema)
    if (isValid(value)) return true
    validate.errors = isValid.errors ?? []
    if (hasAtMost(MAX_PARTS, value)) {
      // Also compiled on first use, and cached by Ajv: most schemas never refuse anything.
      const checkAll = validators.all.compile(schema)
      if (!checkAll(value)) validate.errors = checkAll.errors ?? []
    }
    return false
  }
  return validate
}

function hasAtMost(parts: number, value: unknown): boolean {
  let remaining = parts
  const count = (part: unknown): boolean => {
    if (--remaining < 0) return false
    if (typeof part !== 'object' || part === null) return true
    // `for in` can stop early. Object.values would first create a list of half a million entries.
    for (const key in part) if (!count(part[key as never])) return false
    return true
  }
  return count(value)
}

/** Checks bodies that reach no endpoint of their own, and throws the errors that an endpoint would. */
export function bodyChecker(schema: object): (body: unknown) => void {
  const validate = compile(schema, bodies)
  return (body) => {
    if (!validate(body)) throw unprocessable(fieldErrors(validate.errors ?? [], 'body'))
  }
}

export function fieldErrors(errors: readonly ErrorObject[], part: string): FieldErrors {
  const messagesByField: FieldErrors = {}
  let count = 0
  for (const error of errors) {
    const path = fieldPath(error) || part
    const sentence = `${path} ${describeRule(error)}.`
    const sentences = Object.hasOwn(messagesByField, path) ? (messagesByField[path] ?? []) : []
    if (sentences.includes(sentence)) continue
    messagesByField[path] = [...sentences, sentence]
    if (++count === MAX_SENTENCES) break
  }
  return messagesByField
}

/** Message for a shopper about these mistakes, for fields that shoppers fill in. */
export const refusalForShopper = (errors: readonly ErrorObject[]): ShopperRefusal =>
  combineRefusals(errors.slice(0, MAX_SENTENCES).map((error) => fieldRefusal(fieldPath(error), isMissing(error))))

/** A field that breaks its schema: its parts, its dotted path, and the message for a shopper. */
export type Mistake = {
  readonly parts: readonly string[]
  readonly path: string
  readonly shopperMessage: ShopperRefusal
}

/** Validates values that are not bodies of an endpoint, with the same messages. */
export function mistakeFinder(schema: object): (value: unknown) => Mistake[] {
  const validate = compile(schema, bodies)
  return (value) =>
    validate(value)
      ? []
      : (validate.errors ?? []).slice(0, MAX_SENTENCES).map((error) => {
          const path = fieldPath(error)
          return { parts: partsOf(error), path, shopperMessage: fieldRefusal(path, isMissing(error)) }
        })
}

const isMissing = ({ keyword, params }: ErrorObject): boolean =>
  keyword === 'required' || (keyword === 'minLength' && params.limit === 1)

const fieldPath = (error: ErrorObject): string => shortPath(partsOf(error).join('.'))

function partsOf(error: ErrorObject): string[] {
  const parts = error.instancePath.split('/').slice(1).map(unescapePointer)
  if (error.keyword === 'required') parts.push(String(error.params.missingProperty))
  return parts
}

const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

function describeRule({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'type':
      return `must be ${alternatives([params.type].flat().map(typeName))}`
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

const typeName = (type: string) => TYPE_NAMES[type] ?? type

const alternatives = (names: string[]) =>
  names.length < 2 ? names.join() : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
