// The OpenAPI document has the operations of the slices, and the committed copy is the one that is served. Shared parts are put in place.

import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { slices } from '../../src/app.ts'
import { formatJson } from '../../src/http/openapi-shared.ts'
import { release } from '../../src/release.ts'
import { versions } from '../../src/versions/index.ts'
import { sharedApp } from '../support/app.ts'

type Json = Record<string, unknown>
type Operation = { operationId: string; security: Record<string, string[]>[] }
type Document = {
  openapi: string
  info: { title: string; version: string; description: string }
  components: { schemas: Record<string, Json>; securitySchemes: Record<string, Json> }
  paths: Record<string, Record<string, Operation>>
}

const app = await sharedApp()
const served = await app.call('GET', '/openapi.json')
const short = served.body as Document

const resolve = (ref: string): unknown =>
  ref
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (value, part) => (value as Json | undefined)?.[part.replaceAll('~1', '/').replaceAll('~0', '~')],
      short,
    )

/** Kinds are components by their nature; all others are parts that several places share. Only the names of shared schemas have a dot. */
const isShared = (ref: string) => /^#\/components\/(parameters|responses|schemas\/\w+\.)/.test(ref)

/** With each shared part in its places. */
function inlined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inlined)
  if (typeof value !== 'object' || value === null) return value
  const { $ref: ref } = value as { $ref?: string }
  if (ref !== undefined && isShared(ref)) return inlined(resolve(ref))
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, inlined(inner)]))
}

const { securitySchemes, schemas } = short.components
const kindSchemas = Object.fromEntries(Object.entries(schemas).filter(([name]) => !name.includes('.')))
const document = inlined({ ...short, components: { securitySchemes, schemas: kindSchemas } }) as Document
const endpoints = slices.flatMap((slice) => slice.endpoints)
const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)

describe('the document', () => {
  test('is OpenAPI 3.1 in the newest version, as JSON, without a key', () => {
    expect(served.status).toBe(200)
    expect(served.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: 'Cartwright', version: versions[0]?.date })
    expect(document.info.description).toContain(release)
  })

  test('has exactly the operations of the slices, under their names', () => {
    const told = ({ operation, method, path }: { operation: string; method: string; path: string }) =>
      `${operation} ${method} ${path.replace(/:(\w+)/g, '{$1}')}`
    expect(
      documented.map(({ method, path, operation }) => told({ operation: operation.operationId, method, path })).sort(),
    ).toEqual(endpoints.map(told).sort())
  })

  test('is what the file openapi.json says', async () => {
    const file = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8').catch(() => 'null')
    expect(JSON.parse(file), 'openapi.json is out of date: run `npm run openapi` and commit it').toEqual(short)
    expect(file, 'openapi.json was edited by hand: run `npm run openapi`').toBe(`${formatJson(short)}\n`)
  })
})

test.each(documented)('$operation.operationId names the keys that may call it', ({ operation }) => {
  const schemes = operation.security.flatMap(Object.keys)
  const callers = {
    public: ['publicKey', 'secretKey'],
    secret: ['secretKey'],
    customer: ['customerToken', 'secretKey'],
    session: ['dashboardSession'],
  }
  const endpoint = endpoints.find((candidate) => candidate.operation === operation.operationId)
  expect(schemes).toEqual(endpoint && callers[endpoint.access])
  for (const scheme of schemes) expect(document.components.securitySchemes).toHaveProperty(scheme)
})
