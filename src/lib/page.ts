// Paged lists: reads `limit` and `page` from a query and wraps one page of entries in the list envelope.

import { type FieldErrors, unprocessable } from './errors.ts'

/** A larger `limit` is cut to this, and `per_page` tells. */
export const MAX_LIMIT = 200

/** Keeps `offset` a safe integer at any limit. In SQL an offset needs a bigint. */
export const MAX_PAGE = 10_000_000_000_000

export type Page = { readonly limit: number; readonly page: number; readonly offset: number }

export type Pagination = {
  total: number
  count: number
  per_page: number
  current_page: number
  total_pages: number
  links: { previous?: string; next?: string }
}

export type PageOf<T> = { data: T[]; meta: { pagination: Pagination } }

const WHOLE = /^\d+$/

/** Both fields are checked before it throws, so that the client hears of both at once. */
export function readPage(query: Readonly<Record<string, unknown>>, defaultLimit: number): Page {
  const limit = query.limit === undefined ? defaultLimit : wholeNumber(query.limit)
  const page = query.page === undefined ? 1 : wholeNumber(query.page)
  const errors: FieldErrors = {}
  if (limit === null || limit < 1)
    errors.limit = ['limit must be a whole number from 1 to 200; a larger one counts as 200.']
  if (page === null || page < 1 || page > MAX_PAGE) errors.page = [`page must be a whole number from 1 to ${MAX_PAGE}.`]
  if (limit === null || page === null || errors.limit || errors.page) throw unprocessable(errors)
  const cut = Math.min(limit, MAX_LIMIT)
  return { limit: cut, page, offset: (page - 1) * cut }
}

/** Text as a URL brings it, or a number that a schema has already made of it. */
function wholeNumber(value: unknown): number | null {
  if (typeof value === 'string') return WHOLE.test(value) ? Number(value) : null
  return typeof value === 'number' && Number.isInteger(value) ? value : null
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
