// PUT and DELETE /v1/discounts/{id}: only what is sent changes, and what would break a rule changes nothing.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { malformedField as malformed, notValidField as notValid } from '../../support/shop.ts'
import { eventsOf, openShop, PERCENTAGE_RULE, TAKEN, use } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)
const mug = await shop.product('Mug')

describe('PUT /v1/discounts/{id}', () => {
  it('lets a code change its case', async () => {
    const { id } = await shop.create({ code: 'case' })
    expect(await shop.update(id, { code: 'CASE' })).toMatchObject({ code: 'CASE' })
  })

  it('reads the value anew when the type changes alone', async () => {
    const large = await shop.create({ type: 'fixed', value: 150 })
    expect(await shop.refused('PUT', `discounts/${large.id}`, { type: 'percentage' })).toEqual(
      malformed('value', PERCENTAGE_RULE),
    )
    const fine = await shop.create({ type: 'percentage', value: 12.345 })
    expect(await shop.refused('PUT', `discounts/${fine.id}`, { type: 'fixed' })).toEqual(
      malformed('value', 'must have at most 2 decimals, as USD has.'),
    )
  })

  it.each([
    [{ type: 'percentage', value: 101 }, malformed('value', PERCENTAGE_RULE)],
    [{ product_ids: [mug, 'prod_1'] }, notValid('product_ids.1', 'is not the id of a product.')],
  ])('refuses %j', async (body, refusal) => {
    const { id } = await shop.create({ type: 'fixed', value: 12.5 })
    expect(await shop.refused('PUT', `discounts/${id}`, body)).toEqual(refusal)
  })

  it('refuses a code that is taken, also when two ask for it at the same moment', async () => {
    await shop.create({ code: 'Taken' })
    const { id } = await shop.create()
    expect(await shop.refused('PUT', `discounts/${id}`, { code: 'tAKEN' })).toEqual(TAKEN)
    const others = await Promise.all([shop.create(), shop.create(), shop.create()])
    const answers = await Promise.all(others.map((each) => shop.call('PUT', `discounts/${each.id}`, { code: 'Race' })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422])
    for (const { status, body } of answers) if (status === 422) expect([status, body]).toEqual(TAKEN)
  })
})

it('DELETE /v1/discounts/{id} deletes with its uses, and tells them in the event', async () => {
  const quiet = await openShop(app)
  const before = await quiet.create({ code: 'Gone' })
  await use(app.db, quiet.id, before.id, true, 2)
  const answer = await quiet.call('DELETE', `discounts/${before.id}`)
  expect([answer.status, answer.text]).toEqual([204, ''])
  expect((await quiet.call('GET', `discounts/${before.id}`)).status).toBe(404)
  expect((await eventsOf(app.db, quiet.id)).find(({ name }) => name === 'discounts.delete')).toEqual({
    name: 'discounts.delete',
    kind: 'discount',
    sandbox: null,
    payload: { ...before, used: 2 },
    response_code: 204,
  })
  await quiet.create({ code: 'Gone' })
})
