// Paged lists: the `limit` and `page` parameters of a query, and the envelope around one page.

import { type Static, Type } from 'typebox'
import { unprocessable } from './errors.ts'

/** A larger `limit` is reduced to this; `per_page` shows it. */
export const MAX_LIMIT = 200

/** Keeps `offset` a safe integer at any limit. In SQL an offset needs a bigint. */
export const MAX_PAGE = 10_000_000_000_000

/**
 * Maximum bytes of the entries of one page without a secret key: 20 KB for each of 200.
 * Larger pages are refused instead of truncated. Otherwise the following pages would skip entries or show them twice.
 */
const MAX_PAGE_BYTES = 4 * 1_048_576

/** More than PostgreSQL can return in one value. */
export const UNLIMITED_BYTES = Number.MAX_SAFE_INTEGER

/** A single entry is always shown, however large. */
export const maxPageBytes = (
  { isSecret }: { readonly isSecret: boolean },
  { limit }: Pick<PageQuery, 'limit'>,
): number => (isSecret || limit === 1 ? UNLIMITED_BYTES : MAX_PAGE_BYTES)

/** Error for a page with this many entries, whose bytes exceed the limit. */
function pageTooLarge(entries: number, bytes: number) {
  const suggestedLimit = Math.max(1, Math.floor((entries * MAX_PAGE_BYTES) / bytes))
  return unprocessable({
    limit: [
      `limit must be smaller here, such as ${suggestedLimit}: these entries are so long that a page of them would have more than 4 MB.`,
    ],
  })
}

/** For entries that are read at once, after their bytes were counted. */
export function refuseLargePage(entries: number, bytes: number, most: number) {
  if (entries > 1 && bytes > most) throw pageTooLarge(entries, bytes)
}

/**
 * Reads entries by id, not many more than fit on the page. The size is estimated from the first few. Ordinary entries thus take two reads,
 * and large ones are refused before all are in memory.
 * `known`: entries of the page that need not be read, with their bytes.
 */
export async function readEntriesWithin<Entry>(
  ids: readonly string[],
  { most, first, known: knownPart = { entries: 0, bytes: 0 } }: ReadLimits,
  read: (ids: readonly string[]) => Promise<readonly Entry[]>,
  bytesOf: (entry: Entry) => number,
): Promise<Entry[]> {
  if (most === UNLIMITED_BYTES) return ids.length === 0 ? [] : [...(await read(ids))]
  const loadedEntries: Entry[] = []
  let { entries, bytes } = knownPart
  refuseLargePage(entries, bytes, most)
  let count = first
  for (let at = 0; at < ids.length; at += count) {
    // If all entries of the first read were deleted meanwhile, the size is still unknown.
    if (at > 0 && bytes > 0) count = Math.max(1, Math.ceil(((most - bytes) * entries) / bytes))
    for (const entry of await read(ids.slice(at, at + count))) {
      loadedEntries.push(entry)
      entries += 1
      bytes += bytesOf(entry)
    }
    refuseLargePage(entries, bytes, most)
  }
  return loadedEntries
}

type ReadLimits = {
  /** Maximum bytes, from `maxPageBytes`. */
  readonly most: number
  /** Number of entries to read before their size is known. */
  readonly first: number
  readonly known?: { readonly entries: number; readonly bytes: number }
}

export type PageQuery = { readonly limit: number; readonly page: number; readonly offset: number }

export const Pagination = Type.Object({
  total: Type.Integer(),
  count: Type.Integer(),
  per_page: Type.Integer(),
  current_page: Type.Integer(),
  total_pages: Type.Integer(),
  links: Type.Object({ previous: Type.Optional(Type.String()), next: Type.Optional(Type.String()) }),
})

export type Pagination = Static<typeof Pagination>

type PageOf<T> = { data: T[]; meta: { pagination: Pagination } }

/** Expects numbers that passed the query's schema: whole, from 1, the page at most MAX_PAGE. */
export function parsePageQuery(
  query: { readonly limit?: number; readonly page?: number },
  defaultLimit: number,
): PageQuery {
  const { limit = defaultLimit, page = 1 } = query
  const cappedLimit = Math.min(limit, MAX_LIMIT)
  return { limit: cappedLimit, page, offset: (page - 1) * cappedLimit }
}

/**
 * `selfUrl` is the absolute URL of the request; the links differ from it only in `page`.
 * An empty list has one page, like the paginator of the public service. Past the end, `previous` leads back to the last page.
 */
export function paginate<T>(items: T[], total: number, { limit, page }: PageQuery, selfUrl: string): PageOf<T> {
  const totalPages = Math.max(1, Math.ceil(total / limit))
  const links: Pagination['links'] = {}
  if (page > 1) links.previous = withPage(selfUrl, Math.min(page - 1, totalPages))
  if (page < totalPages) links.next = withPage(selfUrl, page + 1)
  return {
    data: items,
    meta: {
      pagination: { total, count: items.length, per_page: limit, current_page: page, total_pages: totalPages, links },
    },
  }
}

/** Edits the text: URLSearchParams would re-encode the other parameters differently from the client. */
function withPage(url: string, page: number): string {
  const queryStart = url.indexOf('?')
  if (queryStart === -1) return `${url}?page=${page}`
  const others = url
    .slice(queryStart + 1)
    .split('&')
    .filter((part) => part !== '' && !isPageParameter(part))
  return `${url.slice(0, queryStart)}?${[...others, `page=${page}`].join('&')}`
}

function isPageParameter(part: string): boolean {
  const [name = ''] = part.split('=', 1)
  if (name === 'page') return true
  // `p%61ge` names it too, and if it stayed, the link would contain two pages.
  if (!name.includes('%')) return false
  try {
    return decodeURIComponent(name) === 'page'
  } catch {
    return false
  }
}
