// The header `Idempotency-Key`: its form, who understands it, and what it costs.

import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { slices } from '../../src/app.ts'
import { versions } from '../../src/versions/index.ts'
import { type CallOptions, testApp } from '../support/app.ts'
import { fieldError, probe, slice } from './harness.ts'

let runs = 0
const counting = {
  method: 'POST' as const,
  body: Type.Object({}),
  returns: Type.Object({ run: Type.Integer() }),
  handle: async () => ({ run: ++runs }),
}
const app = await testApp({
  versions,
  slices: [
    ...slices,
    slice([
      probe({ ...counting, operation: 'probes.create', path: '/v1/probes' }),
      probe({ ...counting, operation: 'probes.create_in', path: '/v1/probes/:id/parts/:part' }),
    ]),
  ],
})
const { keys } = await app.merchant()
const key = keys.sandbox.secret
const post = (url: string, name: string, options: CallOptions = {}) =>
  app.call('POST', url, { key, body: {}, ...options, headers: { 'idempotency-key': name } })

const BAD_KEY = 'Idempotency-Key must be 1 to 255 printable ASCII characters, such as a UUID.'

beforeEach(() => {
  runs = 0
})

describe('the header', () => {
  it.each([
    ['empty', ''],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['not ASCII', 'schlüssel'],
    ['with a tab inside', 'a\tb'],
  ])('%s is refused by name', async (_what, name) => {
    expect(await post('/v1/probes', name)).toMatchObject({ status: 422, body: fieldError('Idempotency-Key', BAD_KEY) })
    expect(runs).toBe(0)
  })

  it('may be 255 characters of any printable ASCII', async () => {
    const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join('')
    const name = `${printable} ${printable}`.padEnd(255, 'x')
    for (let time = 0; time < 2; time++) expect((await post('/v1/probes', name)).body).toEqual({ run: 1 })
    expect((await post('/v1/probes', name.toUpperCase())).body).toEqual({ run: 2 })
  })

  it('on an address longer than any that exists is no trouble', async () => {
    // Random, as an index would press a repeated letter together.
    const id = encodeURIComponent(Array.from(randomBytes(1_000), (byte) => String.fromCharCode(0x4e00 + byte)).join(''))
    const part = randomBytes(500).toString('hex')
    expect(id).toHaveLength(9_000)
    for (let time = 0; time < 2; time++)
      expect((await post(`/v1/probes/${id}/parts/${part}`, 'long')).body).toEqual({ run: 1 })
  })

  it('never opens an address to a key that may not use it', async () => {
    const name = 'mine'
    const body = { name: 'Size', description: 'Of a thing', type: 'short_text' }
    expect((await post('/v1/attributes', name, { body })).status).toBe(201)
    const { status, headers } = await post('/v1/attributes', name, { body, key: keys.sandbox.public })
    expect([status, headers['idempotency-replayed']]).toEqual([403, undefined])
    expect((await post('/v1/attributes', name, { body, key: 'sk_test_wrong' })).status).toBe(401)
  })
})

describe('the cost', () => {
  it('is nothing without the header, one statement before and one after with it, and one for a repetition', async () => {
    const spies = (['one', 'run'] as const).map((verb) => vi.spyOn(app.db, verb))
    const sentBy = async (headers: Record<string, string>) => {
      for (const spy of spies) spy.mockClear()
      await app.call('POST', '/v1/probes', { key, body: {}, headers })
      return spies.flatMap((spy) => spy.mock.calls.map(([{ name }]) => name))
    }
    expect(await sentBy({})).toEqual([])
    const headers = { 'idempotency-key': 'counted' }
    expect(await sentBy(headers)).toEqual(['idempotency_keys.claim', 'idempotency_keys.keep'])
    expect(await sentBy(headers)).toEqual(['idempotency_keys.claim'])
    for (const spy of spies) spy.mockRestore()
  })
})
