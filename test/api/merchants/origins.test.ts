import { expect, it } from 'vitest'
import { readOrigin } from '../../../src/api/merchants/settings.ts'

it.each([
  ['https://shop.example', 'https://shop.example'],
  ['HTTPS://Shop.Example:443/', 'https://shop.example'],
  ['http://shop.example:80', 'http://shop.example'],
  ['https://my_shop.example', 'https://my_shop.example'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
  ['http://[::1]:8080', 'http://[::1]:8080'],
])('an origin is written as a browser writes it: %s', (text, origin) => {
  expect(readOrigin(text)).toBe(origin)
})

it.each([
  '',
  '*',
  'null',
  '//shop.example',
  'https:shop.example',
  'ftp://shop.example',
  'javascript://shop.example',
  'https://*.shop.example',
  'https://shop.example/path',
  'https://shop.example?',
  'https://shop.example#',
  'https://user:password@shop.example',
  'https://@shop.example',
  'https://shop.example\\@evil.example',
  'https://shop.example:99999',
  ' https://shop.example',
  'https://shop.example\n',
  'https://[::1',
])('is none: %j', (text) => {
  expect(readOrigin(text)).toBeNull()
})
