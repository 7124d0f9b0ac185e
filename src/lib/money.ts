// Amounts of money: whole numbers of the currency's minor unit, and how they are read, printed, rounded and shared out.
// Nothing here computes with fractions. A decimal amount exists only as text on the way in and out.

import { currencyOf } from './currencies.ts'

/**
 * Amount in minor units (cents for USD, yen for JPY): an integer within ±MAX_TOTAL, checked where it enters and leaves.
 * Not a branded type: every sum would need a cast, and a cast hides exactly the mistake a brand is meant to catch.
 */
export type Minor = number

/** Largest amount that a request may name: 10^12 minor units. */
export const MAX_AMOUNT: Minor = 1_000_000_000_000

/** Largest amount that can be shown. Up to 15 digits a JSON number holds every decimal exactly, so larger sums must be refused. */
export const MAX_TOTAL: Minor = 999_999_999_999_999

export type FormattedPrice = {
  raw: number
  formatted: string
  formatted_with_symbol: string
  formatted_with_code: string
}

/** The price object of the API. */
export function priceOf(minor: Minor, currencyCode: string): FormattedPrice {
  const { code, exponent, symbol } = currencyOf(currencyCode)
  const sign = minor < 0 ? '-' : ''
  const [whole, fraction] = splitDigits(minor, exponent)
  const digits = fraction === '' ? groupThousands(whole) : `${groupThousands(whole)}.${fraction}`
  return {
    // One correctly rounded division of integers within 15 digits gives the number that prints as this very decimal.
    raw: minor === 0 ? 0 : minor / 10 ** exponent,
    formatted: sign + digits,
    formatted_with_symbol: sign + symbol + digits,
    formatted_with_code: `${sign}${digits} ${code}`,
  }
}

/** `1234.50`: the plain decimal, for gateways that take text. */
export function decimalText(minor: Minor, currencyCode: string): string {
  const [whole, fraction] = splitDigits(minor, currencyOf(currencyCode).exponent)
  return (minor < 0 ? '-' : '') + (fraction === '' ? whole : `${whole}.${fraction}`)
}

/** The digits before and after the decimal point, without the sign. */
function splitDigits(minor: Minor, exponent: number): [whole: string, fraction: string] {
  if (!Number.isInteger(minor) || Math.abs(minor) > MAX_TOTAL)
    throw new RangeError('An amount must be a whole number of minor units of at most 15 digits.')
  const digits = String(Math.abs(minor)).padStart(exponent + 1, '0')
  const point = digits.length - exponent
  return [digits.slice(0, point), digits.slice(point)]
}

function groupThousands(digits: string): string {
  let end = digits.length
  let text = ''
  for (; end > 3; end -= 3) text = `,${digits.slice(end - 3, end)}${text}`
  return digits.slice(0, end) + text
}

/** An exact decimal number: `units` / 10^`scale`. */
type Decimal = { readonly units: bigint; readonly scale: number }

const DECIMAL = /^-?\d+(?:\.\d+)?$/
// Far more digits than any amount or rate has. The limit keeps hostile text away from BigInt.
const MAX_DECIMAL_LENGTH = 40

/**
 * Reads a JSON number or a decimal string. Null for anything else: other signs than `-`, blanks, exponents, separators.
 * A number is read through its shortest text, which is what the client wrote: 19.99 is 19.99, and 0.1 + 0.2 has 17 decimals.
 */
export function readDecimal(value: unknown): Decimal | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const text = String(value)
  if (text.length > MAX_DECIMAL_LENGTH || !DECIMAL.test(text)) return null
  const point = text.indexOf('.')
  if (point === -1) return { units: BigInt(text), scale: 0 }
  return { units: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 }
}

type ParsedAmount = { ok: true; minor: Minor } | { ok: false; reason: string }

/** `field` starts the error message. */
export type AmountRules = { allowNegative?: boolean; field?: string; max?: Minor }

/** Reads an amount from a request. `reason` is a whole sentence. */
export function parseAmount(value: unknown, currencyCode: string, rules: AmountRules = {}): ParsedAmount {
  const { allowNegative = false, field = 'The amount', max = MAX_AMOUNT } = rules
  const { code, exponent } = currencyOf(currencyCode)
  const failWith = (rule: string): ParsedAmount => ({ ok: false, reason: `${field} must ${rule}.` })

  const decimal = readDecimal(value)
  if (decimal === null)
    return failWith(`be a number or a decimal string such as ${decimalText(12 * 10 ** exponent, code)}, in ${code}`)
  if (decimal.scale > exponent)
    return failWith(
      exponent === 0
        ? `be a whole number, as ${code} has no decimals`
        : `have at most ${exponent} decimals, as ${code} has`,
    )

  const minor = decimal.units * 10n ** BigInt(exponent - decimal.scale)
  if (minor < 0n && !allowNegative) return failWith('not be negative')
  const limit = BigInt(max)
  if (minor > limit || minor < -limit)
    return failWith(`be at most ${priceOf(max, code).formatted_with_code}${minor < 0n ? ' below zero' : ''}`)
  return { ok: true, minor: Number(minor) }
}

/**
 * a × num / den, rounded once to a whole number. A half rounds away from zero, so that a refund mirrors its charge.
 * Whole numbers only: a rate of 7.25 % is 725 / 10000.
 */
export function mulDivHalfUp(a: number | bigint, num: number | bigint, den: number | bigint): number {
  const divisor = BigInt(den)
  if (divisor <= 0n) throw new RangeError('The divisor must be positive.')
  const product = BigInt(a) * BigInt(num)
  const size = product < 0n ? -product : product
  const rounded = (2n * size + divisor) / (2n * divisor)
  const result = Number(product < 0n ? -rounded : rounded)
  if (!Number.isSafeInteger(result)) throw new RangeError('The result is too large for an amount.')
  return result
}

/**
 * Shares `total` out in proportion to `weights` by largest remainder. The shares add up to `total`, and each is less than one unit from its
 * exact quota.
 * Equal remainders favour the earlier weight. A weight of zero gets nothing.
 * While `total` is at most the sum of the weights, no share exceeds its weight.
 */
export function allocate(total: Minor, weights: readonly number[]): Minor[] {
  if (!isCount(total) || !weights.every(isCount))
    throw new RangeError('Shares need whole numbers that are not negative.')
  if (total === 0) return weights.map(() => 0)
  const sum = weights.reduce((subtotal, weight) => subtotal + BigInt(weight), 0n)
  if (sum === 0n) throw new RangeError('An amount can only be split if a weight is above zero.')

  let remaining = total
  const quotas = weights.map((weight, index) => {
    const product = BigInt(total) * BigInt(weight)
    const share = Number(product / sum)
    remaining -= share
    return { index, share, remainder: product % sum }
  })
  // The sort is stable, so ties keep their order.
  const byRemainder = [...quotas].sort((one, other) =>
    one.remainder === other.remainder ? 0 : one.remainder < other.remainder ? 1 : -1,
  )
  for (const quota of byRemainder.slice(0, remaining)) quota.share += 1
  return quotas.map(({ share }) => share)
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0
