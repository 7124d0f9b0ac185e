// Creates the OpenAPI 3.1 document from the schemas that validate requests and write replies. openapi-shared.ts shortens it.

import swagger from '@fastify/swagger'
import fastify, { type FastifySchema } from 'fastify'
import type { TObject, TSchema } from 'typebox'
import { REFUSAL_CODES } from '../lib/words/refusals.ts'
import { SHOPPER_ADDRESS } from './endpoint/caller.ts'
import type { Endpoint } from './endpoint/endpoint.ts'
import { asAccepted, type Kind } from './endpoint/schema.ts'
import { findObjectReader, hasEtag } from './if-match.ts'
import { type OpenApi, shareParts } from './openapi-shared.ts'
import { WEBHOOK_ANSWERS, type WebhookDescription, webhookOperations } from './openapi-webhooks.ts'
import { findKinds } from './serialization.ts'
import { isOpenToBrowsers } from './server/cors.ts'

const ERROR = {
  type: 'object',
  required: ['error', 'status_code'],
  properties: {
    error: {
      type: 'object',
      required: ['type', 'message'],
      properties: {
        type: { type: 'string' },
        message: {
          type: 'string',
          description:
            'On routes that a public key or a customer may call: a sentence for the shopper, without ids and names of fields. Else for programmers.',
        },
        code: {
          type: 'string',
          enum: REFUSAL_CODES,
          description: 'Which sentence message is; only where it is one for the shopper.',
        },
        params: {
          type: 'object',
          additionalProperties: true,
          description: 'What the sentence of that code was made with, such as left: 3; for sentences of your own.',
        },
        errors: {
          type: 'object',
          additionalProperties: { type: 'array', items: { type: 'string' } },
          description: 'Dotted path of a field → what is wrong with it.',
        },
        param: { type: 'string' },
      },
    },
    status_code: { type: 'integer' },
  },
}

const BOTH_KEYS = [{ publicKey: [] }, { secretKey: [] }]
const SECRET_KEY = [{ secretKey: [] }]
const CUSTOMER_OR_SECRET_KEY = [{ customerToken: [] }, { secretKey: [] }]
const SESSION = [{ dashboardSession: [] }]
const SECURITY = { public: BOTH_KEYS, secret: SECRET_KEY, customer: CUSTOMER_OR_SECRET_KEY, session: SESSION } as const

/** Component name and meaning of each answer without its own body. */
const ANSWERS = {
  no_content: 'Success, without a body.',
  bad_request: 'The request cannot be read, or names an unknown version.',
  unauthorized: 'No valid key, or a live key over plain HTTP.',
  customer_unauthorized:
    "No valid token of a customer and no valid key, the customer's session is over, or a live one over plain HTTP.",
  forbidden: 'A public key may not do this.',
  session_forbidden: 'No key may do this; or the role of the account may not.',
  customer_forbidden: 'A public key may not do this, nor the token of another customer.',
  not_found: 'There is no such thing.',
  conflict: 'Something is in the way, such as the first request with this Idempotency-Key.',
  changed_meanwhile: 'If-Match names another state of the object: nothing was written.',
  unprocessable_entity: 'A field is missing, badly formed or refused.',
  too_many_requests: 'Asked for too often; Retry-After says in how many seconds again.',
  failure: 'Any other failure.',
} as const

const nameOfAnswer = ({ description }: { readonly description?: unknown }): string | null =>
  Object.entries({ ...ANSWERS, ...WEBHOOK_ANSWERS }).find(([, meaning]) => meaning === description)?.[0] ?? null

export type ApiDescription = {
  readonly endpoints: readonly Endpoint[]
  readonly kinds: readonly Kind[]
  readonly release: string
  /** All API versions, newest first. */
  readonly dates: readonly string[]
  /** Describes a customer's token and how to get one. */
  readonly customerToken: string
  /** Events sent to merchants' webhooks. */
  readonly webhooks: readonly WebhookDescription[]
}

export const openApiDocument = async (description: ApiDescription): Promise<OpenApi> =>
  shareParts(await wholeDocument(description), nameOfAnswer)

/** The document before shortening. It is built on a separate server that never listens, so that the real one does not carry the plugin. */
export async function wholeDocument(description: ApiDescription): Promise<OpenApi> {
  const { endpoints, kinds, release, dates, customerToken, webhooks } = description
  const server = fastify()
  const byId = new Map(kinds.map((kind) => [kind.$id, kind]))
  const knownWebhooks = webhooks.filter(({ kind }) => byId.has(kind))
  const usedSchemas = [
    ...endpoints.map(({ returns }) => returns && refer(returns)),
    ...knownWebhooks.map(({ kind }) => ({ $ref: `${kind}#` })),
  ]
  const usedKinds = findKinds({ shown: usedSchemas }, byId)
  for (const kind of kinds) if (Object.hasOwn(usedKinds, kind.$id)) server.addSchema(kind)
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Cartwright',
        version: dates[0] ?? '',
        description: `Commerce API of Cartwright ${release}, in its newest version. Older versions are asked for by the Service-Version header. Blanks around ids, codes and keys do not count.`,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: {
        securitySchemes: {
          publicKey: { type: 'apiKey', in: 'header', name: 'X-Authorization', description: 'pk_… or pk_test_…' },
          secretKey: { type: 'apiKey', in: 'header', name: 'X-Authorization', description: 'sk_… or sk_test_…' },
          customerToken: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'JWT',
            description: customerToken,
          },
          dashboardSession: {
            type: 'apiKey',
            in: 'cookie',
            name: '__Host-cartwright',
            description: 'That of somebody who is logged in to the dashboard, below /dashboard/api in place of /.',
          },
        },
        schemas: { error: ERROR as never },
      },
    },
    refResolver: { buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `schema${index}`) },
  })
  for (const endpoint of endpoints)
    server.route({
      method: endpoint.method,
      url: endpoint.path,
      schema: schemasOf(endpoint, endpoints, dates),
      exposeHeadRoute: false,
      // Only described for readers; nothing is compiled.
      validatorCompiler: () => () => true,
      serializerCompiler: () => JSON.stringify,
      handler: async () => undefined,
    })
  await server.ready()
  const document = server.swagger() as unknown as OpenApi
  await server.close()
  return { ...document, webhooks: webhookOperations(knownWebhooks) }
}

const ERROR_REFERENCE = { $ref: '#/components/schemas/error' }

const answer = (name: keyof typeof ANSWERS, schema: object = ERROR_REFERENCE) => ({
  description: ANSWERS[name],
  content: { 'application/json': { schema } },
})

function schemasOf(endpoint: Endpoint, all: readonly Endpoint[], dates: readonly string[]): FastifySchema {
  const { access, params, query, body, status, limited, conflict } = endpoint
  const isPost = endpoint.method === 'POST'
  const reader = findObjectReader(endpoint, all)
  const hasTag = hasEtag(endpoint) || (reader !== null && reader.returns === endpoint.returns)
  return {
    operationId: endpoint.operation,
    summary: endpoint.summary,
    tags: [endpoint.operation.split('.')[0] ?? ''],
    security: SECURITY[access],
    headers: {
      type: 'object',
      properties: {
        'Service-Version': versionHeader(dates),
        ...(isPost && { 'Idempotency-Key': IDEMPOTENCY_KEY }),
        ...(reader && { 'If-Match': IF_MATCH }),
        ...(access === 'public' && { [SHOPPER_ADDRESS]: SHOPPER }),
      },
    },
    ...(params && { params }),
    ...(query && { querystring: asAccepted(withDefaultsOptional(query)) }),
    ...(body && { body: asAccepted(body) }),
    response: {
      [status]: { ...successOf(endpoint), ...(hasTag && { headers: { ETag: ETAG } }) },
      400: answer('bad_request'),
      401: answer(access === 'customer' ? 'customer_unauthorized' : 'unauthorized'),
      ...(access === 'secret' && { 403: answer('forbidden') }),
      ...(access === 'customer' && { 403: answer('customer_forbidden') }),
      ...(access === 'session' && { 403: answer('session_forbidden') }),
      ...(params && { 404: answer('not_found') }),
      ...(isPost && { 409: answer('conflict', conflict && { allOf: [ERROR_REFERENCE, conflict] }) }),
      ...(reader && { 409: answer('changed_meanwhile', conflictWith(reader)) }),
      ...((body || query) && { 422: answer('unprocessable_entity') }),
      ...((limited || isOpenToBrowsers(endpoint)) && { 429: answer('too_many_requests') }),
      default: answer('failure'),
    },
  } as FastifySchema
}

function successOf({ returns, media }: Endpoint): object {
  if (media) return { description: 'Success.', content: { [media]: { schema: { type: 'string' } } } }
  return returns
    ? { description: 'Success.', content: { 'application/json': { schema: refer(returns) } } }
    : { description: ANSWERS.no_content, type: 'null' }
}

/** Validation fills in defaults before it checks required fields, so clients need not send them. */
const withDefaultsOptional = (query: TObject): object => ({
  ...query,
  required: (query.required ?? []).filter((name) => !('default' in (query.properties[name] ?? {}))),
})

/** A kind is a component of the document; refer to it instead of repeating it. */
const refer = (schema: TSchema): object => ('$id' in schema ? { $ref: `${schema.$id}#` } : schema)

const versionHeader = (dates: readonly string[]) => ({
  type: 'string',
  enum: [...dates],
  description: "The API version to be served in; the merchant's setting unless given.",
})

const SHOPPER = {
  type: 'string',
  description:
    "With the secret key only: the IPv4 or IPv6 address of the shopper for whom a storefront's server asks. Limits per client and the client_details of an order go by it; without it, nothing is limited per client. With any other key it is 403.",
}

const ETAG = { type: 'string', description: 'Names the object as it is shown: another one, another name.' }

const IF_MATCH = {
  type: 'string',
  description:
    'The ETag of the object as it was read, or several, or *. If the object is no longer one of them, nothing is written and the answer is a 409 that shows it.',
}

/** The current object is part of the error. */
const conflictWith = ({ returns }: Endpoint) => ({
  allOf: [
    ERROR_REFERENCE,
    { type: 'object', properties: { error: { type: 'object', properties: { current: refer(returns as TSchema) } } } },
  ],
})

const IDEMPOTENCY_KEY = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description:
    'Makes it safe to send the request again: for 24 hours the same key and body get the first answer, with Idempotency-Replayed: true. A random text, such as a UUID.',
}
