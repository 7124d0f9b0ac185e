// Views of a purchased line and of its delivery in the newest API version: items to ship, shipments, downloads.

import { unixSeconds } from '../../lib/clock.ts'
import { type Minor, priceOf } from '../../lib/money.ts'
import type { LineTaxPart } from '../../pricing/price.ts'
import { unsignedFileUrls, viewAsset } from '../assets/view.ts'
import { rateNumber, ratePercentage } from '../tax/rate.ts'
import type { Download, DownloadPackage, Fulfillment, FulfillmentItem, Shipment } from './fulfillment-schema.ts'
import { describeLifespan, describeSize, type OrderAddresses } from './links.ts'
import { quantityRefunded, quantityRestocked } from './money/sums.ts'
import type { DownloadRow, ItemRow, OrderLineRow, OrderRow, SelectedOptionRow, ShipmentRow } from './read-store.ts'
import type { OrderLine } from './schema.ts'
import { deriveItemStatus } from './status.ts'

const PROVIDER = 'chec'
const SHIPPING = { provider: PROVIDER, provider_type: 'native_shipping' } as const
const DIGITAL = { provider: PROVIDER, provider_type: 'native_digital' } as const

export function viewOrderLine(
  line: OrderLineRow,
  row: Pick<OrderRow, 'currency' | 'content' | 'refunds' | 'restocked'>,
  { origin }: Pick<OrderAddresses, 'origin'>,
): OrderLine {
  const { currency, content } = row
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
    quantity_refunded: quantityRefunded(row, line.id),
    quantity_restocked: quantityRestocked(row, line.id),
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
    // Built on each read from the current origin. The image is public, so its URL needs no signature.
    image: line.image && viewAsset(line.image, unsignedFileUrls(origin)),
  }
}

export const viewTaxParts = (parts: readonly LineTaxPart[], currency: string) =>
  parts.map(({ type, rate, amount }) => ({
    amount: priceOf(amount, currency),
    rate: rateNumber(rate),
    rate_percentage: ratePercentage(rate),
    type,
  }))

const viewSelectedOptions = (options: readonly SelectedOptionRow[], currency: string) =>
  options.map(({ group_id, group_name, option_id, option_name, price_delta }) => ({
    group_id,
    group_name,
    option_id,
    option_name,
    price: priceOf(price_delta, currency),
  }))

/** Selected options under their older names: a variant group was called a variant then. */
const viewChosenVariants = (options: readonly SelectedOptionRow[], currency: string) =>
  viewSelectedOptions(options, currency).map(({ group_id, group_name, ...option }) => ({
    variant_id: group_id,
    variant_name: group_name,
    ...option,
  }))

// Delivery.

export const viewFulfillment = (row: OrderRow, addresses: OrderAddresses, now: Date): Fulfillment => ({
  physical: {
    items: row.items.map((item) => viewItem(row, item)),
    shipments: row.shipments.map((shipment) => viewShipment(row, shipment)),
  },
  digital: {
    downloads: row.content.lines.flatMap((line) => {
      const own = row.downloads.filter(({ line_item_id }) => line_item_id === line.id)
      return own.length === 0 ? [] : [viewDownload(row, line, own, addresses, now)]
    }),
  },
})

export function viewItem(row: OrderRow, item: ItemRow): FulfillmentItem {
  const line = lineOf(row, item)
  const { shipping } = row.content
  return {
    id: item.id,
    shipping_method_id: shipping.id,
    line_item_id: item.line_item_id,
    product_id: line.product_id,
    shipping_description: shipping.description,
    ...SHIPPING,
    product_name: line.product_name,
    variants: viewChosenVariants(line.selected_options, row.currency),
    selected_options: viewSelectedOptions(line.selected_options, row.currency),
    status: deriveItemStatus(item),
    quantity: item.quantity,
    quantity_fulfilled: item.quantity_fulfilled,
    quantity_remaining: item.quantity - item.quantity_fulfilled,
    last_updated: item.updated,
    linked_shipments: row.shipments
      .filter(({ items }) => items.some(({ item_id }) => item_id === item.id))
      .map(({ id }) => id),
  }
}

export const viewShipment = (row: OrderRow, shipment: ShipmentRow): Shipment => ({
  id: shipment.id,
  order_id: row.id,
  customer_reference: row.customer_reference,
  shipped_on: shipment.shipped_on,
  ...SHIPPING,
  carrier: shipment.carrier,
  carrier_name: shipment.carrier_name,
  tracking_number: shipment.tracking_number,
  tracking_url: shipment.tracking_url,
  created: shipment.created,
  metadata: shipment.metadata,
  // Keeps the order of the items.
  line_items: row.items.flatMap((item) => {
    const part = shipment.items.find(({ item_id }) => item_id === item.id)
    if (!part) return []
    const line = lineOf(row, item)
    return [
      {
        fulfillment_item_id: item.id,
        line_item_id: item.line_item_id,
        product_id: line.product_id,
        product_name: line.product_name,
        selected_options: viewSelectedOptions(line.selected_options, row.currency),
        fulfilled_quantity: part.quantity,
        total_quantity: item.quantity,
      },
    ]
  }),
})

function viewDownload(
  row: OrderRow,
  line: OrderLineRow,
  downloads: readonly DownloadRow[],
  addresses: OrderAddresses,
  now: Date,
): Download {
  const [{ expires } = { expires: null }] = downloads
  const { duration = null, period = null, download_limit = null } = line.lifespan ?? {}
  return {
    ...DIGITAL,
    line_item_id: line.id,
    product_id: line.product_id,
    product_name: line.product_name,
    packages: downloads.map((download) => viewPackage(row, download, addresses)),
    lifespan: {
      expires: duration !== null,
      expiry_date: expires,
      duration,
      period,
      download_limit,
      human: describeLifespan(line.lifespan),
    },
    is_expired: expires !== null && expires <= unixSeconds(now),
    is_access_revoked: downloads.every(({ is_revoked }) => is_revoked),
  }
}

export const viewPackage = (
  row: Pick<OrderRow, 'merchant_id' | 'id'>,
  download: DownloadRow,
  addresses: OrderAddresses,
): DownloadPackage => ({
  id: download.id,
  name: download.name,
  access_link: addresses.linkTo(row.merchant_id, row.id, download.id, download.expires),
  access_expires: download.expires,
  ext: download.ext.toUpperCase(),
  size: describeSize(download.size_in_bytes),
  size_in_bytes: download.size_in_bytes,
  remaining_downloads: download.remaining,
  is_unlimited: download.remaining === null,
  is_access_revoked: download.is_revoked,
})

function lineOf({ id, content }: OrderRow, item: ItemRow): OrderLineRow {
  const line = content.lines.find((candidate) => candidate.id === item.line_item_id)
  if (!line) throw new Error(`The order ${id} has no line item for the item ${item.id}.`)
  return line
}
