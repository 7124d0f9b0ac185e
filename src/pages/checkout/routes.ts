// Table of contents: the pages of the hosted checkout, all under /checkout/{merchant}. Below `pay` stands a segment more than a product's
// permalink has, so none of them can collide with one.

import { findFace } from '../../api/merchants/read-store.ts'
import { settingsOf } from '../../api/merchants/settings.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { Page, PageRequest } from '../../http/files/pages.ts'
import { type ApiError, routeNotFound } from '../../lib/errors.ts'
import { readMerchantNumber } from '../../lib/ids.ts'
import { showBack, showContinue, showWait } from './after.ts'
import { sendCartForm, sendProductForm, showCart, showProductLink } from './links/links.ts'
import { failure } from './message.ts'
import { sendPay, showPay } from './pay.ts'
import { sendReceiptForm, showReceipt } from './receipt.ts'
import { openCheckout } from './shop.ts'
import { themeCss, themePath } from './theme.ts'

const PAY = '/checkout/:merchant_id/pay/:id'
const CART = '/checkout/:merchant_id/cart/:id'
const PRODUCT = '/checkout/:merchant_id/:permalink'

export function checkoutPages(services: Services): readonly Page[] {
  const shown = { fail: failureOf(services), isMetered: 'by_lines' } as const
  const page = (path: string, answer: Page['answer']): Page => ({ ...shown, method: 'GET', path, answer })
  return [
    page(PAY, showPay(services)),
    { ...shown, method: 'POST', path: PAY, answer: sendPay(services) },
    page(`${PAY}/continue`, showContinue(services)),
    page(`${PAY}/wait`, showWait(services)),
    page(`${PAY}/receipt`, showReceipt(services)),
    { ...shown, method: 'POST', path: `${PAY}/receipt`, answer: sendReceiptForm(services) },
    // Each makes us ask a provider.
    { ...page(`${PAY}/back`, showBack(services)), isMetered: true },
    page('/checkout/:merchant_id/theme/:name', showTheme(services)),
    page(CART, showCart(services)),
    { ...shown, method: 'POST', path: CART, answer: sendCartForm(services) },
    page(PRODUCT, showProductLink(services)),
    { ...shown, method: 'POST', path: PRODUCT, answer: sendProductForm(services) },
    ...['/checkout', '/checkout/*'].map((path) =>
      page(path, async () => {
        throw routeNotFound()
      }),
    ),
  ]
}

/** In the shop's name where the address names one, else in nobody's. What fails here too must not hide what has failed before. */
const failureOf = (services: Services) => async (error: ApiError, request: PageRequest) => {
  const isFlood = error.status === 429 || error.status >= 500
  // Nothing is asked for those who ask too much, nor where asking may be what has failed.
  const params = isFlood ? {} : request.params
  const { frame } = await openCheckout(services, { ...request, params })
  return failure(frame, error, request)
}

const YEAR = 'public, max-age=31536000, immutable'

/** Its name changes with the colours: one that is asked for by an old name is not kept. */
const showTheme =
  ({ db }: Services) =>
  async ({ params, path }: PageRequest) => {
    const merchantId = readMerchantNumber(params.merchant_id ?? '')
    const colorsIn = async (isSandbox: boolean) => {
      const row = merchantId === null ? null : await findFace(db, { merchantId, isSandbox })
      const colors = row === null ? { accent: null, background: null } : settingsOf(row).colors
      return { colors, isNewest: path === themePath(row?.merchant_id ?? 0, colors) }
    }
    // The name says nothing of the mode, and both modes mostly have the same colours.
    const live = await colorsIn(false)
    const { colors, isNewest } = live.isNewest ? live : await colorsIn(true)
    return {
      type: 'text/css; charset=utf-8',
      body: themeCss(colors),
      headers: { 'cache-control': isNewest ? YEAR : 'no-cache', 'cross-origin-resource-policy': 'same-origin' },
    }
  }
