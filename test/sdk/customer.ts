// The SDK's customer: login by a mailed link, the session that the browser keeps, the customer's own record and orders.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CheckoutToken } from '../../src/api/checkouts/schema.ts'
import type { Order } from '../../src/api/orders/schema.ts'
import { CAPTURE, card } from './paying.ts'
import { PATIENT, type Pass } from './shop.ts'

const EMAIL = 'grace@example.com'
const KEPT_ID = 'commercejs_customer_id'
const KEPT_TOKEN = 'commercejs_customer_token'

type Mail = { to: string; subject: string; text: string; html: string }
type Session = { customer_id: string; jwt: string }

export function customer(pass: () => Pass) {
  describe('a customer', () => {
    let order: Order
    let session: Session
    const orderPath = () => `customers/${session.customer_id}/orders`

    /** What the secret key with the SDK's header is answered at this version. */
    const asMerchant = async (path: string) => {
      const { app, shop, version } = pass()
      const asked = { key: shop.keys.sandbox.secret, headers: { 'x-chec-agent': 'commerce.js/v2' }, version }
      const { status, body } = await app.call('GET', `/v1/${path}`, asked)
      expect([path, status]).toEqual([path, 200])
      return body
    }

    /** Logs in, and takes the token out of the mail that comes. */
    const mailedToken = async (baseUrl: string) => {
      const { sdk, app, shop } = pass()
      const mails = async () => {
        const { body } = await app.call('GET', '/v1/developer/outbox', { key: shop.keys.sandbox.secret })
        return (body as { data: Mail[] }).data.filter(({ text }) => text.includes(baseUrl.split('{')[0] ?? ''))
      }
      const before = (await mails()).length
      // A link is sent to one address once in a minute.
      app.clock.advance(61)
      expect(await sdk.call('customer.login', EMAIL, baseUrl)).toEqual({ success: true })
      await expect.poll(async () => (await mails()).length, PATIENT).toBe(before + 1)
      const [mail] = await mails()
      expect(mail?.to).toBe(EMAIL)
      const link = /https?:\/\/shop\.example\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
      expect(link).not.toContain('{token}')
      const { pathname, searchParams } = new URL(link)
      return searchParams.get('token') ?? pathname.split('/').at(-1) ?? ''
    }

    // Node has no localStorage, without which `about` cannot be called: it takes neither id nor token.
    const kept = new Map<string, string>()
    const surrounding = globalThis as { window?: unknown }
    beforeAll(() => {
      const { sdk } = pass()
      if (!sdk.isBrowser)
        surrounding.window = {
          localStorage: {
            getItem: (name: string) => kept.get(name) ?? null,
            setItem: (name: string, value: string) => void kept.set(name, value),
            removeItem: (name: string) => void kept.delete(name),
          },
        }
    })
    afterAll(() => {
      kept.clear()
      delete surrounding.window
    })

    it('is made by an order, and is mailed a link that logs in, once', async () => {
      const { sdk, shop } = pass()
      const token = await sdk.call<CheckoutToken>('checkout.generateToken', shop.mug.id, { type: 'product_id' })
      order = await sdk.call<Order>('checkout.capture', token.id, {
        ...CAPTURE,
        customer: { firstname: 'Grace', lastname: 'Hopper', email: EMAIL },
        fulfillment: { shipping_method: shop.method },
        payment: card('4242 4242 4242 4242'),
      })
      expect(await sdk.call('customer.isLoggedIn')).toBe(false)
      const login = await mailedToken('https://shop.example/login?token={token}')
      // Not kept: what the SDK gives is all there is of it.
      session = await sdk.call<Session>('customer.getToken', login, false)
      expect(session).toEqual({
        customer_id: order.customer.id,
        jwt: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      })
      expect(await sdk.call('customer.isLoggedIn')).toBe(false)
      expect(await sdk.failure('customer.getToken', login)).toMatchObject({
        statusCode: 401,
        data: { error: { message: expect.any(String) }, status_code: 401 },
      })
    })

    it('has update, getOrders and getOrder by id and token, kept or not', async () => {
      const { sdk } = pass()
      const { customer_id: id, jwt } = session
      const changes = { firstname: 'Amazing', phone: '+1 555 0100', external_id: 'grace-1', meta: { rank: 'admiral' } }
      const updated = await sdk.call('customer.update', changes, id, jwt)
      expect(updated).toMatchObject({ id, email: EMAIL, lastname: 'Hopper', ...changes })
      expect(updated).toEqual(await asMerchant(`customers/${id}`))
      const orders = await sdk.call<{ data: Order[] }>('customer.getOrders', id, jwt, { limit: 1 })
      expect(orders).toEqual(await asMerchant(`${orderPath()}?limit=1`))
      expect(orders.data.map((each) => each.id)).toEqual([order.id])
      const shown = await sdk.call('customer.getOrder', order.id, id, jwt)
      expect(shown).toEqual(await asMerchant(`${orderPath()}/${order.id}`))
    })

    it('stays logged in, after a reload too, until logout', async () => {
      const { sdk } = pass()
      const { customer_id: id, jwt } = await sdk.call<Session>(
        'customer.getToken',
        await mailedToken('https://shop.example/login/callback'),
      )
      await sdk.restart()
      const storage = await sdk.localStorage()
      if (storage !== null) expect(storage).toEqual({ [KEPT_ID]: id, [KEPT_TOKEN]: jwt })
      expect(await sdk.call('customer.id')).toBe(session.customer_id)
      expect(await sdk.call('customer.token')).toBe(jwt)
      expect(await sdk.call('customer.isLoggedIn')).toBe(true)
      const about = await sdk.call('customer.about')
      expect(about).toEqual(await asMerchant(`customers/${id}`))
      expect(about).toMatchObject({ id, email: EMAIL, lastname: 'Hopper', created: expect.any(Number) })
      expect(await sdk.call('customer._request', `customers/${id}`)).toEqual(about)
      expect(await sdk.call('customer.update', { firstname: 'Grace' })).toMatchObject({ id, firstname: 'Grace' })
      const { data } = await sdk.call<{ data: Order[] }>('customer.getOrders')
      expect(data.map((each) => each.id)).toEqual([order.id])
      expect(await sdk.call('customer.getOrder', order.id)).toMatchObject({ id: order.id })
      await sdk.call('customer.logout')
      expect(await sdk.call('customer.isLoggedIn')).toBe(false)
      expect(await sdk.localStorage()).toEqual(sdk.isBrowser ? {} : null)
      expect(await sdk.failure('customer.getOrders')).toEqual({
        message: 'A customer ID must be provided when customer is not logged in',
      })
    })

    it('whose token is wrong is 401, and another customer is 403, with a body that the SDK can read', async () => {
      const { sdk } = pass()
      const { customer_id: id, jwt } = session
      const failure = (status: number) => ({
        message: expect.stringContaining(`(${status}: `),
        statusCode: status,
        data: {
          error: expect.objectContaining({ type: expect.any(String), message: expect.any(String) }),
          status_code: status,
        },
      })
      expect(await sdk.failure('customer.getOrders', id, 'a.b.c')).toEqual(failure(401))
      expect(await sdk.failure('customer.getOrders', `cstmr_${'0'.repeat(26)}`, jwt)).toEqual(failure(403))
      expect(await sdk.failure('customer.getOrder', `ord_${'0'.repeat(26)}`, id, jwt)).toEqual(failure(404))
    })
  })
}
