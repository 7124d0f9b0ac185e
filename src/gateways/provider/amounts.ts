// Sums as providers write them. Ours are whole numbers in the smallest unit that ISO 4217 gives a currency; some providers count in others. A
// sum is converted exactly or refused, never rounded: it would not be what the shopper has agreed to.

import { currencyOf } from '../../lib/currencies.ts'
import type { FieldErrors } from '../../lib/errors.ts'
import type { Minor } from '../../lib/money.ts'
import { nothingCharged, type Sum } from '../call.ts'
import { type Json, textOf } from './json.ts'

/** How a provider counts a currency: with how many decimals, and in steps of how many of its smallest units (10: the last digit is 0). */
export type CurrencyRule = { readonly decimals: number; readonly step?: number }

export type CurrencyRules = {
  readonly provider: string
  /** By code, where it is not as ISO 4217 says. `false`: the provider does not take it. */
  readonly exceptions: Readonly<Record<string, CurrencyRule | false>>
  /** All that it takes; without it, whatever is not an exception. */
  readonly only?: readonly string[]
  /** The most that it takes, in its own units. */
  readonly most?: number
}

type Converted = { readonly ok: true; readonly units: number } | { readonly ok: false; readonly reason: string }

/** The sum in the provider's units. */
function toUnits(rules: CurrencyRules, { amount, currency }: Sum): Converted {
  const rule = ruleOf(rules, currency)
  if (rule === null) return { ok: false, reason: `${rules.provider} takes no payments in ${currency}.` }
  const [multiplier, divisor] = factors(rule, currency)
  const units = (amount * multiplier) / divisor
  if (!Number.isSafeInteger(units) || units % (rule.step ?? 1) !== 0)
    return { ok: false, reason: `${rules.provider} cannot take so fine a sum in ${currency}.` }
  if (rules.most !== undefined && units > rules.most)
    return { ok: false, reason: `${rules.provider} takes no sum as high as that.` }
  return { ok: true, units }
}

/** Why the provider cannot move so much, or so little; null where it can. Asked of a part, whose whole may have been fine. */
export function unsayable(rules: CurrencyRules, sum: Sum): string | null {
  const converted = toUnits(rules, sum)
  return converted.ok ? null : converted.reason
}

/** The finest sum that the provider can move, in our units: for `stepIn`. What it does not take at all has no step of its own. */
export function stepOf(rules: CurrencyRules, currency: string): Minor {
  const rule = ruleOf(rules, currency)
  if (rule === null) return 1
  const [multiplier, divisor] = factors(rule, currency)
  return Math.max(1, ((rule.step ?? 1) * divisor) / multiplier)
}

/** `toUnits` of a sum that was found good before (`problemsOf`, `unsayable`). */
export function unitsOf(rules: CurrencyRules, sum: Sum): number {
  const converted = toUnits(rules, sum)
  if (!converted.ok) throw nothingCharged(converted.reason)
  return converted.units
}

/** What the provider has said, in our units. Null where it cannot be said in them, which is then never as asked. */
export function fromUnits(rules: CurrencyRules, units: number, currency: string): Minor | null {
  const rule = ruleOf(rules, currency)
  if (rule === null || !Number.isSafeInteger(units)) return null
  const [multiplier, divisor] = factors(rule, currency)
  const amount = (units * divisor) / multiplier
  return Number.isSafeInteger(amount) ? amount : null
}

/** The sum as decimal text with as many decimals as the provider counts: `10.50`, `1050`. */
function toDecimal(rules: CurrencyRules, sum: Sum): { ok: true; text: string } | { ok: false; reason: string } {
  const converted = toUnits(rules, sum)
  if (!converted.ok) return converted
  const decimals = ruleOf(rules, sum.currency)?.decimals ?? 0
  const digits = String(converted.units).padStart(decimals + 1, '0')
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  return { ok: true, text }
}

/** `toDecimal` of a sum that was found good before (`problemsOf`, `unsayable`). */
export function decimalOf(rules: CurrencyRules, sum: Sum): string {
  const converted = toDecimal(rules, sum)
  if (!converted.ok) throw nothingCharged(converted.reason)
  return converted.text
}

/** Decimal text of the provider's, in our units. Null where it is none, or cannot be said in them. */
export function fromDecimal(rules: CurrencyRules, text: string, currency: string): Minor | null {
  const decimals = ruleOf(rules, currency)?.decimals
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (decimals === undefined || whole === '') return null
  const kept = fraction.padEnd(decimals, '0')
  // Zeros behind the last decimal say nothing; other digits do.
  if (/[1-9]/.test(kept.slice(decimals))) return null
  return fromUnits(rules, Number(whole + kept.slice(0, decimals)), currency)
}

/** A sum as most providers write it, in their units; null where it is none that we could name. */
export function sumIn(rules: CurrencyRules, { amount, currency }: Json): Sum | null {
  const code = textOf(currency)
  const minor = code === null || typeof amount !== 'number' ? null : fromUnits(rules, amount, code)
  return code === null || minor === null ? null : { amount: minor, currency: code }
}

/** For `problemsOf`: empty where the provider can take it. */
export function sumProblems(rules: CurrencyRules, sum: Sum): FieldErrors {
  const converted = toUnits(rules, sum)
  return converted.ok ? {} : { 'payment.gateway': [`${converted.reason} Choose another way to pay.`] }
}

function ruleOf({ exceptions, only }: CurrencyRules, currency: string): CurrencyRule | null {
  const exception = exceptions[currency]
  if (exception === false || (only !== undefined && !only.includes(currency))) return null
  return exception ?? { decimals: currencyOf(currency).exponent }
}

/** By what our units are multiplied and divided to get the provider's. */
function factors({ decimals }: CurrencyRule, currency: string): readonly [multiplier: number, divisor: number] {
  const { exponent } = currencyOf(currency)
  return decimals >= exponent ? [10 ** (decimals - exponent), 1] : [1, 10 ** (exponent - decimals)]
}
