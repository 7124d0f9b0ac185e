// Checks the body of a capture and reports all its problems at once. A valid body gives the order's draft, the hold to
// take and the payment to charge. Nothing is saved on the token, because the body counts for this capture only.

import { modeNameOf } from '../../../gateways/call.ts'
import type { PaymentInput } from '../../../gateways/gateway.ts'
import { ProviderPaused } from '../../../gateways/provider/breaker.ts'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { notAsExpected, notFound, providerDown } from '../../../lib/errors.ts'
import type { Minor } from '../../../lib/money.ts'
import { refusal } from '../../../lib/words/refusals.ts'
import { renderLiveTotals } from '../../checkouts/checkout.ts'
import type { CheckoutRow } from '../../checkouts/read-store.ts'
import type { Live } from '../../checkouts/schema.ts'
import { stockDemands } from '../../lines/line.ts'
import type { OrderDraft } from '../../orders/make.ts'
import { outageKeyOf } from '../../payment-methods/account.ts'
import { refuseAfterDeclines } from '../declines/slots.ts'
import type { StockDemand } from '../hold-store.ts'
import { draftOrder } from '../order.ts'
import type { AttemptKey } from '../store.ts'
import type { ChosenGateway } from './payment.ts'
import { type QuoteContext, quoteCapture } from './quote.ts'
import type { CaptureBody } from './schema.ts'

/** A capture before its body is checked. */
export type CaptureRequest = {
  readonly checkoutId: string
  /** Keyed digest, the same for any order of fields. A plain digest would allow guesses of card numbers. */
  readonly bodyDigest: Buffer
  /** Null if the body has no payment. */
  readonly payment: PaymentInput | null
}

/** A capture with a valid body. */
export type PreparedCapture = CaptureRequest & {
  readonly draft: OrderDraft
  /** Null if nothing is due. */
  readonly gateway: ChosenGateway | null
  /** One entry for each managed stock item, in any order. */
  readonly stock: readonly StockDemand[]
  /** Discount whose use is counted. Null if the discount saves nothing; the order shows it anyway. */
  readonly discountId: string | null
  /** Gift card, and the credit to take from it. Null if it pays nothing. */
  readonly giftCard: { readonly id: string; readonly credit: Minor } | null
}

type PrepareContext = QuoteContext & Pick<Context, 'clientAddress'>

/**
 * `read` is the token, or null if it does not exist. `waiting` is the attempt that this capture will replace if
 * its body is valid.
 */
export async function prepareCapture(
  context: PrepareContext,
  request: CaptureRequest,
  read: CheckoutRow | null,
  body: CaptureBody,
  waiting: AttemptKey | null,
): Promise<PreparedCapture> {
  if (read === null) throw notFound('checkout token')
  const quote = await quoteCapture(context, request.payment, read, body, waiting)
  const { row, priced, facts, answers, gateway, expected, problems } = quote
  problems.throwIfAny()
  if (gateway !== null) {
    refuseAfterDeclines(gateway.code, facts.declines)
    refuseWhileDown(context, gateway)
  }
  // Check the total last, because correcting any other problem may change it.
  if (expected !== null && expected !== priced.totals.totalDue)
    throw otherTotal(await renderLiveTotals(context, row, priced))

  const draft = draftOrder(row, priced, facts, answers, body.meta ?? null, context)
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

/** Refuses a provider that is down before anything is held, so that the shopper can choose another at once. */
function refuseWhileDown({ payments, caller }: PrepareContext, gateway: ChosenGateway) {
  const provider = outageKeyOf({ ...caller, ...gateway, gateway: gateway.code })
  const seconds = provider === null ? null : payments.breaker.secondsUntilTry(provider)
  if (seconds === null) return
  const name = modeNameOf(gateway.code, caller.is_sandbox)
  throw providerDown(Object.assign(new ProviderPaused(seconds), { provider: name }))
}

const idAndCredit = ({ id, credit }: { id: string; credit: Minor }) => ({ id, credit })

/** Error for a total other than the expected one. `live` has the current totals. */
const otherTotal = (live: Live) =>
  notAsExpected(
    'expected_total',
    `expected_total is not what is due: ${live.total_due.formatted_with_code}. Show the totals, and send that once the shopper agrees.`,
    refusal('total_changed', { total: live.total_due.formatted_with_symbol }),
    { live },
  )
