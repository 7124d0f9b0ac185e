// What all checks and helpers share: who may ask, of which token, that no cache keeps an answer, and that older versions are aged.

import { describe, expect, it } from 'vitest'
import { slices } from '../../../src/app.ts'
import { testApp } from '../../support/app.ts'
import { DAY } from '../../support/shop.ts'
import { NOT_FOUND, openCheckoutShop, UNKNOWN_ID } from './support.ts'

const app = await testApp({ trustProxy: () => true })
const shop = await openCheckoutShop(app)
const other = await openCheckoutShop(app)
await shop.discount({ type: 'fixed', value: 1, code: 'RIGHT' })
await shop.giftCard({ value: 1, code: 'CARD' })
const product = await shop.product({ pay_what_you_want: true })

const paths = (line: string) => [
  `check/${line}/quantity?amount=2`,
  `check/${line}/variant?variant_id=vrnt_x`,
  'check/discount?code=RIGHT',
  'check/discount?code=',
  'check/discount?code=wrong',
  'check/giftcard?code=CARD',
  'check/giftcard?code=',
  'check/shipping?shipping_option_id=ship_x&country=US',
  'check/pay_what_you_want?customer_set_price=12',
  'check/is_free',
  'helper/shipping_options?country=US',
  'helper/set_tax_zone?country=US',
  'helper/location_from_ip',
  'helper/validation',
  'fields',
]

it('every check and helper is asked here', () => {
  const asked = new Set(paths('x').map((path) => path.replace(/\?.*/, '').replace('/x/', '/:line_item_id/')))
  const listed = slices
    .flatMap(({ endpoints }) => endpoints.map((endpoint) => endpoint.path.replace('/v1/checkouts/:id/', '')))
    .filter((path) => /^(?:check|helper)\/|^fields$/.test(path))
  expect([...asked].sort()).toEqual(listed.sort())
})

it('a token that is unknown, expired, of the other mode or of another merchant is not found, and is left as it is', async () => {
  const expired = await shop.token({ id: product.id })
  app.clock.advance(7 * DAY)
  const own = await shop.token({ id: product.id })
  const foreign = await other.token({ id: (await other.product()).id })
  for (const [id, line, key] of [
    [UNKNOWN_ID, 'item_x', shop.keys.sandbox.public],
    [expired.id, expired.products[0]?.id, shop.keys.sandbox.secret],
    [own.id, own.products[0]?.id, shop.keys.live.public],
    [foreign.id, foreign.products[0]?.id, shop.keys.sandbox.public],
  ] as const)
    for (const path of paths(line ?? '')) {
      // Wrong codes are counted by the client's address.
      app.clock.advance(60)
      const answer = await shop.call('GET', `checkouts/${id}/${path}`, undefined, key)
      expect([path, answer.status, answer.body]).toEqual([path, 404, NOT_FOUND])
      expect(answer.headers['cache-control']).toBe('no-store')
    }
  expect(await shop.live(own)).toEqual(own.live)
  expect(await other.live(foreign)).toEqual(foreign.live)
})

it('any key of the merchant may ask, and nobody without one', async () => {
  const token = await shop.token({ id: product.id })
  for (const path of paths(token.products[0]?.id ?? '')) {
    app.clock.advance(60)
    expect([path, (await app.call('GET', `/v1/checkouts/${token.id}/${path}`)).status]).toEqual([path, 401])
    for (const key of [shop.keys.sandbox.public, shop.keys.sandbox.secret]) {
      const answer = await shop.call('GET', `checkouts/${token.id}/${path}`, undefined, key)
      expect([path, answer.status, answer.headers['cache-control']]).toEqual([path, 200, 'no-store'])
    }
  }
})

it('nobody who only looks asks any of them: there is no HEAD, as most save what they are asked', async () => {
  const token = await shop.token({ id: product.id })
  for (const path of ['live', ...paths(token.products[0]?.id ?? '')]) {
    const answer = await app.call('HEAD', `/v1/checkouts/${token.id}/${path}`, { key: shop.keys.sandbox.public })
    expect([path, answer.status, answer.headers.allow]).toEqual([path, 405, 'GET'])
  }
  expect(await shop.get(token)).toEqual(token)
})

describe('older versions', () => {
  it('are answered with live as they know it', async () => {
    const token = await shop.token({ id: product.id })
    const at = async (path: string) =>
      (
        await app.call('GET', `/v1/checkouts/${token.id}/${path}`, {
          key: shop.keys.sandbox.public,
          version: '2020-02-01',
        })
      ).body as { live?: unknown }
    const live = await at('live')
    expect(live).not.toEqual(token.live)
    for (const path of ['check/is_free', 'check/discount?code=', `check/${token.products[0]?.id}/quantity?amount=1`])
      expect((await at(path)).live).toEqual(live)
  })
})

describe('protect', () => {
  it('is a script that does nothing, whatever the token', async () => {
    const answer = await shop.call('GET', `checkouts/${UNKNOWN_ID}/protect`)
    expect([answer.status, answer.body, answer.headers['cache-control']]).toEqual([200, { sift_js: '' }, 'no-store'])
    expect((await app.call('GET', `/v1/checkouts/${UNKNOWN_ID}/protect`)).status).toBe(401)
  })
})
