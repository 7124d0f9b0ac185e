// Writes replies with serializers compiled from their schemas, each when it is first needed and from the kinds it refers to. All of them
// at the start, each with every kind, took longer than all the rest of a start.

import { build, type Schema } from 'fast-json-stringify'
import type { FastifyInstance } from 'fastify'
import type { Kind } from './schema.ts'

export function serializeWhenNeeded(server: FastifyInstance, kinds: readonly Kind[]) {
  const byId = new Map(kinds.map((kind) => [kind.$id, kind]))
  server.setSerializerCompiler(({ schema }) => {
    let write: ((value: unknown) => string) | undefined
    return (value) => {
      write ??= build(schema as Schema, { schema: kindsIn(schema, byId) as Record<string, Schema> })
      return write(value)
    }
  })
}

const REFERENCE = /"\$ref":"([^"#]+)#"/g

/** Every kind that a schema refers to, also through another, by its id. */
export function kindsIn(schema: object, byId: ReadonlyMap<string, Kind>): Record<string, Kind> {
  const found = new Map<string, Kind>()
  const look = (text: string) => {
    for (const [, id = ''] of text.matchAll(REFERENCE)) {
      const kind = byId.get(id)
      if (kind === undefined || found.has(id) || kind === schema) continue
      found.set(id, kind)
      look(JSON.stringify(kind))
    }
  }
  look(JSON.stringify(schema))
  return Object.fromEntries(found)
}
