// The loop of `cartwright listen`: pulls deliveries, has them forwarded, reports what came of them. Over a line that may be cut and a service
// that may restart at any moment nothing is lost, because what is not reported is given again; and nothing is forwarded twice, because
// reports come before pulls and what was forwarded is remembered.

import { setTimeout as pause } from 'node:timers/promises'
import { type Call, Refusal, Unreachable } from '../client/call.ts'
import type { Answer, Pulled } from './forward.ts'

/** Each begins at once when it is pulled, so that no lease runs out while it waits here. */
const PARALLEL = 4
/** The longest that the service keeps a pull waiting, and what is added for the way. */
const WAIT_SECONDS = 25
const PULL_MS = (WAIT_SECONDS + 15) * 1_000
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 10_000
/** How long the end of the command tries to report what it has forwarded. */
const LAST_REPORTS_MS = 10_000
/** So many of the last deliveries are remembered; a lease ends long before they are forgotten. */
const REMEMBERED = 10_000

export type ListenerNews = {
  forwarded(pulled: Pulled, answer: Answer): void
  /** Once, until `reconnected`. */
  cut(reason: string): void
  reconnected(): void
  /** The webhook was deleted by somebody. */
  gone(): void
  unreported(count: number): void
}

export type Listener = {
  readonly call: Call
  /** Makes or finds the webhook, and gives its id. */
  register(): Promise<string>
  forward(pulled: Pulled): Promise<Answer>
  readonly news: ListenerNews
  /** Registered: from here on nothing is missed. */
  ready(): void
  /** Aborted: pull nothing more, finish what is under way, report it. */
  readonly stop: AbortSignal
}

/** What ends by itself: a line that is cut, a service that starts again or has too much to do. */
const isPassing = (error: unknown): error is Refusal | Unreachable =>
  error instanceof Unreachable ||
  (error instanceof Refusal && (error.status >= 500 || error.status === 429 || error.status === 408))

const isGone = (error: unknown): boolean => error instanceof Refusal && error.status === 404

export async function runListener({ call, register, forward, news, ready, stop }: Listener): Promise<void> {
  const line = watchLine(news)
  const givenUp = new AbortController()
  const underWay = new Set<Promise<void>>()
  /** By delivery and attempt; null while it is being forwarded. */
  const known = new Map<string, Answer | null>()
  const unreported = new Map<string, { readonly path: string; readonly answer: Answer }>()
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))
  let webhook: string | null = await register()
  ready()
  let reporting: Promise<void> | null = null
  let hasPulled = true

  async function reportAll() {
    while (unreported.size > 0 && !givenUp.signal.aborted) {
      for (const [name, { path, answer }] of unreported) {
        try {
          await call('POST', path, answer, { signal: givenUp.signal })
          line.isUp()
        } catch (error) {
          if (givenUp.signal.aborted) return
          if (isPassing(error)) {
            await line.wait(error, givenUp.signal)
            continue
          }
          // Refused for good: the delivery is gone, or was answered otherwise. Another try would be refused, too.
        }
        unreported.delete(name)
      }
    }
    // In the same moment in which nothing is left: what is answered in the next begins another one.
    reporting = null
  }

  const report = (): Promise<void> => {
    if (unreported.size > 0) reporting ??= reportAll()
    return reporting ?? Promise.resolve()
  }

  function take(pulled: Pulled, id: string) {
    const name = `${pulled.delivery} ${pulled.attempt}`
    const path = `/v1/webhooks/${id}/deliveries/${pulled.delivery}/answer`
    const before = known.get(name)
    if (before !== undefined) {
      if (before !== null) unreported.set(name, { path, answer: before })
      return
    }
    remember(known, name, null)
    const work = forward(pulled).then((answer) => {
      underWay.delete(work)
      remember(known, name, answer)
      unreported.set(name, { path, answer })
      news.forwarded(pulled, answer)
      void report()
    })
    underWay.add(work)
  }

  async function pullOnce() {
    await Promise.race([report(), stopped])
    const room = PARALLEL - underWay.size
    if (room <= 0) return void (await Promise.race([...underWay, stopped]))
    webhook ??= await register()
    const id = webhook
    const begun = performance.now()
    const { data } = await call<{ data: readonly Pulled[] }>(
      'POST',
      `/v1/webhooks/${id}/pull`,
      { wait: WAIT_SECONDS, limit: room },
      { signal: stop, timeoutMs: PULL_MS },
    )
    hasPulled = true
    line.isUp()
    for (const pulled of data) take(pulled, id)
    // A service that is stopping answers at once: asked again at once, it would do nothing else.
    if (data.length === 0 && performance.now() - begun < FIRST_PAUSE_MS) await rest(FIRST_PAUSE_MS, stop)
  }

  while (!stop.aborted) {
    try {
      await pullOnce()
    } catch (error) {
      if (stop.aborted) break
      if (isGone(error) && hasPulled) {
        hasPulled = false
        news.gone()
        webhook = null
      } else if (isPassing(error)) await line.wait(error, stop)
      else throw error
    }
  }
  await Promise.all(underWay)
  await Promise.race([report(), rest(LAST_REPORTS_MS, givenUp.signal)])
  givenUp.abort()
  if (unreported.size > 0) news.unreported(unreported.size)
}

function remember(known: Map<string, Answer | null>, name: string, answer: Answer | null) {
  known.set(name, answer)
  const oldest = known.size > REMEMBERED ? known.keys().next().value : undefined
  if (oldest !== undefined) known.delete(oldest)
}

/** A pause that a signal ends early, without an error. */
const rest = (ms: number, signal: AbortSignal) => pause(ms, undefined, { signal }).catch(() => undefined)

/** Whether the line is up, told when that changes; and waits that grow while it is not. */
function watchLine(news: Pick<ListenerNews, 'cut' | 'reconnected'>) {
  let failures = 0
  return {
    isUp() {
      if (failures > 0) news.reconnected()
      failures = 0
    },
    wait(error: Refusal | Unreachable, signal: AbortSignal) {
      if (failures === 0) news.cut(error.message)
      const usual = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 10), LONGEST_PAUSE_MS)
      failures++
      const asked = error instanceof Refusal ? (error.waitMs ?? 0) : 0
      return rest(Math.max(usual, Math.min(asked, LONGEST_PAUSE_MS)), signal)
    },
  }
}
