// Masks secrets in text before it is logged: keys, tokens, passwords, card numbers and gift card codes.
// It is the last line of defence, because bodies are never logged. In doubt it masks.

/**
 * Masks one log line. It must be fast: each rule first checks for a cheap landmark, and every expression takes linear time (X19).
 * A line from JSON.stringify stays valid JSON. A line of more than a million characters is cut.
 * Secrets with a recognisable form may follow a letter directly, because in a log `\n` and `%22` end in one.
 */
export function redact(line: string): string {
  let text = line.length > MAX_LINE_LENGTH ? truncateLine(line) : line
  if (SCHEME_WORD.test(text)) text = text.replace(CREDENTIALS, `$1${MASK}`)
  if (text.includes('k_')) text = text.replace(API_KEY, `$1${MASK}`)
  if (text.includes('whsec_')) text = text.replace(WEBHOOK_SECRET, `whsec_${MASK}`)
  if (text.includes('_secret_')) text = text.replace(CLIENT_SECRET, `$1${MASK}`)
  if (text.includes('sig')) text = text.replace(SIGNATURE, `$1${MASK}`)
  if (text.includes('chkt_')) text = text.replace(CHECKOUT_TOKEN, `chkt_${MASK}`)
  if (text.includes('eyJ')) text = text.replace(JWT, (match, rest) => (rest === undefined ? match : `eyJ${MASK}`))
  if (text.includes('://')) text = text.replace(URL_PASSWORD, `$1${MASK}@`)
  if (SECRET_NAME.test(text)) text = maskNamed(text)
  return text.replace(CARD_LIKE, maskCards)
}

const MASK = '***'

// Several megabytes of digits overflow the stack of the regular expression engine, and a logger must not throw.
const MAX_LINE_LENGTH = 1_000_000

const truncateLine = (line: string): string =>
  `${line.slice(0, MAX_LINE_LENGTH)}… (cut)${line.endsWith('\n') ? '\n' : ''}`

// Our own keys, and those of payment processors (`sk_live_…`). `task_` before twenty letters is masked too, which does no harm.
const API_KEY = /([prs]k_(?:test_|live_)?)[A-Za-z0-9]{20,}/g

// Format of Standard Webhooks.
const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/=_-]{8,}/g

// Secret that confirms a payment in the browser: `pi_…_secret_…`.
const CLIENT_SECRET = /(_secret_)[A-Za-z0-9]{8,}/g

// Signature of a signed URL.
const SIGNATURE = /([?&](?:sig|signature)=)[\w-]{16,}/g

// The id of a checkout is enough to act on it.
const CHECKOUT_TOKEN = /chkt_[A-Za-z0-9]{8,}/g

// The dotted rest is optional. A single match then consumes `eyJeyJeyJ…` instead of retrying from each `eyJ`.
const JWT = /eyJ[\w-]+((?:\.[\w-]+)+)?/g

// Up to the last @ before a slash, because passwords may contain @.
const URL_PASSWORD = /(:\/\/[^\s:@/?#"'\\]*:)[^\s/"'\\]*@/g

const SCHEME_WORD = /bearer|basic/i
// Sixteen characters at least: "the Bearer token" is a sentence.
const CREDENTIALS = /((?:bearer|basic)(?:\s|%20|\+){1,4})[A-Za-z0-9._~+/=-]{16,}/gi

// Secrets without a recognisable form are found by their field name: in JSON, in JSON quoted inside JSON, and in a URL.
const NAME =
  '(?:passw(?:or)?d|secret(?:_key)?|(?:signing|private|api|access)_?key|token|jwt|cv[cv]|nonce|gift_?card(?:_?code)?)'
const SECRET_NAME = new RegExp(NAME, 'i')
const SECRET_STRING = new RegExp(String.raw`(${NAME}"\s?:\s?")(?:[^"\\\n]|\\.)+`, 'gi')
const SECRET_QUOTED_STRING = new RegExp(String.raw`(${NAME}\\"\s?:\s?\\")(?:[^"\\\n]|\\\\(?:\\.|[^\\"]))+`, 'gi')
const SECRET_PARAMETER = new RegExp(String.raw`(${NAME}(?:\]|%5D)*=)[^\s&"'\\#;,]+`, 'gi')
const SECRET_NUMBER = new RegExp(String.raw`(${NAME}\\?"\s?:\s?)\d+`, 'gi')

function maskNamed(text: string): string {
  return text
    .replace(SECRET_STRING, `$1${MASK}`)
    .replace(SECRET_QUOTED_STRING, `$1${MASK}`)
    .replace(SECRET_PARAMETER, `$1${MASK}`)
    .replace(SECRET_NUMBER, (_, prefix) => `${prefix}0`)
}

/**
 * Thirteen or more digits, with at most one blank or dash between two of them. `+` and `%20` count as blanks.
 * They start after a character that is no letter or digit, after `%22` or after `\n`. Digits inside an id are thus ignored.
 * They do not start after a decimal point, or with 0 or 1, as no shopper's card does. Otherwise the Unix milliseconds and the response time
 * would look like a card in one of ten lines.
 * Other whole numbers of 13 to 19 digits that pass the check sum by chance are masked; that is the price.
 * A JSON number of more than 16 digits is always masked: JSON has rounded it, and the card's check digit is lost.
 */
const CARD_LIKE = /[2-9](?:(?<![A-Za-z0-9%].|\d\..)|(?<=(?:%[0-9A-Fa-f]{2}|\\[bfnrt]).))(?:(?:[ +-]|%20)?\d){12,}/g
const SEPARATOR = /([ +-]|%20)/

const MIN_CARD_DIGITS = 13
const MAX_CARD_DIGITS = 19
const MAX_EXACT_DIGITS = 16

/** One run may hold several numbers side by side. Each stretch of whole groups is tried, the longest first. */
function maskCards(digitRun: string, offset: number, line: string): string {
  // Groups of digits are at even positions, the separators at odd ones.
  const pieces = digitRun.split(SEPARATOR)
  if (pieces.length === 1 && digitRun.length > MAX_EXACT_DIGITS && isBareNumber(line, offset, digitRun.length))
    return '0'
  const isCutOff = /[A-Za-z0-9]/.test(line.charAt(offset + digitRun.length))
  const lastPosition = pieces.length - (isCutOff ? 3 : 1)
  let text = ''
  let at = 0
  while (at < pieces.length) {
    const end = endOfCard(pieces, at, lastPosition)
    if (end === -1) {
      text += (pieces[at] ?? '') + (pieces[at + 1] ?? '')
      at += 2
    } else {
      text += pieces.length === 1 && isBareNumber(line, offset, digitRun.length) ? '0' : '[card]'
      text += pieces[end + 1] ?? ''
      at = end + 2
    }
  }
  return text
}

/** Position of the last group of the longest card number that starts with the group at `start`, or -1. */
function endOfCard(pieces: readonly string[], start: number, last: number): number {
  if (!/^[2-9]/.test(pieces[start] ?? '')) return -1
  // Luhn doubles every second digit from the right. Only the end of the number decides which digits those are, so both sums are kept.
  let sum = 0
  let other = 0
  let length = 0
  let end = -1
  for (let at = start; at <= last; at += 2) {
    const group = pieces[at] ?? ''
    length += group.length
    if (length > MAX_CARD_DIGITS) break
    for (let index = 0; index < group.length; index++) {
      const digit = group.charCodeAt(index) - 48
      const doubled = digit > 4 ? digit * 2 - 9 : digit * 2
      const previousSum = sum
      sum = other + digit
      other = previousSum + doubled
    }
    if (length >= MIN_CARD_DIGITS && sum % 10 === 0) end = at
  }
  return end
}

/** A bare JSON number. A word in its place would make the line invalid JSON. */
const isBareNumber = (line: string, offset: number, length: number): boolean =>
  /[:,[-]/.test(line.charAt(offset - 1)) && /[,}\].]/.test(line.charAt(offset + length))
