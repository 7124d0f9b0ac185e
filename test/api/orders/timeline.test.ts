// What has happened to an order, in sentences, and the notes that are written about it.

import { describe, expect, it } from 'vitest'
import { createShipment } from '../../../src/api/fulfillment/fulfillment.ts'
import type { OrderContext } from '../../../src/api/orders/links.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import type { OrderNote, TimelineEntry } from '../../../src/api/orders/timeline/schema.ts'
import { insertOrderHistory } from '../../../src/api/orders/timeline/store.ts'
import { addNote } from '../../../src/api/orders/timeline/timeline.ts'
import { withRequestSignal } from '../../../src/db/db.ts'
import type { DashboardAccount } from '../../../src/http/endpoint/endpoint.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import { newId } from '../../../src/lib/ids.ts'
import { testApp } from '../../support/app.ts'
import { changeRows } from '../../support/rows.ts'
import { notValid, ORIGIN } from '../../support/shop.ts'
import { NOT_FOUND, openShop, physical, runOrderJobs, type Shop } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)

const ACCOUNT: DashboardAccount = {
  id: 'acct_1',
  email: 'grace@example.com',
  name: 'Grace',
  role: 'owner',
  canWriteLive: true,
  canIssueTokens: true,
}

const timeline = async (order: Pick<Order, 'id'>, of: Shop = shop) =>
  (await of.succeed<{ data: TimelineEntry[] }>(200, 'GET', `/${order.id}/timeline`)).data

type Page = { data: TimelineEntry[]; next: string | null }
const page = (order: Pick<Order, 'id'>, query: string) =>
  shop.succeed<Page>(200, 'GET', `/${order.id}/timeline${query}`)

/** Oldest first, as one reads. */
const told = async (order: Pick<Order, 'id'>) =>
  (await timeline(order)).map(({ type, text }) => `${type}: ${text}`).reverse()

const ship = async (...shipment: Parameters<Shop['ship']>) => expect((await shop.ship(...shipment)).status).toBe(201)

const PLACED = (order: Order) => `placed: Order ${order.customer_reference} placed by Jane`

/** Each step in a second of its own, unless a test is about one moment. */
const later = () => app.clock.advance(10)

describe('the timeline of an order', () => {
  it('tells a whole life, newest first, each thing once, with its moment', async () => {
    const order = await shop.order({ lines: [physical({ quantity: 3, line_total: 3_000 })] })
    const placedAt = Math.floor(app.clock.now().getTime() / 1_000)
    later()
    await ship(order, 2, { carrier: 'UPS', tracking_number: '1Z999', tracking_url: 'https://ups.example/1Z999' })
    later()
    await ship(order, 1)
    later()
    await shop.succeed(200, 'POST', `/${order.id}/refund`, { amount: 10, reason: 'A scratch' })
    later()
    await shop.succeed(201, 'POST', `/${order.id}/notes`, { text: 'Wrote to Jane.' })
    const entries = await timeline(order)
    expect(entries.map(({ at, type, text, by, detail }) => ({ at, type, text, by, detail }))).toEqual([
      { at: placedAt + 40, type: 'note', text: 'Note by API: Wrote to Jane.', by: 'API', detail: 'Wrote to Jane.' },
      { at: placedAt + 30, type: 'refunded', text: 'Refunded $10.00', by: null, detail: 'A scratch' },
      { at: placedAt + 20, type: 'shipped', text: 'Shipped 1 of 3 items', by: null, detail: null },
      {
        ...{ at: placedAt + 10, type: 'shipped', text: 'Shipped 2 of 3 items, UPS 1Z999', by: null },
        detail: 'https://ups.example/1Z999',
      },
      { at: placedAt, type: 'paid', text: 'Paid $30.00 by card (Visa 4242)', by: null, detail: null },
      {
        ...{ at: placedAt, type: 'placed', text: `Order ${order.customer_reference} placed by Jane`, by: null },
        detail: null,
      },
    ])
    expect(new Set(entries.map(({ id }) => id)).size).toBe(6)
  })

  it('is given page by page, newest first and each thing once, however many notes, mails and events there are', async () => {
    const order = await shop.order()
    // Of the second of the payment a change would be taken for it.
    later()
    const insert = (kind: 'note' | 'mail', content: string) => {
      const now = app.clock.now()
      const entry = { orderId: order.id, id: newId(kind, now), kind, content, person: 'jane@example.com' }
      return insertOrderHistory(app.db, shop.owner, entry, now)
    }
    for (let count = 0; count < 131; count++) {
      // Some of one second, and some of one moment.
      app.clock.advance([0, 0.25, 1][count % 3] ?? 0)
      await insert('note', `Note ${count}`)
      if (count % 10 === 0) await shop.succeed(200, 'PUT', `/${order.id}`, { customer: { firstname: `Jane ${count}` } })
      if (count === 50) await insert('mail', 'receipt')
    }
    /** All pages, one after the other. */
    const read = async (query: string) => {
      const pages: TimelineEntry[][] = []
      for (let next: string | null = ''; next !== null; ) {
        const got: Page = await page(order, `?${query}${next === '' ? '' : `&after=${next}`}`)
        pages.push(got.data)
        next = got.next
      }
      return pages
    }
    const [first = [], ...others] = await read('')
    // The newest stand first, also where there are more than a page of one kind.
    expect([first.length, first.find(({ type }) => type === 'note')?.detail]).toEqual([100, 'Note 130'])
    const whole = [...first, ...others.flat()]
    expect((await read('limit=7')).flat()).toEqual(whole)
    expect(new Set(whole.map(({ id, type }) => `${id} ${type}`)).size).toBe(whole.length)
    expect(whole.map(({ at }) => at)).toEqual(whole.map(({ at }) => at).toSorted((one, other) => other - one))
    const count = (kind: string) => whole.filter(({ type }) => type === kind).length
    expect([count('note'), count('changed'), count('mail'), whole.at(-1)?.type]).toEqual([131, 14, 1, 'placed'])
    for (const after of ['x', 'bm90IG9uZQ', Buffer.from('1 2 short').toString('base64url')])
      expect((await shop.call('GET', `/${order.id}/timeline?after=${after}`)).body).toEqual(
        notValid({ after: ['after must be the `next` value of an earlier page.'] }),
      )
  })

  it('is the same once its events are gone, but for what only they have told', async () => {
    const order = await shop.order()
    later()
    await ship(order, 2)
    later()
    await shop.succeed(200, 'PUT', `/${order.id}`, { customer: { firstname: 'Janet' } })
    later()
    await shop.succeed(200, 'POST', `/${order.id}/refund`, {})
    const before = await told(order)
    expect(before).toEqual([
      `placed: Order ${order.customer_reference} placed by Janet`,
      'paid: Paid $20.00 by card (Visa 4242)',
      'shipped: Shipped 2 items',
      'changed: Order details changed',
      'refunded: Refunded $20.00',
    ])
    await changeRows(app.db, 'delete from events', { merchant_id: shop.id })
    expect(await told(order)).toEqual(before.filter((line) => !line.startsWith('changed')))
  })

  it('tells of a payment by hand, of which a part comes, and of money that is held and let go', async () => {
    const order = await shop.order({}, 'manual')
    const path = `/${order.id}/transactions/${order.transactions[0]?.id}`
    expect(await told(order)).toEqual([PLACED(order), 'payment_awaited: $20.00 is to be paid by hand'])
    later()
    await shop.succeed(200, 'PUT', path, { status: 'complete', amount: 5 })
    expect((await told(order)).sort()).toEqual(
      [PLACED(order), 'payment_awaited: $15.00 is to be paid by hand', 'paid: Paid $5.00 by hand'].sort(),
    )
    const held = await shop.order({}, 'authorized')
    expect(await told(held)).toEqual([PLACED(held), 'payment_held: Test Gateway holds $20.00; it is yet to be taken'])
    later()
    await shop.succeed(200, 'PUT', `/${held.id}/transactions/${held.transactions[0]?.id}`, { status: 'cancelled' })
    expect(await told(held)).toEqual([PLACED(held), 'payment_released: Let go of $20.00 that Test Gateway held'])
  })

  it('tells of goods that were marked and came back, and of a cancel with its refund', async () => {
    const sent = await shop.order()
    await ship(sent, 2)
    later()
    const [item] = sent.fulfillment.physical.items
    await shop.succeed(200, 'PUT', `/${sent.id}/fulfillments/physical/items/${item?.id}`, { status: 'returned' })
    expect((await told(sent)).at(-1)).toBe('returned: Came back: 2 × Mug')
    const byHand = await shop.order()
    const mark = async (status: string) => {
      later()
      const [mug] = byHand.fulfillment.physical.items
      await shop.succeed(200, 'PUT', `/${byHand.id}/fulfillments/physical/items/${mug?.id}`, { status })
      return (await told(byHand)).slice(2)
    }
    expect(await mark('fulfilled')).toEqual(['delivered: Marked as delivered: 2 × Mug'])

    const order = await shop.order()
    later()
    await shop.succeed(200, 'POST', `/${order.id}/cancel`, { reason: 'Sold out', refund: true })
    expect(await told(order)).toEqual([
      PLACED(order),
      'paid: Paid $20.00 by card (Visa 4242)',
      'refunded: Refunded $20.00',
      'cancelled: Cancelled',
    ])
    expect((await timeline(order))[0]?.detail).toBe('Sold out')
  })

  it('tells which mails went out, once each however often it is asked for, and who has asked for another', async () => {
    const order = await shop.order()
    await runOrderJobs(app, shop.id)
    const sent = 'mail: Receipt sent to jane@example.com'
    expect((await told(order)).at(-1)).toBe(sent)
    later()
    await shop.succeed(200, 'POST', `/${order.id}/receipt`)
    await runOrderJobs(app, shop.id)
    expect((await told(order)).slice(-3)).toEqual([sent, 'receipt_asked: Asked for the receipt to be sent again', sent])
  })

  it('names the person who did it', async () => {
    const order = await shop.order()
    later()
    const [item] = order.fulfillment.physical.items
    const db = withRequestSignal(app.db, { throwIfAborted: () => undefined, requestId: 'req_1', actor: ACCOUNT.name })
    const signingSecret = signingSecrets(app.db, app.clock)
    const caller = { ...shop.owner, account: ACCOUNT }
    const context = { db, clock: app.clock, caller, origin: ORIGIN, lastingOrigin: ORIGIN, signingSecret }
    await createShipment(context as unknown as OrderContext, order.id, { items: [{ id: item?.id ?? '', quantity: 2 }] })
    const [shipped] = await timeline(order)
    expect(shipped).toMatchObject({ type: 'shipped', by: 'Grace' })
    later()
    await addNote({ ...context, caller } as never, order.id, { text: ' Done. ' })
    expect((await timeline(order))[0]).toMatchObject({ text: 'Note by Grace: Done.', by: 'Grace', detail: 'Done.' })
  })
})

describe('a note', () => {
  const write = (order: Pick<Order, 'id'>, text: unknown, key?: string) =>
    shop.call('POST', `/${order.id}/notes`, { text }, key)

  it('is kept as it was written, without the blanks around it, and is told to nobody', async () => {
    const order = await shop.order()
    const events = (await shop.events(order)).length
    const { status, body } = await write(order, ' Fragile!\nSecond line. ')
    expect([status, body]).toEqual([
      201,
      {
        ...{ id: expect.stringMatching(/^note_/), text: 'Fragile!\nSecond line.', by: 'API' },
        created: Math.floor(app.clock.now().getTime() / 1_000),
      },
    ])
    expect(await shop.events(order)).toHaveLength(events)
    expect(JSON.stringify(await shop.get(order.id))).not.toContain('Fragile')
    for (const text of ['', ' \n ', 'x'.repeat(2_001)]) expect((await write(order, text)).status).toBe(422)
    expect((await write(order, 'x'.repeat(2_000))).status).toBe(201)
  })

  it('can be deleted, once', async () => {
    const order = await shop.order()
    const { id } = (await write(order, 'Wrong order.')).body as OrderNote
    const remove = () => shop.call('DELETE', `/${order.id}/notes/${id}`)
    expect((await timeline(order))[0]?.type).toBe('note')
    expect([(await remove()).status, (await remove()).body]).toEqual([204, NOT_FOUND('note')])
    expect((await timeline(order))[0]?.type).toBe('paid')
  })
})
