// Decides which due jobs of a lane run next. The shops take turns, so a shop with a thousand waiting jobs delays the others by one job.
// Each worker keeps its own state in memory. Processes do not share the state, and a restart clears it.

import type { DueKey } from './due.ts'

export type DueJob = DueKey & { readonly kind: string }

export type Turns = {
  /** Allows one job at a time per shop, across all processes. */
  readonly isOnePerShop: boolean
  /** Sorts the jobs into the order in which they should run. */
  order(dueJobs: readonly DueJob[]): DueJob[]
  /** Records that the job was claimed, which is the turn of its shop. */
  begin(job: RunningJob, now: Date): void
  /** Records that the run of the job has ended. */
  end(job: RunningJob): void
  /** Last shop that the search for hidden jobs has read, by kind (claim.ts). */
  readonly lastSearchedShops: Map<string, number>
}

type RunningJob = { readonly merchant_id: number; readonly kind: string }

type TurnOptions = {
  /** Kinds that run before the others of the lane. */
  readonly urgentKinds?: ReadonlySet<string>
  /** Allows one job at a time per shop, across all processes. */
  readonly isOnePerShop?: boolean
}

/** Maximum number of shops with a remembered turn. A shop that is forgotten counts as never served. */
const REMEMBERED_SHOPS = 10_000

export function newTurns({ urgentKinds = new Set(), isOnePerShop = false }: TurnOptions = {}): Turns {
  /** Number of running jobs per shop: all jobs, and the urgent ones. */
  const running = new Map<number, number>()
  const runningUrgent = new Map<number, number>()
  /** Last turn of each shop, longest ago first. */
  const lastTurns = new Map<number, { readonly at: number; readonly number: number }>()
  let turnCount = 0
  const isUrgent = ({ kind }: Pick<DueJob, 'kind'>) => urgentKinds.has(kind)
  const urgentFirst = (one: DueJob, other: DueJob) => Number(isUrgent(other)) - Number(isUrgent(one))

  /** Start of a job's wait: its due time, or the shop's last turn if that is later. */
  const waitStart = ({ merchant_id, due_at }: DueJob) => Math.max(lastTurns.get(merchant_id)?.at ?? 0, due_at.getTime())
  const longestWaitFirst = (one: DueJob, other: DueJob) =>
    waitStart(one) - waitStart(other) || turnNumber(one) - turnNumber(other)
  const turnNumber = ({ merchant_id }: DueJob) => lastTurns.get(merchant_id)?.number ?? 0

  return {
    isOnePerShop,
    lastSearchedShops: new Map(),

    order(dueJobs) {
      const unique = new Map(dueJobs.map((job) => [`${job.merchant_id} ${job.id}`, job]))
      const orderedJobs = [...unique.values()].sort(
        (one, other) => urgentFirst(one, other) || one.due_at.getTime() - other.due_at.getTime(),
      )
      // The shop with the fewest running jobs has the next slot. An urgent job waits only for its shop's urgent jobs.
      const [allCounts, urgentCounts] = [new Map(running), new Map(runningUrgent)]
      const rankedJobs = orderedJobs.map((job) => {
        const rank = (isUrgent(job) ? urgentCounts : allCounts).get(job.merchant_id) ?? 0
        if (isUrgent(job)) changeCount(urgentCounts, job.merchant_id, 1)
        changeCount(allCounts, job.merchant_id, 1)
        return { job, rank }
      })
      return rankedJobs
        .filter(({ rank }) => !isOnePerShop || rank === 0)
        .sort(
          (one, other) =>
            one.rank - other.rank || urgentFirst(one.job, other.job) || longestWaitFirst(one.job, other.job),
        )
        .map(({ job }) => job)
    },

    begin({ merchant_id, kind }, now) {
      changeCount(running, merchant_id, 1)
      if (isUrgent({ kind })) changeCount(runningUrgent, merchant_id, 1)
      lastTurns.delete(merchant_id)
      lastTurns.set(merchant_id, { at: now.getTime(), number: ++turnCount })
      const [longestAgo] = lastTurns.keys()
      if (lastTurns.size > REMEMBERED_SHOPS && longestAgo !== undefined) lastTurns.delete(longestAgo)
    },

    end({ merchant_id, kind }) {
      changeCount(running, merchant_id, -1)
      if (isUrgent({ kind })) changeCount(runningUrgent, merchant_id, -1)
    },
  }
}

function changeCount(counts: Map<number, number>, merchant_id: number, difference: 1 | -1) {
  const count = (counts.get(merchant_id) ?? 0) + difference
  if (count > 0) counts.set(merchant_id, count)
  else counts.delete(merchant_id)
}
