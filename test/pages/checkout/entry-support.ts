// What the tests of the entries share: a shop in which links are opened, as the pages open them, and what tokens there are.

import type { LinkContext } from '../../../src/api/checkouts/hosted/open.ts'
import { signingSecrets } from '../../../src/keys/signing.ts'
import { enterCart, isSandboxCart } from '../../../src/pages/checkout/links/cart-entry.ts'
import { buyProduct, showProductEntry } from '../../../src/pages/checkout/links/product-entry.ts'
import { openCaptureShop } from '../../api/checkouts/capture-support.ts'
import type { TestApp } from '../../support/app.ts'
import { countRows } from '../../support/rows.ts'
import { ORIGIN } from '../../support/shop.ts'

/** The page that says why there is nothing to pay. */
export const messageEntry = (status: number, kind: string, code: string, params: object = {}) => ({
  kind: 'message',
  status,
  message: { kind, shopperMessage: { code, params }, next: null, refreshSeconds: null },
})

export async function openEntryShop(app: TestApp, draft: Parameters<typeof openCaptureShop>[1] = {}) {
  const shop = await openCaptureShop(app, draft)
  const signingSecret = signingSecrets(app.db, app.clock)
  const contextIn = (is_sandbox: boolean, more: Partial<LinkContext['caller']> = {}): LinkContext => ({
    db: app.db,
    clock: app.clock,
    caller: {
      merchant_id: shop.id,
      is_sandbox,
      keyId: null,
      session: null,
      isSecret: false,
      currency: draft.currency ?? 'USD',
      apiVersion: '2022-07-21',
      isDisabled: false,
      ...more,
    },
    origin: ORIGIN,
    signingSecret,
    reportLinesRead: () => undefined,
    disk: { isShort: () => false },
  })
  const context = contextIn(true)
  return {
    ...shop,
    contextIn,
    enter: (cartId: string, isHead = false, is_sandbox = true) => enterCart(contextIn(is_sandbox), cartId, isHead),
    modeOf: (cartId: string) => isSandboxCart(context, shop.id, cartId),
    show: (permalink: string, asksCheckout = false) => showProductEntry(context, permalink, asksCheckout),
    buy: (permalink: string, typed: Record<string, string> = {}) =>
      buyProduct(context, permalink, new Map(Object.entries(typed))),
    tokens: () => countRows(app.db, 'checkouts', { merchant_id: shop.id }),
  }
}
