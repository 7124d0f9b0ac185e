// The lines of an order → their newest form, field by field, and the parts of it that items to ship show too.

import { type Minor, priceOf } from '../../lib/money.ts'
import type { TaxPart } from '../../pricing/price.ts'
import { unsigned, viewAsset } from '../assets/view.ts'
import { rateNumber, ratePercentage } from '../tax/rate.ts'
import type { OrderAddresses } from './links.ts'
import type { OrderLineRow, OrderRow, SelectedOptionRow } from './read-store.ts'
import type { OrderLine } from './schema.ts'

export function viewOrderLine(
  line: OrderLineRow,
  { currency, content }: Pick<OrderRow, 'currency' | 'content'>,
  { origin }: Pick<OrderAddresses, 'origin'>,
): OrderLine {
  const isTaxIncluded = content.tax.is_included
  const show = (amount: Minor) => priceOf(amount, currency)
  const { tax, variant } = line
  const rate = tax.parts.reduce((sum, part) => sum + part.rate, 0)
  const rates = { rate: rateNumber(rate), rate_percentage: ratePercentage(rate) }
  const parts = viewTaxParts(tax.parts, currency)
  return {
    id: line.id,
    product_id: line.product_id,
    product_name: line.product_name,
    name: line.product_name,
    product_sku: line.sku,
    sku: line.sku,
    permalink: line.permalink,
    quantity: line.quantity,
    price: show(line.unit_price),
    line_total: show(line.line_total),
    line_total_with_tax: show(isTaxIncluded ? line.line_total : line.line_total + tax.amount),
    variant: variant && {
      id: variant.id,
      sku: variant.sku,
      description: variant.description,
      price: variant.price === null ? null : show(variant.price),
    },
    variants: viewChosenVariants(line.selected_options, currency),
    selected_options: viewSelectedOptions(line.selected_options, currency),
    taxable_amount: show(tax.taxable_amount),
    tax_rate: rates.rate,
    tax_rate_percentage: rates.rate_percentage,
    tax_amount: show(tax.amount),
    tax_lines: parts,
    tax: {
      is_taxable: tax.is_taxable,
      amount: show(tax.amount),
      taxable_amount: show(tax.taxable_amount),
      ...rates,
      breakdown: parts.length > 0 ? parts : null,
    },
    // Its address is made when it is shown, of our own name at that moment. Public, so that it needs no signature.
    image: line.image && viewAsset(line.image, unsigned(origin)),
  }
}

export const viewTaxParts = (parts: readonly TaxPart[], currency: string) =>
  parts.map(({ type, rate, amount }) => ({
    amount: priceOf(amount, currency),
    rate: rateNumber(rate),
    rate_percentage: ratePercentage(rate),
    type,
  }))

export const viewSelectedOptions = (options: readonly SelectedOptionRow[], currency: string) =>
  options.map(({ group_id, group_name, option_id, option_name, price_delta }) => ({
    group_id,
    group_name,
    option_id,
    option_name,
    price: priceOf(price_delta, currency),
  }))

/** The same under older names, where a variant is what is a group today. */
export const viewChosenVariants = (options: readonly SelectedOptionRow[], currency: string) =>
  viewSelectedOptions(options, currency).map(({ group_id, group_name, ...chosen }) => ({
    variant_id: group_id,
    variant_name: group_name,
    ...chosen,
  }))
