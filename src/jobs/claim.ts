// Finds due jobs of all shops and claims them under a lease. turns.ts decides the order.

import { type Db, statement, violatesConstraint } from '../db/db.ts'
import { claimDueRows, dueAtBothEnds } from './due.ts'
import type { ClaimedJob } from './queue.ts'
import { type DueJob, newTurns, type Turns } from './turns.ts'

/** Number of kinds in one statement. A lane has between one and about ten. */
const KINDS_AT_ONCE = 4
/** Kind that no job has. It fills up a statement for fewer kinds. */
const NO_KIND = ''

/*
 * The statement has one subquery per kind. It then reads neither the jobs of other lanes nor the whole backlog of a kind. A join with the
 * kinds would need a limit for each of them, which Citus refuses.
 */
const findDue = statement<DueJob>(
  'jobs.find_due',
  dueAtBothEnds(
    'jobs',
    'due_at',
    Array.from({ length: KINDS_AT_ONCE }, (_, index) => `failed_at is null and kind = (:kinds::text[])[${index + 1}]`),
    'merchant_id, id, kind',
  ),
)

async function findDueJobs(db: Db, kinds: readonly string[], now: Date, limit: number): Promise<DueJob[]> {
  const kindGroups = Array.from({ length: Math.ceil(kinds.length / KINDS_AT_ONCE) }, (_, index) =>
    kinds.slice(index * KINDS_AT_ONCE, (index + 1) * KINDS_AT_ONCE),
  )
  // The groups are filled up with `NO_KIND` instead of null: Citus would remove a condition that can never be true from the statement.
  const filledGroups = kindGroups.map((group) => [
    ...group,
    ...Array<string>(KINDS_AT_ONCE - group.length).fill(NO_KIND),
  ])
  return (
    await db.together((all) => filledGroups.map((group) => all.many(findDue, { now, kinds: group, limit })))
  ).flat()
}

/*
 * Reads the jobs of a kind shop by shop. It returns jobs that are not due, too, so that it never reads more than :limit.
 * The next search starts after the last shop of this one.
 */
const findByShop = statement<DueJob>(
  'jobs.find_by_shop',
  `select merchant_id, id, kind, due_at from jobs
   where failed_at is null and kind = :kind and merchant_id > :after
   order by merchant_id, due_at
   limit :limit`,
)

/** Number of jobs that one search through the shops reads. */
const SHOP_SEARCH_LIMIT = 100
/** Lower than any merchant id. The service's own jobs have the id 0. */
const BEFORE_ALL = -1

/**
 * Finds due jobs in the middle of a kind's backlog. If one shop's jobs fill both ends of the backlog, they hide the other shops.
 * So each poll also searches a few shops in order. It finds every shop in time, however long another shop's backlog is.
 */
async function findHiddenJobs(
  db: Db,
  kinds: readonly string[],
  now: Date,
  { lastSearchedShops }: Turns,
): Promise<DueJob[]> {
  const pages = await db.together((all) =>
    kinds.map((kind) =>
      all.many(findByShop, { kind, after: lastSearchedShops.get(kind) ?? BEFORE_ALL, limit: SHOP_SEARCH_LIMIT }),
    ),
  )
  for (const [index, kind] of kinds.entries()) {
    const page = pages[index] ?? []
    const isLastPage = page.length < SHOP_SEARCH_LIMIT
    lastSearchedShops.set(kind, isLastPage ? BEFORE_ALL : (page.at(-1)?.merchant_id ?? BEFORE_ALL))
  }
  return pages.flat().filter(({ due_at }) => due_at <= now)
}

async function findCandidates(db: Db, kinds: readonly string[], now: Date, limit: number, turns: Turns) {
  const dueJobs = await findDueJobs(db, kinds, now, limit)
  const crowdedKinds = kinds.filter((kind) => dueJobs.filter((job) => job.kind === kind).length >= 2 * limit)
  return crowdedKinds.length === 0 ? dueJobs : [...dueJobs, ...(await findHiddenJobs(db, crowdedKinds, now, turns))]
}

const RETURN_CLAIMED = `from due where jobs.merchant_id = :merchant_id and jobs.id = due.id
   returning jobs.merchant_id, jobs.id, jobs.kind, jobs.payload, jobs.claim,
     jobs.attempts as failures, jobs.interruptions, jobs.max_attempts as "maxFailures"`

// Uses a `with` instead of `in (…)`: the planner may run a subquery several times, and would lock other jobs each time.
const claimShopJobs = statement<ClaimedJob>(
  'jobs.claim',
  `with due as materialized (
     select job.id
     from unnest(:ids::text[]) as candidate (id)
     cross join lateral (
       select id from jobs
       where merchant_id = :merchant_id and id = candidate.id and failed_at is null and due_at <= :now
       offset 0
       for update skip locked
     ) job
   )
   update jobs set is_running = true, claim = jobs.claim + 1, due_at = :leased_until
   ${RETURN_CLAIMED}`,
)

// Claims the job :id if no other job of the shop runs in this lane. If the process of a running job has died, that job is claimed instead:
// nothing else of the shop may run until it has ended.
const claimOnlyJob = statement<ClaimedJob>(
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
   ${RETURN_CLAIMED}`,
)

type SingleJobValues = {
  readonly merchant_id: number
  readonly id: string | undefined
  readonly kinds: readonly string[]
  readonly now: Date
  readonly leased_until: Date
}

async function claimSingleJob(db: Db, values: SingleJobValues) {
  try {
    return await db.many(claimOnlyJob, values)
  } catch (error) {
    // Another worker has just claimed another job of the shop.
    if (violatesConstraint(error, 'jobs_one_alone_per_shop')) return []
    throw error
  }
}

/**
 * Claims up to `limit` due jobs of these kinds until `leasedUntil`, including jobs of dead processes. It touches no job of another kind.
 */
export const claimJobs = (
  db: Db,
  kinds: readonly string[],
  limit: number,
  now: Date,
  leasedUntil: Date,
  turns: Turns = newTurns(),
) =>
  claimDueRows(limit, {
    find: (most) => findCandidates(db, kinds, now, most, turns),
    order: turns.order,
    claim: (merchant_id, ids) => {
      const values = { merchant_id, now, leased_until: leasedUntil }
      // `turns.order` has left one job per shop.
      if (turns.isOnePerShop) return claimSingleJob(db, { ...values, id: ids[0], kinds })
      return db.many(claimShopJobs, { ...values, ids })
    },
  })
