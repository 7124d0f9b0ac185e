// The OpenAPI 3.1 document, made from the same schemas that validate requests and write replies.

import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Endpoint } from './endpoint.ts'

const ERROR = {
  type: 'object',
  required: ['error', 'status_code'],
  properties: {
    error: {
      type: 'object',
      required: ['type', 'message'],
      properties: {
        type: { type: 'string' },
        message: { type: 'string' },
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

/** Before the routes are added: the plugin listens to them being added. */
export function describeApi(server: FastifyInstance, release: string, newestVersion: string, dates: readonly string[]) {
  server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Cartwright',
        version: newestVersion,
        description: `Commerce API of Cartwright ${release}, in its newest version. Older versions are asked for by the Service-Version header.`,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: {
        securitySchemes: {
          publicKey: { type: 'apiKey', in: 'header', name: 'X-Authorization', description: 'pk_… or pk_test_…' },
          secretKey: { type: 'apiKey', in: 'header', name: 'X-Authorization', description: 'sk_… or sk_test_…' },
        },
        parameters: {
          version: {
            name: 'Service-Version',
            in: 'header',
            description: "The API version to be served in; the merchant's setting unless given.",
            schema: { type: 'string', enum: [...dates] },
          },
        },
        schemas: { error: ERROR as never },
      },
    },
    refResolver: { buildLocalReference: (schema, _base, _fragment, index) => String(schema.$id ?? `schema${index}`) },
    transform: ({ schema, url, route }) => {
      const endpoint = (route.config as { endpoint?: Endpoint } | undefined)?.endpoint
      return { url, schema: endpoint ? described(schema, endpoint) : schema }
    },
  })
}

const refersToError = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/error' } } },
})

/** Adds to a route's schemas what only the document needs: the key, the tag and how it can fail. */
function described(schema: FastifySchema, endpoint: Endpoint): FastifySchema {
  const success = endpoint.returns
    ? { description: 'Success.', content: { 'application/json': { schema: endpoint.returns } } }
    : { description: 'Success, without a body.', type: 'null' }
  return {
    ...schema,
    tags: [endpoint.operation.split('.')[0] ?? ''],
    security: endpoint.access === 'secret' ? SECRET_KEY : BOTH_KEYS,
    response: {
      [endpoint.status]: success,
      401: refersToError('No valid key.'),
      ...(endpoint.access === 'secret' ? { 403: refersToError('A public key may not do this.') } : {}),
      ...(endpoint.params ? { 404: refersToError('There is no such thing.') } : {}),
      ...(endpoint.body || endpoint.query
        ? { 422: refersToError('A field is missing, badly formed or refused.') }
        : {}),
      default: refersToError('Any other failure.'),
    },
  } as FastifySchema
}
