// The page on which one pays, without scripting: from a token to a receipt, and everything that can be in the way.

import { describe, expect, it } from 'vitest'
import type { CheckoutToken } from '../../../src/api/checkouts/schema.ts'
import type { Order } from '../../../src/api/orders/schema.ts'
import { testApp } from '../../support/app.ts'
import { changeRows } from '../../support/rows.ts'
import { ADDRESS, CARD, cardOf, DIGITAL, follow, load, openPageShop, send } from './support.ts'

const app = await testApp()
const shop = await openPageShop(app)

const receiptOf = (token: { id: string }) => shop.succeed<Order>(200, 'GET', `checkouts/${token.id}/receipt`)

describe('a checkout', () => {
  it('is paid by form alone, and its receipt is shown', async () => {
    const token = await shop.shipped()
    const page = await shop.open(token)
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.form).toMatchObject({ 'shipping[country]': 'US', 'fulfillment[shipping_method]': shop.method })
    expect(page.text).toContain('$15.00')
    const updated = await shop.update(token, ADDRESS, page)
    expect(updated.status).toBe(200)
    expect(updated.form).toMatchObject(ADDRESS)
    const paid = await shop.pay(token, CARD, updated)
    expect([paid.status, paid.location]).toEqual([303, shop.path(token, '/receipt?lang=en')])
    const order = await receiptOf(token)
    const receipt = await follow(app, paid)
    expect(receipt.status).toBe(200)
    expect(receipt.text).toContain(order.customer_reference)
    expect(order).toMatchObject({
      status_payment: 'paid',
      customer: { email: 'ada@example.com' },
      shipping: { street: '1 Main Street', country: 'US' },
      order_value: { raw: 15 },
    })
  })

  it('that was paid leads to its receipt, by whichever of its addresses', async () => {
    const token = await shop.digital()
    const page = await shop.open(token)
    const typed = { 'customer[email]': 'ada@example.com', ...CARD }
    await shop.pay(token, typed, page)
    for (const below of ['', '/continue', '/wait'])
      expect((await load(app, shop.path(token, below))).location).toBe(shop.path(token, '/receipt'))
    const again = await shop.pay(token, { ...typed, 'customer[email]': 'eve@example.com' }, page)
    expect(again.location).toBe(shop.path(token, '/receipt?lang=en'))
    expect((await receiptOf(token)).customer.email).toBe('ada@example.com')
  })

  it('whose card is declined keeps all that was typed but the card, and says why', async () => {
    const token = await shop.shipped()
    const declined = await shop.pay(token, { ...ADDRESS, ...cardOf('9995') })
    expect(declined.status).toBe(402)
    expect(declined.text).toContain('insufficient funds')
    expect(declined.form).toMatchObject(ADDRESS)
    expect(declined.html).not.toContain('9995')
    const paid = await shop.pay(token, CARD, declined)
    expect(paid.location).toBe(shop.path(token, '/receipt?lang=en'))
    expect(declined.form['payment[card][number]'] ?? '').toBe('')
  })
})

describe('too many declined payments', () => {
  it('of a token are told in the form, in its language, which keeps what was typed', async () => {
    const sentence = 'In dieser Kasse wurden zu viele Zahlungen abgelehnt.'
    // Its own: those who come after it are not to wait.
    const other = await openPageShop(app)
    const token = await other.shipped()
    const path = other.path(token, '?lang=de')
    let page = await load(app, path)
    for (let nth = 0; nth < 10; nth++) {
      page = await send(app, path, page, { ...ADDRESS, ...cardOf('0002') }, 'pay')
      expect(page.status).toBe(402)
    }
    const refused = await send(app, path, page, { ...ADDRESS, ...CARD }, 'pay')
    expect(refused.status).toBe(429)
    expect(refused.text).toContain(sentence)
    expect(refused.form).toMatchObject(ADDRESS)
    expect(refused.form['payment[card][number]'] ?? '').toBe('')
    // Once: a screen reader would read a second one as well.
    expect(refused.html.split(sentence)).toHaveLength(2)
  })

  it('of a network are told with the wait', async () => {
    const other = await openPageShop(app)
    const tokens = [await other.digital(), await other.digital(), await other.digital()]
    const last = await other.digital()
    const page = await other.open(last)
    const typed = { 'customer[email]': 'ada@example.com' }
    for (const token of tokens) {
      const form = await other.open(token)
      for (let nth = 0; nth < 10; nth++) await other.pay(token, { ...typed, ...cardOf('0127') }, form)
    }
    const refused = await other.pay(last, { ...typed, ...CARD }, page)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
    expect(refused.text).toContain('Too many payments were declined. Please try again in a minute.')
    expect(refused.form).toMatchObject(typed)
  })
})

describe('a form that is not ready', () => {
  it('names each field that is missing, and keeps the others', async () => {
    const token = await shop.shipped()
    const { 'shipping[name]': _, 'shipping[street]': __, ...most } = ADDRESS
    const refused = await shop.pay(token, { ...most, ...CARD })
    expect(refused.status).toBe(422)
    for (const sentence of ['Enter your name.', 'Enter the street.']) expect(refused.text).toContain(sentence)
    expect(refused.text).not.toContain('Enter your e-mail address.')
    expect(refused.form).toMatchObject(most)
    expect(refused.form['payment[card][number]'] ?? '').toBe('')
  })

  it('is told nothing of what is only missing while it is filled in', async () => {
    const token = await shop.shipped()
    const updated = await shop.update(token, { 'customer[email]': 'ada@' })
    expect(updated.status).toBe(200)
    expect(updated.text).toContain('Please check your e-mail address.')
    expect(updated.text).not.toMatch(/Enter|Choose a/)
  })

  it('with values that no capture takes is refused by field, whatever they are', async () => {
    const token = await shop.digital()
    const [line] = token.line_items
    const wrong = {
      'customer[email]': `${'a'.repeat(400)}@example.com`,
      'customer[firstname]': 'a'.repeat(300),
      [`line_items[${line?.id}][quantity]`]: 'many',
      'shipping[name][deep]': 'x',
      pay_what_you_want: 'a lot',
    }
    const refused = await shop.pay(token, { ...wrong, ...CARD })
    expect(refused.status).toBe(422)
    for (const noun of ['your e-mail address', 'your first name', 'the quantity'])
      expect(refused.text).toContain(`Please check ${noun}.`)
  })

  it('is paid by none but the way that was chosen: a card that was typed before goes nowhere', async () => {
    const gateway = { code: 'manual', config: { name: 'Bank transfer', details: 'IBAN XX00 1234' } }
    const { id } = await shop.succeed<{ id: string }>(201, 'POST', 'gateways', gateway, shop.keys.sandbox.secret)
    const token = await shop.digital()
    const typed = { 'customer[email]': 'ada@example.com', ...CARD, 'payment[gateway]': id }
    const receipt = await follow(app, await shop.pay(token, typed))
    expect(receipt.text).toContain('IBAN XX00 1234')
    expect(await receiptOf(token)).toMatchObject({ status_payment: 'not_paid' })
  })
})

describe('the total', () => {
  it('follows codes, amounts and quantities, and saves none of them', async () => {
    const code = await shop.discount({ code: 'TENTH', type: 'percentage', value: 10 })
    const product = await shop.product({ price: 20, ...DIGITAL })
    const token = await shop.token({ id: product.id })
    const [line] = token.line_items
    const page = await shop.open(token)
    expect(page.form.expected_total).toBe('20')
    const typed = { discount_code: code.code, [`line_items[${line?.id}][quantity]`]: '2' }
    const updated = await shop.update(token, typed, page)
    expect(updated.form).toMatchObject({ ...typed, expected_total: '36' })
    expect((await shop.open(token)).form.expected_total).toBe('20')
    const paid = await shop.pay(token, { 'customer[email]': 'a@example.com', ...CARD }, updated)
    expect(paid.status).toBe(303)
    expect(await receiptOf(token)).toMatchObject({ order_value: { raw: 36 } })
  })

  it('of a wrong code is that without it, and says so; the code is tried once, however often the form is sent', async () => {
    const token = await shop.digital()
    let page = await shop.update(token, { discount_code: 'MISTYPED' })
    expect([page.status, page.form.expected_total]).toEqual([200, '10'])
    for (let times = 0; times < 30; times++) page = await shop.update(token, {}, page)
    expect(page.text).toContain('This code cannot be used')
    const { code } = await shop.discount({ code: 'RIGHT', type: 'percentage', value: 50 })
    const mended = await shop.update(token, { discount_code: code }, page)
    expect([mended.form.expected_total, mended.text.includes('This code cannot be used')]).toEqual(['5', false])
  })

  it('is there all the same after too many wrong codes', async () => {
    const token = await shop.digital()
    const page = await shop.open(token)
    let last = page
    for (let tries = 0; tries < 13; tries++) last = await shop.update(token, { discount_code: `WRONG${tries}` }, page)
    expect([last.status, last.form.expected_total]).toEqual([200, '10'])
    expect(last.text).toContain('Too many codes were tried.')
  })

  it('that a gift card pays asks for no card', async () => {
    const card = await shop.giftCard({ code: 'GIFT-1', value: 50 })
    const token = await shop.digital()
    const typed = { giftcard_code: card.code, 'customer[email]': 'ada@example.com' }
    const updated = await shop.update(token, typed)
    expect(updated.form).toMatchObject({ giftcard_code: card.code, expected_total: '0' })
    expect(updated.form).not.toHaveProperty('payment[gateway]')
    expect((await shop.pay(token, {}, updated)).status).toBe(303)
    expect(await receiptOf(token)).toMatchObject({ status_payment: 'paid', order: { total_due: { raw: 0 } } })
  })

  it('that the shopper chooses must not be below the least, and may be written with a comma', async () => {
    const token = await shop.digital({ price: 5, pay_what_you_want: true })
    const low = await shop.update(token, { pay_what_you_want: '4' })
    expect(low.text).toContain('Please pay $5.00 or more.')
    const good = await shop.update(token, { pay_what_you_want: '7,50' }, low)
    expect(good.form).toMatchObject({ pay_what_you_want: '7,50', expected_total: '7.5' })
  })

  it('that has changed since it was shown is shown again before anything is charged', async () => {
    const product = await shop.product({ ...DIGITAL })
    const token = await shop.token({ id: product.id })
    const page = await shop.open(token)
    await shop.succeed(200, 'PUT', `products/${product.id}`, { price: 12 }, shop.keys.sandbox.secret)
    const typed = { 'customer[email]': 'ada@example.com' }
    const changed = await shop.pay(token, { ...typed, ...CARD }, page)
    expect([changed.status, changed.form.expected_total]).toEqual([409, '12'])
    expect(changed.text).toContain('The total is now $12.00.')
    expect(changed.html).toContain('10.00')
    expect(changed.form).toMatchObject(typed)
    expect((await shop.pay(token, CARD, changed)).status).toBe(303)
  })

  it('is taxed where the address is, and sent by what serves it', async () => {
    const own = await openPageShop(app)
    await own.taxZone({ country: 'US', region: 'CA', rates: [{ type: 'default', rate: 0.1 }] })
    const token = await own.shipped()
    const page = await own.open(token)
    expect(page.form.expected_total).toBe('15')
    const taxed = await own.update(token, ADDRESS, page)
    expect(taxed.form.expected_total).toBe('16')
    const nowhere = await own.update(token, { ...ADDRESS, 'shipping[country]': 'FR' }, page)
    expect([nowhere.status, nowhere.form.expected_total]).toEqual([200, '10'])
    const refused = await own.pay(token, CARD, nowhere)
    expect(refused.status).toBe(422)
  })
})

describe('what is bought', () => {
  it('with options to choose asks for them, and keeps the choice', async () => {
    const size = { name: 'Size', options: [{ name: 'Small' }, { name: 'Large', price: 3 }] }
    const product = await shop.product({ ...DIGITAL, variant_groups: [size] })
    const group = product.variant_groups[0]
    const token = await shop.succeed<CheckoutToken>(201, 'GET', `checkouts/${product.id}?type=product_id`)
    const name = `line_items[${token.line_items[0]?.id}][variants][${group?.id}]`
    const page = await shop.open(token)
    expect(page.html).toContain(name)
    const typed = { 'customer[email]': 'ada@example.com', ...CARD }
    const refused = await shop.pay(token, typed, page)
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Choose a size.')])
    const chosen = await shop.update(token, { [name]: group?.options[1]?.id ?? '' }, refused)
    expect(chosen.form).toMatchObject({ [name]: group?.options[1]?.id, expected_total: '13' })
    expect((await shop.pay(token, CARD, chosen)).status).toBe(303)
  })
})

describe('paying', () => {
  it('twice at once makes one order, and both see its receipt', async () => {
    const token = await shop.digital()
    const page = await shop.open(token)
    const typed = { 'customer[email]': 'ada@example.com', ...CARD }
    const press = () => shop.pay(token, typed, page)
    const presses = await Promise.all([press(), press(), press()])
    expect(presses.map(({ status, location }) => [status, location])).toEqual(
      presses.map(() => [303, shop.path(token, '/receipt?lang=en')]),
    )
    const all = ['GET', 'orders?limit=200', undefined, shop.keys.sandbox.secret] as const
    const { data } = await shop.succeed<{ data: Order[] }>(200, ...all)
    expect(data.filter((order) => order.checkout_token_id === token.id)).toHaveLength(1)
  })

  it("that the shopper's bank wants to see first is confirmed by the form, without the card again", async () => {
    const token = await shop.shipped()
    const asked = await shop.pay(token, { ...ADDRESS, ...cardOf('3220') })
    expect(asked.status).toBe(402)
    expect(asked.form).toMatchObject({
      'payment[gateway]': 'test_gateway',
      'payment[test_gateway][payment_intent_id]': expect.stringMatching(/_secret_/),
      ...ADDRESS,
    })
    const paid = await shop.pay(token, {}, asked)
    expect(paid.location).toBe(shop.path(token, '/receipt?lang=en'))
    expect(await receiptOf(token)).toMatchObject({ status_payment: 'paid', shipping: { street: '1 Main Street' } })
  })

  it('with a bill to somewhere else asks for that address', async () => {
    const product = await shop.product({ collect: { billing_address: true } })
    const token = await shop.token({ id: product.id })
    const page = await shop.open(token)
    expect(page.form).toMatchObject({ billing_same: '1' })
    const { billing_same: _, ...form } = page.form
    const refused = await send(app, shop.path(token), { ...page, form }, { ...ADDRESS, ...CARD }, 'pay')
    expect(refused.status).toBe(422)
    expect(refused.form).not.toHaveProperty('billing_same')
    const copied = Object.entries(ADDRESS).map(([name, value]) => [name.replace('shipping', 'billing'), value])
    const bill = { ...Object.fromEntries(copied), 'billing[street]': '2 High Street' }
    expect((await shop.pay(token, { ...bill, ...CARD }, refused)).status).toBe(303)
    const streets = { shipping: { street: '1 Main Street' }, billing: { street: '2 High Street' } }
    expect(await receiptOf(token)).toMatchObject(streets)
  })

  it('while a sandbox holds as many orders as it may is refused, with all that was typed', async () => {
    const own = await openPageShop(app)
    const token = await own.digital()
    const page = await own.open(token)
    await changeRows(app.db, "update merchants set full_sandbox = '{orders}'", { merchant_id: own.id })
    const typed = { 'customer[email]': 'ada@example.com' }
    const refused = await own.pay(token, { ...typed, ...CARD }, page)
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '600'])
    expect(refused.form).toMatchObject(typed)
    expect((await own.update(token, typed, page)).status).toBe(200)
  })
})
