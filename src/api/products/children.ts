// The parts of a product in a request body: checks them against existing data and writes them. Lists that are not sent stay unchanged.

import type { Shop, Tx } from '../../db/db.ts'
import { newId } from '../../lib/ids.ts'
import { type Problems, pairEntries, refuseEntries, refuseSelfReference, uniqueIds } from '../../lib/problems.ts'
import { listPlaceholders, lockUsableAssets, USABLE_ASSET } from '../assets/store.ts'
import { readAttributes } from './attribute-values.ts'
import type { AssetReferences, ProductChanges } from './body-schema.ts'
import {
  type AttributeWrite,
  type ExtraFieldWrite,
  type PackageWrite,
  replaceAttributes,
  replaceExtraFields,
  replaceLinks,
  replacePackages,
} from './children-store.ts'
import type { ExtraFieldRow, ProductRow } from './read-store.ts'
import { EXTRA_FIELD_TYPES_WITH_OPTIONS } from './schema.ts'
import { lockAttributeRules, lockExisting, type ProductTx } from './store.ts'
import { type GroupWrite, replaceVariantGroups } from './variants/group-store.ts'
import { refuseBelowZero, refuseTooManyOptions, resolveVariantGroups } from './variants/groups.ts'

/** The lists to write. Undefined leaves a list unchanged. */
type Children = {
  assets?: string[]
  categories?: string[]
  related_products?: string[]
  packages?: PackageWrite[]
  attributes?: AttributeWrite[]
  extra_fields?: ExtraFieldWrite[]
  variant_groups?: GroupWrite[]
}

/** The product of the lists, after the change. */
type ProductDraft = {
  readonly shop: Shop
  readonly currency: string
  readonly productId: string
  /** The new price. */
  readonly price: number
  /** Current parts; empty for a new product. */
  readonly current: Pick<ProductRow, 'extra_fields' | 'variant_groups'>
}

/** Resolves the lists of the body. Throws if the body is refused, because of `problems` so far or because of its lists. */
export async function resolveChildren(
  tx: Tx,
  draft: ProductDraft,
  body: ProductChanges,
  problems: Problems,
  now: Date,
): Promise<Children> {
  const { shop, current } = draft
  const groups =
    body.variant_groups &&
    resolveVariantGroups(body.variant_groups, current.variant_groups, draft.currency, problems, now)
  const fields = body.extra_fields && resolveExtraFields(body.extra_fields, current.extra_fields, problems, now)
  if (groups) refuseTooManyOptions('variant_groups', current.variant_groups, groups, problems)
  problems.throwIfMalformed()

  const packages = body.delivery?.digital === undefined ? undefined : (body.delivery.digital?.packages ?? [])
  const assets = await lockUsableAssets(tx, shop, [
    ...uniqueIds(body.assets ?? []),
    ...(packages ?? []).map(({ asset }) => asset),
    ...(groups ?? []).flatMap(({ options }) => options.flatMap((option) => option.assets)),
  ])
  const categories = await lockExisting(tx, shop, 'categories', uniqueIds(body.categories ?? []))
  const products = await lockExisting(tx, shop, 'products', uniqueIds(body.related_products ?? []))
  const namedZones = body.delivery?.shipping_zones ?? []
  const zones = await lockExisting(tx, shop, 'shipping_zones', namedZones)
  refuseEntries(body.assets ?? [], assets, 'assets', USABLE_ASSET, problems)
  refuseEntries(body.categories ?? [], categories, 'categories', 'a category', problems)
  refuseEntries(body.related_products ?? [], products, 'related_products', 'a product', problems)
  refuseEntries(namedZones, zones, 'delivery.shipping_zones', 'a shipping zone', problems)
  refuseSelfReference(body.related_products ?? [], draft.productId, 'related_products', 'product', problems)
  const goods = (packages ?? []).map(({ asset }) => asset)
  refusePackages(goods, assets, await listPlaceholders(tx, shop, goods), problems)
  if (groups) refuseBelowZero('variant_groups', draft.price, groups, draft.currency, problems)
  else if (body.price !== undefined)
    refuseBelowZero('price', draft.price, current.variant_groups, draft.currency, problems)
  for (const [index, group] of (body.variant_groups ?? []).entries())
    for (const [position, option] of (group.options ?? []).entries())
      refuseEntries(
        option.assets ?? [],
        assets,
        `variant_groups.${index}.options.${position}.assets`,
        USABLE_ASSET,
        problems,
      )

  const attributes =
    body.attributes &&
    readAttributes(
      body.attributes,
      await lockAttributeRules(
        tx,
        shop,
        body.attributes.map(({ id }) => id),
      ),
      problems,
    )
  problems.throwIfAny()
  return {
    ...(body.assets && { assets: mergeAssetOrder([], body.assets) }),
    ...(body.categories && { categories: uniqueIds(body.categories) }),
    ...(body.related_products && { related_products: uniqueIds(body.related_products) }),
    ...(packages && {
      packages: packages.map(({ asset, name = null, is_sample = false }) => ({ asset_id: asset, name, is_sample })),
    }),
    ...(attributes && { attributes }),
    ...(fields && { extra_fields: fields }),
    ...(groups && { variant_groups: groups.map((group) => withExistingAssets(group, assets)) }),
  }
}

/** Removes pictures deleted since the read. This concerns pictures that are kept, not sent. */
const withExistingAssets = (group: GroupWrite, existingIds: ReadonlySet<string>): GroupWrite => ({
  ...group,
  options: group.options.map((option) => ({ ...option, assets: option.assets.filter((id) => existingIds.has(id)) })),
})

function refusePackages(
  goods: readonly string[],
  assets: ReadonlySet<string>,
  placeholders: ReadonlySet<string>,
  problems: Problems,
) {
  const usedAssets = new Set<string>()
  for (const [index, asset] of goods.entries()) {
    const field = `delivery.digital.packages.${index}.asset`
    if (!assets.has(asset)) problems.refused(field, `is not the id of ${USABLE_ASSET}`)
    else if (placeholders.has(asset))
      problems.refused(field, 'has no file to sell yet: its url could not be fetched, so it has a placeholder')
    else if (usedAssets.has(asset)) problems.refused(field, 'is listed twice')
    usedAssets.add(asset)
  }
}

export async function writeChildren(tx: ProductTx, shop: Shop, productId: string, children: Children, now: Date) {
  const { assets, categories, related_products, packages, attributes, extra_fields, variant_groups } = children
  if (assets) await replaceLinks(tx, shop, productId, 'assets', assets)
  if (categories) await replaceLinks(tx, shop, productId, 'categories', categories)
  if (related_products) await replaceLinks(tx, shop, productId, 'related_products', related_products)
  if (packages) await replacePackages(tx, shop, productId, packages)
  if (attributes) await replaceAttributes(tx, shop, productId, attributes)
  if (extra_fields) await replaceExtraFields(tx, shop, productId, extra_fields, now)
  if (variant_groups) await replaceVariantGroups(tx, shop, productId, variant_groups, now)
}

/**
 * Merges the sent assets into the current ones. With `sort_order` an asset moves to that position, 0 being the first. Without it, a new
 * asset is appended and an existing one stays.
 */
export function mergeAssetOrder(current: readonly string[], references: AssetReferences): string[] {
  const places = new Map<string, number>()
  for (const reference of references)
    if (typeof reference !== 'string' && reference.sort_order !== undefined)
      places.set(reference.id, reference.sort_order)
  const ids = [...new Set([...current, ...uniqueIds(references)])].filter((id) => !places.has(id))
  // Inserted from the front, because each one shifts only what follows. The stable sort keeps the order of the list for equal positions.
  for (const [id, place] of [...places].sort(([, one], [, other]) => one - other)) ids.splice(place, 0, id)
  return ids
}

/** The new list of extra fields, which are questions to the shopper. A field with a sent id keeps what is not sent. */
function resolveExtraFields(
  newFields: NonNullable<ProductChanges['extra_fields']>,
  current: readonly ExtraFieldRow[],
  problems: Problems,
  now: Date,
): ExtraFieldWrite[] {
  return pairEntries(newFields, current, 'extra_fields', problems).map(({ entry, known, path }) => {
    const type = entry.type ?? known?.type ?? 'text'
    const takesOptions = EXTRA_FIELD_TYPES_WITH_OPTIONS.includes(type)
    // A field that becomes a text field loses its old options. Only options sent with it are refused.
    const options = entry.options === undefined && takesOptions ? (known?.options ?? null) : (entry.options ?? null)
    if (takesOptions && (options === null || options.length === 0))
      problems.refused(`${path}.options`, `must list the choices, because the field is of type ${type}`)
    if (!takesOptions && options !== null && options.length > 0)
      problems.refused(
        `${path}.options`,
        `are for the types ${EXTRA_FIELD_TYPES_WITH_OPTIONS.join(' and ')}; a field of type ${type} has none`,
      )
    return {
      id: known?.id ?? newId('extraField', now),
      name: entry.name,
      type,
      is_required: entry.required ?? known?.is_required ?? false,
      options: takesOptions ? options : null,
      meta: entry.meta === undefined ? (known?.meta ?? null) : entry.meta,
    }
  })
}
