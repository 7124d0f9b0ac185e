// Maps a checkout with its totals and details to the token, field by field.

import type { Caller } from '../../http/endpoint/endpoint.ts'
import { memoize } from '../../lib/memory.ts'
import { type FormattedPrice, type Minor, priceOf } from '../../lib/money.ts'
import type { ViewContext } from '../lines/line.ts'
import { viewAnalytics, viewTokenMerchant } from '../merchants/view.ts'
import { availableGateways } from '../payment-methods/available.ts'
import type { ExtraField, ProductFlags } from '../products/schema.ts'
import { type FlagSource, flagsOf, viewExtraField, withConditionals } from '../products/view.ts'
import { viewLive, viewShippingOption } from './live-view.ts'
import { needsShipping, type PricedCheckout } from './price.ts'
import type { CheckoutProductRow, CheckoutRow, DetailsRow } from './read-store.ts'
import type { CheckoutLine, CheckoutToken, LiveLineItem } from './schema.ts'

/** View context with the mode, which decides the available gateways. */
type TokenViewContext = ViewContext & { readonly caller: Pick<Caller, 'is_sandbox'> }

export function viewToken(
  row: CheckoutRow,
  priced: PricedCheckout,
  details: DetailsRow & { readonly products: readonly CheckoutProductRow[] },
  context: TokenViewContext,
): CheckoutToken {
  const { currency, is_sandbox } = context.caller
  const live = viewLive(row, priced, context)
  const { merchant_id: _, line_items: liveLines, shipping, ...money } = live
  const { available_options: __, ...chosenShipping } = shipping
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
      isShipped: needsShipping(row),
      isAddressAskedFor: details.products.some((product) => product.collects_shipping_address === true),
      hasAvailableDiscounts: details.has_available_discounts,
    }),
    products: lines,
    line_items: lines,
    merchant: viewTokenMerchant(details.merchant, context.fileUrls),
    extra_fields: extraFields,
    extrafields: extraFields,
    gateways: availableGateways(details.gateways, is_sandbox),
    shipping_methods: priced.methods.map((method) => viewShippingOption(method, currency)),
    ...money,
    shipping: chosenShipping,
    meta: row.meta,
    live,
  }
}

function viewCheckoutLines(
  lines: readonly LiveLineItem[],
  { totals }: PricedCheckout,
  products: readonly CheckoutProductRow[],
  currency: string,
): CheckoutLine[] {
  // Formats each amount once: thousands of options have only a few different amounts.
  const show = memoize((amount: Minor) => priceOf(amount, currency))
  const byId = new Map(products.map((product) => [product.id, viewProductOnce(product, show)]))
  const unitPrices = new Map(totals.lines.map(({ id, unitPrice }) => [id, unitPrice]))
  const deletedProduct = viewProductOnce(undefined, show)
  return lines.map((line) =>
    viewCheckoutLine(line, byId.get(line.product_id) ?? deletedProduct, (unitPrices.get(line.id) ?? 0) === 0),
  )
}

/** A product as a token shows it with its lines. Made once, so that all lines share the same objects. */
type ProductView = {
  readonly description: string
  readonly variants: CheckoutLine['variants']
  /** Flags that depend on the line: if one unit is free as chosen, and if the line has a picture. */
  flags(isFree: boolean, hasImage: boolean): ReturnType<typeof lineFlags>
}

const PICTURE = { is_image: true, is_private: false, is_pending: false }

/** `product` is undefined if it was deleted. */
function viewProductOnce(
  product: CheckoutProductRow | undefined,
  show: (amount: Minor) => FormattedPrice,
): ProductView {
  const flagsFor = (isFree: boolean) =>
    memoize((hasImage: boolean) =>
      lineFlags(product && { ...product, price: isFree ? 0 : 1, assets: hasImage ? [PICTURE] : [] }),
    )
  const [freeFlags, paidFlags] = [flagsFor(true), flagsFor(false)]
  return {
    description: product?.description ?? '',
    variants: (product?.variant_groups ?? []).map((group) => ({
      id: group.id,
      name: group.name,
      options: group.options.map(({ id, name, price_delta }) => ({ id, name, price: show(price_delta) })),
    })),
    flags: (isFree, hasImage) => (isFree ? freeFlags : paidFlags)(hasImage),
  }
}

/** The line with what it shows of its product: all options, and the flags. */
const viewCheckoutLine = (line: LiveLineItem, product: ProductView, isFree: boolean): CheckoutLine => ({
  ...line,
  description: product.description,
  subtotal: line.line_total,
  variants: product.variants,
  ...product.flags(isFree, line.image !== null),
})

/** Takes each product once, because two lines may have the same product. */
const extraFieldsOf = (products: readonly CheckoutProductRow[]): ExtraField[] =>
  products.flatMap(({ extra_fields }) => extra_fields.map(viewExtraField))

/** Flags of a deleted product, about which nothing is known any more. */
const DELETED_PRODUCT: FlagSource = {
  price: 1,
  is_active: false,
  is_tax_exempt: false,
  is_pay_what_you_want: false,
  is_inventory_managed: false,
  is_sold_out: false,
  is_sent: false,
  collects_fullname: false,
  collects_shipping_address: false,
  collects_billing_address: false,
  packages: [],
  extra_fields: [],
  assets: [],
}

/**
 * True if the live totals leave nothing to pay.
 * False while a line cannot be bought, because that line counts as 0. A storefront that took the rest for free would send a capture that is
 * refused.
 */
export const isFree = (live: {
  readonly total_due: { readonly raw: number }
  readonly line_items: readonly { readonly is_valid: boolean }[]
}): boolean => live.total_due.raw === 0 && live.line_items.every(({ is_valid }) => is_valid)

/** `product` is undefined if it was deleted. Its price is that of one unit as chosen, because an option may have a price. */
function lineFlags(product: FlagSource | undefined) {
  const { is, has, collects } = flagsOf(product ?? DELETED_PRODUCT)
  // Nothing is sold before it can be delivered.
  return withConditionals({ is: { ...is, preorder: false }, has, collects })
}

/** The token collects what any of its products collects. If it is shipped, it collects the shipping address too. */
function tokenFlags(
  products: readonly ProductFlags[],
  {
    isFree,
    isShipped,
    isAddressAskedFor,
    hasAvailableDiscounts,
  }: { isFree: boolean; isShipped: boolean; isAddressAskedFor: boolean; hasAvailableDiscounts: boolean },
) {
  const hasAny = (of: (flags: ProductFlags) => boolean) => products.some(of)
  const hasExtraFields = hasAny(({ collects }) => collects.extra_fields)
  return withConditionals({
    is: { cart_free: isFree, free: isFree },
    has: {
      physical_delivery: isShipped,
      digital_delivery: hasAny(({ has }) => has.digital_delivery),
      available_discounts: hasAvailableDiscounts,
      pay_what_you_want: hasAny(({ is }) => is.pay_what_you_want),
    },
    collects: {
      fullname: hasAny(({ collects }) => collects.fullname),
      shipping_address: isShipped || isAddressAskedFor,
      billing_address: hasAny(({ collects }) => collects.billing_address),
      extra_fields: hasExtraFields,
      extrafields: hasExtraFields,
    },
  })
}
