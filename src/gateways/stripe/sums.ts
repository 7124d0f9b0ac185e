// Stripe's units of money (docs.stripe.com/currencies), where they differ from ISO 4217.

import type { Minor } from '../../lib/money.ts'
import { unknownOutcomeError } from '../call.ts'
import { type CurrencyRule, type CurrencyRules, fromUnits } from '../provider/amounts.ts'

/**
 * Stripe lists it without decimals, but elsewhere requires two. The wrong choice would charge a hundred times too much or too little. Until
 * somebody has tried it, we refuse it.
 */
const UGANDAN_SHILLINGS: CurrencyRule | false = false

/**
 * Stripe's presentment currencies that are still in use (docs.stripe.com/currencies,
 * support.stripe.com/questions/which-currencies-does-stripe-support; after `Currency` of async-stripe, which follows the latter).
 * SLE and XCG have replaced SLL and ANG. The first page adds five currencies with three decimals.
 * Stripe decides which ones an account may use, by its country. Other currencies are refused here: Stripe would refuse them only after
 * everything is held for the shopper.
 */
const PRESENTMENT_CURRENCIES: readonly string[] = (
  'AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BRL BSD BWP BYN BZD CAD CDF CHF CLP CNY COP CRC ' +
  'CVE CZK DJF DKK DOP DZD EGP ETB EUR FJD FKP GBP GEL GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR ISK JMD JOD JPY ' +
  'KES KGS KHR KMF KRW KWD KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MUR MVR MWK MXN MYR MZN NAD NGN NIO ' +
  'NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SEK SGD SHP SLE SOS SRD SVC SZL THB TJS ' +
  'TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VND VUV WST XAF XCD XCG XOF XPF YER ZAR ZMW'
).split(' ')

/** Three decimals, of which the last is 0. */
const TENTHS: CurrencyRule = { decimals: 3, step: 10 }

export const STRIPE_CURRENCIES: CurrencyRules = {
  provider: 'Stripe',
  exceptions: {
    // Counted with two decimals for older API clients, but only in whole units.
    ISK: { decimals: 2, step: 100 },
    MGA: { decimals: 0 },
    UGX: UGANDAN_SHILLINGS,
    KWD: TENTHS,
    BHD: TENTHS,
    OMR: TENTHS,
    JOD: TENTHS,
    TND: TENTHS,
  },
  only: PRESENTMENT_CURRENCIES,
  // Eight digits.
  most: 99_999_999,
}

/** Amount that Stripe reports. One that our units cannot express is not the requested one; a person has to check it. */
export function fromStripeUnits(units: number, currency: string): Minor {
  const amount = fromUnits(STRIPE_CURRENCIES, units, currency)
  if (amount !== null) return amount
  throw unknownOutcomeError(`Stripe reports ${units} in ${currency}, which is not a valid amount.`)
}
