// What is to be paid: the amount that a shopper chooses for pay-what-you-want lines, and whether there is anything to pay at all.

import type { Static } from 'typebox'
import { currencyOf } from '../../lib/currencies.ts'
import { unprocessable } from '../../lib/errors.ts'
import { type Minor, type Price, parseAmount, priceOf } from '../../lib/money.ts'
import { type PayWhatYouWantProblem, payWhatYouWantProblem } from '../../pricing/pay-what-you-want.ts'
import type { AmountCheck, FreeCheck } from './check-schema.ts'
import { ALREADY_ORDERED, type Checking, readCheckout, showLive, tokenAt } from './checkout.ts'
import { saveCustomerSetPrice } from './choice-store.ts'
import { isFree } from './flags.ts'
import { priceCheckout } from './price.ts'
import type { CheckoutRow } from './read-store.ts'

export async function checkAmount(
  checking: Checking,
  id: string,
  sent: number | string,
): Promise<Static<typeof AmountCheck>> {
  const { currency } = checking.caller
  const amount = parseAmount(sent, currency, { field: 'customer_set_price' })
  if (!amount.ok) throw unprocessable({ customer_set_price: [amount.reason] })
  const before = await readCheckout(checking, id)
  const refusal = await refuse(checking, before, amount.minor)
  if (refusal !== null) return refusal
  const isSaved = await saveCustomerSetPrice(checking.db, tokenAt(checking, id), amount.minor)
  const row = await readCheckout(checking, id)
  // A line that grew meanwhile may have lifted the minimum above the amount, which then counts as none.
  return (
    (await refuse(checking, row, amount.minor, isSaved ? null : ALREADY_ORDERED)) ?? {
      valid: true,
      customer_set_price: priceOf(amount.minor, currency),
      live: await showLive(checking, row),
    }
  )
}

/** Null when the amount may be chosen. `reason` is one that the amount has nothing to do with. */
async function refuse(
  checking: Checking,
  row: CheckoutRow,
  amount: Minor,
  reason: string | null = null,
): Promise<Static<typeof AmountCheck> | null> {
  const { currency } = checking.caller
  const priced = priceCheckout(row)
  const { minimum } = priced.totals.payWhatYouWant
  const { exponent } = currencyOf(currency)
  const problem = payWhatYouWantProblem({ customerSetPrice: amount, minimum, exponent })
  const least = minimum === null ? null : priceOf(minimum, currency)
  const message = reason ?? (problem && sentence(problem, least))
  if (message === null) return null
  return {
    valid: false,
    customer_set_price: priceOf(amount, currency),
    minimum: least,
    message,
    live: await showLive(checking, row, priced),
  }
}

function sentence(problem: PayWhatYouWantProblem, least: Price | null): string {
  if (problem === 'too_low') return `The least that is accepted is ${least?.formatted_with_symbol}.`
  return problem === 'too_high' ? 'This is more than is accepted.' : 'Nothing of this checkout is pay what you want.'
}

export async function checkFree(checking: Checking, id: string): Promise<Static<typeof FreeCheck>> {
  const live = await showLive(checking, await readCheckout(checking, id))
  return { is_free: isFree(live), live }
}
