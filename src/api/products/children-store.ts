// The SQL that writes what belongs to a product: links to categories, assets, attributes and products, packages, extra fields,
// variant groups and their options. A list is replaced as a whole; the caller has locked the product and checked the references.

import { statement, statementOfFamily, type Tx } from '../../db/db.ts'

const linkStatements = (name: string, table: string, column: string) => ({
  clear: statementOfFamily(
    `products.clear_${name}`,
    `delete from ${table} where merchant_id = $1 and product_id = $2 and ${column} <> all($3)`,
  ),
  set: statementOfFamily(
    `products.set_${name}`,
    `insert into ${table} (merchant_id, product_id, ${column}, position)
     select $1, $2, entry.id, entry.position
     from unnest($3::text[]) with ordinality as entry (id, position)
     on conflict (merchant_id, product_id, ${column}) do update set position = excluded.position`,
  ),
})

const links = {
  categories: linkStatements('categories', 'product_categories', 'category_id'),
  assets: linkStatements('assets', 'product_assets', 'asset_id'),
  related_products: linkStatements('related_products', 'related_products', 'related_id'),
}

export async function replaceLinks(
  tx: Tx,
  merchantId: number,
  productId: string,
  to: keyof typeof links,
  ids: readonly string[],
) {
  const { clear, set } = links[to]
  await tx.run(clear, [merchantId, productId, ids])
  if (ids.length > 0) await tx.run(set, [merchantId, productId, ids])
}

export type AttributeWrite = { id: string; value: unknown }

const clearAttributes = statement(
  'products.clear_attributes',
  'delete from product_attributes where merchant_id = $1 and product_id = $2 and attribute_id <> all($3)',
)

const setAttributes = statement(
  'products.set_attributes',
  `insert into product_attributes (merchant_id, product_id, attribute_id, position, value)
   select $1, $2, entry.member ->> 'id', entry.position, nullif((entry.member -> 'value')::text, 'null')::json
   from json_array_elements($3) with ordinality as entry (member, position)
   on conflict (merchant_id, product_id, attribute_id)
     do update set position = excluded.position, value = excluded.value`,
)

export async function replaceAttributes(
  tx: Tx,
  merchantId: number,
  productId: string,
  attributes: readonly AttributeWrite[],
) {
  await tx.run(clearAttributes, [merchantId, productId, attributes.map(({ id }) => id)])
  if (attributes.length > 0) await tx.run(setAttributes, [merchantId, productId, JSON.stringify(attributes)])
}

export type PackageWrite = { asset_id: string; name: string | null; is_sample: boolean }

const clearPackages = statement(
  'products.clear_packages',
  'delete from product_packages where merchant_id = $1 and product_id = $2',
)

const setPackages = statement(
  'products.set_packages',
  `insert into product_packages (merchant_id, product_id, asset_id, position, name, is_sample)
   select $1, $2, entry.member ->> 'asset_id', entry.position, entry.member ->> 'name',
     (entry.member ->> 'is_sample')::boolean
   from json_array_elements($3) with ordinality as entry (member, position)`,
)

export async function replacePackages(
  tx: Tx,
  merchantId: number,
  productId: string,
  packages: readonly PackageWrite[],
) {
  await tx.run(clearPackages, [merchantId, productId])
  if (packages.length > 0) await tx.run(setPackages, [merchantId, productId, JSON.stringify(packages)])
}

export type ExtraFieldWrite = {
  id: string
  name: string
  type: string
  is_required: boolean
  options: string[] | null
  meta: Record<string, unknown> | null
}

const clearExtraFields = statement(
  'products.clear_extra_fields',
  'delete from extra_fields where merchant_id = $1 and product_id = $2 and id <> all($3)',
)

const setExtraFields = statement(
  'products.set_extra_fields',
  `insert into extra_fields (
     merchant_id, product_id, id, position, name, type, is_required, options, meta, created_at, updated_at
   )
   select $1, $2, entry.id, entry.position, entry.name, entry.type, entry.is_required, entry.options, entry.meta, $4, $4
   from rows from (
     json_to_recordset($3) as (id text, name text, type text, is_required boolean, options json, meta json)
   ) with ordinality as entry (id, name, type, is_required, options, meta, position)
   on conflict (merchant_id, product_id, id) do update set
     position = excluded.position, name = excluded.name, type = excluded.type, is_required = excluded.is_required,
     options = excluded.options, meta = excluded.meta, updated_at = excluded.updated_at`,
)

export async function replaceExtraFields(
  tx: Tx,
  merchantId: number,
  productId: string,
  fields: readonly ExtraFieldWrite[],
  now: Date,
) {
  await tx.run(clearExtraFields, [merchantId, productId, fields.map(({ id }) => id)])
  if (fields.length > 0) await tx.run(setExtraFields, [merchantId, productId, JSON.stringify(fields), now])
}
