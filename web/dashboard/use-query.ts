// What screens read of the server: kept by address and mode, asked once at a time, asked again when somebody comes back to the page, and
// dropped after a write. A screen says which address it shows; it never fetches by itself.

import { useEffect, useState } from 'preact/hooks'
import { type ApiProblem, connection, exchange, type Mode, problemOf } from './api.ts'

type Entry = {
  readonly path: string
  readonly mode: Mode
  data: unknown
  etag: string | null
  problem: ApiProblem | null
  at: number
  running: Promise<void> | null
  /** Set by `drop` while an answer is on its way that may be from before the write. */
  isStale: boolean
  readonly watchers: Set<() => void>
}

type Query<T> = {
  /** Undefined until the first answer. */
  readonly data: T | undefined
  /** Of `data`; null where there is none. A form hands it back as `ifMatch`. */
  readonly etag: string | null
  /** Of the last attempt. With `data` beside it, what is shown is older. */
  readonly problem: ApiProblem | null
  readonly isLoading: boolean
  readonly reload: () => void
}

/** What is older is asked for again when the page gets the focus. */
const FRESH_MS = 5_000
/** What nobody looks at is forgotten, the oldest first. */
const MOST_KEPT = 100

const entries = new Map<string, Entry>()

function entryOf(path: string, mode: Mode): Entry {
  const key = `${mode} ${path}`
  const known = entries.get(key)
  if (known !== undefined) return known
  const entry: Entry = {
    path,
    mode,
    data: undefined,
    etag: null,
    problem: null,
    at: 0,
    running: null,
    isStale: false,
    watchers: new Set(),
  }
  entries.set(key, entry)
  if (entries.size > MOST_KEPT)
    for (const [old, { watchers }] of entries) {
      if (entries.size <= MOST_KEPT) break
      if (watchers.size === 0 && old !== key) entries.delete(old)
    }
  return entry
}

function load(entry: Entry): Promise<void> {
  entry.running ??= ask(entry).finally(() => {
    entry.running = null
    if (!entry.isStale) return tell(entry)
    entry.isStale = false
    return load(entry)
  })
  return entry.running
}

async function ask(entry: Entry): Promise<void> {
  tell(entry)
  try {
    const answer = await exchange('GET', entry.path, { mode: entry.mode })
    // What may be from before a write is not shown in place of what the screen knows: the next answer follows.
    if (entry.isStale) return
    Object.assign(entry, answer)
    entry.problem = null
  } catch (error) {
    entry.problem = problemOf(error)
    // What is gone or no longer allowed is not shown any more.
    if ([403, 404].includes(entry.problem.status)) entry.data = undefined
  }
  entry.at = Date.now()
}

function tell({ watchers }: Entry) {
  for (const watcher of watchers) watcher()
}

type QueryOptions = {
  /** Shows what the address before gave until the next answer is there: for lists whose filters change. */
  readonly keepsPrevious?: boolean
  /** Asks again after so many seconds, for what changes by itself. */
  readonly every?: number
}

/** `useQuery<Order>(`/v1/orders/${id}`)`; null asks for nothing. */
export function useQuery<T>(path: string | null, { keepsPrevious = false, every }: QueryOptions = {}): Query<T> {
  const [, redraw] = useState(0)
  const [last, setLast] = useState<T | undefined>(undefined)
  const { mode } = connection
  const entry = path === null ? null : entryOf(path, mode)

  useEffect(() => {
    if (entry === null) return
    const watcher = () => {
      redraw((count) => count + 1)
      if (entry.data !== undefined) setLast(entry.data as T)
    }
    entry.watchers.add(watcher)
    if (Date.now() - entry.at > FRESH_MS || entry.problem !== null) load(entry)
    watcher()
    const timer = every === undefined ? 0 : setInterval(() => document.hidden || load(entry), every * 1_000)
    return () => {
      entry.watchers.delete(watcher)
      clearInterval(timer)
    }
  }, [entry, every])

  const data = (entry?.data ?? (keepsPrevious ? last : undefined)) as T | undefined
  const isLoading = entry !== null && (entry.running !== null || (entry.data === undefined && entry.problem === null))
  const etag = entry?.etag ?? null
  return { data, etag, problem: entry?.problem ?? null, isLoading, reload: () => entry !== null && load(entry) }
}

/** After a write: what begins with one of these is asked for again where it is shown, and forgotten elsewhere. */
export function drop(...prefixes: readonly string[]) {
  for (const [key, entry] of entries) {
    if (!prefixes.some((prefix) => entry.path.startsWith(prefix))) continue
    if (entry.watchers.size === 0 && entry.running === null) entries.delete(key)
    else if (entry.running !== null) entry.isStale = true
    else load(entry)
  }
}

addEventListener('visibilitychange', () => {
  if (document.hidden) return
  for (const entry of entries.values()) if (entry.watchers.size > 0 && Date.now() - entry.at > FRESH_MS) load(entry)
})
