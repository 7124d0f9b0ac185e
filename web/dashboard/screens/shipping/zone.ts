// Texts about the methods of a shipping zone.

import type { ZoneMethod } from '../../../../src/api/shipping/schema.ts'
import type { Price } from '../../parts/show/values.tsx'

const grams = (weight: number) =>
  weight >= 1_000 && weight % 100 === 0 ? `${weight / 1_000} kg` : `${weight.toLocaleString('en-US')} g`

const range = (least: string | null, most: string | null, what: string): string[] => {
  if (least !== null && most !== null) return [`${what} ${least} to ${most}`]
  if (least !== null) return [`${what} ${least} and more`]
  return most === null ? [] : [`${what} up to ${most}`]
}

/** Orders for which the method is offered. */
export function bandsText(method: ZoneMethod): string {
  const money = (price: Price | null) => price?.formatted_with_symbol ?? null
  const weight = (value: number | null) => (value === null ? null : grams(value))
  const parts = [
    ...range(money(method.min_order_value), money(method.max_order_value), 'orders of'),
    ...range(weight(method.min_weight), weight(method.max_weight), 'parcels of'),
  ].join(', ')
  return parts === '' ? 'Every order' : parts.charAt(0).toUpperCase() + parts.slice(1)
}

/** Surcharges per piece; empty if there are none. */
export const piecesText = ({ on_own, with_others }: ZoneMethod): string =>
  [
    on_own.raw === 0 ? '' : `+ ${on_own.formatted_with_symbol} for the first piece`,
    with_others.raw === 0 ? '' : `+ ${with_others.formatted_with_symbol} for each further one`,
  ]
    .filter(Boolean)
    .join(', ')
