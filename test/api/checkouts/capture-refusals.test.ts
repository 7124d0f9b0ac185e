// POST /v1/checkouts/{id}: what is missing, what is badly formed and which lines cannot be bought, all of it at once, by the paths of
// the body.

import { afterAll, describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { countRows } from '../../support/rows.ts'
import {
  malformed,
  malformedField,
  malformedFields,
  notValidFields,
  replyOf,
  ruleSentences,
} from '../../support/shop.ts'
import { ADDRESS, digital, digitalBody, openCaptureShop } from './capture-support.ts'
import { besideStatement } from './support.ts'

const app = await sharedApp()
const shop = await openCaptureShop(app)
const secret = shop.keys.sandbox.secret
const thing = await shop.product()
const file = await shop.product({ name: 'File', ...digital })
const fileToken = () => shop.token({ id: file.id })
const refused = (token: { id: string }, body: unknown) => replyOf(shop.capture(token, body))

// Whatever is refused here is refused before anything is held or charged.
afterAll(async () => expect(await countRows(app.db, 'capture_attempts', { merchant_id: shop.id })).toBe(orders))
let orders = 0

describe('what is missing', () => {
  it('is what the rules of the form demand, all at once', async () => {
    const product = await shop.product({
      pay_what_you_want: true,
      collect: { fullname: true, billing: true },
      variant_groups: [
        { name: 'Size', options: [{ name: 'S' }, { name: 'L' }] },
        { name: 'Cut', options: [{ name: 'slim' }] },
      ],
      extra_fields: [{ name: 'Initials', required: true }, { name: 'Wrapping' }],
    })
    const [size, cut] = product.variant_groups
    const half = { [size?.id ?? '']: size?.options[0]?.id }
    for (const lines of [
      [{ id: product.id }],
      [{ id: product.id, options: half }, { id: product.id }],
      [{ id: thing.id }],
      [{ id: file.id }],
    ]) {
      const token = await shop.token(...lines)
      type Rules = { rules: Record<string, { required?: boolean }> }
      const { rules } = await shop.succeed<Rules>(200, 'GET', `checkouts/${token.id}/helper/validation`)
      const demanded = Object.keys(rules).filter((name) => rules[name]?.required)
      const paths = demanded.map((name) => name.replaceAll('[', '.').replaceAll(']', ''))
      const required = Object.fromEntries(paths.map((path) => [path, 'is required.']))
      expect(await refused(token, {})).toEqual(malformedFields(required))
      // An empty field is none, nor is an empty form.
      const empty = {
        customer: { email: ' ', firstname: '', lastname: null, id: '' },
        shipping: { name: '', firstname: '', street: null, country: ' ' },
        billing: [],
        fulfillment: { shipping_method: '' },
        payment: { gateway: '' },
        extrafields: { [product.extra_fields[0]?.id ?? '']: '' },
        line_items: { [token.products[0]?.id ?? '']: { variants: { [cut?.id ?? '']: '' }, quantity: null } },
        pay_what_you_want: '',
        discount_code: '',
      }
      expect(Object.keys(await shop.errors(token, empty))).toEqual(paths)
    }
  })

  it('is not what the token has: its method counts where the body names none', async () => {
    const token = await shop.token({ id: thing.id })
    await shop.choose.shipping(token, 'US', 'CA', shop.method)
    const { fulfillment: _, ...body } = shop.body()
    orders += 1
    expect((await shop.order(token, body)).order.shipping.id).toBe(shop.method)
  })
})

it('data of the own is bounded wherever a shopper can send it, and all that is too large is named at once', async () => {
  const large = { note: 'x'.repeat(16_384) }
  const rule = 'must be at most 16 KB (16384 bytes) as JSON text.'
  const parts = ['customer', 'shipping', 'billing'] as const
  const body = {
    ...digitalBody(),
    ...Object.fromEntries(parts.map((part) => [part, { ...ADDRESS, email: 'a@example.com', meta: large }])),
    meta: large,
  }
  const fields = ['meta', ...parts.map((part) => `${part}.meta`)]
  const broken = Object.fromEntries(fields.map((field) => [field, rule]))
  expect(await refused(await fileToken(), body)).toEqual(malformedFields(broken))
})

describe('what is badly formed', () => {
  const EMAIL = 'must be an e-mail address such as name@example.com.'
  const gateway = 'test_gateway'
  it.each([
    ['customer.email', { customer: { email: 'ada@example.com\nBcc: b@example.com' } }, EMAIL],
    ['tax.ip_address', { tax: { ip_address: '1.2.3' } }, 'must be an IPv4 or IPv6 address.'],
    ['payment.card.number', { payment: { gateway } }, 'is required.'],
    ['payment.card.number', { payment: { gateway, card: { number: 42424242424242424 } } }, 'must be a string or null.'],
  ])('%s is named: %j', async (path, body, rule) => {
    expect(await refused(await fileToken(), { ...digitalBody(), ...body })).toEqual(malformedField(path, `${rule}`))
  })

  it.each([0, -1, 1.5, '0', 'two', '1e3', 1_000_001, true, []])('a quantity of %j is refused', async (quantity) => {
    const token = await fileToken()
    const [{ id = '' } = {}] = token.products
    const errors = await shop.errors(token, digitalBody({ line_items: { [id]: { quantity } } }))
    expect(Object.keys(errors)).toEqual([`line_items.${id}.quantity`])
  })

  it('and what a rule refuses are told together', async () => {
    const token = await shop.token({ id: thing.id })
    const lineId = token.products[0]?.id ?? ''
    const answer = refused(token, {
      line_items: { item_other: {}, [lineId]: { variants: { vgrp_x: 'optn_x' } } },
      customer: { email: 'ada' },
      shipping: { ...ADDRESS, name: '' },
      fulfillment: { shipping_method: 'ship_x' },
      payment: { gateway: 'bitcoin' },
      discount_code: 'NONE',
    })
    const errors = {
      'customer.email': ['customer.email must be an e-mail address such as name@example.com.'],
      'shipping.name': ['shipping.name is required.'],
      discount_code: ['This code cannot be used: it does not exist, has expired or is used up.'],
      'line_items.item_other': ['line_items.item_other must be named by the id of a line of this checkout.'],
      [`line_items.${lineId}.variants.vgrp_x`]: [
        `line_items.${lineId}.variants.vgrp_x must be an option of this variant group of the product, and agree with the variant where one is named.`,
      ],
      'fulfillment.shipping_method': [
        `fulfillment.shipping_method must be one that is offered for what is bought and where it goes: ${shop.method}.`,
      ],
      'payment.gateway': ['payment.gateway must be one of test_gateway.'],
    }
    expect(await answer).toEqual([422, malformed(errors)])
  })
})

describe('a line', () => {
  const lineOf = (token: { products: readonly { id: string }[] }, index = 0) => token.products[index]?.id ?? ''
  const SOLD = 'cannot be bought: the product is not for sale any more.'

  it('that cannot be bought any more is named', async () => {
    const [gone, idle] = [await shop.product(digital), await shop.product(digital)]
    const { product: altered, group, small } = await shop.sized(digital)
    const token = await shop.token({ id: gone.id }, { id: idle.id }, { id: altered.id, options: small })
    await shop.succeed(204, 'DELETE', `products/${gone.id}`, undefined, secret)
    await shop.succeed(200, 'PUT', `products/${idle.id}`, { active: false }, secret)
    const option = `products/${altered.id}/variant_groups/${group}/options/${small[group]}`
    await shop.call('DELETE', option, undefined, secret)
    const path = (index: number, field = '') => `line_items.${lineOf(token, index)}${field}`
    expect(await shop.errors(token, digitalBody())).toEqual(
      ruleSentences({
        [path(0)]: SOLD,
        [path(1)]: SOLD,
        [path(2, '.variants')]: 'must be chosen again: a chosen option no longer exists.',
        [path(2, `.variants.${group}`)]: 'is required.',
      }),
    )
  })

  it('whose product is deleted while the capture is read is named, and not sold as something that is not shipped', async () => {
    const product = await shop.product()
    const token = await shop.token({ id: product.id })
    besideStatement(app, 'before', 'checkouts.find_capture_facts', () =>
      shop.succeed(204, 'DELETE', `products/${product.id}`, undefined, secret),
    )
    const errors = await shop.errors(token, shop.body())
    expect(errors).toEqual(ruleSentences({ [`line_items.${lineOf(token)}`]: SOLD }))
  })

  it('of which there is not enough is named, also where two lines share it', async () => {
    const { product, small, large } = await shop.sized({ ...digital, inventory: { managed: true, available: 5 } })
    const token = await shop.token(
      { id: product.id, options: small, quantity: 3 },
      { id: product.id, options: large, quantity: 2 },
    )
    const line_items = { [lineOf(token)]: { quantity: 4 } }
    const [first, second] = [0, 1].map((index) => `line_items.${lineOf(token, index)}.quantity`) as [string, string]
    const only = (left: number) =>
      `is more than there is: ${left} are available, for all lines of the checkout together.`
    const both = notValidFields({ [first]: only(5), [second]: only(5) })
    expect(await refused(token, digitalBody({ line_items }))).toEqual(both)
    // A variant with stock of its own takes nothing from the product's.
    const variant = await shop.variant(product.id, { options: large, inventory: 1 })
    expect(await shop.errors(token, digitalBody({ line_items }))).toEqual(ruleSentences({ [second]: only(1) }))
    orders += 1
    const enough = { ...line_items, [lineOf(token, 1)]: { quantity: 1, variant_id: variant.id } }
    const { order: bought } = await shop.order(token, digitalBody({ line_items: enough }))
    expect(bought.line_items.map((each) => each.quantity)).toEqual([4, 1])
  })

  it('worth more than a line may be is named with how many are', async () => {
    const product = await shop.product({ ...digital, price: 1_000_000 })
    const token = await shop.token({ id: product.id })
    const line_items = { [lineOf(token)]: { quantity: 10_001 } }
    const most = { [`line_items.${lineOf(token)}.quantity`]: 'must be 10000 or less at this price.' }
    expect(await shop.errors(token, digitalBody({ line_items }))).toEqual(ruleSentences(most))
  })

  it('is refused a variant that is not its own, and one that the options contradict', async () => {
    const [{ product, group, small, large }, other] = [await shop.sized(digital), await shop.sized(digital)]
    const own = await shop.variant(product.id, { options: small })
    const wrong = await shop.variant(other.product.id, { options: other.small })
    const token = await shop.token({ id: product.id, options: large })
    const path = `line_items.${lineOf(token)}`
    const errors = (line: Record<string, unknown>) =>
      shop.errors(token, digitalBody({ line_items: { [lineOf(token)]: line } }))
    const foreign = ruleSentences({ [`${path}.variant_id`]: 'must be the id of a variant of this product.' })
    expect(await errors({ variant_id: wrong.id })).toEqual(foreign)
    for (const line of [{ variant_id: own.id, variants: large }, { variants: { [group]: other.small[other.group] } }])
      expect(Object.keys(await errors(line))).toEqual([`${path}.variants.${group}`])
  })
})
