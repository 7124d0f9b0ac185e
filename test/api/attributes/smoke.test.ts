import { expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
const app = await testApp()
it('works', async () => {
  const m = await app.merchant()
  const a = await app.call('POST', '/v1/attributes', { key: m.keys.sandbox.secret, body: { name: 'a', description: 'b', type: 'date' } })
  expect(a.status).toBe(201)
})
