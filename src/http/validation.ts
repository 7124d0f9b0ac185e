// Checks params, query and body against their schemas, without changing a value, and says what is wrong in sentences that
// name the field, the rule and what would be accepted.

import { Ajv, type ErrorObject } from 'ajv'
import type { FastifyInstance } from 'fastify'
import type { FieldErrors } from '../lib/errors.ts'

// `strictTypes` would object to type lists such as ["string", "null"], which give clearer errors than unions.
const common = { allErrors: true, coerceTypes: false, removeAdditional: false, strictTypes: false } as const

/** Defaults are for queries alone: in a body they would make a partial update overwrite what was not sent. */
const queries = new Ajv({ ...common, useDefaults: true })
const bodies = new Ajv({ ...common, useDefaults: false })

export function validateWithoutCoercion(server: FastifyInstance) {
  server.setValidatorCompiler(({ schema, httpPart }) =>
    (httpPart === 'querystring' ? queries : bodies).compile(schema as object),
  )
}

export function fieldErrors(errors: readonly ErrorObject[], part: string): FieldErrors {
  const found: FieldErrors = {}
  for (const error of errors) {
    const path = fieldPath(error) || part
    const sentence = `${path} ${rule(error)}.`
    const sentences = found[path] ?? []
    if (!sentences.includes(sentence)) found[path] = [...sentences, sentence]
  }
  return found
}

function fieldPath(error: ErrorObject): string {
  const parts = error.instancePath.split('/').slice(1).map(unescapePointer)
  if (error.keyword === 'required') parts.push(String(error.params.missingProperty))
  return parts.join('.')
}

const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

function rule({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'type':
      return `must be ${alternatives([params.type].flat().map(named))}`
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must be at least ${params.limit} characters long`
    case 'maxLength':
      return `must be at most ${params.limit} characters long`
    case 'minItems':
      return `must have at least ${params.limit} ${params.limit === 1 ? 'entry' : 'entries'}`
    case 'maxItems':
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
