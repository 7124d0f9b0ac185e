// How large a body may be, by who may send it: everybody has a public key, and reading a large body holds all others up.

import { describe, expect, test } from 'vitest'
import { testApp } from '../support/app.ts'
import { errorBody } from './harness.ts'

const app = await testApp()
const { keys } = await app.merchant()

/** A body of so many bytes, nearly all of them fields, and what became of it. */
async function post(path: string, key: string, bytes: number) {
  const fields = Array.from({ length: Math.floor((bytes - 100) / 14) }, (_, at) => [`k${100_000 + at}`, 1])
  const text = JSON.stringify(Object.fromEntries(fields))
  return app.server.inject({
    method: 'POST',
    url: path,
    headers: { 'x-authorization': key, 'content-type': 'application/json', 'idempotency-key': `${path} ${bytes}` },
    payload: text.padEnd(bytes),
  })
}

const tooLarge = (limit: number) =>
  errorBody(413, 'payload_too_large', `The request body is larger than the ${limit} bytes accepted here.`)

describe('the body of a request', () => {
  test.each([
    ['a public key', '/v1/carts/cart_x', 131_072, keys.sandbox.public],
    ['a public key, also sent with the secret one', '/v1/carts/cart_x', 131_072, keys.sandbox.secret],
    ['a public key, for a capture, which holds whole lines', '/v1/checkouts/chkt_x', 524_288, keys.sandbox.public],
    ['the secret key alone', '/v1/products', 1_048_576, keys.sandbox.secret],
  ])('to an address for %s (%s) may have %i bytes', async (_for, path, limit, key) => {
    expect([404, 422]).toContain((await post(path, key, limit)).statusCode)
    const refused = await post(path, key, limit + 1)
    expect([refused.statusCode, refused.json()]).toEqual([413, tooLarge(limit)])
  })
})
