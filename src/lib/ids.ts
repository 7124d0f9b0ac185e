// Creates the ids of everything that the API names, and lists their prefixes.
// An id is a prefix, the millisecond of its creation and random characters. Ids therefore sort by age and cannot be guessed.
// keys/signed-ids.ts creates ids with a signature. A merchant's id is a number, parsed at the end of this file.

import { randomFillSync } from 'node:crypto'

/** Prefix of each kind. A new resource adds a line here. A published prefix never changes. */
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
  // Named by our decisions and by the public service.
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

// Sorted by character code, so that comparing bytes compares values.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
// 62^9 exceeds 2^48, and the last moment a Date can hold.
const TIME_LENGTH = 9
// 62^17 is 2^101.2. Sixteen characters would give only 2^95.3, less than the 96 bits we promise.
export const RANDOM_LENGTH = 17
const BODY_LENGTH = TIME_LENGTH + RANDOM_LENGTH
const BODY = new RegExp(`^[0-9A-Za-z]{${BODY_LENGTH}}$`)

/**
 * Bytewise order is the order of `now`; within one millisecond it is random. In SQL that order needs `COLLATE "C"`.
 * The characters are safe in URLs, cookies, file names and HTML ids.
 */
export function newId(kind: IdKind, now: Date): string {
  return startOfId(kind, now, RANDOM_LENGTH)
}

/** Lower bound for ids that are created at this moment or later. */
export const lowestIdAt = (kind: IdKind, moment: Date): string => ID_PREFIXES[kind] + timeText(moment.getTime())

/** Beginning of an id: prefix, time, and this many random characters. */
export const startOfId = (kind: IdKind, now: Date, randomLength: number): string =>
  ID_PREFIXES[kind] + timeText(now.getTime()) + randomText(randomLength)

/** Milliseconds in an id that passes `isId`. In an invented id they may exceed the range of a Date. */
export function timeOfId(kind: IdKind, id: string): number {
  const { length } = ID_PREFIXES[kind]
  let milliseconds = 0
  for (const character of id.slice(length, length + TIME_LENGTH))
    milliseconds = milliseconds * 62 + ALPHABET.indexOf(character)
  return milliseconds
}

/** Maps any whole number to an id character. Numbers from a range far larger than 62 give an even distribution. */
export const idCharacter = (number: number): string => ALPHABET.charAt(number % 62)

/** True if the text has the form of an id. It saves the database a lookup, but the thing may still not exist. */
export function isId(kind: IdKind, text: string): boolean {
  const prefix = ID_PREFIXES[kind]
  return text.length === prefix.length + BODY_LENGTH && text.startsWith(prefix) && BODY.test(text.slice(prefix.length))
}

let lastTime = -1
let lastTimeText = ''

function timeText(milliseconds: number): string {
  if (milliseconds === lastTime) return lastTimeText
  if (!(milliseconds >= 0)) throw new RangeError('An id needs a time after 1970.')
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

// Fetching a few bytes from the kernel is expensive, so random bytes are fetched 4096 at a time.
const pool = new Uint8Array(4096)
let usedBytes = pool.length

function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    if (usedBytes === pool.length) {
      randomFillSync(pool)
      usedBytes = 0
    }
    const six = (pool[usedBytes] ?? 0) & 63
    // Wipe each used byte: a memory dump must not reveal the issued ids.
    pool[usedBytes++] = 0
    // 62 and 63 are discarded; folding them back would make two characters twice as likely.
    if (six < 62) text += ALPHABET.charAt(six)
  }
  return text
}

// Parses the number of a merchant in paths and in keys of files. One rule for all callers: if they disagreed, a stored file could never be
// read or deleted.

const DIGITS = /^[1-9][0-9]{0,9}$/

/** Maximum PostgreSQL integer. A statement with a larger number fails. */
const MAX_INTEGER = 2_147_483_647

/** Null if it cannot be the number of a merchant. */
export function readMerchantNumber(text: string): number | null {
  const number = DIGITS.test(text) ? Number(text) : MAX_INTEGER + 1
  return number <= MAX_INTEGER ? number : null
}
