// The link of a product shows it and makes nothing; its form makes a token of what was chosen, for each who sends it.

import { describe, expect, it } from 'vitest'
import { sharedApp } from '../../support/app.ts'
import { roundTripsOf } from '../../support/sent.ts'
import { messageEntry, openEntryShop } from './entry-support.ts'

const app = await sharedApp()
const shop = await openEntryShop(app)
const tea = await shop.product({ name: 'Tea', price: 10, permalink: 'tea' })
const shirt = await shop.product({
  name: 'Shirt',
  price: 20,
  permalink: 'shirt',
  variant_groups: [
    { name: 'Size', options: [{ name: 'S' }, { name: 'L', price: 2 }] },
    { name: 'Colour', options: [{ name: 'Red' }] },
  ],
})
const [size, colour] = shirt.variant_groups
const ids = {
  size: size?.id ?? '',
  colour: colour?.id ?? '',
  large: size?.options[1]?.id ?? '',
  red: colour?.options[0]?.id ?? '',
}

const gone = messageEntry(404, 'gone', 'product_gone')

const bought = async (permalink: string, typed: Record<string, string> = {}) => {
  const entry = await shop.buy(permalink, typed)
  if (entry.kind !== 'pay') throw new Error(`It leads to ${JSON.stringify(entry)}.`)
  return shop.get({ id: entry.tokenId })
}

const problemsOf = async (permalink: string, typed: Record<string, string>) => {
  const before = await shop.tokens()
  const entry = await shop.buy(permalink, typed)
  const page = { kind: 'product', status: 422, model: { product: { permalink }, goesStraightOn: false } }
  expect(entry).toMatchObject(page)
  expect(await shop.tokens()).toBe(before)
  if (entry.kind !== 'product') throw new Error('It is no page.')
  expect(Object.fromEntries(entry.model.typed)).toEqual(typed)
  return entry.model.problems.map(({ path, shopperMessage }) => [path, shopperMessage.code, shopperMessage.params])
}

describe('the page of a product', () => {
  it('shows it as a public key is shown it, and makes no token, whoever looks', async () => {
    const before = await shop.tokens()
    const read = await shop.succeed(200, 'GET', `products/${tea.id}`)
    for (const asksCheckout of [false, true])
      expect(await shop.show('tea', asksCheckout)).toEqual({
        kind: 'product',
        status: 200,
        model: { product: read, typed: new Map(), problems: [], goesStraightOn: asksCheckout },
      })
    expect(await shop.tokens()).toBe(before)
  })

  it('goes straight on where it was asked to, and nothing is left to choose', async () => {
    await shop.product({ permalink: 'any-price', pay_what_you_want: true })
    await shop.product({ permalink: 'none-left', inventory: { managed: true, available: 0 } })
    const straight = async (permalink: string) => {
      const entry = await shop.show(permalink, true)
      return entry.kind === 'product' && entry.model.goesStraightOn
    }
    const goOn = await Promise.all(['tea', 'shirt', 'any-price', 'none-left'].map(straight))
    expect(goOn).toEqual([true, false, false, false])
  })

  it('asks the database twice, and four times to make a token', async () => {
    const sent = async (work: () => Promise<unknown>) =>
      (await roundTripsOf(work))
        .flatMap(({ statements }) => statements)
        .filter(({ name = '' }) => /^(?:products|checkouts|lines)/.test(name)).length
    await bought('tea')
    expect(await sent(() => shop.show('tea'))).toBe(2)
    expect(await sent(() => shop.buy('tea'))).toBeLessThanOrEqual(4)
  })

  it('is 404 for a product that is inactive, unknown or of another shop', async () => {
    await shop.product({ permalink: 'hidden', active: false })
    const other = await openEntryShop(app)
    await other.product({ permalink: 'theirs' })
    for (const permalink of ['hidden', 'theirs', 'nothing', '', "'", 'x'.repeat(5_000), 'tea\u0000', tea.id]) {
      expect([permalink, await shop.show(permalink)]).toEqual([permalink, gone])
      expect([permalink, await shop.buy(permalink)]).toEqual([permalink, gone])
    }
  })

  it('makes a token of one, for each who sends the form', async () => {
    const [one, two] = [await bought('tea'), await bought('tea', { quantity: ' 1 ' })]
    expect(one.id).not.toBe(two.id)
    expect(one).toMatchObject({ cart_id: null, live: { line_items: [{ product_id: tea.id, quantity: 1 }] } })
  })

  it('makes it of what was chosen, at its price', async () => {
    const token = await bought('shirt', {
      quantity: '3',
      [`variants[${ids.size}]`]: ids.large,
      [`variants[${ids.colour}]`]: ids.red,
    })
    expect(token).toMatchObject({
      live: {
        line_items: [
          {
            product_id: shirt.id,
            quantity: 3,
            line_total: { raw: 66 },
            selected_options: [{ option_name: 'L' }, { option_name: 'Red' }],
          },
        ],
        subtotal: { raw: 66 },
      },
    })
    const order = await shop.order(token, shop.body())
    expect(order.order.subtotal.raw).toBe(66)
  })

  it('asks for what is left to choose, by its field, and keeps what was typed', async () => {
    expect(await problemsOf('shirt', { quantity: '2', [`variants[${ids.size}]`]: '' })).toEqual([
      [`variants.${ids.size}`, 'choose_option', { name: 'Size' }],
      [`variants.${ids.colour}`, 'choose_option', { name: 'Colour' }],
    ])
    expect(
      await problemsOf('shirt', { [`variants[${ids.size}]`]: ids.red, [`variants[${ids.colour}]`]: ids.red }),
    ).toEqual([[`variants.${ids.size}`, 'choice_not_available', {}]])
  })

  it.each(['0', '-1', '1.5', '', 'two', '1000001', '99999999', '1e3', '\u0000'])(
    'refuses %j as a quantity',
    async (quantity) => {
      expect(await problemsOf('tea', { quantity })).toEqual([['quantity', 'wrong_field', { field: 'quantity' }]])
    },
  )

  it('refuses what nobody has offered', async () => {
    for (const [name, value] of [
      ['variants[vgrp_0]', ids.red],
      [`variants[${ids.size}]`, ids.large],
      ['variants[__proto__]', 'x'],
      ['variants[a]', '\u0000'],
      ['variants[b]', '\ud800'],
    ] as const)
      expect(await problemsOf('tea', { [name]: value })).toEqual([[null, 'choice_not_available', {}]])
  })

  it('refuses more than there is, and says how many are left', async () => {
    await shop.product({ permalink: 'few', inventory: { managed: true, available: 2 } })
    expect(await problemsOf('few', { quantity: '3' })).toEqual([['quantity', 'not_enough', { left: 2 }]])
    await bought('few', { quantity: '2' })
  })

  it('takes an amount that the shopper chooses, also with a comma, and not below the least', async () => {
    await shop.product({ permalink: 'gift', price: 5, pay_what_you_want: true })
    expect(await bought('gift', { pay_what_you_want: '12,50' })).toMatchObject({
      live: { pay_what_you_want: { customer_set_price: { raw: 12.5 } }, subtotal: { raw: 12.5 } },
    })
    expect(await bought('gift', { pay_what_you_want: ' ' })).toMatchObject({ live: { subtotal: { raw: 5 } } })
    expect(await bought('gift', { quantity: '2', pay_what_you_want: '10' })).toMatchObject({
      live: { subtotal: { raw: 10 } },
    })
    for (const [amount, ...problem] of [
      ['4.99', 'amount_too_low', { minimum: '$5.00' }],
      ['9999999999', 'amount_too_high', {}],
      ['all I have', 'wrong_field', { field: 'amount' }],
    ] as const)
      expect(await problemsOf('gift', { pay_what_you_want: amount })).toEqual([['pay_what_you_want', ...problem]])
    // Of what has a price, an amount that somebody adds to the form is passed over.
    expect(await bought('tea', { pay_what_you_want: '1' })).toMatchObject({ live: { subtotal: { raw: 10 } } })
  })

  it('makes none in a sandbox that is full', async () => {
    const { buyProduct } = await import('../../../src/pages/checkout/links/product-entry.ts')
    const full = shop.contextIn(true, { fullSandbox: ['checkouts'] })
    await expect(buyProduct(full, 'tea', new Map())).rejects.toMatchObject({ status: 429 })
  })
})
