// What a merchant writes of stock: `available`, what can be sold now, or `on_hand`, a count of the shelf, on which what captures under
// way hold still lies. A variant says `inventory` for the former; null is a variant without stock of its own.

import type { Tx } from '../../db/db.ts'
import { notValid, type Problems } from '../../lib/errors.ts'
import { clearStock, countStock, heldStock, lockStock, type StockItem, setStock } from './stock-store.ts'

type Figure = number | null | undefined

/** What a body says of stock; undefined where it says nothing. */
export type SentStock = { readonly available: Figure; readonly onHand: Figure }

/** What the body calls the two. */
export type StockFields = { readonly available: string; readonly onHand: string }

/** The stock of something new, of which nothing can be held: the two figures are the same. */
export function newStock({ available, onHand }: SentStock, fields: StockFields, problems: Problems): Figure {
  if (available !== undefined && onHand !== undefined && available !== onHand)
    problems.refused(
      fields.onHand,
      `must be the same as ${fields.available}, as nothing is held of what is new. Send one of the two`,
    )
  return onHand ?? available
}

/**
 * Sets the stock of one mode. Throws `notValid` where more is held than was counted, and where both figures are sent and do not agree
 * with what is held now: they were read before a capture took some, or one of them was changed and nobody knows which was meant.
 */
export async function writeStock(
  tx: Tx,
  item: StockItem,
  { available, onHand }: SentStock,
  fields: StockFields,
): Promise<void> {
  if (onHand === undefined) return available === undefined ? undefined : setAvailable(tx, item, available)
  await lockStock(tx, item)
  if (available === undefined) return setOnHand(tx, item, onHand, fields)
  const held = await heldStock(tx, item)
  if (onHand !== (available === null ? null : available + held))
    throw notValid({
      [fields.onHand]: [
        `${fields.onHand} must agree with ${fields.available}: it is that and the ${held} held by captures under way. Send one of the two.`,
      ],
    })
  await setAvailable(tx, item, available)
}

async function setAvailable(tx: Tx, item: StockItem, available: number | null): Promise<void> {
  if (available === null) await clearStock(tx, item)
  else await setStock(tx, item, available)
}

async function setOnHand(tx: Tx, item: StockItem, onHand: number | null, fields: StockFields): Promise<void> {
  if (onHand === null) return void (await clearStock(tx, item))
  const { held, is_written: isWritten } = await countStock(tx, item, onHand)
  if (!isWritten)
    throw notValid({
      [fields.onHand]: [
        `${fields.onHand} must be ${held} or more: so many are held by captures under way, and still lie on the shelf.`,
      ],
    })
}
