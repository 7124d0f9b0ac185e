// Emits events of variants: created, changed, deleted. One statement emits all events of a transaction, because deleting a group may change
// a thousand variants. A sale changes only stock, which emits no event for variants or products.

import type { Tx } from '../../../db/db.ts'
import { emitMany } from '../../../events/emit.ts'
import type { WriteContext } from '../../assets/view.ts'
import type { ProductTx } from '../store.ts'
import { findValidity, findVariants, type StockedVariantRow, touchVariants, type Validity } from './store.ts'
import { viewVariantForEvent } from './view.ts'

type TellContext = Pick<WriteContext, 'caller' | 'lastingOrigin'>

export const emitVariantEvents = (
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
    rows.map((row) => ({ name, payload: viewVariantForEvent(row, productId, context) })),
    now,
  )

/** Emits the events of new variants and returns the variants. */
export async function emitVariantsCreated(
  tx: Tx,
  context: TellContext,
  productId: string,
  ids: readonly string[],
  now: Date,
): Promise<StockedVariantRow[]> {
  const rows = await findVariants(tx, { ...context.caller, isSecret: true }, productId, ids)
  await emitVariantEvents(tx, context, 'variants.create', productId, rows, now)
  return rows
}

/**
 * Emits events of variants with a changed validity, or a changed reason. `before` is the result of `findValidity` before the change of
 * groups.
 */
export async function emitValidityChanges(
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
  // Receivers order events by `updated`.
  await touchVariants(tx, caller, productId, ids, now)
  const rows = await findVariants(tx, { ...caller, isSecret: true }, productId, ids)
  await emitVariantEvents(tx, context, 'variants.update', productId, rows, now)
}
