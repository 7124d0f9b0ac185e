// POST /v1/checkouts/{id} with the bodies that existing storefronts send: whole lines, lists, other names, empty fields, too much.

import { describe, expect, it } from 'vitest'
import { rewriteCapture } from '../../../src/compat/capture-body.ts'
import { sharedApp } from '../../support/app.ts'
import { ADDRESS, digital, digitalBody, NUMBER, openCaptureShop } from './capture-support.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const shirt = await shop.product({
  name: 'Shirt',
  price: 20,
  variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L', price: 2 }] }],
})
const [size] = shirt.variant_groups
const [small, large] = size?.options ?? []
const sized = (option: { id: string } | undefined) => ({ [size?.id ?? '']: option?.id ?? '' })
const variant = await shop.variant(shirt.id, { options: sized(large), price: 30 })
const chosen = (option: { id: string } | undefined) => [expect.objectContaining({ option_id: option?.id })]

it('the Next.js demo store can capture: whole live lines, an unknown extra field, a spaced card that has expired', async () => {
  for (const version of ['2022-07-21', '2021-03-10']) {
    const { id } = await shop.token({ id: shirt.id, options: sized(large), quantity: 2 })
    const by = { key: shop.keys.sandbox.public, version, headers: { 'x-chec-agent': 'commerce.js/v2' } }
    const live = await app.call('GET', `/v1/checkouts/${id}/live`, by)
    const { line_items: lines } = live.body as { line_items: { id: string }[] }
    const card = { number: NUMBER, expiry_month: '11', expiry_year: '22', cvc: '123', postal_zip_code: '94107' }
    const body = {
      line_items: Object.fromEntries(lines.map((line) => [line.id, { ...line, variantGroups: sized(large) }])),
      customer: { firstname: 'Ada', lastname: 'Lovelace', email: 'ada@example.com' },
      shipping: { ...ADDRESS, street_2: '' },
      fulfillment: { shipping_method: shop.method },
      payment: { gateway: 'test_gateway', card },
      extrafields: { extr_j0YnEoqOPle7P6: '' },
    }
    const answer = await app.call('POST', `/v1/checkouts/${id}`, { ...by, body })
    const line_items = [{ quantity: 2, selected_options: chosen(large) }]
    const order = { line_items, total: { formatted_with_symbol: '$65.00' } }
    expect([answer.status, answer.body]).toMatchObject([200, { shipping: { ...ADDRESS, street_2: null }, order }])
  }
})

it('the Vercel store can capture: a full date, the name of a state, no postal code, and nulls', async () => {
  const token = await shop.token({ id: shirt.id, options: sized(small) })
  const { postal_zip_code: _, ...shipping } = { ...ADDRESS, county_state: 'California' }
  const order = await shop.order(token, {
    fulfillment: { shipping_method: shop.method },
    customer: { firstname: 'Ada', lastname: 'Lovelace', email: 'ada@example.com', phone: null, meta: null },
    shipping,
    billing: shipping,
    payment: {
      gateway: 'test_gateway',
      card: { number: '4242424242424242', expires: '01/2024', expiry_month: 1, expiry_year: 2024, cvc: 7, nonce: null },
      stripe: null,
    },
    line_items: null,
    discount_code: null,
    meta: null,
    extra_fields: [],
  })
  expect(order).toMatchObject({ status_payment: 'paid', shipping, tax: { zone: { country: 'US', region: 'CA' } } })
})

it('a store whose form makes numbers of digits can capture', async () => {
  const token = await shop.token({ id: shirt.id, options: sized(small) })
  const card = { number: 4242424242424242, expiry_month: 1, expiry_year: 2030, cvc: 123, postal_zip_code: 94107 }
  const body = shop.body({
    customer: { email: 'ada@example.com', phone: 15551234567 },
    shipping: { ...ADDRESS, postal_zip_code: 94107 },
    billing: { ...ADDRESS, postal_zip_code: 94108 },
    payment: { gateway: 'test_gateway', card },
  })
  const order = await shop.order(token, body)
  expect(order).toMatchObject({
    status_payment: 'paid',
    customer: { phone: '15551234567' },
    shipping: { postal_zip_code: '94107' },
    billing: { postal_zip_code: '94108' },
    transactions: [{ gateway: 'test_gateway', gateway_reference: '4242' }],
  })
})

it('the ChopChop store can capture: first and last name and the region of an address, an empty billing address', async () => {
  const token = await shop.token({ id: shirt.id, options: sized(small) })
  const { name: _, county_state: __, ...address } = ADDRESS
  const shipping = { ...address, firstname: 'Ada', lastname: 'Lovelace', region: 'US-CA' }
  const order = await shop.order(token, shop.body({ shipping, billing: [], tax: [] }))
  expect(order).toMatchObject({ shipping: { ...ADDRESS, county_state: 'US-CA' }, billing: null })
})

describe('what is chosen of a line', () => {
  const listed = [{ group_id: size?.id, option_id: large?.id }]
  const listedAsBefore = [{ variant_id: size?.id, option_id: large?.id }]
  const buy = async (change: (line: Record<string, unknown>) => unknown, isList = false) => {
    const token = await shop.token({ id: shirt.id, options: sized(small) })
    const line = change(token.line_items[0] as unknown as Record<string, unknown>)
    const line_items = isList ? [line] : { [token.line_items[0]?.id ?? '']: line }
    return (await shop.order(token, shop.body({ line_items }))).order.line_items[0]
  }

  it.each([
    ['the token sent back as a list', (line: object) => line, true, small, 1, 20],
    ['a list with another quantity', (line: object) => ({ ...line, quantity: 3 }), true, small, 3, 60],
    ['variants by group', () => ({ variants: sized(large) }), false, large, 1, 30],
    ['selected_options by group', (line: object) => ({ ...line, selected_options: sized(large) }), false, large, 1, 30],
    ['options by group', (line: object) => ({ ...line, options: sized(large) }), false, large, 1, 30],
    ['a list of selected options', () => ({ selected_options: listed }), false, large, 1, 30],
    ['a list under the older names', () => ({ variants: listedAsBefore }), false, large, 1, 30],
    ['a variant beside the whole line', (line: object) => ({ ...line, variant_id: variant.id }), false, large, 1, 30],
    ['nothing', () => null, false, small, 1, 20],
    ['empty fields', () => ({ quantity: null, variants: [], variant_id: '' }), false, small, 1, 20],
  ] as const)('comes as %s', async (_, change, isList, option, quantity, total) => {
    const bought = { quantity, selected_options: chosen(option), line_total: { raw: total } }
    expect(await buy(change, isList)).toMatchObject(bought)
  })

  it('is left as it is when it cannot be understood, for the schema to refuse', () => {
    expect(rewriteCapture({ line_items: 5 })).toEqual({ line_items: 5 })
    expect(rewriteCapture({ line_items: [5, { quantity: 1 }] })).toEqual({ line_items: { 0: 5, 1: { quantity: 1 } } })
    const wrongVariants = { line_items: { item_1: { variants: 5 } } }
    expect(rewriteCapture(wrongVariants)).toEqual(wrongVariants)
    expect(rewriteCapture({ customer: { meta: [], id: 'a' }, meta: [] })).toEqual({ customer: { meta: null, id: 'a' } })
    const doubled = { gift_card: [], extra_fields: { a: 1 }, extrafields: { b: 2 } }
    expect(rewriteCapture(doubled)).toEqual({ giftcard_code: null, extrafields: { b: 2 } })
  })
})

it('a gift card may be named as it was shown', async () => {
  const file = await shop.product(digital)
  const card = await shop.giftCard({ value: 4, code: 'FOUR' })
  const gift_card = { code: 'four', id: card.id }
  const order = await shop.order(await shop.token({ id: file.id }), digitalBody({ gift_card }))
  expect(order.order).toMatchObject({ giftcard: { code: 'FOUR', credit: { raw: 4 } }, total_due: { raw: 6 } })
})
