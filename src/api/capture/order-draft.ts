// The order that a capture will make: all that it shows, copied from the checkout as it was priced.

import type { Context } from '../../http/endpoint/endpoint.ts'
import type { Minor } from '../../lib/money.ts'
import type { PricedLine } from '../../pricing/price.ts'
import { unsigned, viewAsset } from '../assets/view.ts'
import { providerOf, taxProviderOf } from '../checkouts/live-view.ts'
import type { PricedCheckout } from '../checkouts/price.ts'
import type { CheckoutRow } from '../checkouts/read-store.ts'
import { type LineRow, lineInput, selectedOptions, stockItem } from '../lines/line.ts'
import { taxSettings } from '../merchants/settings.ts'
import type { OrderDraft, OrderLineDraft } from '../orders/draft.ts'
import { type Answers, emailCollected } from './body/shopper.ts'
import type { CapturedProductRow, CaptureFacts } from './read-store.ts'

/** `row` has what the body has said. */
export function orderDraft(
  row: CheckoutRow,
  priced: PricedCheckout,
  facts: CaptureFacts,
  answers: Answers,
  meta: Record<string, unknown> | null,
  capturing: Pick<Context, 'caller' | 'geo' | 'clientAddress' | 'clientNetworks'>,
): OrderDraft {
  const { caller, geo, clientAddress, clientNetworks } = capturing
  const { totals, method } = priced
  const { discount, gift_card: giftCard, taxed_in: zone } = row
  const products = new Map(facts.products.map((product) => [product.id, product]))
  const linesById = new Map(totals.lines.map((line) => [line.id, line]))
  const clientDetails = detailsOf(clientAddress, geo)
  const shippingAddress = answers.shipping.address
  const billingAddress = answers.billing.address
  return {
    checkoutId: row.id,
    cartId: row.cart_id,
    currency: caller.currency,
    lines: row.lines.map((line) => lineDraft(line, linesById.get(line.id), products.get(line.product_id))),
    subtotal: totals.subtotal,
    discount: discount && {
      id: discount.id,
      type: discount.type,
      code: discount.code,
      value: discount.value,
      productIds: discount.product_ids,
      amountSaved: totals.amountSaved,
    },
    shipping: {
      id: method?.id ?? null,
      description: method?.description ?? null,
      price: totals.shipping,
      provider: method && providerOf(method),
    },
    tax: {
      amount: totals.tax.amount,
      isIncluded: taxSettings(row).included_in_price,
      provider: taxProviderOf(row),
      parts: totals.tax.parts,
      zone: {
        country: zone.country,
        region: zone.region,
        postalCode: zone.postal_code,
        ipAddress: zone.ip_address,
      },
    },
    adjustments: {
      taxable: totals.adjustments.taxable,
      untaxable: totals.adjustments.untaxable,
      total: totals.adjustments.total,
      entries: (row.adjustments ?? []).map(({ description, amount, is_taxable }) => ({
        description,
        amount,
        isTaxable: is_taxable,
      })),
    },
    total: totals.total,
    totalWithTax: totals.totalWithTax,
    totalDue: totals.totalDue,
    giftCard: giftCard && {
      id: giftCard.id,
      code: giftCard.code,
      balanceAfter: totals.giftCardBalanceAfter ?? 0,
      credit: totals.giftCardCredit,
    },
    payWhatYouWant: totals.payWhatYouWant,
    customer: answers.customer,
    shippingAddress,
    billingAddress,
    extraFields: answers.extraFields,
    collected: {
      ...emailCollected(answers.isEmailGiven),
      fullname: answers.customer.firstname !== null && answers.customer.lastname !== null,
      shipping_address: shippingAddress !== null,
      billing_address: billingAddress !== null,
      extrafields: answers.extraFields.length > 0,
      tax: totals.tax.amount > 0,
      eu_vat_moss_evidence: isEvidenced(row, totals.tax.amount, clientDetails.countryCode, [
        shippingAddress?.country,
        billingAddress?.country,
      ]),
    },
    // The first line's that has one: several products cannot all be thanked for.
    redirect: facts.products.find(({ thank_you_url: url }) => url !== null)?.thank_you_url ?? null,
    clientDetails,
    meta: mergedMeta(facts.cart_meta, row.meta, meta),
    capturedBy: { isSecret: caller.isSecret, networks: clientNetworks },
  }
}

function lineDraft(
  line: LineRow,
  priced: PricedLine | undefined,
  product: CapturedProductRow | undefined,
): OrderLineDraft {
  const { variant, image } = line
  return {
    id: line.id,
    productId: line.product_id,
    productName: line.product?.name ?? line.name,
    sku: variant?.sku ?? line.product?.sku ?? null,
    permalink: line.product?.permalink ?? null,
    quantity: line.quantity,
    unitPrice: lineInput(line).unitPrice,
    lineTotal: priced?.lineTotal ?? 0,
    discountShare: priced?.discountShare ?? 0,
    variant: variant && {
      id: variant.id,
      sku: variant.sku,
      description: variant.description,
      price: variant.price,
    },
    selectedOptions: selectedOptions(line).map(({ group_id, group_name, option_id, option_name, price_delta }) => ({
      groupId: group_id,
      groupName: group_name,
      optionId: option_id,
      optionName: option_name,
      price: price_delta,
    })),
    tax: {
      isTaxable: priced?.isTaxable ?? false,
      taxableAmount: priced?.taxableAmount ?? 0,
      amount: priced?.taxAmount ?? 0,
      parts: priced?.taxParts ?? [],
    },
    // Only public pictures are shown on lines, so that its address works without a signature. What that begins with is for who shows it.
    image: image && viewAsset(image, unsigned('')),
    isPhysical: product?.is_physical ?? false,
    stockItemId: stockItem(line)?.id ?? null,
    packages: (product?.packages ?? []).map(({ asset_id, name, ext, size_in_bytes, is_sample }) => ({
      assetId: asset_id,
      name,
      ext,
      sizeInBytes: size_in_bytes,
      isSample: is_sample,
    })),
    lifespan: product?.lifespan
      ? {
          duration: product.lifespan.duration,
          period: product.lifespan.period,
          downloadLimit: product.lifespan.download_limit,
        }
      : null,
  }
}

function detailsOf(ipAddress: string, geo: Context['geo']): OrderDraft['clientDetails'] {
  const place = geo.locate(ipAddress)
  return {
    ipAddress,
    countryCode: place?.country_code ?? null,
    countryName: place?.country_name ?? null,
    regionCode: place?.region_code ?? null,
    regionName: place?.region_name ?? null,
    city: place?.city ?? null,
    postalCode: place?.postal_zip_code ?? null,
  }
}

const EU = new Set('AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'.split(' '))

/** What the EU asks of who sells digitally there: two things that tell of the country, an address and the network, and that agree. */
function isEvidenced(
  { deliveries, taxed_in: { country } }: CheckoutRow,
  tax: Minor,
  networkCountry: string | null,
  addressCountries: readonly (string | null | undefined)[],
): boolean {
  const isDigital = Object.values(deliveries).some(({ is_physical }) => !is_physical)
  if (!isDigital || tax === 0 || country === null || !EU.has(country)) return false
  return networkCountry === country && addressCountries.includes(country)
}

/** What is said later goes before. */
function mergedMeta(...metas: readonly (Record<string, unknown> | null)[]): Record<string, unknown> | null {
  return metas.every((meta) => meta === null) ? null : Object.assign({}, ...metas)
}
