// What a shopper can do about a line that cannot be had any more: take fewer of it, or do without, on the page itself; and what the page says when nothing
// is left. By the form alone, as a browser without scripting sends it.

import { describe, expect, it } from 'vitest'
import type { Order } from '../../../src/api/orders/schema.ts'
import { sharedApp } from '../../support/app.ts'
import { ADDRESS, CARD, cardOf, DIGITAL, type Fields, type Loaded, load, openPageShop, post, send } from './support.ts'

const app = await sharedApp()
const shop = await openPageShop(app)
const { secret } = shop.keys.sandbox

const EMAIL = { 'customer[email]': 'ada@example.com' }
const quantityOf = (line: { id: string }) => `line_items[${line.id}][quantity]`

const stock = (product: { id: string }, available: number) =>
  shop.succeed(200, 'PUT', `products/${product.id}`, { inventory: { managed: true, available } }, secret)

/** A token of two things that are not sent, of which there are ten each. */
async function openPair() {
  const managed = { ...DIGITAL, inventory: { managed: true, available: 10 } }
  const jug = await shop.product({ ...managed, name: 'Jug', price: 10 })
  const vase = await shop.product({ ...managed, name: 'Vase', price: 3 })
  const token = await shop.ofCart((await shop.cart([{ id: jug.id, quantity: 4 }, { id: vase.id }])).id)
  const [jugLine, vaseLine] = token.live.line_items
  if (jugLine === undefined || vaseLine === undefined) throw new Error('There are no lines.')
  return { jug, vase, token, jugLine, vaseLine, path: shop.path(token) }
}

/** What a button of the page sends beside its form. */
function press(page: Loaded, text: string): Fields {
  const buttons = [...page.html.matchAll(/<button class="text-button" name="([^"]+)" value="(\d+)">(.*?)<\/button>/g)]
  const [, name, value] = buttons.find(([, , , said = '']) => said.replace(/<[^>]*>/g, '') === text) ?? []
  if (name === undefined || value === undefined) throw new Error(`There is no button ${text}: ${page.text}`)
  return { [name]: value }
}

const ordered = async (page: Loaded) => {
  expect([page.status, page.text]).toEqual([303, page.text])
  const { data } = await shop.succeed<{ data: Order[] }>(200, 'GET', 'orders?limit=1', undefined, secret)
  return data[0]?.order.line_items.map(({ product_name, quantity }) => [product_name, quantity])
}

describe('a line that has run short', () => {
  it('can be lowered to what is left, and is paid for so', async () => {
    const { jug, path, token } = await openPair()
    await stock(jug, 3)
    const page = await shop.open(token)
    expect(page.text).toContain('Only 3 of “Jug” are left.')
    const less = await post(app, path, { ...page.form, ...EMAIL, ...press(page, 'Take 3 Jug') })
    expect([less.status, less.text.includes('are left')]).toEqual([200, false])
    expect(less.form.expected_total).toBe('33')
    expect(await ordered(await send(app, path, less, CARD, 'pay'))).toEqual([
      ['Jug', 3],
      ['Vase', 1],
    ])
  })

  it('is taken out when it has sold out, with what it asked for, and can be put back when there is some again', async () => {
    const { jug, path, token, jugLine } = await openPair()
    await stock(jug, 0)
    const page = await shop.open(token)
    expect(page.text).toContain('“Jug” is sold out.')
    const refused = await send(app, path, page, { ...EMAIL, ...CARD }, 'pay')
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('“Jug” is sold out.')])
    expect(() => press(page, 'Take 0 Jug')).toThrow()
    const without = await post(app, path, { ...page.form, ...EMAIL, ...press(page, 'Remove Jug') })
    expect([without.status, without.form.expected_total, without.form[quantityOf(jugLine)]]).toEqual([200, '3', '0'])
    expect(() => press(without, 'Put back Jug')).toThrow()
    await stock(jug, 5)
    const again = await post(app, path, { ...without.form })
    const back = await post(app, path, { ...again.form, ...press(again, 'Put back Jug') })
    expect([back.form.expected_total, back.form[quantityOf(jugLine)]]).toEqual(['43', '4'])
    const gone = await post(app, path, { ...back.form, ...press(back, 'Remove Jug') })
    expect(await ordered(await send(app, path, gone, CARD, 'pay'))).toEqual([['Vase', 1]])
  })

  it('takes its address and its shipping along', async () => {
    const chair = await shop.product({ name: 'Chair', price: 50, inventory: { managed: true, available: 1 } })
    const plan = await shop.product({ ...DIGITAL, name: 'Plan', price: 5 })
    const token = await shop.ofCart((await shop.cart([{ id: chair.id }, { id: plan.id }])).id)
    const page = await shop.update(token, ADDRESS)
    expect(page.form.expected_total).toBe('60')
    const without = await post(app, shop.path(token), { ...page.form, ...press(page, 'Remove Chair') })
    expect([without.form.expected_total, without.html.includes('name="shipping[name]"')]).toEqual(['5', false])
    expect(await ordered(await shop.pay(token, CARD, without))).toEqual([['Plan', 1]])
  })

  it('shares what is left with the other lines of the same stock', async () => {
    const size = { name: 'Size', options: [{ name: 'S' }, { name: 'L' }] }
    const shirt = await shop.product({ ...DIGITAL, name: 'Shirt', price: 10, variant_groups: [size] })
    const [small, large] = shirt.variant_groups.flatMap(({ id, options }) => options.map((each) => ({ [id]: each.id })))
    const cart = await shop.cart([
      { id: shirt.id, quantity: 2, options: small },
      { id: shirt.id, quantity: 3, options: large },
    ])
    const token = await shop.ofCart(cart.id)
    await stock(shirt, 3)
    const page = await shop.open(token)
    const less = await post(app, shop.path(token), { ...page.form, ...EMAIL, ...press(page, 'Take 1 Shirt') })
    expect([less.form.expected_total, less.text.includes('are left')]).toEqual(['30', false])
  })

  it('comes back with the form of a payment that was declined as it was left', async () => {
    const { path, token, jugLine } = await openPair()
    const page = await shop.open(token)
    const without = await post(app, path, { ...page.form, ...EMAIL, ...press(page, 'Remove Jug') })
    const declined = await send(app, path, without, cardOf('0002'), 'pay')
    expect([declined.status, declined.form[quantityOf(jugLine)]]).toEqual([402, '0'])
  })
})

describe('a product that is not offered any more', () => {
  it('is taken out; where there is nothing besides, the page says so and leads back to the shop', async () => {
    const own = await openPageShop(app)
    const settings = { allowed_origins: ['https://shop.example'], checkout: { return_url: 'https://shop.example/' } }
    await own.succeed(200, 'PUT', 'merchants', settings, own.keys.sandbox.secret)
    const product = await own.product({ ...DIGITAL, name: 'Jug' })
    const token = await own.token({ id: product.id })
    const before = await own.open(token)
    await own.succeed(200, 'PUT', `products/${product.id}`, { active: false }, own.keys.sandbox.secret)
    const shown = await own.open(token)
    const paid = await own.pay(token, { ...EMAIL, ...CARD }, before)
    for (const [page, status] of [
      [shown, 200],
      [paid, 422],
    ] as const) {
      expect([page.status, page.text]).toEqual([status, expect.stringContaining('Not available any more')])
      expect(page.html).toContain('<a class="primary" href="https://shop.example/"')
      expect(page.html).not.toContain('data-checkout')
    }
    await own.succeed(200, 'PUT', `products/${product.id}`, { active: true }, own.keys.sandbox.secret)
    expect((await own.open(token)).html).toContain('data-checkout')
  })

  it('of which all is left out by the shopper is no order, and can be put back', async () => {
    const { path, token, jugLine, vaseLine } = await openPair()
    const page = await shop.open(token)
    const none = { [quantityOf(jugLine)]: '0', [quantityOf(vaseLine)]: '0' }
    const refused = await send(app, path, page, { ...EMAIL, ...CARD, ...none }, 'pay')
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Your cart is empty.')])
    expect(press(refused, 'Put back Vase')).toEqual({ [quantityOf(vaseLine)]: '1' })
  })
})

describe('the page', () => {
  it('sorts what is wrong as its fields stand', async () => {
    const token = await shop.shipped()
    const page = await shop.update(token, { 'shipping[country]': 'US' })
    const wrong = await shop.pay(token, { ...CARD, 'payment[card][number]': '1' }, page)
    const links = [...wrong.html.matchAll(/<li><a href="#([^"]+)"/g)].map(([, id = '']) => id)
    expect(links.length).toBeGreaterThan(2)
    expect(links).toEqual(
      [...links].sort((one, other) => wrong.html.indexOf(`id="${one}"`) - wrong.html.indexOf(`id="${other}"`)),
    )
  })

  it('insists on the region where tax goes by it, as no storefront has to', async () => {
    const own = await openPageShop(app)
    await own.taxZone({ country: 'US', region: 'CA', rates: [{ type: 'state', rate: 0.1 }] })
    const token = await own.shipped({ price: 10 })
    const { 'shipping[county_state]': _, ...address } = ADDRESS
    const refused = await own.pay(token, { ...address, ...CARD })
    expect([refused.status, refused.html]).toEqual([422, expect.stringContaining('href="#f-shipping-county_state"')])
    const paid = await own.pay(token, { ...ADDRESS, ...CARD }, refused)
    const agreed = paid.status === 303 ? paid : await own.pay(token, { ...ADDRESS, ...CARD }, paid)
    expect(agreed.status).toBe(303)
  })

  it('reads digits and codes that are as wide as Japanese signs', async () => {
    await shop.discount({ code: 'WIDE10', type: 'percentage', value: 10 })
    const { token, path, jugLine } = await openPair()
    const wide = {
      [quantityOf(jugLine)]: '２',
      discount_code: 'ＷＩＤＥ１０',
      'customer[email]': 'ａｄａ＠example.com',
    }
    const page = await send(app, path, await shop.open(token), wide, 'update')
    expect([page.form.expected_total, page.form['customer[email]']]).toEqual(['20.7', 'ada@example.com'])
    const typed = { ...CARD, 'payment[card][number]': '４２４２　４２４２　４２４２　４２４２' }
    expect(await ordered(await send(app, path, page, typed, 'pay'))).toEqual([
      ['Jug', 2],
      ['Vase', 1],
    ])
  })

  it('is what who looks for nothing finds too', async () => {
    for (const path of ['/checkout', '/checkout/', `/checkout/${shop.id}`, `/checkout/${shop.id}/a/b/c`]) {
      const { status, headers } = await load(app, path)
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8'])
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'content-security-policy': expect.any(String) })
    }
  })

  it('names no way of sending before it is known where to', async () => {
    const token = await shop.shipped()
    const page = await post(app, shop.path(token), { 'shipping[country]': '', do: 'update' })
    expect(page.text).toContain('Choose the country to see how your order can be sent.')
    expect(page.html).not.toContain(`value="${shop.method}"`)
    const known = await post(app, shop.path(token), { 'shipping[country]': 'US', do: 'update' })
    expect(known.html).toContain(`value="${shop.method}"`)
    expect((await load(app, shop.path(token))).status).toBe(200)
  })
})
