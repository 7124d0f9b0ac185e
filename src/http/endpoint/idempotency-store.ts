// The idempotency_keys table: which request holds a key, and how it was answered. http/idempotency.ts says what that means.

import { type Db, statement } from '../../db/db.ts'

/** Where a key counts: another merchant, mode or address may use the same one. */
export type KeyScope = {
  readonly merchantId: number
  readonly isSandbox: boolean
  /** Method and path, with the ids in it. */
  readonly route: string
  readonly key: string
}

/** A key held by a request that runs. One that has lost it finds another `runningUntil` in its place. */
export type Claim = KeyScope & { readonly runningUntil: Date }

/** An answer as it was sent. `body` is null when it was not kept, and empty when there was none. */
export type KeptAnswer = { readonly status: number; readonly version: string; readonly body: string | null }

export type Found =
  /** Nobody had the key: it is held now. */
  | { readonly state: 'claimed' }
  | { readonly state: 'running' }
  /** Somebody had it for another request. */
  | { readonly state: 'used' }
  | { readonly state: 'answered'; readonly answer: KeptAnswer }

const KEPT_MS = 86_400_000

const valuesOf = ({ merchantId, isSandbox, route, key }: KeyScope) => [merchantId, isSandbox, route, key]

// The insert decides, and of many at once one wins. The select sees the table as it was before: where that shows no key in use
// and yet the insert was refused, somebody was quicker by a moment, and runs.
const claim = statement<{
  is_claimed: boolean
  request_digest: Buffer | null
  status: number | null
  version: string | null
  body: string | null
}>(
  'idempotency_keys.claim',
  `with claimed as (
     insert into idempotency_keys as held
       (merchant_id, is_sandbox, route, key, request_digest, running_until, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (merchant_id, is_sandbox, route, key) do update
     set request_digest = excluded.request_digest, running_until = excluded.running_until, status = null, version = null,
       body = null, created_at = excluded.created_at
     where held.created_at <= $8 or held.running_until <= $7
     returning held.key
   )
   select exists (select from claimed) as is_claimed, known.request_digest, known.status, known.version, known.body
   from (values (1)) as always (one)
   left join idempotency_keys as known
     on known.merchant_id = $1 and known.is_sandbox = $2 and known.route = $3 and known.key = $4
       and known.created_at > $8 and (known.status is not null or known.running_until > $7)`,
)

/** Takes the key for a request of this digest, or tells who has it. */
export async function claimKey(db: Db, wanted: Claim, digest: Buffer, now: Date): Promise<Found> {
  const row = await db.one(claim, [...valuesOf(wanted), digest, wanted.runningUntil, now, keptSince(now)])
  if (row.is_claimed) return { state: 'claimed' }
  if (row.request_digest === null) return { state: 'running' }
  if (!digest.equals(row.request_digest)) return { state: 'used' }
  if (row.status === null || row.version === null) return { state: 'running' }
  return { state: 'answered', answer: { status: row.status, version: row.version, body: row.body } }
}

const keep = statement(
  'idempotency_keys.keep',
  `update idempotency_keys set running_until = null, status = $6, version = $7, body = $8
   where merchant_id = $1 and is_sandbox = $2 and route = $3 and key = $4 and running_until = $5`,
)

/** False when the time was over and another request has taken the key. */
export const keepAnswer = async (db: Db, held: Claim, { status, version, body }: KeptAnswer): Promise<boolean> =>
  (await db.run(keep, [...valuesOf(held), held.runningUntil, status, version, body])) === 1

const free = statement(
  'idempotency_keys.free',
  `delete from idempotency_keys
   where merchant_id = $1 and is_sandbox = $2 and route = $3 and key = $4 and running_until = $5`,
)

/** As if the key had never been used. False when another request has taken it. */
export const freeKey = async (db: Db, held: Claim): Promise<boolean> =>
  (await db.run(free, [...valuesOf(held), held.runningUntil])) === 1

const keptSince = (now: Date) => new Date(now.getTime() - KEPT_MS)

// The age is asked of the row itself too: one that was claimed anew since it was picked must stay.
const deleteOld = statement(
  'sweep.idempotency_keys',
  `delete from idempotency_keys
   where created_at <= $1 and (merchant_id, is_sandbox, route, key) in (
     select merchant_id, is_sandbox, route, key from idempotency_keys where created_at <= $1 order by created_at limit $2
   )`,
)

/** Deletes at most `limit` keys that are a day old, and returns how many it deleted. */
export const deleteOldKeys = (db: Db, now: Date, limit: number): Promise<number> =>
  db.run(deleteOld, [keptSince(now), limit])
