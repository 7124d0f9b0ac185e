// @unit
import { describe, expect, test } from 'vitest'
import { MAX_LIMIT, MAX_PAGE, paginate, parsePageQuery } from '../../src/lib/page.ts'

test('the last page that can be asked for has an offset that is exact', () => {
  const { offset } = parsePageQuery({ limit: MAX_LIMIT, page: MAX_PAGE }, 20)
  expect([MAX_PAGE, offset]).toEqual([1e13, 200 * (1e13 - 1)])
})

describe('pageOf', () => {
  const url = 'https://shop.example/v1/products'
  const linksOf = (total: number, page: number, limit: number, self: string) =>
    paginate([], total, { limit, page, offset: (page - 1) * limit }, self).meta.pagination.links

  test('the envelope of a list that fits on one page has no links', () => {
    expect(paginate(['a', 'b'], 2, parsePageQuery({}, 20), url)).toStrictEqual({
      data: ['a', 'b'],
      meta: { pagination: { total: 2, count: 2, per_page: 20, current_page: 1, total_pages: 1, links: {} } },
    })
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
