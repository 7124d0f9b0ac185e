// Whether a line of a token can be had as it is asked for, and the change if so. The token is locked before its lines are read: lines may
// share what they sell from, so that each is judged with the others, and of two requests at once the second sees what the first has saved.

import type { Database } from '../../../db/db.ts'
import { unixSeconds } from '../../../lib/clock.ts'
import { newId } from '../../../lib/ids.ts'
import { checkChoice, isAccepted, type LineCheck } from '../../lines/choice.ts'
import type { LineRow } from '../../lines/line.ts'
import { type CheckoutRow, completeCheckout, findBareCheckout } from '../read-store.ts'
import type { TokenAt } from '../store.ts'
import { type Choice, type ChosenRow, findChosenLine, lockToken, writeLine } from './store.ts'

/** A quantity of null: as many as there are. Neither options nor a variant: those that are chosen. */
export type LineChange = Choice & { readonly quantity: number | null }

export type ChangedLine = {
  readonly check: LineCheck
  /** Then it was changed. */
  readonly isAccepted: boolean
  /** Then nothing of it can be changed any more. */
  readonly hasOrder: boolean
  /** As it was asked for, or is. */
  readonly quantity: number
  /** The token as it is then. */
  readonly row: CheckoutRow
}

/** Which token, and whether the secret key asks: it sees what is not for sale, too. */
export type ReadTokenAt = TokenAt & { readonly isSecret: boolean }

/**
 * Two round trips. Says what is missing, where it is the token or the line. How much there is may have changed by the time of the order:
 * capture decides.
 */
export const changeLine = (
  db: Database,
  token: ReadTokenAt,
  lineId: string,
  change: LineChange,
): Promise<ChangedLine | 'no token' | 'no line'> =>
  db.transaction(async (tx) => {
    const chosenId = newId('lineItem', token.now)
    const [locked, bare, chosen] = await tx.together((all) => [
      lockToken(all, token),
      findBareCheckout(all, token, token.id, token.now),
      isChoice(change) ? findChosenLine(all, token, { ...change, lineId, chosenId }) : Promise.resolve(null),
    ])
    if (locked === null || bare === null) return 'no token'
    // As it would be it stands among the lines, so that what it shows is read with theirs.
    const lines = [...bare.goods.lines, ...(chosen?.goods.lines ?? [])]
    const read = await completeCheckout(tx, token, { ...bare, goods: { ...bare.goods, lines } })
    const row = { ...read, lines: read.lines.filter(({ id }) => id !== chosenId) }
    const before = row.lines.find(({ id }) => id === lineId)
    if (before === undefined) return 'no line'
    const asChosen = read.lines.find(({ id }) => id === chosenId) ?? before
    const line = { ...asChosen, id: lineId, quantity: change.quantity ?? before.quantity }
    const others = row.lines.filter((other) => other !== before)
    const check = checkOf(line, others, change, chosen)
    const judged = { check, hasOrder: locked.has_order, quantity: line.quantity }
    if (locked.has_order || !isAccepted(check, line.quantity)) return { ...judged, isAccepted: false, row }
    writeLine(tx, token, line)
    const changed = row.lines.map((each) => (each === before ? line : each))
    return { ...judged, isAccepted: true, row: { ...row, updated: unixSeconds(token.now), lines: changed } }
  })

const isChoice = ({ options, variantId }: Choice) => options !== null || variantId !== null

function checkOf(
  line: LineRow,
  others: readonly LineRow[],
  { options, variantId }: Choice,
  chosen: ChosenRow | null,
): LineCheck {
  const variant = variantId === null ? null : { options: chosen?.variant_options ?? null }
  const check = checkChoice(line, others, { variant, asked: chosen?.asked ?? null })
  const areNamedKnown = (chosen?.known ?? 0) === (options?.length ?? 0)
  return { ...check, do_options_agree: check.do_options_agree && areNamedKnown }
}
