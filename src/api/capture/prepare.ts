// A capture's body and its token → what is to be charged and the order that comes of it, or everything that is wrong with it at once.
// Nothing is saved on the token: what a body says holds for this capture.

import { modeNameOf } from '../../gateways/call.ts'
import type { PaymentInput } from '../../gateways/gateway.ts'
import { ProviderLeftAlone } from '../../gateways/provider/breaker.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { notAsExpected, notFound, providerDown } from '../../lib/errors.ts'
import type { Minor } from '../../lib/money.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { showLive } from '../checkouts/checkout.ts'
import type { CheckoutRow } from '../checkouts/read-store.ts'
import type { Live } from '../checkouts/schema.ts'
import { stockDemands } from '../lines/line.ts'
import type { OrderDraft } from '../orders/make.ts'
import { providerOf } from '../payment-methods/account.ts'
import type { ChosenGateway } from './body/payment.ts'
import { type QuoteContext, quoteCapture } from './body/quote.ts'
import type { CaptureBody } from './body/schema.ts'
import { canDecline, refuseAfterDeclines } from './declines/slots.ts'
import type { StockDemand } from './hold-store.ts'
import { orderDraft } from './order-draft.ts'
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

type PrepareContext = QuoteContext & Pick<Context, 'clientAddress'>

/**
 * `read`: the token, null where there is none. `waiting`: the attempt that this capture will take the place of, unless it is refused here.
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
  if (gateway !== null && canDecline(gateway.code)) refuseAfterDeclines(facts.declines)
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
