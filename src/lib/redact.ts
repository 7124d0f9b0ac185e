// Masks secrets in any text before it is logged: keys, tokens, passwords, card numbers, codes of gift cards.
// The last line of defence behind logging no bodies at all; when in doubt it masks.

/**
 * Runs over every log line: each rule looks for its cheap landmark first, and every expression takes time in proportion to the
 * line (X19). A line as JSON.stringify writes it stays JSON; one of more than a million characters is cut. What is recognised by
 * its form may stand anywhere, even right behind a letter, because in a log `\n` and `%22` end in one.
 */
export function redact(line: string): string {
  let text = line.length > LONGEST_LINE ? cut(line) : line
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
const LONGEST_LINE = 1_000_000

const cut = (line: string): string => `${line.slice(0, LONGEST_LINE)}… (cut)${line.endsWith('\n') ? '\n' : ''}`

// Ours, and those of payment processors (`sk_live_…`). `task_` before twenty letters is masked too, which does no harm.
const API_KEY = /([prs]k_(?:test_|live_)?)[A-Za-z0-9]{20,}/g

// The form of Standard Webhooks.
const WEBHOOK_SECRET = /whsec_[A-Za-z0-9+/=_-]{8,}/g

// What a payment is confirmed by, in the browser: `pi_…_secret_…`.
const CLIENT_SECRET = /(_secret_)[A-Za-z0-9]{8,}/g

// What opens an address that we have signed.
const SIGNATURE = /([?&](?:sig|signature)=)[\w-]{16,}/g

// Whoever knows a checkout's id may act on it.
const CHECKOUT_TOKEN = /chkt_[A-Za-z0-9]{8,}/g

// The dotted rest is optional, so that `eyJeyJeyJ…` is eaten in one match instead of being tried again from each `eyJ`.
const JWT = /eyJ[\w-]+((?:\.[\w-]+)+)?/g

// Up to the last @ before a slash, as people put @ into passwords.
const URL_PASSWORD = /(:\/\/[^\s:@/?#"'\\]*:)[^\s/"'\\]*@/g

const SCHEME_WORD = /bearer|basic/i
// Sixteen characters at least: "the Bearer token" is a sentence.
const CREDENTIALS = /((?:bearer|basic)(?:\s|%20|\+){1,4})[A-Za-z0-9._~+/=-]{16,}/gi

// What has no form of its own is known by the name it goes under. In JSON, in JSON that is quoted inside JSON, in a URL.
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
    .replace(SECRET_NUMBER, (_, before) => `${before}0`)
}

/**
 * Thirteen or more digits, with at most one blank or dash (or `+`, `%20`, as URLs write a blank) between two of them.
 * They begin behind something that is neither letter nor digit, behind `%22` or behind `\n`: digits inside an id are left alone.
 * Nor do they begin behind a decimal point, or with 0 or 1, which no card of a shopper does: the Unix milliseconds and the
 * response time in every line would else be taken for a card one time in ten. Other whole numbers of 13 to 19 digits that pass
 * the check sum by chance are masked; that is the price. A JSON number of more than 16 digits is masked whatever its check sum: JSON has
 * rounded it, and the check digit of the card that it was is gone.
 */
const CARD_LIKE = /[2-9](?:(?<![A-Za-z0-9%].|\d\..)|(?<=(?:%[0-9A-Fa-f]{2}|\\[bfnrt]).))(?:(?:[ +-]|%20)?\d){12,}/g
const SEPARATOR = /([ +-]|%20)/

const SHORTEST_CARD = 13
const LONGEST_CARD = 19
const LONGEST_EXACT = 16

/** One run may hold several numbers side by side, so each stretch of whole groups is tried, the longest first. */
function maskCards(run: string, offset: number, line: string): string {
  // Groups of digits at even places, what separates them at odd ones.
  const pieces = run.split(SEPARATOR)
  if (pieces.length === 1 && run.length > LONGEST_EXACT && isBareNumber(line, offset, run.length)) return '0'
  const isCutOff = /[A-Za-z0-9]/.test(line.charAt(offset + run.length))
  const last = pieces.length - (isCutOff ? 3 : 1)
  let text = ''
  let at = 0
  while (at < pieces.length) {
    const end = endOfCard(pieces, at, last)
    if (end === -1) {
      text += (pieces[at] ?? '') + (pieces[at + 1] ?? '')
      at += 2
    } else {
      text += pieces.length === 1 && isBareNumber(line, offset, run.length) ? '0' : '[card]'
      text += pieces[end + 1] ?? ''
      at = end + 2
    }
  }
  return text
}

/** The place of the last group of the longest card number that begins with the group at `start`, or -1. */
function endOfCard(pieces: readonly string[], start: number, last: number): number {
  if (!/^[2-9]/.test(pieces[start] ?? '')) return -1
  // Luhn doubles every second digit from the right. Which ones those are is known only at the end, so both sums are kept.
  let sum = 0
  let other = 0
  let length = 0
  let end = -1
  for (let at = start; at <= last; at += 2) {
    const group = pieces[at] ?? ''
    length += group.length
    if (length > LONGEST_CARD) break
    for (let index = 0; index < group.length; index++) {
      const digit = group.charCodeAt(index) - 48
      const doubled = digit > 4 ? digit * 2 - 9 : digit * 2
      const before = sum
      sum = other + digit
      other = before + doubled
    }
    if (length >= SHORTEST_CARD && sum % 10 === 0) end = at
  }
  return end
}

/** A number as JSON.stringify writes one; a word in its place would spoil the line for whoever reads it as JSON. */
const isBareNumber = (line: string, offset: number, length: number): boolean =>
  /[:,[-]/.test(line.charAt(offset - 1)) && /[,}\].]/.test(line.charAt(offset + length))
