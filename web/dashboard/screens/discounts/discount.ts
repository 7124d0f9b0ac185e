// A discount on the screens, and its status.

import type { Tone } from '../../parts/show/values.tsx'

export type Discount = {
  readonly id: string
  readonly code: string
  readonly type: 'percentage' | 'fixed'
  /** Percent, or the decimal amount. */
  readonly value: number
  readonly product_ids: readonly string[]
  readonly limit: number | null
  readonly used: number
  readonly expires: number | null
  readonly description: string | null
  readonly created: number
}

/** "12.5 %", "$5.00": the API returns the bare number. */
export const worthText = ({ type, value }: Pick<Discount, 'type' | 'value'>, currency: string): string =>
  type === 'percentage' ? `${value} %` : new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(value)

export const hasEnded = (expires: number | null): boolean => expires !== null && expires * 1_000 <= Date.now()

export function discountStatus({ limit, used, expires }: Discount): readonly [tone: Tone, text: string] {
  if (hasEnded(expires)) return ['calm', 'Ended']
  if (limit !== null && used >= limit) return ['calm', 'Used up']
  return ['good', 'Can be used']
}

/** Address of the list as it was left, with its filters. */
export const discountListView = { address: '/dashboard/discounts' }
