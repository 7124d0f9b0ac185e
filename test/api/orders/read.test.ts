// How orders are read and listed. Orders are made as the last step of a capture makes them; capture-live.test.ts has what they show.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { violatesConstraint } from '../../../src/db/db.ts'
import { sharedApp } from '../../support/app.ts'
import { changeRows } from '../../support/rows.ts'
import { digital, draftOf, openShop, physical, usd } from './support.ts'

const app = await sharedApp()

describe('an order', () => {
  it('with the tax in its prices adds none to its lines', async () => {
    const shop = await openShop(app)
    const tax = {
      is_taxable: true,
      taxable_amount: 2_000,
      amount: 182,
      parts: [{ type: 'vat', rate: 100_000, amount: 182 }],
    }
    const order = await shop.order({
      lines: [physical({ tax })],
      tax: { ...draftOf().tax, amount: 182, is_included: true, provider: 'taxes.example' },
    })
    expect(order).toMatchObject({
      order: { line_items: [{ line_total: usd(2_000), line_total_with_tax: usd(2_000) }] },
      tax: { included_in_price: true, provider: 'taxes.example', provider_type: 'external' },
    })
  })

  it('is made once for each checkout token', async () => {
    const shop = await openShop(app)
    await shop.order({ checkout_id: 'chkt_once' })
    await expect(shop.order({ checkout_id: 'chkt_once' })).rejects.toSatisfy((error) =>
      violatesConstraint(error, 'orders_checkout_unique'),
    )
    expect((await shop.events()).map(({ name }) => name)).toEqual(['customers.create', 'orders.create', 'orders.paid'])
  })

  it('keeps showing what has been deleted since', async () => {
    const shop = await openShop(app)
    const key = shop.keys.sandbox.secret
    const make = async (path: string, body: object) => {
      const answer = await app.call('POST', path, { key, body })
      expect(answer, answer.text).toMatchObject({ status: 201 })
      return (answer.body as { id: string }).id
    }
    const contents = Buffer.from('%PDF-1.4\n1 0 obj <<>> endobj\ntrailer <<>>\n%%EOF\n').toString('base64')
    const asset = await make('/v1/assets', { filename: 'book.pdf', contents })
    const product = await make('/v1/products', {
      name: 'Book',
      price: 10,
      delivery: { digital: { packages: [{ asset }] } },
    })
    const discount = await make('/v1/discounts', { type: 'fixed', value: 1 })
    const giftCard = await make('/v1/giftcards', { value: 5 })
    const gateway = await make('/v1/gateways', { code: 'manual', config: { name: 'Cash' } })
    const order = await shop.order({
      lines: [
        digital({
          product_id: product,
          packages: [{ asset_id: asset, name: 'Book', ext: 'pdf', size_in_bytes: 1, is_sample: false }],
        }),
      ],
      discount: { id: discount, type: 'fixed', code: 'ONE', value: 100, product_ids: [], amount_saved: 100 },
      gift_card: { id: giftCard, code: 'FIVE', balance_after: 0, credit: 500 },
    })
    for (const path of [
      `products/${product}`,
      `assets/${asset}`,
      `discounts/${discount}`,
      `giftcards/${giftCard}`,
      `gateways/${gateway}`,
    ])
      expect([path, (await app.call('DELETE', `/v1/${path}`, { key })).status]).toEqual([path, 204])
    expect(await changeRows(app.db, 'delete from customers', { merchant_id: shop.id })).toBe(1)
    expect(await shop.get(order.id)).toEqual(order)
  })
})

describe('the list of orders', async () => {
  const shop = await openShop(app, { name: 'List' })
  const by = (email: string, name: { firstname?: string; lastname?: string } = {}) => ({
    customer: { ...draftOf().customer, email, ...name },
  })
  // Each a second after the one before.
  const first = await shop.order(by('ann@example.com', { firstname: 'Änne', lastname: 'ÖZIL-Smith' }))
  const second = await shop.order(by('Bob_1@example.com', { firstname: 'Bob', lastname: 'Smith' }), 'manual')
  const third = await shop.order({ ...by('ann@example.com'), lines: [digital()] })
  const ids = async (query: string): Promise<string[]> => {
    const answer = await shop.call('GET', query)
    expect(answer, answer.text).toMatchObject({ status: 200 })
    const { data, meta } = answer.body as { data: Order[]; meta: { pagination: { total: number } } }
    expect(meta.pagination.total).toBe(data.length)
    return data.map(({ id }) => id)
  }

  it.each([
    ['', [third, second, first]],
    ['?sortBy=created_at&sortDirection=asc', [first, second, third]],
    [`?query=${first.id}`, [first]],
    [`?query=${first.customer_reference}`, [first]],
    [`?query=${second.customer_reference.toLowerCase()}`, [second]],
    ['?query=lst-', [third, second, first]],
    ['?query=ANN@', [third, first]],
    ['?query=bob_1@example.com', [second]],
    ['?query=bobx1', []],
    ['?query=example.com', []],
    ['?query=%25', []],
    ['?query=smi', [second]],
    ['?query=ith', []],
    ['?query=özil-s', [first]],
    ['?query=änne Öz', [first]],
    ['?query=Jane', [third]],
    ['?query=smi_', []],
    ['?query=bob&status_payment=not_paid', [second]],
    ['?status=cancelled', []],
    ['?status=unpaid', [second]],
    ['?status=unshipped', [first]],
    [`?status=unshipped&customer_id=${first.customer.id}`, [first]],
    [`?status=unpaid&created_after=${second.created}`, []],
    ['?status_payment=not_paid', [second]],
    ['?status_fulfillment=fulfilled', [third]],
    [`?customer_id=${first.customer.id}`, [third, first]],
    [`?customer_id=${first.customer.id}&status_fulfillment=not_fulfilled`, [first]],
    [`?created_after=${first.created}`, [third, second]],
    [`?created_before=${third.created}&sortDirection=asc`, [first, second]],
    [`?created_after=${first.created}&created_before=${third.created}`, [second]],
  ])('of %s holds those that match, and so does its export', async (query, expected) => {
    expect(await ids(query)).toEqual(expected.map(({ id }) => id))
    // The plans of exports are proven for one filter at a time (test/plans/statements.ts).
    const filters = [...new URLSearchParams(query).keys()].filter((name) => name !== 'sortDirection')
    if (filters.length > 1) return
    const { text } = await shop.call('GET', `/export${query}`)
    expect(text.match(/ord_\w{26}/g) ?? []).toEqual(expected.map(({ id }) => id))
  })

  it('of each mode holds its own orders', async () => {
    const live = await shop.order(by('ann@example.com'), 'manual', { is_sandbox: false })
    expect(live.sandbox).toBe(false)
    const inLive = (await shop.call('GET', '', undefined, shop.keys.live.secret)).body as { data: Order[] }
    expect(inLive.data).toEqual([live])
    // The same address is another customer in the other mode.
    expect(live.customer.id).not.toBe(first.customer.id)
    expect(await ids('')).toEqual([third.id, second.id, first.id])
  })
})
