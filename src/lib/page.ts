// Paged lists: what `limit` and `page` of a query mean, and the envelope around one page of entries.

import { type Static, Type } from 'typebox'
import { unprocessable } from './errors.ts'

/** A larger `limit` is cut to this, and `per_page` tells. */
export const MAX_LIMIT = 200

/** Keeps `offset` a safe integer at any limit. In SQL an offset needs a bigint. */
export const MAX_PAGE = 10_000_000_000_000

/**
 * Bytes of the entries of one page, where no secret key asks: 20 KB for each of 200. Larger pages are refused and not cut short, because the
 * pages that follow would then leave entries out or show them twice.
 */
const MAX_PAGE_BYTES = 4 * 1_048_576

/** More than PostgreSQL gives in one value. */
export const NO_END = Number.MAX_SAFE_INTEGER

/** One entry is always shown, however large. */
export const mostBytes = ({ isSecret }: { readonly isSecret: boolean }, { limit }: Pick<Page, 'limit'>): number =>
  isSecret || limit === 1 ? NO_END : MAX_PAGE_BYTES

/** So many entries have so many bytes, which is more than a page may have. */
function pageTooLarge(entries: number, bytes: number) {
  const fitting = Math.max(1, Math.floor((entries * MAX_PAGE_BYTES) / bytes))
  return unprocessable({
    limit: [
      `limit must be smaller here, such as ${fitting}: these entries are so long that a page of them would have more than 4 MB.`,
    ],
  })
}

/** For entries that are read at once, and whose bytes were counted before. */
export function refuseLargePage(entries: number, bytes: number, most: number) {
  if (entries > 1 && bytes > most) throw pageTooLarge(entries, bytes)
}

/**
 * Entries by their ids, not many more of them than fit on the page: how large they are is seen of the first few, so ordinary ones take two
 * reads and large ones are refused before all are in memory. `known`: bytes of entries of the page that need not be read.
 */
export async function readWithin<Entry>(
  ids: readonly string[],
  { most, first, known = { entries: 0, bytes: 0 } }: Within,
  read: (ids: readonly string[]) => Promise<readonly Entry[]>,
  bytesOf: (entry: Entry) => number,
): Promise<Entry[]> {
  if (most === NO_END) return ids.length === 0 ? [] : [...(await read(ids))]
  const found: Entry[] = []
  let { entries, bytes } = known
  refuseLargePage(entries, bytes, most)
  let count = first
  for (let at = 0; at < ids.length; at += count) {
    // All rows that were read may have been deleted meanwhile: then nothing is known yet.
    if (at > 0 && bytes > 0) count = Math.max(1, Math.ceil(((most - bytes) * entries) / bytes))
    for (const entry of await read(ids.slice(at, at + count))) {
      found.push(entry)
      entries += 1
      bytes += bytesOf(entry)
    }
    refuseLargePage(entries, bytes, most)
  }
  return found
}

type Within = {
  /** Bytes, as `mostBytes` says. */
  readonly most: number
  /** How many are read before anything is known of their size. */
  readonly first: number
  readonly known?: { readonly entries: number; readonly bytes: number }
}

export type Page = { readonly limit: number; readonly page: number; readonly offset: number }

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

/** Takes numbers that the query's schema has accepted: whole, from 1, the page at most MAX_PAGE. */
export function readPage(query: { readonly limit?: number; readonly page?: number }, defaultLimit: number): Page {
  const { limit = defaultLimit, page = 1 } = query
  const cut = Math.min(limit, MAX_LIMIT)
  return { limit: cut, page, offset: (page - 1) * cut }
}

/**
 * `selfUrl` is the absolute URL that was asked for; the links differ from it in `page` alone.
 * An empty list has one page, as with the paginator of the public service. Past the end, `previous` leads back to the last page.
 */
export function pageOf<T>(items: T[], total: number, { limit, page }: Page, selfUrl: string): PageOf<T> {
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

/** Works on the text: URLSearchParams would write the other parameters anew, in an encoding the client did not choose. */
function withPage(url: string, page: number): string {
  const mark = url.indexOf('?')
  if (mark === -1) return `${url}?page=${page}`
  const others = url
    .slice(mark + 1)
    .split('&')
    .filter((part) => part !== '' && !isPageParameter(part))
  return `${url.slice(0, mark)}?${[...others, `page=${page}`].join('&')}`
}

function isPageParameter(part: string): boolean {
  const [name = ''] = part.split('=', 1)
  if (name === 'page') return true
  // `p%61ge` names it too, and left in place it would make the link carry two pages.
  if (!name.includes('%')) return false
  try {
    return decodeURIComponent(name) === 'page'
  } catch {
    return false
  }
}
