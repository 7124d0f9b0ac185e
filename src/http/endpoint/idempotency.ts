// `Idempotency-Key`: a POST repeated with its key gets the first one's answer and does not run again. Keys are kept for a day, per
// merchant, mode and address (idempotency-store.ts). A request without the header passes through here untouched.

import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest, onSendHookHandler, preValidationHookHandler } from 'fastify'
import { conflict, notValid, tookTooLong, unavailable, unprocessable } from '../../lib/errors.ts'
import { jsonDigest } from '../../lib/json.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { bodyOrEmpty } from './body.ts'
import type { Services } from './endpoint.ts'
import { type Claim, claimKey, freeKey, type KeptAnswer, keepAnswer, renewKey } from './idempotency-store.ts'
import { nameVersion } from './versioning.ts'

/*
 * The key is claimed by a commit of its own before anything of the request runs, and the answer is kept by another before it goes out.
 * The request's own changes commit in between. The claim is a lease of LEASE_MS, which the process renews while the request runs. So, of
 * a process that dies
 * - before those changes, the key is free when the lease is over, and the repeated request is the first that runs;
 * - between them and the keeping of the answer, the same holds, but it is the second that runs. A capture then finds what the
 *   first has made; another endpoint may do a thing twice. To close that gap the answer would have to be kept in the endpoint's transaction,
 *   but it exists only after that: the version's changes and the serializer make it, and a capture has several transactions.
 * A request that runs too long commits nothing after `handlerMs` (see `hold`), and its key is renewed until a commit that was then on its
 * way has ended. One whose lease is over, because its process was paused or could not renew it, commits nothing from then on.
 */

declare module 'fastify' {
  interface FastifyRequest {
    /** The Idempotency-Key that this request has claimed and must let go of. */
    heldKey: HeldKey | null
  }
}

type HeldKey = {
  readonly key: string
  /**
   * What addresses in the answer are to begin with: the request's origin where that lasts, else a text that nobody can know before,
   * which stands for it until the answer is kept and sent. So what we have made an address of is known from whatever a merchant wrote.
   */
  readonly origin: string
  /** The answer is there and is being kept: no deadline may overtake it. */
  readonly isEnding: boolean
  /** Whatever the answer will be, it frees the key. */
  notFinal(): void
  /** To be called when the request has ended. A final answer is kept; any other, or null, frees the key. Never throws. */
  end(answer: KeptAnswer | null): Promise<void>
}

const NAME = 'Idempotency-Key'
const REPLAYED = 'Idempotency-Replayed'

const KEY = /^[\x20-\x7e]{1,255}$/
/** Ten times the order of a usual purchase. Of larger answers only the status and an id are kept: docs/decisions/0091. */
const MAX_KEPT_BYTES = 262_144
/** A client pays for what is kept for a day, sixteen times as much as for what is only sent. */
const KEPT_BYTES_PER_LINE = 100
/** A key whose process was killed is free after so long: within the 15 seconds that clients are promised. */
const LEASE_MS = 14_000
/** Often enough that a lease outlasts several failures to renew it. Most requests have ended before the first. */
const RENEW_MS = 2_000
/** Longer than any address with ids that exist, and short enough for an index. Of longer ones all are answered alike: not found. */
const LONGEST_ROUTE = 500
/** More than the commit takes that is on its way when a request is given up: a statement's time-out, and a silent server's. */
const GRACE_MS = 20_000

/** The hooks of a POST. `handlerMs`: how long a request may take. */
export function idempotencyHooks(
  { db, clock, signingSecret }: Pick<Services, 'db' | 'clock' | 'signingSecret'>,
  handlerMs: number,
): { claim: preValidationHookHandler; keep: onSendHookHandler } {
  return {
    // Before the body is upgraded and validated: the key stands for what was sent.
    claim(request, reply, done) {
      const key = request.headers['idempotency-key']
      if (key === undefined) return done()
      claim(request, reply, key).then((isToRun) => {
        if (isToRun) done()
      }, done)
    },
    // Before the answer goes out, so that whoever has it finds it kept.
    keep(request, reply, payload, done) {
      const { heldKey } = request
      // Given up: its 503 is on the way while the endpoint still runs, and holds the key until it ends.
      if (heldKey === null || request.deadline.aborted) return done(null, payload)
      const { origin } = heldKey
      const isText = typeof payload === 'string'
      const isToBeNamed = isText && origin !== request.origin
      const body = isToBeNamed ? payload.replaceAll(origin, ORIGIN) : isText ? payload : ''
      if (body.length <= MAX_KEPT_BYTES) request.metered?.weigh(body.length / KEPT_BYTES_PER_LINE)
      heldKey
        .end({ status: reply.statusCode, version: request.version, body })
        .then(() => done(null, isToBeNamed ? named(body, request) : payload))
        .catch(done)
    },
  }

  /** False when the request has its answer. */
  async function claim(request: FastifyRequest, reply: FastifyReply, key: unknown): Promise<boolean> {
    if (typeof key !== 'string' || !KEY.test(key))
      throw unprocessable({ [NAME]: [`${NAME} must be 1 to 255 printable ASCII characters, such as a UUID.`] })
    const caller = request.call?.caller
    if (caller === undefined) throw new Error('An Idempotency-Key was claimed before its caller was known.')
    const { merchantId, isSandbox, isSecret } = caller
    // The kind of key as well: what a secret key was answered is not for everybody who has the public one.
    const content = [isSecret, queryOf(request.url), bodyOrEmpty(request.body)]
    const digest = jsonDigest(await signingSecret('idempotency'), content)
    const keyClaim: Claim = { merchantId, isSandbox, route: routeOf(request), key, claimedAt: clock.now() }
    const leasedUntil = leaseFrom(keyClaim.claimedAt)
    const outcome = await claimKey(db, keyClaim, digest, leasedUntil)
    if (outcome.state === 'claimed') request.heldKey = hold(request, keyClaim, leasedUntil)
    if (request.deadline.aborted) {
      await request.heldKey?.end(null)
      return false
    }
    if (outcome.state === 'claimed') return true
    if (outcome.state === 'used')
      throw notValid({ [NAME]: [`This ${NAME} was sent with another request to this address. Send each its own key.`] })
    if (outcome.state === 'running')
      throw conflict(
        `The first request with this ${NAME} is still running. Send it again in a moment.`,
        1,
        refusal('still_running'),
      )
    replay(request, reply, outcome.answer)
    return false
  }

  /** Renews the lease while the request runs. Bounded, for a handler that never ends. */
  function keepLease(request: FastifyRequest, claimed: Claim, leasedUntil: Date): () => void {
    let until = leasedUntil
    let renewalsLeft = Math.ceil((handlerMs + GRACE_MS) / RENEW_MS)
    let timer: NodeJS.Timeout
    const renewLater = () => {
      if (renewalsLeft <= 0) return
      renewalsLeft -= 1
      timer = setTimeout(() => void renew(), RENEW_MS)
    }
    const renew = async () => {
      const next = leaseFrom(clock.now())
      try {
        const isHeld = await renewKey(db, claimed, next)
        if (renewalsLeft >= 0) until = isHeld ? next : claimed.claimedAt
      } catch {
        // The lease is longer than a short failure of the database; the next renewal may succeed.
      }
      renewLater()
    }
    renewLater()
    request.deadline.guard = () => {
      if (clock.now() >= until)
        throw unavailable(
          `The server was too slow to hold this ${NAME}. Nothing more was changed; send the request again.`,
        )
    }
    return () => {
      renewalsLeft = -1
      clearTimeout(timer)
    }
  }

  function hold(request: FastifyRequest, claimed: Claim, leasedUntil: Date): HeldKey {
    const endLease = keepLease(request, claimed, leasedUntil)
    // When a client leaves, the deadline of its request ends, and what it asked for goes on. With a key that must have an end too:
    // it could commit after the repeated request has taken the key.
    const timer = setTimeout(() => request.deadline.abort(tookTooLong(request.method)), handlerMs)
    let isEnding = false
    let isKept = true
    return {
      key: claimed.key,
      origin: request.origin === request.lastingOrigin ? request.origin : `http://${randomBytes(16).toString('hex')}`,
      get isEnding() {
        return isEnding
      },
      notFinal() {
        isKept = false
      },
      async end(answer) {
        isEnding = true
        clearTimeout(timer)
        endLease()
        try {
          if (answer !== null && isKept && isFinal(answer.status)) await keepAnswer(db, claimed, withinBounds(answer))
          else await freeKey(db, claimed)
        } catch (error) {
          // What was asked for is done; the client is told so whether or not it could ask again.
          request.log.warn(
            { err: error, operation: request.operation },
            'the answer to an Idempotency-Key was not kept',
          )
        }
      },
    }
  }
}

/** The first answer again, as it was sent: also in its version, whichever this request names. Its headers say both. */
function replay(request: FastifyRequest, reply: FastifyReply, { status, version, body, resultId = null }: KeptAnswer) {
  if (body === null)
    throw conflict(
      `The first request with this ${NAME} ended with status ${status}, but its answer was too large or too late to be kept. ${whereToLook(resultId)}`,
      undefined,
      // It may also have been refused.
      refusal(status < 400 ? 'done_before' : 'request_not_right'),
    )
  request.version = version
  nameVersion(reply, version)
  reply.code(status).header(REPLAYED, 'true')
  if (body === '') reply.send()
  else reply.type('application/json; charset=utf-8').send(named(body, request))
}

const whereToLook = (resultId: string | null): string =>
  resultId === null
    ? 'See what it did before you send it with another key.'
    : `It was not done again. What it answered with is ${resultId}: read that.`

/** Stands for the origin in a kept answer. JSON has no such character but escaped. */
const ORIGIN = '\u0001'

/** The host that a request named us by, where nobody has vouched for it, is not kept: the replay begins its addresses with its own. */
const named = (body: string, { origin }: FastifyRequest): string => body.replaceAll(ORIGIN, () => origin)

/** Refusals that the same request may well not meet the next time, as nothing is wrong with it. */
const PASSING = new Set([401, 403, 408, 409, 429])

/** A failure of ours is never final: kept, it could not be tried again for a day. */
const isFinal = (status: number): boolean => status < 500 && !PASSING.has(status)

/** Only the status and the id of a larger answer are kept. If the key were freed, the request could run twice. */
const withinBounds = (answer: KeptAnswer): KeptAnswer =>
  answer.body !== null && Buffer.byteLength(answer.body) > MAX_KEPT_BYTES
    ? { ...answer, body: null, resultId: idIn(answer.body) }
    : answer

const LONGEST_ID = 100

/** The id of the object that an answer shows, where it is one. */
function idIn(body: string): string | null {
  const { id } = JSON.parse(body.replaceAll(ORIGIN, '')) as { id?: unknown }
  return typeof id === 'string' && id.length <= LONGEST_ID ? id : null
}

const leaseFrom = (moment: Date): Date => new Date(moment.getTime() + LEASE_MS)

const queryOf = (url: string): string => {
  const start = url.indexOf('?')
  return start === -1 ? '' : url.slice(start + 1)
}

/** Put together from the pattern, as one address can be written in many ways: a slash at the end, letters escaped. */
function routeOf({ method, params, routeOptions }: FastifyRequest): string {
  const values = params as Readonly<Record<string, string>>
  const path = (routeOptions.url ?? '').replace(/:(\w+)/g, (_, name) => encodeURIComponent(values[name] ?? ''))
  return `${method} ${path}`.slice(0, LONGEST_ROUTE)
}
