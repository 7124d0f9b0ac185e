// @unit
// The digest of JSON: what counts as the same, and that without the secret it says nothing.

import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { jsonDigest } from '../../src/lib/json.ts'

const secret = Buffer.alloc(32, 7)
const digest = (json: string) => jsonDigest(secret, JSON.parse(json)).toString('hex')

test.each([
  ['{"a":1,"b":{"c":2,"d":[3]}}', '{ "b": {"d": [3], "c": 2.0}, "a": 1 }'],
  ['{"10":1,"9":2,"a":3}', '{"a":3,"9":2,"10":1}'],
  ['"\\u00e9"', '"é"'],
  ['[{"x":1,"y":2}]', '[{"y":2,"x":1}]'],
])('%s has the digest of %s', (one, other) => {
  expect(digest(one)).toBe(digest(other))
})

test.each([
  ['{"a":1}', '{"a":"1"}'],
  ['{"a":1}', '{"a":1,"b":null}'],
  ['[1,2]', '[2,1]'],
  ['[]', '{}'],
  ['[[1],2]', '[1,[2]]'],
  ['{"a":{"b":1}}', '{"a.b":1}'],
  ['"a"', '"A"'],
  ['null', '""'],
])('%s has another digest than %s', (one, other) => {
  expect(digest(one)).not.toBe(digest(other))
})

test('depends on the secret, and is 32 bytes', () => {
  const value = { number: '4242424242424242' }
  expect(jsonDigest(secret, value)).toHaveLength(32)
  expect(jsonDigest(secret, value).equals(jsonDigest(Buffer.alloc(32, 8), value))).toBe(false)
  expect(jsonDigest(secret, value).equals(createHash('sha256').update(JSON.stringify(value)).digest())).toBe(false)
})

test('is that of the JSON text with its fields in order, however many there are and whatever they are called', () => {
  const value = JSON.parse('{"b":[{"z":1,"__proto__":2,"a":null}],"a":{"10":1,"9":true},"\\u00e9":"x"}')
  const text = '{"a":{"9":true,"10":1},"b":[{"__proto__":2,"a":null,"z":1}],"é":"x"}'
  expect(jsonDigest(secret, value)).toEqual(createHmac('sha256', secret).update(text).digest())
})
