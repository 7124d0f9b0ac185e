// What belongs to a product, as a body sends it: checked against what exists, then written. Only lists that are sent change.

import type { Tx } from '../../db/db.ts'
import type { Shop } from '../../db/records.ts'
import { newId } from '../../lib/ids.ts'
import { idsOf, type Problems, pairEntries, refuseEntries, refuseItself } from '../../lib/problems.ts'
import { holdUsableAssets, listPlaceholders, USABLE_ASSET } from '../assets/store.ts'
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
import { holdAttributes, holdExisting, type ProductTx } from './store.ts'
import { type GroupWrite, replaceVariantGroups } from './variants/group-store.ts'
import { refuseBelowZero, refuseTooManyOptions, resolveVariantGroups } from './variants/groups.ts'

/** The lists to be written; undefined for those that stay. */
type Children = {
  assets?: string[]
  categories?: string[]
  related_products?: string[]
  packages?: PackageWrite[]
  attributes?: AttributeWrite[]
  extra_fields?: ExtraFieldWrite[]
  variant_groups?: GroupWrite[]
}

/** The product that the lists belong to, as it is to be. */
type ProductDraft = {
  readonly scope: Shop
  readonly currency: string
  readonly productId: string
  /** What it is to cost. */
  readonly price: number
  /** What it has now; nothing while it is being created. */
  readonly current: Pick<ProductRow, 'extra_fields' | 'variant_groups'>
}

/** Throws when the body cannot be accepted, for what `problems` hold already or for its lists. */
export async function resolveChildren(
  tx: Tx,
  draft: ProductDraft,
  body: ProductChanges,
  problems: Problems,
  now: Date,
): Promise<Children> {
  const { scope, current } = draft
  const groups =
    body.variant_groups &&
    resolveVariantGroups(body.variant_groups, current.variant_groups, draft.currency, problems, now)
  const fields = body.extra_fields && resolveExtraFields(body.extra_fields, current.extra_fields, problems, now)
  if (groups) refuseTooManyOptions('variant_groups', current.variant_groups, groups, problems)
  problems.throwIfMalformed()

  const packages = body.delivery?.digital === undefined ? undefined : (body.delivery.digital?.packages ?? [])
  const assets = await holdUsableAssets(tx, scope, [
    ...idsOf(body.assets ?? []),
    ...(packages ?? []).map(({ asset }) => asset),
    ...(groups ?? []).flatMap(({ options }) => options.flatMap((option) => option.assets)),
  ])
  const categories = await holdExisting(tx, scope, 'categories', idsOf(body.categories ?? []))
  const products = await holdExisting(tx, scope, 'products', idsOf(body.related_products ?? []))
  const namedZones = body.delivery?.shipping_zones ?? []
  const zones = await holdExisting(tx, scope, 'shipping_zones', namedZones)
  refuseEntries(body.assets ?? [], assets, 'assets', USABLE_ASSET, problems)
  refuseEntries(body.categories ?? [], categories, 'categories', 'a category', problems)
  refuseEntries(body.related_products ?? [], products, 'related_products', 'a product', problems)
  refuseEntries(namedZones, zones, 'delivery.shipping_zones', 'a shipping zone', problems)
  refuseItself(body.related_products ?? [], draft.productId, 'related_products', 'product', problems)
  const goods = (packages ?? []).map(({ asset }) => asset)
  refusePackages(goods, assets, await listPlaceholders(tx, scope, goods), problems)
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
      await holdAttributes(
        tx,
        scope,
        body.attributes.map(({ id }) => id),
      ),
      problems,
    )
  problems.throwIfAny()
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

function refusePackages(
  goods: readonly string[],
  known: ReadonlySet<string>,
  placeholders: ReadonlySet<string>,
  problems: Problems,
) {
  const seen = new Set<string>()
  for (const [index, asset] of goods.entries()) {
    const field = `delivery.digital.packages.${index}.asset`
    if (!known.has(asset)) problems.refused(field, `is not the id of ${USABLE_ASSET}`)
    else if (placeholders.has(asset))
      problems.refused(
        field,
        'has no file to sell yet: it could not be fetched from its url, and a placeholder is shown',
      )
    else if (seen.has(asset)) problems.refused(field, 'stands in the list twice')
    seen.add(asset)
  }
}

export async function writeChildren(tx: ProductTx, scope: Shop, productId: string, children: Children, now: Date) {
  const { assets, categories, related_products, packages, attributes, extra_fields, variant_groups } = children
  if (assets) await replaceLinks(tx, scope, productId, 'assets', assets)
  if (categories) await replaceLinks(tx, scope, productId, 'categories', categories)
  if (related_products) await replaceLinks(tx, scope, productId, 'related_products', related_products)
  if (packages) await replacePackages(tx, scope, productId, packages)
  if (attributes) await replaceAttributes(tx, scope, productId, attributes)
  if (extra_fields) await replaceExtraFields(tx, scope, productId, extra_fields, now)
  if (variant_groups) await replaceVariantGroups(tx, scope, productId, variant_groups, now)
}

/**
 * The current assets with those sent: one without `sort_order` goes to the end, or stays where it is when it is there already;
 * one with it goes to that place, 0 being the first.
 */
export function arranged(current: readonly string[], sent: AssetReferences): string[] {
  const places = new Map<string, number>()
  for (const reference of sent)
    if (typeof reference !== 'string' && reference.sort_order !== undefined)
      places.set(reference.id, reference.sort_order)
  const ids = [...new Set([...current, ...idsOf(sent)])].filter((id) => !places.has(id))
  // From the front: every one put in shifts only what comes after it. The sort is stable, which settles ties by the list.
  for (const [id, place] of [...places].sort(([, one], [, other]) => one - other)) ids.splice(place, 0, id)
  return ids
}

/** What a shopper is asked beside the product: the list that replaces the current one. Of a field that is kept, what is not sent stays. */
function resolveExtraFields(
  sent: NonNullable<ProductChanges['extra_fields']>,
  current: readonly ExtraFieldRow[],
  problems: Problems,
  now: Date,
): ExtraFieldWrite[] {
  return pairEntries(sent, current, 'extra_fields', problems).map(({ entry, known, path }) => {
    const type = entry.type ?? known?.type ?? 'text'
    const takesOptions = EXTRA_FIELD_TYPES_WITH_OPTIONS.includes(type)
    // A field that becomes a text field loses the options it had; only those sent with it are a contradiction.
    const options = entry.options === undefined && takesOptions ? (known?.options ?? null) : (entry.options ?? null)
    if (takesOptions && (options === null || options.length === 0))
      problems.refused(`${path}.options`, `must list what can be chosen, as the field is of type ${type}`)
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
