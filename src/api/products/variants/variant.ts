// Creates, generates, changes and deletes variants. Each change also counts as a change of the product. It emits products.update, and the
// variants' own events.

import type { Db, Shop, Tx } from '../../../db/db.ts'
import { notFound, notValid } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { newOrCurrent } from '../../../lib/json.ts'
import { Problems, refuseEntries, uniqueIds } from '../../../lib/problems.ts'
import { lockUsableAssets, USABLE_ASSET } from '../../assets/store.ts'
import type { WriteContext } from '../../assets/view.ts'
import { MAX_VARIANTS } from '../body-schema.ts'
import { mergeAssetOrder } from '../children.ts'
import { replaceVariantAssets } from '../children-store.ts'
import {
  lockStockBeforeCheck,
  newStock,
  readPrice,
  readSku,
  type StockFields,
  type StockInput,
  writeStock,
} from '../draft.ts'
import { asSecret, emitPartChange, withLockedProduct } from '../product.ts'
import type { GroupRow, ReadScope } from '../read-store.ts'
import { openStock } from '../stock-store.ts'
import { blankVariants, combinationTakenError, listCombinations, resolveCombination } from './combinations.ts'
import { findVariantGroups } from './group-store.ts'
import type { NewVariant, VariantChanges } from './schema.ts'
import {
  BLANK_VARIANT,
  countVariants,
  deleteVariantRow,
  findVariant,
  insertVariants,
  type StockedVariantRow,
  updateVariantRow,
  type VariantColumns,
} from './store.ts'
import { emitVariantEvents, emitVariantsCreated } from './tell.ts'

const STOCK_FIELDS: StockFields = { available: 'inventory', onHand: 'on_hand' }

const stockOf = ({ inventory, on_hand }: VariantChanges): StockInput => ({ available: inventory, onHand: on_hand })

export const createVariant = (context: WriteContext, productId: string, body: NewVariant): Promise<StockedVariantRow> =>
  withLockedProduct(context, productId, async (tx, now) => {
    const { caller } = context
    const id = newId('variant', now)
    const problems = new Problems()
    const stock = newStock(stockOf(body), STOCK_FIELDS, problems)
    const columns = await resolveColumns(tx, caller, productId, BLANK_VARIANT, body, problems)

    const [inserted] = await insertVariants(tx, caller, productId, [{ id, ...columns }], now)
    if (inserted === undefined) throw combinationTakenError()
    await refuseTooManyVariants(tx, caller, productId)
    if (body.assets) await replaceVariantAssets(tx, caller, productId, id, mergeAssetOrder([], body.assets))
    if (typeof stock === 'number') await openStock(tx, caller, productId, [{ id, available: stock }])
    await emitPartChange(tx, context, productId, now)
    const created = await getVariant(tx, asSecret(caller), productId, id)
    await emitVariantEvents(tx, context, 'variants.create', productId, [created], now)
    return created
  })

export const updateVariant = (
  context: WriteContext,
  productId: string,
  id: string,
  body: VariantChanges,
): Promise<StockedVariantRow> => {
  const { caller } = context
  const stock = stockOf(body)
  const item = { ...caller, productId, itemId: id }
  return withLockedProduct(
    { ...context, ...lockStockBeforeCheck(context, item, stock) },
    productId,
    async (tx, now) => {
      const current = await getVariant(tx, asSecret(caller), productId, id)
      const columns = await resolveColumns(tx, caller, productId, current, body, new Problems())

      if (!(await updateVariantRow(tx, caller, productId, id, columns, now))) throw combinationTakenError()
      if (body.assets) await replaceVariantAssets(tx, caller, productId, id, mergeAssetOrder([], body.assets))
      await writeStock(tx, item, stock, STOCK_FIELDS)
      await emitPartChange(tx, context, productId, now)
      const updatedVariant = await getVariant(tx, asSecret(caller), productId, id)
      await emitVariantEvents(tx, context, 'variants.update', productId, [updatedVariant], now)
      return updatedVariant
    },
  )
}

export const deleteVariant = (context: WriteContext, productId: string, id: string): Promise<void> =>
  withLockedProduct(context, productId, async (tx, now) => {
    const deleted = await getVariant(tx, asSecret(context.caller), productId, id)
    await deleteVariantRow(tx, context.caller, productId, id)
    await emitPartChange(tx, context, productId, now)
    await emitVariantEvents(tx, context, 'variants.delete', productId, [deleted], now)
  })

/** Creates the missing combinations and returns them. Without any, nothing is written and no event is emitted. */
export const generateVariants = (context: WriteContext, productId: string): Promise<StockedVariantRow[]> =>
  withLockedProduct(context, productId, async (tx, now) => {
    const { caller } = context
    const combinations = listCombinations(await groupsOf(tx, caller, productId))
    const variantIds = await insertVariants(tx, caller, productId, blankVariants(combinations, now), now)
    if (variantIds.length === 0) return []
    await refuseTooManyVariants(tx, caller, productId)
    await emitPartChange(tx, context, productId, now)
    return emitVariantsCreated(tx, context, productId, variantIds, now)
  })

/** Invalid variants count, too. Otherwise changing groups again and again could leave any number of them. */
async function refuseTooManyVariants(tx: Tx, shop: Shop, productId: string) {
  if ((await countVariants(tx, shop, productId)) > MAX_VARIANTS)
    throw notValid({
      variants: [
        `variants must be at most ${MAX_VARIANTS} for each product, including invalid ones. Delete some first.`,
      ],
    })
}

async function groupsOf(tx: Tx, shop: Shop, productId: string): Promise<GroupRow[]> {
  const product = await findVariantGroups(tx, asSecret(shop), productId)
  return product?.variant_groups ?? []
}

/** The new columns. Throws if the body is refused. Locks the referenced assets until the transaction ends. */
async function resolveColumns(
  tx: Tx,
  caller: WriteContext['caller'],
  productId: string,
  current: VariantColumns,
  body: VariantChanges,
  problems: Problems,
): Promise<VariantColumns> {
  const sku = readSku(body.sku, current.sku, problems)
  const price =
    typeof body.price === 'number' || typeof body.price === 'string'
      ? readPrice(body.price, caller.currency, problems)
      : newOrCurrent(body.price, current.price)
  problems.throwIfMalformed()

  const options = body.options
    ? resolveCombination(body.options, current.options, await groupsOf(tx, caller, productId), problems)
    : current.options
  const assets = body.assets ?? []
  refuseEntries(assets, await lockUsableAssets(tx, caller, uniqueIds(assets)), 'assets', USABLE_ASSET, problems)
  problems.throwIfAny()
  return {
    sku,
    description: newOrCurrent(body.description, current.description),
    price,
    options,
    meta: newOrCurrent(body.meta, current.meta),
  }
}

export async function getVariant(db: Db, scope: ReadScope, productId: string, id: string): Promise<StockedVariantRow> {
  const row = await findVariant(db, scope, productId, id)
  if (row === null) throw notFound('variant')
  return row
}
