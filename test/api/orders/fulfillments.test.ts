// /v1/orders/{id}/fulfillments: shipments, the status of items, and the access to downloads.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { atOnce, bodyOf, malformed, notValid, replyOf } from '../../support/shop.ts'
import { digital, NOT_FOUND, openShop, physical } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app)

const now = () => Math.floor(app.clock.now().getTime() / 1_000)
const LINES = [physical(), physical({ id: 'item_cup', product_id: 'prod_cup', product_name: 'Cup', quantity: 3 })]
const itemsOf = (order: Order) => order.fulfillment.physical.items
const ship = (order: Order, body: object) => shop.call('POST', `/${order.id}/fulfillments/physical/shipments`, body)
const setItem = (order: Order, index: number, status: string) =>
  shop.call('PUT', `/${order.id}/fulfillments/physical/items/${itemsOf(order)[index]?.id}`, { status })

it('GET /v1/orders/{id}/fulfillments gives what the order shows of its delivery', async () => {
  const order = await shop.order({ lines: [...LINES, digital()] })
  expect(await replyOf(shop.call('GET', `/${order.id}/fulfillments`))).toEqual([200, order.fulfillment])
})

describe('POST /v1/orders/{id}/fulfillments/physical/shipments', () => {
  it('ships a part, then the rest: the order is partially fulfilled, then fulfilled, and each shipment is told', async () => {
    const order = await shop.order({ lines: LINES })
    const [mug, cup] = itemsOf(order)
    app.clock.advance(60)
    const parcel = {
      carrier: 'usps',
      carrier_name: 'USPS',
      tracking_number: 'Z1',
      tracking_url: 'https://example.com/Z1',
      shipped_on: order.created,
      metadata: { box: 1 },
    }
    const first = await ship(order, { items: [{ id: mug?.id, quantity: 1 }], ...parcel })
    // The golden bodies of the shipment and of its event have the other fields.
    const line = { fulfillment_item_id: mug?.id, line_item_id: 'item_mug', fulfilled_quantity: 1, total_quantity: 2 }
    const shipment = { ...parcel, order_id: order.id, created: now(), line_items: [line] }
    expect([first.status, first.body]).toMatchObject([201, shipment])
    expect((await shop.events()).at(-1)).toMatchObject({
      name: 'orders.physical.shipment',
      payload: {
        ...(first.body as object),
        meta: { box: 1 },
        customer: { email: 'jane@example.com', firstname: 'Jane' },
      },
      response_code: 201,
    })
    const firstId = (first.body as { id: string }).id
    const shipped = { quantity_fulfilled: 1, quantity_remaining: 1, last_updated: now(), linked_shipments: [firstId] }
    expect(await shop.get(order.id)).toEqual({
      ...order,
      updated: now(),
      status_fulfillment: 'partially_fulfilled',
      fulfillment: {
        ...order.fulfillment,
        physical: { items: [{ ...mug, ...shipped }, cup], shipments: [first.body] },
      },
    })

    app.clock.advance(60)
    const items = [
      { id: cup?.id, quantity: 3 },
      { id: mug?.id, quantity: 1 },
    ]
    const second = (await ship(order, { items })).body as { id: string; line_items: unknown[] }
    // In the order of the lines, whatever was sent; without a word of it, it left now.
    expect(second).toMatchObject({
      shipped_on: now(),
      carrier: null,
      metadata: null,
      line_items: [{ line_item_id: 'item_mug' }, { line_item_id: 'item_cup', fulfilled_quantity: 3 }],
    })
    const done = await shop.get(order.id)
    expect(done).toMatchObject({
      status_fulfillment: 'fulfilled',
      is: { fulfilled: true },
      conditionals: { is_fulfilled: true },
    })
    expect(itemsOf(done).map(({ status, linked_shipments }) => [status, linked_shipments])).toEqual([
      ['fulfilled', [firstId, second.id]],
      ['fulfilled', [second.id]],
    ])
  })

  it('of more than is left is refused, also when twenty come at once', async () => {
    const order = await shop.order()
    const items = [{ id: itemsOf(order)[0]?.id, quantity: 2 }]
    const answers = await atOnce(20, () => ship(order, { items }))
    expect(answers.filter(({ status }) => status === 201).length).toBe(1)
    expect(answers.find(({ status }) => status !== 201)?.body).toEqual(
      notValid({ 'items.0.quantity': ['items.0.quantity must be at most 0, the quantity that is left to ship.'] }),
    )
    expect((await shop.get(order.id)).fulfillment.physical.shipments.length).toBe(1)
  })

  it('names every mistake', async () => {
    const order = await shop.order({ lines: LINES })
    const before = [await shop.get(order.id), await shop.events()]
    const id = itemsOf(order)[0]?.id
    const refusals = [
      [{ items: [{ id, quantity: 0 }] }, malformed({ 'items.0.quantity': ['items.0.quantity must be 1 or more.'] })],
      [
        { items: [{ id, quantity: 1 }], tracking_url: 'javascript:alert(1)' },
        malformed({ tracking_url: ['tracking_url must begin with https:// or http://.'] }),
      ],
      [
        {
          items: [
            { id: 'ful_other', quantity: 1 },
            { id, quantity: 3 },
            { id, quantity: 1 },
          ],
        },
        notValid({
          'items.0.id': ['items.0.id is not the id of an item of this order that can be shipped.'],
          'items.1.quantity': ['items.1.quantity must be at most 2, the quantity that is left to ship.'],
          'items.2.id': ['items.2.id is listed twice.'],
        }),
      ],
    ] as const
    for (const [body, refusal] of refusals) expect(await replyOf(ship(order, body))).toEqual([422, refusal])
    expect([await shop.get(order.id), await shop.events()]).toEqual(before)
  })

  it('of a cancelled order is refused, and so is a status of its items', async () => {
    const order = await shop.order({}, 'manual')
    expect((await shop.call('POST', `/${order.id}/cancel`)).status).toBe(200)
    const refusal = notValid({ status: ['The order is cancelled and can no longer be changed.'] })
    expect(await replyOf(ship(order, { items: [{ id: itemsOf(order)[0]?.id, quantity: 1 }] }))).toEqual([422, refusal])
    expect((await setItem(order, 0, 'fulfilled')).body).toEqual(refusal)
  })
})

describe('PUT /v1/orders/{id}/fulfillments/physical/items/{id}', () => {
  it('takes an item through its states, and the order follows', async () => {
    const order = await shop.order({ lines: LINES })
    const steps = [
      [0, 'fulfilled', 2, 'partially_fulfilled'],
      [1, 'fulfilled', 3, 'fulfilled'],
      [0, 'returned', 2, 'fulfilled'],
      [1, 'returned', 3, 'returned'],
      [1, 'fulfilled', 3, 'fulfilled'],
      [0, 'not_fulfilled', 0, 'partially_fulfilled'],
      [1, 'not_fulfilled', 0, 'not_fulfilled'],
    ] as const
    for (const [index, status, fulfilled, expected] of steps) {
      app.clock.advance(1)
      const answer = await setItem(order, index, status)
      const item = itemsOf(order)[index]
      expect(bodyOf(200, answer)).toEqual({
        ...item,
        status,
        quantity_fulfilled: fulfilled,
        quantity_remaining: (item?.quantity ?? 0) - fulfilled,
        last_updated: now(),
      })
      const after = await shop.get(order.id)
      expect([status, after.status_fulfillment]).toEqual([status, expected])
      expect(itemsOf(after)[index]).toEqual(answer.body)
      expect((await shop.events()).at(-1)).toMatchObject({ name: 'orders.update', payload: after })
    }
  })

  it('refuses what cannot be', async () => {
    const order = await shop.order()
    expect((await setItem(order, 0, 'returned')).body).toEqual(
      notValid({ status: ['status can be returned only after some of the item has been shipped.'] }),
    )
    expect((await setItem(order, 0, 'lost')).body).toEqual(
      malformed({ status: ['status must be one of fulfilled, not_fulfilled, returned.'] }),
    )
  })

  it('that was lost can be shipped again, and its first shipment stays', async () => {
    const order = await shop.order()
    const items = [{ id: itemsOf(order)[0]?.id, quantity: 2 }]
    expect((await ship(order, { items })).status).toBe(201)
    expect((await setItem(order, 0, 'not_fulfilled')).status).toBe(200)
    app.clock.advance(1)
    expect((await ship(order, { items })).status).toBe(201)
    expect((await shop.get(order.id)).fulfillment.physical.shipments.length).toBe(2)
    // What came back is not shipped a third time by mistake.
    expect((await setItem(order, 0, 'returned')).status).toBe(200)
    expect((await ship(order, { items })).status).toBe(422)
  })
})

describe('/v1/orders/{id}/fulfillments/digital/packages', () => {
  const files = ['one', 'two'].map((name) => ({
    asset_id: 'ast_x',
    name,
    ext: 'zip',
    size_in_bytes: 2_048,
    is_sample: false,
  }))
  const lines = [digital({ packages: files, lifespan: { duration: null, period: null, download_limit: 3 } })]

  it('lists the packages of an order, and gives each', async () => {
    const order = await shop.order({ lines })
    const packages = order.fulfillment.digital.downloads[0]?.packages ?? []
    expect(packages.map(({ name, size }) => [name, size])).toEqual([
      ['one', '2.00 KB'],
      ['two', '2.00 KB'],
    ])
    const list = await shop.call('GET', `/${order.id}/fulfillments/digital/packages?limit=1&page=2`)
    expect(list.body).toMatchObject({ data: [packages[1]], meta: { pagination: { total: 2, count: 1 } } })
    const one = await shop.call('GET', `/${order.id}/fulfillments/digital/packages/${packages[0]?.id}`)
    expect([one.status, one.body]).toEqual([200, packages[0]])
    const none = await shop.call('GET', `/${order.id}/fulfillments/digital/packages/dwnld_other`)
    expect([none.status, none.body]).toEqual([404, NOT_FOUND('package')])
  })

  it('takes back the access, gives it again, and says how often it remains', async () => {
    const order = await shop.order({ lines })
    const [file, other] = order.fulfillment.digital.downloads[0]?.packages ?? []
    const put = (body: object, id = file?.id) =>
      shop.call('PUT', `/${order.id}/fulfillments/digital/packages/${id}`, body)
    const lineNow = async () => (await shop.get(order.id)).fulfillment.digital.downloads[0]
    expect((await put({ is_access_revoked: true })).body).toEqual({ ...file, is_access_revoked: true })
    expect(await lineNow()).toMatchObject({ is_access_revoked: false })
    expect((await shop.events()).find(({ name }) => name === 'orders.update')).toBeDefined()
    expect((await put({ is_access_revoked: true, remaining_downloads: null }, other?.id)).body).toMatchObject({
      is_unlimited: true,
    })
    expect(await lineNow()).toMatchObject({ is_access_revoked: true })
    expect((await put({}, 'dwnld_other')).body).toEqual(NOT_FOUND('package'))
  })
})
