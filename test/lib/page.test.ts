import { describe, expect, test } from 'vitest'
import { ApiError } from '../../src/lib/errors.ts'
import { MAX_PAGE, pageOf, readPage } from '../../src/lib/page.ts'

const LIMIT_RULE = 'limit must be a whole number from 1 to 200; a larger one counts as 200.'
const PAGE_RULE = 'page must be a whole number from 1 to 10000000000000.'

function errorsOf(query: Record<string, unknown>) {
  try {
    readPage(query, 20)
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, type: error.type, errors: error.errors }
  }
  return null
}

describe('readPage', () => {
  test('an empty query is the first page of the default size', () => {
    expect(readPage({}, 15)).toEqual({ limit: 15, page: 1, offset: 0 })
  })

  test.each([
    [{ limit: '1' }, { limit: 1, page: 1, offset: 0 }],
    [
      { limit: '200', page: '3' },
      { limit: 200, page: 3, offset: 400 },
    ],
    [{ limit: '201' }, { limit: 200, page: 1, offset: 0 }],
    [
      { limit: '1000000000', page: '2' },
      { limit: 200, page: 2, offset: 200 },
    ],
    [{ limit: '9'.repeat(400) }, { limit: 200, page: 1, offset: 0 }],
    [{ page: '2' }, { limit: 20, page: 2, offset: 20 }],
    [
      { limit: 10, page: 4 },
      { limit: 10, page: 4, offset: 30 },
    ],
    [
      { limit: '5', page: '1', other: 'x' },
      { limit: 5, page: 1, offset: 0 },
    ],
  ])('%j', (query, page) => {
    expect(readPage(query, 20)).toEqual(page)
  })

  test('anything else is a 422 that names the field and the rule', () => {
    const hostile: unknown[] = [
      '',
      '0',
      '00',
      '-1',
      '+1',
      '1.5',
      '1e2',
      'abc',
      ' 5',
      '5 ',
      '0x10',
      '٣',
      '1,0',
      null,
      true,
      0,
      -1,
      1.5,
    ]
    hostile.push([], ['5'], ['5', '6'], {}, { a: '5' }, Number.NaN, Number.POSITIVE_INFINITY, '5\n')
    for (const value of hostile) {
      const about = JSON.stringify(value)
      expect(errorsOf({ limit: value }), about).toEqual({
        status: 422,
        type: 'unprocessable_entity',
        errors: { limit: [LIMIT_RULE] },
      })
      expect(errorsOf({ page: value }), about).toEqual({
        status: 422,
        type: 'unprocessable_entity',
        errors: { page: [PAGE_RULE] },
      })
    }
  })

  test('both fields are named when both are wrong', () => {
    expect(errorsOf({ limit: '0', page: 'x' })?.errors).toEqual({ limit: [LIMIT_RULE], page: [PAGE_RULE] })
  })

  test('the offset stays a safe integer up to the last page, and pages past it are refused', () => {
    expect(Number.isSafeInteger(readPage({ limit: '200', page: String(MAX_PAGE) }, 20).offset)).toBe(true)
    expect(errorsOf({ page: String(MAX_PAGE + 1) })?.errors).toEqual({ page: [PAGE_RULE] })
    expect(errorsOf({ page: '9'.repeat(400) })?.errors).toEqual({ page: [PAGE_RULE] })
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
      pageOf(['c', 'd'], 5, readPage({ limit: '2', page: '2' }, 20), `${url}?limit=2&page=2`).meta.pagination,
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
