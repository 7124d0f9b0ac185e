// What is told of variants beside their product: made, changed, gone. In the transaction of the change, and by one statement for all of them: a
// group that is deleted changes a thousand. What a sale takes of their stock is no change of theirs, as it is none of the product.

import type { Tx } from '../../../db/db.ts'
import { emitMany } from '../../../events/emit.ts'
import type { WriteContext } from '../../assets/view.ts'
import type { ProductTx } from '../store.ts'
import { findValidity, findVariants, type StockedVariantRow, touchVariants, type Validity } from './store.ts'
import { viewToldVariant } from './view.ts'

type TellContext = Pick<WriteContext, 'caller' | 'lastingOrigin'>

export const tellVariants = (
  tx: Tx,
  context: TellContext,
  name: 'variants.create' | 'variants.update' | 'variants.delete',
  productId: string,
  rows: readonly StockedVariantRow[],
  now: Date,
): Promise<void> =>
  emitMany(
    tx,
    context.caller,
    rows.map((row) => ({ name, payload: viewToldVariant(row, productId, context) })),
    now,
  )

/** Tells that these were made, and gives them. */
export async function tellNewVariants(
  tx: Tx,
  context: TellContext,
  productId: string,
  ids: readonly string[],
  now: Date,
): Promise<StockedVariantRow[]> {
  const rows = await findVariants(tx, { ...context.caller, isSecret: true }, productId, ids)
  await tellVariants(tx, context, 'variants.create', productId, rows, now)
  return rows
}

/**
 * Tells of those that are valid by the groups as they now are and were not before, or the other way round, or are invalid for another reason.
 * `before`: what `findValidity` gave when the groups had not been changed yet.
 */
export async function tellChangedValidity(
  tx: ProductTx,
  context: TellContext,
  productId: string,
  before: readonly Validity[],
  now: Date,
): Promise<void> {
  if (before.length === 0) return
  const { caller } = context
  const reasons = new Map(before.map(({ id, invalid_reason_code }) => [id, invalid_reason_code]))
  const after = await findValidity(tx, caller, productId)
  const ids = after.filter((each) => reasons.get(each.id) !== each.invalid_reason_code).map(({ id }) => id)
  if (ids.length === 0) return
  // Receivers tell by `updated` which of two events is the later.
  await touchVariants(tx, caller, productId, ids, now)
  const rows = await findVariants(tx, { ...caller, isSecret: true }, productId, ids)
  await tellVariants(tx, context, 'variants.update', productId, rows, now)
}
