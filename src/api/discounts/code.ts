// Codes of discounts and gift cards, which people type: their form, generated codes, and the limits on guessing.

import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import type { Scope, Statement } from '../../db/db.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { perNetwork } from '../../lib/addresses.ts'
import { refusal } from '../../lib/words/refusals.ts'
import { checkGuess, type GuessSubject, MAX_FAILURES } from '../../limits/guesses.ts'
import type { GuardedRow } from '../../limits/store.ts'
import { type AppliedDiscountRow, guessUsableDiscount } from './store.ts'

export const CodeField = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Printable ASCII without blanks at its ends; unique whatever the case. Made for you unless given.',
})

// Omits 0, O, 1 and I, which are easily confused. It has 32 characters, so that five bits select one.
const ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'
const GROUPS = 3
const GROUP_LENGTH = 4

/** A random code of 60 bits, such as `7KQX-M2RD-HV9C`. */
export function newCode(): string {
  const letters = [...randomBytes(GROUPS * GROUP_LENGTH)].map((byte) => ALPHABET.charAt(byte & 31))
  const groups = Array.from({ length: GROUPS }, (_, group) =>
    letters.slice(group * GROUP_LENGTH, (group + 1) * GROUP_LENGTH).join(''),
  )
  return groups.join('-')
}

const PRINTABLE = /^[ -~]+$/

/** Lookups trim the input, and the case of letters beyond ASCII depends on the locale. */
export const isCode = (text: string): boolean => PRINTABLE.test(text) && text.trim() === text

export const CODE_RULE =
  'must consist of printable ASCII characters, without a blank at its beginning or end, as in SUMMER-10'

/** Longer than any id, and short enough for an index entry. An id from a path may be arbitrary text. */
const LONGEST_ID = 64

/**
 * Wrong codes per minute from one network. Many shoppers may share a network: a company, a mobile carrier, or the server of a storefront. A
 * few typing errors must not lock them all out. The limit stops guessers who start a new cart for every ten guesses.
 */
const MAX_PER_NETWORK = 200

/**
 * Subjects that a wrong code counts against in the guess limiter: the cart or checkout token, and the networks of the request. Live and
 * sandbox count separately, so that tests cannot block shoppers. Discounts and gift cards count together.
 */
export function codeSubjects(
  { is_sandbox }: Pick<Scope, 'is_sandbox'>,
  enteredIn: string,
  clientNetworks: readonly string[],
): GuessSubject[] {
  const prefix = is_sandbox ? 'code sandbox' : 'code live'
  return [
    // Different words than for networks, because an id from a path may look like a network.
    { subject: `${prefix} in ${enteredIn.slice(0, LONGEST_ID)}`, most: MAX_FAILURES },
    ...perNetwork(clientNetworks, MAX_PER_NETWORK).map(({ network, most }) => ({
      subject: `${prefix} from ${network}`,
      most,
    })),
  ]
}

/** One sentence for unknown, expired and used up. Different ones would reveal which codes exist. */
export const REFUSED_CODE = 'This code cannot be used: it does not exist, has expired or is used up.'
/** The same refusal for shoppers. */
export const CODE_NOT_ACCEPTED = refusal('code_not_accepted')

/** The parts of a request that a code check needs. */
export type CodeContext = Pick<Context, 'db' | 'clock' | 'clientNetworks'> & { readonly caller: Scope }

/** `field` is the name in the request. `enteredIn` is the id of the cart or checkout token, which need not exist. */
export type EnteredCode = { readonly code: string; readonly field: string; readonly enteredIn: string }

/**
 * Finds the row of a code, in any case, by the statement `lookup` (`:code`, `:is_sandbox`). Null for a wrong code, which counts as a guess
 * against all subjects. Throws `tooManyRequests` after too many.
 */
export const tryCode = <Row>(
  { db, clock, caller, clientNetworks }: CodeContext,
  lookup: Statement<GuardedRow<Row>>,
  { code, field, enteredIn }: EnteredCode,
): Promise<Row | null> => {
  const subjects = codeSubjects(caller, enteredIn, clientNetworks)
  const values = { code: code.trim(), is_sandbox: caller.is_sandbox }
  return checkGuess(
    db,
    lookup,
    { merchant_id: caller.merchant_id, subjects, now: clock.now(), excess: { field, code: 'too_many_codes' } },
    values,
  )
}

/** Null if the code is refused. Answer with REFUSED_CODE then. */
export const tryDiscountCode = (context: CodeContext, entered: EnteredCode): Promise<AppliedDiscountRow | null> =>
  tryCode(context, guessUsableDiscount, entered)
