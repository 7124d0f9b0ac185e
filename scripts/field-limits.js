// The limits of form fields, from openapi.json, so that the dashboard does not repeat them.
//   import limits from 'limits:customers.create'
// is an object with a line for each field of the operation's body that has limits: { email: { maxLength: 320 }, phone: { maxLength: 64,
// isNullable: true, isOptional: true } }. Nested fields have dotted names.

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A test compares this file with the schemas. */
export const API_DESCRIPTION = fileURLToPath(new URL('../openapi.json', import.meta.url))

const SCHEME = /^limits:/

/** For the build. */
export const limitsForEsbuild = {
  name: 'limits',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: SCHEME }, ({ path }) => ({ path, namespace: 'limits' }))
    onLoad({ filter: SCHEME, namespace: 'limits' }, ({ path }) => ({
      contents: JSON.stringify(limitsOf(path.replace(SCHEME, ''))),
      loader: 'json',
    }))
  },
}

/** For tests that load screens without a build. */
export const limitsForVite = {
  name: 'limits',
  enforce: 'pre',
  resolveId: (path) => (SCHEME.test(path) ? `\0${path}` : undefined),
  load: (path) =>
    path.startsWith('\0limits:')
      ? `export default ${JSON.stringify(limitsOf(path.slice('\0limits:'.length)))}`
      : undefined,
}

let description

export function limitsOf(operation) {
  description ??= JSON.parse(readFileSync(API_DESCRIPTION, 'utf8'))
  const found = Object.values(description.paths)
    .flatMap((path) => Object.values(path))
    .find(({ operationId }) => operationId === operation)
  const body = found?.requestBody?.content['application/json'].schema
  // No error: openapi.json is made from a build, so it may be older than the source. A test looks for unknown operations.
  if (body === undefined) return {}
  return Object.fromEntries(fieldsOf(resolve(body), '', operation.includes('create')))
}

/** A field is optional if a new object does without it. Operations that only change an object require none: there it must be nullable. */
function fieldsOf({ properties = {}, required = [] }, prefix, isNew) {
  return Object.entries(properties).flatMap(([name, value]) => {
    const schema = resolve(value)
    const types = [schema.type ?? []].flat()
    const path = `${prefix}${name}`
    if (types.includes('object')) return fieldsOf(schema, `${path}.`, isNew)
    if (!types.some((type) => ['string', 'number', 'integer'].includes(type))) return []
    const isNullable = types.includes('null')
    const limits = {
      ...(schema.maxLength === undefined ? {} : { maxLength: schema.maxLength }),
      ...(isNullable ? { isNullable } : {}),
      ...(isNullable || (isNew && !required.includes(name)) ? { isOptional: true } : {}),
    }
    return Object.keys(limits).length === 0 ? [] : [[path, limits]]
  })
}

function resolve(schema) {
  const name = schema.$ref?.replace('#/components/schemas/', '')
  return name === undefined ? schema : resolve(description.components.schemas[name])
}
