// GET /v1/orders/export: orders as a table; what strangers wrote is no formula. read.test.ts proves its filters.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { draftOf, openShop, physical } from './support.ts'

const app = await sharedApp()
const shop = await openShop(app, { name: 'Export' })

const HEAD =
  'number,id,created,paid,cancelled,status,status_payment,status_fulfillment,firstname,lastname,email,phone,currency,subtotal,discount,discount_code,shipping,tax,total,giftcard,due,refunded,shipping_method,shipping_name,shipping_street,shipping_street_2,shipping_town_city,shipping_county_state,shipping_postal_zip_code,shipping_country,lines'

const by = (more: object) => ({ customer: { ...draftOf().customer, ...more } })

/** The lines behind the first, by their cells: none of these tests has a line break in one. */
function rowsOf(text: string): string[][] {
  expect(text.startsWith(`\uFEFF${HEAD}\r\n`)).toBe(true)
  expect(text.endsWith('\r\n')).toBe(true)
  return text
    .slice(1)
    .split('\r\n')
    .slice(1, -1)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, one, other]) => one ?? other ?? ''),
    )
}

const exported = async () => {
  const answer = await shop.call('GET', '/export')
  expect([answer.status, answer.text]).toEqual([200, answer.text])
  return rowsOf(answer.text)
}

const first = await shop.order({
  ...by({
    email: 'ann@example.com',
    firstname: '=HYPERLINK("http://evil.example","x")',
    lastname: '@sum',
    phone: '+49 1',
  }),
  lines: [
    physical({ product_name: '-2+3', selected_options: [] }),
    physical({ id: 'item_2', product_name: 'Cup, "blue"' }),
  ],
  shipping_address: {
    name: '\tAnn',
    street: '＝1+1',
    street_2: null,
    town_city: 'Köln',
    county_state: null,
    postal_zip_code: '01234',
    country: 'DE',
    delivery_instructions: null,
    meta: null,
  },
})
const second = await shop.order(by({ email: 'bob@example.com', lastname: 'Smith' }), 'manual')

describe('an export', () => {
  it('is a table of what a merchant wants to know, and nothing of it is a formula', async () => {
    const answer = await shop.call('GET', '/export?sortDirection=asc')
    expect(answer.headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="orders.csv"',
      'cache-control': 'no-store',
    })
    expect(rowsOf(answer.text)).toEqual([
      [
        ...[first.customer_reference, first.id, '2026-01-02 03:04:06', '2026-01-02 03:04:06', '', 'open', 'paid'],
        ...['not_fulfilled', `'=HYPERLINK(""http://evil.example"",""x"")`, "'@sum", 'ann@example.com', "'+49 1", 'USD'],
        ...['40.00', '0.00', '', '0.00', '0.00', '40.00', '0.00', '40.00', '0.00', '', "'\tAnn", "'＝1+1", '', 'Köln'],
        ...['', '01234', 'DE', '2 × -2+3 [MUG-1]; 2 × Cup, ""blue"" [MUG-1]'],
      ],
      [
        ...[second.customer_reference, second.id, '2026-01-02 03:04:07', '', '', 'open', 'not_paid', 'not_fulfilled'],
        ...['Jane', 'Smith', 'bob@example.com', '', 'USD', '20.00', '0.00', '', '0.00', '0.00', '20.00', '0.00'],
        '20.00',
        ...['0.00', '', '', '', '', '', '', '', '', '2 × Mug [MUG-1]'],
      ],
    ])
  })

  it('has times of the shop’s time zone', async () => {
    const zone = (time_zone: string) =>
      app.call('PUT', '/v1/merchants', { key: shop.keys.sandbox.secret, body: { time_zone } })
    await zone('America/New_York')
    expect((await exported())[0]?.[2]).toBe('2026-01-01 22:04:07')
    await zone('UTC')
  })

  it('holds every order once, part by part, in either direction', async () => {
    const large = await openShop(app, { name: 'Large' })
    const references: string[] = []
    for (let count = 0; count < 203; count++) references.push((await large.order()).customer_reference)
    const exportedIn = async (direction: string) =>
      rowsOf((await large.call('GET', `/export?sortDirection=${direction}`)).text).map(([number]) => number)
    expect(await exportedIn('asc')).toEqual(references)
    expect(await exportedIn('desc')).toEqual(references.toReversed())
  })
})
