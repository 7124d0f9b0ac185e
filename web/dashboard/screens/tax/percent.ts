// Converts tax rates, which the API takes as fractions and people as percentages.

/** 0.0725 → "7.25". Works on text, because 0.07 × 100 is 7.000000000000001. */
export function percentOf(fraction: number): string {
  const [whole = '0', decimals = ''] = fraction.toFixed(6).split('.')
  const digits = `${whole}${decimals.slice(0, 2)}`.replace(/^0+(?=\d)/, '')
  const rest = decimals.slice(2).replace(/0+$/, '')
  return rest === '' ? digits : `${digits}.${rest}`
}

/** "7.25" → "0.0725". Text that is no percentage is sent as typed, so that the API explains the error. */
export function fractionOf(percent: string): string {
  const match = /^(\d{1,3})(?:[.,](\d*))?\s*%?$/.exec(percent.trim())
  if (match === null) return percent.trim()
  const whole = (match[1] ?? '').padStart(3, '0')
  return `${Number(whole.slice(0, -2))}.${whole.slice(-2)}${match[2] ?? ''}`
}

/** "State: 7.25%, 7% on downloads". `ofDownloads`: a fraction; null if downloads have the same rate. */
export const rateText = (name: string, percentage: string, ofDownloads: number | null): string =>
  `${name}: ${percentage}${ofDownloads === null ? '' : `, ${percentOf(ofDownloads)}% on downloads`}`
