// @sampled: the proof tries each race more often.
// /v1/customers: the records, for the secret key and, one's own, for a customer who has logged in.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { size } from '../../support/proof.ts'
import { sql } from '../../support/rows.ts'
import { atOnce, malformed, notValidField } from '../../support/shop.ts'
import { draftOf, NOT_FOUND } from '../orders/support.ts'
import { openCustomers, rowsOf, SESSION_OVER, UNKNOWN_ID } from './shop.ts'

const app = await sharedApp()
const shop = await openCustomers(app)
const stranger = await openCustomers(app)

const TAKEN = notValidField('email', 'belongs to another customer; it must be unique, regardless of case.')
const EMAIL_RULE = 'email must be an e-mail address such as name@example.com.'
const META_RULE = 'meta must be at most 16 KB (16384 bytes) as JSON text.'
const ALL = { firstname: 'Ann', lastname: 'Lee', phone: '555', external_id: 'crm-1', meta: { b: 1, a: [null] } }
const NONE = { firstname: null, lastname: null, phone: null, external_id: null, meta: null }
const NO_DEFAULTS = { default_shipping: null, default_billing: null }

const event = (verb: 'create' | 'update' | 'delete', payload: unknown) => ({
  name: `customers.${verb}`,
  kind: 'customer',
  sandbox: true,
  payload,
  response_code: { create: 201, update: 200, delete: 204 }[verb],
})

describe('creating a customer', () => {
  it('answers the record and tells it, and needs an e-mail address alone', async () => {
    // Later than the customers before, so that its event is the last.
    app.clock.advance(1)
    const created = await shop.create({ ...ALL, email: ' Ann.Lee@Example.com ' })
    expect(created).toMatchObject({ ...ALL, email: 'Ann.Lee@Example.com', ...NO_DEFAULTS })
    expect((await shop.customerEvents()).at(-1)).toEqual(event('create', created))
    expect(await shop.get(created.id)).toEqual(created)
    expect(await shop.create()).toMatchObject({ ...NONE, ...NO_DEFAULTS })
  })

  it('refuses an address that another customer of the shop and the mode has, in any case', async () => {
    const { id } = await shop.create({ email: 'One@example.com' })
    expect(await shop.refused('POST', '', { email: 'oNE@EXAMPLE.com' })).toEqual(TAKEN)
    const other = await shop.create()
    for (const by of [undefined, await shop.logIn(other.id)])
      expect(await shop.refused('PUT', `/${other.id}`, { email: 'oNE@EXAMPLE.com' }, by)).toEqual(TAKEN)
    expect((await shop.update(id, { email: 'ONE@example.com' })).email).toBe('ONE@example.com')
    await shop.create({ email: 'one@example.com' }, shop.keys.live.secret)
    await stranger.create({ email: 'one@example.com' })
  })

  it('refuses what is no address, and a meta above 16 KB, all of it at once', async () => {
    const { id } = await shop.create()
    // The Kelvin sign, whose lower case is k.
    for (const email of ['ann', 'a b@c.example', 'ann@\u212Aelvin.example'])
      for (const [method, path] of [
        ['POST', ''],
        ['PUT', `/${id}`],
      ] as const)
        expect(await shop.refused(method, path, { email, meta: { text: 'x'.repeat(16_384) } })).toEqual([
          422,
          malformed({ email: [EMAIL_RULE], meta: [META_RULE] }),
        ])
  })

  it('of twenty at once with one address makes one', async () => {
    const answers = await atOnce(20, (index) =>
      shop.call('POST', '', { email: index % 2 ? 'r@r.example' : 'R@r.example' }),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(422)])
    const told = (await shop.customerEvents()).filter(({ payload }) =>
      /^r@/i.test((payload as { email: string }).email),
    )
    expect(told.length).toBe(1)
  })
})

describe('changing a customer', () => {
  it('by the customer changes what is sent, and tells it', async () => {
    const before = await shop.create({ ...ALL, meta: { old: 1, kept: 2 } })
    app.clock.advance(5)
    const by = await shop.logIn(before.id)
    const partly = await shop.update(before.id, { firstname: 'Anna', meta: { old: 2 }, id: 'x', created: 1 }, by)
    expect(partly).toEqual({ ...before, firstname: 'Anna', meta: { old: 2 }, updated: before.created + 5 })
    expect((await shop.customerEvents()).at(-1)).toEqual(event('update', partly))
    const email = `New.${before.email}`
    expect(await shop.update(before.id, { ...NONE, email }, by)).toEqual({ ...partly, ...NONE, email })
    expect(await shop.get(before.id, by)).toEqual({ ...partly, ...NONE, email })
  })

  it('that changes nothing writes nothing, tells nothing and counts for nothing', async () => {
    const before = await shop.create(ALL)
    const by = await shop.logIn(before.id)
    app.clock.advance(5)
    const rows = await rowsOf(app.db, shop.id)
    for (const body of [{}, { ...ALL, email: before.email }, { meta: { b: 1, a: [null] } }])
      for (const who of [by, undefined]) expect(await shop.update(before.id, body, who)).toEqual(before)
    for (let times = 0; times < 60; times++) await shop.call('PUT', `/${before.id}`, ALL, by)
    expect(await rowsOf(app.db, shop.id)).toEqual(rows)
    expect((await shop.update(before.id, { phone: '556' }, by)).phone).toBe('556')
  })

  it('is done by the customer sixty times an hour at most, addresses among them, and by the secret key as often as it likes', async () => {
    const { id } = await shop.create()
    const by = await shop.logIn(id)
    const address = `/${id}/addresses/${(await shop.addAddress(id)).id}`
    for (let times = 1; times <= 30; times++) {
      await shop.update(id, { phone: `${times}` }, by)
      await shop.succeed(200, 'PUT', address, { street: `Elm ${times}` }, by)
    }
    expect((await shop.refused('PUT', address, { street: 'Elm 31' }, by))[0]).toBe(429)
    const [status] = await shop.refused('PUT', `/${id}`, { phone: 'more' }, by)
    // Another session of the same customer has no more.
    const [again] = await shop.refused('PUT', `/${id}`, { phone: 'more' }, await shop.logIn(id))
    expect([status, again]).toEqual([429, 429])
    expect((await shop.update(id, { phone: 'by the shop' })).phone).toBe('by the shop')
    const other = await shop.create()
    expect((await shop.update(other.id, { phone: '1' }, await shop.logIn(other.id))).phone).toBe('1')
    app.clock.advance(3_600)
    expect((await shop.update(id, { phone: 'later' }, by)).phone).toBe('later')
  })

  it('of two that take one address at once, exactly one gets it', async () => {
    for (let round = 0; round < size(3, 10); round++) {
      const both = [await shop.create(), await shop.create()]
      const email = `round${round}@example.com`
      const answers = await Promise.all(both.map(({ id }) => shop.call('PUT', `/${id}`, { email })))
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422])
      expect(answers.filter(({ status }) => status === 422).map(({ status, body }) => [status, body])).toEqual([TAKEN])
    }
  })

  it('of two that swap their addresses at once, neither fails otherwise than by a refusal', async () => {
    for (let round = 0; round < size(3, 10); round++) {
      const [a, b] = [await shop.create(), await shop.create()]
      const change = ({ id }: { id: string }, email: string) => shop.call('PUT', `/${id}`, { email })
      for (const { status, text } of await Promise.all([change(a, b.email), change(b, a.email)]))
        expect([200, 422], text).toContain(status)
    }
  })

  it('of the address is tried by a customer ten times an hour, refused or not', async () => {
    const { id, email } = await shop.create()
    const other = await shop.create()
    const session = await shop.logIn(id)
    const TOO_MANY = 'The e-mail address was changed too often. Please try again in an hour.'
    const change = (to: string, by = session) => shop.call('PUT', `/${id}`, { email: to, phone: '1' }, by)
    for (let count = 1; count <= 5; count++) {
      const { status, body } = await change(other.email)
      expect([status, body]).toEqual(TAKEN)
      expect((await change(`try${count}.${email}`)).status).toBe(200)
      // Neither tells anything.
      expect([(await change(`TRY${count}.${email}`)).status, (await change('no address')).status]).toEqual([200, 422])
    }
    for (const to of [other.email, `more.${email}`]) {
      const { status, headers, body } = await change(to)
      const params = { seconds: 3_600 }
      const said = { message: TOO_MANY, code: 'too_many_email_changes', params, errors: { email: [TOO_MANY] } }
      expect([status, headers['retry-after'], body]).toEqual([
        429,
        '3600',
        { error: { type: 'too_many_requests', ...said }, status_code: 429 },
      ])
    }
    expect((await shop.update(id, { firstname: 'Still', email: `try5.${email}` }, session)).firstname).toBe('Still')
    expect(
      (await shop.call('PUT', `/${other.id}`, { email: `x${other.email}` }, await shop.logIn(other.id))).status,
    ).toBe(200)
    // A server with the secret key speaks for many.
    expect((await change(email, shop.keys.sandbox.secret)).status).toBe(200)
    app.clock.advance(3_600)
    expect((await change(`later.${email}`, await shop.logIn(id))).status).toBe(200)
  })

  it('while orders come in under the new address neither fails nor makes a second customer of it', async () => {
    for (let round = 0; round < size(3, 10); round++) {
      const { id } = await shop.create()
      const email = `capture${round}@example.com`
      const customer = { ...draftOf().customer, email }
      const [changed, ...orders] = await Promise.all([
        shop.call('PUT', `/${id}`, { email }),
        shop.order({ customer }),
        shop.order({ customer }),
      ])
      expect([200, 422], changed.text).toContain(changed.status)
      const owners = new Set(orders.map((order) => order.customer.id))
      expect(owners.size).toBe(1)
      expect(owners.has(id)).toBe(changed.status === 200)
    }
  })
})

describe('deleting a customer', () => {
  it('takes addresses and login tokens with it, leaves the orders, and tells the record as it was', async () => {
    const order = await shop.order({ customer: { ...draftOf().customer, email: 'leaving@example.com' } })
    const { id } = order.customer
    const address = await shop.addAddress(id, { street: 'Elm 1', default_shipping: true })
    await app.db.run(insertToken, {
      merchant_id: shop.id,
      customer_id: id,
      token_hash: Buffer.alloc(32),
      expires_at: app.clock.now(),
    })
    const before = await shop.get(id)
    expect(before.default_shipping).toEqual(address)
    app.clock.advance(1)
    expect(await shop.succeed(204, 'DELETE', `/${id}`)).toBe('')
    expect((await shop.customerEvents()).at(-1)).toEqual(event('delete', before))
    const rows = (await rowsOf(app.db, shop.id)).filter((row) => row.includes(id) && !row.includes('evt_'))
    expect(rows).toEqual([])
    expect(await shop.refused('GET', `/${id}`)).toEqual([404, NOT_FOUND('customer')])
    expect((await app.call('GET', `/v1/orders/${order.id}`, { key: shop.keys.sandbox.secret })).body).toEqual(order)
    // The address is free again.
    expect((await shop.create({ email: 'leaving@example.com' })).id).not.toBe(id)
  })
})

const insertToken = sql`
  insert into login_tokens (merchant_id, customer_id, token_hash, is_sandbox, email_key, expires_at)
  values (:merchant_id, :customer_id, :token_hash, true, 'leaving@example.com', :expires_at)`

describe('the list of customers', async () => {
  const lists = await openCustomers(app)
  const first = await lists.create({ email: 'Ann@a.example', external_id: 'crm-1' })
  app.clock.advance(1)
  const second = await lists.create({ email: 'bob@b.example', external_id: 'ann@' })
  app.clock.advance(1)
  const third = await lists.create({ email: 'annabel@c.example' })
  const address = await lists.addAddress(third.id, { street: 'Oak 2', default_billing: true })
  const withAddress = { ...third, default_billing: address }

  it.each([
    ['', [withAddress, second, first]],
    ['?sortBy=created_at&sortDirection=asc', [first, second, withAddress]],
    ['?sortBy=created_at&sortDirection=desc', [withAddress, second, first]],
    [`?query=${first.id}`, [first]],
    [`?query=${first.id}&sortDirection=asc`, [first]],
    ['?query=ANN', [withAddress, first]],
    ['?query=ann@&sortDirection=asc', [first, second]],
    ['?query=crm-1', [first]],
    ['?query=crm', []],
    ['?query=%25', []],
    ['?query=a.example', []],
    [`?query=${UNKNOWN_ID}`, []],
    ['?query=%20', [withAddress, second, first]],
  ])('of %s holds those that match', async (query, expected) => {
    expect(((await lists.succeed(200, 'GET', query)) as { data: unknown }).data).toEqual(expected)
  })

  it('finds the beginning of a first, a last or a full name, in any case', async () => {
    const names = await openCustomers(app)
    const ada = await names.create({ email: 'a@a.example', firstname: 'Ada', lastname: 'Lovelace' })
    app.clock.advance(1)
    const grace = await names.create({ email: 'g@a.example', firstname: 'Grace', lastname: 'Adams' })
    app.clock.advance(1)
    const only = await names.create({ email: 'o@a.example', lastname: 'Öztürk' })
    await names.create({ email: 'nobody@a.example' })
    for (const [query, expected] of [
      ['ada', [grace, ada]],
      ['ADA L', [ada]],
      ['love', [ada]],
      ['lace', []],
      ['grace adams', [grace]],
      ['adams grace', []],
      ['öZ', [only]],
      ['%', []],
      ['_', []],
    ] as const)
      expect([
        query,
        ((await names.succeed(200, 'GET', `?query=${encodeURIComponent(query)}`)) as { data: unknown }).data,
      ]).toEqual([query, expected])
  })
})

describe('who may use a record', async () => {
  const other = await shop.create()
  const OWN = [
    ['GET', ''],
    ['PUT', ''],
    ['GET', '/orders'],
    ['GET', '/addresses'],
    ['POST', '/addresses'],
    ['GET', `/addresses/adrs_${'0'.repeat(26)}`],
    ['PUT', `/addresses/adrs_${'0'.repeat(26)}`],
    ['DELETE', `/addresses/adrs_${'0'.repeat(26)}`],
    ['GET', `/orders/ord_${'0'.repeat(26)}`],
  ] as const

  it('a session that others have ended, or whose customer is gone, is like one whose time is over', async () => {
    const gone = await shop.create()
    const [ended, left] = [await shop.logIn(other.id), await shop.logIn(gone.id)]
    app.clock.advance(1)
    await app.db.run(endSessions, { merchant_id: shop.id, id: other.id, sessions_from: app.clock.now() })
    await shop.succeed(204, 'DELETE', `/${gone.id}`)
    for (const [customer, by] of [
      [other.id, ended],
      [gone.id, left],
    ] as const)
      for (const [method, path] of OWN)
        expect(
          await shop.refused(
            method,
            `/${customer}${path}`,
            method === 'GET' || method === 'DELETE' ? undefined : {},
            by,
          ),
        ).toEqual([401, SESSION_OVER])
    // Begun in the moment in which the others ended.
    expect((await shop.get(other.id, await shop.logIn(other.id))).id).toBe(other.id)
  })
})

const endSessions = sql`
  update customers set sessions_from = :sessions_from where merchant_id = :merchant_id and id = :id`
