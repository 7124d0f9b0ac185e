// A whole shop beside a double of PayPal's: set up, bought in, and left alone for a while, as the tests of captures need it.

import { expect } from 'vitest'
import { digitalBody } from '../../api/checkouts/capture-support.ts'
import { CONFIG, openPayPal } from '../doubles/paypal.ts'
import { openProviderApp, openProviderShop } from '../provider-shop.ts'

export const SETTLE_SECONDS = 9
export const SHOPPER_SECONDS = 15 * 60

type Redirect = { payment_redirect: boolean; gateway: string; paykey: string; redirect_url: string }

export const pay = (fields: Record<string, unknown>) => digitalBody({ payment: { gateway: 'paypal', paypal: fields } })
const BEGIN = pay({ action: 'authorize' })
export const back = (id: string) => pay({ action: 'capture', payment_id: id, payer_id: 'QYR5Z8XDVJNXQ' })

export async function openPayPalApp() {
  const { app, double: paypal, complete } = await openProviderApp(openPayPal, { settleSeconds: SETTLE_SECONDS })

  /** A shop with PayPal set up in its sandbox, and some of one thing to sell. */
  const openPayPalShop = (config: Record<string, string> = {}, available = 10) =>
    openProviderShop(app, { code: 'paypal', config: { ...CONFIG, ...config }, available })

  type PayPalShop = Awaited<ReturnType<typeof openPayPalShop>>
  const shop = await openPayPalShop({}, 1_000)

  /** The first capture: the shopper is sent to PayPal. */
  async function begun(own: PayPalShop = shop) {
    const token = await own.token()
    const answer = await own.capture(token, BEGIN)
    const redirect = answer.body as Redirect
    expect([answer.status, redirect]).toMatchObject([200, { payment_redirect: true, gateway: 'paypal' }])
    const order = paypal.books.orderOf(redirect.paykey)
    const key = order.custom_id ?? ''
    return {
      token,
      redirect,
      id: redirect.paykey,
      order,
      page: `/checkout/${own.id}/pay/${token.id}/back?payment=${key}`,
    }
  }

  async function approved(own?: PayPalShop) {
    const charge = await begun(own)
    paypal.approve(charge.id)
    return charge
  }

  const completeNow = () => complete(0)
  return { app, paypal, shop, openPayPalShop, begun, approved, complete, completeNow }
}
