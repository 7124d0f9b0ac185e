// Errors of the checkout routes over HTTP: which of them had another form before 2020-09-23, and which never had.

import { describe, expect, it } from 'vitest'
import { slices } from '../../src/app.ts'
import { checkoutErrors as change } from '../../src/versions/changes/2020-09-23.ts'
import { NOT_FOUND, openCheckoutShop, UNKNOWN_ID } from '../api/checkouts/support.ts'
import { toldOf } from '../api/words.ts'
import { type CallOptions, testApp } from '../support/app.ts'

const app = await testApp()
const shop = await openCheckoutShop(app)
const { id: token } = await shop.token({ id: (await shop.product()).id })
const [secret, open] = [shop.keys.sandbox.secret, shop.keys.sandbox.public]

const BEFORE = ['2020-02-01', '2020-08-26']

const call = async (version: string, method: 'GET' | 'PUT', path: string, options: CallOptions = {}) => {
  const { status, body } = await app.call(method, `/v1/${path}`, { key: open, version, ...options })
  return [status, body]
}

const AMOUNT = 'customer_set_price must be a number or a decimal string such as 12.00, in USD.'
const TYPE = 'type must be one of cart, product_id, permalink.'
const PRICE = 'shipping_methods.0.price must be a number or a decimal string such as 12.00, in USD.'
const WRONG = { tax: { line_items: [{ breakdown: [] }] }, shipping_methods: [{ description: '', price: 1 }] }

describe('validation errors of checkout routes', () => {
  it.each(BEFORE)('have the type `validation` and list the fields as forms name them, at %s', async (version) => {
    const put = (body: unknown) => call(version, 'PUT', `checkouts/${token}`, { key: secret, body })
    const old = (...message: { param: string; error: string }[]) => [
      422,
      { error: { type: 'validation', message }, status_code: 422 },
    ]
    // Of a query and of a body, as the schema sees it and as the rules read it.
    expect(await call(version, 'GET', 'checkouts/cup?type=sku')).toEqual(old({ param: 'type', error: TYPE }))
    expect(await call(version, 'GET', `checkouts/${token}/check/pay_what_you_want?customer_set_price=much`)).toEqual(
      old({ param: 'customer_set_price', error: AMOUNT }),
    )
    expect(await put(WRONG)).toEqual(
      old(
        { param: 'shipping_methods[0][description]', error: 'shipping_methods.0.description must not be empty.' },
        { param: 'tax[line_items][0][id]', error: 'tax.line_items.0.id is required.' },
      ),
    )
    expect(await put({ shipping_methods: [{ description: 'Post', price: 'much' }] })).toEqual(
      old({ param: 'shipping_methods[0][price]', error: PRICE }),
    )
  })

  it('have the type `unprocessable_entity` and `errors` by field at 2020-09-23', async () => {
    expect(await call('2020-09-23', 'GET', 'checkouts/cup?type=sku')).toEqual([
      422,
      { error: toldOf({ type: 'unprocessable_entity', message: TYPE, errors: { type: [TYPE] } }), status_code: 422 },
    ])
  })

  it.each(BEFORE)(
    'are the only ones that differ: a rule that refuses and what is missing do not, at %s',
    async (version) => {
      const empty = (await shop.cart([])).id
      const same = async (path: string, options?: CallOptions) => {
        const answer = await call(version, 'GET', path, options)
        expect(answer).toEqual(await call('2022-07-21', 'GET', path, options))
        return answer
      }
      expect(await same(`checkouts/${empty}?type=cart`)).toMatchObject([422, { error: { type: 'not_valid' } }])
      expect(await same(`checkouts/${token}/check/discount`)).toMatchObject([400, { error: { type: 'bad_request' } }])
      expect(await same(`checkouts/${UNKNOWN_ID}/live`)).toEqual([404, NOT_FOUND])
      expect(await same(`checkouts/tokens/${token}`, { key: 'pk_test_unknown' })).toMatchObject([
        401,
        { error: { type: 'unauthorized' } },
      ])
    },
  )

  it('of other routes never had that form', async () => {
    const answer = await call('2020-02-01', 'PUT', `carts/${(await shop.cart([])).id}`, { body: { meta: 1 } })
    expect(answer).toMatchObject([
      422,
      { error: { type: 'unprocessable_entity', errors: { meta: [expect.any(String)] } } },
    ])
  })

  it('had that form on every checkout route but capture', () => {
    const routes = slices.flatMap((slice) => slice.endpoints).filter(({ path }) => path.startsWith('/v1/checkouts'))
    const isCapture = ({ method, path }: (typeof routes)[number]) =>
      method === 'POST' && /^\/v1\/checkouts\/:\w+$/.test(path)
    const others = routes.filter((route) => !isCapture(route)).map(({ operation }) => operation)
    expect(others.length).toBeGreaterThan(3)
    expect(Object.keys(change.operations).sort()).toEqual(others.sort())
  })
})
