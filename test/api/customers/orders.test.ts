// A customer's orders: what the secret key sees, of this customer alone. unproven-orders.test.ts has what a changed address must not open.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { testApp } from '../../support/app.ts'
import { malformed, ORIGIN } from '../../support/shop.ts'
import { digital, draftOf, NOT_FOUND, UNKNOWN_ID } from '../orders/support.ts'
import { openCustomers } from './shop.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openCustomers(app)
const by = (email: string) => ({ customer: { ...draftOf().customer, email } })

describe("a customer's orders", async () => {
  // Each a second after the one before.
  const first = await shop.order(by('ann@example.com'))
  const foreign = await shop.order(by('bob@example.com'))
  const second = await shop.order({ ...by('Ann@example.com'), lines: [digital()] })
  const third = await shop.order(by('ann@example.com'), 'manual')
  const { id } = first.customer
  const session = await shop.logIn(id)

  it.each([
    ['', [third, second, first]],
    ['?sortBy=created_at&sortDirection=desc', [third, second, first]],
    ['?sortBy=created_at&sortDirection=asc', [first, second, third]],
    [`?query=${first.customer_reference}`, [first]],
    [`?query=${foreign.id}`, []],
    ['?query=bob', []],
    ['?status_payment=not_paid&status_fulfillment=not_fulfilled', [third]],
    [`?customer_id=${foreign.customer.id}`, []],
    [`?customer_id=${id}&created_after=${first.created}&created_before=${third.created}&query=ann`, [second]],
    ['?limit=1&page=2', [second]],
    ['?page=2', []],
  ])('of %s are for the customer what they are for the secret key, and no other', async (query, expected) => {
    const own = await shop.call('GET', `/${id}/orders${query}`, undefined, session)
    expect((own.body as { data: Order[] }).data).toEqual(expected)
    expect((await shop.call('GET', `/${id}/orders${query}`)).text).toBe(own.text)
  })

  it('come in the pages of the list of orders', async () => {
    expect(await shop.succeed(200, 'GET', `/${id}/orders`, undefined, session)).toMatchObject({
      meta: { pagination: { per_page: 20, total: 3 } },
    })
    expect(await shop.succeed(200, 'GET', `/${id}/orders?limit=1&page=2`, undefined, session)).toMatchObject({
      meta: {
        pagination: {
          total: 3,
          count: 1,
          links: {
            previous: `${ORIGIN}/v1/customers/${id}/orders?limit=1&page=1`,
            next: `${ORIGIN}/v1/customers/${id}/orders?limit=1&page=3`,
          },
        },
      },
    })
    expect(await shop.refused('GET', `/${id}/orders?sortBy=total`)).toEqual([
      422,
      malformed({ sortBy: ['sortBy must be one of created_at.'] }),
    ])
  })

  it('are read one by one as the secret key reads them', async () => {
    const read = async (path: string, more: object) =>
      (await app.call('GET', `/v1/${path}`, { version: '2020-06-17', ...more })).text
    const key = shop.keys.sandbox.secret
    for (const { id: order } of [first, second]) {
      const own = await shop.call('GET', `/${id}/orders/${order}`, undefined, session)
      expect([own.status, own.text]).toEqual([200, (await shop.call('GET', `/${id}/orders/${order}`)).text])
      expect(own.text).toBe((await app.call('GET', `/v1/orders/${order}`, { key })).text)
      expect(await read(`customers/${id}/orders/${order}`, { headers: { authorization: session } })).toBe(
        await read(`orders/${order}`, { key }),
      )
    }
  })

  it('of another customer, mode or shop are as unknown as one that does not exist', async () => {
    const stranger = await openCustomers(app)
    const others = [
      foreign,
      await shop.order(by('ann@example.com'), 'manual', { isSandbox: false }),
      await stranger.order(),
    ]
    for (const who of [session, shop.keys.sandbox.secret])
      for (const order of [UNKNOWN_ID, ...others.map((each) => each.id)])
        expect(await shop.refused('GET', `/${id}/orders/${order}`, undefined, who)).toEqual([404, NOT_FOUND()])
    for (const key of [stranger.keys.sandbox.secret, shop.keys.live.secret])
      for (const path of ['', `/${first.id}`])
        expect(await shop.refused('GET', `/${id}/orders${path}`, undefined, key)).toEqual([404, NOT_FOUND('customer')])
    const [status] = await shop.refused('GET', `/${foreign.customer.id}/orders/${foreign.id}`, undefined, session)
    expect(status).toBe(403)
  })

  it('cost two statements, however many there are', async () => {
    const sent = await statementsOf(() => shop.call('GET', `/${id}/orders`, undefined, session))
    expect(sent).toEqual(['orders.own_desc', 'orders.find_many'])
    expect(await statementsOf(() => shop.call('GET', `/${id}/orders/${first.id}`, undefined, session))).toEqual([
      'orders.find_of_customer',
    ])
  })
})

/** The names of the statements that a request sends, but for those that ask who calls. */
async function statementsOf(request: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = []
  const { one, maybe, many, run } = app.db
  const seeing =
    <A extends [{ name: string }, ...unknown[]], R>(send: (...args: A) => R) =>
    (...args: A): R => {
      names.push(args[0].name)
      return send(...args)
    }
  Object.assign(app.db, { one: seeing(one), maybe: seeing(maybe), many: seeing(many), run: seeing(run) })
  try {
    await request()
  } finally {
    Object.assign(app.db, { one, maybe, many, run })
  }
  return names.filter((name) => /^(orders|customers|customer_addresses)\./.test(name))
}
