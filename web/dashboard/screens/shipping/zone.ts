// A shipping zone and its methods as the API returns them, and texts about them.

import type { Price } from '../../parts/show/values.tsx'

export type ShippingMethodView = {
  readonly id: string
  readonly description: string
  readonly price: Price
  readonly on_own: Price
  readonly with_others: Price
  readonly min_order_value: Price | null
  readonly max_order_value: Price | null
  readonly min_weight: number | null
  readonly max_weight: number | null
}

export type Zone = {
  readonly id: string
  readonly name: string
  readonly countries: readonly string[]
  readonly regions: Readonly<Record<string, readonly string[]>>
  readonly methods: readonly ShippingMethodView[]
}

const grams = (weight: number) =>
  weight >= 1_000 && weight % 100 === 0 ? `${weight / 1_000} kg` : `${weight.toLocaleString('en-US')} g`

const range = (least: string | null, most: string | null, what: string): string[] => {
  if (least !== null && most !== null) return [`${what} ${least} to ${most}`]
  if (least !== null) return [`${what} ${least} and more`]
  return most === null ? [] : [`${what} up to ${most}`]
}

/** Orders for which the method is offered. */
export function bandsText(method: ShippingMethodView): string {
  const money = (price: Price | null) => price?.formatted_with_symbol ?? null
  const weight = (value: number | null) => (value === null ? null : grams(value))
  const parts = [
    ...range(money(method.min_order_value), money(method.max_order_value), 'orders of'),
    ...range(weight(method.min_weight), weight(method.max_weight), 'parcels of'),
  ].join(', ')
  return parts === '' ? 'Every order' : parts.charAt(0).toUpperCase() + parts.slice(1)
}

/** Surcharges per piece; empty if there are none. */
export const piecesText = ({ on_own, with_others }: ShippingMethodView): string =>
  [
    on_own.raw === 0 ? '' : `+ ${on_own.formatted_with_symbol} for the first piece`,
    with_others.raw === 0 ? '' : `+ ${with_others.formatted_with_symbol} for each further one`,
  ]
    .filter(Boolean)
    .join(', ')
