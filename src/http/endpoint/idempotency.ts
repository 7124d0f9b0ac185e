// `Idempotency-Key`: a POST repeated with the same key gets the first answer and does not run again. Keys are kept for a day, per merchant,
// mode and path (idempotency-store.ts). Requests without the header pass unchanged.

import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest, onSendHookHandler, preValidationHookHandler } from 'fastify'
import { conflict, notValid, requestTimedOut, unavailable, unprocessable } from '../../lib/errors.ts'
import { jsonDigest } from '../../lib/json.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { bodyOrEmpty } from './body.ts'
import type { Services } from './endpoint.ts'
import { type Claim, claimKey, freeKey, renewKey, type StoredAnswer, storeAnswer } from './idempotency-store.ts'
import { addVersionHeaders } from './versioning.ts'

/**
 * A separate commit claims the key before the request runs. Another one stores the answer before it is sent. The request's own changes
 * commit in between. The claim is a lease of LEASE_MS that the process renews while the request runs. A process may die at two points:
 * - Before the changes: the key is free when the lease ends, and the repeated request runs first.
 * - After the changes, before the answer is stored: the repeated request runs a second time. A capture then finds the first result. Another
 * endpoint may act twice.
 * Storing the answer in the endpoint's transaction would close that gap. But the answer exists only later: versions and the serializer make
 * it, and a capture has several transactions.
 * A request that runs too long commits nothing after `handlerMs` (see `hold`). Its key is renewed until a commit already on its way has
 * ended. A request without a lease, because its process was paused or could not renew it, commits nothing more.
 */

declare module 'fastify' {
  interface FastifyRequest {
    /** The Idempotency-Key that this request has claimed and must release. */
    heldKey: HeldKey | null
  }
}

type HeldKey = {
  readonly key: string
  /**
   * Start of URLs in the answer: the request's origin if it is lasting. Otherwise it is a random text that is replaced when the answer is
   * stored and sent. So our own URLs differ from any text of a merchant.
   */
  readonly origin: string
  /** True while the answer is being stored: no deadline may overtake it. */
  readonly isEnding: boolean
  /** Frees the key at the end, whatever the answer is. */
  notFinal(): void
  /** Call it when the request has ended. Stores a final answer; any other, or null, frees the key. Never throws. */
  end(answer: StoredAnswer | null): Promise<void>
}

const NAME = 'Idempotency-Key'
const REPLAYED = 'Idempotency-Replayed'

const KEY = /^[\x20-\x7e]{1,255}$/
/** Ten times a usual purchase. Larger answers are stored only as status and id: docs/decisions/0091. */
const MAX_STORED_BYTES = 262_144
/** A stored byte costs the client sixteen times as much as one that is only sent. */
const STORED_BYTES_PER_LINE = 100
/** Time until the key of a killed process is free: within the 15 seconds promised to clients. */
const LEASE_MS = 14_000
/** Short enough that a lease survives several failed renewals. Most requests end before the first renewal. */
const RENEW_MS = 2_000
/** Longer than any URL with existing ids, and short enough for an index. All longer ones get the same answer: not found. */
const MAX_ROUTE_LENGTH = 500
/** More than a commit that is under way when a request is given up: a statement's time-out, and that of a silent server. */
const GRACE_MS = 20_000

/** Hooks of a POST. `handlerMs` is the time limit of a request. */
export function idempotencyHooks(
  { db, clock, signingSecret }: Pick<Services, 'db' | 'clock' | 'signingSecret'>,
  handlerMs: number,
): { claim: preValidationHookHandler; keep: onSendHookHandler } {
  return {
    // Runs before the body is upgraded and validated: the key applies to the request as it was sent.
    claim(request, reply, done) {
      const key = request.headers['idempotency-key']
      if (key === undefined) return done()
      claim(request, reply, key).then((shouldRun) => {
        if (shouldRun) done()
      }, done)
    },
    // Runs before the answer is sent, so that a client with the answer finds it stored.
    keep(request, reply, payload, done) {
      const { heldKey } = request
      // The request was given up: its 503 is on the way while the endpoint still runs. It holds the key until it ends.
      if (heldKey === null || request.deadline.aborted) return done(null, payload)
      const { origin } = heldKey
      const isText = typeof payload === 'string'
      const needsOrigin = isText && origin !== request.origin
      const body = needsOrigin ? payload.replaceAll(origin, ORIGIN) : isText ? payload : ''
      if (body.length <= MAX_STORED_BYTES) request.metered?.reportLinesRead(body.length / STORED_BYTES_PER_LINE)
      heldKey
        .end({ status: reply.statusCode, version: request.version, body })
        .then(() => done(null, needsOrigin ? withOrigin(body, request) : payload))
        .catch(done)
    },
  }

  /** False if the request already has its answer. */
  async function claim(request: FastifyRequest, reply: FastifyReply, key: unknown): Promise<boolean> {
    if (typeof key !== 'string' || !KEY.test(key))
      throw unprocessable({ [NAME]: [`${NAME} must be 1 to 255 printable ASCII characters, such as a UUID.`] })
    const caller = request.call?.caller
    if (caller === undefined) throw new Error('An Idempotency-Key was claimed before its caller was known.')
    const { merchant_id, is_sandbox, isSecret } = caller
    // Include the kind of key: the answer for a secret key is not for holders of the public one.
    const content = [isSecret, queryOf(request.url), bodyOrEmpty(request.body)]
    const digest = jsonDigest(await signingSecret('idempotency'), content)
    const keyClaim: Claim = { merchant_id, is_sandbox, route: routeOf(request), key, claimedAt: clock.now() }
    const leasedUntil = leaseEndAfter(keyClaim.claimedAt)
    const outcome = await claimKey(db, keyClaim, digest, leasedUntil)
    if (outcome.state === 'claimed') request.heldKey = hold(request, keyClaim, leasedUntil)
    if (request.deadline.aborted) {
      await request.heldKey?.end(null)
      return false
    }
    if (outcome.state === 'claimed') return true
    if (outcome.state === 'used')
      throw notValid({
        [NAME]: [`This ${NAME} was sent with another request to this address. Use a new key for each request.`],
      })
    if (outcome.state === 'running')
      throw conflict(
        `The first request with this ${NAME} is still running. Send it again in a moment.`,
        1,
        refusal('still_running'),
      )
    replay(request, reply, outcome.answer)
    return false
  }

  /** Renews the lease while the request runs. Limited, for a handler that never ends. */
  function keepLease(request: FastifyRequest, heldClaim: Claim, leasedUntil: Date): () => void {
    let leaseEnd = leasedUntil
    let renewalsLeft = Math.ceil((handlerMs + GRACE_MS) / RENEW_MS)
    let timer: NodeJS.Timeout
    const renewLater = () => {
      if (renewalsLeft <= 0) return
      renewalsLeft -= 1
      timer = setTimeout(() => void renew(), RENEW_MS)
    }
    const renew = async () => {
      const next = leaseEndAfter(clock.now())
      try {
        const isHeld = await renewKey(db, heldClaim, next)
        if (renewalsLeft >= 0) leaseEnd = isHeld ? next : heldClaim.claimedAt
      } catch {
        // The lease survives a short database failure; the next renewal may succeed.
      }
      renewLater()
    }
    renewLater()
    request.deadline.guard = () => {
      if (clock.now() >= leaseEnd)
        throw unavailable(
          `The server was too slow and lost the lock of this ${NAME}. Nothing more was changed; send the request again.`,
        )
    }
    return () => {
      renewalsLeft = -1
      clearTimeout(timer)
    }
  }

  function hold(request: FastifyRequest, heldClaim: Claim, leasedUntil: Date): HeldKey {
    const endLease = keepLease(request, heldClaim, leasedUntil)
    // When a client leaves, its deadline ends and the work continues. With a key it needs a time limit too: it could commit after the
    // repeated request has taken the key.
    const timer = setTimeout(() => request.deadline.abort(requestTimedOut(request.method)), handlerMs)
    let isEnding = false
    let canStore = true
    return {
      key: heldClaim.key,
      origin: request.origin === request.lastingOrigin ? request.origin : `http://${randomBytes(16).toString('hex')}`,
      get isEnding() {
        return isEnding
      },
      notFinal() {
        canStore = false
      },
      async end(answer) {
        isEnding = true
        clearTimeout(timer)
        endLease()
        try {
          if (answer !== null && canStore && isFinal(answer.status)) await storeAnswer(db, heldClaim, limitSize(answer))
          else await freeKey(db, heldClaim)
        } catch (error) {
          // The work is done. Tell the client so, even if it cannot repeat the request safely.
          request.log.warn(
            { err: error, operation: request.operation },
            'the answer for an Idempotency-Key was not stored',
          )
        }
      },
    }
  }
}

/** Sends the stored answer again, in its own version, whatever version this request names. The headers show both. */
function replay(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, version, body, resultId = null }: StoredAnswer,
) {
  if (body === null)
    throw conflict(
      `The first request with this ${NAME} ended with status ${status}, but its answer was too large or too late to be stored. ${nextStep(resultId)}`,
      undefined,
      // The first request may also have been refused.
      refusal(status < 400 ? 'done_before' : 'request_not_right'),
    )
  request.version = version
  addVersionHeaders(reply, version)
  reply.code(status).header(REPLAYED, 'true')
  if (body === '') reply.send()
  else reply.type('application/json; charset=utf-8').send(withOrigin(body, request))
}

const nextStep = (resultId: string | null): string =>
  resultId === null
    ? 'Check what it did before you send it again with another key.'
    : `It was not run again. Read its result by the id ${resultId}.`

/** Placeholder for the origin in a stored answer. JSON contains this character only in escaped form. */
const ORIGIN = '\u0001'

/** Fills in the origin. An unverified host is not stored; the replay uses its own host. */
const withOrigin = (body: string, { origin }: FastifyRequest): string => body.replaceAll(ORIGIN, () => origin)

/** Refusals that the same request may not get the next time, because nothing is wrong with it. */
const TEMPORARY = new Set([401, 403, 408, 409, 429])

/** Our own failures are never final: once stored, they could not be retried for a day. */
const isFinal = (status: number): boolean => status < 500 && !TEMPORARY.has(status)

/** Keeps only status and id of a larger answer. If the key were freed, the request could run twice. */
const limitSize = (answer: StoredAnswer): StoredAnswer =>
  answer.body !== null && Buffer.byteLength(answer.body) > MAX_STORED_BYTES
    ? { ...answer, body: null, resultId: readObjectId(answer.body) }
    : answer

const MAX_ID_LENGTH = 100

/** Id of the object in an answer, if it is one. */
function readObjectId(body: string): string | null {
  const { id } = JSON.parse(body.replaceAll(ORIGIN, '')) as { id?: unknown }
  return typeof id === 'string' && id.length <= MAX_ID_LENGTH ? id : null
}

const leaseEndAfter = (moment: Date): Date => new Date(moment.getTime() + LEASE_MS)

const queryOf = (url: string): string => {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

/** Built from the route pattern, because one URL can be written in many ways: with a trailing slash or escaped letters. */
function routeOf({ method, params, routeOptions }: FastifyRequest): string {
  const values = params as Readonly<Record<string, string>>
  const path = (routeOptions.url ?? '').replace(/:(\w+)/g, (_, name) => encodeURIComponent(values[name] ?? ''))
  return `${method} ${path}`.slice(0, MAX_ROUTE_LENGTH)
}
