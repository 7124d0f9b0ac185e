// Implements `If-Match`: a PUT takes effect only if its object is still the one that was read. The rule that changes the object locks it
// first and then checks it, in the same transaction. So of two simultaneous PUTs, the second sees the result of the first. The object is
// compared as its GET shows it to the same caller in the same version. Also decides which answers have an ETag.

import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import { databaseOf, type Tx } from '../db/db.ts'
import { badRequest, changedSinceRead } from '../lib/errors.ts'
import { RecentBytes } from '../lib/memory.ts'
import type { Context, Endpoint } from './endpoint/endpoint.ts'
import { ageBody, type PieceCache, Pieces, type Viewer, WrittenReply } from './endpoint/pieces.ts'
import { containsSignedLink, etagOf, matchesIfNoneMatch, parseIfMatch } from './etags.ts'
import type { ReplySerializer } from './serialization.ts'

/** The GET that reads the object of a PUT; null if no GET has an ETag of it. */
export function findObjectReader(endpoint: Endpoint, all: readonly Endpoint[]): Endpoint | null {
  if (endpoint.method !== 'PUT') return null
  const path = endpoint.object ?? endpoint.path
  return all.find((each) => each.path === path && hasEtag(each)) ?? null
}

/** A conditional request and its viewer. */
type IfMatch = {
  /** The header as it was sent. */
  readonly condition: string
  readonly reply: FastifyReply
  /** The viewer of the object, in the form of its GET. */
  readonly viewer: Viewer
}

/** Thrown to end the transaction. The current object is read afterwards, when nothing is locked any more. */
class Changed extends Error {}

/** Runs the handler of a PUT under its condition. `reader` is the GET of its object. */
export async function handleIfMatch(
  endpoint: Endpoint,
  context: Context,
  reader: Endpoint | null,
  request: IfMatch,
): Promise<unknown> {
  const condition = parseIfMatch(request.condition)
  if (reader === null)
    throw badRequest('Omit the header If-Match: no GET returns an ETag of the object at this address.')
  if (condition === null) return endpoint.handle(context)
  const refuseIfChanged = async (tx: Tx) => {
    const text = await readObject(reader, request, { ...context, db: databaseOf(tx), signingSecret: NO_SECRET })
    if (!condition(etagOf(text))) throw new Changed()
  }
  try {
    return await endpoint.handle({ ...context, refuseIfChanged })
  } catch (error) {
    if (!(error instanceof Changed)) throw error
    const text = await readObject(reader, request, context)
    throw changedSinceRead(JSON.parse(String(text)), etagOf(text))
  }
}

/** Signatures are not part of an ETag, so do not wait for their key while rows are locked. */
const NO_SECRET = async () => new Uint8Array(32)

/** The object as its GET would send it. */
async function readObject(reader: Endpoint, { reply, viewer }: IfMatch, context: Context): Promise<string | Buffer> {
  const { schema } = reader.pieces ?? { schema: reader.returns as NonNullable<Endpoint['returns']> }
  // Ignore the request's `If-None-Match` here.
  const objectViewer = { ...viewer, ifNoneMatch: undefined }
  const pieces = new Pieces(NO_CACHE, { schema, operation: reader.operation }, reply, objectViewer)
  let facts: Record<string, unknown> = {}
  const tell = (newFacts: Record<string, unknown>) => {
    facts = newFacts
  }
  const query = Object.fromEntries(
    Object.entries(reader.query?.properties ?? {}).flatMap(
      ([name, { default: value }]: [string, { default?: unknown }]) => (value === undefined ? [] : [[name, value]]),
    ),
  )
  const body = await reader.handle({
    ...context,
    query,
    body: undefined,
    pieces,
    addFacts: tell,
    refuseIfChanged: null,
  })
  if (body instanceof WrittenReply) return body.bytes as Buffer
  const serializer = reply.compileSerializationSchema(schema as Record<string, unknown>) as unknown as ReplySerializer
  const agedObject = ageBody(viewer.plan, serializer, body, { ...viewer.context, facts: facts as never })
  return agedObject === null ? serializer(body) : JSON.stringify(agedObject)
}

/** Objects read in a transaction may be rolled back, so do not cache them. */
const NO_CACHE: PieceCache = new RecentBytes(0)

/** Carts and checkouts have none: they belong to one shopper, and nobody else edits them. */
export const hasEtag = ({ method, status, metered, writes, noStore, returns }: Endpoint): boolean =>
  method === 'GET' && status === 200 && !metered && !writes && !noStore && returns !== undefined && '$id' in returns

/** True if the query selects the default form of the object. `type` only says how to look it up. */
const isDefaultForm = ({ query }: Endpoint, { query: sentQuery }: FastifyRequest): boolean =>
  query === undefined ||
  Object.entries(sentQuery as object).every(
    ([name, value]) => name === 'type' || value === (query.properties[name] as { default?: unknown }).default,
  )

/**
 * Hook that adds the ETag to an answer and turns it into a 304 if the client has it. A PUT that answers with the object names its new
 * state. Null for other endpoints, and if the handler sets the ETag. `reader` is the GET of the object that a PUT changes.
 */
export function etagHook(endpoint: Endpoint, reader: Endpoint | null): onSendHookHandler | null {
  const hasTag = reader === null ? hasEtag(endpoint) && !endpoint.pieces : reader.returns === endpoint.returns
  if (!hasTag) return null
  return (request, reply, payload, done) => {
    done(null, canHaveTag(endpoint, request, reply, payload) ? addTag(request, reply, payload) : payload)
  }
}

const canHaveTag = (endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply, payload: unknown) =>
  typeof payload === 'string' &&
  reply.statusCode === endpoint.status &&
  // Older versions may show a changed object differently from the object itself.
  (endpoint.method === 'GET' || request.call?.plan === null) &&
  isDefaultForm(endpoint, request)

function addTag(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  const text = payload as string
  const etag = etagOf(text)
  reply.header('etag', etag)
  // The client's copy may contain an expired link to a private file.
  if (
    request.method === 'PUT' ||
    containsSignedLink(text) ||
    !matchesIfNoneMatch(request.headers['if-none-match'], etag)
  )
    return payload
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  return null
}
