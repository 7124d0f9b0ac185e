// What stands in an address may be as long as a permalink or SKU, however it is escaped.

import { Type } from 'typebox'
import { describe, expect, test } from 'vitest'
import { testApp } from '../support/app.ts'
import { NO_ROUTE } from '../support/shop.ts'
import { probe, slice } from './harness.ts'

const app = await testApp({
  slices: [
    slice([
      probe({
        operation: 'probes.get',
        path: '/v1/probes/:id',
        params: Type.Object({ id: Type.String() }),
        returns: Type.Object({ id: Type.String() }),
        handle: async ({ params }) => params,
      }),
    ]),
  ],
})
const key = (await app.merchant()).keys.sandbox.public

describe('a parameter of an address', () => {
  test.each([
    ['letters', 'a'],
    ['escaped letters', 'ü'],
    ['escaped signs', '/'],
    ['escaped percent signs', '%'],
    ['emoji', '🫖'],
  ])('may be 255 characters long: %s', async (_name, sign) => {
    const id = sign.repeat(255)
    const answer = await app.call('GET', `/v1/probes/${encodeURIComponent(id)}`, { key })
    expect([answer.status, answer.body]).toEqual([200, { id }])
  })

  test('of more than 1,024 characters leads nowhere', async () => {
    expect((await app.call('GET', `/v1/probes/${'a'.repeat(1_024)}`, { key })).status).toBe(200)
    expect((await app.call('GET', `/v1/probes/${'a'.repeat(1_025)}`, { key })).body).toEqual(NO_ROUTE)
  })
})
