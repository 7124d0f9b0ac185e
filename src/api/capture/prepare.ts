// A capture's body and its token → what is to be charged and the order that comes of it, or everything that is wrong with it at once.
// Nothing is saved on the token: what a body says holds for this capture.

import type { PaymentInput } from '../../gateways/gateway.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { currencyOf } from '../../lib/currencies.ts'
import { notFound, Problems } from '../../lib/errors.ts'
import { given, metaProblem } from '../../lib/json.ts'
import { MAX_TOTAL, type Minor, parseAmount, priceOf } from '../../lib/money.ts'
import { payWhatYouWantProblem } from '../../pricing/pay-what-you-want.ts'
import { type Checking, readCheckout, showLive, tokenAt } from '../checkouts/checkout.ts'
import { hasToBeShipped, methodsFor, type PricedCheckout, priceCheckout } from '../checkouts/price.ts'
import type { CheckoutRow } from '../checkouts/read-store.ts'
import { demandsOf } from '../checkouts/requirements.ts'
import { otherTotal } from './answer.ts'
import { type ReadAddress, readAddress } from './body/address.ts'
import { enteredCodes, withCodes } from './body/codes.ts'
import { type Answers, readCustomer, readExtraFields, refuseMissing, refuseWrong } from './body/form.ts'
import { appliedLines, refuseLines, stockOf, wantedChoices } from './body/lines.ts'
import { chooseGateway } from './body/payment.ts'
import type { CaptureBody } from './body/schema.ts'
import { taxAddress, taxPlace } from './body/tax-place.ts'
import { withHeldCodes, withHeldStock } from './held.ts'
import { findHeldByWaiting } from './hold-store.ts'
import { orderDraft } from './order-draft.ts'
import type { AskedCapture, PreparedCapture } from './prepared.ts'
import { type CaptureFacts, findCaptureFacts, type WantedChoice } from './read-store.ts'
import type { WaitingCapture } from './resume.ts'

/** What a capture needs of its request. */
export type Capturing = Checking & Pick<Context, 'geo' | 'clientAddress' | 'clientNetworks' | 'payments'>

/**
 * Two round trips; codes that the token does not have yet are looked up beside the second. `waiting`: the attempt that this capture will
 * take the place of, unless it is refused here.
 */
export async function prepareCapture(
  capturing: Capturing,
  asked: AskedCapture,
  body: CaptureBody,
  waiting: WaitingCapture | null,
): Promise<PreparedCapture> {
  const problems = new Problems()
  const [read, held] = await Promise.all([
    readCheckout(capturing, asked.checkoutId),
    waiting && findHeldByWaiting(capturing.db, waiting.attempt, capturing.clock.now()),
  ])
  const token = held === null ? read : withHeldCodes(read, held)
  const shipping = readAddress('shipping', body.shipping, problems)
  const billing = readAddress('billing', body.billing, problems)
  const sources = { token: token.taxed_in, sent: body.tax, shipping, billing, isShipped: hasToBeShipped(token) }
  const taxedIn = taxPlace(sources, capturing, problems)
  const choices = wantedChoices(token.lines, body.line_items)
  const [facts, entered] = await Promise.all([
    findCaptureFacts(capturing.db, tokenAt(capturing, token.id), {
      productIds: token.lines.map(({ product_id }) => product_id),
      groupsOf: productsToChooseOf(token, choices),
      choices,
      taxedIn,
      customerId: given(body.customer?.id),
    }),
    enteredCodes(capturing, token, held, body),
  ])
  // It may have expired since it was read.
  if (facts === null) throw notFound('checkout token')

  const lines = appliedLines(token.lines, body.line_items, choices, facts, problems)
  const said: CheckoutRow = {
    ...withCodes(token, entered, facts, problems),
    ...placed(token, shipping),
    lines: held === null ? lines : withHeldStock(lines, held),
    shipping_method_id: given(body.fulfillment?.shipping_method)?.trim() ?? token.shipping_method_id,
    taxed_in: taxedIn,
    tax_zone: facts.tax_zone,
    is_taxed_by_region: facts.is_taxed_by_region,
  }
  const row = { ...said, customer_set_price: chosenAmount(said, body, capturing.caller.currency, problems) }
  const priced = priceCheckout(row)
  const answers: Answers = {
    customer: readCustomer(body.customer, facts, problems),
    isEmailGiven: given(body.customer?.email) !== null,
    shipping,
    billing,
    extraFields: readExtraFields(body.extrafields, facts.products),
    methodId: row.shipping_method_id,
    gateway: asked.payment?.gateway ?? null,
  }
  const demands = demandsOf(row, priced, facts, taxAddress(sources, taxedIn))
  refuseWrong(demands, { email: given(body.customer?.email), extraFields: answers.extraFields }, problems)
  refuseLines(row.lines, facts.products, priced.totals, problems)
  refuseMethod(row, priced, problems)
  const gateway = gatewayOf(capturing, priced, asked.payment, facts, problems)
  refuseMissing(demands, answers, problems)
  refuseLargeMeta(body, problems)
  const expected = expectedTotal(body, capturing.caller.currency, problems)
  problems.throwIfAny()
  // Last: whatever else is wrong may change what is due once it is mended.
  if (expected !== null && expected !== priced.totals.totalDue) throw otherTotal(await showLive(capturing, row, priced))

  const draft = orderDraft(row, priced, facts, answers, body.meta ?? null, capturing)
  const { discount, gift_card: giftCard } = draft.content
  return {
    ...asked,
    draft,
    gateway,
    stock: stockOf(row.lines).map(({ itemId, quantity, lineIds }) => ({ itemId, quantity, lineIds })),
    discountId: discount && discount.amount_saved > 0 ? discount.id : null,
    giftCard: giftCard && giftCard.credit > 0 ? idAndCredit(giftCard) : null,
  }
}

const idAndCredit = ({ id, credit }: { id: string; credit: Minor }) => ({ id, credit })

/** Products of which something is chosen, or left to choose. */
const productsToChooseOf = ({ lines }: CheckoutRow, choices: readonly WantedChoice[]): string[] => [
  ...choices.map(({ product_id }) => product_id),
  ...lines
    .filter(({ groups }) => groups.some(({ option_id }) => option_id === null))
    .map(({ product_id }) => product_id),
]

/** Where it is sent: as the body says, else as was chosen before. An address without a region is in none that is known. */
const placed = (
  { shipping_country, shipping_region }: CheckoutRow,
  { place }: ReadAddress,
): Pick<CheckoutRow, 'shipping_country' | 'shipping_region'> =>
  place === null
    ? { shipping_country, shipping_region }
    : { shipping_country: place.country, shipping_region: place.region ?? '' }

/** Where nothing is pay what you want, an amount says nothing: what storefronts send with every body is no reason to refuse one. */
function chosenAmount(row: CheckoutRow, body: CaptureBody, currency: string, problems: Problems): Minor | null {
  const sent = body.pay_what_you_want
  const value = typeof sent === 'number' ? sent : given(sent)?.trim()
  if (value === undefined) return row.customer_set_price
  const { minimum } = priceCheckout({ ...row, customer_set_price: null }).totals.payWhatYouWant
  if (minimum === null) return row.customer_set_price
  const amount = parseAmount(value, currency, { field: 'pay_what_you_want' })
  if (!amount.ok) {
    problems.malformedAs({ pay_what_you_want: [amount.reason] })
    return null
  }
  const { exponent } = currencyOf(currency)
  const problem = payWhatYouWantProblem({ customerSetPrice: amount.minor, minimum, exponent })
  if (problem === null) return amount.minor
  problems.refused(
    'pay_what_you_want',
    problem === 'too_low'
      ? `must be ${priceOf(minimum, currency).formatted_with_code} or more`
      : 'is more than is accepted',
  )
  return null
}

/** What the shopper was told is due; null where the body does not say. */
function expectedTotal({ expected_total: sent }: CaptureBody, currency: string, problems: Problems): Minor | null {
  const value = typeof sent === 'number' ? sent : given(sent)?.trim()
  if (value === undefined) return null
  const amount = parseAmount(value, currency, { field: 'expected_total', max: MAX_TOTAL })
  if (amount.ok) return amount.minor
  problems.malformedAs({ expected_total: [amount.reason] })
  return null
}

/** As wherever else it is kept: a public key sends it, and an order copies it for good. */
function refuseLargeMeta({ meta, customer, shipping, billing }: CaptureBody, problems: Problems) {
  const metas = {
    meta,
    'customer.meta': customer?.meta,
    'shipping.meta': shipping?.meta,
    'billing.meta': billing?.meta,
  }
  for (const [path, sent] of Object.entries(metas)) {
    const problem = metaProblem(sent, path)
    if (problem !== null) problems.malformedAs({ [path]: [problem] })
  }
}

/** A method that was named where nothing is shipped is passed over. */
function refuseMethod(row: CheckoutRow, { method, methods, offered }: PricedCheckout, problems: Problems) {
  if (row.shipping_method_id === null || method !== null || !hasToBeShipped(row)) return
  // Where only the region is missing, it is the region that is demanded.
  const country = row.shipping_region === '' ? row.shipping_country : null
  const inCountry = country === null ? [] : methodsFor(methods, { country, region: undefined })
  if (inCountry.some(({ id }) => id === row.shipping_method_id)) return
  const ids = offered.map(({ id }) => id)
  problems.refused(
    'fulfillment.shipping_method',
    ids.length === 0
      ? 'cannot be used: there is none for what is bought and where it goes'
      : `must be one that is offered for what is bought and where it goes: ${ids.join(', ')}`,
  )
}

/** Null when nothing is due: whatever the body says of paying is then passed over. */
function gatewayOf(
  { caller, payments }: Capturing,
  { totals }: PricedCheckout,
  payment: PaymentInput | null,
  facts: CaptureFacts,
  problems: Problems,
): PreparedCapture['gateway'] {
  if (totals.totalDue === 0 || payment === null) return null
  return chooseGateway(payment, { rows: facts.gateways, isSandbox: caller.isSandbox, payments }, problems)
}
