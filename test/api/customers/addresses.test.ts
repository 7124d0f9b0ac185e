// /v1/customers/{customer_id}/addresses: the book of a customer, with at most one default for shipping and one for billing. And …/orders:
// a customer sees their own as the secret key does. unproven-orders.test.ts has what a changed address must not open.

import { describe, expect, it } from 'vitest'
import type { CustomerAddress } from '../../../src/api/customers/schema.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { atOnce, malformedFields, notValidField } from '../../support/shop.ts'
import { digital, draftOf } from '../orders/support.ts'
import { statementsOf } from '../statements.ts'
import { openCustomers } from './shop.ts'

const app = await sharedApp()
const shop = await openCustomers(app)

const now = () => Math.floor(app.clock.now().getTime() / 1_000)
const FULL = {
  name: 'Ann Lee',
  street: 'Elm Street 1',
  street_2: 'Apartment 2',
  town_city: 'Vancouver',
  county_state: 'BC',
  postal_zip_code: 'V5K 0A1',
  country: 'CA',
  delivery_instructions: 'Ring twice.',
  meta: { floor: 3 },
}
const list = async (customer: string) =>
  (await shop.succeed(200, 'GET', `/${customer}/addresses`)) as { data: CustomerAddress[] }

it('an address is added, changed and deleted, and each change is told as one of its customer', async () => {
  const customer = await shop.create()
  const told = async () => (await shop.customerEvents()).at(-1)
  const event = (payload: object) => ({
    name: 'customers.update',
    kind: 'customer',
    sandbox: true,
    payload,
    response_code: 200,
  })
  app.clock.advance(1)
  const added = await shop.addAddress(customer.id, { ...FULL, default_shipping: true })
  expect(added).toMatchObject({ ...FULL, default_shipping: true, default_billing: false })
  expect(await told()).toEqual(event({ ...customer, updated: now(), default_shipping: added }))
  expect((await told())?.payload).toEqual(await shop.get(customer.id))

  app.clock.advance(1)
  const path = `/${customer.id}/addresses/${added.id}`
  const changed = await shop.succeed(200, 'PUT', path, { meta: { gate: 1 }, default_billing: true })
  expect(changed).toEqual({ ...added, meta: { gate: 1 }, default_billing: true, updated: now() })
  const both = { default_shipping: changed, default_billing: changed }
  expect(await told()).toEqual(event({ ...customer, updated: now(), ...both }))

  app.clock.advance(1)
  await shop.succeed(204, 'DELETE', path)
  expect(await told()).toEqual(event({ ...customer, updated: now() }))
})

it('a new default takes the place of the one before, for shipping and for billing apart', async () => {
  const { id } = await shop.create()
  const [one, two] = [
    await shop.addAddress(id, { default_shipping: true, default_billing: true }),
    await shop.addAddress(id),
  ]
  const defaults = async () => {
    const { default_shipping, default_billing } = await shop.get(id)
    return [default_shipping?.id, default_billing?.id]
  }
  expect(await defaults()).toEqual([one.id, one.id])
  await shop.succeed(200, 'PUT', `/${id}/addresses/${two.id}`, { default_billing: true })
  expect(await defaults()).toEqual([one.id, two.id])
  const three = await shop.addAddress(id, { default_shipping: true })
  expect(await defaults()).toEqual([three.id, two.id])
  await shop.succeed(204, 'DELETE', `/${id}/addresses/${three.id}`)
  expect(await defaults()).toEqual([undefined, two.id])
})

it('of many addresses that become the default at once, one is it', async () => {
  const { id } = await shop.create()
  const old = await atOnce(5, () => shop.addAddress(id, { default_shipping: true }))
  await Promise.all([
    ...old.map((address) =>
      shop.succeed(200, 'PUT', `/${id}/addresses/${address.id}`, { default_shipping: true, default_billing: true }),
    ),
    ...old.map(() => shop.addAddress(id, { default_shipping: true })),
  ])
  const { data } = await list(id)
  expect([data.length, data.filter((each) => each.default_shipping).length]).toEqual([10, 1])
  expect(data.filter((each) => each.default_billing).length).toBe(1)
})

it('a customer has a hundred addresses at most, also of those added at once', async () => {
  const { id } = await shop.create()
  for (let round = 0; round < 14; round++) await atOnce(7, () => shop.addAddress(id))
  const last = await atOnce(4, () => shop.call('POST', `/${id}/addresses`, {}))
  expect(last.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422])
  expect(await shop.refused('POST', `/${id}/addresses`, { default_shipping: true })).toEqual(
    notValidField('addresses', 'must have at most 100 entries for each customer. Delete one first.'),
  )
})

it('a country that is none and a meta above 16 KB are refused', async () => {
  const { id } = await shop.create()
  const address = await shop.addAddress(id)
  for (const [method, path] of [
    ['POST', `/${id}/addresses`],
    ['PUT', `/${id}/addresses/${address.id}`],
  ] as const)
    expect(await shop.refused(method, path, { country: 'XX', meta: { text: 'x'.repeat(16_384) } })).toEqual(
      malformedFields({
        country: 'must be the ISO 3166-1 code of a country, such as CA or US.',
        meta: 'must be at most 16 KB (16384 bytes) as JSON text.',
      }),
    )
})

describe("a customer's orders", async () => {
  const by = (email: string) => ({ customer: { ...draftOf().customer, email } })
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
  ])('of %s are for the customer what they are for the secret key, and no other', async (query, expected) => {
    const own = await shop.call('GET', `/${id}/orders${query}`, undefined, session)
    expect((own.body as { data: Order[] }).data).toEqual(expected)
    expect((await shop.call('GET', `/${id}/orders${query}`)).text).toBe(own.text)
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

  it('cost two statements, however many there are', async () => {
    const sent = async (path: string) =>
      (await statementsOf(() => shop.call('GET', path, undefined, session))).filter((name) =>
        /^(orders|customers|customer_addresses)\./.test(name),
      )
    expect(await sent(`/${id}/orders`)).toEqual(['orders.own_desc', 'orders.find_many'])
    expect(await sent(`/${id}/orders/${first.id}`)).toEqual(['orders.find_of_customer'])
  })
})
