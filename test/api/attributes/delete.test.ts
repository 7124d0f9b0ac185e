// DELETE /v1/attributes/{id}: once, and gone for good.

import { describe, expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { create, eventsOf, itFindsNoOther, itNeedsTheSecretKey, NOT_FOUND, rowsOf, shopOf } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const remove = (id: string, key: string) => app.call('DELETE', `/v1/attributes/${id}`, { key })

describe('DELETE /v1/attributes/{id}', () => {
  it('answers 204 without a body, and the attribute is gone', async () => {
    const { id: merchantId, keys } = await app.merchant()
    const { id } = await create(app, keys.sandbox.secret)
    const answer = await remove(id, keys.sandbox.secret)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers['content-type']).toBeUndefined()
    expect(await rowsOf(app.db, merchantId)).toEqual([])
    const read = await app.call('GET', `/v1/attributes/${id}`, { key: keys.sandbox.secret })
    expect([read.status, read.body]).toEqual([404, NOT_FOUND])
    const changed = await app.call('PUT', `/v1/attributes/${id}`, { key: keys.sandbox.secret, body: { name: 'New' } })
    expect([changed.status, changed.body]).toEqual([404, NOT_FOUND])
  })

  it('finds nothing the second time', async () => {
    const { id: merchantId, keys } = await app.merchant()
    const { id } = await create(app, keys.sandbox.secret)
    await remove(id, keys.sandbox.secret)
    const again = await remove(id, keys.sandbox.secret)
    expect([again.status, again.body]).toEqual([404, NOT_FOUND])
    expect((await eventsOf(app.db, merchantId)).map(({ name }) => name).sort()).toEqual([
      'attributes.create',
      'attributes.delete',
    ])
  })

  it('leaves the other attributes as they were', async () => {
    const { id: merchantId, keys } = await app.merchant()
    await create(app, keys.sandbox.secret, { name: 'First' })
    const before = await rowsOf(app.db, merchantId)
    app.clock.advance(1)
    const { id } = await create(app, keys.sandbox.secret, { name: 'Second' })
    await remove(id, keys.sandbox.secret)
    expect(await rowsOf(app.db, merchantId)).toEqual(before)
  })

  it('lets the live key delete what the sandbox key made', async () => {
    const { keys } = await shopOf(app)
    const { id } = await create(app, keys.sandbox.secret)
    const headers = { 'x-forwarded-proto': 'https' }
    const answer = await app.call('DELETE', `/v1/attributes/${id}`, { key: keys.live.secret, headers })
    expect(answer.status).toBe(204)
    expect((await app.call('GET', `/v1/attributes/${id}`, { key: keys.sandbox.secret })).status).toBe(404)
  })

  it('ignores a body, as existing clients send null', async () => {
    const { keys } = await shopOf(app)
    const { id } = await create(app, keys.sandbox.secret)
    expect((await app.call('DELETE', `/v1/attributes/${id}`, { key: keys.sandbox.secret, body: null })).status).toBe(
      204,
    )
  })

  it('gives one of two at once 204 and the other 404', async () => {
    const { id: merchantId, keys } = await app.merchant()
    for (let round = 0; round < 10; round++) {
      const { id } = await create(app, keys.sandbox.secret)
      const answers = await Promise.all([remove(id, keys.sandbox.secret), remove(id, keys.sandbox.secret)])
      answers.sort((one, other) => one.status - other.status)
      expect(answers.map(({ status, body }) => [status, body])).toEqual([
        [204, ''],
        [404, NOT_FOUND],
      ])
    }
    const events = await eventsOf(app.db, merchantId)
    expect(events.filter(({ name }) => name === 'attributes.delete')).toHaveLength(10)
  })

  it('leaves a change that comes at the same moment either done before it or refused', async () => {
    const { id: merchantId, keys } = await app.merchant()
    for (let round = 0; round < 10; round++) {
      const { id } = await create(app, keys.sandbox.secret)
      const change = { key: keys.sandbox.secret, body: { name: 'Changed' } }
      const [changed, removed] = await Promise.all([
        app.call('PUT', `/v1/attributes/${id}`, change),
        remove(id, keys.sandbox.secret),
      ])
      expect(removed.status).toBe(204)
      const events = (await eventsOf(app.db, merchantId)).filter(({ payload }) => payload.id === id)
      const deleted = events.find(({ name }) => name === 'attributes.delete')
      // The deletion tells the body as it was then: with the change exactly when the change was accepted.
      expect([changed.status, deleted?.payload.name]).toEqual(
        changed.status === 200 ? [200, 'Changed'] : [404, 'Material'],
      )
    }
  })

  itNeedsTheSecretKey(app, (id) => ({ method: 'DELETE', url: `/v1/attributes/${id}` }))
  itFindsNoOther(app, (id) => ({ method: 'DELETE', url: `/v1/attributes/${id}` }))
})
