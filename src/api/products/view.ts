// A row → the product in its newest form, field by field.

import type { Caller } from '../../http/endpoint.ts'
import { priceOf } from '../../lib/money.ts'
import { type Addresses, viewAsset } from '../assets/view.ts'
import { showValue } from './attribute-values.ts'
import { flagsOf, leadImage, withConditionals } from './flags.ts'
import type { ExtraFieldRow, GroupRow, OptionRow, ProductRow, RelatedRow } from './row-store.ts'
import type { ExtraField, Product, VariantGroup } from './schema.ts'

/** For whom a product is shown. */
export type Viewer = {
  readonly caller: Pick<Caller, 'merchantId' | 'currency' | 'isSecret'>
  readonly addresses: Addresses
}

export function viewProduct(row: ProductRow, viewer: Viewer): Product {
  const { caller, addresses } = viewer
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
    checkout_url: checkoutUrls(addresses.origin, caller.merchantId, row.permalink),
    image: image && viewAsset(image, addresses),
    assets: row.assets.map((asset) => viewAsset(asset, addresses)),
    variant_groups: row.variant_groups.map((group) => viewVariantGroup(group, caller.currency)),
    extra_fields: extraFields,
    extrafields: extraFields,
    categories: row.categories.map(({ id, slug, name }) => ({ id, slug, name })),
    related_products: row.related_products.map((related) => viewRelated(related, viewer)),
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
 * The pages of the hosted checkout: `display` shows the product, `checkout` goes straight on to paying. Shoppers come without a
 * key, so the address names the merchant; a permalink alone is unique within one.
 */
function checkoutUrls(origin: string, merchantId: number, permalink: string) {
  const display = `${origin}/checkout/${merchantId}/${permalink}`
  return { checkout: `${display}?checkout=true`, display }
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

const viewRelated = (related: RelatedRow, { caller, addresses }: Viewer): Product['related_products'][number] => ({
  id: related.id,
  permalink: related.permalink,
  name: related.name,
  sku: related.sku,
  active: related.is_active,
  price: priceOf(related.price, caller.currency),
  image: related.image && viewAsset(related.image, addresses),
})

const viewDelivery = (row: ProductRow): NonNullable<Product['delivery']> => ({
  physical: row.is_physical,
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
