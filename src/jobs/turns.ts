// Which of the due jobs of a lane run next. Each shop has its turn, so that one with a thousand jobs waiting delays the others by one job.
// The state is a worker's own and lives in memory: another process gives turns by itself, and a restart begins anew.

import type { DueKey } from './due.ts'

export type DueJob = DueKey & { readonly kind: string }

export type Turns = {
  /** One job at a time for each shop, in all processes. */
  readonly isAlone: boolean
  /** The jobs in the order in which they should run. */
  order(found: readonly DueJob[]): DueJob[]
  /** The job has been claimed. */
  begin(job: RunningJob, now: Date): void
  end(job: RunningJob): void
  /** By kind: the shop at which the last search through the shops of a crowded kind has stopped. */
  readonly reached: Map<string, number>
}

type RunningJob = { readonly merchantId: number; readonly kind: string }

type TurnOptions = {
  /** Kinds that go before the others of the lane. */
  readonly urgentKinds?: ReadonlySet<string>
  readonly isAlone?: boolean
}

/** A shop that had its turn before so many others counts as one that had none. */
const REMEMBERED_SHOPS = 10_000

export function newTurns({ urgentKinds = new Set(), isAlone = false }: TurnOptions = {}): Turns {
  /** Jobs of each shop that run now: all of them, and the urgent ones. */
  const running = new Map<number, number>()
  const runningUrgent = new Map<number, number>()
  /** The last turn of each shop; the longest ago first. */
  const lastTurns = new Map<number, { readonly at: number; readonly number: number }>()
  let turnCount = 0
  const isUrgent = ({ kind }: Pick<DueJob, 'kind'>) => urgentKinds.has(kind)
  const urgentFirst = (one: DueJob, other: DueJob) => Number(isUrgent(other)) - Number(isUrgent(one))

  /** Its own time for a shop that was idle; the end of the queue for a shop that had its turn since. */
  const waitsSince = ({ merchant_id, due_at }: DueJob) =>
    Math.max(lastTurns.get(merchant_id)?.at ?? 0, due_at.getTime())
  const longestWaitFirst = (one: DueJob, other: DueJob) =>
    waitsSince(one) - waitsSince(other) || turnNumber(one) - turnNumber(other)
  const turnNumber = ({ merchant_id }: DueJob) => lastTurns.get(merchant_id)?.number ?? 0

  return {
    isAlone,
    reached: new Map(),

    order(found) {
      const unique = new Map(found.map((job) => [`${job.merchant_id} ${job.id}`, job]))
      const ofShop = [...unique.values()].sort(
        (one, other) => urgentFirst(one, other) || one.due_at.getTime() - other.due_at.getTime(),
      )
      // The shop with the fewest jobs has the next slot. An urgent job does not wait for its shop's other jobs, only for urgent ones.
      const [all, urgent] = [new Map(running), new Map(runningUrgent)]
      const ranked = ofShop.map((job) => {
        const rank = (isUrgent(job) ? urgent : all).get(job.merchant_id) ?? 0
        if (isUrgent(job)) add(urgent, job.merchant_id, 1)
        add(all, job.merchant_id, 1)
        return { job, rank }
      })
      return ranked
        .filter(({ rank }) => !isAlone || rank === 0)
        .sort(
          (one, other) =>
            one.rank - other.rank || urgentFirst(one.job, other.job) || longestWaitFirst(one.job, other.job),
        )
        .map(({ job }) => job)
    },

    begin({ merchantId, kind }, now) {
      add(running, merchantId, 1)
      if (isUrgent({ kind })) add(runningUrgent, merchantId, 1)
      lastTurns.delete(merchantId)
      lastTurns.set(merchantId, { at: now.getTime(), number: ++turnCount })
      const [longestAgo] = lastTurns.keys()
      if (lastTurns.size > REMEMBERED_SHOPS && longestAgo !== undefined) lastTurns.delete(longestAgo)
    },

    end({ merchantId, kind }) {
      add(running, merchantId, -1)
      if (isUrgent({ kind })) add(runningUrgent, merchantId, -1)
    },
  }
}

function add(counts: Map<number, number>, merchantId: number, difference: 1 | -1) {
  const count = (counts.get(merchantId) ?? 0) + difference
  if (count > 0) counts.set(merchantId, count)
  else counts.delete(merchantId)
}
