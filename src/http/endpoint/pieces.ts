// Builds replies from cached pieces: a product, or a page of products. A piece is cached under a stamp that names the state of its object.
// The handler has just read that stamp from the database. So no outdated piece is sent, whichever process changed the object. Everything
// else that a piece depends on is part of its cache key: the caller, the host and the form.

import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import type { Scope } from '../../db/db.ts'
import { RecentBytes } from '../../lib/memory.ts'
import type { Plan } from '../../versions/apply.ts'
import type { ChangeContext, JsonData } from '../../versions/change.ts'
import { etagOf, matchesIfNoneMatch } from '../etags.ts'
import type { ReplySerializer } from '../serialization.ts'

/** The pieces of an endpoint's reply. */
export type PieceKind = {
  readonly schema: TSchema
  /** Operation that returns a single piece. A list shows each piece like that operation, in every version. */
  readonly operation: string
}

/** An object in one state. */
export type StampedObject = { readonly id: string; readonly stamp: string }

/** A reply that is already serialised; null if the client has it. */
export class WrittenReply {
  readonly bytes: Buffer | null
  readonly etag: string | null

  constructor(bytes: Buffer | null, etag: string | null) {
    this.bytes = bytes
    this.etag = etag
  }
}

/** A reply that is not JSON and is streamed. It is written as fast as the client reads and stops when the client leaves. */
export class StreamedReply extends WrittenReply {
  readonly parts: AsyncIterable<string>
  readonly type: string
  /** Name under which a browser saves it. */
  readonly filename: string

  constructor(parts: AsyncIterable<string>, type: string, filename: string) {
    super(null, null)
    this.parts = parts
    this.type = type
    this.filename = filename
  }
}

const CACHE_BYTES = 16 * 1_048_576

/** Newest piece by cache key. One cache per server. */
export type PieceCache = RecentBytes<string>

export const createPieceCache = (): PieceCache => new RecentBytes(CACHE_BYTES)

/** Caller that sees a piece, and the form. */
export type Viewer = {
  readonly caller: Scope & { readonly isSecret: boolean; readonly currency: string }
  readonly origin: string
  /** Version, and the kind of client. */
  readonly form: string
  /** Conversion from the newest form; null for the newest. */
  readonly plan: Plan | null
  readonly context: ChangeContext
  readonly ifNoneMatch: string | undefined
}

/** The pieces of one reply. */
export class Pieces {
  readonly #serializer: ReplySerializer
  readonly #kept: PieceCache
  readonly #viewer: Viewer
  readonly #place: string

  constructor(kept: PieceCache, { schema }: PieceKind, reply: FastifyReply, viewer: Viewer) {
    this.#serializer = reply.compileSerializationSchema(schema as Record<string, unknown>) as unknown as ReplySerializer
    const { caller, origin, form } = viewer
    this.#kept = kept
    this.#viewer = viewer
    this.#place = `${caller.merchant_id} ${caller.is_sandbox} ${caller.isSecret} ${caller.currency} ${form} ${origin} `
  }

  /** The cached piece for exactly this state, if any. */
  find({ id, stamp }: StampedObject): Buffer | null {
    return this.#kept.get(this.#place + id, stamp)
  }

  /** True if a piece of the object is cached in any state, so that reading its stamp is worth it. */
  isWorthAsking(id: string): boolean {
    return this.#kept.has(this.#place + id)
  }

  keep({ id, stamp }: StampedObject, bytes: Buffer) {
    this.#kept.set(this.#place + id, stamp, bytes)
  }

  /** Serialises the newest form as this viewer sees it. */
  write(value: object): Buffer {
    const agedValue = ageBody(this.#viewer.plan, this.#serializer, value, this.#viewer.context)
    return Buffer.from(agedValue === null ? this.#serializer(value) : JSON.stringify(agedValue))
  }

  /** Reply with a single piece. `isLasting` is false if links in the client's copy may have expired. */
  reply(bytes: Buffer, isLasting = true): WrittenReply {
    const etag = etags.get(bytes) ?? etagOf(bytes)
    etags.set(bytes, etag)
    return new WrittenReply(isLasting && matchesIfNoneMatch(this.#viewer.ifNoneMatch, etag) ? null : bytes, etag)
  }
}

/** Cached ETags of pieces, so that each is computed once. */
const etags = new WeakMap<Buffer, string>()

/** For endpoints without `pieces`: their handlers never use it. */
export const NO_PIECES = null as unknown as Pieces

export function sendWrittenReply(reply: FastifyReply, status: number, written: WrittenReply) {
  if (written instanceof StreamedReply)
    return reply
      .code(status)
      .type(`${written.type}; charset=utf-8`)
      .header('content-disposition', `attachment; filename="${written.filename}"`)
      .send(Readable.from(written.parts, { objectMode: false }))
  const { bytes, etag } = written
  if (etag !== null) reply.header('etag', etag)
  if (bytes === null) return reply.code(304).send()
  return reply.code(status).type('application/json; charset=utf-8').send(bytes)
}

/** Sends serialised JSON. */
export const sendText = (reply: FastifyReply, text: string) =>
  reply.type('application/json; charset=utf-8').serializer(String).send(text)

/** A success as an older version or an old client sees it. Null if it is the same as the newest form. */
export function ageBody(
  plan: Plan | null,
  serializer: Pick<ReplySerializer, 'plain'>,
  body: unknown,
  context: ChangeContext,
): JsonData | null {
  if (!plan?.age || plan.isForBody?.(body as JsonData, context) === false) return null
  return plan.age({ status: 200, body: serializer.plain(body) as JsonData }, context).body
}
