// Opens a checkout by a link.
// A cart link leads everybody to the same token while the cart is unchanged and the token takes payments. A product link makes one token
// per buyer.
// Products that cannot be bought make no token, by the rules of checkout.ts.

import type { Context } from '../../../http/endpoint/endpoint.ts'
import { refuseWithoutRoom } from '../../../http/endpoint/metering.ts'
import { notFound, unavailable } from '../../../lib/errors.ts'
import { type Minor, parseAmount } from '../../../lib/money.ts'
import { fieldRefusal, refusal, type ShopperRefusal } from '../../../lib/words/refusals.ts'
import { countAgainstLimits, networkLimits } from '../../../limits/requests.ts'
import { identifyCart } from '../../carts/lifetime/life.ts'
import { findLineFlaws, LINE_LIMITS, type LineFlaw, type LineRow } from '../../lines/line.ts'
import { flawRefusal } from '../../lines/refusals.ts'
import type { Combination } from '../../products/variants/schema.ts'
import {
  type CheckoutContext,
  createCheckoutRow,
  readCartSource,
  readProductSource,
  refuseUnavailableLines,
  toNewCheckout,
} from '../checkout.ts'
import { findAmountRefusal } from '../checks/choices.ts'
import { type PricedCheckout, priceCheckout } from '../price.ts'
import type { CheckoutSourceRow } from '../read-store.ts'
import { detachExpiredToken, findCartCheckoutState, findOrderIdByEmail, insertLinkCheckout } from './store.ts'

/** Includes the disk, because strangers make these tokens and must not fill it. */
export type LinkContext = CheckoutContext & Pick<Context, 'disk'>

type BuyerContext = Pick<Context, 'db' | 'caller' | 'clock' | 'clientNetworks'>

/** The token; `isOrdered` is true if it has an order. */
export type CartCheckout = { readonly tokenId: string; readonly isOrdered: boolean }

/** Another request may make the token at the same time, and change the cart before the next try. */
const TRIES = 3

/**
 * Returns the one token of the cart's current state: the one it was ordered by, or one it can be ordered by. Takes one statement if there
 * is one already.
 * `shouldMake` is false for a visit that only reads; it gets null if there is no token yet. Throws if the cart is missing or empty, or if
 * something in it cannot be bought.
 */
export async function openCartCheckout(
  context: LinkContext,
  cartId: string,
  shouldMake: boolean,
): Promise<CartCheckout | null> {
  const { db, caller, clock } = context
  const cart = await identifyCart(context, cartId)
  for (let tries = 0; tries < TRIES; tries++) {
    const cartState = await findCartCheckoutState(db, cart)
    if (cartState === null) throw notFound('cart')
    const { open, ordered_by } = cartState === 'empty' ? NOTHING : cartState
    if (ordered_by !== null) return { tokenId: ordered_by, isOrdered: true }
    if (open?.is_alive) return { tokenId: open.id, isOrdered: false }
    if (!shouldMake) return null
    if (open !== null) await detachExpiredToken(db, { ...caller, now: clock.now() }, open.id)
    const tokenId = await makeTokenOfCart(context, cartId)
    if (tokenId !== null) return { tokenId, isOrdered: false }
  }
  throw unavailable('The cart is being changed at this moment. Try again.')
}

const NOTHING = { open: null, ordered_by: null }

const HOUR_MS = 3_600_000
/** A person who knows the buyer can easily guess the address. So an order allows few guesses, from all networks together. */
const MAX_PER_ORDER = 10
const MAX_PER_NETWORK = 20

/**
 * Id of the order if the e-mail address is the buyer's. The caller knows the cart link and may be anybody.
 * Each try is counted before the address is compared. Throws `tooManyRequests`.
 */
export function findBuyersOrder(context: BuyerContext, tokenId: string, email: string): Promise<string | null> {
  const { db, caller, clock, clientNetworks: networks } = context
  return db.transaction(async (tx) => {
    const limits = [
      { subject: `receipt ${tokenId}`, most: MAX_PER_ORDER, windowMs: HOUR_MS },
      ...networkLimits('receipt from', networks, MAX_PER_NETWORK, HOUR_MS),
    ]
    await countAgainstLimits(tx, caller, limits, clock.now())
    return findOrderIdByEmail(tx, caller, tokenId, email)
  })
}

/** A choice on a product page, as it was typed. */
export type TypedProductChoice = {
  readonly quantity: string
  readonly options: Combination
  /** Null if the page had no field for it, empty if nothing was typed. */
  readonly payWhatYouWant: string | null
}

/** A problem with a choice. `path` names the field as refusals do; null if it concerns no field. */
export type ChoiceProblem = { readonly path: string | null; readonly shopperMessage: ShopperRefusal }

/** Makes a token of a product for this buyer, or returns all problems of the choice. Throws if the product does not exist. */
export async function openProductCheckout(
  context: LinkContext,
  permalink: string,
  typedChoice: TypedProductChoice,
): Promise<{ readonly tokenId: string } | { readonly problems: readonly ChoiceProblem[] }> {
  const { db, caller, clock } = context
  const now = clock.now()
  const quantity = readQuantity(typedChoice.quantity)
  const choice = { options: typedChoice.options, quantity: quantity ?? 1 }
  const source = await readProductSource(context, 'permalink', permalink, now, choice)
  const { row, priced } = createAndPrice(context, source, now)
  const amount = readAmount(typedChoice.payWhatYouWant, priced, caller.currency)
  const choices = row.lines.flatMap(choiceProblems)
  const flaws = [...findLineFlaws(row.lines, priced.totals.lines).values()]
  const problems = [
    ...(quantity === null ? [problemOf('quantity')] : []),
    ...choices,
    // An unknown option is reported with its field if it has one.
    ...flaws.filter(({ kind }) => kind !== 'option_unknown' || choices.length === 0).map(flawProblem),
    ...(amount.problem === null ? [] : [amount.problem]),
  ]
  if (problems.length > 0) return { problems }
  refuseFull(context)
  // A product has no state to share a token by, so each buyer gets a token.
  await insertLinkCheckout(db, { ...caller, now }, toNewCheckout(row, source, now), amount.minor)
  return { tokenId: row.id }
}

/** Null if another request has made the token of this cart state. */
async function makeTokenOfCart(context: LinkContext, cartId: string): Promise<string | null> {
  const { db, caller, clock } = context
  const now = clock.now()
  refuseFull(context)
  const source = await readCartSource(context, cartId)
  const { row, priced } = createAndPrice(context, source, now)
  refuseUnavailableLines(row, priced, 'cart')
  return (await insertLinkCheckout(db, { ...caller, now }, toNewCheckout(row, source, now), null)) ? row.id : null
}

const refuseFull = ({ caller, disk }: LinkContext) =>
  refuseWithoutRoom({ method: 'POST', makes: 'checkouts' }, caller, disk)

function createAndPrice(context: LinkContext, source: CheckoutSourceRow, now: Date) {
  const row = createCheckoutRow(source, now)
  context.reportLinesRead(row.lines.length, row.id)
  return { row, priced: priceCheckout(row) }
}

const problemOf = (path: string): ChoiceProblem => ({ path, shopperMessage: fieldRefusal(path) })

function readQuantity(text: string): number | null {
  const quantity = /^\s*\d{1,7}\s*$/.test(text) ? Number(text) : 0
  return quantity >= 1 && quantity <= LINE_LIMITS.quantity ? quantity : null
}

/** Problems of the options: groups without a selection, because the page shows all of them, and selections that do not exist. */
const choiceProblems = ({ groups, options }: LineRow): ChoiceProblem[] =>
  groups
    .filter(({ option_id }) => option_id === null)
    .map(({ group_id, group_name }) => ({
      path: `variants.${group_id}`,
      shopperMessage:
        options[group_id] === undefined
          ? refusal('choose_option', { name: group_name })
          : refusal('choice_not_available', {}),
    }))

const flawProblem = (flaw: LineFlaw): ChoiceProblem => ({
  path: flaw.kind === 'out_of_stock' || flaw.kind === 'too_large' ? 'quantity' : null,
  shopperMessage: flawRefusal(flaw),
})

type ReadAmount = { readonly minor: Minor | null; readonly problem: ChoiceProblem | null }

const AMOUNT = 'pay_what_you_want'

/** An empty text means the minimum. */
function readAmount(text: string | null, { totals }: PricedCheckout, currency: string): ReadAmount {
  if (text === null || text.trim() === '') return { minor: null, problem: null }
  const amount = parseAmount(text.trim(), currency, { field: AMOUNT })
  if (!amount.ok) return { minor: null, problem: problemOf(AMOUNT) }
  const flaw = findAmountRefusal(amount.minor, totals.payWhatYouWant.minimum, currency)
  return flaw === null
    ? { minor: amount.minor, problem: null }
    : { minor: null, problem: { path: AMOUNT, shopperMessage: flaw } }
}
