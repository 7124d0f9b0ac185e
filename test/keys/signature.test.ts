// @unit
import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { findGrantExpiry, type Grant, signedQuery } from '../../src/keys/signing.ts'

const secret = randomBytes(32)
const grant: Grant = { purpose: 'file', merchant_id: 7, id: 'ast_1', expires: 1_800_000_000 }
const before = new Date(1_799_999_999_999)
const query = signedQuery(secret, grant)

describe('a signed query', () => {
  test('is an HMAC-SHA256 over purpose, merchant, object and expiry', () => {
    const right = createHmac('sha256', secret).update('["file",7,"ast_1",1800000000]').digest('base64url')
    expect(query).toBe(`expires=1800000000&signature=${right}`)
  })

  test('allows what it was made for until it expires, among other parameters too', () => {
    expect(findGrantExpiry(secret, grant, query, before)).toBe(1_800_000_000)
    expect(findGrantExpiry(secret, grant, `a=b&${query}&c`, before)).toBe(1_800_000_000)
    expect(findGrantExpiry(secret, grant, query, new Date(1_800_000_000_000))).toBe(null)
  })

  test.each<[string, Partial<Grant>]>([
    ['another purpose', { purpose: 'upload' }],
    ['another merchant', { merchant_id: 8 }],
    ['another object', { id: 'ast_2' }],
  ])('does not allow %s', (_, other) => {
    expect(findGrantExpiry(secret, { ...grant, ...other }, query, before)).toBe(null)
  })

  test('is worth nothing under another secret', () => {
    expect(findGrantExpiry(randomBytes(32), grant, query, before)).toBe(null)
  })

  test.each([
    '',
    'expires=1800000000',
    query.replace('1800000000', '1900000000'),
    query.replace('expires=1800000000', 'expires=01800000000'),
    query.replace('expires=1800000000', 'expires=1.8e9'),
    query.replace('expires=1800000000', 'expires=+1800000000'),
    query.replace('expires=1800000000', 'expires='),
    query.replace(/signature=.*/, 'signature='),
    query.slice(0, -1),
    `${query}A`,
    // The last letter holds two bits that decoding drops.
    query.slice(0, -1) +
      'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.charAt(
        'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.indexOf(query.slice(-1)) ^ 1,
      ),
    `${query}=`,
    query.replace(/signature=.*/, `signature=${'%C3%A9'.repeat(43)}`),
    `signature=${'A'.repeat(43)}&${query}`,
    `expires=1&${query}`,
  ])('altered to %j allows nothing', (altered) => {
    expect(findGrantExpiry(secret, grant, altered, before)).toBe(null)
  })
})
