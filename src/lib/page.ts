// Paged lists: what `limit` and `page` of a query mean, and the envelope around one page of entries.

import { type Static, Type } from 'typebox'

/** A larger `limit` is cut to this, and `per_page` tells. */
export const MAX_LIMIT = 200

/** Keeps `offset` a safe integer at any limit. In SQL an offset needs a bigint. */
export const MAX_PAGE = 10_000_000_000_000

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
