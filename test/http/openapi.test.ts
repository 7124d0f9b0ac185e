// The OpenAPI document says what the router does, in both directions, and the committed copy is the one that is served. What several
// places share is said once in it; most tests look at it with that put in its places.

import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { apiDescription, slices } from '../../src/app.ts'
import { EVENTS } from '../../src/events/catalogue.ts'
import { readerOf } from '../../src/http/if-match.ts'
import { wholeDocument } from '../../src/http/openapi.ts'
import { laidOut } from '../../src/http/openapi-shared.ts'
import { release } from '../../src/release.ts'
import { versions } from '../../src/versions/index.ts'
import { testApp } from '../support/app.ts'

type Json = Record<string, unknown>
type Operation = {
  operationId: string
  summary: string
  tags: string[]
  security: Record<string, string[]>[]
  parameters?: { name: string; in: string; required?: boolean; schema: Json }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Json }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>
}
type Document = {
  openapi: string
  info: { title: string; version: string; description: string }
  components: { schemas: Record<string, Json>; securitySchemes: Record<string, Json> }
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
}

const app = await testApp()
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
/** What takes the secret key and yet counts how often it is asked for; all that is open without it is metered. */
const LIMITED = new Set(['developer.test_mail', 'products.create_batch', 'products.import', 'webhooks.replay'])
/** What needs no key and is no operation of the API. */
const HIDDEN = new Set([
  '/v1/commerce.js',
  '/v2/commerce.js',
  '/',
  '/health/live',
  '/health/ready',
  '/metrics',
  '/openapi.json',
  // How the printed tree shows /files/:merchant_id/:id/*, the only address with a wildcard.
  '/*',
  '/uploads/:merchant_id/:id',
  '/fulfill/:merchant_id/:order_id/:id',
  '/test-gateway/:merchant_id/:id',
  '/gateway-webhooks/:merchant_id/:id',
  '/test-gateway/:merchant_id/:id/approve',
  '/test-gateway/:merchant_id/:id/decline',
])

/** Also the pages of the checkout, and the files of the demo's. */
const isHidden = (path: string) => HIDDEN.has(path) || /^\/(?:storefront|checkout|dashboard)/.test(path)

/** `GET /v1/attributes/{id}` for each route of the router, read off its printed tree. */
async function routes(): Promise<string[]> {
  const found: string[] = []
  let path: string[] = []
  for (const line of app.server.printRoutes({ commonPrefix: false }).split('\n')) {
    const match = /^((?:│ {3}| {4})*)(?:├|└)── (\S*)(?: \(([A-Z, ]+)\))?/.exec(line)
    if (!match) continue
    const [, indent = '', part = '', methods = ''] = match
    path = [...path.slice(0, indent.length / 4), part]
    const address = path.join('').replace(/(?<=.)\/$/, '')
    for (const method of methods.split(', ').filter(Boolean)) found.push(`${method} ${address}`)
  }
  return [...new Set(found)].sort()
}

/** The tree prints `:one|:other` where two routes name one place differently, so that here no name tells anything. */
const nameless = (address: string) => address.replace(/:\w+(?:\|:\w+)*|\{\w+\}/g, '{}')

/** Of those, the ones that serve an operation: not preflights, not refusals of a method, not the twins of GET. */
async function operations(): Promise<string[]> {
  const kept: string[] = []
  for (const route of await routes()) {
    const [method = '', path = ''] = route.split(' ')
    if (['HEAD', 'OPTIONS'].includes(method) || isHidden(path)) continue
    const { statusCode } = await app.server.inject({
      method: method as 'GET',
      url: nameless(path).replaceAll('{}', 'x'),
    })
    // Without a key an operation answers 401, and a method that is refused 405.
    expect([401, 405], route).toContain(statusCode)
    if (statusCode === 401) kept.push(`${method} ${nameless(path)}`)
  }
  return kept.sort()
}

describe('the document', () => {
  test('is OpenAPI 3.1 in the newest version, as JSON, without a key', () => {
    expect(served.status).toBe(200)
    expect(served.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: 'Cartwright', version: versions[0]?.date })
    expect(document.info.description).toContain(release)
  })

  test('has exactly the operations of the router', async () => {
    const routed = await operations()
    expect(routed.length).toBeGreaterThan(0)
    expect(documented.map(({ method, path }) => `${method} ${nameless(path)}`).sort()).toEqual(routed)
  })

  test('has exactly the operations of the slices, under their names', () => {
    const told = ({ operation, method, path }: { operation: string; method: string; path: string }) =>
      `${operation} ${method} ${path.replace(/:(\w+)/g, '{$1}')}`
    expect(
      documented.map(({ method, path, operation }) => told({ operation: operation.operationId, method, path })).sort(),
    ).toEqual(endpoints.map(told).sort())
  })

  test('is given whole and unchanged each time, and hides what is not for clients of the API', async () => {
    expect((await app.call('GET', '/openapi.json')).text).toBe(served.text)
    for (const path of HIDDEN) expect(document.paths).not.toHaveProperty([path])
  })

  test('is what the file openapi.json says', async () => {
    const file = await readFile(new URL('../../openapi.json', import.meta.url), 'utf8').catch(() => 'null')
    expect(JSON.parse(file), 'openapi.json is out of date: run `npm run openapi` and commit it').toEqual(short)
    expect(file, 'openapi.json was edited by hand: run `npm run openapi`').toBe(`${laidOut(short)}\n`)
  })
})

describe.each(
  documented.map(({ method, path, operation }) => [operation.operationId, method, path, operation] as const),
)('%s', (name, method, path, operation) => {
  const endpoint = endpoints.find((candidate) => candidate.operation === name)
  const isConditional = endpoint !== undefined && readerOf(endpoint, endpoints) !== null

  test('has a summary and a tag', () => {
    expect(operation.summary).toMatch(/^[A-Z].*\.$/)
    expect(operation.tags).toEqual([name.split('.')[0]])
  })

  test('names the keys that may call it', () => {
    const schemes = operation.security.flatMap(Object.keys)
    const callers = {
      public: ['publicKey', 'secretKey'],
      secret: ['secretKey'],
      customer: ['customerToken', 'secretKey'],
      session: ['dashboardSession'],
    }
    expect(schemes).toEqual(endpoint && callers[endpoint.access])
    for (const scheme of schemes) expect(document.components.securitySchemes).toHaveProperty(scheme)
  })

  test('describes each answer', () => {
    const { responses } = operation
    const statuses = Object.keys(responses)
    expect(statuses).toEqual(expect.arrayContaining([String(endpoint?.status), '400', '401', 'default']))
    expect(statuses.includes('403')).toBe(endpoint?.access !== 'public')
    expect(statuses.includes('404')).toBe(endpoint?.params !== undefined)
    expect(statuses.includes('409')).toBe(method === 'POST' || isConditional)
    expect(statuses.includes('429')).toBe(LIMITED.has(name) || ['public', 'customer'].includes(endpoint?.access ?? ''))
    expect(statuses.includes('422')).toBe(endpoint?.body !== undefined || endpoint?.query !== undefined)
    expect(responses['401']?.description.includes('token')).toBe(endpoint?.access === 'customer')
    for (const [status, response] of Object.entries(responses)) {
      expect(response.description).not.toBe('')
      // An answer that is no JSON says what it is.
      const media = status === String(endpoint?.status) ? (endpoint?.media ?? 'application/json') : 'application/json'
      const schema = response.content?.[media]?.schema
      if (status === '204') expect(response.content).toBeUndefined()
      else expect(schema).toBeDefined()
      const error = { $ref: '#/components/schemas/error' }
      const isShowing = status === '409' && (endpoint?.conflict !== undefined || isConditional)
      if (isShowing) expect(schema).toEqual({ allOf: [error, expect.objectContaining({ type: 'object' })] })
      else if (status === 'default' || status >= '400') expect(schema).toEqual(error)
    }
  })

  test('describes its parameters: the path, the query, the version', () => {
    const names = (where: string) =>
      (operation.parameters ?? []).filter((parameter) => parameter.in === where).map((parameter) => parameter.name)
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter)
    expect(names('path')).toEqual(inPath)
    for (const parameter of operation.parameters ?? [])
      if (parameter.in === 'path') expect(parameter.required).toBe(true)
    expect(names('query')).toEqual(Object.keys(endpoint?.query?.properties ?? {}))
    expect(names('header')).toEqual([
      'Service-Version',
      ...(method === 'POST' ? ['Idempotency-Key'] : []),
      ...(isConditional ? ['If-Match'] : []),
      // The secret key may speak for a shopper wherever a shopper may.
      ...(endpoint?.access === 'public' ? ['Shopper-Address'] : []),
    ])
    const version = operation.parameters?.find((parameter) => parameter.in === 'header')
    expect(version?.schema.enum).toEqual(versions.map(({ date }) => date))
    expect(version?.required ?? false).toBe(false)
  })

  test('has a body where the endpoint takes one', () => {
    const schema = operation.requestBody?.content['application/json']?.schema
    expect(operation.requestBody !== undefined).toBe(endpoint?.body !== undefined)
    expect(Object.keys((schema?.properties ?? {}) as Json)).toEqual(Object.keys(endpoint?.body?.properties ?? {}))
    if (['GET', 'DELETE'].includes(method)) expect(operation.requestBody).toBeUndefined()
  })
})

describe('what is sent to webhooks', () => {
  test('is every event of the catalogue, posted', () => {
    expect(Object.keys(document.webhooks).sort()).toEqual(Object.keys(EVENTS).sort())
    for (const methods of Object.values(document.webhooks)) expect(Object.keys(methods)).toEqual(['post'])
  })

  // What deliveries look like is the code's of src/api/webhooks/sending/sign.ts; test/api/webhooks/vector.test.ts compares the two.
  test.each(Object.entries(EVENTS))('%s has its payload, its headers and what each answer does', (name, entry) => {
    const { post } = document.webhooks[name] ?? {}
    expect(post?.summary).toMatch(/^[A-Z].*\.$/)
    expect(post?.security).toEqual([])
    const schema = post?.requestBody?.content['application/json']?.schema as {
      required: string[]
      properties: Record<string, Json>
    }
    expect(schema.properties).toMatchObject({
      event: { const: name },
      response_code: { const: entry.responseCode },
      payload: { $ref: `#/components/schemas/${entry.kind}` },
    })
    expect(schema.required).toEqual(Object.keys(schema.properties))
    expect('model_ids' in schema.properties).toBe(name.endsWith('.delete'))
    expect(post?.parameters?.every((parameter) => parameter.in === 'header' && parameter.required)).toBe(true)
    expect(Object.keys(post?.responses ?? {}).sort()).toEqual(['2XX', '410', '429', '503', 'default'])
  })
})

describe('references', () => {
  /** Every `$ref` of a value, with where it stands. */
  function* refsIn(value: unknown, at = '#'): Generator<[string, string]> {
    if (typeof value !== 'object' || value === null) return
    for (const [name, inner] of Object.entries(value)) {
      if (name === '$ref') yield [at, String(inner)]
      else yield* refsIn(inner, `${at}/${name}`)
    }
  }

  test('all resolve inside the document', () => {
    const refs = [...refsIn(short), ...refsIn(document)]
    expect(refs.length).toBeGreaterThan(0)
    expect(refs.filter(([, ref]) => !ref.startsWith('#/components/') || resolve(ref) === undefined)).toEqual([])
  })

  test('to shared parts stand for what the endpoints say: in their places, they make the whole document', async () => {
    const whole = await wholeDocument(apiDescription(slices, versions))
    expect(document).toEqual(JSON.parse(JSON.stringify(whole)))
    // About a third: what several places share is said once.
    expect(served.text.length).toBeLessThan(JSON.stringify(whole).length * 0.6)
  })

  test('stand where OpenAPI allows one of their sort', () => {
    const misplaced = [...refsIn(short)].filter(([at, ref]) => {
      const [, , sort = ''] = ref.split('/')
      const isIn = (where: RegExp) => where.test(at)
      if (sort === 'parameters') return !isIn(/^#\/(paths|webhooks)\/.*\/parameters\/\d+$/)
      if (sort === 'responses') return !isIn(/^#\/(paths|webhooks)\/.*\/responses\/\w+$/)
      return sort !== 'schemas' || !isIn(/\/(schema|items|additionalProperties|(properties|anyOf|allOf|oneOf)\/\w+)$/)
    })
    expect(misplaced).toEqual([])
  })

  test('name each shared part at least twice, by a name that OpenAPI allows, and nothing that is repeated is left in place', () => {
    const counts = new Map<string, number>()
    for (const [, ref] of refsIn(short)) counts.set(ref, (counts.get(ref) ?? 0) + 1)
    for (const [sort, parts] of Object.entries(short.components))
      for (const name of Object.keys(parts)) {
        expect(name).toMatch(/^[\w.-]+$/)
        const ref = `#/components/${sort}/${name}`
        if (isShared(ref)) expect([ref, counts.get(ref)]).toEqual([ref, expect.toSatisfy((n) => n > 1)])
      }
    const inPlace = [...Object.values(short.paths), ...Object.values(short.webhooks)].flatMap((methods) =>
      Object.values(methods).flatMap(({ parameters = [], responses }) =>
        [...parameters, ...Object.values(responses)]
          .filter((part) => !('$ref' in part))
          .map((part) => JSON.stringify(part)),
      ),
    )
    expect(new Set(inPlace).size).toBe(inPlace.length)
  })

  test('and paths, methods and components have an order that does not depend on the code', () => {
    const isSorted = (names: readonly string[]) => expect([...names].sort()).toEqual(names)
    isSorted(Object.keys(short.paths))
    isSorted(Object.keys(short.webhooks))
    isSorted(Object.keys(short.components.schemas))
    for (const methods of Object.values(short.paths))
      expect(['get', 'post', 'put', 'delete'].filter((method) => method in methods)).toEqual(Object.keys(methods))
  })

  test('kinds are components, and no schema is repeated in place', () => {
    const kinds = slices.flatMap((slice) => slice.kinds.map(({ $id }) => $id))
    expect(Object.keys(document.components.schemas).sort()).toEqual([...kinds, 'error'].sort())
    expect(new Set(kinds).size).toBe(kinds.length)
    expect(served.text).not.toContain('"$id"')
    const sent = Object.values(document.webhooks).flatMap((methods) => Object.values(methods))
    const ids = [...documented.map(({ operation }) => operation), ...sent].map(({ operationId }) => operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test('components that nobody refers to do not exist', () => {
    const referred = new Set([...refsIn(short)].map(([, ref]) => ref))
    for (const name of Object.keys(short.components.schemas))
      expect(referred.has(`#/components/schemas/${name}`), name).toBe(true)
  })
})
