// The loop of `cartwright listen`: pulls deliveries, forwards them and reports the results. The connection may drop and the service may
// restart at any time. Nothing is lost, because the service repeats unreported deliveries. Nothing is forwarded twice, because reports come
// before pulls and forwarded deliveries are remembered.

import { setTimeout as pause } from 'node:timers/promises'
import { ApiRefusal, type Call, ServiceUnreachable } from '../client/call.ts'
import type { DeliveryToForward, ForwardResult } from './forward.ts'

/** Each delivery is forwarded as soon as it is pulled, so that no lease expires while it waits here. */
const PARALLEL = 4
/** Longest time that the service holds a pull, and a margin for the network. */
const WAIT_SECONDS = 25
const PULL_MS = (WAIT_SECONDS + 15) * 1_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000
/** Time that the ending command tries to report its last results. */
const LAST_REPORTS_MS = 10_000
/** Number of remembered deliveries. A lease ends long before its delivery is forgotten. */
const REMEMBERED = 10_000

export type ListenerReporter = {
  forwarded(pulled: DeliveryToForward, answer: ForwardResult): void
  /** Called once per outage, before `reconnected`. */
  connectionLost(reason: string): void
  reconnected(): void
  /** The webhook was deleted. */
  webhookDeleted(): void
  unreported(count: number): void
}

export type ListenerOptions = {
  readonly call: Call
  /** Creates or finds the webhook and returns its id. */
  register(): Promise<string>
  forward(pulled: DeliveryToForward): Promise<ForwardResult>
  readonly news: ListenerReporter
  /** Called when the webhook is registered: from now on no event is missed. */
  ready(): void
  /** When aborted: stop pulling, finish running deliveries and report them. */
  readonly stop: AbortSignal
}

/** True for temporary errors: a broken connection, or a service that restarts or is overloaded. */
const isTemporary = (error: unknown): error is ApiRefusal | ServiceUnreachable =>
  error instanceof ServiceUnreachable ||
  (error instanceof ApiRefusal && (error.status >= 500 || error.status === 429 || error.status === 408))

const isGone = (error: unknown): boolean => error instanceof ApiRefusal && error.status === 404

export async function runListener({ call, register, forward, news, ready, stop }: ListenerOptions): Promise<void> {
  const connection = watchLine(news)
  const reportingAbort = new AbortController()
  const running = new Set<Promise<void>>()
  /** Results by delivery and attempt; null while one is being forwarded. */
  const results = new Map<string, ForwardResult | null>()
  const unreported = new Map<string, { readonly path: string; readonly answer: ForwardResult }>()
  const whenStopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))
  let webhook: string | null = await register()
  ready()
  let reporting: Promise<void> | null = null
  let hasPulled = true

  async function reportAll() {
    while (unreported.size > 0 && !reportingAbort.signal.aborted) {
      for (const [name, { path, answer }] of unreported) {
        try {
          await call('POST', path, answer, { signal: reportingAbort.signal })
          connection.isUp()
        } catch (error) {
          if (reportingAbort.signal.aborted) return
          if (isTemporary(error)) {
            await connection.wait(error, reportingAbort.signal)
            continue
          }
          // Refused for good: the delivery is gone or has another result. A retry would be refused too.
        }
        unreported.delete(name)
      }
    }
    // Reset in the same turn in which the queue is empty, so that a later result starts a new report.
    reporting = null
  }

  const report = (): Promise<void> => {
    if (unreported.size > 0) reporting ??= reportAll()
    return reporting ?? Promise.resolve()
  }

  function forwardOnce(pulled: DeliveryToForward, id: string) {
    const name = `${pulled.delivery} ${pulled.attempt}`
    const path = `/v1/webhooks/${id}/deliveries/${pulled.delivery}/answer`
    const earlierResult = results.get(name)
    if (earlierResult !== undefined) {
      if (earlierResult !== null) unreported.set(name, { path, answer: earlierResult })
      return
    }
    remember(results, name, null)
    const work = forward(pulled).then((answer) => {
      running.delete(work)
      remember(results, name, answer)
      unreported.set(name, { path, answer })
      news.forwarded(pulled, answer)
      void report()
    })
    running.add(work)
  }

  async function pullOnce() {
    await Promise.race([report(), whenStopped])
    const freeSlots = PARALLEL - running.size
    if (freeSlots <= 0) return void (await Promise.race([...running, whenStopped]))
    webhook ??= await register()
    const id = webhook
    const startedAt = performance.now()
    const { data } = await call<{ data: readonly DeliveryToForward[] }>(
      'POST',
      `/v1/webhooks/${id}/pull`,
      { wait: WAIT_SECONDS, limit: freeSlots },
      { signal: stop, timeoutMs: PULL_MS },
    )
    hasPulled = true
    connection.isUp()
    for (const pulled of data) forwardOnce(pulled, id)
    // A stopping service answers at once. Pulling again without a pause would keep it busy.
    if (data.length === 0 && performance.now() - startedAt < FIRST_PAUSE_MS) await pauseUnless(FIRST_PAUSE_MS, stop)
  }

  while (!stop.aborted) {
    try {
      await pullOnce()
    } catch (error) {
      if (stop.aborted) break
      if (isGone(error) && hasPulled) {
        hasPulled = false
        news.webhookDeleted()
        webhook = null
      } else if (isTemporary(error)) await connection.wait(error, stop)
      else throw error
    }
  }
  await Promise.all(running)
  await Promise.race([report(), pauseUnless(LAST_REPORTS_MS, reportingAbort.signal)])
  reportingAbort.abort()
  if (unreported.size > 0) news.unreported(unreported.size)
}

function remember(results: Map<string, ForwardResult | null>, name: string, answer: ForwardResult | null) {
  results.set(name, answer)
  const oldest = results.size > REMEMBERED ? results.keys().next().value : undefined
  if (oldest !== undefined) results.delete(oldest)
}

/** A pause that a signal ends early, without an error. */
const pauseUnless = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => undefined)

/** Tracks the connection, announces when its state changes, and waits longer after each failure. */
function watchLine(news: Pick<ListenerReporter, 'connectionLost' | 'reconnected'>) {
  let failures = 0
  return {
    isUp() {
      if (failures > 0) news.reconnected()
      failures = 0
    },
    wait(error: ApiRefusal | ServiceUnreachable, signal: AbortSignal) {
      if (failures === 0) news.connectionLost(error.message)
      const backoffMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS)
      failures++
      const retryAfterMs = error instanceof ApiRefusal ? (error.waitMs ?? 0) : 0
      return pauseUnless(Math.max(backoffMs, Math.min(retryAfterMs, LONGEST_PAUSE_MS)), signal)
    },
  }
}
