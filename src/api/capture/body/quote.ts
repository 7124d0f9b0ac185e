// Applies a capture's body to its token and prices the result: the quote. It lists the lines, the totals, the demanded fields and all
// problems. A capture charges its quote, and the hosted checkout shows it, so both always have the same total. Nothing is saved.

import type { PaymentInput } from '../../../gateways/gateway.ts'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { notFound } from '../../../lib/errors.ts'
import { textOrNull } from '../../../lib/json.ts'
import { MAX_TOTAL, type Minor, parseAmount } from '../../../lib/money.ts'
import { Problems } from '../../../lib/problems.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import { identifyToken } from '../../checkouts/checkout.ts'
import {
  filterOfferedMethods,
  needsShipping,
  type PricedCheckout,
  priceCheckout,
  type ShippingMethod,
} from '../../checkouts/price.ts'
import type { CheckoutRow } from '../../checkouts/read-store.ts'
import { type CaptureField, listCaptureFields } from '../../checkouts/requirements.ts'
import type { LineRow } from '../../lines/line.ts'
import { isDemoShop } from '../../merchants/settings.ts'
import type { ShippingDestination } from '../../shipping/methods.ts'
import { buildSlotDemand } from '../declines/slots.ts'
import type { AttemptKey } from '../store.ts'
import { applyLines, dropRemovedLines, findNewChoices, refuseLines } from './lines.ts'
import { applyCodesAndAmount, type ChosenGateway, chooseGateway, findCodes } from './payment.ts'
import {
  type CaptureFacts,
  findCaptureFacts,
  findWaitingHold,
  type LineChoice,
  type WaitingHold,
} from './read-store.ts'
import { type CaptureBody, isFromHostedCheckout } from './schema.ts'
import {
  type Answers,
  type ReadAddress,
  readAddresses,
  readAnswers,
  refuseMissingOrUnsafe,
  refuseWrongAnswers,
} from './shopper.ts'
import { chooseTaxAddress, listTaxPlaces } from './tax-place.ts'

export type QuoteContext = Pick<
  Context,
  'db' | 'clock' | 'caller' | 'origin' | 'signingSecret' | 'reportLinesRead' | 'geo' | 'clientNetworks' | 'payments'
>

export type Quote = {
  /** The token with the body applied. */
  readonly row: CheckoutRow
  /** Lines of the token that the shopper removed. */
  readonly removedLines: readonly LineRow[]
  readonly priced: PricedCheckout
  readonly facts: CaptureFacts
  readonly demands: readonly CaptureField[]
  readonly answers: Answers
  /** Null when nothing is due, and when the body names no usable gateway. */
  readonly gateway: ChosenGateway | null
  /** The `expected_total` of the body. It is not compared with the real total here. */
  readonly expected: Minor | null
  /** All problems of the body. None has been thrown. */
  readonly problems: Problems
}

type QuoteOptions = {
  /** Chooses the first method that serves the place if the body names none. For showing totals only, never for charging. */
  readonly choosesMethod?: boolean
}

/**
 * Needs one round trip; new codes are looked up beside it. `waiting` is the attempt that this capture will replace, and its hold is read
 * first. Throws only errors that no form can correct: the token is gone, or too many codes were tried.
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
  context.reportLinesRead(read.lines.length)
  const hold = waiting && (await findWaitingHold(context.db, waiting, context.clock.now()))
  const {
    token,
    sent: sentLines,
    removedLines,
  } = dropRemovedLines(hold === null ? read : addHeldCodes(read, hold), body.line_items)
  const addresses = readAddresses(body, problems)
  const { shipping } = addresses
  const sources = { token: token.taxed_in, sent: body.tax, ...addresses, isShipped: needsShipping(token) }
  const places = listTaxPlaces(sources, context, problems)
  const choices = findNewChoices(token.lines, sentLines)
  const [facts, codes] = await Promise.all([
    findCaptureFacts(context.db, identifyToken(context, token.id), {
      productIds: token.lines.map(({ product_id }) => product_id),
      groupsOf: productsToChooseOf(token, choices),
      choices,
      taxPlaces: places,
      customerId: textOrNull(body.customer?.id),
      slots: buildSlotDemand(context.caller, token.id, context.clientNetworks),
    }),
    findCodes(context, token, hold, body),
  ])
  // The token may have expired since it was read.
  if (facts === null) throw notFound('checkout token')

  const lines = applyLines(token.lines, sentLines, choices, facts, problems)
  const unpriced: CheckoutRow = {
    ...token,
    ...destinationOf(token, shipping),
    lines: hold === null ? lines : addHeldStock(lines, hold),
    shipping_method_id: textOrNull(body.fulfillment?.shipping_method)?.trim() ?? token.shipping_method_id,
    taxed_in: facts.taxed_in,
    tax_zone: facts.tax_zone,
    is_taxed_by_region: facts.is_taxed_by_region,
  }
  const { currency } = context.caller
  const checkout = applyCodesAndAmount(unpriced, codes, facts, body, currency, problems)
  const isTriedOut = context.caller.is_sandbox && isDemoShop(token)
  const { row, priced } = pricedBy(checkout, choosesMethod ? firstMethod : isTriedOut ? cheapestMethod : null)
  const choicesOfBody = { ...addresses, methodId: row.shipping_method_id, gateway: payment?.gateway ?? null }
  const answers = readAnswers(body, facts, choicesOfBody, problems)
  const demands = listCaptureFields(row, priced, facts, chooseTaxAddress(sources, facts.taxed_in))
  refuseWrongAnswers(demands, answers, problems)
  refuseLines(row.lines, facts.products, priced.totals, problems)
  refuseMethod(row, priced, shipping, problems)
  const due = { amount: priced.totals.totalDue, currency }
  const gateway = chooseGateway(context, due, payment, facts.gateways, problems)
  refuseMissingOrUnsafe(demands, answers, body, problems, isFromHostedCheckout(context.caller))
  const expected = readExpectedTotal(body, currency, problems)
  return { row, removedLines, priced, facts, demands, answers, gateway, expected, problems }
}

/** Chooses a method if the place is known and the body names no method that serves it. */
type ChooseMethod = (priced: PricedCheckout, namedId: string | null) => ShippingMethod | undefined

const firstMethod: ChooseMethod = ({ offered: [first] }) => first

/**
 * For the sandbox of the demo shop. A storefront tried there names a method of another account, or none, and its owner should still see it
 * sell. A method of the demo shop that does not serve the place is still refused.
 */
const cheapestMethod: ChooseMethod = ({ methods, offered }, namedId) =>
  methods.some(({ id }) => id === namedId)
    ? undefined
    : offered.reduce<ShippingMethod | undefined>(
        (cheapest, method) => (cheapest === undefined || method.price < cheapest.price ? method : cheapest),
        undefined,
      )

/** Prices the row. A method chosen here is shown with the total and in the order. */
function pricedBy(row: CheckoutRow, choose: ChooseMethod | null): Pick<Quote, 'row' | 'priced'> {
  const priced = priceCheckout(row)
  if (choose === null || priced.method !== null || row.shipping_country === null) return { row, priced }
  const method = choose(priced, row.shipping_method_id)
  if (method === undefined) return { row, priced }
  const rowWithMethod = { ...row, shipping_method_id: method.id }
  return { row: rowWithMethod, priced: priceCheckout(rowWithMethod) }
}

// The hold of a waiting attempt counts as free for the capture that replaces it: it is released first. This only avoids refusing that
// capture too early. Taking the stock decides whether there is enough.

const addHeldCodes = (row: CheckoutRow, held: WaitingHold): CheckoutRow => ({
  ...row,
  discount: (held.is_discount_applied ? held.discount : null) ?? row.discount,
  gift_card: (held.is_gift_card_applied ? held.gift_card : null) ?? row.gift_card,
})

const addHeldStock = (lines: readonly LineRow[], { stock }: WaitingHold): LineRow[] =>
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

/** Products with a new choice, or with an option that is still to be chosen. */
const productsToChooseOf = ({ lines }: CheckoutRow, choices: readonly LineChoice[]): string[] => [
  ...choices.map(({ product_id }) => product_id),
  ...lines
    .filter(({ groups }) => groups.some(({ option_id }) => option_id === null))
    .map(({ product_id }) => product_id),
]

/**
 * The body's address, else the destination chosen before. An address without a region keeps the region chosen before for the same country,
 * because the totals showed it.
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

/** Empty for an unknown region. Undefined without a region. */
const regionOf = ({ region }: ShippingDestination): string | undefined => (region === null ? '' : region)

/** A method is ignored if nothing is shipped. */
function refuseMethod(
  row: CheckoutRow,
  { method, methods, offered }: PricedCheckout,
  { place }: ReadAddress,
  problems: Problems,
) {
  if (row.shipping_method_id === null || method !== null || !needsShipping(row)) return
  const country = row.shipping_region === '' ? row.shipping_country : null
  const inCountry = country === null ? [] : filterOfferedMethods(methods, { country, region: undefined })
  const isForItsRegions = inCountry.some(({ id }) => id === row.shipping_method_id)
  // An unknown region is refused in its own field.
  if (isForItsRegions && place?.region === null) return
  const ids = offered.map(({ id }) => id)
  const message = isForItsRegions
    ? refusal('missing_field', { field: 'region' })
    : refusal(ids.length === 0 ? 'shipping_to_nowhere' : 'shipping_not_offered')
  problems.refused(
    'fulfillment.shipping_method',
    isForItsRegions
      ? 'is for some regions of the country alone: say which in shipping.county_state, or choose another method'
      : ids.length === 0
        ? 'cannot be used: there is none for what is bought and where it goes'
        : `must be one that is offered for what is bought and where it goes: ${ids.join(', ')}`,
    message,
  )
}

/** The total that the shopper was shown. Null if the body does not say. */
function readExpectedTotal({ expected_total: sent }: CaptureBody, currency: string, problems: Problems): Minor | null {
  const value = typeof sent === 'number' ? sent : textOrNull(sent)?.trim()
  if (value === undefined) return null
  const amount = parseAmount(value, currency, { field: 'expected_total', max: MAX_TOTAL })
  if (amount.ok) return amount.minor
  problems.malformedAs({ expected_total: [amount.reason] })
  return null
}
