// What a shopper was shown is what is captured: the live totals before are the order after, field by field, whether the choices were
// made by the checks or come with the body. And all that an order copies of what was bought.

import { expect, it } from 'vitest'
import type { Live } from '../../../src/api/checkouts/schema.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { ORIGIN, price } from '../../support/shop.ts'
import { ADDRESS, CARD, digital, openCaptureShop } from './capture-support.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const secret = shop.keys.sandbox.secret
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const asset = (body: Record<string, unknown>) =>
  shop.succeed<{ id: string; url: string }>(201, 'POST', 'assets', body, secret)
const picture = await asset({ filename: 'shirt.png', contents: PIXEL })
const sheet = await asset({ filename: 'pattern.zip', contents: 'UEsFBgAAAAAAAAAAAAAAAAAAAAAAAA==', private: true })

const group = { name: 'Size', options: [{ name: 'S' }, { name: 'L', price: 2 }] }
const shirt = await shop.product({
  name: 'Shirt',
  sku: 'SHIRT',
  price: 20,
  inventory: { managed: true, available: 100 },
  variant_groups: [group, { name: 'Cut', options: [{ name: 'slim', price: -0.5 }, { name: 'wide' }] }],
  collect: { fullname: true, billing: true },
  extra_fields: [
    { name: 'Initials', required: true },
    { name: 'Wrapping', type: 'options', options: ['Paper', 'None'] },
    { name: 'Count', type: 'number' },
    { name: 'Left out' },
  ],
  thank_you_url: 'https://shop.example/thanks',
  assets: [{ id: picture.id }],
})
const book = await shop.product({
  name: 'Pattern',
  price: 7,
  delivery: {
    physical: false,
    digital: {
      packages: [{ asset: sheet.id, name: 'The pattern' }, { asset: picture.id }],
      lifespan: { duration: 2, period: 'weeks', download_limit: 3 },
    },
  },
  thank_you_url: 'https://shop.example/downloads',
})
const gift = await shop.product({ name: 'Donation', price: 3, pay_what_you_want: true, ...digital })
const [size, cut] = shirt.variant_groups
const [small, large] = size?.options ?? []
const [slim] = cut?.options ?? []
const variant = await shop.variant(shirt.id, {
  options: { [size?.id ?? '']: large?.id, [cut?.id ?? '']: slim?.id },
  sku: 'SHIRT-L',
  description: 'Large and slim',
  inventory: 9,
})
const state = { type: 'state', rate: 0.06, digital_rate: 0.01 }
await shop.taxZone({ country: 'US', region: 'CA', rates: [state] })
const rates = [state, { type: 'city', rate: 0.0125 }]
await shop.taxZone({ country: 'US', region: 'CA', postal_prefix: '94', rates })

const pick = <T extends object, K extends keyof T>(from: T, ...fields: K[]): Pick<T, K> =>
  Object.fromEntries(fields.map((field) => [field, from[field]])) as Pick<T, K>

type Line = Live['line_items'][number] | Order['order']['line_items'][number]

/** The fields of a line in live totals and in orders. */
const lineOf = (line: Line) => ({
  ...pick(line, 'id', 'product_id', 'name', 'product_name', 'sku', 'permalink', 'quantity', 'price', 'line_total'),
  ...pick(line, 'selected_options', 'variants', 'image'),
  variant: line.variant && pick(line.variant, 'id', 'sku', 'description', 'price'),
  tax: pick(line.tax, 'is_taxable', 'taxable_amount', 'amount', 'breakdown'),
})

type Totals = Live | Order['order']

const totalsOf = (totals: Totals) => ({
  ...pick(totals, 'subtotal', 'giftcard', 'tax', 'total', 'total_with_tax', 'total_due', 'pay_what_you_want'),
  shipping: pick(totals.shipping, 'id', 'description', 'provider', 'price'),
  lines: totals.line_items.map(lineOf),
})

const shownBy = (live: Live) => ({
  ...totalsOf(live),
  ...pick(live, 'adjustments', 'currency'),
  discount: live.discount[0] ?? [],
})

function keptBy({ order, currency, adjustments, order_value, transactions }: Order) {
  expect([order_value, transactions[0]?.amount]).toEqual([order.total_with_tax, order.total_due])
  return {
    ...totalsOf(order),
    adjustments: { ...order.adjustments, breakdown: adjustments },
    currency,
    discount: order.discount,
  }
}

const shopper = {
  customer: { email: 'ada@example.com', firstname: 'Ada', lastname: 'Lovelace', phone: '555', meta: { vip: true } },
  shipping: { ...ADDRESS, street_2: '' },
  billing: { ...ADDRESS, name: 'Charles' },
  payment: CARD,
}
const answers = {
  [shirt.extra_fields[0]?.id ?? '']: 'AL',
  [shirt.extra_fields[1]?.id ?? '']: 'Paper',
  [shirt.extra_fields[2]?.id ?? '']: 12,
  [shirt.extra_fields[3]?.id ?? '']: '',
  extr_unknown: 'x',
}

let codes = 0
/** A token of all three products, a code and a card of its own. */
async function everything() {
  codes += 1
  const discount = await shop.discount({ type: 'percentage', value: 12.5, code: `EIGHTH${codes}`, limit: 1 })
  const card = await shop.giftCard({ value: 10, code: `TEN${codes}` })
  const cart = await shop.cart([{ id: shirt.id, quantity: 1 }, { id: book.id }, { id: gift.id }])
  await shop.succeed(200, 'PUT', `carts/${cart.id}`, { meta: { source: 'cart', cart: 1 } })
  const token = await shop.ofCart(cart.id)
  const lineId = token.products[0]?.id ?? ''
  return { discount, card, token, lineId }
}

it('what was chosen by the checks is what is ordered', async () => {
  const { discount, card, token, lineId } = await everything()
  const check = (path: string) => shop.succeed<{ valid?: boolean }>(200, 'GET', `checkouts/${token.id}/${path}`)
  await check(`check/${lineId}/quantity?amount=3&variant_id=${variant.id}`)
  await check(`check/discount?code=${discount.code}`)
  await check(`check/giftcard?code=${card.code}`)
  await check('check/pay_what_you_want?customer_set_price=4.50')
  await check('helper/set_tax_zone?country=US&region=CA&postal_zip_code=94107')
  await check(`check/shipping?shipping_option_id=${shop.method}&country=US&region=CA`)
  await shop.set(token, {
    adjustments: [{ description: 'Fee', amount: 1.1, taxable: true }, { amount: -0.3 }],
    meta: { source: 'token', token: 2 },
  })
  const live = await shop.live(token)
  // 20 + 2 − 0.50, three times; 7; 4.50. An eighth off, 5 of shipping, 0.80 of fees; a card of 10 pays.
  expect([live.subtotal.raw, live.discount[0]?.amount_saved.raw, live.total.raw]).toEqual([76, 9.5, 72.3])
  expect([live.tax.zone.postal_zip_code, live.tax.amount.raw > 4]).toEqual(['94107', true])
  expect(live.total_with_tax.raw - live.total_due.raw).toBe(10)

  const order = await shop.order(token, { ...shopper, extrafields: answers, meta: { source: 'capture', capture: 3 } })
  const asked = { fullname: true, shipping_address: true, billing_address: true }
  expect(keptBy(order)).toEqual(shownBy(live))
  expect(order).toMatchObject({
    status_payment: 'paid',
    meta: { source: 'capture', cart: 1, token: 2, capture: 3 },
    redirect: 'https://shop.example/thanks',
    customer: { email: 'ada@example.com', firstname: 'Ada', lastname: 'Lovelace', phone: '555' },
    shipping: { ...ADDRESS, street_2: null },
    billing: { ...ADDRESS, name: 'Charles' },
    collected: { ...asked, extrafields: true, tax: true, eu_vat_moss_evidence: false },
    has: { physical_fulfillment: true, digital_fulfillment: true, pay_what_you_want: true, discounts: true },
    is: { free: false, fulfilled: false },
  })
  const [initials, wrapping, count] = shirt.extra_fields
  expect(order.extrafields).toEqual([
    { id: initials?.id, name: 'Initials', type: 'text', required: true, value: 'AL' },
    { id: wrapping?.id, name: 'Wrapping', type: 'options', required: false, value: 'Paper' },
    { id: count?.id, name: 'Count', type: 'number', required: false, value: '12' },
  ])
  const [line] = order.order.line_items
  // An order also shows the tax of a line beside it, with the sum of the rates.
  const { taxable_amount, amount: tax_amount, breakdown: tax_lines } = (line as NonNullable<typeof line>).tax
  const [rate, rate_percentage] = [0.0725, '7.25%']
  expect(line).toMatchObject({
    sku: 'SHIRT-L',
    image: { id: picture.id, url: picture.url },
    taxable_amount,
    tax_amount,
    tax_lines,
    tax_rate: rate,
    tax_rate_percentage: rate_percentage,
    tax: { rate, rate_percentage },
  })
  expect(line?.line_total_with_tax.raw).toBeCloseTo(64.5 + tax_amount.raw, 5)
  const packages = [
    { name: 'The pattern', ext: 'ZIP', size_in_bytes: 22 },
    { name: 'shirt.png', ext: 'PNG', size_in_bytes: 70 },
  ]
  const ends = order.created + 14 * 86_400
  // The golden body of an order has the other fields.
  expect(order.fulfillment.digital.downloads).toMatchObject([
    {
      line_item_id: token.products[1]?.id,
      product_id: book.id,
      packages: packages.map((file) => ({
        ...file,
        access_link: expect.stringContaining(`${ORIGIN}/fulfill/`),
        access_expires: ends,
        remaining_downloads: 3,
      })),
      lifespan: { expiry_date: ends, duration: 2, period: 'weeks', download_limit: 3 },
    },
  ])
  // The stock of the variant, which has its own.
  expect((await shop.call('GET', `products/${shirt.id}/variants/${variant.id}`)).body).toMatchObject({ inventory: 6 })
})

it('what comes with the body is priced as the checks would have, and is saved nowhere', async () => {
  const { discount, card, token, lineId } = await everything()
  const before = await shop.get(token)
  const body = {
    ...shopper,
    line_items: { [lineId]: { quantity: 2, variants: { [size?.id ?? '']: small?.id, [cut?.id ?? '']: slim?.id } } },
    discount_code: discount.code.toLowerCase(),
    giftcard_code: card.code,
    pay_what_you_want: '4.50',
    extra_fields: answers,
    fulfillment: { shipping_method: shop.method },
    // Amounts of a body count nothing.
    total: { raw: 0 },
    order_value: 1,
    price: 0,
  }
  // The same choices by the checks, of a token of its own, which cannot have the code and the card once they are used.
  const other = await everything()
  const check = (path: string) => shop.succeed(200, 'GET', `checkouts/${other.token.id}/${path}`)
  await check(`check/${other.lineId}/quantity?amount=2&variants=${JSON.stringify(body.line_items[lineId]?.variants)}`)
  await check(`check/discount?code=${other.discount.code}`)
  await check(`check/giftcard?code=${other.card.code}`)
  await check('check/pay_what_you_want?customer_set_price=4.50')
  await check('helper/set_tax_zone?country=US&region=CA&postal_zip_code=94107')
  await check(`check/shipping?shipping_option_id=${shop.method}&country=US&region=CA`)

  const order = await shop.order(token, body)
  const renamed = JSON.stringify(shownBy(await shop.live(other.token)))
    .replaceAll(other.discount.code, discount.code)
    .replaceAll(other.card.code, card.code)
    .replaceAll(other.card.id, card.id)
  const ids = (token: { products: readonly { id: string }[] }) => token.products.map(({ id }) => id)
  const expected = ids(other.token).reduce((text, id, index) => text.replaceAll(id, ids(token)[index] ?? ''), renamed)
  expect(JSON.parse(JSON.stringify(keptBy(order)))).toEqual(JSON.parse(expected))
  expect(order.order).toMatchObject({
    subtotal: price(50.5, '50.50'),
    giftcard: { credit: price(10, '10.00'), balance: 0 },
  })
  expect(await shop.get(token)).toEqual(before)
})
