// What belongs to a product, as a body sends it: checked against what exists, then written. Only lists that are sent change.

import type { Tx } from '../../db/db.ts'
import { type FieldErrors, notValid, unprocessable } from '../../lib/errors.ts'
import { holdUsableAssets } from '../assets/store.ts'
import { readAttributes } from './attribute-values.ts'
import type { ProductChanges } from './body-schema.ts'
import {
  type AttributeWrite,
  type ExtraFieldWrite,
  type PackageWrite,
  replaceAttributes,
  replaceExtraFields,
  replaceLinks,
  replacePackages,
} from './children-store.ts'
import { resolveExtraFields } from './extra-fields.ts'
import { type GroupWrite, replaceVariantGroups } from './group-store.ts'
import { holdAttributes, holdExisting } from './reference-store.ts'
import { arranged, idsOf, refuseEntries, refuseItself, USABLE_ASSET } from './references.ts'
import type { ProductRow } from './row-store.ts'
import { type Judgement, refuseBelowZero, refuseTooManyOptions, resolveVariantGroups } from './variant-groups.ts'

/** The lists to be written; undefined for those that stay. */
export type Children = {
  assets?: string[]
  categories?: string[]
  related_products?: string[]
  packages?: PackageWrite[]
  attributes?: AttributeWrite[]
  extra_fields?: ExtraFieldWrite[]
  variant_groups?: GroupWrite[]
}

type Owner = {
  readonly merchantId: number
  readonly currency: string
  readonly productId: string
  /** What it is to cost. */
  readonly price: number
  /** What it has now; nothing while it is being created. */
  readonly current: Pick<ProductRow, 'extra_fields' | 'variant_groups'>
}

/** Throws when the body, with what `judgement` already holds against it, cannot be accepted. */
export async function resolveChildren(
  tx: Tx,
  owner: Owner,
  body: ProductChanges,
  judgement: Judgement,
  now: Date,
): Promise<Children> {
  const { merchantId, current } = owner
  const { malformed, refused } = judgement
  const groups =
    body.variant_groups &&
    resolveVariantGroups(body.variant_groups, current.variant_groups, owner.currency, judgement, now)
  const fields = body.extra_fields && resolveExtraFields(body.extra_fields, current.extra_fields, refused, now)
  if (groups) refuseTooManyOptions('variant_groups', current.variant_groups, groups, refused)
  if (Object.keys(malformed).length > 0) throw unprocessable(malformed)

  const packages = body.delivery?.digital === undefined ? undefined : (body.delivery.digital?.packages ?? [])
  const assets = await holdUsableAssets(tx, merchantId, [
    ...idsOf(body.assets ?? []),
    ...(packages ?? []).map(({ asset }) => asset),
    ...(groups ?? []).flatMap(({ options }) => options.flatMap((option) => option.assets)),
  ])
  const categories = await holdExisting(tx, merchantId, 'categories', idsOf(body.categories ?? []))
  const products = await holdExisting(tx, merchantId, 'products', idsOf(body.related_products ?? []))
  const namedZones = body.delivery?.shipping_zones ?? []
  const zones = await holdExisting(tx, merchantId, 'shipping_zones', namedZones)
  refuseEntries(body.assets ?? [], assets, 'assets', USABLE_ASSET, refused)
  refuseEntries(body.categories ?? [], categories, 'categories', 'a category', refused)
  refuseEntries(body.related_products ?? [], products, 'related_products', 'a product', refused)
  refuseEntries(namedZones, zones, 'delivery.shipping_zones', 'a shipping zone', refused)
  refuseItself(body.related_products ?? [], owner.productId, 'related_products', refused)
  refusePackages(packages ?? [], assets, refused)
  if (groups) refuseBelowZero('variant_groups', owner.price, groups, owner.currency, refused)
  else if (body.price !== undefined)
    refuseBelowZero('price', owner.price, current.variant_groups, owner.currency, refused)
  for (const [index, group] of (body.variant_groups ?? []).entries())
    for (const [position, option] of (group.options ?? []).entries())
      refuseEntries(
        option.assets ?? [],
        assets,
        `variant_groups.${index}.options.${position}.assets`,
        USABLE_ASSET,
        refused,
      )

  const attributes =
    body.attributes &&
    readAttributes(
      body.attributes,
      await holdAttributes(
        tx,
        merchantId,
        body.attributes.map(({ id }) => id),
      ),
      refused,
    )
  if (Object.keys(refused).length > 0) throw notValid(refused)
  return {
    ...(body.assets && { assets: arranged([], body.assets) }),
    ...(body.categories && { categories: idsOf(body.categories) }),
    ...(body.related_products && { related_products: idsOf(body.related_products) }),
    ...(packages && {
      packages: packages.map(({ asset, name = null, is_sample = false }) => ({ asset_id: asset, name, is_sample })),
    }),
    ...(attributes && { attributes }),
    ...(fields && { extra_fields: fields }),
    ...(groups && { variant_groups: groups.map((group) => withHeldAssets(group, assets)) }),
  }
}

/** A picture that is not sent but kept may have been deleted since it was read. */
const withHeldAssets = (group: GroupWrite, held: ReadonlySet<string>): GroupWrite => ({
  ...group,
  options: group.options.map((option) => ({ ...option, assets: option.assets.filter((id) => held.has(id)) })),
})

function refusePackages(packages: readonly { asset: string }[], known: ReadonlySet<string>, refused: FieldErrors) {
  const seen = new Set<string>()
  for (const [index, { asset }] of packages.entries()) {
    const field = `delivery.digital.packages.${index}.asset`
    if (!known.has(asset)) refused[field] = [`${field} is not the id of ${USABLE_ASSET}.`]
    else if (seen.has(asset)) refused[field] = [`${field} stands in the list twice.`]
    seen.add(asset)
  }
}

export async function writeChildren(tx: Tx, merchantId: number, productId: string, children: Children, now: Date) {
  const { assets, categories, related_products, packages, attributes, extra_fields, variant_groups } = children
  if (assets) await replaceLinks(tx, merchantId, productId, 'assets', assets)
  if (categories) await replaceLinks(tx, merchantId, productId, 'categories', categories)
  if (related_products) await replaceLinks(tx, merchantId, productId, 'related_products', related_products)
  if (packages) await replacePackages(tx, merchantId, productId, packages)
  if (attributes) await replaceAttributes(tx, merchantId, productId, attributes)
  if (extra_fields) await replaceExtraFields(tx, merchantId, productId, extra_fields, now)
  if (variant_groups) await replaceVariantGroups(tx, merchantId, productId, variant_groups, now)
}
