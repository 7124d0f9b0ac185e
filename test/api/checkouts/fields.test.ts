// GET /v1/checkouts/{id}/fields and /helper/validation: what capture will demand, as fields of a form and as rules for them.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { bodyOf } from '../../support/shop.ts'
import { openCheckoutShop } from './support.ts'

const app = await sharedApp()
const shop = await openCheckoutShop(app)
const ask = (token: { id: string }, path: string) => shop.call('GET', `checkouts/${token.id}/${path}`)

const field = (name: string, label: string, type: string, required: boolean, options: unknown = null) => {
  return { name, label, type, required, options }
}
const customer = (isNamed: boolean) => [
  field('customer[email]', 'E-mail', 'email', true),
  field('customer[firstname]', 'First name', 'text', isNamed),
  field('customer[lastname]', 'Last name', 'text', isNamed),
]
const address = (whose: string, isRegionRequired = false) => [
  field(`${whose}[name]`, 'Name', 'text', true),
  field(`${whose}[street]`, 'Street', 'text', true),
  field(`${whose}[street_2]`, 'Street, second line', 'text', false),
  field(`${whose}[town_city]`, 'City', 'text', whose === 'billing'),
  field(`${whose}[county_state]`, 'State or region', 'region', isRegionRequired),
  field(`${whose}[postal_zip_code]`, 'Postal code', 'text', false),
  field(`${whose}[country]`, 'Country', 'country', true),
]
const payment = field('payment[gateway]', 'Payment', 'gateway', true)
const choice = (value: string | undefined, label: string) => ({ value, label })

it('everything that the products ask for is listed, in the order of a form, and ruled', async () => {
  const zone = await shop.zone()
  const product = await shop.product({
    name: 'Shirt',
    pay_what_you_want: true,
    collect: { fullname: true, billing: true },
    variant_groups: [{ name: 'Size', options: [{ name: 'S' }, { name: 'L' }] }],
    extra_fields: [
      { name: 'Initials', required: true },
      { name: 'Wrapping', type: 'options', options: ['Paper', 'None'] },
      { name: 'Copies', type: 'number' },
      { name: 'Note' },
    ],
  })
  const [size] = product.variant_groups
  const [initials, wrapping, copies, note] = product.extra_fields
  const token = await shop.token({ id: product.id })
  const lineId = token.products[0]?.id

  const answer = await ask(token, 'fields')
  expect(bodyOf(200, answer)).toEqual({
    fields: [
      field(`line_items[${lineId}][variants][${size?.id}]`, 'Shirt: Size', 'option', true, [
        choice(size?.options[0]?.id, 'S'),
        choice(size?.options[1]?.id, 'L'),
      ]),
      ...customer(true),
      ...address('shipping'),
      ...address('billing'),
      field('fulfillment[shipping_method]', 'Shipping method', 'shipping_method', true, [
        choice(zone.methods[0]?.id, 'Post'),
      ]),
      field(`extrafields[${initials?.id}]`, 'Initials', 'text', true),
      field(`extrafields[${wrapping?.id}]`, 'Wrapping', 'options', false, [
        choice('Paper', 'Paper'),
        choice('None', 'None'),
      ]),
      field(`extrafields[${copies?.id}]`, 'Copies', 'number', false),
      field(`extrafields[${note?.id}]`, 'Note', 'text', false),
      field('pay_what_you_want', 'Amount', 'amount', false),
      payment,
    ],
  })

  const rules = await ask(token, 'helper/validation')
  const required = { required: true }
  const needed = [
    ...['firstname', 'lastname'].map((name) => `customer[${name}]`),
    ...['name', 'street', 'country'].map((name) => `shipping[${name}]`),
    ...['name', 'street', 'town_city', 'country'].map((name) => `billing[${name}]`),
    `extrafields[${initials?.id}]`,
    'payment[gateway]',
  ]
  expect(bodyOf(200, rules)).toEqual({
    rules: {
      [`line_items[${lineId}][variants][${size?.id}]`]: { required: true, options: size?.options.map(({ id }) => id) },
      'customer[email]': { required: true, email: true },
      ...Object.fromEntries(needed.map((name) => [name, required])),
      'fulfillment[shipping_method]': { required: true, options: [zone.methods[0]?.id] },
      // Optional fields are checked if they are sent.
      [`extrafields[${wrapping?.id}]`]: { options: ['Paper', 'None'] },
      [`extrafields[${copies?.id}]`]: { number: true },
      pay_what_you_want: { number: true },
    },
  })
})

it('a download that costs nothing needs no more than an e-mail address', async () => {
  const product = await shop.product({ price: 0, delivery: { physical: false } })
  const token = await shop.token({ id: product.id })
  expect((await ask(token, 'fields')).body).toEqual({ fields: customer(false) })
  expect((await ask(token, 'helper/validation')).body).toEqual({
    rules: { 'customer[email]': { required: true, email: true } },
  })
})

it.each([
  ['an address only', { collects: { shipping_address: true } }, [...customer(false), ...address('shipping')]],
  [
    'a name and a billing address',
    { collects: { fullname: true, billing_address: true } },
    [...customer(true), ...address('billing')],
  ],
  [
    'a price of choice',
    { pay_what_you_want: true },
    [...customer(false), field('pay_what_you_want', 'Amount', 'amount', false)],
  ],
])('a download asks for no more than it says: %s', async (_, body, expected) => {
  const product = await shop.product({ delivery: { physical: false }, ...body })
  const token = await shop.token({ id: product.id })
  expect((await ask(token, 'fields')).body).toEqual({ fields: [...expected, payment] })
})

it('what has been chosen is not asked for again, and what is paid for by a gift card not to be paid', async () => {
  const variant_groups = [{ name: 'Size', options: [{ name: 'S' }] }]
  const product = await shop.product({ delivery: { physical: false }, variant_groups })
  const token = await shop.token({ id: product.id })
  await shop.giftCard({ value: 10, code: 'PAYS' })
  const option = product.variant_groups[0]?.options[0]?.id
  await shop.succeed(200, 'GET', `checkouts/${token.id}/check/${token.products[0]?.id}/variant?option_id=${option}`)
  expect((await ask(token, 'fields')).body).toEqual({ fields: [...customer(false), payment] })
  await shop.succeed(200, 'GET', `checkouts/${token.id}/check/giftcard?code=PAYS`)
  expect((await ask(token, 'fields')).body).toEqual({ fields: customer(false) })
})

describe('what depends on where it goes', async () => {
  const own = await openCheckoutShop(app)
  const zone = await own.zone({ countries: ['US', 'CA'], regions: { CA: ['BC'] } })
  const everywhere = await own.zone({ countries: ['CA'], methods: [{ description: 'Air', price: 9 }] })
  await own.taxZone({ country: 'US', rates: [{ type: 'federal', rate: 0.01 }] })
  await own.taxZone({ country: 'DE', region: 'BE', rates: [{ type: 'state', rate: 0.02 }] })
  const [post, air] = [zone.methods[0]?.id ?? '', everywhere.methods[0]?.id ?? '']
  const product = await own.product()
  type Fields = { fields: { name: string; required: boolean; options: unknown[] | null }[] }
  const fieldsOf = async (token: { id: string }) =>
    (await own.succeed<Fields>(200, 'GET', `checkouts/${token.id}/fields`)).fields
  const isRequired = async (token: { id: string }, name: string) =>
    (await fieldsOf(token)).find((each) => each.name === name)?.required

  it.each([
    ['while no country is known', null, null, false],
    ['where one of the methods is for regions', 'CA', null, true],
    ['where the method that is chosen is', 'CA', post, true],
    ['where the method that is chosen is not', 'CA', air, false],
    ['where neither methods nor taxes are', 'US', post, false],
    ['where taxes are', 'DE', null, true],
  ])('is whether the region is required: %s', async (_, country, method, expected) => {
    const token = await own.token({ id: product.id })
    await own.choose.shipping(token, country, undefined, method)
    expect(await isRequired(token, 'shipping[county_state]')).toBe(expected)
  })

  it('is not the region for the sake of taxes that an integration sets', async () => {
    const token = await own.token({ id: product.id })
    await own.choose.shipping(token, 'DE')
    await own.set(token, { tax: { line_items: [] } })
    expect(await isRequired(token, 'shipping[county_state]')).toBe(false)
  })

  it('is whether a method is to be named: not while the one that was chosen fits', async () => {
    const token = await own.token({ id: product.id })
    await own.choose.shipping(token, 'CA', 'BC', post)
    expect(await isRequired(token, 'fulfillment[shipping_method]')).toBe(false)
    const methods = (await fieldsOf(token)).find((each) => each.name === 'fulfillment[shipping_method]')?.options
    const [byPost, byAir] = [choice(post, 'Post'), choice(air, 'Air')]
    expect(new Set(methods)).toEqual(new Set([byPost, byAir]))
    await own.choose.shipping(token, 'CA', 'ON', post)
    expect(await isRequired(token, 'fulfillment[shipping_method]')).toBe(true)
  })
})
