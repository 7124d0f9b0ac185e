// The address that a login link leads to, as a storefront gives it: which are accepted, and where the token goes; and the token itself.
// No I/O.

import { hash, randomInt } from 'node:crypto'
import { readAddress } from '../../merchants/settings.ts'

type LinkBase = {
  /** As a browser writes it. */
  readonly origin: string
  /** The whole address, with the place of the token marked at least once. */
  readonly template: string
}

export const LONGEST_BASE_URL = 2_000

/** Storefronts that put the address together with a URL parser send it escaped. */
const PLACE = /\{token\}|%7[Bb]token%7[Dd]/
const EVERY_PLACE = new RegExp(PLACE, 'g')

/**
 * null when the text is no absolute http or https address. Without a place for the token the last part of the path becomes one.
 * The origin is read before the token is put in, and stands in front of what is put in: no token and no path can change it.
 */
export function readBaseUrl(text: string): LinkBase | null {
  const address = text.length > LONGEST_BASE_URL ? null : readAddress(text)
  if (address === null) return null
  const { origin, url } = address
  // No host has a brace in it: a place is one of the path or of what follows it.
  if (!PLACE.test(text)) url.pathname = `${url.pathname.replace(/\/$/, '')}/{token}`
  return url.origin === origin ? { origin, template: url.href } : null
}

/** `token` must be letters and digits. */
export const linkTo = (template: string, token: string): string => template.replaceAll(EVERY_PLACE, token)

export const BASE_URL_RULE =
  'base_url must be an absolute http or https address such as https://shop.example/login/{token}, without a user, blanks or backslashes.'

export const ORIGIN_RULE =
  "With a live key, base_url must begin with one of the shop's allowed_origins; the merchant sets them with PUT /v1/merchants."

// The token in a login link exists in readable form only on its way to the customer.

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
