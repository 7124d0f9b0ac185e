// The order that a capture will make: all that it shows, copied from the checkout as it was priced. Rows are kept as the stores gave them.

import type { Context } from '../../http/endpoint/endpoint.ts'
import type { Minor } from '../../lib/money.ts'
import type { PricedLine } from '../../pricing/price.ts'
import { NOWHERE } from '../checkouts/form/form.ts'
import { providerOf, taxProviderOf } from '../checkouts/live-view.ts'
import type { PricedCheckout } from '../checkouts/price.ts'
import type { CheckoutRow } from '../checkouts/read-store.ts'
import { basePrice, type LineRow, selectedOptions, stockItem } from '../lines/line.ts'
import { taxSettings } from '../merchants/settings.ts'
import type { OrderDraft } from '../orders/make.ts'
import type { OrderContent, OrderLineRow } from '../orders/read-store.ts'
import { type Answers, emailCollected } from './body/shopper.ts'
import { isOnPage } from './entry.ts'
import type { CapturedProductRow, CaptureFacts } from './read-store.ts'

/** `row`: the checkout with the body laid over it. */
export function orderDraft(
  row: CheckoutRow,
  priced: PricedCheckout,
  facts: CaptureFacts,
  answers: Answers,
  meta: Record<string, unknown> | null,
  { caller, geo, clientAddress, clientNetworks }: Pick<Context, 'caller' | 'geo' | 'clientAddress' | 'clientNetworks'>,
): OrderDraft {
  const { totals, method } = priced
  const { discount, gift_card: giftCard } = row
  const products = new Map(facts.products.map((product) => [product.id, product]))
  const linesById = new Map(totals.lines.map((line) => [line.id, line]))
  const details = detailsOf(clientAddress, geo)
  const { customer, extraFields, isEmailGiven } = answers
  const { address: shippingAddress } = answers.shipping
  const { address: billingAddress } = answers.billing
  const content: OrderContent = {
    lines: row.lines.map((line) =>
      orderLine(line, linesById.get(line.id), products.get(line.product_id), row.deliveries[line.product_id]),
    ),
    subtotal: totals.subtotal,
    discount: discount && { ...discount, amount_saved: totals.amountSaved },
    shipping: {
      id: method?.id ?? null,
      description: method?.description ?? null,
      price: totals.shipping,
      provider: method && providerOf(method),
    },
    tax: {
      amount: totals.tax.amount,
      is_included: taxSettings(row).included_in_price,
      provider: taxProviderOf(row),
      parts: totals.tax.parts,
      zone: row.taxed_in,
    },
    adjustments: { ...totals.adjustments, entries: row.adjustments ?? [] },
    total: totals.total,
    total_with_tax: totals.totalWithTax,
    gift_card: giftCard && {
      id: giftCard.id,
      code: giftCard.code,
      balance_after: totals.giftCardBalanceAfter ?? 0,
      credit: totals.giftCardCredit,
    },
    pay_what_you_want: {
      is_enabled: totals.payWhatYouWant.isEnabled,
      minimum: totals.payWhatYouWant.minimum,
      customer_set_price: totals.payWhatYouWant.customerSetPrice,
    },
    extra_fields: extraFields,
    collected: {
      ...emailCollected(isEmailGiven),
      fullname: customer.firstname !== null && customer.lastname !== null,
      shipping_address: shippingAddress !== null,
      billing_address: billingAddress !== null,
      extrafields: extraFields.length > 0,
      tax: totals.tax.amount > 0,
      eu_vat_moss_evidence: isEvidenced(row, totals.tax.amount, details.country_code, [
        shippingAddress?.country,
        billingAddress?.country,
      ]),
    },
    // From the first product that has one: a shopper can be sent to one page only.
    redirect: facts.products.find(({ thank_you_url: url }) => url !== null)?.thank_you_url ?? null,
    ...(facts.is_hosted ? { is_of_link: true } : {}),
    client_details: details,
  }
  return {
    checkout_id: row.id,
    cart_id: row.cart_id,
    currency: caller.currency,
    content,
    total_due: totals.totalDue,
    customer,
    shipping_address: shippingAddress,
    billing_address: billingAddress,
    meta: mergedMeta(facts.cart_meta, row.meta, meta),
    captured_by: { is_secret: caller.isSecret, networks: clientNetworks },
    ...(isOnPage(caller) ? { is_on_page: true } : {}),
  }
}

function orderLine(
  line: LineRow,
  priced: PricedLine | undefined,
  product: CapturedProductRow | undefined,
  delivery: CheckoutRow['deliveries'][string] | undefined,
): OrderLineRow {
  const { variant } = line
  return {
    id: line.id,
    product_id: line.product_id,
    product_name: line.product?.name ?? line.name,
    sku: variant?.sku ?? line.product?.sku ?? null,
    permalink: line.product?.permalink ?? null,
    quantity: line.quantity,
    unit_price: basePrice(line),
    line_total: priced?.lineTotal ?? 0,
    discount_share: priced?.discountShare ?? 0,
    // Nothing else of it is shown, and its pictures would be most of the order.
    variant: variant && {
      id: variant.id,
      sku: variant.sku,
      description: variant.description,
      price: variant.price,
    },
    selected_options: selectedOptions(line).map(({ position: _, ...option }) => option),
    tax: {
      is_taxable: priced?.isTaxable ?? false,
      taxable_amount: priced?.taxableAmount ?? 0,
      amount: priced?.taxAmount ?? 0,
      parts: priced?.taxParts ?? [],
    },
    // Whether its file could be fetched is a matter of the moment, and no part of what was sold.
    image: line.image && { ...line.image, is_unreachable: false },
    // As it was priced, and not as the product is by now: what was paid for sending is sent, also when the last zone goes meanwhile.
    is_physical: delivery?.is_physical ?? false,
    stock_item_id: stockItem(line)?.id ?? null,
    packages: product?.packages ?? [],
    lifespan: product?.lifespan ?? null,
  }
}

const detailsOf = (ipAddress: string, geo: Context['geo']): OrderContent['client_details'] => ({
  ip_address: ipAddress,
  ...(geo.locate(ipAddress) ?? NOWHERE),
})

const EU = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '))

/** What the EU asks of who sells digitally there: two things that tell of the country, an address and the network, and that agree. */
function isEvidenced(
  { deliveries, taxed_in: { country } }: CheckoutRow,
  tax: Minor,
  networkCountry: string | null,
  addressCountries: readonly (string | null | undefined)[],
): boolean {
  const isDigital = Object.values(deliveries).some(({ is_digital }) => is_digital)
  if (!isDigital || tax === 0 || country === null || !EU.has(country)) return false
  return networkCountry === country && addressCountries.includes(country)
}

/** Later entries win. */
function mergedMeta(...metas: readonly (Record<string, unknown> | null)[]): Record<string, unknown> | null {
  return metas.every((meta) => meta === null) ? null : Object.assign({}, ...metas)
}
