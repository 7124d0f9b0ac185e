// A checkout, its totals and its details → the token, field by field.

import type { Caller } from '../../http/endpoint.ts'
import { type Minor, type Price, priceOf } from '../../lib/money.ts'
import { onceEach } from '../../lib/once-each.ts'
import type { Viewer as CartViewer } from '../carts/view.ts'
import { viewAnalytics, viewTokenMerchant } from '../merchants/view.ts'
import { availableGateways } from '../payment-methods/available.ts'
import type { ExtraField } from '../products/schema.ts'
import { viewExtraField } from '../products/view.ts'
import type { CheckoutProductRow, DetailsRow } from './details-store.ts'
import { isFree, lineFlags, tokenFlags } from './flags.ts'
import { viewLive, viewShippingOption } from './live-view.ts'
import { hasToBeShipped } from './place.ts'
import type { PricedCheckout } from './price.ts'
import type { CheckoutRow } from './read-store.ts'
import type { CheckoutLine, CheckoutToken, LiveLine } from './schema.ts'

/** For whom a token is shown. */
export type Viewer = CartViewer & { readonly caller: Pick<Caller, 'merchantId' | 'currency' | 'isSandbox'> }

export function viewToken(
  row: CheckoutRow,
  priced: PricedCheckout,
  details: DetailsRow,
  viewer: Viewer,
): CheckoutToken {
  const { currency, isSandbox } = viewer.caller
  const live = viewLive(row, priced, viewer)
  const { merchant_id: _, line_items: liveLines, shipping, ...money } = live
  const { available_options: __, ...chosen } = shipping
  const lines = viewCheckoutLines(liveLines, priced, details.products, currency)
  const extraFields = extraFieldsOf(details.products)
  const analytics = viewAnalytics(details.merchant)
  return {
    id: row.id,
    cart_id: row.cart_id,
    created: row.created,
    updated: row.updated,
    expires: row.expires,
    analytics: { ...analytics.google.settings, ...analytics },
    ...tokenFlags(lines, {
      isFree: isFree(live),
      isShipped: hasToBeShipped(row),
      hasAvailableDiscounts: details.has_available_discounts,
    }),
    products: lines,
    line_items: lines,
    merchant: viewTokenMerchant(details.merchant, viewer.addresses),
    extra_fields: extraFields,
    extrafields: extraFields,
    gateways: availableGateways(details.gateways, isSandbox),
    shipping_methods: priced.methods.map((method) => viewShippingOption(method, currency)),
    ...money,
    shipping: chosen,
    meta: row.meta,
    live,
  }
}

function viewCheckoutLines(
  lines: readonly LiveLine[],
  { totals }: PricedCheckout,
  products: readonly CheckoutProductRow[],
  currency: string,
): CheckoutLine[] {
  // Thousands of options cost one of a few amounts more.
  const show = onceEach((amount: Minor) => priceOf(amount, currency))
  const byId = new Map(products.map((product) => [product.id, viewedOnce(product, show)]))
  const unitPrices = new Map(totals.lines.map(({ id, unitPrice }) => [id, unitPrice]))
  const ofDeleted = viewedOnce(undefined, show)
  return lines.map((line) =>
    viewCheckoutLine(line, byId.get(line.product_id) ?? ofDeleted, (unitPrices.get(line.id) ?? 0) === 0),
  )
}

/** What a token shows of a product beside each of its lines: made once, and the same objects in all of them. */
type ViewedProduct = {
  readonly description: string
  readonly variants: CheckoutLine['variants']
  /** Whether one costs nothing as it was chosen, and whether it has a picture, shows from the line. */
  flags(isFree: boolean, hasImage: boolean): ReturnType<typeof lineFlags>
}

const PICTURE = { is_image: true, is_private: false, is_pending: false }

/** `product` is undefined where it was deleted. */
function viewedOnce(product: CheckoutProductRow | undefined, show: (amount: Minor) => Price): ViewedProduct {
  const ofLines = (isFree: boolean) =>
    onceEach((hasImage: boolean) =>
      lineFlags(product && { ...product, price: isFree ? 0 : 1, assets: hasImage ? [PICTURE] : [] }),
    )
  const [free, paid] = [ofLines(true), ofLines(false)]
  return {
    description: product?.description ?? '',
    variants: (product?.variant_groups ?? []).map((group) => ({
      id: group.id,
      name: group.name,
      options: group.options.map(({ id, name, price_delta }) => ({ id, name, price: show(price_delta) })),
    })),
    flags: (isFree, hasImage) => (isFree ? free : paid)(hasImage),
  }
}

/** The line, and what is to be known of its product: all that can be chosen of it, and its flags. */
const viewCheckoutLine = (line: LiveLine, product: ViewedProduct, isFree: boolean): CheckoutLine => ({
  ...line,
  description: product.description,
  subtotal: line.line_total,
  variants: product.variants,
  ...product.flags(isFree, line.image !== null),
})

/** Of all products together, each once: two lines may be of one product. */
export const extraFieldsOf = (products: readonly CheckoutProductRow[]): ExtraField[] =>
  products.flatMap(({ extra_fields }) => extra_fields.map(viewExtraField))
