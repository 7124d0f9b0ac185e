// PUT /v1/attributes/{id} by several clients at the same moment: no change is lost, and one order explains every reply.

import { describe, expect, it } from 'vitest'
import type { Attribute } from '../../../src/api/attributes/schema.ts'
import { type Answer, TestClock, testApp } from '../../support/app.ts'
import { create, eventsOf, shopOf } from './support.ts'

/** Each look at it is a millisecond later, so that the events show in which order the changes were made. */
class TickingClock extends TestClock {
  override now() {
    this.advance(0.001)
    return super.now()
  }
}

const app = await testApp({ clock: new TickingClock(), pool: { size: 8, waitMs: 90_000 } })

describe('changes at the same moment', () => {
  it('both survive when they change different fields', async () => {
    const { keys } = await shopOf(app)
    for (let round = 0; round < 20; round++) {
      const { id } = await create(app, keys.sandbox.secret)
      const change = (body: unknown) => app.call('PUT', `/v1/attributes/${id}`, { key: keys.sandbox.secret, body })
      await Promise.all([change({ name: 'New name' }), change({ meta: { new: true } })])
      const read = await app.call('GET', `/v1/attributes/${id}`, { key: keys.sandbox.secret })
      expect(read.body).toMatchObject({ name: 'New name', meta: { new: true } })
    }
  })

  it('cannot together break a rule that each keeps alone', async () => {
    const { keys } = await shopOf(app)
    for (let round = 0; round < 20; round++) {
      const { id } = await create(app, keys.sandbox.secret, { type: 'options', default_value: null })
      const change = (body: unknown) => app.call('PUT', `/v1/attributes/${id}`, { key: keys.sandbox.secret, body })
      const answers = await Promise.all([change({ type: 'date' }), change({ options: [{ value: 'a' }] })])
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
      const { body } = await app.call('GET', `/v1/attributes/${id}`, { key: keys.sandbox.secret })
      const { type, options } = body as Attribute
      expect([type, options.length]).toEqual(type === 'date' ? ['date', 0] : ['options', 1])
    }
  })

  it('end, a hundred of them, in a state that one order explains, with none lost', async () => {
    const { id: merchantId, keys } = await app.merchant()
    const before = await create(app, keys.sandbox.secret, { type: 'options' })
    const bodies = Array.from({ length: 100 }, (_, index): Partial<Attribute> => {
      const changes: Partial<Attribute>[] = [
        { name: `name ${index}` },
        { description: `description ${index}` },
        { meta: { index } },
        { required: index % 2 === 0, meta: { index } },
        { name: `name ${index}`, is_public: index % 2 === 0 },
        { is_multiselect: index % 2 === 0, description: `description ${index}` },
      ]
      return changes[index % changes.length] ?? {}
    })
    const answers = await Promise.all(
      bodies.map((body) => app.call('PUT', `/v1/attributes/${before.id}`, { key: keys.sandbox.secret, body })),
    )
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))

    const [created, ...changes] = await eventsOf(app.db, merchantId)
    expect(created?.payload).toEqual(before)
    const bodyBehind = new Map(answers.map((answer: Answer, index) => [answer.text, bodies[index]]))
    let state: Attribute = before
    for (const { payload } of changes) {
      const body = bodyBehind.get(JSON.stringify(payload))
      expect(body, 'an event that no reply told of').toBeDefined()
      state = { ...state, ...body, updated: payload.updated }
      expect(payload).toEqual(state)
    }
    expect(new Set(changes.map(({ payload }) => JSON.stringify(payload)))).toEqual(new Set(bodyBehind.keys()))
    expect(changes).toHaveLength(100)
    const read = await app.call('GET', `/v1/attributes/${before.id}`, { key: keys.sandbox.secret })
    expect(read.body).toEqual(state)
  })
})
