// Replies that are put together of pieces which were written before: a product, or a page of products. A piece is kept under a stamp that
// names the state of the thing which it shows. Whoever asks for it has just read the stamp from the database, so that nothing is sent that
// has changed since, whichever process changed it. All else that a piece depends on is part of its place: who asks, by which host, in
// which form.

import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import type { Scope } from '../../db/db.ts'
import { RecentBytes } from '../../lib/memory.ts'
import type { Plan } from '../../versions/apply.ts'
import type { ChangeContext, Json } from '../../versions/change.ts'
import { etagOf, isKnownBy } from '../etags.ts'
import type { ReplySerializer } from '../serialization.ts'

/** What the pieces of an endpoint's reply are. */
export type PieceKind = {
  readonly schema: TSchema
  /** The operation that gives one of them alone: a list shows each as it is shown there, in every version. */
  readonly operation: string
}

/** A thing in one state. */
export type Stamped = { readonly id: string; readonly stamp: string }

/** A reply that is written already; null where the client has it. */
export class WrittenReply {
  readonly bytes: Buffer | null
  readonly etag: string | null

  constructor(bytes: Buffer | null, etag: string | null) {
    this.bytes = bytes
    this.etag = etag
  }
}

/** A reply that is no JSON and is written while it is sent: as fast as its reader takes it, and no further once the reader has gone. */
export class StreamedReply extends WrittenReply {
  readonly parts: AsyncIterable<string>
  readonly type: string
  /** What a browser saves it as. */
  readonly filename: string

  constructor(parts: AsyncIterable<string>, type: string, filename: string) {
    super(null, null)
    this.parts = parts
    this.type = type
    this.filename = filename
  }
}

const KEPT_BYTES = 16 * 1_048_576

/** By place; of each the newest state that was written. One for each server. */
export type KeptPieces = RecentBytes<string>

export const keptPieces = (): KeptPieces => new RecentBytes(KEPT_BYTES)

/** Who is shown a piece, and in which form. */
export type Viewer = {
  readonly caller: Scope & { readonly isSecret: boolean; readonly currency: string }
  readonly origin: string
  /** The version, and which kind of client it is shown to. */
  readonly form: string
  /** How the form is made of the newest; null where it is the newest. */
  readonly plan: Plan | null
  readonly context: ChangeContext
  readonly ifNoneMatch: string | undefined
}

/** The pieces of one reply. */
export class Pieces {
  readonly #serializer: ReplySerializer
  readonly #kept: KeptPieces
  readonly #viewer: Viewer
  readonly #place: string

  constructor(kept: KeptPieces, { schema }: PieceKind, reply: FastifyReply, viewer: Viewer) {
    this.#serializer = reply.compileSerializationSchema(schema as Record<string, unknown>) as unknown as ReplySerializer
    const { caller, origin, form } = viewer
    this.#kept = kept
    this.#viewer = viewer
    this.#place = `${caller.merchantId} ${caller.isSandbox} ${caller.isSecret} ${caller.currency} ${form} ${origin} `
  }

  /** What was written of the thing in this very state, if it is kept. */
  find({ id, stamp }: Stamped): Buffer | null {
    return this.#kept.get(this.#place + id, stamp)
  }

  /** Whether it is worth asking in which state the thing is: something is kept of it here. */
  isWorthAsking(id: string): boolean {
    return this.#kept.has(this.#place + id)
  }

  keep({ id, stamp }: Stamped, bytes: Buffer) {
    this.#kept.set(this.#place + id, stamp, bytes)
  }

  /** The newest form as this viewer is shown it. */
  write(value: object): Buffer {
    const aged = agedBody(this.#viewer.plan, this.#serializer, value, this.#viewer.context)
    return Buffer.from(aged === null ? this.#serializer(value) : JSON.stringify(aged))
  }

  /** One of them alone. `isLasting`: false where what the client has may open nothing any more. */
  reply(bytes: Buffer, isLasting = true): WrittenReply {
    const etag = etags.get(bytes) ?? etagOf(bytes)
    etags.set(bytes, etag)
    return new WrittenReply(isLasting && isKnownBy(this.#viewer.ifNoneMatch, etag) ? null : bytes, etag)
  }
}

/** Of pieces that are kept: each is named once. */
const etags = new WeakMap<Buffer, string>()

/** Of an endpoint that says nothing of pieces: its handler asks for none. */
export const NO_PIECES = null as unknown as Pieces

export function sendWritten(reply: FastifyReply, status: number, written: WrittenReply) {
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

/** JSON that is written already. */
export const sendText = (reply: FastifyReply, text: string) =>
  reply.type('application/json; charset=utf-8').serializer(String).send(text)

/** A success in its newest form as an older version or an old client is shown it, or null where that is what everybody is shown. */
export function agedBody(
  plan: Plan | null,
  serializer: Pick<ReplySerializer, 'plain'>,
  body: unknown,
  context: ChangeContext,
): Json | null {
  if (!plan?.age || plan.isForBody?.(body as Json, context) === false) return null
  return plan.age({ status: 200, body: serializer.plain(body) as Json }, context).body
}
