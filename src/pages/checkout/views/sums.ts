// Formats sums and days in the shopper's language. Nothing is computed here; price() computed each sum.

import { currencyOf } from '../../../lib/currencies.ts'
import { type FormattedPrice, type Minor, parseAmount } from '../../../lib/money.ts'
import type { Language } from '../model.ts'

const formats = new Map<string, Intl.NumberFormat>()

/** Uses our decimals of the currency, because Intl has others for some currencies. */
function formatOf(language: Language, currency: string, signDisplay: 'auto' | 'exceptZero'): Intl.NumberFormat {
  const key = `${language} ${currency} ${signDisplay}`
  const cachedFormat = formats.get(key)
  if (cachedFormat) return cachedFormat
  const { exponent } = currencyOf(currency)
  const numberFormat = new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
    signDisplay,
  })
  formats.set(key, numberFormat)
  return numberFormat
}

type Sum = Pick<FormattedPrice, 'raw'>

/** Writes sums of one currency in one language. */
export type SumFormatter = {
  sum(price: Sum): string
  /** A deduction, with a minus sign. */
  minus(price: Sum): string
  /** With its sign, even if positive. */
  signed(price: Sum): string
}

export const sumFormatterFor = (language: Language, currency: string): SumFormatter => ({
  sum: ({ raw }) => formatOf(language, currency, 'auto').format(raw),
  minus: ({ raw }) => formatOf(language, currency, 'auto').format(raw === 0 ? 0 : -raw),
  signed: ({ raw }) => formatOf(language, currency, 'exceptZero').format(raw),
})

/** The sum as the API and providers' scripts read it. */
export function plainSum({ raw }: Sum, currency: string): { readonly decimal: string; readonly minor: Minor } {
  const amount = parseAmount(raw, currency)
  return { decimal: String(raw), minor: amount.ok ? amount.minor : 0 }
}

const dayFormats = new Map<Language, Intl.DateTimeFormat>()

/** Formats a Unix timestamp in seconds as a day. In UTC, because the shopper's time zone is unknown. */
export function formatDay(language: Language, seconds: number): string {
  const format = dayFormats.get(language) ?? new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' })
  dayFormats.set(language, format)
  return format.format(seconds * 1_000)
}
