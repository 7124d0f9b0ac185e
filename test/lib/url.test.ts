// @unit
import { expect, test } from 'vitest'
import { parseUrl } from '../../src/lib/url.ts'

test('an address is read in the form that browsers write', () => {
  expect(parseUrl('HTTPS://Shop.Example:443/a b')?.href).toBe('https://shop.example/a%20b')
  expect(parseUrl('../b', 'https://shop.example/x/y')?.href).toBe('https://shop.example/b')
})

test.each(['', 'shop.example', 'https://', 'https://a b', '//shop.example'])('%j is none', (text) => {
  expect(parseUrl(text)).toBe(null)
})

test('letters beyond ASCII are read the hundred-thousandth time as the first', () => {
  const wrong = Array.from({ length: 100_000 }, () => parseUrl('https://shöp.example')?.host).filter(
    (host) => host !== 'xn--shp-tna.example',
  )
  expect(wrong).toEqual([])
})
