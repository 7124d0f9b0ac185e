// Rules about endpoints. Endpoints are data, so the rules inspect them directly.

import type { Endpoint } from '../../src/http/endpoint/endpoint.ts'

export type Described = Pick<Endpoint, 'operation' | 'path' | 'status' | 'media'> & { readonly returns?: unknown }

export function endpointProblems(
  endpoints: readonly Described[],
  kinds: readonly string[],
  hasTests: (resource: string) => boolean,
): string[] {
  return endpoints.flatMap(({ operation, path, status, returns, media }, index) => {
    const problems: string[] = []
    // Test folders follow the paths: a variant's tests are in its product's folder.
    const [, , resource = ''] = path.split('/')
    if (!/^[a-z]+([-_][a-z]+)*\.[a-z]+(_[a-z]+)*$/.test(operation))
      problems.push(`${operation}: name the operation <resource>.<verb>, like carts.add_item.`)
    if (endpoints.findIndex((other) => other.operation === operation) !== index)
      problems.push(`${operation}: two endpoints have this name; versions and metrics could not tell them apart.`)
    if (!path.startsWith('/v1/')) problems.push(`${operation}: put ${path} under /v1.`)
    if (status === 204 && returns !== undefined) problems.push(`${operation}: 204 has no body; take its schema out.`)
    if (media && returns !== undefined)
      problems.push(`${operation}: its answer is ${media}, no JSON; take its schema out.`)
    if (status !== 204 && !media && !kindsIn(returns).some((kind) => kinds.includes(kind)))
      problems.push(
        `${operation}: return a kind of its slice, or 204; what is not a kind cannot be shown to older versions.`,
      )
    if (!hasTests(resource)) problems.push(`${operation}: write tests for it in test/api/${resource}/.`)
    return problems
  })
}

/** Kinds that a schema is or refers to. */
function kindsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const named = Object.entries(schema).filter(
    ([key, value]) => ['$id', '$ref'].includes(key) && typeof value === 'string',
  )
  return [...named.map(([, name]) => String(name).replace(/#$/, '')), ...Object.values(schema).flatMap(kindsIn)]
}
