// A capture's body laid over its token: what would be bought, what it costs, what is still demanded, and everything that is wrong with it.
// Capture charges what stands here, and the page on which one pays shows it: neither has a second way to work it out. Nothing is saved.

import type { PaymentInput } from '../../../gateways/gateway.ts'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { notFound } from '../../../lib/errors.ts'
import { textOrNull } from '../../../lib/json.ts'
import type { Minor } from '../../../lib/money.ts'
import { Problems } from '../../../lib/problems.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import { tokenAt } from '../../checkouts/checkout.ts'
import {
  hasToBeShipped,
  methodsFor,
  type PricedCheckout,
  priceCheckout,
  type ShippingMethod,
} from '../../checkouts/price.ts'
import type { CheckoutRow } from '../../checkouts/read-store.ts'
import { type Demand, demandsOf } from '../../checkouts/requirements.ts'
import type { LineRow } from '../../lines/line.ts'
import { isDemoShop } from '../../merchants/settings.ts'
import type { Place } from '../../shipping/methods.ts'
import { slotDemand } from '../declines/slots.ts'
import { isOnPage } from '../entry.ts'
import { findWaitingHold, type WaitingHold } from '../hold-store.ts'
import { type CaptureFacts, findCaptureFacts, type LineChoice } from '../read-store.ts'
import type { AttemptKey } from '../store.ts'
import { appliedLines, refuseLines, wantedChoices, withoutLeftOut } from './lines.ts'
import { type ChosenGateway, chooseGateway, chosenAmount, expectedTotal, findCodes, withCodes } from './payment.ts'
import type { CaptureBody } from './schema.ts'
import {
  type Answers,
  type ReadAddress,
  readAddress,
  readCustomer,
  readExtraFields,
  refuseMissing,
  refuseWhatIsNotKept,
  refuseWrong,
} from './shopper.ts'
import { taxAddress, taxPlaces } from './tax-place.ts'

export type QuoteContext = Pick<
  Context,
  'db' | 'clock' | 'caller' | 'origin' | 'signingSecret' | 'weigh' | 'geo' | 'clientNetworks' | 'payments'
>

export type Quote = {
  /** The token with all that the body says. */
  readonly row: CheckoutRow
  /** The lines of the token that the body leaves out. */
  readonly leftOut: readonly LineRow[]
  readonly priced: PricedCheckout
  readonly facts: CaptureFacts
  readonly demands: readonly Demand[]
  readonly answers: Answers
  /** How it is paid; null when nothing is due, and where none was named that can be used. */
  readonly gateway: ChosenGateway | null
  /** What the shopper was told is due; null where the body does not say. Whether it still is, nobody has compared. */
  readonly expected: Minor | null
  /** Nothing of it has been thrown. */
  readonly problems: Problems
}

type QuoteOptions = {
  /** Where a place is known and no method is named that serves it: by the first that does. Only for what is shown, never for what is charged. */
  readonly choosesMethod?: boolean
}

/**
 * One round trip; codes that the token does not have yet are looked up beside it. `waiting`: the attempt that a capture of this body will take
 * the place of; what it holds is read before. Throws only what no form could mend: the token is gone, or too many codes were tried.
 */
export async function quoteCapture(
  context: QuoteContext,
  payment: PaymentInput | null,
  read: CheckoutRow,
  body: CaptureBody,
  waiting: AttemptKey | null,
  { choosesMethod = false }: QuoteOptions = {},
): Promise<Quote> {
  const problems = new Problems()
  context.weigh(read.lines.length)
  const held = waiting && (await findWaitingHold(context.db, waiting, context.clock.now()))
  const {
    token,
    sent: sentLines,
    leftOut,
  } = withoutLeftOut(held === null ? read : withHeldCodes(read, held), body.line_items)
  const shipping = readAddress('shipping', body.shipping, problems)
  const billing = readAddress('billing', body.billing, problems)
  const sources = { token: token.taxed_in, sent: body.tax, shipping, billing, isShipped: hasToBeShipped(token) }
  const places = taxPlaces(sources, context, problems)
  const choices = wantedChoices(token.lines, sentLines)
  const [facts, codes] = await Promise.all([
    findCaptureFacts(context.db, tokenAt(context, token.id), {
      productIds: token.lines.map(({ product_id }) => product_id),
      groupsOf: productsToChooseOf(token, choices),
      choices,
      taxPlaces: places,
      customerId: textOrNull(body.customer?.id),
      slots: slotDemand(context.caller, token.id, context.clientNetworks),
    }),
    findCodes(context, token, held, body),
  ])
  // The token may have expired since it was read.
  if (facts === null) throw notFound('checkout token')

  const lines = appliedLines(token.lines, sentLines, choices, facts, problems)
  const unpriced: CheckoutRow = {
    ...withCodes(token, codes, facts, problems),
    ...destinationOf(token, shipping),
    lines: held === null ? lines : withHeldStock(lines, held),
    shipping_method_id: textOrNull(body.fulfillment?.shipping_method)?.trim() ?? token.shipping_method_id,
    taxed_in: facts.taxed_in,
    tax_zone: facts.tax_zone,
    is_taxed_by_region: facts.is_taxed_by_region,
  }
  const { currency } = context.caller
  const named = { ...unpriced, customer_set_price: chosenAmount(unpriced, body, currency, problems) }
  const isTriedOut = context.caller.isSandbox && isDemoShop(token)
  const { row, priced } = pricedBy(named, choosesMethod ? firstMethod : isTriedOut ? cheapestMethod : null)
  const answers: Answers = {
    customer: readCustomer(body.customer, facts, problems),
    isEmailGiven: textOrNull(body.customer?.email) !== null,
    shipping,
    billing,
    extraFields: readExtraFields(body.extrafields, facts.products),
    methodId: row.shipping_method_id,
    gateway: payment?.gateway ?? null,
  }
  const demands = demandsOf(row, priced, facts, taxAddress(sources, facts.taxed_in))
  refuseWrong(demands, { email: textOrNull(body.customer?.email), extraFields: answers.extraFields }, problems)
  refuseLines(row.lines, facts.products, priced.totals, problems)
  refuseMethod(row, priced, shipping, problems)
  const due = { amount: priced.totals.totalDue, currency }
  const gateway = chooseGateway(context, due, payment, facts.gateways, problems)
  refuseMissing(demands, answers, problems, isOnPage(context.caller))
  refuseWhatIsNotKept(body, problems)
  const expected = expectedTotal(body, currency, problems)
  return { row, leftOut, priced, facts, demands, answers, gateway, expected, problems }
}

/** The method to take where a place is known and no method is named that serves it; undefined for none. */
type ChooseMethod = (priced: PricedCheckout, namedId: string | null) => ShippingMethod | undefined

const firstMethod: ChooseMethod = ({ offered: [first] }) => first

/**
 * For the demo shop's sandbox: a storefront that is tried there names a method of the account that it was made for, or none at all, and its
 * owner cannot mend that before they have seen it sell. A method of the demo shop that does not serve the place is still refused.
 */
const cheapestMethod: ChooseMethod = ({ methods, offered }, namedId) =>
  methods.some(({ id }) => id === namedId)
    ? undefined
    : offered.reduce<ShippingMethod | undefined>(
        (cheapest, method) => (cheapest === undefined || method.price < cheapest.price ? method : cheapest),
        undefined,
      )

/** The method counts as chosen: whoever is shown the total, or the order, is shown the method too. */
function pricedBy(row: CheckoutRow, choose: ChooseMethod | null): Pick<Quote, 'row' | 'priced'> {
  const priced = priceCheckout(row)
  if (choose === null || priced.method !== null || row.shipping_country === null) return { row, priced }
  const method = choose(priced, row.shipping_method_id)
  if (method === undefined) return { row, priced }
  const chosen = { ...row, shipping_method_id: method.id }
  return { row: chosen, priced: priceCheckout(chosen) }
}

// What a waiting attempt of the same token holds counts as free for the capture that replaces it, because it is given back before anything
// is reserved. This only avoids refusing that capture too early; taking the stock decides whether there is enough.

/** The token with its code and its card as they will be. */
const withHeldCodes = (row: CheckoutRow, held: WaitingHold): CheckoutRow => ({
  ...row,
  discount: (held.is_discount_applied ? held.discount : null) ?? row.discount,
  gift_card: (held.is_gift_card_applied ? held.gift_card : null) ?? row.gift_card,
})

/** The lines with the stock that there will be. */
const withHeldStock = (lines: readonly LineRow[], { stock }: WaitingHold): LineRow[] =>
  lines.map((line) => {
    const { product, variant, product_id } = line
    return {
      ...line,
      product: product && { ...product, available: product.available + (stock[product_id] ?? 0) },
      variant:
        variant === null || variant.inventory === null
          ? variant
          : { ...variant, inventory: variant.inventory + (stock[variant.id] ?? 0) },
    }
  })

/** Products of which something is chosen, or left to choose. */
const productsToChooseOf = ({ lines }: CheckoutRow, choices: readonly LineChoice[]): string[] => [
  ...choices.map(({ product_id }) => product_id),
  ...lines
    .filter(({ groups }) => groups.some(({ option_id }) => option_id === null))
    .map(({ product_id }) => product_id),
]

/**
 * Where it is sent: as the body says, else as chosen before. An address without a region is in the one that was chosen before of the same
 * country, as the totals showed it; where none was, it counts as in no known region.
 */
const destinationOf = (
  { shipping_country, shipping_region }: CheckoutRow,
  { place }: ReadAddress,
): Pick<CheckoutRow, 'shipping_country' | 'shipping_region'> =>
  place === null
    ? { shipping_country, shipping_region }
    : {
        shipping_country: place.country,
        shipping_region: regionOf(place) ?? (place.country === shipping_country ? shipping_region : null) ?? '',
      }

/** Empty: one is named that is not known. Undefined: none is named. */
const regionOf = ({ region }: Place): string | undefined => (region === null ? '' : region)

/** A method that was named where nothing is shipped is passed over. */
function refuseMethod(
  row: CheckoutRow,
  { method, methods, offered }: PricedCheckout,
  { place }: ReadAddress,
  problems: Problems,
) {
  if (row.shipping_method_id === null || method !== null || !hasToBeShipped(row)) return
  const country = row.shipping_region === '' ? row.shipping_country : null
  const inCountry = country === null ? [] : methodsFor(methods, { country, region: undefined })
  const isForItsRegions = inCountry.some(({ id }) => id === row.shipping_method_id)
  // One that is not known is refused where it stands.
  if (isForItsRegions && place?.region === null) return
  const ids = offered.map(({ id }) => id)
  const said = isForItsRegions
    ? refusal('missing_field', { field: 'region' })
    : refusal(ids.length === 0 ? 'shipping_to_nowhere' : 'shipping_not_offered')
  problems.refused(
    'fulfillment.shipping_method',
    isForItsRegions
      ? 'is for some regions of the country alone: say which in shipping.county_state, or choose another method'
      : ids.length === 0
        ? 'cannot be used: there is none for what is bought and where it goes'
        : `must be one that is offered for what is bought and where it goes: ${ids.join(', ')}`,
    said,
  )
}
