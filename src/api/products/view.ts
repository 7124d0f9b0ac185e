// Turns a row into the product of the newest API version, and builds the flag families of products and other objects.

import type { Caller } from '../../http/endpoint/endpoint.ts'
import { priceOf } from '../../lib/money.ts'
import { type FileUrls, viewAsset } from '../assets/view.ts'
import { showValue } from './attribute-values.ts'
import type { ExtraFieldRow, GroupRow, OptionRow, ProductRow, RelatedRow } from './read-store.ts'
import type { ExtraField, Flags, Product, ProductFlags, VariantGroup } from './schema.ts'

type Reader = Pick<Caller, 'merchant_id' | 'currency' | 'isSecret' | 'is_sandbox'>

export function viewProduct(row: ProductRow, caller: Reader, fileUrls: FileUrls): Product {
  const image = leadImage(row.assets)
  const extraFields = row.extra_fields.map(viewExtraField)
  return {
    id: row.id,
    created: row.created,
    updated: row.updated,
    active: row.is_active,
    permalink: row.permalink,
    name: row.name,
    description: row.description,
    price: priceOf(row.price, caller.currency),
    quantity: row.available,
    inventory: {
      managed: row.is_inventory_managed,
      available: row.available,
      ...(row.held === null ? {} : { held: row.held, on_hand: row.available + row.held }),
    },
    sku: row.sku,
    sort_order: row.sort_order,
    seo: { title: row.seo_title, description: row.seo_description },
    thank_you_url: row.thank_you_url,
    meta: row.meta,
    ...withConditionals(flagsOf(row)),
    checkout_url: checkoutUrls(fileUrls.origin, caller, row.permalink),
    image: image && viewAsset(image, fileUrls),
    assets: row.assets.map((asset) => viewAsset(asset, fileUrls)),
    variant_groups: row.variant_groups.map((group) => viewVariantGroup(group, caller.currency)),
    extra_fields: extraFields,
    extrafields: extraFields,
    categories: row.categories.map(({ id, slug, name }) => ({ id, slug, name })),
    related_products: row.related_products.map((related) => viewRelated(related, caller.currency, fileUrls)),
    attributes: row.attributes.map((attribute) => ({
      id: attribute.id,
      name: attribute.name,
      meta: attribute.meta,
      value: showValue(attribute),
    })),
    ...(caller.isSecret ? { delivery: viewDelivery(row) } : {}),
  }
}

/**
 * URLs of the hosted checkout: `display` shows the product, `checkout` goes straight to payment. Shoppers have no key, so the URL
 * contains the merchant and the mode. Permalinks are unique only within a merchant.
 */
function checkoutUrls(origin: string, { merchant_id, is_sandbox }: Reader, permalink: string) {
  const page = `${origin}/checkout/${merchant_id}/${permalink}`
  return is_sandbox
    ? { checkout: `${page}?checkout=true&sandbox=true`, display: `${page}?sandbox=true` }
    : { checkout: `${page}?checkout=true`, display: page }
}

export const viewVariantGroup = (group: GroupRow, currency: string): VariantGroup => ({
  id: group.id,
  name: group.name,
  meta: group.meta,
  created: group.created,
  updated: group.updated,
  options: group.options.map((option) => viewVariantOption(option, currency)),
})

export const viewVariantOption = (option: OptionRow, currency: string): VariantGroup['options'][number] => ({
  id: option.id,
  name: option.name,
  price: priceOf(option.price_delta, currency),
  assets: option.assets,
  meta: option.meta,
  created: option.created,
  updated: option.updated,
})

export const viewExtraField = (field: ExtraFieldRow): ExtraField => ({
  id: field.id,
  name: field.name,
  type: field.type,
  required: field.is_required,
  options: field.options,
  meta: field.meta,
  created: field.created,
  updated: field.updated,
})

const viewRelated = (
  related: RelatedRow,
  currency: string,
  fileUrls: FileUrls,
): Product['related_products'][number] => ({
  id: related.id,
  permalink: related.permalink,
  name: related.name,
  sku: related.sku,
  active: related.is_active,
  price: priceOf(related.price, currency),
  image: related.image && viewAsset(related.image, fileUrls),
})

const viewDelivery = (row: ProductRow): NonNullable<Product['delivery']> => ({
  physical: row.is_sent,
  weight: row.weight_grams,
  digital: {
    packages: row.packages.map(({ asset_id, name, is_sample }) => ({ asset: asset_id, name, is_sample })),
    lifespan: row.lifespan && {
      duration: row.lifespan.duration,
      period: row.lifespan.period,
      download_limit: row.lifespan.download_limit,
    },
  },
  shipping_zones: row.shipping_zone_ids,
})

// The flag families `is`, `has` and `collects`; `conditionals` repeats them. Checkout tokens and orders have them, too.

/** The fields from which a product's flags are derived. */
export type FlagSource = {
  readonly price: number
  readonly is_active: boolean
  readonly is_tax_exempt: boolean
  readonly is_pay_what_you_want: boolean
  readonly is_inventory_managed: boolean
  readonly is_sold_out: boolean
  readonly is_sent: boolean
  readonly collects_fullname: boolean
  readonly collects_shipping_address: boolean | null
  readonly collects_billing_address: boolean
  readonly packages: readonly unknown[]
  readonly extra_fields: readonly unknown[]
  readonly assets: readonly Picture[]
}

type Picture = { readonly is_image: boolean; readonly is_private: boolean; readonly is_pending: boolean }

/** The main picture: the first one that a shopper's browser can show. */
const leadImage = <Asset extends Picture>(assets: readonly Asset[]): Asset | null =>
  assets.find((asset) => asset.is_image && !asset.is_private && !asset.is_pending) ?? null

export function flagsOf(product: FlagSource): ProductFlags {
  const hasExtraFields = product.extra_fields.length > 0
  return {
    is: {
      active: product.is_active,
      // With pay what you want, the price is only a minimum, so 0 does not mean free.
      free: product.price === 0 && !product.is_pay_what_you_want,
      tax_exempt: product.is_tax_exempt,
      pay_what_you_want: product.is_pay_what_you_want,
      inventory_managed: product.is_inventory_managed,
      // The older name of the same flag.
      quantity_limited: product.is_inventory_managed,
      sold_out: product.is_sold_out,
    },
    has: {
      digital_delivery: product.packages.length > 0,
      physical_delivery: product.is_sent,
      images: leadImage(product.assets) !== null,
      // Assets are files, so products never embed videos or pages.
      video: false,
      rich_embed: false,
    },
    collects: {
      fullname: product.collects_fullname,
      shipping_address: product.collects_shipping_address ?? product.is_sent,
      billing_address: product.collects_billing_address,
      extra_fields: hasExtraFields,
      extrafields: hasExtraFields,
    },
  }
}

type Families = Record<string, Flags<string>>
type Prefixed<F extends Families> = {
  [Name in { [Family in keyof F & string]: `${Family}_${keyof F[Family] & string}` }[keyof F & string]]: boolean
}

/** Adds `conditionals`, which repeats every flag as `is_active`, `has_images`, `collects_fullname`. */
export function withConditionals<F extends Families>(families: F): F & { conditionals: Prefixed<F> } {
  const conditionals = Object.fromEntries(
    Object.entries(families).flatMap(([family, flags]) =>
      Object.entries(flags).map(([name, value]) => [`${family}_${name}`, value]),
    ),
  )
  return { conditionals: conditionals as Prefixed<F>, ...families }
}
