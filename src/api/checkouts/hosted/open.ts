// Opening a checkout by a link: that of a cart leads everybody to the same token, as long as the cart is the same and the token takes
// payments; that of a product makes one for each who buys. What cannot be bought makes none, by the rules of checkout.ts.

import type { Context } from '../../../http/endpoint/endpoint.ts'
import { refuseWithoutRoom } from '../../../http/endpoint/metering.ts'
import { notFound, unavailable } from '../../../lib/errors.ts'
import { type Minor, parseAmount } from '../../../lib/money.ts'
import { fieldRefusal, type Refusal, refusal } from '../../../lib/words/refusals.ts'
import { networkLimits, takeFromLimits } from '../../../limits/requests.ts'
import { cartAt } from '../../carts/life.ts'
import { flawedLines, LIMITS, type LineFlaw, type LineRow } from '../../lines/line.ts'
import { flawRefusal } from '../../lines/refusals.ts'
import type { Combination } from '../../products/variants/schema.ts'
import {
  type CheckoutContext,
  cartSource,
  newCheckout,
  productSource,
  refuseWhatCannotBeBought,
  tokenOf,
} from '../checkout.ts'
import { refusalOfAmount } from '../checks/choices.ts'
import { type PricedCheckout, priceCheckout } from '../price.ts'
import type { SourceRow } from '../read-store.ts'
import { findCartStanding, findOrderOfBuyer, insertOfLink, letGoOfExpired } from './store.ts'

/** Also whether the disk has room for what strangers make. */
export type LinkContext = CheckoutContext & Pick<Context, 'disk'>

type BuyerContext = Pick<Context, 'db' | 'caller' | 'clock' | 'clientNetworks'>

/** The token, and whether there is an order of it. */
export type OpenedCart = { readonly tokenId: string; readonly isOrdered: boolean }

/** Somebody else may make the token at the same moment, and change the cart at the next. */
const TRIES = 3

/**
 * The one token of the cart as it is now, by which it was ordered or can be. One statement where there is one already. `makes`: false for
 * who only looks; then null where there is none yet. Throws when there is no such cart, it is empty, or something in it cannot be bought.
 */
export async function openCart(context: LinkContext, cartId: string, makes: boolean): Promise<OpenedCart | null> {
  const { db, caller, clock } = context
  const cart = await cartAt(context, cartId)
  for (let tries = 0; tries < TRIES; tries++) {
    const standing = await findCartStanding(db, cart)
    if (standing === null) throw notFound('cart')
    const { open, ordered_by } = standing === 'empty' ? NOTHING : standing
    if (ordered_by !== null) return { tokenId: ordered_by, isOrdered: true }
    if (open?.is_alive) return { tokenId: open.id, isOrdered: false }
    if (!makes) return null
    if (open !== null) await letGoOfExpired(db, { ...caller, now: clock.now() }, open.id)
    const tokenId = await makeOfCart(context, cartId)
    if (tokenId !== null) return { tokenId, isOrdered: false }
  }
  throw unavailable('The cart is being changed at this moment. Try again.')
}

const NOTHING = { open: null, ordered_by: null }

const HOUR_MS = 3_600_000
/** An address is easily guessed by who knows the buyer: an order has few guesses, from wherever they come. */
const MOST_OF_ORDER = 10
const MOST_FROM_NETWORK = 20

/**
 * The id of the order, where it is that e-mail address's: for who has the link of its cart, and may be anybody. Each try counts, and is counted before
 * the address is compared. Throws `tooManyRequests`.
 */
export function orderOfBuyer(context: BuyerContext, tokenId: string, email: string): Promise<string | null> {
  const { db, caller, clock, clientNetworks: networks } = context
  return db.transaction(async (tx) => {
    const limits = [
      { subject: `receipt ${tokenId}`, most: MOST_OF_ORDER, windowMs: HOUR_MS },
      ...networkLimits('receipt from', networks, MOST_FROM_NETWORK, HOUR_MS),
    ]
    await takeFromLimits(tx, caller, limits, clock.now())
    return findOrderOfBuyer(tx, caller, tokenId, email)
  })
}

/** What was chosen on the page of a product, as it was written there. */
export type WrittenChoice = {
  readonly quantity: string
  readonly options: Combination
  /** Null where the page asked for none, empty where nothing was written. */
  readonly payWhatYouWant: string | null
}

/** What is wrong with a choice. `path`: of the field, as refusals name it; null where it is about none. */
export type ChoiceProblem = { readonly path: string | null; readonly said: Refusal }

/** A token of a product, for whoever asks; or all that is wrong with the choice. Throws when there is no such product. */
export async function openProduct(
  context: LinkContext,
  permalink: string,
  written: WrittenChoice,
): Promise<{ readonly tokenId: string } | { readonly problems: readonly ChoiceProblem[] }> {
  const { db, caller, clock } = context
  const now = clock.now()
  const quantity = readQuantity(written.quantity)
  const choice = { options: written.options, quantity: quantity ?? 1 }
  const source = await productSource(context, 'permalink', permalink, now, choice)
  const { row, priced } = weighed(context, source, now)
  const amount = readAmount(written.payWhatYouWant, priced, caller.currency)
  const choices = row.lines.flatMap(choiceProblems)
  const flaws = [...flawedLines(row.lines, priced.totals.lines).values()]
  const problems = [
    ...(quantity === null ? [problemOf('quantity')] : []),
    ...choices,
    // What was chosen and does not exist is told with its field, where it has one.
    ...flaws.filter(({ kind }) => kind !== 'option_unknown' || choices.length === 0).map(flawProblem),
    ...(amount.problem === null ? [] : [amount.problem]),
  ]
  if (problems.length > 0) return { problems }
  refuseFull(context)
  // A product has no states of which there would be one token: each who asks has one of their own.
  await insertOfLink(db, { ...caller, now }, tokenOf(row, source, now), amount.minor)
  return { tokenId: row.id }
}

/** Null when somebody has made one of this state of the cart. */
async function makeOfCart(context: LinkContext, cartId: string): Promise<string | null> {
  const { db, caller, clock } = context
  const now = clock.now()
  refuseFull(context)
  const source = await cartSource(context, cartId)
  const { row, priced } = weighed(context, source, now)
  refuseWhatCannotBeBought(row, priced, 'cart')
  return (await insertOfLink(db, { ...caller, now }, tokenOf(row, source, now), null)) ? row.id : null
}

const refuseFull = ({ caller, disk }: LinkContext) =>
  refuseWithoutRoom({ method: 'POST', makes: 'checkouts' }, caller, disk)

function weighed(context: LinkContext, source: SourceRow, now: Date) {
  const row = newCheckout(source, now)
  context.weigh(row.lines.length, row.id)
  return { row, priced: priceCheckout(row) }
}

const problemOf = (path: string): ChoiceProblem => ({ path, said: fieldRefusal(path) })

function readQuantity(text: string): number | null {
  const quantity = /^\s*\d{1,7}\s*$/.test(text) ? Number(text) : 0
  return quantity >= 1 && quantity <= LIMITS.quantity ? quantity : null
}

/** What is left to choose, as the page asks for all of it; and what is not there to be chosen. */
const choiceProblems = ({ groups, options }: LineRow): ChoiceProblem[] =>
  groups
    .filter(({ option_id }) => option_id === null)
    .map(({ group_id, group_name }) => ({
      path: `variants.${group_id}`,
      said:
        options[group_id] === undefined
          ? refusal('choose_option', { name: group_name })
          : refusal('choice_not_available', {}),
    }))

const flawProblem = (flaw: LineFlaw): ChoiceProblem => ({
  path: flaw.kind === 'out_of_stock' || flaw.kind === 'too_large' ? 'quantity' : null,
  said: flawRefusal(flaw),
})

type ReadAmount = { readonly minor: Minor | null; readonly problem: ChoiceProblem | null }

const AMOUNT = 'pay_what_you_want'

/** Nothing written: the least that is accepted. */
function readAmount(text: string | null, { totals }: PricedCheckout, currency: string): ReadAmount {
  if (text === null || text.trim() === '') return { minor: null, problem: null }
  const amount = parseAmount(text.trim(), currency, { field: AMOUNT })
  if (!amount.ok) return { minor: null, problem: problemOf(AMOUNT) }
  const said = refusalOfAmount(amount.minor, totals.payWhatYouWant.minimum, currency)
  return said === null ? { minor: amount.minor, problem: null } : { minor: null, problem: { path: AMOUNT, said } }
}
