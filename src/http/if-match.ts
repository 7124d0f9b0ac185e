// Which answers have an ETag, and `If-Match`: a PUT that is to take effect only where its object is still the one that was read. The rule that changes the object has locked
// it and then asks, in the same transaction, whether it still is: of two that were sent at the same moment, the second sees what the
// first has done. What the object is, the GET of its address says, as it says it to the same caller in the same version.

import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { databaseOf, type Tx } from '../db/db.ts'
import { badRequest, changedMeanwhile } from '../lib/errors.ts'
import { RecentBytes } from '../lib/memory.ts'
import type { Context, Endpoint } from './endpoint/endpoint.ts'
import { agedBody, type KeptPieces, Pieces, type Viewer, WrittenReply } from './endpoint/pieces.ts'
import { conditionOf, etagOf, isKnownBy, isSigned } from './etags.ts'
import type { ReplySerializer } from './serialization.ts'

/** The GET by which the object of a PUT is read; null where nothing gives an ETag of it. */
export function readerOf(endpoint: Endpoint, all: readonly Endpoint[]): Endpoint | null {
  if (endpoint.method !== 'PUT') return null
  const path = endpoint.object ?? endpoint.path
  return all.find((each) => each.path === path && hasEtag(each)) ?? null
}

/** What was asked for by whom. */
type Asked = {
  /** The header as it was sent. */
  readonly condition: string
  readonly reply: FastifyReply
  /** Whom the object is shown to, in the form in which its GET would. */
  readonly viewer: Viewer
}

/** Thrown in the transaction, which it ends; what is answered is read when nothing is locked any more. */
class Changed extends Error {}

/** Runs the handler of a PUT, under the condition that was sent. `reader`: the GET of its object. */
export async function handleIfMatch(
  endpoint: Endpoint,
  context: Context,
  reader: Endpoint | null,
  asked: Asked,
): Promise<unknown> {
  const condition = conditionOf(asked.condition)
  if (reader === null)
    throw badRequest('The header If-Match is not for this address: no GET gives an ETag of what is changed here.')
  if (condition === null) return endpoint.handle(context)
  const refuseIfChanged = async (tx: Tx) => {
    const text = await textOf(reader, asked, { ...context, db: databaseOf(tx), signingSecret: NO_SECRET })
    if (!condition(etagOf(text))) throw new Changed()
  }
  try {
    return await endpoint.handle({ ...context, refuseIfChanged })
  } catch (error) {
    if (!(error instanceof Changed)) throw error
    const text = await textOf(reader, asked, context)
    throw changedMeanwhile(JSON.parse(String(text)), etagOf(text))
  }
}

/** Signatures are no part of an ETag: nobody waits for the key that makes them while something is locked. */
const NO_SECRET = async () => new Uint8Array(32)

/** As the GET of the object would send it. */
async function textOf(reader: Endpoint, { reply, viewer }: Asked, context: Context): Promise<string | Buffer> {
  const { schema } = reader.pieces ?? { schema: reader.returns as NonNullable<Endpoint['returns']> }
  // What else the request says it has is no matter here.
  const shownTo = { ...viewer, ifNoneMatch: undefined }
  const pieces = new Pieces(NOTHING_KEPT, { schema, operation: reader.operation }, reply, shownTo)
  let facts: Record<string, unknown> = {}
  const tell = (told: Record<string, unknown>) => {
    facts = told
  }
  const query = Object.fromEntries(
    Object.entries(reader.query?.properties ?? {}).flatMap(
      ([name, { default: value }]: [string, { default?: unknown }]) => (value === undefined ? [] : [[name, value]]),
    ),
  )
  const body = await reader.handle({ ...context, query, body: undefined, pieces, tell, refuseIfChanged: null })
  if (body instanceof WrittenReply) return body.bytes as Buffer
  const serializer = reply.compileSerializationSchema(schema as Record<string, unknown>) as unknown as ReplySerializer
  const aged = agedBody(viewer.plan, serializer, body, { ...viewer.context, facts: facts as never })
  return aged === null ? serializer(body) : JSON.stringify(aged)
}

/** What is read in a transaction may never have been: none of it is kept. */
const NOTHING_KEPT: KeptPieces = new RecentBytes(0)

/** Those of carts and checkouts are a shopper's, which nobody else edits. */
export const hasEtag = ({ method, status, metered, writes, noStore, returns }: Endpoint): boolean =>
  method === 'GET' && status === 200 && !metered && !writes && !noStore && returns !== undefined && '$id' in returns

/** Whether the query asks for the object as it is shown without one. `type` only says how it is looked up. */
const isUsual = ({ query }: Endpoint, { query: sent }: FastifyRequest): boolean =>
  query === undefined ||
  Object.entries(sent as object).every(
    ([name, value]) => name === 'type' || value === (query.properties[name] as { default?: unknown }).default,
  )

/**
 * Names what is answered; a reader who has it gets a 304. A change that answers with the object names what it has become. Null for all else,
 * and where the handler does so. `reader`: the GET of what a PUT changes.
 */
export function etagHook(endpoint: Endpoint, reader: Endpoint | null): onSendHookHandler | null {
  const isNamed = reader === null ? hasEtag(endpoint) && !endpoint.pieces : reader.returns === endpoint.returns
  if (!isNamed) return null
  return (request, reply, payload, done) => {
    done(null, isNameable(endpoint, request, reply, payload) ? named(request, reply, payload) : payload)
  }
}

const isNameable = (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, payload: unknown) =>
  typeof payload === 'string' &&
  reply.statusCode === endpoint.status &&
  // Older versions may show a changed object otherwise than the object itself.
  (endpoint.method === 'GET' || request.call?.plan === null) &&
  isUsual(endpoint, request)

function named(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const text = payload as string
  const etag = etagOf(text)
  reply.header('etag', etag)
  // The address of a private file that the reader has may have expired.
  if (request.method === 'PUT' || isSigned(text) || !isKnownBy(request.headers['if-none-match'], etag)) return payload
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  return null
}
