// Codes that people type, of discounts and of gift cards: what one looks like, which we make where none is given, and against whom a wrong
// one counts.

import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import type { Scope, Statement } from '../../db/db.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { perNetwork } from '../../lib/addresses.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { guess, MAX_FAILURES, type Subject } from '../../limits/guesses.ts'
import type { GuessAnswer } from '../../limits/store.ts'
import { type AppliedDiscountRow, guessUsableDiscount } from './store.ts'

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
  'must consist of printable ASCII characters, without a blank at its beginning or end, as in SUMMER-10'

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
  { isSandbox }: Pick<Scope, 'isSandbox'>,
  enteredIn: string,
  clientNetworks: readonly string[],
): Subject[] {
  const prefix = isSandbox ? 'code sandbox' : 'code live'
  return [
    // In words of their own: an id that comes from a path may look like a network.
    { subject: `${prefix} in ${enteredIn.slice(0, LONGEST_ID)}`, most: MAX_FAILURES },
    ...perNetwork(clientNetworks, MOST_PER_NETWORK).map(({ network, most }) => ({
      subject: `${prefix} from ${network}`,
      most,
    })),
  ]
}

/** One sentence for unknown, expired and used up: told apart, they would say which codes exist. */
export const REFUSED_CODE = 'This code cannot be used: it does not exist, has expired or is used up.'
/** The same for shoppers. */
export const CODE_NOT_ACCEPTED = refusal('code_not_accepted')

/** What entering a code needs of the request that does. */
export type CodeContext = Pick<Context, 'db' | 'clock' | 'clientNetworks'> & { readonly caller: Scope }

/**
 * `field`: what the request calls it. `enteredIn`: the id of the cart or checkout token that the code is entered in, whether it exists or
 * not.
 */
export type EnteredCode = { readonly code: string; readonly field: string; readonly enteredIn: string }

/**
 * What `lookup` finds by a code in any case (`:code`, `:is_sandbox`). What a shopper enters may be a guess: null, and it counts against all
 * that it came by. Throws `tooManyRequests` after too many.
 */
export const tryCode = <Row>(
  { db, clock, caller, clientNetworks }: CodeContext,
  lookup: Statement<GuessAnswer<Row>>,
  { code, field, enteredIn }: EnteredCode,
): Promise<Row | null> => {
  const subjects = codeSubjects(caller, enteredIn, clientNetworks)
  const values = { code: code.trim(), is_sandbox: caller.isSandbox }
  return guess(
    db,
    lookup,
    { merchantId: caller.merchantId, subjects, now: clock.now(), excess: { field, code: 'too_many_codes' } },
    values,
  )
}

/** Null when the code is refused: answer with REFUSED_CODE. */
export const tryDiscountCode = (context: CodeContext, entered: EnteredCode): Promise<AppliedDiscountRow | null> =>
  tryCode(context, guessUsableDiscount, entered)
