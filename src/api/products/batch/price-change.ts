// A price that goes up or down by a rule: in whole numbers, rounded once, a half up.

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

/** As it was sent. */
type SentChange = { readonly add?: number | string; readonly multiply?: number | string }

/** `multiply`: `units` / 10^`scale`, both small enough that no product is inexact. */
export type PriceChange = {
  readonly add: Minor
  readonly multiply: { readonly units: number; readonly scale: number } | null
}

const MOST_DECIMALS = 6
const MOST_TIMES = 1_000

export function readPriceChange(sent: SentChange, currency: string, problems: Problems): PriceChange {
  if (sent.add === undefined && sent.multiply === undefined)
    problems.malformed('price', 'must have add, multiply, or both')
  const add =
    sent.add === undefined ? null : parseAmount(sent.add, currency, { field: 'price.add', allowNegative: true })
  if (add?.ok === false) problems.malformedAs({ 'price.add': [add.reason] })
  return {
    add: add?.ok ? add.minor : 0,
    multiply: sent.multiply === undefined ? null : readFactor(sent.multiply, problems),
  }
}

function readFactor(sent: number | string, problems: Problems): PriceChange['multiply'] {
  const factor = readDecimal(sent)
  const isFine =
    factor !== null &&
    factor.scale <= MOST_DECIMALS &&
    factor.units >= 0n &&
    factor.units <= BigInt(MOST_TIMES) * 10n ** BigInt(factor.scale)
  if (isFine) return { units: Number(factor.units), scale: factor.scale }
  problems.malformed(
    'price.multiply',
    `must be a number or a decimal string from 0 to ${MOST_TIMES} with at most ${MOST_DECIMALS} decimals, such as 1.1`,
  )
  return null
}

/** The price as a body says it. Throws `notValid` where there is no such price. */
export function changedPrice(price: Minor, { add, multiply }: PriceChange, currency: string): string {
  const times = multiply === null ? price : mulDivHalfUp(price, multiply.units, 10 ** multiply.scale)
  const changed = times + add
  const from = `The price of ${priceOf(price, currency).formatted_with_code}`
  if (changed < 0) throw notValid({ price: [`${from} would fall below 0. It stays as it is.`] })
  if (changed > MAX_AMOUNT)
    throw notValid({
      price: [`${from} would rise above ${priceOf(MAX_AMOUNT, currency).formatted_with_code}. It stays as it is.`],
    })
  return decimalText(changed, currency)
}
