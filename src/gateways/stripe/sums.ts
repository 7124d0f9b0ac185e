// How Stripe counts money (docs.stripe.com/currencies), where that is not as ISO 4217 says.

import type { Minor } from '../../lib/money.ts'
import { open } from '../call.ts'
import { type CurrencyRule, type CurrencyRules, fromUnits } from '../provider/amounts.ts'

/**
 * Stripe lists it among those without decimals, and elsewhere asks for two: one of them would charge a hundred times too much or too little.
 * Until somebody has tried it, it is not taken.
 */
const UGANDAN_SHILLINGS: CurrencyRule | false = false

/**
 * What Stripe publishes as presentment currencies (docs.stripe.com/currencies, support.stripe.com/questions/which-currencies-does-stripe-support; by
 * async-stripe's `Currency`, which follows the latter), as far as they are still in use: SLE and XCG stand for SLL and ANG, which they have
 * replaced. To these come the five with three decimals that the first page names. Which of them an account may use depends on its country: that
 * is left to Stripe. The rest it would refuse only after everything has been held for the shopper.
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

export const RULES: CurrencyRules = {
  provider: 'Stripe',
  exceptions: {
    // Counted with two decimals for the sake of older callers, and only in whole ones.
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

/** What Stripe says it has taken. One that cannot be said in our units is nothing that we have asked for: a person has to look at it. */
export function amountOf(units: number, currency: string): Minor {
  const amount = fromUnits(RULES, units, currency)
  if (amount !== null) return amount
  throw open(`Stripe speaks of ${units} in ${currency}, which is no sum of ours.`)
}
