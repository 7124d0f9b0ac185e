// API keys as text: how they look, are made and are compared. Secret keys exist in readable form only at the moment they are made.

import { hash, randomInt } from 'node:crypto'

export type KeyKind = { readonly isSecret: boolean; readonly isSandbox: boolean }

export type NewKey = KeyKind & { readonly text: string; readonly hash: Buffer; readonly lastFour: string }

/** The four keys of a merchant, in the order they are shown. */
export const KEY_KINDS: readonly KeyKind[] = [
  { isSecret: false, isSandbox: true },
  { isSecret: true, isSandbox: true },
  { isSecret: false, isSandbox: false },
  { isSecret: true, isSandbox: false },
]

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 40 characters of 62 are 238 bits: out of reach of guessing, and long enough for secret scanners to recognise. */
const LENGTH = 40
const FORM = /^[ps]k_(?:test_)?[0-9A-Za-z]{40}$/

export const prefixOf = ({ isSecret, isSandbox }: KeyKind) => `${isSecret ? 'sk' : 'pk'}_${isSandbox ? 'test_' : ''}`

export function newKey(kind: KeyKind): NewKey {
  const body = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const text = prefixOf(kind) + body
  return { ...kind, text, hash: hashKey(text), lastFour: text.slice(-4) }
}

export const looksLikeKey = (text: string) => FORM.test(text)

/** A key is 238 random bits, so a plain fast hash keeps it: there is nothing to guess from. */
export const hashKey = (text: string): Buffer => hash('sha256', text, 'buffer')
