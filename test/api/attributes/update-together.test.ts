// PUT /v1/attributes/{id} by several clients at the same moment: no change is lost, and one order explains every reply.

import { describe, expect, it } from 'vitest'
import type { Attribute } from '../../../src/api/attributes/schema.ts'
import { type Answer, TestClock, testApp } from '../../support/app.ts'
import { eventsOf, openAttributes } from './support.ts'

/** Each look at it is a millisecond later, so that the events show in which order the changes were made. */
class TickingClock extends TestClock {
  override now() {
    this.advance(0.001)
    return super.now()
  }
}

const app = await testApp({ clock: new TickingClock(), pool: { size: 8, waitMs: 90_000 } })

const shop = await openAttributes(app)

describe('changes at the same moment', () => {
  it('cannot together break a rule that each keeps alone', async () => {
    for (let round = 0; round < 10; round++) {
      const { id } = await shop.create({ type: 'options' })
      const answers = await Promise.all([shop.put(id, { type: 'date' }), shop.put(id, { options: [{ value: 'a' }] })])
      expect(answers.map(([status]) => status).sort()).toEqual([200, 422])
      const { type, options } = await shop.get(id)
      expect([type, options.length]).toEqual(type === 'date' ? ['date', 0] : ['options', 1])
    }
  })

  it('leave a change beside a deletion either done before it or refused', async () => {
    const { merchant_id, create, call } = await openAttributes(app)
    for (let round = 0; round < 5; round++) {
      const { id } = await create()
      const [changed, removed] = await Promise.all([
        call('PUT', `/${id}`, { name: 'Changed' }),
        call('DELETE', `/${id}`),
      ])
      const events = (await eventsOf(app.db, merchant_id)).filter(({ payload }) => payload.id === id)
      const { payload } = events.find(({ name }) => name === 'attributes.delete') ?? {}
      // The deletion tells the body as it was then: with the change exactly when the change was accepted.
      expect([removed.status, changed.status, payload?.name]).toEqual(
        changed.status === 200 ? [204, 200, 'Changed'] : [204, 404, 'Material'],
      )
    }
  })

  it('end, a hundred of them, in a state that one order explains, with none lost', async () => {
    const { merchant_id, create, call, get } = await openAttributes(app)
    const before = await create({ type: 'options' })
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
    const answers = await Promise.all(bodies.map((body) => call('PUT', `/${before.id}`, body)))
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))

    const [created, ...changes] = await eventsOf(app.db, merchant_id)
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
    expect(await get(before.id)).toEqual(state)
  })
})
