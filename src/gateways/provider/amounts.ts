// Converts amounts between our units and those of providers. We count the smallest unit of ISO 4217 in whole numbers;
// some providers count differently. An amount that cannot be converted exactly is refused, because the shopper has not
// agreed to a rounded amount.

import { currencyOf } from '../../lib/currencies.ts'
import type { FieldErrors } from '../../lib/errors.ts'
import type { Minor } from '../../lib/money.ts'
import { type Money, nothingChargedError } from '../call.ts'
import { type JsonRecord, textOf } from './json.ts'

/** Decimals of a currency at a provider. Every amount in the provider's units must be a multiple of `step`. */
export type CurrencyRule = { readonly decimals: number; readonly step?: number }

export type CurrencyRules = {
  readonly provider: string
  /** Deviations from ISO 4217 by currency code; `false` if the provider does not accept the currency. */
  readonly exceptions: Readonly<Record<string, CurrencyRule | false>>
  /** All accepted currencies. Without it, every currency is accepted unless it is an exception. */
  readonly only?: readonly string[]
  /** Highest amount in the provider's units. */
  readonly most?: number
}

type Converted = { readonly ok: true; readonly units: number } | { readonly ok: false; readonly reason: string }

function toUnits(rules: CurrencyRules, { amount, currency }: Money): Converted {
  const rule = ruleOf(rules, currency)
  if (rule === null) return { ok: false, reason: `${rules.provider} takes no payments in ${currency}.` }
  const [multiplier, divisor] = factors(rule, currency)
  const units = (amount * multiplier) / divisor
  if (!Number.isSafeInteger(units) || units % (rule.step ?? 1) !== 0)
    return { ok: false, reason: `${rules.provider} cannot take an amount this precise in ${currency}.` }
  if (rules.most !== undefined && units > rules.most)
    return { ok: false, reason: `${rules.provider} cannot take an amount this high.` }
  return { ok: true, units }
}

/**
 * Returns the reason why the provider cannot move this amount; null if it can. A provider may refuse a partial amount
 * although it accepted the full amount.
 */
export function findSumProblem(rules: CurrencyRules, sum: Money): string | null {
  const converted = toUnits(rules, sum)
  return converted.ok ? null : converted.reason
}

/** Implements `stepIn` of a gateway: our amounts must be multiples of it. An unsupported currency gives 1. */
export function stepOf(rules: CurrencyRules, currency: string): Minor {
  const rule = ruleOf(rules, currency)
  if (rule === null) return 1
  const [multiplier, divisor] = factors(rule, currency)
  return Math.max(1, ((rule.step ?? 1) * divisor) / multiplier)
}

/** Converts an amount that passed `problemsOf` or `findSumProblem` to the provider's units. Throws for any other. */
export function toProviderUnits(rules: CurrencyRules, sum: Money): number {
  const converted = toUnits(rules, sum)
  if (!converted.ok) throw nothingChargedError(converted.reason)
  return converted.units
}

/** Converts the provider's units to ours. Null if our units cannot express them, or for an unsupported currency. */
export function fromUnits(rules: CurrencyRules, units: number, currency: string): Minor | null {
  const rule = ruleOf(rules, currency)
  if (rule === null || !Number.isSafeInteger(units)) return null
  const [multiplier, divisor] = factors(rule, currency)
  const amount = (units * divisor) / multiplier
  return Number.isSafeInteger(amount) ? amount : null
}

/** Decimal text with as many decimals as the provider's rule has: `10.50`, `1050`. */
function toDecimal(rules: CurrencyRules, sum: Money): { ok: true; text: string } | { ok: false; reason: string } {
  const converted = toUnits(rules, sum)
  if (!converted.ok) return converted
  const decimals = ruleOf(rules, sum.currency)?.decimals ?? 0
  const digits = String(converted.units).padStart(decimals + 1, '0')
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  return { ok: true, text }
}

/** Decimal text of an amount that passed `problemsOf` or `findSumProblem`. Throws for any other. */
export function toProviderDecimal(rules: CurrencyRules, sum: Money): string {
  const converted = toDecimal(rules, sum)
  if (!converted.ok) throw nothingChargedError(converted.reason)
  return converted.text
}

/** Converts the provider's decimal text to our units. Null if it is malformed or our units cannot express it. */
export function fromDecimal(rules: CurrencyRules, text: string, currency: string): Minor | null {
  const decimals = ruleOf(rules, currency)?.decimals
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (decimals === undefined || whole === '') return null
  const digits = fraction.padEnd(decimals, '0')
  // Extra decimals must be zeros.
  if (/[1-9]/.test(digits.slice(decimals))) return null
  return fromUnits(rules, Number(whole + digits.slice(0, decimals)), currency)
}

/** Reads an object with `amount` and `currency` in the provider's units. Null if it is not a valid amount. */
export function readProviderSum(rules: CurrencyRules, { amount, currency }: JsonRecord): Money | null {
  const code = textOf(currency)
  const minor = code === null || typeof amount !== 'number' ? null : fromUnits(rules, amount, code)
  return code === null || minor === null ? null : { amount: minor, currency: code }
}

/** Field errors for `problemsOf`. Empty if the provider can move the amount. */
export function sumProblems(rules: CurrencyRules, sum: Money): FieldErrors {
  const converted = toUnits(rules, sum)
  return converted.ok ? {} : { 'payment.gateway': [`${converted.reason} Choose another way to pay.`] }
}

function ruleOf({ exceptions, only }: CurrencyRules, currency: string): CurrencyRule | null {
  const exception = exceptions[currency]
  if (exception === false || (only !== undefined && !only.includes(currency))) return null
  return exception ?? { decimals: currencyOf(currency).exponent }
}

/** Factors that convert our units to the provider's. */
function factors({ decimals }: CurrencyRule, currency: string): readonly [multiplier: number, divisor: number] {
  const { exponent } = currencyOf(currency)
  return decimals >= exponent ? [10 ** (decimals - exponent), 1] : [1, 10 ** (exponent - decimals)]
}
