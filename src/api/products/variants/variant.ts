// Creating, generating, changing and deleting variants. Each is a change of the product: it is told as products.update.

import type { Tx } from '../../../db/db.ts'
import { type FieldErrors, notFound, notValid, unprocessable } from '../../../lib/errors.ts'
import { newId } from '../../../lib/ids.ts'
import { parseAmount, priceOf } from '../../../lib/money.ts'
import { holdUsableAssets } from '../../assets/store.ts'
import { type Addresses, viewAsset } from '../../assets/view.ts'
import { type AssetReferences, MAX_VARIANTS } from '../body-schema.ts'
import { arranged, idsOf, refuseEntries, USABLE_ASSET } from '../children.ts'
import { orKept, readSku } from '../draft.ts'
import { reportChange, type Writer } from '../product.ts'
import type { GroupRow } from '../read-store.ts'
import { newStock, type SentStock, type StockFields, writeStock } from '../stock.ts'
import { lockProduct, touchProduct } from '../store.ts'
import type { Viewer } from '../view.ts'
import { findVariantGroups, type GroupWrite } from './group-store.ts'
import { combinationsOf, combinationTaken, resolveCombination } from './groups.ts'
import type { Combination, NewVariant, Variant, VariantChanges } from './schema.ts'
import {
  countVariants,
  deleteVariantRow,
  findVariant,
  findVariants,
  insertVariants,
  openVariantStock,
  replaceVariantAssets,
  type StockedVariantRow,
  updateVariantRow,
  type VariantColumns,
  type VariantRow,
} from './store.ts'

const BLANK: VariantColumns = { sku: null, description: null, price: null, options: {}, meta: null }

const STOCK_FIELDS: StockFields = { available: 'inventory', onHand: 'on_hand' }

const stockOf = ({ inventory, on_hand }: VariantChanges): SentStock => ({ available: inventory, onHand: on_hand })

export async function createVariant(tx: Tx, writer: Writer, productId: string, body: NewVariant): Promise<Variant> {
  const { merchantId } = writer.caller
  await lockOrRefuse(tx, merchantId, productId)
  const now = writer.clock.now()
  const id = newId('variant', now)
  const refused: FieldErrors = {}
  const stock = newStock(stockOf(body), STOCK_FIELDS, refused)
  const columns = await resolveColumns(tx, writer, productId, BLANK, body, refused)

  const [inserted] = await insertVariants(tx, merchantId, productId, [{ id, ...columns }], now)
  if (inserted === undefined) throw combinationTaken()
  await refuseTooMany(tx, merchantId, productId)
  if (body.assets) await replaceVariantAssets(tx, merchantId, productId, id, arranged([], body.assets))
  if (typeof stock === 'number') await openVariantStock(tx, merchantId, productId, [{ id, available: stock }])
  return report(tx, writer, productId, id, now)
}

export async function updateVariant(
  tx: Tx,
  writer: Writer,
  productId: string,
  id: string,
  body: VariantChanges,
): Promise<Variant> {
  const { merchantId, isSandbox } = writer.caller
  // Locked before it is read: what is merged must be what the last change left.
  await lockOrRefuse(tx, merchantId, productId)
  const current = await findVariant(tx, { ...writer.caller, isSecret: true }, productId, id)
  if (current === null) throw notFound('variant')
  const now = writer.clock.now()
  const columns = await resolveColumns(tx, writer, productId, current, body)

  if (!(await updateVariantRow(tx, merchantId, productId, id, columns, now))) throw combinationTaken()
  if (body.assets) await replaceVariantAssets(tx, merchantId, productId, id, arranged([], body.assets))
  await writeStock(tx, { merchantId, isSandbox, productId, itemId: id }, stockOf(body), STOCK_FIELDS)
  return report(tx, writer, productId, id, now)
}

export async function deleteVariant(tx: Tx, writer: Writer, productId: string, id: string): Promise<void> {
  const { merchantId } = writer.caller
  await lockOrRefuse(tx, merchantId, productId)
  if (!(await deleteVariantRow(tx, merchantId, productId, id))) throw notFound('variant')
  await reportProduct(tx, writer, productId, writer.clock.now())
}

/** Creates the combinations that are missing, and gives those. Nothing happened where none are. */
export async function generateVariants(tx: Tx, writer: Writer, productId: string): Promise<Variant[]> {
  const { merchantId } = writer.caller
  await lockOrRefuse(tx, merchantId, productId)
  const combinations = combinationsOf(await groupsOf(tx, merchantId, productId))
  const now = writer.clock.now()
  const inserted = await insertVariants(tx, merchantId, productId, blankVariants(combinations, now), now)
  if (inserted.length === 0) return []
  await refuseTooMany(tx, merchantId, productId)
  await reportProduct(tx, writer, productId, now)
  const rows = await findVariants(tx, { ...writer.caller, isSecret: true }, productId, inserted)
  return rows.map((row) => viewStockedVariant(row, shownBy(writer)))
}

/**
 * For a product that is being created: a variant of each option of its one group, with the stock that stands at the same place in
 * `counts`. Those without a count get a variant too, which sells from the product's stock: without one, the product would seem sold
 * out as soon as the others are.
 */
export async function createOptionVariants(
  tx: Tx,
  merchantId: number,
  productId: string,
  group: GroupWrite,
  counts: readonly (number | null)[],
  now: Date,
) {
  const variants = blankVariants(combinationsOf([group]), now)
  await insertVariants(tx, merchantId, productId, variants, now)
  const stock = variants.map(({ id }, index) => ({ id, available: counts[index] ?? null }))
  await openVariantStock(
    tx,
    merchantId,
    productId,
    stock.flatMap(({ id, available }) => (available === null ? [] : [{ id, available }])),
  )
}

function blankVariants(combinations: readonly Combination[], now: Date) {
  // Ids of one millisecond are in random order; sorted, they keep the order of the combinations in every list.
  const ids = combinations.map(() => newId('variant', now)).sort()
  return combinations.map((options, index) => ({ ...BLANK, id: ids[index] ?? '', options }))
}

/** Those that are no longer valid count too: otherwise groups that come and go would leave any number behind. */
async function refuseTooMany(tx: Tx, merchantId: number, productId: string) {
  if ((await countVariants(tx, merchantId, productId)) > MAX_VARIANTS)
    throw notValid({
      variants: [
        `variants must be at most ${MAX_VARIANTS} of a product, with those that are no longer valid. Delete some first.`,
      ],
    })
}

async function lockOrRefuse(tx: Tx, merchantId: number, productId: string) {
  if (!(await lockProduct(tx, merchantId, productId))) throw notFound('product')
}

async function groupsOf(tx: Tx, merchantId: number, productId: string): Promise<GroupRow[]> {
  const product = await findVariantGroups(tx, { merchantId, isSecret: true }, productId)
  return product?.variant_groups ?? []
}

/** Throws when the body cannot be accepted. The assets it names are held until the transaction ends. */
async function resolveColumns(
  tx: Tx,
  { caller: { merchantId, currency } }: Writer,
  productId: string,
  current: VariantColumns,
  body: VariantChanges,
  refused: FieldErrors = {},
): Promise<VariantColumns> {
  const malformed: FieldErrors = {}
  const sku = readSku(body.sku, current.sku, malformed)
  const price = readPrice(body.price, current.price, currency, malformed)
  if (Object.keys(malformed).length > 0) throw unprocessable(malformed)

  const options = body.options && (await combine(tx, merchantId, productId, body.options, current.options, refused))
  await refuseAssets(tx, merchantId, body.assets ?? [], refused)
  if (Object.keys(refused).length > 0) throw notValid(refused)
  return {
    sku,
    description: orKept(body.description, current.description),
    price,
    options: options ?? current.options,
    meta: orKept(body.meta, current.meta),
  }
}

const combine = async (
  tx: Tx,
  merchantId: number,
  productId: string,
  sent: Combination,
  current: Combination,
  refused: FieldErrors,
) => resolveCombination(sent, current, await groupsOf(tx, merchantId, productId), refused)

async function refuseAssets(tx: Tx, merchantId: number, assets: AssetReferences, refused: FieldErrors) {
  const known = await holdUsableAssets(tx, merchantId, idsOf(assets))
  refuseEntries(assets, known, 'assets', USABLE_ASSET, refused)
}

function readPrice(
  sent: number | string | null | undefined,
  current: number | null,
  currency: string,
  malformed: FieldErrors,
): number | null {
  if (sent === undefined || sent === null) return orKept(sent, current)
  const amount = parseAmount(sent, currency, { field: 'price' })
  if (amount.ok) return amount.minor
  malformed.price = [amount.reason]
  return null
}

/** Who may write has a secret key. */
const shownBy = ({ caller, addresses }: Writer) => ({ caller: { ...caller, isSecret: true }, addresses })

async function report(tx: Tx, writer: Writer, productId: string, id: string, now: Date): Promise<Variant> {
  await reportProduct(tx, writer, productId, now)
  const row = await findVariant(tx, { ...writer.caller, isSecret: true }, productId, id)
  if (row === null) throw notFound('variant')
  return viewStockedVariant(row, shownBy(writer))
}

async function reportProduct(tx: Tx, writer: Writer, productId: string, now: Date) {
  await touchProduct(tx, writer.caller.merchantId, productId, now)
  await reportChange(tx, writer, productId, 'products.update', now)
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
export const viewStockedVariant = (row: StockedVariantRow, { caller, addresses }: Viewer): Variant => ({
  ...viewVariant(row, caller.currency, addresses),
  ...(caller.isSecret ? { held: row.held, on_hand: onHandOf(row) } : {}),
})

const onHandOf = ({ inventory, held }: StockedVariantRow): number | null =>
  inventory === null || held === null ? null : inventory + held
