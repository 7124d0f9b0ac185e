// SQL of variant groups, their options and the options' pictures. Deleting a group deletes its options; variants that use one remain, but
// become invalid. The caller has locked the product and checked the references.

import { type Db, type Shop, statement } from '../../../db/db.ts'
import { clearOthers, deleteOne } from '../children-store.ts'
import { type GroupRow, type ReadScope, VARIANT_GROUPS } from '../read-store.ts'
import type { ProductTx } from '../store.ts'

const find = statement<{ price: number; variant_groups: GroupRow[] }>(
  'products.find_variant_groups',
  `select product.price, ${VARIANT_GROUPS} as variant_groups
   from products product
   where product.merchant_id = :merchant_id and product.id = :id and (product.is_active or :is_secret)`,
)

/** Null if the product does not exist. Includes its price, which options modify. */
export const findVariantGroups = (
  db: Db,
  { merchant_id, isSecret }: Omit<ReadScope, 'is_sandbox'>,
  productId: string,
) => db.maybe(find, { merchant_id, id: productId, is_secret: isSecret })

export type OptionWrite = {
  id: string
  name: string
  price_delta: number
  assets: string[]
  meta: Record<string, unknown> | null
}

export type GroupWrite = { id: string; name: string; meta: Record<string, unknown> | null; options: OptionWrite[] }

/** Position of a group in the product, or of an option in its group. Positions may have gaps. */
type WithPosition<Write> = Write & { position: number }

const ownerOf = ({ merchant_id }: Shop, productId: string) => ({ merchant_id, product_id: productId })

const setGroups = statement(
  'products.set_variant_groups',
  `insert into variant_groups (merchant_id, product_id, id, position, name, meta, created_at, updated_at)
   select :merchant_id, :product_id, entry.id, entry.position, entry.name, entry.meta, :now, :now
   from json_to_recordset(:entries) as entry (id text, position integer, name text, meta json)
   on conflict (merchant_id, product_id, id) do update set
     position = excluded.position, name = excluded.name, meta = excluded.meta, updated_at = excluded.updated_at`,
)

/** Creates or updates these groups without their options. */
export const saveGroups = (
  tx: ProductTx,
  shop: Shop,
  productId: string,
  groups: readonly WithPosition<Omit<GroupWrite, 'options'>>[],
  now: Date,
) => tx.run(setGroups, { ...ownerOf(shop, productId), entries: JSON.stringify(groups), now })

const setOptions = statement(
  'products.set_variant_options',
  `insert into variant_options (
     merchant_id, product_id, group_id, id, position, name, price_delta, meta, created_at, updated_at
   )
   select :merchant_id, :product_id, entry.group_id, entry.id, entry.position, entry.name, entry.price_delta, entry.meta,
     :now, :now
   from json_to_recordset(:entries) as entry (
     group_id text, id text, position integer, name text, price_delta bigint, meta json
   )
   on conflict (merchant_id, product_id, id) do update set
     position = excluded.position, name = excluded.name, price_delta = excluded.price_delta, meta = excluded.meta,
     updated_at = excluded.updated_at`,
)

const clearOptionAssets = statement(
  'products.clear_option_assets',
  'delete from option_assets where merchant_id = :merchant_id and product_id = :product_id and option_id = any(:ids)',
)

const setOptionAssets = statement(
  'products.set_option_assets',
  `insert into option_assets (merchant_id, product_id, option_id, asset_id, position)
   select :merchant_id, :product_id, entry.option_id, entry.asset_id, entry.position
   from rows from (
     json_to_recordset(:entries) as (option_id text, asset_id text)
   ) with ordinality as entry (option_id, asset_id, position)`,
)

/** Creates or updates these options with their pictures. */
export async function saveOptions(
  tx: ProductTx,
  shop: Shop,
  productId: string,
  options: readonly WithPosition<OptionWrite & { group_id: string }>[],
  now: Date,
) {
  if (options.length === 0) return
  const owner = ownerOf(shop, productId)
  const pictures = options.flatMap(({ id, assets }) => assets.map((asset_id) => ({ option_id: id, asset_id })))
  await tx.run(setOptions, { ...owner, entries: JSON.stringify(options), now })
  await tx.run(clearOptionAssets, { ...owner, ids: options.map(({ id }) => id) })
  if (pictures.length > 0) await tx.run(setOptionAssets, { ...owner, entries: JSON.stringify(pictures) })
}

const clearGroups = clearOthers('variant_groups', 'variant_groups', 'id')

const clearOptions = statement(
  'products.clear_variant_options',
  `delete from variant_options
   where merchant_id = :merchant_id and product_id = :product_id and group_id = any(:group_ids) and id <> all(:kept)`,
)

/** Replaces all groups of the product. */
export async function replaceVariantGroups(
  tx: ProductTx,
  shop: Shop,
  productId: string,
  groups: readonly GroupWrite[],
  now: Date,
) {
  await tx.run(clearGroups, { ...ownerOf(shop, productId), ids: groups.map(({ id }) => id) })
  if (groups.length === 0) return
  await saveGroups(tx, shop, productId, groups.map(atIndex), now)
  await replaceOptions(tx, shop, productId, groups, now)
}

/** Replaces all options of these groups. */
export async function replaceOptions(
  tx: ProductTx,
  shop: Shop,
  productId: string,
  groups: readonly Pick<GroupWrite, 'id' | 'options'>[],
  now: Date,
) {
  const options = groups.flatMap((group) => group.options.map((each) => ({ ...each, group_id: group.id })))
  const keptIds = options.map(({ id }) => id)
  await tx.run(clearOptions, { ...ownerOf(shop, productId), group_ids: groups.map(({ id }) => id), kept: keptIds })
  await saveOptions(tx, shop, productId, options.map(atIndex), now)
}

const atIndex = <Write>(write: Write, position: number): WithPosition<Write> => ({ ...write, position })

const deleteGroup = deleteOne('variant_groups', 'variant_group')
const deleteOption = deleteOne('variant_options', 'variant_option')

export const deleteGroupRow = (tx: ProductTx, shop: Shop, productId: string, id: string) =>
  tx.run(deleteGroup, { ...ownerOf(shop, productId), id })

export const deleteOptionRow = (tx: ProductTx, shop: Shop, productId: string, id: string) =>
  tx.run(deleteOption, { ...ownerOf(shop, productId), id })
