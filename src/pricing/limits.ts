// How large a purchase may be, so that every figure of it stays a number that JSON shows exactly.

import type { Minor } from '../lib/money.ts'

/**
 * The largest worth of one line, and the largest price of shipping.
 *
 * With the limits below nothing that price() gives passes MAX_TOTAL (just under 1000 × 10^12):
 * 300 lines, shipping and 100 adjustments are at most 401 × 10^12, and tax at most doubles that: 802 × 10^12.
 * A line above it can only come from a catalogue price raised after the add; it then counts nothing and is shown as not valid,
 * so that reading the cart still works.
 */
export const MAX_LINE_TOTAL: Minor = 1_000_000_000_000

/** The most lines of a cart or a checkout. */
export const MAX_LINES = 300

/**
 * The most that the lines of one cart may show of their products, in bytes: descriptions, choices, data of the merchant's own. At three
 * hundred lines these are 28 KB for each, which is more than a hundred options and a long description.
 */
export const MAX_SHOWN_BYTES = 8_388_608

/** The most adjustments of a checkout, each at most MAX_AMOUNT in size. */
export const MAX_ADJUSTMENTS = 100

/** The most that the rates of one tax zone may add up to, in millionths: 100 %. Up to there a price also holds all tax it contains. */
export const MAX_TAX_RATE = 1_000_000

/** The most tax that an integration may set on one line: as much as our own rates could. */
export const MAX_LINE_TAX: Minor = MAX_LINE_TOTAL
