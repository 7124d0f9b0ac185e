// Endpoints of /v1/keys, for the dashboard only. A person who has got hold of a secret key must not be able to make others.

import { Type } from 'typebox'
import { defineEndpoint } from '../../http/endpoint/endpoint.ts'
import type { Slice } from '../slice.ts'
import { createApiKey, listKeys, revokeApiKey } from './key.ts'
import { ApiKey, ApiKeyList, CreateKey } from './schema.ts'

const dashboardOnly = { access: 'session', noStore: true } as const

export const keys: Slice = {
  kinds: [ApiKey],
  endpoints: [
    defineEndpoint({
      ...dashboardOnly,
      operation: 'keys.list',
      permission: 'manage_keys',
      summary: 'Lists the API keys of the shop, of both modes. At the dashboard only.',
      method: 'GET',
      path: '/v1/keys',
      status: 200,
      returns: ApiKeyList,
      handle: (context) => listKeys(context),
    }),
    defineEndpoint({
      ...dashboardOnly,
      operation: 'keys.create',
      permission: 'manage_keys',
      summary: 'Makes an API key and shows it, a secret one this once. At the dashboard only; live keys by owners.',
      method: 'POST',
      path: '/v1/keys',
      body: CreateKey,
      status: 201,
      returns: ApiKey,
      handle: (context) => createApiKey(context, context.body),
    }),
    defineEndpoint({
      ...dashboardOnly,
      operation: 'keys.revoke',
      permission: 'manage_keys',
      summary:
        'Revokes an API key: it opens nothing any more, within a second. At the dashboard only; live keys by owners.',
      method: 'DELETE',
      path: '/v1/keys/:id',
      params: Type.Object({ id: Type.String({ description: 'The id of a key: key_…' }) }),
      status: 204,
      handle: (context) => revokeApiKey(context, context.params.id),
    }),
  ],
}
