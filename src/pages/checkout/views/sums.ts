// Sums and days as the shopper's language writes them. Nothing is computed: each sum is one that price() has given.

import { currencyOf } from '../../../lib/currencies.ts'
import { type Minor, type Price, parseAmount } from '../../../lib/money.ts'
import type { Language } from '../model.ts'

const formats = new Map<string, Intl.NumberFormat>()

/** As many decimals as the currency has with us: some have others in Intl. */
function formatOf(language: Language, currency: string, signDisplay: 'auto' | 'exceptZero'): Intl.NumberFormat {
  const key = `${language} ${currency} ${signDisplay}`
  const known = formats.get(key)
  if (known) return known
  const { exponent } = currencyOf(currency)
  const made = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
    signDisplay,
  })
  formats.set(key, made)
  return made
}

type Sum = Pick<Price, 'raw'>

/** Writes sums of one currency in one language. */
export type Sums = {
  sum(price: Sum): string
  /** What is taken off. */
  minus(price: Sum): string
  /** With its sign, also where it is added. */
  signed(price: Sum): string
}

export const sumsIn = (language: Language, currency: string): Sums => ({
  sum: ({ raw }) => formatOf(language, currency, 'auto').format(raw),
  minus: ({ raw }) => formatOf(language, currency, 'auto').format(raw === 0 ? 0 : -raw),
  signed: ({ raw }) => formatOf(language, currency, 'exceptZero').format(raw),
})

/** As the API reads it, and as providers' scripts want it. */
export function plainSum({ raw }: Sum, currency: string): { readonly decimal: string; readonly minor: Minor } {
  const read = parseAmount(raw, currency)
  return { decimal: String(raw), minor: read.ok ? read.minor : 0 }
}

const days = new Map<Language, Intl.DateTimeFormat>()

/** Of a Unix timestamp in seconds. In UTC: nobody knows where the shopper is. */
export function dayOf(language: Language, seconds: number): string {
  const format = days.get(language) ?? new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' })
  days.set(language, format)
  return format.format(seconds * 1_000)
}
