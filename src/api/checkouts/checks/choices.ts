// Checks and saves a shopper's choices: pay-what-you-want amount, discount code, gift card code, shipping method.
// `checkFree` returns whether nothing is left to pay.

import type { Static } from 'typebox'
import type { Context } from '../../../http/endpoint/endpoint.ts'
import { currencyOf } from '../../../lib/currencies.ts'
import { missingParameter, unprocessable } from '../../../lib/errors.ts'
import { type Minor, parseAmount, priceOf } from '../../../lib/money.ts'
import { fieldRefusal, refusal, type ShopperRefusal, shopperSentence } from '../../../lib/words/refusals.ts'
import { payWhatYouWantProblem } from '../../../pricing/pay-what-you-want.ts'
import { CODE_NOT_ACCEPTED, tryDiscountCode } from '../../discounts/code.ts'
import { viewAppliedDiscount } from '../../discounts/discount.ts'
import type { AppliedDiscountRow } from '../../discounts/store.ts'
import { GIFT_CARD_NOT_ACCEPTED, tryGiftCardCode } from '../../gift-cards/gift-card.ts'
import {
  ALREADY_ORDERED_REFUSAL,
  type CheckoutContext,
  readCheckout,
  renderLiveTotals,
  saveChoiceAndRead,
} from '../checkout.ts'
import { viewShippingOption } from '../live-view.ts'
import { filterOfferedMethods, type NamedPlace, needsShipping, priceCheckout, readPlace } from '../price.ts'
import type { CheckoutRow } from '../read-store.ts'
import type { ShippingOption } from '../schema.ts'
import { saveCustomerSetPrice, saveDiscount, saveGiftCard, saveShipping } from '../store.ts'
import { isFree } from '../view.ts'
import type { AmountCheck, DiscountCheck, FreeCheck, GiftCardCheck, ShippingCheck, ShippingQuery } from './schema.ts'

export async function checkAmount(
  context: CheckoutContext,
  id: string,
  rawAmount: number | string,
): Promise<Static<typeof AmountCheck>> {
  const { currency } = context.caller
  const amount = parseAmount(rawAmount, currency, { field: 'customer_set_price' })
  if (!amount.ok) throw unprocessable({ customer_set_price: [amount.reason] })
  const before = await readCheckout(context, id)
  const refusal = await amountRefusal(context, before, amount.minor)
  if (refusal !== null) return refusal
  const { isSaved, row } = await saveChoiceAndRead(context, id, (db, token) =>
    saveCustomerSetPrice(db, token, amount.minor),
  )
  // A concurrent change of a line may have raised the minimum above the saved amount. The amount then does not count.
  return (
    (await amountRefusal(context, row, amount.minor, isSaved ? null : ALREADY_ORDERED_REFUSAL)) ?? {
      valid: true,
      customer_set_price: priceOf(amount.minor, currency),
      live: await renderLiveTotals(context, row),
    }
  )
}

/** Null if the amount is accepted. `reason` refuses every amount: the token already has an order. */
async function amountRefusal(
  context: CheckoutContext,
  row: CheckoutRow,
  amount: Minor,
  reason: ShopperRefusal | null = null,
): Promise<Static<typeof AmountCheck> | null> {
  const { currency } = context.caller
  const priced = priceCheckout(row)
  const { minimum } = priced.totals.payWhatYouWant
  const finalReason = reason ?? findAmountRefusal(amount, minimum, currency)
  if (finalReason === null) return null
  return {
    valid: false,
    customer_set_price: priceOf(amount, currency),
    minimum: minimum === null ? null : priceOf(minimum, currency),
    message: shopperSentence(finalReason),
    live: await renderLiveTotals(context, row, priced),
  }
}

/** `minimum` comes from price(). Null if the amount is accepted. */
export function findAmountRefusal(amount: Minor, minimum: Minor | null, currency: string): ShopperRefusal | null {
  const { exponent } = currencyOf(currency)
  switch (payWhatYouWantProblem({ customerSetPrice: amount, minimum, exponent })) {
    case null:
      return null
    case 'too_low':
      return refusal('amount_too_low', { minimum: priceOf(minimum ?? 0, currency).formatted_with_symbol })
    case 'too_high':
      return refusal('amount_too_high')
    case 'not_offered':
      return refusal('amount_not_asked')
  }
}

export async function checkFree(context: CheckoutContext, id: string): Promise<Static<typeof FreeCheck>> {
  const live = await renderLiveTotals(context, await readCheckout(context, id))
  return { is_free: isFree(live), live }
}

// Codes. A refused code does not replace the saved code. An empty code removes the saved code.

/** `clientNetworks` is needed to limit guesses of codes by network. */
type CodeContext = CheckoutContext & Pick<Context, 'clientNetworks'>

export async function checkDiscount(
  context: CodeContext,
  id: string,
  code: string,
): Promise<Static<typeof DiscountCheck>> {
  const { caller } = context
  const discount = code === '' ? null : await tryDiscountCode(context, { code, field: 'code', enteredIn: id })
  if (discount === null && code !== '') return refuseCode(context, id, CODE_NOT_ACCEPTED)
  if (discount !== null && !(await appliesTo(context, id, discount))) return refuseCode(context, id, FOR_OTHER_PRODUCTS)
  const { isSaved, row, totals, live } = await saveCode(context, id, (db, token) =>
    saveDiscount(db, token, discount?.id ?? null),
  )
  if (!isSaved) return { valid: false, message: shopperSentence(ALREADY_ORDERED_REFUSAL), live }
  if (discount === null) return { valid: true, code: null, amount_saved: priceOf(0, caller.currency), live }
  const amountSaved = row.discount?.id === discount.id ? totals.amountSaved : 0
  const { type, code: shownCode, value, amount_saved } = viewAppliedDiscount(discount, amountSaved, caller.currency)
  return { valid: true, type, code: shownCode, value, amount_saved, live }
}

/** The message may differ from that for a wrong code: the code exists, so this is not a wrong guess. */
const FOR_OTHER_PRODUCTS = refusal('code_for_other_products')

/** True if the discount covers any line. A token never gains a line, so this is still true when the code is saved. */
async function appliesTo(
  context: CodeContext,
  id: string,
  { product_ids: coveredProductIds }: AppliedDiscountRow,
): Promise<boolean> {
  if (coveredProductIds.length === 0) return true
  const { lines } = await readCheckout(context, id)
  return lines.some(({ product_id }) => coveredProductIds.includes(product_id))
}

export async function checkGiftCard(
  context: CodeContext,
  id: string,
  code: string,
): Promise<Static<typeof GiftCardCheck>> {
  const { caller } = context
  const giftCard = code === '' ? null : await tryGiftCardCode(context, { code, field: 'code', enteredIn: id })
  if (giftCard === null && code !== '') return refuseCode(context, id, GIFT_CARD_NOT_ACCEPTED)
  const { isSaved, row, totals, live } = await saveCode(context, id, (db, token) =>
    saveGiftCard(db, token, giftCard?.id ?? null),
  )
  if (!isSaved) return { valid: false, message: shopperSentence(ALREADY_ORDERED_REFUSAL), live }
  if (giftCard === null) return { valid: true, code: null, credit: 0, live }
  const credit = row.gift_card?.id === giftCard.id ? totals.giftCardCredit : 0
  return { valid: true, code: giftCard.code, credit: priceOf(credit, caller.currency).raw, live }
}

const refuseCode = async (context: CodeContext, id: string, reason: ShopperRefusal) => ({
  valid: false,
  message: shopperSentence(reason),
  live: await renderLiveTotals(context, await readCheckout(context, id)),
})

/**
 * Saves the code and reads the token again, because another request may have replaced the code meanwhile. Throws if the
 * token does not exist.
 */
async function saveCode(context: CodeContext, id: string, save: Parameters<typeof saveChoiceAndRead>[2]) {
  const { isSaved, row } = await saveChoiceAndRead(context, id, save)
  const priced = priceCheckout(row)
  return { isSaved, row, totals: priced.totals, live: await renderLiveTotals(context, row, priced) }
}

const NO_SUCH_COUNTRY = fieldRefusal('country')

/** Lists the shipping options of a place. Saves no choice. */
export async function listShippingOptions(
  context: CheckoutContext,
  id: string,
  namedPlace: NamedPlace,
): Promise<ShippingOption[]> {
  const { methods } = priceCheckout(await readCheckout(context, id))
  const place = readPlace(namedPlace)
  if (place === null) return []
  return filterOfferedMethods(methods, place).map((method) => viewShippingOption(method, context.caller.currency))
}

export async function checkShipping(
  context: CheckoutContext,
  id: string,
  query: Static<typeof ShippingQuery>,
): Promise<Static<typeof ShippingCheck>> {
  const methodId = query.shipping_option_id ?? query.id
  if (methodId === undefined) throw missingParameter('shipping_option_id')
  const place = readPlace(query)
  const before = await readCheckout(context, id)
  const refuse = async (reason: ShopperRefusal, row = before) => ({
    valid: false,
    message: shopperSentence(reason),
    live: await renderLiveTotals(context, row),
  })
  if (place === null) return refuse(NO_SUCH_COUNTRY)
  if (!needsShipping(before)) return refuse(refusal('nothing_to_ship'))
  if (!filterOfferedMethods(priceCheckout(before).methods, place).some((method) => method.id === methodId))
    return refuse(NOT_OFFERED)

  const { isSaved, row } = await saveChoiceAndRead(context, id, (db, token) =>
    saveShipping(db, token, { ...place, methodId }),
  )
  if (!isSaved) return refuse(ALREADY_ORDERED_REFUSAL, row)
  const priced = priceCheckout(row)
  const { method } = priced
  // After a concurrent change of a line, the method may no longer be offered. It then does not count.
  if (method?.id !== methodId) return refuse(NOT_OFFERED, row)
  const { description, price } = method
  const live = await renderLiveTotals(context, row, priced)
  return { valid: true, id: methodId, description, price: priceOf(price, context.caller.currency), live }
}

const NOT_OFFERED = refusal('shipping_not_offered')
