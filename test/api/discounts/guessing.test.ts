// Guessing codes as a stranger can: over HTTP, with the public key, in a cart.

import { expect, it } from 'vitest'
import { testApp } from '../../support/app.ts'
import { setAttempts } from '../../support/rows.ts'
import { notValid, START } from '../../support/shop.ts'
import { openShop, use } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openShop(app)
const key = shop.keys.sandbox.public

const newCart = async () => ((await app.call('GET', '/v1/carts', { key })).body as { id: string }).id

const enter = (cart: string, code: string, address: string) =>
  app.call('PUT', `/v1/carts/${cart}`, { key, body: { discount_code: code }, headers: { 'x-forwarded-for': address } })

const REFUSED = [
  422,
  notValid({ discount_code: ['This code cannot be used: it does not exist, has expired or is used up.'] }),
]

it('unknown, expired and used up codes are refused in the same bytes, and after ten in a minute every code of that cart is', async () => {
  const right = await shop.create({ code: 'RIGHT' })
  await shop.create({ code: 'EXPIRED', expires: START + 1 })
  const { id } = await shop.create({ code: 'SPENT', limit: 1 })
  await use(app.db, shop.id, id, true, 1)
  app.clock.advance(1)

  const cart = await newCart()
  const codes = ['EXPIRED', 'SPENT', ...Array.from({ length: 8 }, (_, index) => `UNKNOWN-${index}`)]
  const answers = []
  for (const code of codes) answers.push(await enter(cart, code, '203.0.113.7'))
  for (const { status, body } of answers) expect([status, body]).toEqual(REFUSED)
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)

  for (const [code, seconds, when] of [
    ['UNKNOWN', 60, 'a minute'],
    [right.code, 40, '40 seconds'],
  ] as const) {
    const { status, headers, body } = await enter(cart, code, '198.51.100.1')
    app.clock.advance(20.5)
    const message = `Too many codes were tried. Please try again in ${when}.`
    const errors = { discount_code: [message] }
    expect([status, headers['retry-after'], body]).toEqual([
      429,
      `${seconds}`,
      {
        error: { type: 'too_many_requests', message, code: 'too_many_codes', params: { seconds }, errors },
        status_code: 429,
      },
    ])
  }
  // Others behind the same address, and the same shopper in another cart, enter theirs.
  for (const address of ['203.0.113.7', '198.51.100.1'])
    expect((await enter(await newCart(), 'right', address)).body).toMatchObject({ discount: [{ code: 'RIGHT' }] })

  app.clock.advance(19)
  expect((await enter(cart, 'right', '203.0.113.7')).body).toMatchObject({ discount: [{ code: 'RIGHT' }] })
})

it('a cart that does not exist tells nothing of codes, and its failures count too', async () => {
  const unknown = `cart_${'カ'.repeat(300)}`
  const address = '192.0.2.1'
  for (const code of ['RIGHT', ...Array.from({ length: 10 }, () => 'UNKNOWN')])
    expect([code, (await enter(unknown, code, address)).status]).toEqual([code, 404])
  expect((await enter(unknown, 'RIGHT', address)).status).toBe(429)
})

it('a server with the secret key names its shopper: then the address counts, and without it none does', async () => {
  const { secret } = shop.keys.sandbox
  const guess = async (code: string, headers: Record<string, string>) => {
    const body = { discount_code: code }
    return (await app.call('PUT', `/v1/carts/${await newCart()}`, { key: secret, body, headers })).status
  }
  const shopper = { 'shopper-address': '198.51.100.77' }
  expect(await guess('UNKNOWN', shopper)).toBe(422)
  expect(await setAttempts(app.db, shop.id, 'code sandbox from 198.51.100.77', 200)).toBe(1)
  expect(await guess('RIGHT', shopper)).toBe(429)
  expect(await guess('RIGHT', { 'shopper-address': '198.51.100.78' })).toBe(200)
  expect(await guess('RIGHT', { 'x-forwarded-for': '198.51.100.77' })).toBe(200)
})
