// Codes that people type: what one may look like, those that are made where none is given, and against whom a wrong one counts.
// Gift cards have the same.

import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import type { Database } from '../../db/db.ts'
import type { Caller } from '../../http/endpoint/endpoint.ts'
import { perNetwork } from '../../lib/addresses.ts'
import type { Clock } from '../../lib/clock.ts'
import { MAX_FAILURES, type Tried } from '../../limits/guesses.ts'
import { type AppliedDiscountRow, guessDiscount } from './store.ts'

export const Code = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Printable ASCII without blanks at its ends; unique whatever the case. Made for you unless given.',
})

// Without 0, O, 1 and I, which are taken for one another. Thirty-two, so that a byte's last five bits are one of them.
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const GROUPS = 3
const GROUP_LENGTH = 4

/** `7KQX-M2RD-HV9C`: 60 random bits. */
export function newCode(): string {
  const letters = [...randomBytes(GROUPS * GROUP_LENGTH)].map((byte) => ALPHABET.charAt(byte & 31))
  const groups = Array.from({ length: GROUPS }, (_, group) =>
    letters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH).join(''),
  )
  return groups.join('-')
}

const PRINTABLE = /^[ -~]+$/

/** Look-ups trim what they look for, and letters beyond ASCII have no case that all agree on. */
export const isCode = (text: string): boolean => PRINTABLE.test(text) && text.trim() === text

export const CODE_RULE =
  'code must consist of printable ASCII characters, without a blank at its beginning or end, as in SUMMER-10.'

/** Longer than any id, and short enough for an entry of the index: an id that nobody has may come from a path, whatever it is. */
const LONGEST_ID = 64

/**
 * Wrong codes a minute of all that come from one network. Many shoppers share one, behind a company's or a carrier's address, or behind a
 * storefront's server, and must not be kept from theirs by a few who mistype. Whoever begins a new cart for every ten guesses meets it.
 */
const MOST_PER_NETWORK = 200

/**
 * Against whom a refused code counts, as subjects of the guess limiter: the cart or checkout token it was entered in, and the networks that
 * the request counts under. The modes count apart, as a test must not block those who buy. Codes of all kinds count together.
 */
export function codeSubjects(
  { isSandbox }: Pick<Caller, 'isSandbox'>,
  enteredIn: string,
  clientNetworks: readonly string[],
): Tried[] {
  const tried = isSandbox ? 'code sandbox' : 'code live'
  return [
    // In words of their own: an id that comes from a path may look like a network.
    { subject: `${tried} in ${enteredIn.slice(0, LONGEST_ID)}`, most: MAX_FAILURES },
    ...perNetwork(clientNetworks, MOST_PER_NETWORK).map(({ network, most }) => ({
      subject: `${tried} from ${network}`,
      most,
    })),
  ]
}

// A code that a shopper enters in a cart or at the checkout → its discount, within the limits of guessing.

/** One sentence for unknown, expired and used up: told apart, they would say which codes exist. */
export const REFUSED_CODE = 'This code cannot be used: it does not exist, has expired or is used up.'

export type EnteredCode = {
  readonly code: string
  /** The id of the cart or checkout token that the code is entered in, whether it exists or not. */
  readonly enteredIn: string
  /** As `Context.clientNetworks`. */
  readonly clientNetworks: readonly string[]
}

/** Null when the code is refused: answer with REFUSED_CODE. Throws `tooManyRequests` after too many refusals. */
export const tryDiscountCode = (
  db: Database,
  clock: Clock,
  caller: Pick<Caller, 'merchantId' | 'isSandbox'>,
  { code, enteredIn, clientNetworks }: EnteredCode,
): Promise<AppliedDiscountRow | null> =>
  guessDiscount(db, {
    merchantId: caller.merchantId,
    isSandbox: caller.isSandbox,
    code,
    now: clock.now(),
    subjects: codeSubjects(caller, enteredIn, clientNetworks),
  })
