// API keys as the dashboard shows them.

import { type Static, Type } from 'typebox'
import { kind, nested, nullable, oneOf, SECRET, Timestamp } from '../../http/endpoint/schema.ts'

const TYPES = ['public', 'secret'] as const

export const ApiKey = kind('api_key', {
  id: Type.String(),
  type: oneOf(TYPES, { description: 'public: for pages that shoppers load. secret: for servers.' }),
  sandbox: Type.Boolean(),
  key: nullable(Type.String(), {
    ...SECRET,
    description: 'The key itself. Of a secret one, in the answer that makes it and nowhere after: null.',
  }),
  last_four: Type.String({ description: 'Its last four characters.' }),
  created: Timestamp,
  last_used: nullable(Timestamp, {
    description: 'To the minute, and known a minute later at most. null: never.',
  }),
})

export type ApiKey = Static<typeof ApiKey>

export const ApiKeyList = Type.Object({
  data: Type.Array(nested(ApiKey), { description: 'Those that open something, of both modes. Revoked ones are gone.' }),
})

export type ApiKeyList = Static<typeof ApiKeyList>

export const CreateKey = Type.Object({
  type: oneOf(TYPES),
  sandbox: Type.Boolean({ description: 'Whether it opens the sandbox, or the live shop.' }),
})

export type NewKeyBody = Static<typeof CreateKey>
