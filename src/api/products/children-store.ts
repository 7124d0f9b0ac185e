// SQL that writes the parts of a product: links to categories, assets, attributes and products, packages, extra fields. Lists are replaced
// as a whole. The caller has locked the product and checked the references. Groups are in variants/group-store.ts.

import { type Shop, statement, statementOfFamily } from '../../db/db.ts'
import type { ProductTx } from './store.ts'

const OF_PRODUCT = ['merchant_id', 'product_id']

/** Deletes the rows of an owner with a `column` that is not in `:ids`. `owner` are the columns of the owner's key. */
export const clearOthers = (table: string, name: string, column: string, owner: readonly string[] = OF_PRODUCT) =>
  statementOfFamily(
    `products.clear_${name}`,
    `delete from ${table} where ${owner.map((key) => `${key} = :${key}`).join(' and ')} and ${column} <> all(:ids)`,
  )

/** Deletes one row of a table with parts of a product. */
export const deleteOne = (table: string, name: string) =>
  statementOfFamily(
    `products.delete_${name}`,
    `delete from ${table} where merchant_id = :merchant_id and product_id = :product_id and id = :id`,
  )

const linksOf = (table: string, name: string, column: string, owner: readonly string[] = OF_PRODUCT) => ({
  clear: clearOthers(table, name, column, owner),
  set: statementOfFamily(
    `products.set_${name}`,
    `insert into ${table} (${owner.join(', ')}, ${column}, position)
     select ${owner.map((key) => `:${key}`).join(', ')}, entry.id, entry.position
     from unnest(:ids::text[]) with ordinality as entry (id, position)
     on conflict (${owner.join(', ')}, ${column}) do update set position = excluded.position`,
  ),
})

const links = {
  categories: linksOf('product_categories', 'categories', 'category_id'),
  assets: linksOf('product_assets', 'assets', 'asset_id'),
  related_products: linksOf('related_products', 'related_products', 'related_id'),
}

export const replaceLinks = (
  tx: ProductTx,
  { merchant_id }: Shop,
  productId: string,
  to: keyof typeof links,
  ids: readonly string[],
) => replace(tx, links[to], { merchant_id, product_id: productId, ids })

const variantAssets = linksOf('variant_assets', 'variant_assets', 'asset_id', [...OF_PRODUCT, 'variant_id'])

export const replaceVariantAssets = (
  tx: ProductTx,
  { merchant_id }: Shop,
  productId: string,
  variantId: string,
  ids: readonly string[],
) => replace(tx, variantAssets, { merchant_id, product_id: productId, variant_id: variantId, ids })

async function replace(
  tx: ProductTx,
  { clear, set }: ReturnType<typeof linksOf>,
  values: { readonly ids: readonly string[] } & Readonly<Record<string, unknown>>,
) {
  await tx.run(clear, values)
  if (values.ids.length > 0) await tx.run(set, values)
}

export type AttributeWrite = { id: string; value: unknown }

const clearAttributes = clearOthers('product_attributes', 'attributes', 'attribute_id')

const setAttributes = statement(
  'products.set_attributes',
  `insert into product_attributes (merchant_id, product_id, attribute_id, position, value)
   select :merchant_id, :product_id, entry.member ->> 'id', entry.position,
     nullif((entry.member -> 'value')::text, 'null')::json
   from json_array_elements(:entries) with ordinality as entry (member, position)
   on conflict (merchant_id, product_id, attribute_id)
     do update set position = excluded.position, value = excluded.value`,
)

export async function replaceAttributes(
  tx: ProductTx,
  { merchant_id }: Shop,
  productId: string,
  attributes: readonly AttributeWrite[],
) {
  const owner = { merchant_id, product_id: productId }
  await tx.run(clearAttributes, { ...owner, ids: attributes.map(({ id }) => id) })
  if (attributes.length > 0) await tx.run(setAttributes, { ...owner, entries: JSON.stringify(attributes) })
}

export type PackageWrite = { asset_id: string; name: string | null; is_sample: boolean }

const clearPackages = statement(
  'products.clear_packages',
  'delete from product_packages where merchant_id = :merchant_id and product_id = :product_id',
)

const setPackages = statement(
  'products.set_packages',
  `insert into product_packages (merchant_id, product_id, asset_id, position, name, is_sample)
   select :merchant_id, :product_id, entry.member ->> 'asset_id', entry.position, entry.member ->> 'name',
     (entry.member ->> 'is_sample')::boolean
   from json_array_elements(:entries) with ordinality as entry (member, position)`,
)

export async function replacePackages(
  tx: ProductTx,
  { merchant_id }: Shop,
  productId: string,
  packages: readonly PackageWrite[],
) {
  const values = { merchant_id, product_id: productId, entries: JSON.stringify(packages) }
  await tx.run(clearPackages, values)
  if (packages.length > 0) await tx.run(setPackages, values)
}

export type ExtraFieldWrite = {
  id: string
  name: string
  type: string
  is_required: boolean
  options: string[] | null
  meta: Record<string, unknown> | null
}

const clearExtraFields = clearOthers('extra_fields', 'extra_fields', 'id')

const setExtraFields = statement(
  'products.set_extra_fields',
  `insert into extra_fields (
     merchant_id, product_id, id, position, name, type, is_required, options, meta, created_at, updated_at
   )
   select :merchant_id, :product_id, entry.id, entry.position, entry.name, entry.type, entry.is_required, entry.options,
     entry.meta, :now, :now
   from rows from (
     json_to_recordset(:entries) as (id text, name text, type text, is_required boolean, options json, meta json)
   ) with ordinality as entry (id, name, type, is_required, options, meta, position)
   on conflict (merchant_id, product_id, id) do update set
     position = excluded.position, name = excluded.name, type = excluded.type, is_required = excluded.is_required,
     options = excluded.options, meta = excluded.meta, updated_at = excluded.updated_at`,
)

export async function replaceExtraFields(
  tx: ProductTx,
  { merchant_id }: Shop,
  productId: string,
  fields: readonly ExtraFieldWrite[],
  now: Date,
) {
  const owner = { merchant_id, product_id: productId }
  await tx.run(clearExtraFields, { ...owner, ids: fields.map(({ id }) => id) })
  if (fields.length > 0) await tx.run(setExtraFields, { ...owner, entries: JSON.stringify(fields), now })
}
