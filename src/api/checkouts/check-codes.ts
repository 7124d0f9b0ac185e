// Discount codes and gift cards that a shopper enters at the checkout, within the limits of guessing. A refused one leaves what was
// applied before; an empty one takes it away.

import type { Static } from 'typebox'
import type { Context } from '../../http/endpoint.ts'
import { priceOf } from '../../lib/money.ts'
import type { AppliedDiscountRow } from '../discounts/applied-store.ts'
import { REFUSED_CODE, tryDiscountCode } from '../discounts/apply.ts'
import { viewAppliedDiscount } from '../discounts/view.ts'
import { REFUSED_GIFT_CARD, tryGiftCardCode } from '../gift-cards/apply.ts'
import type { DiscountCheck, GiftCardCheck } from './check-schema.ts'
import { ALREADY_ORDERED, type Checking, readCheckout, showLive, tokenAt } from './checkout.ts'
import { saveDiscount, saveGiftCard } from './choice-store.ts'
import { priceCheckout } from './price.ts'

/** The limits of guessing go by the client's address too. */
type Entering = Checking & Pick<Context, 'clientNetworks'>

export async function checkDiscount(
  entering: Entering,
  id: string,
  code: string,
): Promise<Static<typeof DiscountCheck>> {
  const { db, clock, caller, clientNetworks } = entering
  const found = code === '' ? null : await tryDiscountCode(db, clock, caller, { code, enteredIn: id, clientNetworks })
  if (found === null && code !== '') return refuse(entering, id, REFUSED_CODE)
  if (found !== null && !(await appliesTo(entering, id, found))) return refuse(entering, id, FOR_OTHER_PRODUCTS)
  if (!(await saveDiscount(db, tokenAt(entering, id), found?.id ?? null))) return refuse(entering, id, ALREADY_ORDERED)
  // As it was saved: who asks for another code at the same moment may have taken this one's place.
  const row = await readCheckout(entering, id)
  const priced = priceCheckout(row)
  const live = await showLive(entering, row, priced)
  if (found === null) return { valid: true, code: null, amount_saved: priceOf(0, caller.currency), live }
  const saved = row.discount?.id === found.id ? priced.totals.amountSaved : 0
  const { type, code: shownCode, value, amount_saved } = viewAppliedDiscount(found, saved, caller.currency)
  return { valid: true, type, code: shownCode, value, amount_saved, live }
}

/** Its own sentence: whoever gets here knows a code that is right, and gave no wrong one that would count as a guess. */
const FOR_OTHER_PRODUCTS = 'This code is for other products than those of this checkout.'

/** Whether the discount is for anything that is bought. A token never gains a line: what is read here holds when it is saved. */
async function appliesTo(entering: Entering, id: string, { product_ids: only }: AppliedDiscountRow): Promise<boolean> {
  if (only.length === 0) return true
  const { lines } = await readCheckout(entering, id)
  return lines.some(({ product_id }) => only.includes(product_id))
}

export async function checkGiftCard(
  entering: Entering,
  id: string,
  code: string,
): Promise<Static<typeof GiftCardCheck>> {
  const { db, clock, caller, clientNetworks } = entering
  const found = code === '' ? null : await tryGiftCardCode(db, clock, caller, { code, enteredIn: id, clientNetworks })
  if (found === null && code !== '') return refuse(entering, id, REFUSED_GIFT_CARD)
  if (!(await saveGiftCard(db, tokenAt(entering, id), found?.id ?? null))) return refuse(entering, id, ALREADY_ORDERED)
  const row = await readCheckout(entering, id)
  const priced = priceCheckout(row)
  const live = await showLive(entering, row, priced)
  if (found === null) return { valid: true, code: null, credit: 0, live }
  const credit = row.gift_card?.id === found.id ? priced.totals.giftCardCredit : 0
  return { valid: true, code: found.code, credit: priceOf(credit, caller.currency).raw, live }
}

/** Throws when there is no such token. */
const refuse = async (entering: Entering, id: string, message: string) => ({
  valid: false,
  message,
  live: await showLive(entering, await readCheckout(entering, id)),
})
