// The value and the status of a discount in words.

import type { Discount } from '../../../../src/api/discounts/schema.ts'
import type { Tone } from '../../parts/show/values.tsx'

/** "12.5 %", "$5.00": the API returns the bare number. */
export const worthText = ({ type, value }: Pick<Discount, 'type' | 'value'>, currency: string): string =>
  type === 'percentage' ? `${value} %` : new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(value)

export const hasEnded = (expires: number | null): boolean => expires !== null && expires * 1_000 <= Date.now()

export function discountStatus({ limit, used, expires }: Discount): readonly [tone: Tone, text: string] {
  if (hasEnded(expires)) return ['calm', 'Ended']
  if (limit !== null && used >= limit) return ['calm', 'Used up']
  return ['good', 'Can be used']
}
