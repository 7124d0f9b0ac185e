// Makes the identifiers of everything the API names, and is the one list of their prefixes.
// An id is a prefix, the millisecond of its birth and random characters, so that ids sort by age and nobody guesses one.
// Ids that carry a signature are made in keys/signed-ids.ts. A merchant's id is a number; what reads one stands at the end.

import { randomFillSync } from 'node:crypto'

/** The prefix of each kind. Adding a resource means adding a line here; a prefix that has been given out never changes. */
export const ID_PREFIXES = {
  // Named by the specification.
  asset: 'ast_',
  attribute: 'attr_',
  attributeOption: 'atop_',
  cart: 'cart_',
  lineItem: 'item_',
  product: 'prod_',
  category: 'cat_',
  checkoutToken: 'chkt_',
  order: 'ord_',
  customer: 'cstmr_',
  variant: 'vrnt_',
  variantOption: 'optn_',
  extraField: 'extr_',
  shippingMethod: 'ship_',
  payment: 'pymnt_',
  fulfillment: 'ful_',
  download: 'dwnld_',
  // Named by the decisions and by what the public service shows.
  variantGroup: 'vgrp_',
  discount: 'code_',
  giftCard: 'gift_',
  shippingZone: 'zone_',
  shippingRate: 'rate_',
  taxZone: 'taxz_',
  gateway: 'gway_',
  transaction: 'trns_',
  address: 'adrs_',
  shipment: 'shpmnt_',
  webhook: 'wbhk_',
  // Our own.
  event: 'evt_',
  delivery: 'dlvr_',
  job: 'job_',
  apiKey: 'key_',
  request: 'req_',
  log: 'log_',
  mail: 'mail_',
  sessionKey: 'skey_',
  paymentAttempt: 'atmpt_',
  refund: 'rfnd_',
  dispute: 'dspt_',
  reservation: 'rsrv_',
  account: 'acct_',
  dashboardSession: 'sess_',
  note: 'note_',
  productBatch: 'bat_',
} as const

export type IdKind = keyof typeof ID_PREFIXES

// In the order of the character codes, so that comparing bytes compares values.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
// 62^9 exceeds 2^48, and the last moment a Date can hold.
const TIME_LENGTH = 9
// 62^17 is 2^101.2. Sixteen characters would stop at 2^95.3, short of the 96 bits we promise.
export const RANDOM_LENGTH = 17
const BODY_LENGTH = TIME_LENGTH + RANDOM_LENGTH
const BODY = new RegExp(`^[0-9A-Za-z]{${BODY_LENGTH}}$`)

/**
 * Bytewise order is the order of `now`; within one millisecond it is random. In SQL that order needs `COLLATE "C"`.
 * The characters are safe in URLs, cookies, file names and HTML ids.
 */
export function newId(kind: IdKind, now: Date): string {
  return idBeginning(kind, now, RANDOM_LENGTH)
}

/** What the ids that are made at this moment or later are above. */
export const idFrom = (kind: IdKind, moment: Date): string => ID_PREFIXES[kind] + timeText(moment.getTime())

/** As much of an id as its prefix, its time and so many random characters are. */
export const idBeginning = (kind: IdKind, now: Date, randomLength: number): string =>
  ID_PREFIXES[kind] + timeText(now.getTime()) + randomText(randomLength)

/** The milliseconds in an id that `isId` takes for one. Of an id that somebody made up they may lie beyond what a Date can hold. */
export function timeOfId(kind: IdKind, id: string): number {
  const { length } = ID_PREFIXES[kind]
  let milliseconds = 0
  for (const character of id.slice(length, length + TIME_LENGTH))
    milliseconds = milliseconds * 62 + ALPHABET.indexOf(character)
  return milliseconds
}

/** A character of an id for any whole number: all are as likely as another where the numbers reach far beyond 62. */
export const idCharacter = (number: number): string => ALPHABET.charAt(number % 62)

/** Whether `newId` could have made it. It spares the database a look-up; it does not say that the thing exists. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = ID_PREFIXES[kind]
  return text.length === prefix.length + BODY_LENGTH && text.startsWith(prefix) && BODY.test(text.slice(prefix.length))
}

let lastTime = -1
let lastTimeText = ''

function timeText(milliseconds: number): string {
  if (milliseconds === lastTime) return lastTimeText
  if (!(milliseconds >= 0)) throw new RangeError('An id needs a moment after 1970.')
  let rest = milliseconds
  let text = ''
  for (let position = 0; position < TIME_LENGTH; position++) {
    text = ALPHABET.charAt(rest % 62) + text
    rest = Math.floor(rest / 62)
  }
  lastTime = milliseconds
  lastTimeText = text
  return text
}

// Asking the kernel for a few bytes costs far more than taking them from a block, so bytes are drawn 4096 at a time.
const pool = new Uint8Array(4096)
let used = pool.length

function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const six = (pool[used] ?? 0) & 63
    // A byte that has served is wiped: a memory dump must not tell which ids were given out.
    pool[used++] = 0
    // 62 and 63 are thrown away; folding them back would make two characters twice as likely.
    if (six < 62) text += ALPHABET.charAt(six)
  }
  return text
}

// The number of a merchant as it stands in paths and in the keys of files. One rule for all of them: what one part of the code
// takes for a number and another does not would be a file that is stored and can never be read, or swept.

const DIGITS = /^[1-9][0-9]{0,9}$/

/** The last number of a PostgreSQL integer; a statement that is given a larger one fails. */
const LAST = 2_147_483_647

/** Null for what cannot be the number of a merchant. */
export function readMerchantNumber(text: string): number | null {
  const number = DIGITS.test(text) ? Number(text) : LAST + 1
  return number <= LAST ? number : null
}
