// Reads the payment in a capture's body: gateway, details, discount code, gift card, and the amount that the shopper
// chose. Card data passes through here. It is never stored, and no error message repeats it.

import type { GatewayConfig, Money } from '../../../gateways/call.ts'
import type { CardInput, GatewayAdapter, PaymentInput } from '../../../gateways/gateway.ts'
import { findGateway, gateways, providers } from '../../../gateways/index.ts'
import { findCardNumbers, findContradictions } from '../../../gateways/provider/payment.ts'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { currencyOf } from '../../../lib/currencies.ts'
import type { FieldErrors } from '../../../lib/errors.ts'
import { textOrNull } from '../../../lib/json.ts'
import { type Minor, parseAmount, priceOf } from '../../../lib/money.ts'
import { Problems } from '../../../lib/problems.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import { payWhatYouWantProblem } from '../../../pricing/pay-what-you-want.ts'
import { priceCheckout } from '../../checkouts/price.ts'
import type { CheckoutRow } from '../../checkouts/read-store.ts'
import { CODE_NOT_ACCEPTED, type EnteredCode, REFUSED_CODE, tryDiscountCode } from '../../discounts/code.ts'
import type { AppliedDiscountRow } from '../../discounts/store.ts'
import { GIFT_CARD_NOT_ACCEPTED, REFUSED_GIFT_CARD, tryGiftCardCode } from '../../gift-cards/gift-card.ts'
import type { AppliedGiftCardRow } from '../../gift-cards/store.ts'
import { findUsableRows } from '../../payment-methods/available.ts'
import type { OfferRow } from '../../payment-methods/store.ts'
import type { CaptureFacts, WaitingHold } from './read-store.ts'
import type { CaptureBody, SentPayment } from './schema.ts'

/** Null when the body has no payment. */
export function readPayment(sent: SentPayment | null | undefined): PaymentInput | null {
  if (sent === undefined || sent === null) return null
  const { gateway, card, ...details } = sent
  return { gateway: textOrNull(gateway)?.trim() ?? null, card: card ? readCard(card) : null, details }
}

function readCard(card: NonNullable<SentPayment['card']>): CardInput {
  const [month, year] = expiryOf(textOrNull(card.expires) ?? '')
  return {
    number: textOrNull(card.number),
    cvc: textOrNull(card.cvc),
    expiryMonth: textOrNull(card.expiry_month) ?? month,
    expiryYear: textOrNull(card.expiry_year) ?? year,
    postalZipCode: textOrNull(card.postal_zip_code),
    token: textOrNull(card.token),
    nonce: textOrNull(card.nonce),
  }
}

const EXPIRY = /^(\d{1,2})\s{0,2}[/-]?\s{0,2}(\d{4}|\d{2})$/

/** Reads `05/30`, `05/2030` and `0530`. Any other text counts as missing, and the gateway refuses it. */
function expiryOf(expires: string): [month: string | null, year: string | null] {
  const [, month = null, year = null] = EXPIRY.exec(expires.trim()) ?? []
  return [month, year]
}

/** The gateway that charges a capture. `methodId` is null if the gateway works without being set up. */
export type ChosenGateway = {
  readonly code: string
  readonly methodId: string | null
  readonly isSimulated: boolean
  readonly config: GatewayConfig
  /** The provider's id of a payment that the shopper made before the capture. */
  readonly reference: string | null
}

type UsableGateway = {
  code: string
  sent: readonly string[]
  isRepeatable: boolean
  isSimulated: boolean
  adapter: GatewayAdapter
  serving: readonly OfferRow[]
}

/**
 * Returns the gateway that the body names, if the merchant has it and it can take money. If nothing is due, ignores the
 * payment and returns null. `refuseMissingOrUnsafe` refuses a body without a gateway.
 */
export function chooseGateway(
  { caller, payments }: Pick<Context, 'caller' | 'payments'>,
  { amount: totalDue, currency }: Money,
  payment: PaymentInput | null,
  rows: readonly OfferRow[],
  problems: Problems,
): ChosenGateway | null {
  const name = payment?.gateway ?? null
  if (totalDue === 0 || payment === null || name === null) return null
  const usable = gateways.flatMap((gateway): UsableGateway[] => {
    const serving = findUsableRows(gateway, rows, caller.is_sandbox)
    if (serving === null) return []
    // A gateway that can be set up several times is never simulated.
    const isSimulated = serving[0]?.is_simulated ?? false
    const adapter = payments.findAdapter(gateway.code, isSimulated)
    if (adapter === undefined) return []
    const { code, paymentFields = [], isRepeatable } = gateway
    return [{ code, sent: paymentFields, isRepeatable, isSimulated, adapter, serving }]
  })
  const gateway = usable.find(({ code, serving }) => code === name || serving.some(({ id }) => id === name))
  if (gateway === undefined) {
    const codes = usable.map(({ code }) => code)
    problems.refused(
      'payment.gateway',
      codes.length === 0 ? 'cannot be used: this shop takes no payments yet' : `must be one of ${codes.join(', ')}`,
      ...(codes.length === 0 ? [refusal('payments_closed')] : []),
    )
    return null
  }
  const { code, sent, isSimulated } = gateway
  const nonText = findNonText(payment.details[code], sent)
  for (const field of nonText) problems.malformed(`payment.${code}.${field}`, 'must be text')
  const wrong = {
    ...(nonText.length > 0 ? {} : gateway.adapter.problemsOf(payment, { amount: totalDue, currency })),
    ...contradictionsFor(code, payment),
  }
  problems.malformedAs(wrong)
  if (providers.includes(code) && Object.keys(wrong).length === 0)
    for (const path of findCardNumbers(payment)) problems.malformed(path, notACard(code))
  const method = methodOf(gateway, payment, problems)
  const only = gateway.adapter.onlyCurrency?.(method?.config ?? {}) ?? null
  if (only !== null && only !== currency)
    problems.malformed(
      'payment.gateway',
      `cannot be ${code}: its account takes ${only} alone. Choose another way to pay`,
    )
  const reference = gateway.adapter.referenceOf?.(payment) ?? null
  return { code, methodId: method?.id ?? null, isSimulated, config: method?.config ?? {}, reference }
}

/** Finds details that are not text. The gateway would treat them as missing. */
const findNonText = (details: unknown, names: readonly string[]): string[] =>
  names.filter((name) => {
    const value = (details as Readonly<Record<string, unknown>> | null | undefined)?.[name] ?? ''
    return typeof value !== 'string'
  })

const notACard = (code: string) => `must not be the number of a card: it is typed into the form of ${code} alone`

/** Only a redirecting gateway reads its payment from several fields, which may name different payments. */
const contradictionsFor = (code: string, { details }: PaymentInput): FieldErrors =>
  findGateway(code)?.page.kind === 'redirect' ? findContradictions(code, details[code]) : {}

/**
 * Refuses card numbers and two different payments in the confirmation of a waiting attempt. Nothing else of its body is
 * checked.
 */
export function refuseConfirmation(code: string | null, payment: PaymentInput | null) {
  if (payment === null || code === null) return
  const problems = new Problems()
  const paths = new Set(providers.includes(code) ? findCardNumbers(payment) : [])
  if (providers.includes(code) && payment.card?.number) paths.add('payment.card.number')
  for (const path of paths) problems.malformed(path, notACard(code))
  problems.malformedAs(contradictionsFor(code, payment))
  problems.throwIfAny()
}

/** If the merchant set a gateway up several times, the body must name one by its id. */
function methodOf(
  { code, isRepeatable, serving }: UsableGateway,
  payment: PaymentInput,
  problems: Problems,
): OfferRow | undefined {
  const byGateway = serving.find(({ id }) => id === payment.gateway)
  if (byGateway !== undefined || !isRepeatable) return byGateway ?? serving[0]
  const methodId = idIn(payment.details[code])
  if (methodId === null) {
    if (serving.length > 1) problems.malformed(`payment.${code}.id`, `is required: ${accepted(serving)}`)
    return serving[0]
  }
  const method = serving.find(({ id }) => id === methodId)
  if (method === undefined) problems.refused(`payment.${code}.id`, accepted(serving))
  return method
}

const accepted = (serving: readonly OfferRow[]) => `must be one of ${serving.map(({ id }) => id).join(', ')}`

function idIn(details: unknown): string | null {
  if (typeof details !== 'object' || details === null || !('id' in details)) return null
  return typeof details.id === 'string' ? textOrNull(details.id) : null
}

/** Undefined: the body has no code, or the one that is applied to the token. Null: the code was refused. */
type Codes = {
  readonly discount: AppliedDiscountRow | null | undefined
  readonly giftCard: AppliedGiftCardRow | null | undefined
}

type CodeContext = Pick<Context, 'db' | 'clock' | 'caller' | 'clientNetworks'>

/**
 * Looks up the codes of the body. Throws `tooManyRequests` after too many guesses. A code that the token or its waiting attempt already has
 * does not count as a guess.
 */
export async function findCodes(
  context: CodeContext,
  row: CheckoutRow,
  held: WaitingHold | null,
  body: CaptureBody,
): Promise<Codes> {
  const [discount, giftCard] = await Promise.all([
    findCode(context, row, body, 'discount_code', [row.discount, held?.discount], tryDiscountCode),
    findCode(context, row, body, 'giftcard_code', [row.gift_card, held?.gift_card], tryGiftCardCode),
  ])
  return { discount, giftCard }
}

function findCode<Row extends { code: string }>(
  context: CodeContext,
  { id }: CheckoutRow,
  body: CaptureBody,
  field: 'discount_code' | 'giftcard_code',
  [applied, held]: readonly [applied: Row | null, held: Row | null | undefined],
  tryCode: (context: CodeContext, entered: EnteredCode) => Promise<Row | null>,
): Promise<Row | null> | Row | undefined {
  const code = textOrNull(body[field])?.trim()
  const isOf = (known: Row | null | undefined) => code?.toLowerCase() === known?.code.toLowerCase()
  if (code === undefined || isOf(applied)) return undefined
  if (held && isOf(held)) return held
  return tryCode(context, { code, field, enteredIn: id })
}

/**
 * Applies the codes and the chosen amount of the body to the row of the token. A code that was applied before may have
 * become unusable. It is refused, because the shopper has seen a total with it.
 */
export function applyCodesAndAmount(
  row: CheckoutRow,
  codes: Codes,
  facts: Pick<CaptureFacts, 'has_discount' | 'has_gift_card'>,
  body: CaptureBody,
  currency: string,
  problems: Problems,
): CheckoutRow {
  const withCodes = applyCodes(row, codes, facts, problems)
  return { ...withCodes, customer_set_price: chooseAmount(withCodes, body, currency, problems) }
}

function applyCodes(
  row: CheckoutRow,
  codes: Codes,
  facts: Pick<CaptureFacts, 'has_discount' | 'has_gift_card'>,
  problems: Problems,
): CheckoutRow {
  const { discount = row.discount, giftCard = row.gift_card } = codes
  if (discount === null && (codes.discount === null || facts.has_discount))
    problems.refusedAs(
      'discount_code',
      codes.discount === null ? REFUSED_CODE : `${REFUSED_CODE} ${takeAway('discount')}`,
      CODE_NOT_ACCEPTED,
    )
  if (giftCard === null && (codes.giftCard === null || facts.has_gift_card))
    problems.refusedAs(
      'giftcard_code',
      codes.giftCard === null ? REFUSED_GIFT_CARD : `${REFUSED_GIFT_CARD} ${takeAway('giftcard')}`,
      GIFT_CARD_NOT_ACCEPTED,
    )
  return { ...row, discount, gift_card: giftCard }
}

/**
 * An empty code in the body is not enough: storefronts send one with every capture, even if the shopper expects the
 * discount.
 */
const takeAway = (helper: 'discount' | 'giftcard') =>
  `It was applied to this checkout: apply another by check/${helper}, or an empty one there to go on without.`

/** Ignores the amount if no line is pay-what-you-want, because storefronts send one with every body. */
function chooseAmount(row: CheckoutRow, body: CaptureBody, currency: string, problems: Problems): Minor | null {
  const { pay_what_you_want: amountInBody } = body
  const value = typeof amountInBody === 'number' ? amountInBody : textOrNull(amountInBody)?.trim()
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
    problem === 'too_low'
      ? refusal('amount_too_low', { minimum: priceOf(minimum, currency).formatted_with_symbol })
      : refusal('amount_too_high'),
  )
  return null
}
