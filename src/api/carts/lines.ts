// The rules of a cart's lines: adding, changing and removing one. One statement reads the cart, the rule decides over it, and another
// writes, on the condition that the cart is still the one that was read.

import type { Db } from '../../db/db.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { notFound, notValid, sandboxFull } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { RecentMap } from '../../lib/memory.ts'
import { priceOf } from '../../lib/money.ts'
import { Problems } from '../../lib/problems.ts'
import { checkChoice, isAccepted, isSameChoice, keptOptions, limitsOf, mostOf } from '../lines/choice.ts'
import { shownBytes } from '../lines/goods.ts'
import { LIMITS, type LineRow } from '../lines/line.ts'
import { addRefusal, choiceRefusal, quantityRefusal } from '../lines/refusals.ts'
import { type CartContext, showCart } from './cart.ts'
import { cartAt } from './life.ts'
import { type LinesChange, writeLines } from './line-store.ts'
import {
  type CartAt,
  type CartRow,
  findCart,
  findCartWithWish,
  type ReadCartAt,
  type Wish,
  type WishedCart,
} from './read-store.ts'
import type { Cart, LineChanges, NewLine } from './schema.ts'

/** A negative quantity takes from the line: published storefronts have a "−" button that adds -1. */
export async function addLine(context: CartContext, cartId: string, body: NewLine): Promise<Cart> {
  const { quantity = 1, options = null, variant_id: variantId = null } = body
  if (quantity === 0) refuseNothing()
  const wish = { lineId: newId('lineItem', context.clock.now()), productId: body.id, quantity, options, variantId }
  const changed = await changeCart(context, await readCartAt(context, cartId), async (db, cart) => {
    const read = await findCartWithWish(db, cart, wish)
    if (read === null) throw notFound('cart')
    if (quantity < 0) return withLess(read, wish)
    if (read.revision === null && !cart.makesRow) throw sandboxFull('carts')
    return withWish(read, wish)
  })
  if (changed.change?.put) return answer(context, changed, quantity < 0 ? 'Cart.Item.Updated' : 'Cart.Item.Added')
  return answerRemoval(context, changed.row, changed.change?.removedId ?? null)
}

function refuseNothing() {
  const problems = new Problems()
  problems.malformed('quantity', 'must be 1 or more, or negative to take from a line')
  problems.throwIfAny()
}

/** A quantity of 0 removes the line, whatever else is sent. */
export async function updateLine(
  context: CartContext,
  cartId: string,
  lineId: string,
  body: LineChanges,
): Promise<Cart> {
  if (body.quantity === 0) return removeLine(context, cartId, lineId)
  const { quantity = null, options = null, variant_id: variantId = null } = body
  const changed = await changeCart(context, await readCartAt(context, cartId), async (db, cart) => {
    const { row, line } = await readLine(db, cart, lineId)
    return options === null && variantId === null
      ? withQuantity(row, line, quantity)
      : withChoice(db, cart, { row, line }, { quantity: quantity ?? line.quantity, options, variantId })
  })
  return answer(context, changed, 'Cart.Item.Updated')
}

export async function removeLine(context: CartContext, cartId: string, lineId: string): Promise<Cart> {
  const { row } = await changeCart(context, await readCartAt(context, cartId), async (db, cart) => {
    const { row, line } = await readLine(db, cart, lineId)
    return { row, line, change: { put: null, removedId: line.id } }
  })
  return answerRemoval(context, row, lineId)
}

const readCartAt = async (context: CartContext, id: string): Promise<ReadCartAt> => ({
  ...(await cartAt(context, id)),
  isSecret: context.caller.isSecret,
  isLocked: false,
})

/** The cart as it was read, the line as it becomes, and what has to be written for it; null where nothing has. */
type Decision = { readonly row: CartRow; readonly line: LineRow; readonly change: LinesChange | null }

/** Reads and decides; null when the cart was changed while it read. */
type Decide = (db: Db, cart: ReadCartAt) => Promise<Decision | null>

/** Carts that several change at once, as a page does that adds all its items in one go. There the lock comes first. */
const contested = new RecentMap<true>(1_000)

/** Gives the cart as it is then. */
async function changeCart(context: CartContext, cart: ReadCartAt, decide: Decide): Promise<Decision> {
  if (contested.get(cart.cartId) === undefined) {
    const decided = await decide(context.db, cart)
    if (decided !== null && (await write(context.db, cart, decided))) return changedBy(decided, cart)
    contested.set(cart.cartId, true)
  }
  // Somebody has changed the cart in between, or given it its row. Now it is locked before it is read, so that all who want to change it take
  // turns.
  return context.db.transaction(async (tx) => {
    const decided = await decide(tx, { ...cart, isLocked: true })
    if (decided === null || !(await write(tx, cart, decided)))
      throw new Error('A cart was changed while it was locked.')
    return changedBy(decided, cart)
  })
}

const write = async (db: Db, cart: CartAt, { row, change }: Decision): Promise<boolean> =>
  change === null || writeLines(db, cart, { row, change })

function changedBy(decision: Decision, { now }: CartAt): Decision {
  const { row, line, change } = decision
  if (change === null) return decision
  const others = row.lines.filter(({ id }) => id !== line.id && id !== change.removedId)
  const lines = change.put === null ? others : [...others, line].sort(byId)
  return { row: { ...row, updated: unixSeconds(now), lines }, line, change }
}

const byId = (one: LineRow, other: LineRow) => (one.id < other.id ? -1 : 1)

async function readLine(db: Db, cart: ReadCartAt, lineId: string): Promise<{ row: CartRow; line: LineRow }> {
  const row = await findCart(db, cart)
  if (row === null) throw notFound('cart')
  const line = row.lines.find(({ id }) => id === lineId)
  if (line === undefined) throw notFound('line item')
  return { row, line }
}

/** The line of the same product and options grows, where there is one. */
function withWish({ lines, ...read }: WishedCart, wish: Wish): Decision {
  const { wanted, others, twin } = wishAmong(lines, wish)
  const quantity = wanted.quantity + (twin?.quantity ?? 0)
  const line = { ...wanted, id: twin?.id ?? wanted.id, name: wanted.product?.name ?? '', quantity }
  const rest = others.filter((other) => other !== twin)
  const shown = shownBytes(line)
  const check = {
    ...checkChoice(line, rest, choiceOf(wish, read)),
    has_room: twin !== undefined || others.length < LIMITS.lines,
    is_showable: twin !== undefined || others.length === 0 || read.shown_bytes + shown <= LIMITS.shownBytes,
  }
  if (!isAccepted(check, quantity)) throw notValid(...addRefusal(check, wish.variantId))
  return { row: { ...read, lines: others }, line, change: { put: { ...line, shown_bytes: shown }, removedId: null } }
}

/**
 * The line of the same product and options shrinks, and goes when none is left. Stock and sale do not matter: less of a line is always
 * possible. Without such a line nothing changes, as for a second click on a button whose line the first has removed; but an id that could not
 * be added either is a mistake that the programmer has to hear of.
 */
function withLess({ lines, ...read }: WishedCart, wish: Wish): Decision {
  const { wanted, others, twin } = wishAmong(lines, wish)
  const row = { ...read, lines: others }
  const line = twin ?? onlyLineOf(others, wish)
  if (line === undefined) {
    const check = checkChoice(wanted, others, choiceOf(wish, read))
    if (!isAccepted(check, Number.NEGATIVE_INFINITY)) throw notValid(...addRefusal(check, wish.variantId))
    return { row, line: wanted, change: null }
  }
  const quantity = line.quantity + wish.quantity
  if (quantity <= 0) return { row, line, change: { put: null, removedId: line.id } }
  const less = { ...line, quantity }
  return { row, line: less, change: { put: { ...less, shown_bytes: 0 }, removedId: null } }
}

/** A button beside a line of the cart names its product, and rarely its options. */
function onlyLineOf(lines: readonly LineRow[], { productId, options, variantId }: Wish): LineRow | undefined {
  if (variantId !== null || Object.keys(options ?? {}).length > 0) return undefined
  const [line, ...others] = lines.filter(({ product_id }) => product_id === productId)
  return others.length === 0 ? line : undefined
}

/** What is wished for stands among the lines as one of them. `twin`: the other one of the same product and options. */
function wishAmong(lines: readonly LineRow[], { lineId }: Wish) {
  const wanted = lines.find(({ id }) => id === lineId)
  if (wanted === undefined) throw new Error('A cart was read without what is wished for.')
  const others = lines.filter((line) => line !== wanted)
  const isTwin = (line: LineRow) => line.product_id === wanted.product_id && isSameChoice(line.options, wanted.options)
  return { wanted, others, twin: others.find(isTwin) }
}

const choiceOf = (
  { variantId, options }: Pick<Wish, 'variantId' | 'options'>,
  { named_options }: Pick<WishedCart, 'named_options'>,
) => ({
  variant: variantId === null ? null : { options: named_options },
  asked: options,
})

/** A quantity of null leaves the line as it is. */
function withQuantity(row: CartRow, line: LineRow, quantity: number | null): Decision {
  const changed = { ...line, quantity: quantity ?? line.quantity }
  const others = row.lines.filter((other) => other !== line)
  const limits = limitsOf(changed, others)
  const isForSale = line.product?.is_active ?? false
  if (quantity !== null && !(isForSale && quantity <= mostOf(limits)))
    throw notValid(...quantityRefusal({ ...limits, is_for_sale: isForSale }))
  return { row, line: changed, change: { put: { ...changed, shown_bytes: 0 }, removedId: null } }
}

type LineChange = Pick<Wish, 'quantity' | 'options' | 'variantId'>

/** The line takes in the other one that it becomes equal to. Null when the cart was changed between the two times it is read. */
async function withChoice(
  db: Db,
  cart: ReadCartAt,
  { row, line: before }: { row: CartRow; line: LineRow },
  { quantity, options, variantId }: LineChange,
): Promise<Decision | null> {
  const wish = {
    lineId: newId('lineItem', cart.now),
    productId: before.product_id,
    quantity,
    options: { ...keptOptions(before), ...options },
    variantId,
  }
  const read = await findCartWithWish(db, cart, wish)
  if (read === null || read.revision !== row.revision) return null
  const { wanted, others, twin } = wishAmong(
    read.lines.filter(({ id }) => id !== before.id),
    wish,
  )
  const sum = quantity + (twin?.quantity ?? 0)
  const line = { ...wanted, id: before.id, name: before.name, quantity: sum }
  const check = checkChoice(
    line,
    others.filter((other) => other !== twin),
    choiceOf({ variantId, options }, read),
  )
  if (!isAccepted(check, sum)) throw notValid(...choiceRefusal(check, variantId))
  return { row, line, change: { put: { ...line, shown_bytes: 0 }, removedId: twin?.id ?? null } }
}

/** `lineId` is null where there was no line to remove. */
function answerRemoval(context: CartContext, row: CartRow, lineId: string | null): Promise<Cart> {
  context.tell({ event: 'Cart.Item.Removed', line_item_id: lineId })
  return showCart(context, row)
}

/** The cart, and what older versions say beside it. */
async function answer(context: CartContext, { row, line }: Decision, event: string): Promise<Cart> {
  const view = await showCart(context, row)
  const shown = view.line_items.find(({ id }) => id === line.id)
  context.tell({
    event,
    line_item_id: line.id,
    product_id: line.product_id,
    product_name: shown?.product_name ?? line.name,
    quantity: line.quantity,
    line_total: shown?.line_total ?? priceOf(0, context.caller.currency),
  })
  return view
}
