// Discounts and their products: a list from 2020-06-17 on, before that one or none.

import { describe, expect, it } from 'vitest'
import type { Discount } from '../../src/api/discounts/schema.ts'
import { testApp } from '../support/app.ts'

const BEFORE = '2020-02-01'
const AFTER = '2020-06-17'

const app = await testApp()
const { keys } = await app.merchant()
const key = keys.sandbox.secret

const product = async (name: string) => {
  const { body } = await app.call('POST', '/v1/products', { key, body: { name, price: 10 } })
  return (body as Discount).id
}
const [mug, bowl] = [await product('Mug'), await product('Bowl')]

const send = async (method: 'POST' | 'PUT', path: string, version: string, body: Record<string, unknown>) => {
  const answer = await app.call(method, `/v1/discounts${path}`, { key, version, body })
  expect([answer.status, answer.text]).toEqual([method === 'POST' ? 201 : 200, answer.text])
  return answer.body as Record<string, unknown>
}
const create = (version: string, body: Record<string, unknown>) =>
  send('POST', '', version, { type: 'fixed', value: 1, ...body })

const read = async (id: unknown, version: string) => {
  const { body } = await app.call('GET', `/v1/discounts/${id}`, { key, version })
  return body as Record<string, unknown>
}

describe('a discount', () => {
  it.each([
    [[], null],
    [[mug], mug],
    [[bowl, mug], bowl],
  ])('of the products %j is one of %j before 2020-06-17, in its place', async (list, one) => {
    const { product_ids, ...rest } = await create(AFTER, { product_ids: list })
    expect(product_ids).toEqual(list)
    const aged = await read(rest.id, BEFORE)
    expect(aged).toEqual({ ...rest, product_id: one })
    expect(Object.keys(aged).indexOf('product_id')).toBe(Object.keys(rest).indexOf('limit'))
    const { body } = await app.call('GET', `/v1/discounts?query=${rest.id}`, { key, version: BEFORE })
    expect(body).toMatchObject({ data: [aged] })
  })

  it.each([
    [{ product_id: mug }, [mug]],
    [{ product_id: null }, []],
    [{ product_id: [mug, bowl] }, [mug, bowl]],
    [{ product_id: mug, product_ids: [bowl] }, [bowl]],
    [{ product_ids: [bowl, mug] }, [bowl, mug]],
    [{}, []],
  ])('is created before 2020-06-17 from %j', async (body, list) => {
    const { id } = await create(BEFORE, body)
    expect(await read(id, AFTER)).toMatchObject({ product_ids: list })
  })

  it('is changed before 2020-06-17 by one product, or by null, and keeps its products without either', async () => {
    const { id } = await create(AFTER, { product_ids: [mug, bowl] })
    for (const [body, list] of [
      [{ value: 2 }, [mug, bowl]],
      [{ product_id: bowl }, [bowl]],
      [{ product_id: null }, []],
    ] as const) {
      await send('PUT', `/${id}`, BEFORE, body)
      expect(await read(id, AFTER)).toMatchObject({ product_ids: list })
    }
  })

  it('knows no product_id from 2020-06-17 on', async () => {
    expect(await create(AFTER, { product_id: mug })).toMatchObject({ product_ids: [] })
  })

  it('says what is wrong with one product as with a list of one', async () => {
    const body = { type: 'fixed', value: 1, product_id: 'prod_1' }
    const answer = await app.call('POST', '/v1/discounts', { key, version: BEFORE, body })
    expect([answer.status, answer.body]).toMatchObject([
      422,
      { error: { type: 'not_valid', errors: { 'product_ids.0': ['product_ids.0 is not the id of a product.'] } } },
    ])
  })
})
