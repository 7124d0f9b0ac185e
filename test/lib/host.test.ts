// @unit
// Which texts name a host, and in which form.

import { expect, test } from 'vitest'
import { hostText, isLoopbackName, readHost } from '../../src/lib/url.ts'

const LONGEST = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`

test.each([
  ['localhost', 'localhost'],
  ['LocalHost:4000', 'localhost:4000'],
  ['API.Shop-1.example', 'api.shop-1.example'],
  ['api.shop.example.', 'api.shop.example'],
  ['my_service:80', 'my_service:80'],
  ['1.example', '1.example'],
  ['127.0.0.1', '127.0.0.1'],
  ['shop.example:0080', 'shop.example:80'],
  ['[::1]', '[::1]'],
  ['[2001:DB8:0:0::1]:8080', '[2001:db8::1]:8080'],
  ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]'],
  [LONGEST, LONGEST],
  [`${LONGEST}.:65535`, `${LONGEST}:65535`],
])('%s is one', (text, written) => {
  const host = readHost(text)
  expect(host && hostText(host)).toBe(written)
})

test.each([
  ['labels', ['', '.', '.example', 'a..b', 'a.example..', '-a.example', 'a-.example', `${'a'.repeat(64)}.example`]],
  ['signs', ['a/b', 'user@a.example', 'http://a.example', 'käse.example', 'a.example\r\nx: y', '%61.example']],
  ['ports', ['a.example:', 'a.example:0', 'a.example:65536', 'a.example:80:80']],
  ['IPv4 addresses', ['999.1.1.1', '1.2.3', '127.1', '0x7f000001']],
  ['IPv6 addresses', ['::1', '[::1', '[1.2.3.4]', '[::1%eth0]', '[::1]x']],
  ['lengths', [`${LONGEST}a`, 'a.'.repeat(5_000)]],
])('of wrong %s are none', (_, texts) => {
  expect(texts.filter((text) => readHost(text) !== null)).toEqual([])
})

test('localhost, 127.0.0.0/8 and [::1] are this machine, and nothing that only begins or ends like them', () => {
  for (const name of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
    expect([name, isLoopbackName(name)]).toEqual([name, true])
  for (const name of ['localhost.evil.example', 'evil-localhost', '127.0.0.1.evil.example', '128.0.0.1', '[::2]', ''])
    expect([name, isLoopbackName(name)]).toEqual([name, false])
})
