// Changes of prices by a rule, calculated with integers and rounded once, half up.

import { notValid } from '../../../lib/errors.ts'
import {
  decimalText,
  MAX_AMOUNT,
  type Minor,
  mulDivHalfUp,
  parseAmount,
  priceOf,
  readDecimal,
} from '../../../lib/money.ts'
import type { Problems } from '../../../lib/problems.ts'

/** The rule in the request body. */
type SentChange = { readonly add?: number | string; readonly multiply?: number | string }

/** `multiply` is `units` / 10^`scale`, both small enough for exact products. */
export type PriceChange = {
  readonly add: Minor
  readonly multiply: { readonly units: number; readonly scale: number } | null
}

const MAX_DECIMALS = 6
const MAX_FACTOR = 1_000

export function readPriceChange(rule: SentChange, currency: string, problems: Problems): PriceChange {
  if (rule.add === undefined && rule.multiply === undefined)
    problems.malformed('price', 'must have add, multiply, or both')
  const add =
    rule.add === undefined ? null : parseAmount(rule.add, currency, { field: 'price.add', allowNegative: true })
  if (add?.ok === false) problems.malformedAs({ 'price.add': [add.reason] })
  return {
    add: add?.ok ? add.minor : 0,
    multiply: rule.multiply === undefined ? null : parseFactor(rule.multiply, problems),
  }
}

function parseFactor(value: number | string, problems: Problems): PriceChange['multiply'] {
  const factor = readDecimal(value)
  const isValid =
    factor !== null &&
    factor.scale <= MAX_DECIMALS &&
    factor.units >= 0n &&
    factor.units <= BigInt(MAX_FACTOR) * 10n ** BigInt(factor.scale)
  if (isValid) return { units: Number(factor.units), scale: factor.scale }
  problems.malformed(
    'price.multiply',
    `must be a number or a decimal string from 0 to ${MAX_FACTOR} with at most ${MAX_DECIMALS} decimals, such as 1.1`,
  )
  return null
}

/** The new price in the form of a request body. Throws `notValid` if it is out of range. */
export function applyPriceChange(price: Minor, { add, multiply }: PriceChange, currency: string): string {
  const product = multiply === null ? price : mulDivHalfUp(price, multiply.units, 10 ** multiply.scale)
  const newPrice = product + add
  const from = `The price of ${priceOf(price, currency).formatted_with_code}`
  if (newPrice < 0) throw notValid({ price: [`${from} would fall below 0. It stays as it is.`] })
  if (newPrice > MAX_AMOUNT)
    throw notValid({
      price: [`${from} would rise above ${priceOf(MAX_AMOUNT, currency).formatted_with_code}. It stays as it is.`],
    })
  return decimalText(newPrice, currency)
}
