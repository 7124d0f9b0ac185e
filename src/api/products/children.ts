// What belongs to a product, as a body sends it: checked against what exists, then written. Only lists that are sent change.

import type { Tx } from '../../db/db.ts'
import { type FieldErrors, notValid, unprocessable } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { holdUsableAssets } from '../assets/store.ts'
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
import { holdAttributes, holdExisting } from './store.ts'
import { type GroupWrite, replaceVariantGroups } from './variants/group-store.ts'
import { type Judgement, refuseBelowZero, refuseTooManyOptions, resolveVariantGroups } from './variants/groups.ts'

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

// Lists of things by their ids, as bodies give them: bare or inside objects, with a place or without.

/** What can be attached: `holdUsableAssets` knows neither a pending asset nor one that does not exist. */
export const USABLE_ASSET = 'a finished asset'

type Reference = string | { readonly id: string }

const idOf = (reference: Reference): string => (typeof reference === 'string' ? reference : reference.id)

/** Ids, each once, in the order of the list. */
export const idsOf = (references: readonly Reference[]): string[] => [...new Set(references.map(idOf))]

/** Adds what is wrong to `refused`: an entry that names none of the known ones, or the same as an entry before it. */
export function refuseEntries(
  references: readonly Reference[],
  known: ReadonlySet<string>,
  path: string,
  thing: string,
  refused: FieldErrors,
) {
  const seen = new Set<string>()
  for (const [index, reference] of references.entries()) {
    const field = fieldOf(path, index, reference)
    const id = idOf(reference)
    if (!known.has(id)) refused[field] = [`${field} is not the id of ${thing}.`]
    else if (seen.has(id)) refused[field] = [`${field} stands in the list twice.`]
    seen.add(id)
  }
}

/** Adds what is wrong to `refused`: an entry that names the product itself. */
export function refuseItself(references: readonly Reference[], id: string, path: string, refused: FieldErrors) {
  for (const [index, reference] of references.entries()) {
    const field = fieldOf(path, index, reference)
    if (idOf(reference) === id) refused[field] = [`${field} must be another product.`]
  }
}

const fieldOf = (path: string, index: number, reference: Reference) =>
  typeof reference === 'string' ? `${path}.${index}` : `${path}.${index}.id`

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

// Which entry of a list that is sent stands for which entry that is already there: by its id, else by its name.
// Extra fields, variant groups and options keep their ids this way when a list is replaced.

type Named = { readonly id: string; readonly name: string }
type Sent = { readonly id?: string; readonly name: string }

/**
 * Pairs each sent entry with the current one it stands for, if any. Two of the same name are refused: a name then says which
 * entry is meant, and shoppers could not tell them apart.
 */
export function pairEntries<S extends Sent, C extends Named>(
  sent: readonly S[],
  current: readonly C[],
  path: string,
  refused: FieldErrors,
): { entry: S; known: C | undefined; path: string }[] {
  const byId = new Map(current.map((entry) => [entry.id, entry]))
  const names = new Set<string>()
  // Those named by id first, whatever their place: the name of one may be the new name of another.
  const taken = new Set<string>()
  for (const [index, { id, name }] of sent.entries()) {
    if (names.has(name)) refused[`${path}.${index}.name`] = [`${path}.${index}.name must differ from the other names.`]
    names.add(name)
    if (id === undefined) continue
    if (!byId.has(id)) refused[`${path}.${index}.id`] = [`${path}.${index}.id is not the id of one of its entries.`]
    else if (taken.has(id)) refused[`${path}.${index}.id`] = [`${path}.${index}.id stands in the list twice.`]
    taken.add(id)
  }
  const byName = new Map(current.filter(({ id }) => !taken.has(id)).map((entry) => [entry.name, entry]))
  return sent.map((entry, index) => ({
    entry,
    known: entry.id === undefined ? byName.get(entry.name) : byId.get(entry.id),
    path: `${path}.${index}`,
  }))
}

// The rules of extra fields: what a shopper is asked beside the product.

/** The list that replaces the current one. Of a field that is kept, what is not sent stays. */
export function resolveExtraFields(
  sent: NonNullable<ProductChanges['extra_fields']>,
  current: readonly ExtraFieldRow[],
  refused: FieldErrors,
  now: Date,
): ExtraFieldWrite[] {
  return pairEntries(sent, current, 'extra_fields', refused).map(({ entry, known, path }) => {
    const type = entry.type ?? known?.type ?? 'text'
    const takesOptions = EXTRA_FIELD_TYPES_WITH_OPTIONS.includes(type)
    // A field that becomes a text field loses the options it had; only those sent with it are a contradiction.
    const options = entry.options === undefined && takesOptions ? (known?.options ?? null) : (entry.options ?? null)
    if (takesOptions && (options === null || options.length === 0))
      refused[`${path}.options`] = [`${path}.options must list what can be chosen, as the field is of type ${type}.`]
    if (!takesOptions && options !== null && options.length > 0)
      refused[`${path}.options`] = [
        `${path}.options are for the types ${EXTRA_FIELD_TYPES_WITH_OPTIONS.join(' and ')}; a field of type ${type} has none.`,
      ]
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
