// Captures by Square beyond ../every-provider/capture: older nonces, and locations.

import { expect, it } from 'vitest'
import { digitalBody } from '../../api/checkouts/capture-support.ts'
import { openSquare, SQUARE_CONFIG } from '../doubles/square.ts'
import { openProviderApp, openProviderShop } from '../provider-shop.ts'
import { OK } from './bench.ts'

const { app, double: square } = await openProviderApp(openSquare)
const shop = await openProviderShop(app, { code: 'square', config: SQUARE_CONFIG })
const body = () => digitalBody({ payment: { gateway: 'square', square: { token: OK } } })

it('is also paid by the older nonce, and by the id of the gateway', async () => {
  const nonce = digitalBody({ payment: { gateway: shop.gateway.id, card: { nonce: OK } } })
  const order = await shop.order(await shop.token(), nonce)
  expect(order).toMatchObject({
    status_payment: 'paid',
    transactions: [{ gateway_reference: '1111', payment_source: { brand: 'Visa', billing_zip_postal_code: '94107' } }],
  })
})

// Last: it changes the one location, and the worker asks for it on behalf of all shops.
it('a capture in another currency than the location’s is 422 before anything is held, once Square could be asked for it (F26)', async () => {
  Object.assign(square.location, { currency: 'CAD' })
  square.trouble('broken_before', { on: /locations/ })
  const own = await openProviderShop(app, { code: 'square', config: SQUARE_CONFIG })
  const bought = await own.token()
  // Nobody knows it yet: Square itself refuses.
  expect((await own.capture(bought, body())).status).toBe(402)
  const worker = app.startJobs()
  const answered = async () => {
    // So little that a job which is under way keeps its lease.
    app.clock.advance(2)
    worker.poke()
    return (await own.capture(bought, body())).status
  }
  await expect.poll(answered, { interval: 20 }).toBe(422)
  await worker.stop()
  const count = square.requests.length
  expect((await own.capture(bought, body())).body).toMatchObject({
    error: {
      errors: {
        'payment.gateway': [
          'payment.gateway cannot be square: its account takes CAD alone. Choose another way to pay.',
        ],
      },
    },
  })
  expect([square.requests.length, await own.available()]).toEqual([count, 1_000])
  // What was learned belongs to the account, and a test asks anew.
  Object.assign(square.location, { currency: 'USD' })
  await own.change({ capture: 'automatic' })
  expect((await own.capture(bought, body())).status).toBe(422)
  const changed = await own.change({ access_token: SQUARE_CONFIG.access_token })
  expect(changed.config).not.toHaveProperty('location_currency')
  expect((await own.order(await own.token(), body())).status_payment).toBe('paid')
  Object.assign(square.location, { currency: 'JPY' })
  await own.succeed(200, 'POST', `gateways/${own.gateway.id}/test`, {}, own.secret)
  expect((await own.capture(bought, body())).status).toBe(422)
  Object.assign(square.location, { currency: 'USD' })
})
