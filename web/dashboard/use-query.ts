// Cache of server responses by path and mode. Each path has at most one request at a time. Data is read again when the user returns
// to the page, and after a write. A screen only names its path; it never fetches by itself.

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
  /** Set by `readAllAgain` while a response is on its way that may be older than the write. */
  isStale: boolean
  readonly watchers: Set<() => void>
}

export type Query<T> = {
  /** Undefined until the first response. */
  readonly data: T | undefined
  /** ETag of `data`; null if there is none. A form passes it on as `ifMatch`. */
  readonly etag: string | null
  /** Error of the last request. `data` beside it is older. */
  readonly problem: ApiProblem | null
  readonly isLoading: boolean
  readonly reload: () => void
}

/** Older data is read again when the page becomes visible. */
const FRESH_MS = 5_000
/** Limit of entries; the oldest without a watcher are removed first. */
const MOST_ENTRIES = 100

const entries = new Map<string, Entry>()

function entryOf(path: string, mode: Mode): Entry {
  const key = `${mode} ${path}`
  const existingEntry = entries.get(key)
  if (existingEntry !== undefined) return existingEntry
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
  if (entries.size > MOST_ENTRIES)
    for (const [old, { watchers }] of entries) {
      if (entries.size <= MOST_ENTRIES) break
      if (watchers.size === 0 && old !== key) entries.delete(old)
    }
  return entry
}

function load(entry: Entry): Promise<void> {
  entry.running ??= fetchEntry(entry).finally(() => {
    entry.running = null
    if (!entry.isStale) return notifyWatchers(entry)
    entry.isStale = false
    return load(entry)
  })
  return entry.running
}

async function fetchEntry(entry: Entry): Promise<void> {
  notifyWatchers(entry)
  try {
    const answer = await exchange('GET', entry.path, { mode: entry.mode })
    // Skip a response that may be older than a write; the next one follows at once.
    if (entry.isStale) return
    Object.assign(entry, answer)
    entry.problem = null
  } catch (error) {
    entry.problem = problemOf(error)
    // Remove data that was deleted or is no longer allowed.
    if ([403, 404].includes(entry.problem.status)) entry.data = undefined
  }
  entry.at = Date.now()
}

function notifyWatchers({ watchers }: Entry) {
  for (const watcher of watchers) watcher()
}

/** Seconds, or a function that says from the data how long to wait, and undefined if it changes no more. */
export type Interval<T> = number | ((data: T) => number | undefined)

type QueryOptions<T> = {
  /** Keeps the data of the former path until the next response, for lists with changing filters. */
  readonly keepsPrevious?: boolean
  /** Repeats the request after so many seconds, for data that changes by itself. */
  readonly every?: Interval<T>
}

/** `useQuery<Order>(`/v1/orders/${id}`)`; null requests nothing. */
export function useQuery<T>(path: string | null, { keepsPrevious = false, every }: QueryOptions<T> = {}): Query<T> {
  const [, redraw] = useState(0)
  const [last, setLast] = useState<T | undefined>(undefined)
  const { mode } = connection
  const entry = path === null ? null : entryOf(path, mode)
  const seconds = typeof every !== 'function' ? every : entry?.data === undefined ? undefined : every(entry.data as T)

  useEffect(() => {
    if (entry === null) return
    const watcher = () => {
      redraw((count) => count + 1)
      if (entry.data !== undefined) setLast(entry.data as T)
    }
    entry.watchers.add(watcher)
    if (Date.now() - entry.at > FRESH_MS || entry.problem !== null) load(entry)
    watcher()
    const timer = seconds === undefined ? 0 : setInterval(() => document.hidden || load(entry), seconds * 1_000)
    return () => {
      entry.watchers.delete(watcher)
      clearInterval(timer)
    }
  }, [entry, seconds])

  const data = (entry?.data ?? (keepsPrevious ? last : undefined)) as T | undefined
  const isLoading = entry !== null && (entry.running !== null || (entry.data === undefined && entry.problem === null))
  const etag = entry?.etag ?? null
  return { data, etag, problem: entry?.problem ?? null, isLoading, reload: () => entry !== null && load(entry) }
}

/**
 * Call it after a write. A write can change any response, so all that are shown or on their way are read again, and the others are dropped.
 * `deleted`: path of an object that the user leaves. It and the paths below it are not read again.
 */
export function readAllAgain(deleted?: string) {
  for (const [key, entry] of entries) {
    const isGone = deleted !== undefined && entry.path.startsWith(deleted)
    if (isGone || (entry.watchers.size === 0 && entry.running === null)) entries.delete(key)
    else if (entry.running !== null) entry.isStale = true
    else load(entry)
  }
}

addEventListener('visibilitychange', () => {
  if (document.hidden) return
  for (const entry of entries.values()) if (entry.watchers.size > 0 && Date.now() - entry.at > FRESH_MS) load(entry)
})
