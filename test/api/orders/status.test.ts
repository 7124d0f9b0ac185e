// @unit: pure functions of orders.
// Where an order stands: every status and every way from one to the next, as tables; and what else of an order is a pure function.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeDownloadEnd, describeLifespan, describeSize } from '../../../src/api/orders/links.ts'
import { buildOrderReference } from '../../../src/api/orders/make.ts'
import {
  deriveFulfillmentStatus,
  deriveItemStatus,
  derivePaymentStatus,
  sumPayments,
} from '../../../src/api/orders/status.ts'

const STATUSES = { '': 'complete', '?': 'pending', x: 'cancelled', '!': 'failed' } as const

/** `+40 +60? -40`: 40 were charged, 60 are pending, 40 were given back. `x` is cancelled, `!` has failed. */
const movesOf = (text: string) =>
  [...text.matchAll(/([+-])(\d+)([?x!]?)/g)].map(([, sign, amount, end = '']) => ({
    type: sign === '+' ? ('charge' as const) : ('refund' as const),
    status: STATUSES[end as keyof typeof STATUSES],
    amount: Number(amount),
    is_authorized: false,
  }))

type More = { due?: number; credit?: number; creditReturned?: number; wasPaid?: boolean }

const payments = (moves: string, more: More = {}) => ({
  due: 100,
  credit: 0,
  creditReturned: 0,
  wasPaid: false,
  transactions: movesOf(moves),
  ...more,
})

describe('the status of payment', () => {
  const byCard = { due: 60, credit: 40 }
  const wasPaid = { wasPaid: true }

  it.each<[string, string, string, More?]>([
    ['not_paid', 'nothing was charged', ''],
    ['paid', 'nothing is due', '', { due: 0 }],
    ['paid', 'a gift card paid all of it', '', { due: 0, credit: 100 }],
    ['not_paid', 'a gift card paid a part of it', '+60?', byCard],
    ['not_paid', 'a charge is pending', '+100?'],
    ['not_paid', 'a charge has failed', '+100!'],
    ['not_paid', 'a charge was cancelled', '+100x'],
    ['paid', 'all of it was charged', '+100'],
    ['paid', 'all of it was charged in parts', '+40 +60'],
    ['partially_paid', 'a part of it was charged', '+40 +60?'],
    ['paid', 'a refund is pending', '+100 -100?'],
    ['paid', 'a refund has failed', '+100 -100!'],
    ['refunded', 'all of it was given back', '+100 -100'],
    ['refunded', 'the part that was charged was given back', '+40 +60x -40'],
    ['partially_refunded', 'one of two charges was given back', '+40 +60 -40', wasPaid],
    ['partially_refunded', 'a part of a charge was given back', '+100 -1', wasPaid],
    ['paid', 'a part that is being given back is not back yet', '+100 -1?', wasPaid],
    ['refunded', 'the last part was given back', '+100 -99 -1', wasPaid],
    ['partially_paid', 'a part was given back of what had never been paid in full', '+60 +40x -10'],
    ['partially_refunded', 'all charges are back and the gift card has paid', '+60 -60', { ...byCard, ...wasPaid }],
    ['partially_refunded', 'the card got a part back', '+60', { ...byCard, creditReturned: 1, ...wasPaid }],
    [
      'partially_paid',
      'the card got its part back, then the rest was charged',
      '+60',
      { ...byCard, creditReturned: 40 },
    ],
    ['refunded', 'the gift card got back what it paid', '', { due: 0, credit: 100, creditReturned: 100 }],
  ])('is %s where %s', (status, _, moves, more) => {
    expect(derivePaymentStatus(payments(moves, more))).toBe(status)
  })

  it.each([
    ['authorized', 'pending'],
    ['not_paid', 'cancelled'],
    ['paid', 'complete'],
  ] as const)('is %s where a charge that the gateway holds is %s', (expected, status) => {
    const held = { type: 'charge', status, amount: 100, is_authorized: true } as const
    expect(derivePaymentStatus({ ...payments(''), transactions: [held] })).toBe(expected)
  })

  it('follows the sums through any sequence of charges and refunds, and never gives back more than was taken', () => {
    const charge = fc.record({ amount: fc.integer({ min: 1, max: 1_000 }), refunded: fc.nat(1_000) })
    fc.assert(
      fc.property(fc.array(charge, { maxLength: 8 }), fc.nat(50), fc.nat(50), (charges, credit, back) => {
        const due = charges.reduce((sum, { amount }) => sum + amount, 0)
        const creditReturned = Math.min(credit, back)
        const moves = charges.flatMap(({ amount, refunded }) => [
          `+${amount}`,
          ...(refunded > 0 ? [`-${Math.min(amount, refunded)}`] : []),
        ])
        // One after the other, as they happen.
        for (let count = 0; count <= moves.length; count++) {
          for (const wasPaid of [false, true]) {
            const state = payments(moves.slice(0, count).join(' '), { due, credit, creditReturned, wasPaid })
            const { captured, refunded, paid } = sumPayments(state)
            expect(refunded).toBeLessThanOrEqual(captured)
            const status = derivePaymentStatus(state)
            if (captured + credit > 0 && paid === 0) expect(status).toBe('refunded')
            else if (paid === due + credit) expect(status).toBe('paid')
            else if (wasPaid && refunded + creditReturned > 0) expect(status).toBe('partially_refunded')
            else expect(status).toBe(captured > refunded ? 'partially_paid' : 'not_paid')
          }
        }
      }),
      { numRuns: 100 },
    )
  })
})

describe('the status of fulfilment', () => {
  const item = (quantity: number, quantity_fulfilled: number, is_returned = false) => ({
    quantity,
    quantity_fulfilled,
    is_returned,
  })
  const none: ReturnType<typeof item>[] = []

  it.each([
    ['fulfilled', 'there is nothing to deliver', none, 'none', false],
    ['fulfilled', 'downloads are paid', none, 'downloads', true],
    ['not_fulfilled', 'downloads are not paid', none, 'downloads', false],
    ['not_fulfilled', 'nothing was shipped', [item(2, 0)], 'none', true],
    ['partially_fulfilled', 'a part of an item was shipped', [item(2, 1)], 'none', true],
    ['partially_fulfilled', 'one of two items was shipped', [item(1, 1), item(1, 0)], 'none', false],
    ['partially_fulfilled', 'downloads are paid and nothing was shipped', [item(1, 0)], 'downloads', true],
    ['partially_fulfilled', 'all was shipped and downloads are not paid', [item(1, 1)], 'downloads', false],
    [
      'partially_fulfilled',
      'one item came back and one was never shipped',
      [item(1, 1, true), item(1, 0)],
      'none',
      true,
    ],
    ['fulfilled', 'all was shipped', [item(2, 2), item(1, 1)], 'none', false],
    ['fulfilled', 'all was shipped and downloads are paid', [item(1, 1)], 'downloads', true],
    ['fulfilled', 'one of two items came back', [item(1, 1, true), item(1, 1)], 'none', true],
    ['returned', 'every item came back', [item(1, 1, true), item(2, 1, true)], 'none', true],
    ['returned', 'every item came back beside downloads', [item(1, 1, true)], 'downloads', true],
  ] as const)('is %s where %s', (status, _, items, digital, wasPaid) => {
    expect(deriveFulfillmentStatus({ items, hasDownloads: digital === 'downloads', wasPaid })).toBe(status)
  })

  it('of one item is fulfilled when all of it was shipped, and returned when it came back', () => {
    expect([item(2, 0), item(2, 1), item(2, 2), item(2, 2, true)].map(deriveItemStatus)).toEqual([
      'not_fulfilled',
      'not_fulfilled',
      'fulfilled',
      'returned',
    ])
  })
})

it.each([
  ['Example Checkout', 'XMPLCHCKT-7'],
  ['Shop', 'SHP-7'],
  ['Café Ñandú 24/7', 'CFNND247-7'],
  ['Smith & Sons, Ltd.', 'SMTHSNSLTD-7'],
  ['Straße', 'STRSS-7'],
  ['Aeiou', 'ORDER-7'],
  ['日本', 'ORDER-7'],
  ['…', 'ORDER-7'],
  ['Кофе 24', '24-7'],
  [`B${' b'.repeat(25)}`, `${'B'.repeat(20)}-7`],
])('customer_reference of %s is %s', (name, reference) => {
  expect(buildOrderReference(name, 7)).toBe(reference)
})

describe('a lifespan', () => {
  const paidAt = new Date('2024-01-31T10:00:00Z')
  const lifespan = (
    duration: number | null,
    period: 'days' | 'weeks' | 'months' | null,
    limit: number | null = null,
  ) => ({
    duration,
    period,
    download_limit: limit,
  })

  it.each([
    [lifespan(3, 'days'), '2024-02-03T10:00:00.000Z', 'It can be downloaded for 3 days after payment.'],
    [lifespan(1, 'weeks', 1), '2024-02-07T10:00:00.000Z', 'It can be downloaded once within 1 week of payment.'],
    [lifespan(1, 'months', 3), '2024-02-29T10:00:00.000Z', 'It can be downloaded 3 times within 1 month of payment.'],
    [lifespan(14, 'months'), '2025-03-31T10:00:00.000Z', 'It can be downloaded for 14 months after payment.'],
    [lifespan(null, null, 2), undefined, 'It can be downloaded 2 times.'],
    [null, undefined, 'It can be downloaded at any time.'],
  ])('%j ends at %s', (given, end, human) => {
    expect([computeDownloadEnd(given, paidAt)?.toISOString(), describeLifespan(given)]).toEqual([end, human])
  })

  it.each([
    [0, '0 B'],
    [1_023, '1023 B'],
    [1_024, '1.00 KB'],
    [39_639, '38.71 KB'],
    [1_048_575, '1.00 MB'],
    [10_485_760, '10.00 MB'],
    [5_368_709_120, '5.00 GB'],
  ])('of a file of %i bytes shows %s', (bytes, size) => {
    expect(describeSize(bytes)).toBe(size)
  })
})
