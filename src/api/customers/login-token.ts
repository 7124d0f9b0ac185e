// The token in a login link: how one is made and compared. It exists in readable form only on its way to the customer.

import { hash, randomInt } from 'node:crypto'

// Letters and digits only: mail programs end a link before a dot or a dash that stands at its end.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 238 random bits. */
const LENGTH = 40
const FORM = /^[0-9A-Za-z]{40}$/

export const LOGIN_MINUTES = 15
export const LOGIN_MS = LOGIN_MINUTES * 60_000

export const newLoginToken = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/** A token has 238 random bits, so a plain fast hash keeps it: there is nothing to guess from. */
export const hashLoginToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Blanks around it come from copying. Anything that is none is hashed all the same, so that it counts as a guess. */
export const readLoginToken = (text: string): string => (FORM.test(text.trim()) ? text.trim() : '')
