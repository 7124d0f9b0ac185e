// A capture's body and its token → what is to be charged and the order that comes of it, or everything that is wrong with it at once.
// Nothing is saved on the token: what a body says holds for this capture.

import { modeNameOf } from '../../gateways/call.ts'
import type { PaymentInput } from '../../gateways/gateway.ts'
import { ProviderLeftAlone } from '../../gateways/provider/breaker.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { notAsExpected, notFound, providerDown } from '../../lib/errors.ts'
import { textOrNull } from '../../lib/json.ts'
import type { Minor } from '../../lib/money.ts'
import { Problems } from '../../lib/problems.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { showLive, tokenAt } from '../checkouts/checkout.ts'
import { hasToBeShipped, methodsFor, type PricedCheckout, priceCheckout } from '../checkouts/price.ts'
import type { CheckoutRow } from '../checkouts/read-store.ts'
import { demandsOf } from '../checkouts/requirements.ts'
import type { Live } from '../checkouts/schema.ts'
import { type LineRow, stockDemands } from '../lines/line.ts'
import type { OrderDraft } from '../orders/make.ts'
import { providerOf } from '../payment-methods/account.ts'
import type { Place } from '../shipping/methods.ts'
import { appliedLines, refuseLines, wantedChoices } from './body/lines.ts'
import { type ChosenGateway, chooseGateway, chosenAmount, expectedTotal, findCodes, withCodes } from './body/payment.ts'
import type { CaptureBody } from './body/schema.ts'
import {
  type Answers,
  type ReadAddress,
  readAddress,
  readCustomer,
  readExtraFields,
  refuseLargeMeta,
  refuseMissing,
  refuseWrong,
} from './body/shopper.ts'
import { taxAddress, taxPlaces } from './body/tax-place.ts'
import { findWaitingHold, type StockDemand, type WaitingHold } from './hold-store.ts'
import { orderDraft } from './order-draft.ts'
import { findCaptureFacts, type LineChoice } from './read-store.ts'
import type { AttemptKey } from './store.ts'

/** What a body asks for, before any rule has looked at it. */
export type CaptureRequest = {
  readonly checkoutId: string
  /** The same for equal JSON, whatever the order of its fields. Keyed: by a plain digest card numbers could be tried out. */
  readonly bodyDigest: Buffer
  /** Null: none was sent. */
  readonly payment: PaymentInput | null
}

/** A body that was read, priced and found good. */
export type PreparedCapture = CaptureRequest & {
  readonly draft: OrderDraft
  /** How it is paid; null when nothing is due. */
  readonly gateway: ChosenGateway | null
  /** Only of products with managed inventory; one entry for each stock item, in any order. */
  readonly stock: readonly StockDemand[]
  /** The code whose use is counted; null also when it saves nothing, as one for other products does. The order shows it all the same. */
  readonly discountId: string | null
  /** The card that pays a part, and how much; null also when it pays nothing. */
  readonly giftCard: { readonly id: string; readonly credit: Minor } | null
}

type PrepareContext = Pick<
  Context,
  | 'db'
  | 'clock'
  | 'caller'
  | 'origin'
  | 'signingSecret'
  | 'weigh'
  | 'geo'
  | 'clientAddress'
  | 'clientNetworks'
  | 'payments'
>

/**
 * One round trip; codes that the token does not have yet are looked up beside it. `read`: the token, null where there is none. `waiting`: the
 * attempt that this capture will take the place of, unless it is refused here; what it holds is read before.
 */
export async function prepareCapture(
  context: PrepareContext,
  request: CaptureRequest,
  read: CheckoutRow | null,
  body: CaptureBody,
  waiting: AttemptKey | null,
): Promise<PreparedCapture> {
  const problems = new Problems()
  if (read === null) throw notFound('checkout token')
  context.weigh(read.lines.length)
  const held = waiting && (await findWaitingHold(context.db, waiting, context.clock.now()))
  const token = held === null ? read : withHeldCodes(read, held)
  const shipping = readAddress('shipping', body.shipping, problems)
  const billing = readAddress('billing', body.billing, problems)
  const sources = { token: token.taxed_in, sent: body.tax, shipping, billing, isShipped: hasToBeShipped(token) }
  const places = taxPlaces(sources, context, problems)
  const choices = wantedChoices(token.lines, body.line_items)
  const [facts, codes] = await Promise.all([
    findCaptureFacts(context.db, tokenAt(context, token.id), {
      productIds: token.lines.map(({ product_id }) => product_id),
      groupsOf: productsToChooseOf(token, choices),
      choices,
      taxPlaces: places,
      customerId: textOrNull(body.customer?.id),
    }),
    findCodes(context, token, held, body),
  ])
  // The token may have expired since it was read.
  if (facts === null) throw notFound('checkout token')

  const lines = appliedLines(token.lines, body.line_items, choices, facts, problems)
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
  const row = { ...unpriced, customer_set_price: chosenAmount(unpriced, body, currency, problems) }
  const priced = priceCheckout(row)
  const answers: Answers = {
    customer: readCustomer(body.customer, facts, problems),
    isEmailGiven: textOrNull(body.customer?.email) !== null,
    shipping,
    billing,
    extraFields: readExtraFields(body.extrafields, facts.products),
    methodId: row.shipping_method_id,
    gateway: request.payment?.gateway ?? null,
  }
  const demands = demandsOf(row, priced, facts, taxAddress(sources, facts.taxed_in))
  refuseWrong(demands, { email: textOrNull(body.customer?.email), extraFields: answers.extraFields }, problems)
  refuseLines(row.lines, facts.products, priced.totals, problems)
  refuseMethod(row, priced, shipping, problems)
  const due = { amount: priced.totals.totalDue, currency }
  const gateway = chooseGateway(context, due, request.payment, facts.gateways, problems)
  refuseMissing(demands, answers, problems)
  refuseLargeMeta(body, problems)
  const expected = expectedTotal(body, currency, problems)
  problems.throwIfAny()
  if (gateway !== null) refuseWhileDown(context, gateway)
  // Checked last: mending anything else may change what is due.
  if (expected !== null && expected !== priced.totals.totalDue) throw otherTotal(await showLive(context, row, priced))

  const draft = orderDraft(row, priced, facts, answers, body.meta ?? null, context)
  const { discount, gift_card: giftCard } = draft.content
  return {
    ...request,
    draft,
    gateway,
    stock: stockDemands(row.lines).map(({ itemId, quantity, lineIds }) => ({ itemId, quantity, lineIds })),
    discountId: discount && discount.amount_saved > 0 ? discount.id : null,
    giftCard: giftCard && giftCard.credit > 0 ? idAndCredit(giftCard) : null,
  }
}

/** Before anything is held: the shopper hears at once that another way to pay is needed. */
function refuseWhileDown({ payments, caller }: PrepareContext, gateway: ChosenGateway) {
  const provider = providerOf({ ...caller, ...gateway, gateway: gateway.code })
  const seconds = provider === null ? null : payments.breaker.secondsUntilTry(provider)
  if (seconds === null) return
  const name = modeNameOf(gateway.code, caller.isSandbox)
  throw providerDown(Object.assign(new ProviderLeftAlone(seconds), { provider: name }))
}

const idAndCredit = ({ id, credit }: { id: string; credit: Minor }) => ({ id, credit })

/** Nothing is held and nothing was charged; `live` is what would have been. */
const otherTotal = (live: Live) =>
  notAsExpected(
    'expected_total',
    `expected_total is not what is due: ${live.total_due.formatted_with_code}. Show the totals, and send that once the shopper agrees.`,
    refusal('total_changed', { total: live.total_due.formatted_with_symbol }),
    { live },
  )

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
