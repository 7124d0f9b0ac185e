// Table of contents: pages of the hosted checkout, all under /checkout/{merchant}. Paths below `pay` have one more segment than a product's
// permalink, so they cannot collide.

import { findMerchantProfile } from '../../api/merchants/read-store.ts'
import { settingsOf } from '../../api/merchants/settings.ts'
import type { Services } from '../../http/endpoint/endpoint.ts'
import type { PageRequest, PageRoute } from '../../http/files/pages.ts'
import { type ApiError, routeNotFound } from '../../lib/errors.ts'
import { readMerchantNumber } from '../../lib/ids.ts'
import { showBack, showContinue, showWait } from './after.ts'
import { sendCartForm, sendProductForm, showCartLink, showProductLink } from './links/links.ts'
import { failureAnswer } from './message.ts'
import { sendPay, showPay } from './pay.ts'
import { sendReceiptForm, showReceipt } from './receipt.ts'
import { openCheckout } from './shop.ts'
import { themeCss, themePath } from './theme.ts'

const PAY = '/checkout/:merchant_id/pay/:id'
const CART = '/checkout/:merchant_id/cart/:id'
const PRODUCT = '/checkout/:merchant_id/:permalink'

export function checkoutPages(services: Services): readonly PageRoute[] {
  const pageDefaults = { fail: failurePage(services), isMetered: 'by_lines' } as const
  const page = (path: string, answer: PageRoute['answer']): PageRoute => ({
    ...pageDefaults,
    method: 'GET',
    path,
    answer,
  })
  return [
    page(PAY, showPay(services)),
    { ...pageDefaults, method: 'POST', path: PAY, answer: sendPay(services) },
    page(`${PAY}/continue`, showContinue(services)),
    page(`${PAY}/wait`, showWait(services)),
    page(`${PAY}/receipt`, showReceipt(services)),
    { ...pageDefaults, method: 'POST', path: `${PAY}/receipt`, answer: sendReceiptForm(services) },
    // Each request calls a provider.
    { ...page(`${PAY}/back`, showBack(services)), isMetered: true },
    page('/checkout/:merchant_id/theme/:name', showTheme(services)),
    page(CART, showCartLink(services)),
    { ...pageDefaults, method: 'POST', path: CART, answer: sendCartForm(services) },
    page(PRODUCT, showProductLink(services)),
    { ...pageDefaults, method: 'POST', path: PRODUCT, answer: sendProductForm(services) },
    ...['/checkout', '/checkout/*'].map((path) =>
      page(path, async () => {
        throw routeNotFound()
      }),
    ),
  ]
}

/** Shows the shop's name if the URL identifies a shop. An error here must not hide the original error. */
const failurePage = (services: Services) => async (error: ApiError, request: PageRequest) => {
  const isFlood = error.status === 429 || error.status >= 500
  // Skip the lookup for clients that send too many requests, and for server errors, which the lookup may have caused.
  const params = isFlood ? {} : request.params
  const { frame } = await openCheckout(services, { ...request, params })
  return failureAnswer(frame, error, request)
}

const IMMUTABLE = 'public, max-age=31536000, immutable'

/** The name changes with the colours. A response for an old name must not be cached. */
const showTheme =
  ({ db }: Services) =>
  async ({ params, path }: PageRequest) => {
    const merchant_id = readMerchantNumber(params.merchant_id ?? '')
    const colorsIn = async (is_sandbox: boolean) => {
      const row = merchant_id === null ? null : await findMerchantProfile(db, { merchant_id, is_sandbox })
      const colors = row === null ? { accent: null, background: null } : settingsOf(row).colors
      return { colors, isNewest: path === themePath(row?.merchant_id ?? 0, colors) }
    }
    // The name does not contain the mode. Both modes usually have the same colours.
    const live = await colorsIn(false)
    const { colors, isNewest } = live.isNewest ? live : await colorsIn(true)
    return {
      type: 'text/css; charset=utf-8',
      body: themeCss(colors),
      headers: { 'cache-control': isNewest ? IMMUTABLE : 'no-cache', 'cross-origin-resource-policy': 'same-origin' },
    }
  }
