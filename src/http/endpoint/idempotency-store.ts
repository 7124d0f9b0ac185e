// The idempotency_keys table: which request holds a key, and how it was answered. idempotency.ts says what that means.

import { type Db, type Scope, statement } from '../../db/db.ts'
import { sweepOf } from '../../jobs/sweeps.ts'

/** Where a key counts: another merchant, mode or address may use the same one. */
export type KeyScope = Scope & {
  /** Method and path, with the ids in it. */
  readonly route: string
  readonly key: string
}

/** A key held by a request that runs. One that has lost it finds another `claimedAt` in its place. */
export type Claim = KeyScope & { readonly claimedAt: Date }

/** An answer as it was sent. `body` is null when it was not kept, and empty when there was none. */
export type KeptAnswer = {
  readonly status: number
  readonly version: string
  readonly body: string | null
  /** The id of the object that an answer without its body was about. */
  readonly resultId?: string | null
}

type ClaimAnswer =
  /** Nobody had the key: it is held now. */
  | { readonly state: 'claimed' }
  | { readonly state: 'running' }
  /** Somebody had it for another request. */
  | { readonly state: 'used' }
  | { readonly state: 'answered'; readonly answer: KeptAnswer }

const KEPT_MS = 86_400_000

const valuesOf = ({ merchantId, isSandbox, route, key, claimedAt }: Claim) => ({
  merchant_id: merchantId,
  is_sandbox: isSandbox,
  route,
  key,
  claimed_at: claimedAt,
})

/** The key, while the request that claims it still holds it. */
const HELD = `merchant_id = :merchant_id and is_sandbox = :is_sandbox and route = :route and key = :key
     and created_at = :claimed_at and running_until is not null`

// The insert decides, and of many at once one wins. The select sees the table as it was before: where that shows no key in use
// and yet the insert was refused, somebody was quicker by a moment, and runs.
const claimOrFind = statement<{
  is_claimed: boolean
  request_digest: Buffer | null
  status: number | null
  version: string | null
  body: string | null
  result_id: string | null
}>(
  'idempotency_keys.claim',
  `with claimed as (
     insert into idempotency_keys as held
       (merchant_id, is_sandbox, route, key, request_digest, running_until, created_at)
     values (:merchant_id, :is_sandbox, :route, :key, :request_digest, :running_until, :claimed_at)
     on conflict (merchant_id, is_sandbox, route, key) do update
     set request_digest = excluded.request_digest, running_until = excluded.running_until, status = null, version = null,
       body = null, result_id = null, created_at = excluded.created_at
     where held.created_at <= :kept_since or held.running_until <= :claimed_at
     returning held.key
   )
   select exists (select 1 from claimed) as is_claimed, known.request_digest, known.status, known.version, known.body,
     known.result_id
   from (values (1)) as always (one)
   left join idempotency_keys as known
     on known.merchant_id = :merchant_id and known.is_sandbox = :is_sandbox and known.route = :route and known.key = :key
       and known.created_at > :kept_since and (known.status is not null or known.running_until > :claimed_at)`,
)

/** Takes the key for a request of this digest, until it is renewed or that moment is past; or tells who has it. */
export async function claimKey(db: Db, claim: Claim, digest: Buffer, runningUntil: Date): Promise<ClaimAnswer> {
  const row = await db.one(claimOrFind, {
    ...valuesOf(claim),
    request_digest: digest,
    running_until: runningUntil,
    kept_since: new Date(claim.claimedAt.getTime() - KEPT_MS),
  })
  if (row.is_claimed) return { state: 'claimed' }
  if (row.request_digest === null) return { state: 'running' }
  if (!digest.equals(row.request_digest)) return { state: 'used' }
  if (row.status === null || row.version === null) return { state: 'running' }
  return { state: 'answered', answer: answerIn(row, row.status, row.version) }
}

const answerIn = (
  { body, result_id: resultId }: { body: string | null; result_id: string | null },
  status: number,
  version: string,
): KeptAnswer => ({ status, version, body, ...(body === null && { resultId }) })

const renew = statement(
  'idempotency_keys.renew',
  `update idempotency_keys set running_until = :running_until where ${HELD}`,
)

/** False when the time was over and another request has taken the key. */
export const renewKey = async (db: Db, claim: Claim, runningUntil: Date): Promise<boolean> =>
  (await db.run(renew, { ...valuesOf(claim), running_until: runningUntil })) === 1

const keep = statement(
  'idempotency_keys.keep',
  `update idempotency_keys
   set running_until = null, status = :status, version = :version, body = :body, result_id = :result_id
   where ${HELD}`,
)

/** False when the time was over and another request has taken the key. */
export const keepAnswer = async (
  db: Db,
  claim: Claim,
  { status, version, body, resultId = null }: KeptAnswer,
): Promise<boolean> => (await db.run(keep, { ...valuesOf(claim), status, version, body, result_id: resultId })) === 1

const free = statement('idempotency_keys.free', `delete from idempotency_keys where ${HELD}`)

/** As if the key had never been used. False when another request has taken it. */
export const freeKey = async (db: Db, claim: Claim): Promise<boolean> => (await db.run(free, valuesOf(claim))) === 1

/** Often, as a stranger can have many answers kept. */
export const sweepOldIdempotencyKeys = sweepOf('idempotency_keys', {
  name: 'old-idempotency-keys',
  everySeconds: 900,
  column: 'created_at',
  fromAgeMs: KEPT_MS,
  key: { is_sandbox: 'boolean', route: 'text', key: 'text' },
})
