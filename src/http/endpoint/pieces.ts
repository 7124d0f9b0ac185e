// Replies that are put together of pieces which were written before: a product, or a page of products. A piece is kept under a stamp that
// names the state of the thing which it shows. Whoever asks for it has just read the stamp from the database, so that nothing is sent that
// has changed since, whichever process changed it. All else that a piece depends on is part of its place: who asks, by which host, in
// which form.

import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import type { Scope } from '../../db/db.ts'
import { RecentBytes } from '../../lib/memory.ts'
import type { Plan } from '../../versions/apply.ts'
import type { ChangeContext, Json } from '../../versions/change.ts'
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
  /** Of the program. What clients have of another build they are sent again: it may have been written otherwise. */
  readonly build: string
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

  /** Whether it is worth asking in which state the thing is: something is kept of it here, or by the client. */
  isWorthAsking(id: string): boolean {
    return this.#viewer.ifNoneMatch !== undefined || this.#kept.has(this.#place + id)
  }

  keep({ id, stamp }: Stamped, bytes: Buffer) {
    this.#kept.set(this.#place + id, stamp, bytes)
  }

  /** The newest form as this viewer is shown it. */
  write(value: object): Buffer {
    const { plan, context } = this.#viewer
    const serializer = this.#serializer
    if (!plan?.age || plan.isForBody?.(value as Json, context) === false) return Buffer.from(serializer(value))
    return Buffer.from(JSON.stringify(plan.age({ status: 200, body: serializer.plain(value) as Json }, context).body))
  }

  etagOf({ id, stamp }: Stamped): string {
    return `"${hash('sha1', `${this.#viewer.build} ${this.#place}${id} ${stamp}`, 'base64url')}"`
  }

  /** Whether the client has what this names. Clients send one name, which they had from here. */
  isKnown(etag: string): boolean {
    return this.#viewer.ifNoneMatch === etag
  }
}

/** Of an endpoint that says nothing of pieces: its handler asks for none. */
export const NO_PIECES = null as unknown as Pieces

export function sendWritten(reply: FastifyReply, status: number, { bytes, etag }: WrittenReply) {
  if (etag !== null) reply.header('etag', etag)
  if (bytes === null) return reply.code(304).send()
  return reply.code(status).type('application/json; charset=utf-8').send(bytes)
}

/** JSON that is written already. */
export const sendText = (reply: FastifyReply, text: string) =>
  reply.type('application/json; charset=utf-8').serializer(String).send(text)
