// Codes that people type: what one may look like, those that are made where none is given, and against whom a wrong one counts.
// Gift cards have the same.

import { randomBytes } from 'node:crypto'
import { Type } from 'typebox'
import type { Caller } from '../../http/endpoint.ts'
import { networkOf } from '../../lib/addresses.ts'

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
 * Against whom a refused code counts, as subjects of the guess limiter: the cart or checkout token it was entered in, and with a
 * public key the client. A secret key's client is a server that speaks for many shoppers: one of them could block all the others.
 * The modes count apart, as a test must not block those who buy. Codes of all kinds count together.
 */
export function codeSubjects(
  { isSecret, isSandbox }: Pick<Caller, 'isSecret' | 'isSandbox'>,
  enteredIn: string,
  clientAddress: string,
): string[] {
  const tried = isSandbox ? 'code sandbox' : 'code live'
  const place = `${tried} ${enteredIn.slice(0, LONGEST_ID)}`
  return isSecret ? [place] : [place, `${tried} ${networkOf(clientAddress)}`]
}
