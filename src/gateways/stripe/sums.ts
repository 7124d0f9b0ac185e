// How Stripe counts money (docs.stripe.com/currencies), where that is not as ISO 4217 says.

import type { Minor } from '../../lib/money.ts'
import { open } from '../call.ts'
import { type CurrencyRule, type CurrencyRules, fromUnits } from '../provider/amounts.ts'

/**
 * Stripe lists it among those without decimals, and elsewhere asks for two: one of them would charge a hundred times too much or too little.
 * Until somebody has tried it, it is not taken.
 */
const UGANDAN_SHILLINGS: CurrencyRule | false = false

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
    IQD: false,
    LYD: false,
    CLF: false,
    UYW: false,
    UYI: false,
  },
  // Eight digits.
  most: 99_999_999,
}

/** What Stripe says it has taken. One that cannot be said in our units is nothing that we have asked for: a person has to look at it. */
export function amountOf(units: number, currency: string): Minor {
  const amount = fromUnits(RULES, units, currency)
  if (amount !== null) return amount
  throw open(`Stripe speaks of ${units} in ${currency}, which is no sum of ours.`)
}
