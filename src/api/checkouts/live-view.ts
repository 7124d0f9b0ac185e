// Maps a checkout and its totals to the live object, field by field. Every reply with totals shows it.

import { currencyOf } from '../../lib/currencies.ts'
import { type Minor, priceOf } from '../../lib/money.ts'
import type { LineTaxPart, PricedLine, PriceTotals } from '../../pricing/price.ts'
import { viewAppliedDiscount } from '../discounts/discount.ts'
import { viewAppliedGiftCard } from '../gift-cards/gift-card.ts'
import { type ViewContext, viewLines } from '../lines/line.ts'
import { taxSettings } from '../merchants/settings.ts'
import { rateNumber, ratePercentage } from '../tax/rate.ts'
import type { PricedCheckout, ShippingMethod } from './price.ts'
import type { CheckoutRow } from './read-store.ts'
import type { Live, LiveLineItem, ShippingOption } from './schema.ts'

export function viewLive(row: CheckoutRow, { totals, offered, method }: PricedCheckout, context: ViewContext): Live {
  const { merchant_id, currency } = context.caller
  const { code, symbol } = currencyOf(currency)
  const show = (amount: Minor) => priceOf(amount, currency)
  const { minimum, customerSetPrice, isEnabled } = totals.payWhatYouWant
  return {
    merchant_id,
    currency: { code, symbol },
    line_items: viewLiveLines(row, totals, context),
    shipping: {
      available_options: offered.map((option) => viewShippingOption(option, currency)),
      id: method?.id ?? null,
      description: method?.description ?? null,
      provider: method && shippingProviderOf(method),
      price: show(totals.shipping),
    },
    subtotal: show(totals.subtotal),
    discount: row.discount ? [viewAppliedDiscount(row.discount, totals.amountSaved, currency)] : [],
    giftcard: row.gift_card
      ? viewAppliedGiftCard(row.gift_card, totals.giftCardCredit, totals.giftCardBalanceAfter ?? 0, currency)
      : [],
    tax: viewTax(row, totals, currency),
    adjustments: {
      taxable: show(totals.adjustments.taxable),
      untaxable: show(totals.adjustments.untaxable),
      total: show(totals.adjustments.total),
      breakdown: (row.adjustments ?? []).map(({ description, amount, is_taxable }) => ({
        description,
        amount: show(amount),
        taxable: is_taxable,
      })),
    },
    total: show(totals.total),
    total_with_tax: show(totals.totalWithTax),
    total_due: show(totals.totalDue),
    pay_what_you_want: {
      enabled: isEnabled,
      minimum: minimum === null ? null : show(minimum),
      customer_set_price: customerSetPrice === null ? null : show(customerSetPrice),
    },
  }
}

/** Lines as in the cart, plus the tax of each and the older names of its options. */
function viewLiveLines({ lines }: CheckoutRow, totals: PriceTotals, context: ViewContext): LiveLineItem[] {
  const priced = new Map(totals.lines.map((line) => [line.id, line]))
  return viewLines(lines, totals.lines, context).map((line) => ({
    ...line,
    variants: line.selected_options.map(({ group_id, group_name, option_id, option_name, price }) => ({
      variant_id: group_id,
      variant_name: group_name,
      option_id,
      option_name,
      price,
    })),
    tax: viewLineTax(priced.get(line.id), context.caller.currency),
  }))
}

const viewLineTax = (line: PricedLine | undefined, currency: string): LiveLineItem['tax'] => ({
  is_taxable: line?.isTaxable ?? false,
  taxable_amount: priceOf(line?.taxableAmount ?? 0, currency),
  amount: priceOf(line?.taxAmount ?? 0, currency),
  breakdown: line && line.taxParts.length > 0 ? line.taxParts.map((part) => viewTaxPart(part, currency)) : null,
})

const viewTax = (row: CheckoutRow, { tax }: PriceTotals, currency: string): Live['tax'] => ({
  amount: priceOf(tax.amount, currency),
  included_in_price: taxSettings(row).included_in_price,
  provider: taxProviderOf(row),
  provider_type: row.external_tax?.line_items ? 'external' : 'native',
  breakdown: tax.parts.map((part) => viewTaxPart(part, currency)),
  zone: {
    country: row.taxed_in.country,
    region: row.taxed_in.region,
    postal_zip_code: row.taxed_in.postal_code,
    ip_address: row.taxed_in.ip_address,
  },
})

/** Provider of the tax: this server, or an integration under its own name. */
export const taxProviderOf = ({ external_tax: external }: CheckoutRow): string =>
  external?.line_items ? (external.provider ?? 'custom') : 'chec'

const viewTaxPart = ({ type, rate, amount }: LineTaxPart, currency: string) => ({
  amount: priceOf(amount, currency),
  rate: rateNumber(rate),
  rate_percentage: ratePercentage(rate),
  type,
})

/** A shipping method as offered to the shopper, with its price for this checkout. */
export const viewShippingOption = (method: ShippingMethod, currency: string): ShippingOption => ({
  id: method.id,
  description: method.description,
  provider: shippingProviderOf(method),
  price: priceOf(method.price, currency),
  countries: [...method.countries],
  regions: Object.fromEntries(
    Object.entries(method.regions).map(([country, codes]) => [country, codes.map((code) => `${country}-${code}`)]),
  ),
})

/** Provider of a shipping method. */
export const shippingProviderOf = ({ isExternal }: ShippingMethod) => (isExternal ? 'custom' : 'chec')
