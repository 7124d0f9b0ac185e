// The lines of an order → their newest form, field by field, and the parts of it that items to ship show too.

import { type Minor, priceOf } from '../../lib/money.ts'
import type { TaxPart } from '../../pricing/price.ts'
import type { Asset } from '../assets/schema.ts'
import { unsigned, urlOf } from '../assets/view.ts'
import { rateNumber, ratePercentage } from '../tax/rate.ts'
import type { OrderLineDraft, SelectedOptionDraft } from './draft.ts'
import type { OrderAddresses } from './links.ts'
import type { OrderRow } from './read-store.ts'
import type { OrderLine } from './schema.ts'

export function viewOrderLine(
  line: OrderLineDraft,
  { merchant_id: merchantId, currency, content }: Pick<OrderRow, 'merchant_id' | 'currency' | 'content'>,
  { origin }: Pick<OrderAddresses, 'origin'>,
): OrderLine {
  const { isIncluded: isTaxIncluded } = content.tax
  const show = (amount: Minor) => priceOf(amount, currency)
  const { tax, variant } = line
  const rate = tax.parts.reduce((sum, part) => sum + part.rate, 0)
  const rates = { rate: rateNumber(rate), rate_percentage: ratePercentage(rate) }
  const parts = viewTaxParts(tax.parts, currency)
  return {
    id: line.id,
    product_id: line.productId,
    product_name: line.productName,
    name: line.productName,
    product_sku: line.sku,
    sku: line.sku,
    permalink: line.permalink,
    quantity: line.quantity,
    price: show(line.unitPrice),
    line_total: show(line.lineTotal),
    line_total_with_tax: show(isTaxIncluded ? line.lineTotal : line.lineTotal + tax.amount),
    variant: variant && {
      id: variant.id,
      sku: variant.sku,
      description: variant.description,
      price: variant.price === null ? null : show(variant.price),
    },
    variants: viewChosenVariants(line.selectedOptions, currency),
    selected_options: viewSelectedOptions(line.selectedOptions, currency),
    taxable_amount: show(tax.taxableAmount),
    tax_rate: rates.rate,
    tax_rate_percentage: rates.rate_percentage,
    tax_amount: show(tax.amount),
    tax_lines: parts,
    tax: {
      is_taxable: tax.isTaxable,
      amount: show(tax.amount),
      taxable_amount: show(tax.taxableAmount),
      ...rates,
      breakdown: parts.length > 0 ? parts : null,
    },
    image: viewImage(line, merchantId, origin),
  }
}

/**
 * It was an asset in its newest form when the order was made. Its address is made when it is shown, of our own name at that moment; the one
 * kept in older orders names whatever host the capture had asked for.
 */
function viewImage({ image: kept }: OrderLineDraft, merchantId: number, origin: string): Asset | null {
  if (kept === null) return null
  const image = kept as Asset
  const { id, filename, file_extension } = image
  // Only public pictures are shown on lines.
  return {
    ...image,
    url: urlOf({ merchant_id: merchantId, id, filename, file_extension, is_private: false }, unsigned(origin)),
  }
}

export const viewTaxParts = (parts: readonly TaxPart[], currency: string) =>
  parts.map(({ type, rate, amount }) => ({
    amount: priceOf(amount, currency),
    rate: rateNumber(rate),
    rate_percentage: ratePercentage(rate),
    type,
  }))

export const viewSelectedOptions = (options: readonly SelectedOptionDraft[], currency: string) =>
  options.map(({ groupId, groupName, optionId, optionName, price }) => ({
    group_id: groupId,
    group_name: groupName,
    option_id: optionId,
    option_name: optionName,
    price: priceOf(price, currency),
  }))

export const viewChosenVariants = (options: readonly SelectedOptionDraft[], currency: string) =>
  options.map(({ groupId, groupName, optionId, optionName, price }) => ({
    variant_id: groupId,
    variant_name: groupName,
    option_id: optionId,
    option_name: optionName,
    price: priceOf(price, currency),
  }))
