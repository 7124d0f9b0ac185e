// The discount code and the gift card of a capture: those that its body names, within the limits of guessing, else the token's. One
// that was applied and cannot be used any more is refused before anything is charged: the shopper has seen another total.

import type { Context } from '../../../http/endpoint/endpoint.ts'
import type { Problems } from '../../../lib/errors.ts'
import { given } from '../../../lib/json.ts'
import type { CheckoutContext } from '../../checkouts/checkout.ts'
import type { CheckoutRow } from '../../checkouts/read-store.ts'
import { REFUSED_CODE, tryDiscountCode } from '../../discounts/code.ts'
import type { AppliedDiscountRow } from '../../discounts/store.ts'
import { REFUSED_GIFT_CARD, tryGiftCardCode } from '../../gift-cards/gift-card.ts'
import type { AppliedGiftCardRow } from '../../gift-cards/store.ts'
import type { HeldByWaiting } from '../hold-store.ts'
import type { CaptureFacts } from '../read-store.ts'
import type { CaptureBody } from './schema.ts'

type Entering = CheckoutContext & Pick<Context, 'clientNetworks'>

/** Undefined: the body names none. Null: it was refused. */
export type Entered = {
  readonly discount: AppliedDiscountRow | null | undefined
  readonly giftCard: AppliedGiftCardRow | null | undefined
}

/** Throws `tooManyRequests` after too many guesses. What the token has already is none, nor what its waiting attempt holds. */
export async function enteredCodes(
  entering: Entering,
  row: CheckoutRow,
  held: HeldByWaiting | null,
  body: CaptureBody,
): Promise<Entered> {
  const [discount, giftCard] = await Promise.all([
    enteredOne(entering, row, body.discount_code, [row.discount, held?.discount], tryDiscountCode),
    enteredOne(entering, row, body.giftcard_code, [row.gift_card, held?.gift_card], tryGiftCardCode),
  ])
  return { discount, giftCard }
}

function enteredOne<Found extends { code: string }>(
  entering: Entering,
  { id }: CheckoutRow,
  sent: string | null | undefined,
  [applied, held]: readonly [applied: Found | null, held: Found | null | undefined],
  tryCode: (entering: Entering, entered: { code: string; enteredIn: string }) => Promise<Found | null>,
): Promise<Found | null> | Found | undefined {
  const code = given(sent)?.trim()
  const isOf = (known: Found | null | undefined) => code?.toLowerCase() === known?.code.toLowerCase()
  if (code === undefined || isOf(applied)) return undefined
  if (held && isOf(held)) return held
  return tryCode(entering, { code, enteredIn: id })
}

/** The token with the codes of the body. */
export function withCodes(
  row: CheckoutRow,
  entered: Entered,
  facts: Pick<CaptureFacts, 'has_discount' | 'has_gift_card'>,
  problems: Problems,
): CheckoutRow {
  const { discount = row.discount, giftCard = row.gift_card } = entered
  if (discount === null && (entered.discount === null || facts.has_discount))
    problems.refusedAs('discount_code', entered.discount === null ? REFUSED_CODE : `${REFUSED_CODE} ${TAKE_AWAY}`)
  if (giftCard === null && (entered.giftCard === null || facts.has_gift_card))
    problems.refusedAs(
      'giftcard_code',
      entered.giftCard === null ? REFUSED_GIFT_CARD : `${REFUSED_GIFT_CARD} ${TAKE_AWAY}`,
    )
  return { ...row, discount, gift_card: giftCard }
}

const TAKE_AWAY = 'It was applied to this checkout; apply another, or an empty one to go on without.'
