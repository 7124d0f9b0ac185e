// Changes a line of a token as requested, if its stock and options allow it.
// Lines may share stock, so the check includes the other lines. The token is locked before its lines are read.
// The second of two concurrent requests therefore sees the changes of the first.

import type { Database } from '../../../db/db.ts'
import { unixSeconds } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import { checkChoice, isAccepted, type LineCheck } from '../../lines/choice.ts'
import type { LineRow } from '../../lines/line.ts'
import { type CheckoutRow, completeCheckout, findBareCheckout } from '../read-store.ts'
import type { TokenAt } from '../store.ts'
import {
  findRequestedCheckoutLine,
  lockToken,
  type RequestedChoice,
  type RequestedLineRow,
  updateCheckoutLine,
} from './store.ts'

/** A null quantity keeps the current one. Without options and variant, the line keeps its choice. */
export type LineChange = RequestedChoice & { readonly quantity: number | null }

export type LineChangeResult = {
  readonly check: LineCheck
  /** True if the line was changed. */
  readonly isAccepted: boolean
  /** True if there is an order already, so nothing can be changed any more. */
  readonly hasOrder: boolean
  /** Requested quantity, or the current one. */
  readonly quantity: number
  /** The token after the change. */
  readonly row: CheckoutRow
}

/** The token to read. With `isSecret`, products that are not for sale are visible too. */
export type ReadTokenAt = TokenAt & { readonly isSecret: boolean }

/**
 * Takes two round trips. Returns 'no token' or 'no line' if one is missing. Capture checks the stock again, because it
 * may change until then.
 */
export const changeCheckoutLine = (
  db: Database,
  token: ReadTokenAt,
  lineId: string,
  change: LineChange,
): Promise<LineChangeResult | 'no token' | 'no line'> =>
  db.transaction(async (tx) => {
    const chosenId = newId('lineItem', token.now)
    const [lockedToken, bare, requestedRow] = await tx.together((all) => [
      lockToken(all, token),
      findBareCheckout(all, token, token.id, token.now),
      isChoice(change) ? findRequestedCheckoutLine(all, token, { ...change, lineId, chosenId }) : Promise.resolve(null),
    ])
    if (lockedToken === null || bare === null) return 'no token'
    // The requested line joins the existing ones here, so that one read completes all of them.
    const lines = [...bare.goods.lines, ...(requestedRow?.goods.lines ?? [])]
    const rowWithRequested = await completeCheckout(tx, token, { ...bare, goods: { ...bare.goods, lines } })
    const row = { ...rowWithRequested, lines: rowWithRequested.lines.filter(({ id }) => id !== chosenId) }
    const before = row.lines.find(({ id }) => id === lineId)
    if (before === undefined) return 'no line'
    const requestedLine = rowWithRequested.lines.find(({ id }) => id === chosenId) ?? before
    const line = { ...requestedLine, id: lineId, quantity: change.quantity ?? before.quantity }
    const others = row.lines.filter((other) => other !== before)
    const check = checkOf(line, others, change, requestedRow)
    const outcome = { check, hasOrder: lockedToken.has_order, quantity: line.quantity }
    if (lockedToken.has_order || !isAccepted(check, line.quantity)) return { ...outcome, isAccepted: false, row }
    updateCheckoutLine(tx, token, line)
    const changedLines = row.lines.map((each) => (each === before ? line : each))
    return { ...outcome, isAccepted: true, row: { ...row, updated: unixSeconds(token.now), lines: changedLines } }
  })

const isChoice = ({ options, variantId }: RequestedChoice) => options !== null || variantId !== null

function checkOf(
  line: LineRow,
  others: readonly LineRow[],
  { options, variantId }: RequestedChoice,
  requestedRow: RequestedLineRow | null,
): LineCheck {
  const variant = variantId === null ? null : { options: requestedRow?.variant_options ?? null }
  const check = checkChoice(line, others, { variant, asked: requestedRow?.asked ?? null })
  const areAllOptionsKnown = (requestedRow?.known ?? 0) === (options?.length ?? 0)
  return { ...check, do_options_agree: check.do_options_agree && areAllOptionsKnown }
}
