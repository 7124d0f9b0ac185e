// /v1/customers/{customer_id}/addresses: the book of a customer, with at most one default for shipping and one for billing.

import { describe, expect, it } from 'vitest'
import type { CustomerAddress } from '../../../src/api/customers/schema.ts'
import { testApp } from '../../support/app.ts'
import { malformed, notValid } from '../../support/shop.ts'
import { NOT_FOUND } from '../orders/support.ts'
import { openCustomers, SESSION_OVER, UNKNOWN_ID } from './shop.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openCustomers(app)
const stranger = await openCustomers(app)
const NO_ADDRESS_ID = `adrs_${'0'.repeat(26)}`

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
const NOTHING = Object.fromEntries(Object.keys(FULL).map((field) => [field, null]))
const list = async (customer: string, query = '') =>
  (await shop.succeed(200, 'GET', `/${customer}/addresses${query}`)) as { data: CustomerAddress[] }

it('an address is added, read, changed and deleted, and each change is told as one of its customer', async () => {
  const customer = await shop.create()
  app.clock.advance(1)
  const added = await shop.addAddress(customer.id, { ...FULL, default_shipping: true, id: 'adrs_mine' })
  expect(added).toEqual({
    id: expect.stringMatching(/^adrs_[0-9A-Za-z]{26}$/),
    ...FULL,
    default_shipping: true,
    default_billing: false,
    created: now(),
    updated: now(),
  })
  const path = `/${customer.id}/addresses/${added.id}`
  expect(await shop.succeed(200, 'GET', path)).toEqual(added)
  const withAddress = { ...customer, updated: now(), default_shipping: added }
  expect(await shop.get(customer.id)).toEqual(withAddress)

  app.clock.advance(1)
  const changed = await shop.succeed(200, 'PUT', path, { street: 'Oak 2', meta: { gate: 1 }, default_billing: true })
  expect(changed).toEqual({ ...added, street: 'Oak 2', meta: { gate: 1 }, default_billing: true, updated: now() })
  const withBoth = { ...customer, updated: now(), default_shipping: changed, default_billing: changed }
  expect(await shop.get(customer.id)).toEqual(withBoth)
  app.clock.advance(1)
  const none = { ...NOTHING, default_shipping: false, default_billing: false }
  expect(await shop.succeed(200, 'PUT', path, none)).toEqual({ ...added, ...none, updated: now() })

  app.clock.advance(1)
  await shop.succeed(204, 'DELETE', path)
  expect(await shop.refused('GET', path)).toEqual([404, NOT_FOUND('address')])
  const without = { ...customer, updated: now() }
  expect(await shop.get(customer.id)).toEqual(without)
  const told = (await shop.customerEvents()).filter(({ name }) => name === 'customers.update')
  expect(told.map(({ payload }) => payload)).toEqual([
    withAddress,
    withBoth,
    { ...without, updated: now() - 1 },
    without,
  ])
  expect(told[0]).toMatchObject({ sandbox: true, response_code: 200 })
})

it('an address may be empty, and addresses are listed oldest first', async () => {
  const { id } = await shop.create()
  const first = await shop.addAddress(id)
  expect(first).toMatchObject({ ...NOTHING, default_shipping: false, default_billing: false })
  app.clock.advance(1)
  const second = await shop.addAddress(id)
  expect(await list(id)).toEqual({
    data: [first, second],
    meta: { pagination: { total: 2, count: 2, per_page: 15, current_page: 1, total_pages: 1, links: {} } },
  })
  expect((await list(id, '?limit=1&page=2')).data).toEqual([second])
  expect((await list((await shop.create()).id)).data).toEqual([])
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
  const old = await Promise.all(Array.from({ length: 5 }, () => shop.addAddress(id, { default_shipping: true })))
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
  for (let round = 0; round < 14; round++) await Promise.all(Array.from({ length: 7 }, () => shop.addAddress(id)))
  const last = await Promise.all(Array.from({ length: 4 }, () => shop.call('POST', `/${id}/addresses`, {})))
  expect(last.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422])
  expect(await shop.refused('POST', `/${id}/addresses`, { default_shipping: true })).toEqual([
    422,
    notValid({ addresses: ['addresses must be at most 100 for each customer. Delete one first.'] }),
  ])
})

it('what is badly formed is refused', async () => {
  const { id } = await shop.create()
  const address = await shop.addAddress(id)
  for (const [method, path] of [
    ['POST', `/${id}/addresses`],
    ['PUT', `/${id}/addresses/${address.id}`],
  ] as const) {
    expect(await shop.refused(method, path, { country: 'XX', meta: { text: 'x'.repeat(16_384) } })).toEqual([
      422,
      malformed({
        country: ['country must be the ISO 3166-1 code of a country, such as CA or US.'],
        meta: ['meta must be at most 16 KB (16384 bytes) as JSON text.'],
      }),
    ])
    expect(await shop.refused(method, path, { default_shipping: 1 })).toEqual([
      422,
      malformed({ default_shipping: ['default_shipping must be true or false.'] }),
    ])
  }
})

it('an address is as unknown under another customer, mode or shop as one that does not exist', async () => {
  const [{ id }, other] = [await shop.create(), await shop.create()]
  const address = await shop.addAddress(id)
  for (const [method, body] of [['GET'], ['PUT', { name: 'Eve' }], ['DELETE']] as const) {
    for (const path of [`/${id}/addresses/${NO_ADDRESS_ID}`, `/${other.id}/addresses/${address.id}`])
      expect(await shop.refused(method, path, body)).toEqual([404, NOT_FOUND('address')])
    expect(await shop.refused(method, `/${UNKNOWN_ID}/addresses/${address.id}`, body)).toEqual([
      404,
      NOT_FOUND('customer'),
    ])
    for (const key of [stranger.keys.sandbox.secret, shop.keys.live.secret])
      expect(await shop.refused(method, `/${id}/addresses/${address.id}`, body, key)).toEqual([
        404,
        NOT_FOUND('customer'),
      ])
    expect((await shop.refused(method, `/${id}/addresses/${address.id}`, body, shop.keys.sandbox.public))[0]).toBe(403)
  }
})

describe('with the token of a customer', () => {
  it('the own addresses are listed, read, added, changed and deleted', async () => {
    const customer = await shop.create()
    const own = await shop.logIn(customer.id)
    const path = `/${customer.id}/addresses`
    const added = (await shop.succeed(201, 'POST', path, { ...FULL, default_billing: true }, own)) as CustomerAddress
    expect(added).toMatchObject({ ...FULL, default_billing: true })
    expect(await shop.succeed(200, 'GET', path, undefined, own)).toMatchObject({ data: [added] })
    expect(await shop.succeed(200, 'GET', `${path}/${added.id}`, undefined, own)).toEqual(added)
    const changed = await shop.succeed(200, 'PUT', `${path}/${added.id}`, { street: 'Oak 2' }, own)
    expect(changed).toMatchObject({ ...FULL, street: 'Oak 2' })
    expect(await shop.get(customer.id, own)).toMatchObject({ default_billing: changed })
    await shop.succeed(204, 'DELETE', `${path}/${added.id}`, undefined, own)
    expect(await list(customer.id)).toMatchObject({ data: [] })
    expect(await shop.refused('GET', `${path}/${added.id}`, undefined, own)).toEqual([404, NOT_FOUND('address')])
  })

  it("another's addresses are 403, whether they exist or not, and an address of another's under the own path is 404", async () => {
    const [customer, other] = [await shop.create(), await shop.create()]
    const own = await shop.logIn(customer.id)
    const { id } = await shop.addAddress(other.id, FULL)
    const texts = new Set<string>()
    for (const whose of [other.id, UNKNOWN_ID])
      for (const [method, rest, body] of [
        ['GET', '', undefined],
        ['POST', '', FULL],
        ['GET', `/${id}`, undefined],
        ['PUT', `/${id}`, { name: 'Eve' }],
        ['DELETE', `/${id}`, undefined],
      ] as const) {
        const answer = await shop.call(method, `/${whose}/addresses${rest}`, body, own)
        expect([method, answer.status]).toEqual([method, 403])
        texts.add(answer.text)
      }
    expect(texts.size).toBe(1)
    for (const [method, body] of [
      ['GET', undefined],
      ['PUT', { name: 'Eve' }],
      ['DELETE', undefined],
    ] as const)
      expect(await shop.refused(method, `/${customer.id}/addresses/${id}`, body, own)).toEqual([
        404,
        NOT_FOUND('address'),
      ])
    expect(await list(other.id)).toMatchObject({ data: [{ id, name: 'Ann Lee' }] })
  })

  it('nothing is read or written once the session is over, or the customer deleted', async () => {
    const customer = await shop.create()
    const own = await shop.logIn(customer.id)
    const { id } = await shop.addAddress(customer.id, FULL)
    app.clock.advance(1)
    // The merchant may be giving the account back to its owner: whoever is logged in is logged out.
    await shop.update(customer.id, { email: 'given-back@example.com' })
    const everything = [
      ['GET', '', undefined],
      ['POST', '', FULL],
      ['GET', `/${id}`, undefined],
      ['PUT', `/${id}`, { name: 'Eve' }],
      ['DELETE', `/${id}`, undefined],
    ] as const
    for (const [method, rest, body] of everything)
      expect(await shop.refused(method, `/${customer.id}/addresses${rest}`, body, own)).toEqual([401, SESSION_OVER])
    app.clock.advance(1)
    const later = await shop.logIn(customer.id)
    await shop.succeed(200, 'GET', `/${customer.id}/addresses/${id}`, undefined, later)
    await shop.succeed(204, 'DELETE', `/${customer.id}`)
    for (const [method, rest, body] of everything)
      expect(await shop.refused(method, `/${customer.id}/addresses${rest}`, body, later)).toEqual([401, SESSION_OVER])
  })

  it('an hour has 60 changes of a customer, those of addresses among them; the merchant has no such limit', async () => {
    const customer = await shop.create()
    const own = await shop.logIn(customer.id)
    const { id } = await shop.addAddress(customer.id, FULL)
    const path = `/${customer.id}/addresses/${id}`
    for (let count = 1; count <= 60; count++) await shop.succeed(200, 'PUT', path, { street: `Elm ${count}` }, own)
    expect((await shop.refused('PUT', path, { street: 'Elm 61' }, own))[0]).toBe(429)
    await shop.succeed(200, 'PUT', path, { street: 'Elm 62' })
  })
})
