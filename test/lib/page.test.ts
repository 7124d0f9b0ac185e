// @unit
import { describe, expect, test } from 'vitest'
import { MAX_LIMIT, MAX_PAGE, pageOf, readPage } from '../../src/lib/page.ts'

// What is no whole number from 1 is refused by the schema: test/http/validation.test.ts, V7.
describe('readPage', () => {
  test('an empty query is the first page of the default size', () => {
    expect(readPage({}, 15)).toEqual({ limit: 15, page: 1, offset: 0 })
  })

  test.each([
    [{ limit: 1 }, { limit: 1, page: 1, offset: 0 }],
    [
      { limit: MAX_LIMIT, page: 3 },
      { limit: 200, page: 3, offset: 400 },
    ],
    [{ limit: MAX_LIMIT + 1 }, { limit: 200, page: 1, offset: 0 }],
    [
      { limit: 1_000_000_000, page: 2 },
      { limit: 200, page: 2, offset: 200 },
    ],
    [{ page: 2 }, { limit: 20, page: 2, offset: 20 }],
    [
      { limit: 10, page: 4 },
      { limit: 10, page: 4, offset: 30 },
    ],
    [
      { limit: 5, page: 1, other: 'x' },
      { limit: 5, page: 1, offset: 0 },
    ],
  ])('%j', (query, page) => {
    expect(readPage(query, 20)).toEqual(page)
  })

  test('the offset stays a safe integer up to the last page', () => {
    expect(Number.isSafeInteger(readPage({ limit: MAX_LIMIT, page: MAX_PAGE }, 20).offset)).toBe(true)
  })
})

describe('pageOf', () => {
  const url = 'https://shop.example/v1/products'
  const linksOf = (total: number, page: number, limit: number, self: string) =>
    pageOf([], total, { limit, page, offset: (page - 1) * limit }, self).meta.pagination.links

  test('the envelope of a list that fits on one page has no links', () => {
    expect(pageOf(['a', 'b'], 2, readPage({}, 20), url)).toStrictEqual({
      data: ['a', 'b'],
      meta: { pagination: { total: 2, count: 2, per_page: 20, current_page: 1, total_pages: 1, links: {} } },
    })
  })

  test('an empty list has one page', () => {
    expect(pageOf([], 0, readPage({}, 20), url).meta.pagination).toStrictEqual({
      total: 0,
      count: 0,
      per_page: 20,
      current_page: 1,
      total_pages: 1,
      links: {},
    })
  })

  test('a page in the middle links both ways', () => {
    expect(
      pageOf(['c', 'd'], 5, readPage({ limit: 2, page: 2 }, 20), `${url}?limit=2&page=2`).meta.pagination,
    ).toStrictEqual({
      total: 5,
      count: 2,
      per_page: 2,
      current_page: 2,
      total_pages: 3,
      links: { previous: `${url}?limit=2&page=1`, next: `${url}?limit=2&page=3` },
    })
  })

  test('the first page links forward and the last one back', () => {
    expect(linksOf(40, 1, 20, url)).toStrictEqual({ next: `${url}?page=2` })
    expect(linksOf(40, 2, 20, `${url}?page=2`)).toStrictEqual({ previous: `${url}?page=1` })
  })

  test('a full last page has no next page', () => {
    expect(linksOf(20, 1, 20, url)).toStrictEqual({})
  })

  test('past the end, previous leads to the last page that exists', () => {
    expect(linksOf(45, 900, 20, `${url}?page=900`)).toStrictEqual({ previous: `${url}?page=3` })
    expect(linksOf(0, 2, 20, `${url}?page=2`)).toStrictEqual({ previous: `${url}?page=1` })
  })

  test('links keep every other parameter as the client wrote it', () => {
    const others = 'category_slug[]=a%20b&category_slug[]=c+d&query=%7B%22a%22%3A1%7D&mypage=7&page_size=3&pages=1'
    expect(linksOf(9, 1, 3, `${url}?${others}`)).toStrictEqual({ next: `${url}?${others}&page=2` })
    expect(linksOf(9, 2, 3, `${url}?page=2&${others}`).next).toBe(`${url}?${others}&page=3`)
  })

  test('a page parameter in disguise is replaced, and odd query strings do no harm', () => {
    expect(linksOf(9, 2, 3, `${url}?p%61ge=2&a=1`).next).toBe(`${url}?a=1&page=3`)
    expect(linksOf(9, 1, 3, `${url}?`).next).toBe(`${url}?page=2`)
    expect(linksOf(9, 1, 3, `${url}?&&a&=b&%E0=1`).next).toBe(`${url}?a&=b&%E0=1&page=2`)
    expect(linksOf(9, 1, 3, `${url}?a=what?page=4`).next).toBe(`${url}?a=what?page=4&page=2`)
  })
})
