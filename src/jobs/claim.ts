// Finds due jobs of all shops and claims them under a lease. turns.ts decides whose go first.

import { type Db, statement, violates } from '../db/db.ts'
import { dueAtBothEnds, takeDue } from './due.ts'
import type { ClaimedJob } from './queue.ts'
import { type DueJob, newTurns, type Turns } from './turns.ts'

/** So many kinds are looked for by one statement: a lane has from one to about ten. */
const KINDS_AT_ONCE = 4
/** What no job is of. */
const NO_KIND = ''

/*
 * Each kind by itself, so that neither the backlog of other lanes is read nor all of its own. Not by a join with the kinds: Citus refuses a
 * limit in it.
 */
const findDue = statement<DueJob>(
  'jobs.find_due',
  dueAtBothEnds(
    'jobs',
    'due_at',
    Array.from({ length: KINDS_AT_ONCE }, (_, place) => `failed_at is null and kind = (:kinds::text[])[${place + 1}]`),
    'merchant_id, id, kind',
  ),
)

async function findDueOf(db: Db, kinds: readonly string[], now: Date, limit: number): Promise<DueJob[]> {
  const portions = Array.from({ length: Math.ceil(kinds.length / KINDS_AT_ONCE) }, (_, place) =>
    kinds.slice(place * KINDS_AT_ONCE, (place + 1) * KINDS_AT_ONCE),
  )
  // Never null: of a condition that cannot be true Citus makes no part of a statement.
  const filled = portions.map((some) => [...some, ...Array<string>(KINDS_AT_ONCE - some.length).fill(NO_KIND)])
  return (await db.together((all) => filled.map((some) => all.many(findDue, { now, kinds: some, limit })))).flat()
}

/*
 * Reads the jobs of a kind shop by shop, whether they are due or not: so it reads no more than :limit, however many wait for a later time.
 * The next search begins behind the last shop of this one.
 */
const findByShop = statement<DueJob>(
  'jobs.find_by_shop',
  `select merchant_id, id, kind, due_at from jobs
   where failed_at is null and kind = :kind and merchant_id > :after
   order by merchant_id, due_at
   limit :limit`,
)

/** Jobs that one search through the shops reads. */
const READ_BY_SHOP = 100
/** Before the first shop; the service itself is 0. */
const BEFORE_ALL = -1

/**
 * Where more is due of a kind than both ends show, other shops may be hidden in the middle. So the search goes on through the shops, a few at
 * each poll, and every shop is found however long the backlog of another is.
 */
async function findHidden(db: Db, kinds: readonly string[], now: Date, { reached }: Turns): Promise<DueJob[]> {
  const pages = await db.together((all) =>
    kinds.map((kind) => all.many(findByShop, { kind, after: reached.get(kind) ?? BEFORE_ALL, limit: READ_BY_SHOP })),
  )
  for (const [place, kind] of kinds.entries()) {
    const page = pages[place] ?? []
    const isLast = page.length < READ_BY_SHOP
    reached.set(kind, isLast ? BEFORE_ALL : (page.at(-1)?.merchant_id ?? BEFORE_ALL))
  }
  return pages.flat().filter(({ due_at }) => due_at <= now)
}

async function findInTurn(db: Db, kinds: readonly string[], now: Date, limit: number, turns: Turns) {
  const found = await findDueOf(db, kinds, now, limit)
  const crowded = kinds.filter((kind) => found.filter((job) => job.kind === kind).length >= 2 * limit)
  return crowded.length === 0 ? found : [...found, ...(await findHidden(db, crowded, now, turns))]
}

const CLAIMED = `from due where jobs.merchant_id = :merchant_id and jobs.id = due.id
   returning jobs.merchant_id as "merchantId", jobs.id, jobs.kind, jobs.payload, jobs.claim,
     jobs.attempts as failures, jobs.interruptions, jobs.max_attempts as "maxFailures"`

// In a `with`, not in an `in (…)`: the planner may run a subquery several times.
const claimOfShop = statement<ClaimedJob>(
  'jobs.claim',
  `with due as materialized (
     select job.id
     from unnest(:ids::text[]) as wanted (id)
     cross join lateral (
       select id from jobs
       where merchant_id = :merchant_id and id = wanted.id and failed_at is null and due_at <= :now
       offset 0
       for update skip locked
     ) job
   )
   update jobs set is_running = true, claim = jobs.claim + 1, due_at = :leased_until
   ${CLAIMED}`,
)

// A run whose process died is taken in place of :id. Until it has ended, nothing else of its shop may run.
const claimAlone = statement<ClaimedJob>(
  'jobs.claim_alone',
  `with alone as materialized (
     select id, kind from jobs where merchant_id = :merchant_id and runs_alone and is_running
   ),
   due as materialized (
     select id from jobs
     where merchant_id = :merchant_id and failed_at is null and due_at <= :now
       and id = case
         when exists (select 1 from alone) then (select id from alone where kind = any(:kinds::text[]))
         else :id
       end
     for update skip locked
   )
   update jobs set is_running = true, runs_alone = true, claim = jobs.claim + 1, due_at = :leased_until
   ${CLAIMED}`,
)

type AloneValues = {
  readonly merchant_id: number
  readonly id: string | undefined
  readonly kinds: readonly string[]
  readonly now: Date
  readonly leased_until: Date
}

async function claimOneAlone(db: Db, values: AloneValues) {
  try {
    return await db.many(claimAlone, values)
  } catch (error) {
    // Another worker has claimed another job of the shop in this moment.
    if (violates(error, 'jobs_one_alone_per_shop')) return []
    throw error
  }
}

/** Takes up to `limit` due jobs of these kinds, those of dead processes included, until `leasedUntil`. Other kinds stay untouched. */
export const claimJobs = (
  db: Db,
  kinds: readonly string[],
  limit: number,
  now: Date,
  leasedUntil: Date,
  turns: Turns = newTurns(),
) =>
  takeDue(limit, {
    find: (most) => findInTurn(db, kinds, now, most, turns),
    order: turns.order,
    claim: (merchant_id, ids) => {
      const values = { merchant_id, now, leased_until: leasedUntil }
      // The turns give each shop one.
      if (turns.isAlone) return claimOneAlone(db, { ...values, id: ids[0], kinds })
      return db.many(claimOfShop, { ...values, ids })
    },
  })
