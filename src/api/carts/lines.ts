// Rules of a cart's lines: adding, changing and removing a line. A line is added in these steps:
// 1. One statement reads the cart with its lines, and the requested product as if it were one more line. It reads the stock, but only the
//    catalogue version of each product.
// 2. Names, prices and options of products are kept in memory under their catalogue version (lines/goods.ts). A changed product has a new
//    version, so nothing in memory is outdated. Only what is missing there is read.
// 3. A function without I/O decides over these rows, and returns a `Decision`.
// 4. One statement writes the decision, on the condition that the cart still has the revision that was read. Nothing is locked until then.
// 5. If another request was faster, the cart is locked, and read and decided again. Such a cart is locked first for a while.
// 6. The reply is built from what was read and written, without another statement.

import type { Db } from '../../db/db.ts'
import { unixSeconds } from '../../lib/clock.ts'
import { notFound, notValid, sandboxFull } from '../../lib/errors.ts'
import { newId } from '../../lib/ids.ts'
import { RecentMap } from '../../lib/memory.ts'
import { priceOf } from '../../lib/money.ts'
import { Problems } from '../../lib/problems.ts'
import { checkChoice, existingOptionsOf, isAccepted, isSameChoice, limitsOf, maxQuantityOf } from '../lines/choice.ts'
import { shownBytes } from '../lines/goods.ts'
import { LINE_LIMITS, type LineRow } from '../lines/line.ts'
import { addRefusal, choiceRefusal, quantityRefusal } from '../lines/refusals.ts'
import { type CartContext, viewCartFor } from './cart.ts'
import { identifyCart } from './lifetime/life.ts'
import { type LinesChange, writeLines } from './line-store.ts'
import {
  type CartAt,
  type CartReadRequest,
  type CartRow,
  type CartWithRequestedLine,
  findCart,
  findCartWithRequestedLine,
  type RequestedLine,
} from './read-store.ts'
import type { Cart, LineChanges, NewLine } from './schema.ts'

/** A negative quantity reduces the line, because published storefronts have a "−" button that adds -1. */
export async function addLine(context: CartContext, cartId: string, body: NewLine): Promise<Cart> {
  const { quantity = 1, options = null, variant_id: variantId = null } = body
  if (quantity === 0) refuseZeroQuantity()
  const requestedLine = {
    lineId: newId('lineItem', context.clock.now()),
    productId: body.id,
    quantity,
    options,
    variantId,
  }
  const decision = await changeCart(context, await readCartAt(context, cartId), async (db, cart) => {
    const existingCart = await findCartWithRequestedLine(db, cart, requestedLine)
    if (existingCart === null) throw notFound('cart')
    if (quantity < 0) return reduceLine(existingCart, requestedLine)
    if (existingCart.revision === null && !cart.canCreateRow) throw sandboxFull('carts')
    return addRequestedLine(existingCart, requestedLine)
  })
  if (decision.change?.savedLine)
    return replyWithCart(context, decision, quantity < 0 ? 'Cart.Item.Updated' : 'Cart.Item.Added')
  return answerRemoval(context, decision.row, decision.change?.removedId ?? null)
}

function refuseZeroQuantity() {
  const problems = new Problems()
  problems.malformed('quantity', 'must be 1 or more, or negative to reduce a line')
  problems.throwIfAny()
}

/** A quantity of 0 removes the line and ignores the other fields. */
export async function updateLine(
  context: CartContext,
  cartId: string,
  lineId: string,
  body: LineChanges,
): Promise<Cart> {
  if (body.quantity === 0) return removeLine(context, cartId, lineId)
  const { quantity = null, options = null, variant_id: variantId = null } = body
  const decision = await changeCart(context, await readCartAt(context, cartId), async (db, cart) => {
    const { row, line } = await readLine(db, cart, lineId)
    return options === null && variantId === null
      ? setQuantity(row, line, quantity)
      : changeChoice(db, cart, { row, line }, { quantity: quantity ?? line.quantity, options, variantId })
  })
  return replyWithCart(context, decision, 'Cart.Item.Updated')
}

export async function removeLine(context: CartContext, cartId: string, lineId: string): Promise<Cart> {
  const { row } = await changeCart(context, await readCartAt(context, cartId), async (db, cart) => {
    const { row, line } = await readLine(db, cart, lineId)
    return { row, line, change: { savedLine: null, removedId: line.id } }
  })
  return answerRemoval(context, row, lineId)
}

const readCartAt = async (context: CartContext, id: string): Promise<CartReadRequest> => ({
  ...(await identifyCart(context, id)),
  isSecret: context.caller.isSecret,
  isLocked: false,
})

/**
 * `row` is the cart, `line` is the line after the change, and `change` is the write. `change` is null if nothing
 * changes. `row` is the cart before the change until `applyDecision` replaces it.
 */
type Decision = { readonly row: CartRow; readonly line: LineRow; readonly change: LinesChange | null }

/** Reads the cart and decides. Null if a decision needs two reads and the cart has changed between them. */
type Decide = (db: Db, cart: CartReadRequest) => Promise<Decision | null>

/** Carts with recent concurrent changes, such as from a page that adds all items at once. They are locked first. */
const contestedCarts = new RecentMap<true>(1_000)

/** Runs `decide` and writes its decision. Returns the decision with the changed cart. */
async function changeCart(context: CartContext, cart: CartReadRequest, decide: Decide): Promise<Decision> {
  if (contestedCarts.get(cart.cartId) === undefined) {
    const decision = await decide(context.db, cart)
    if (decision !== null && (await writeDecision(context.db, cart, decision))) return applyDecision(decision, cart)
    contestedCarts.set(cart.cartId, true)
  }
  // A concurrent request has changed the cart or inserted its row. Lock the cart before reading it, so that other
  // requests wait.
  return context.db.transaction(async (tx) => {
    const decision = await decide(tx, { ...cart, isLocked: true })
    if (decision === null || !(await writeDecision(tx, cart, decision)))
      throw new Error('A cart was changed while it was locked.')
    return applyDecision(decision, cart)
  })
}

const writeDecision = async (db: Db, cart: CartAt, { row, change }: Decision): Promise<boolean> =>
  change === null || writeLines(db, cart, { row, change })

function applyDecision(decision: Decision, { now }: CartAt): Decision {
  const { row, line, change } = decision
  if (change === null) return decision
  const others = row.lines.filter(({ id }) => id !== line.id && id !== change.removedId)
  const lines = change.savedLine === null ? others : [...others, line].sort(byId)
  return { row: { ...row, updated: unixSeconds(now), lines }, line, change }
}

const byId = (one: LineRow, other: LineRow) => (one.id < other.id ? -1 : 1)

async function readLine(db: Db, cart: CartReadRequest, lineId: string): Promise<{ row: CartRow; line: LineRow }> {
  const row = await findCart(db, cart)
  if (row === null) throw notFound('cart')
  const line = row.lines.find(({ id }) => id === lineId)
  if (line === undefined) throw notFound('line item')
  return { row, line }
}

/** Adds the line, or adds its quantity to the line with the same product and options. */
function addRequestedLine({ lines, ...cart }: CartWithRequestedLine, requestedLine: RequestedLine): Decision {
  const { newLine, others, equalLine } = splitRequestedLine(lines, requestedLine)
  const quantity = newLine.quantity + (equalLine?.quantity ?? 0)
  const line = { ...newLine, id: equalLine?.id ?? newLine.id, name: newLine.product?.name ?? '', quantity }
  const rest = others.filter((other) => other !== equalLine)
  const bytes = shownBytes(line)
  const check = {
    ...checkChoice(line, rest, choiceOf(requestedLine, cart)),
    has_room: equalLine !== undefined || others.length < LINE_LIMITS.lines,
    is_showable: equalLine !== undefined || others.length === 0 || cart.shown_bytes + bytes <= LINE_LIMITS.shownBytes,
  }
  if (!isAccepted(check, quantity)) throw notValid(...addRefusal(check, requestedLine.variantId))
  return {
    row: { ...cart, lines: others },
    line,
    change: { savedLine: { ...line, shown_bytes: bytes }, removedId: null },
  }
}

/**
 * Reduces the line with the same product and options, and removes it if nothing is left. Stock and availability do not
 * matter, because less is always possible. Without such a line nothing changes, because an earlier click
 * may have removed it.
 * A product or choice that could not be added is still refused, because the storefront has a mistake.
 */
function reduceLine({ lines, ...cart }: CartWithRequestedLine, requestedLine: RequestedLine): Decision {
  const { newLine, others, equalLine } = splitRequestedLine(lines, requestedLine)
  const row = { ...cart, lines: others }
  const line = equalLine ?? onlyLineOf(others, requestedLine)
  if (line === undefined) {
    const check = checkChoice(newLine, others, choiceOf(requestedLine, cart))
    if (!isAccepted(check, Number.NEGATIVE_INFINITY)) throw notValid(...addRefusal(check, requestedLine.variantId))
    return { row, line: newLine, change: null }
  }
  const quantity = line.quantity + requestedLine.quantity
  if (quantity <= 0) return { row, line, change: { savedLine: null, removedId: line.id } }
  const reducedLine = { ...line, quantity }
  return { row, line: reducedLine, change: { savedLine: { ...reducedLine, shown_bytes: 0 }, removedId: null } }
}

/** The cart's only line of the product. Buttons of storefronts send the product of a line, but rarely its options. */
function onlyLineOf(lines: readonly LineRow[], { productId, options, variantId }: RequestedLine): LineRow | undefined {
  if (variantId !== null || Object.keys(options ?? {}).length > 0) return undefined
  const [line, ...others] = lines.filter(({ product_id }) => product_id === productId)
  return others.length === 0 ? line : undefined
}

/** `lines` includes the requested line. `equalLine` is the existing line with the same product and options. */
function splitRequestedLine(lines: readonly LineRow[], { lineId }: RequestedLine) {
  const newLine = lines.find(({ id }) => id === lineId)
  if (newLine === undefined) throw new Error('A cart was read without its requested line.')
  const others = lines.filter((line) => line !== newLine)
  const isEqualLine = (line: LineRow) =>
    line.product_id === newLine.product_id && isSameChoice(line.options, newLine.options)
  return { newLine, others, equalLine: others.find(isEqualLine) }
}

const choiceOf = (
  { variantId, options }: Pick<RequestedLine, 'variantId' | 'options'>,
  { named_options }: Pick<CartWithRequestedLine, 'named_options'>,
) => ({
  variant: variantId === null ? null : { options: named_options },
  asked: options,
})

/** A quantity of null leaves the line unchanged. */
function setQuantity(row: CartRow, line: LineRow, quantity: number | null): Decision {
  const changedLine = { ...line, quantity: quantity ?? line.quantity }
  const others = row.lines.filter((other) => other !== line)
  const limits = limitsOf(changedLine, others)
  const isForSale = line.product?.is_active ?? false
  if (quantity !== null && !(isForSale && quantity <= maxQuantityOf(limits)))
    throw notValid(...quantityRefusal({ ...limits, is_for_sale: isForSale }))
  return { row, line: changedLine, change: { savedLine: { ...changedLine, shown_bytes: 0 }, removedId: null } }
}

type LineChange = Pick<RequestedLine, 'quantity' | 'options' | 'variantId'>

/** Changes the options of a line. Merges it with an equal line. Null if the cart has changed between its two reads. */
async function changeChoice(
  db: Db,
  cart: CartReadRequest,
  { row, line: before }: { row: CartRow; line: LineRow },
  { quantity, options, variantId }: LineChange,
): Promise<Decision | null> {
  const requestedLine = {
    lineId: newId('lineItem', cart.now),
    productId: before.product_id,
    quantity,
    options: { ...existingOptionsOf(before), ...options },
    variantId,
  }
  const rereadCart = await findCartWithRequestedLine(db, cart, requestedLine)
  if (rereadCart === null || rereadCart.revision !== row.revision) return null
  const { newLine, others, equalLine } = splitRequestedLine(
    rereadCart.lines.filter(({ id }) => id !== before.id),
    requestedLine,
  )
  const sum = quantity + (equalLine?.quantity ?? 0)
  const line = { ...newLine, id: before.id, name: before.name, quantity: sum }
  const check = checkChoice(
    line,
    others.filter((other) => other !== equalLine),
    choiceOf({ variantId, options }, rereadCart),
  )
  if (!isAccepted(check, sum)) throw notValid(...choiceRefusal(check, variantId))
  return { row, line, change: { savedLine: { ...line, shown_bytes: 0 }, removedId: equalLine?.id ?? null } }
}

/** Returns the cart, and reports the removed line. `lineId` is null if there was no line to remove. */
function answerRemoval(context: CartContext, row: CartRow, lineId: string | null): Promise<Cart> {
  context.addFacts({ event: 'Cart.Item.Removed', line_item_id: lineId })
  return viewCartFor(context, row)
}

/** Returns the cart, and reports the line for older API versions. */
async function replyWithCart(context: CartContext, { row, line }: Decision, event: string): Promise<Cart> {
  const view = await viewCartFor(context, row)
  const shownLine = view.line_items.find(({ id }) => id === line.id)
  context.addFacts({
    event,
    line_item_id: line.id,
    product_id: line.product_id,
    product_name: shownLine?.product_name ?? line.name,
    quantity: line.quantity,
    line_total: shownLine?.line_total ?? priceOf(0, context.caller.currency),
  })
  return view
}
