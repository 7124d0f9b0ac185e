// @unit
// lib/email.ts: which addresses are accepted.

import { expect, it } from 'vitest'
import { canonicalMailbox, emailRule, readEmail } from '../../src/lib/text.ts'

it.each([
  'a@example.com',
  'Ada.Lovelace+shop@sub.example.co.uk',
  "o'neil_{x}|~`!#$%&*/=?^-@example.com",
  'a@xn--bcher-kva.example',
  `${'a'.repeat(64)}@example.com`,
  'a@1.example',
])('%s is an address, and kept as it is', (address) => {
  expect([readEmail(address), readEmail(` ${address}\t`)]).toEqual([address, address])
})

it.each([
  ['nothing', ''],
  ['no at sign', 'example.com'],
  ['nothing before it', '@example.com'],
  ['nothing behind it', 'a@'],
  ['two of them', 'a@b@example.com'],
  ['a quoted name, which mail programs send elsewhere', '"a@evil.example"@example.com'],
  ['a display name', 'Ada <a@example.com>'],
  ['a header', 'a@example.com\r\nBcc: b@example.com'],
  ['a blank inside', 'a b@example.com'],
  ['dots in a row', 'a..b@example.com'],
  ['a dot at the end of the name', 'a.@example.com'],
  ['the Kelvin sign, whose small letter is k', '\u212A@example.com'],
  ['a domain beyond ASCII', 'a@b\u00fccher.example'],
  ['a host without a domain', 'a@localhost'],
  ['an IP address', 'a@127.0.0.1'],
  ['an empty label', 'a@example..com'],
  ['a label that begins with a dash', 'a@-example.com'],
  ['a dot at the end', 'a@example.com.'],
  ['a long name', `${'a'.repeat(65)}@example.com`],
  ['a long label', `a@${'b'.repeat(64)}.com`],
  ['a long whole', `a@${'b.'.repeat(126)}com`],
  ['a megabyte', `${'a'.repeat(1_000_000)}@example.com`],
])('%s is none', (_, text) => {
  expect(readEmail(text)).toBeNull()
})

it('says what is accepted', () => {
  expect(emailRule('customer.email')).toBe('customer.email must be an e-mail address such as name@example.com.')
})

it.each([
  ['ada@example.com', 'ada@example.com'],
  ['ada+shop@example.com', 'ada@example.com'],
  ['ada+a+b@example.com', 'ada@example.com'],
  ['a.d.a@example.com', 'a.d.a@example.com'],
  ['a.d.a+x@gmail.com', 'ada@gmail.com'],
  ['ada@googlemail.com', 'ada@gmail.com'],
  ['+@example.com', '+@example.com'],
])('%s counts as the mailbox of %s', (address, inbox) => {
  expect(canonicalMailbox(address)).toBe(inbox)
})
