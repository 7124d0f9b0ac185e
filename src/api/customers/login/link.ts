// Login links: the accepted base URLs, the position of the token in them, and the token itself. No I/O.

import { hash, randomInt } from 'node:crypto'
import { parseWebAddress } from '../../merchants/settings.ts'

type LinkBase = {
  /** Origin in the spelling of browsers. */
  readonly origin: string
  /** The whole address, with at least one placeholder for the token. */
  readonly template: string
}

export const LONGEST_BASE_URL = 2_000

/** Storefronts that build the address with a URL parser send the placeholder escaped. */
const PLACEHOLDER = /\{token\}|%7[Bb]token%7[Dd]/
const EVERY_PLACEHOLDER = new RegExp(PLACEHOLDER, 'g')

/**
 * Null if the text is not an absolute http or https address. Without a placeholder, one is appended to the path. The origin is compared
 * before and after, so that no token and no path can change it.
 */
export function readBaseUrl(text: string): LinkBase | null {
  const address = text.length > LONGEST_BASE_URL ? null : parseWebAddress(text)
  if (address === null) return null
  const { origin, url } = address
  // A host cannot contain braces, so a placeholder is in the path or after it.
  if (!PLACEHOLDER.test(text)) url.pathname = `${url.pathname.replace(/\/$/, '')}/{token}`
  return url.origin === origin ? { origin, template: url.href } : null
}

/** Inserts the token, which must be letters and digits, into the template. */
export const insertTokenIntoLink = (template: string, token: string): string =>
  template.replaceAll(EVERY_PLACEHOLDER, token)

export const BASE_URL_RULE =
  'base_url must be an absolute http or https address such as https://shop.example/login/{token}, without a user, blanks or backslashes.'

export const ORIGIN_RULE =
  "With a live key, base_url must begin with one of the shop's allowed_origins; the merchant sets them with PUT /v1/merchants."

// Tokens. They are stored only as hashes; the readable token is sent to the customer.

// Letters and digits only, because mail programs end a link before a final dot or dash.
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Characters of a token: 238 random bits. */
const LENGTH = 40
const FORM = /^[0-9A-Za-z]{40}$/

export const LOGIN_MINUTES = 15
export const LOGIN_MS = LOGIN_MINUTES * 60_000

export const newLoginToken = (): string =>
  Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')

/** A fast hash without salt is enough, because 238 random bits cannot be guessed. */
export const hashLoginToken = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Trims blanks from copying. Invalid text becomes '', which is hashed all the same, so that it counts as a guess. */
export const readLoginToken = (text: string): string => (FORM.test(text.trim()) ? text.trim() : '')
