// Stores idempotency keys: the request that holds a key, and its answer. idempotency.ts explains the rules.

import { type Db, type Scope, statement } from '../../db/db.ts'
import { sweepOf } from '../../jobs/sweeps.ts'

/** Scope of a key: another merchant, mode or path may use the same one. */
export type KeyScope = Scope & {
  /** Method and path, with the ids in it. */
  readonly route: string
  readonly key: string
}

/** A key held by a running request. A request that has lost it finds another `claimedAt` in its row. */
export type Claim = KeyScope & { readonly claimedAt: Date }

/** An answer as it was sent. `body` is null if it was not stored, and empty if there was none. */
export type StoredAnswer = {
  readonly status: number
  readonly version: string
  readonly body: string | null
  /** Id of the object that an answer without stored body was about. */
  readonly resultId?: string | null
}

type ClaimAnswer =
  /** The key was free and is held now. */
  | { readonly state: 'claimed' }
  | { readonly state: 'running' }
  /** The key was used for another request. */
  | { readonly state: 'used' }
  | { readonly state: 'answered'; readonly answer: StoredAnswer }

const RETENTION_MS = 86_400_000

const claimValues = ({ merchant_id, is_sandbox, route, key, claimedAt }: Claim) => ({
  merchant_id,
  is_sandbox,
  route,
  key,
  claimed_at: claimedAt,
})

/** Condition for a row that the claiming request still holds. */
const IS_HELD = `merchant_id = :merchant_id and is_sandbox = :is_sandbox and route = :route and key = :key
     and created_at = :claimed_at and running_until is not null`

// The insert decides: of several at once, one wins. The select sees the table as it was before. If it shows no key in use and the insert
// was still refused, another request was a moment faster and runs.
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

/** Claims the key for a request with this digest, until the lease ends. Returns the state of the key if another request has it. */
export async function claimKey(db: Db, claim: Claim, digest: Buffer, runningUntil: Date): Promise<ClaimAnswer> {
  const row = await db.one(claimOrFind, {
    ...claimValues(claim),
    request_digest: digest,
    running_until: runningUntil,
    kept_since: new Date(claim.claimedAt.getTime() - RETENTION_MS),
  })
  if (row.is_claimed) return { state: 'claimed' }
  if (row.request_digest === null) return { state: 'running' }
  if (!digest.equals(row.request_digest)) return { state: 'used' }
  if (row.status === null || row.version === null) return { state: 'running' }
  return { state: 'answered', answer: toAnswer(row, row.status, row.version) }
}

const toAnswer = (
  { body, result_id: resultId }: { body: string | null; result_id: string | null },
  status: number,
  version: string,
): StoredAnswer => ({ status, version, body, ...(body === null && { resultId }) })

const renew = statement(
  'idempotency_keys.renew',
  `update idempotency_keys set running_until = :running_until where ${IS_HELD}`,
)

/** False if the lease was over and another request has the key. */
export const renewKey = async (db: Db, claim: Claim, runningUntil: Date): Promise<boolean> =>
  (await db.run(renew, { ...claimValues(claim), running_until: runningUntil })) === 1

const keep = statement(
  'idempotency_keys.keep',
  `update idempotency_keys
   set running_until = null, status = :status, version = :version, body = :body, result_id = :result_id
   where ${IS_HELD}`,
)

/** False if the lease was over and another request has the key. */
export const storeAnswer = async (
  db: Db,
  claim: Claim,
  { status, version, body, resultId = null }: StoredAnswer,
): Promise<boolean> => (await db.run(keep, { ...claimValues(claim), status, version, body, result_id: resultId })) === 1

const free = statement('idempotency_keys.free', `delete from idempotency_keys where ${IS_HELD}`)

/** Deletes the key, as if it had never been used. False if another request has it. */
export const freeKey = async (db: Db, claim: Claim): Promise<boolean> => (await db.run(free, claimValues(claim))) === 1

/** Runs often, because strangers can fill the table with answers. */
export const sweepOldIdempotencyKeys = sweepOf('idempotency_keys', {
  name: 'old-idempotency-keys',
  everySeconds: 900,
  column: 'created_at',
  fromAgeMs: RETENTION_MS,
  key: { is_sandbox: 'boolean', route: 'text', key: 'text' },
})
