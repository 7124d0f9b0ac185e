// How much of a purchase a gift card pays. It pays like money: the total and the tax stay as they are.

import type { Minor } from '../lib/money.ts'

export type GiftCardPayment = { giftCardCredit: Minor; giftCardBalanceAfter: Minor | null; totalDue: Minor }

/** `balance` is null when there is no card. */
export function payByGiftCard(totalWithTax: Minor, balance: Minor | null): GiftCardPayment {
  const giftCardCredit = balance === null ? 0 : Math.min(balance, totalWithTax)
  return {
    giftCardCredit,
    giftCardBalanceAfter: balance === null ? null : balance - giftCardCredit,
    totalDue: totalWithTax - giftCardCredit,
  }
}
