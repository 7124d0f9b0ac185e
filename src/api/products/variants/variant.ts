// Creates, generates, changes, deletes and shows variants. Each change is one of the product: its event is products.update.

import type { Db, Tx } from '../../../db/db.ts'
import type { Shop } from '../../../db/records.ts'
import type { Caller } from '../../../http/endpoint/endpoint.ts'
import { notFound, notValid } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { sentOr } from '../../../lib/json.ts'
import { priceOf } from '../../../lib/money.ts'
import { idsOf, Problems, refuseEntries } from '../../../lib/problems.ts'
import { holdUsableAssets, USABLE_ASSET } from '../../assets/store.ts'
import { type Addresses, viewAsset, type WriteContext } from '../../assets/view.ts'
import { MAX_VARIANTS } from '../body-schema.ts'
import { arranged } from '../children.ts'
import { replaceVariantAssets } from '../children-store.ts'
import { newStock, readPrice, readSku, type SentStock, type StockFields, writeStock } from '../draft.ts'
import { announcePart, asSecret, withLockedProduct } from '../product.ts'
import type { GroupRow, ReadScope } from '../read-store.ts'
import { openStock } from '../stock-store.ts'
import { blankVariants, combinationsOf, combinationTaken, resolveCombination } from './combinations.ts'
import { findVariantGroups } from './group-store.ts'
import type { NewVariant, Variant, VariantChanges } from './schema.ts'
import {
  BLANK_VARIANT,
  countVariants,
  deleteVariantRow,
  findVariant,
  findVariants,
  insertVariants,
  type StockedVariantRow,
  updateVariantRow,
  type VariantColumns,
  type VariantRow,
} from './store.ts'

const STOCK_FIELDS: StockFields = { available: 'inventory', onHand: 'on_hand' }

const stockOf = ({ inventory, on_hand }: VariantChanges): SentStock => ({ available: inventory, onHand: on_hand })

export const createVariant = (context: WriteContext, productId: string, body: NewVariant): Promise<StockedVariantRow> =>
  withLockedProduct(context, productId, async (tx, now) => {
    const { caller } = context
    const id = newId('variant', now)
    const problems = new Problems()
    const stock = newStock(stockOf(body), STOCK_FIELDS, problems)
    const columns = await resolveColumns(tx, caller, productId, BLANK_VARIANT, body, problems)

    const [inserted] = await insertVariants(tx, caller, productId, [{ id, ...columns }], now)
    if (inserted === undefined) throw combinationTaken()
    await refuseTooMany(tx, caller, productId)
    if (body.assets) await replaceVariantAssets(tx, caller, productId, id, arranged([], body.assets))
    if (typeof stock === 'number') await openStock(tx, caller, productId, [{ id, available: stock }])
    await announcePart(tx, context, productId, now)
    return getVariant(tx, asSecret(caller), productId, id)
  })

export const updateVariant = (
  context: WriteContext,
  productId: string,
  id: string,
  body: VariantChanges,
): Promise<StockedVariantRow> =>
  withLockedProduct(context, productId, async (tx, now) => {
    const { caller } = context
    const current = await getVariant(tx, asSecret(caller), productId, id)
    const columns = await resolveColumns(tx, caller, productId, current, body, new Problems())

    if (!(await updateVariantRow(tx, caller, productId, id, columns, now))) throw combinationTaken()
    if (body.assets) await replaceVariantAssets(tx, caller, productId, id, arranged([], body.assets))
    await writeStock(tx, { ...caller, productId, itemId: id }, stockOf(body), STOCK_FIELDS)
    await announcePart(tx, context, productId, now)
    return getVariant(tx, asSecret(caller), productId, id)
  })

export const deleteVariant = (context: WriteContext, productId: string, id: string): Promise<void> =>
  withLockedProduct(context, productId, async (tx, now) => {
    if (!(await deleteVariantRow(tx, context.caller, productId, id))) throw notFound('variant')
    await announcePart(tx, context, productId, now)
  })

/** Creates the combinations that are missing, and gives those. Nothing happened where none are. */
export const generateVariants = (context: WriteContext, productId: string): Promise<StockedVariantRow[]> =>
  withLockedProduct(context, productId, async (tx, now) => {
    const { caller } = context
    const combinations = combinationsOf(await groupsOf(tx, caller, productId))
    const inserted = await insertVariants(tx, caller, productId, blankVariants(combinations, now), now)
    if (inserted.length === 0) return []
    await refuseTooMany(tx, caller, productId)
    await announcePart(tx, context, productId, now)
    return findVariants(tx, asSecret(caller), productId, inserted)
  })

/** Invalid variants count too: otherwise groups that come and go would leave any number behind. */
async function refuseTooMany(tx: Tx, scope: Shop, productId: string) {
  if ((await countVariants(tx, scope, productId)) > MAX_VARIANTS)
    throw notValid({
      variants: [
        `variants must be at most ${MAX_VARIANTS} of a product, with those that are no longer valid. Delete some first.`,
      ],
    })
}

async function groupsOf(tx: Tx, scope: Shop, productId: string): Promise<GroupRow[]> {
  const product = await findVariantGroups(tx, asSecret(scope), productId)
  return product?.variant_groups ?? []
}

/** Throws when the body cannot be accepted. The assets it names are held until the transaction ends. */
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
      : sentOr(body.price, current.price)
  problems.throwIfMalformed()

  const options = body.options
    ? resolveCombination(body.options, current.options, await groupsOf(tx, caller, productId), problems)
    : current.options
  const assets = body.assets ?? []
  refuseEntries(assets, await holdUsableAssets(tx, caller, idsOf(assets)), 'assets', USABLE_ASSET, problems)
  problems.throwIfAny()
  return {
    sku,
    description: sentOr(body.description, current.description),
    price,
    options,
    meta: sentOr(body.meta, current.meta),
  }
}

export async function getVariant(db: Db, scope: ReadScope, productId: string, id: string): Promise<StockedVariantRow> {
  const row = await findVariant(db, scope, productId, id)
  if (row === null) throw notFound('variant')
  return row
}

// A row → the variant in its newest form, field by field.

export const viewVariant = (row: VariantRow, currency: string, addresses: Addresses): Variant => ({
  id: row.id,
  sku: row.sku,
  description: row.description,
  inventory: row.inventory,
  price: row.price === null ? null : priceOf(row.price, currency),
  is_valid: row.invalid_reason_code === null,
  invalid_reason_code: row.invalid_reason_code,
  meta: row.meta,
  created: row.created,
  updated: row.updated,
  options: row.options,
  assets: row.assets.map((asset) => viewAsset(asset, addresses)),
})

/** As its own routes show it: to a secret key also with what captures under way hold of it. */
export const viewStockedVariant = (
  row: StockedVariantRow,
  caller: Pick<Caller, 'currency' | 'isSecret'>,
  addresses: Addresses,
): Variant => ({
  ...viewVariant(row, caller.currency, addresses),
  ...(caller.isSecret ? { held: row.held, on_hand: onHandOf(row) } : {}),
})

const onHandOf = ({ inventory, held }: StockedVariantRow): number | null =>
  inventory === null || held === null ? null : inventory + held
