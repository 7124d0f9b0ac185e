// @unit
// Values in words: percentages, bands of shipping methods, days of a shop, and how codes and gateways are doing.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { loadWeb } from './load.ts'

type Words = (...values: unknown[]) => string
const { percentOf, fractionOf, rateText } = await loadWeb<Record<string, Words>>('screens/tax/percent.ts')
const { bandsText, piecesText } = await loadWeb<Record<string, Words>>('screens/shipping/zone.ts')
const { startOfDay, dayAfter } = await loadWeb<{
  startOfDay(day: string, zone: string): number
  dayAfter(day: string): string
}>('parts/show/days.ts')
const discount = await loadWeb<{ worthText: Words; discountStatus(of: object): [string, string] }>(
  'screens/discounts/discount.ts',
)
type Gateways = {
  gatewayStatus(of: object): [string, string]
  isMissing(...of: unknown[]): boolean
  gatewayName: Words
}
const gateway = await loadWeb<Gateways>('screens/payment/gateway.ts')
const { typeText } = await loadWeb<Record<string, Words>>('screens/attributes/attribute.ts')

const price = (raw: number) => ({ raw, formatted_with_symbol: `$${raw.toFixed(2)}` })

describe('a percentage', () => {
  it('goes to the API as a fraction and comes back as it was typed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (millionths) => {
        const percent = percentOf?.(millionths / 1_000_000) ?? ''
        expect(Number(percent)).toBeCloseTo(millionths / 10_000, 8)
        expect(Number(fractionOf?.(percent))).toBeCloseTo(millionths / 1_000_000, 10)
      }),
    )
  })

  it.each([
    ['7.25', '0.0725'],
    ['1,375', '0.01375'],
    [' 19 % ', '0.19'],
    ['100', '1.00'],
    ['a lot', 'a lot'],
    ['1000', '1000'],
  ])('typed as %s is sent as %s', (typed, sent) => {
    expect(fractionOf?.(typed)).toBe(sent)
  })

  it('of a tax says the other one of downloads', () => {
    expect(rateText?.('State', '7.25%', null)).toBe('State: 7.25%')
    expect(rateText?.('State', '7.25%', 0.07)).toBe('State: 7.25%, 7% on downloads')
  })
})

describe('a shipping method', () => {
  const any = { min_order_value: null, max_order_value: null, min_weight: null, max_weight: null }

  it.each([
    [{}, 'Every order'],
    [{ min_order_value: price(100) }, 'Orders of $100.00 and more'],
    [{ max_order_value: price(5) }, 'Orders of up to $5.00'],
    [{ min_weight: 250, max_weight: 2_000 }, 'Parcels of 250 g to 2 kg'],
    [{ min_order_value: price(1), max_weight: 1_550 }, 'Orders of $1.00 and more, parcels of up to 1,550 g'],
  ])('with %j is offered for: %s', (bands, words) => {
    expect(bandsText?.({ ...any, ...bands })).toBe(words)
  })

  it('says what pieces add', () => {
    expect(piecesText?.({ on_own: price(0), with_others: price(0) })).toBe('')
    expect(piecesText?.({ on_own: price(1), with_others: price(0.5) })).toBe(
      '+ $1.00 for the first piece, + $0.50 for each further one',
    )
  })
})

describe('a day of the shop', () => {
  it.each([
    ['2026-01-31', 'UTC', '2026-01-31T00:00:00Z'],
    ['2026-07-01', 'Europe/Berlin', '2026-06-30T22:00:00Z'],
    ['2026-01-01', 'America/Los_Angeles', '2026-01-01T08:00:00Z'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00Z'],
    ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00Z'],
    ['2026-04-05', 'Australia/Sydney', '2026-04-04T13:00:00Z'],
  ])('%s in %s begins at %s', (day, zone, moment) => {
    expect(startOfDay(day, zone)).toBe(Date.parse(moment) / 1_000)
  })

  it('is followed by the next, also at the end of a year', () => {
    const next = [dayAfter('2026-02-28'), dayAfter('2028-02-28'), dayAfter('2026-12-31')]
    expect(next).toEqual(['2026-03-01', '2028-02-29', '2027-01-01'])
  })
})

describe('how it is doing', () => {
  it('is said of a code by its end and its uses', () => {
    const now = Math.floor(Date.now() / 1_000)
    const of = (limit: number | null, used: number, expires: number | null) =>
      discount.discountStatus({ limit, used, expires })[1]
    const said = [of(null, 9, null), of(2, 1, now + 60), of(2, 2, null), of(null, 0, now - 1)]
    expect(said).toEqual(['Can be used', 'Can be used', 'Used up', 'Ended'])
    expect(discount.worthText({ type: 'percentage', value: 12.5 }, 'USD')).toBe('12.5 %')
    expect(discount.worthText({ type: 'fixed', value: 20.5 }, 'USD')).toBe('$20.50')
  })

  it('is said of a gateway, which is missing until it is set up in the mode', () => {
    const of = (enabled: boolean, simulated: boolean) => gateway.gatewayStatus({ enabled, simulated })[1]
    expect([of(false, true), of(true, true), of(true, false)]).toEqual(['Off', 'Simulated', 'On'])
    const mollie = { code: 'mollie', modes: ['sandbox', 'live'], works_unset: false, is_repeatable: false }
    const inSandbox = [{ code: 'mollie', sandbox: true }]
    const missing = (type: object, mode: string) => gateway.isMissing(type, inSandbox, mode)
    expect([missing(mollie, 'sandbox'), missing(mollie, 'live')]).toEqual([false, true])
    expect(missing({ ...mollie, is_repeatable: true }, 'sandbox')).toBe(true)
    expect(missing({ ...mollie, works_unset: true }, 'live')).toBe(false)
    expect(missing({ ...mollie, modes: ['sandbox'] }, 'live')).toBe(false)
    const cash = { name: 'Manual payment', config: { name: 'Cash' } }
    expect(gateway.gatewayName(cash, { is_repeatable: true })).toBe('Cash')
    expect(gateway.gatewayName(cash, { is_repeatable: false })).toBe('Manual payment')
  })

  it('is said of the types of attributes', () => {
    expect(typeText?.({ type: 'options', is_multiselect: true })).toBe('Several from a list')
    expect(typeText?.({ type: 'options', is_multiselect: false })).toBe('Choice from a list')
    expect(typeText?.({ type: 'radio' })).toBe('One of a few')
  })
})
