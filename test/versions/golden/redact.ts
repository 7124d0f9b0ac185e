// Takes out of an exchange what differs from one run to the next, and nothing else: ids become `prod_1`, by prefix and by their first
// appearance; moments `<time>`; the merchant's number `<merchant>`; signatures and tokens a word each. What is null, a text or a number stays visible as such.

import { ID_PREFIXES } from '../../../src/lib/ids.ts'
import type { JsonData } from '../../../src/versions/change.ts'

const prefixes = Object.values(ID_PREFIXES).map((prefix) => prefix.slice(0, -1))
const ID = new RegExp(`(${prefixes.join('|')})_[0-9A-Za-z]{26}(?![0-9A-Za-z])`, 'g')

/** The tests' clock begins in 2026. No sum of money and no size in the script comes near. */
const [EARLIEST, LATEST] = [Date.UTC(2025, 11, 1) / 1_000, Date.UTC(2028, 0, 1) / 1_000]
const isMoment = (value: number) => Number.isInteger(value) && value > EARLIEST && value < LATEST

/** A mail's look is not the API's; its text, beside it, stays. */
const isPage = (text: string) => /^\s*<!doctype html/i.test(text)

const IN_TEXT: readonly (readonly [pattern: RegExp, word: string])[] = [
  [/([?&](?:expires|until)=)\d+/g, '$1<time>'],
  [/([?&](?:signature|sig)=)[\w-]+/g, '$1<signature>'],
  // What the test gateway has a payment confirmed by.
  [/_secret_[0-9a-f]{24}\b/g, '_secret_<secret>'],
  // Counted for all merchants together.
  [/\bSHP-\d+\b/g, 'SHP-<number>'],
  // A session: three parts in base64url.
  [/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, '<jwt>'],
  // What webhooks are signed with, and by; who sends them; and moments within the text that is sent.
  [/whsec_[0-9A-Za-z+/]+=*/g, 'whsec_<secret>'],
  [/\bv1,[0-9A-Za-z+/]{43}=/g, 'v1,<signature>'],
  [/\b[0-9a-f]{64}\b/g, '<signature>'],
  [/\bCartwright-Webhooks\/\S+/g, 'Cartwright-Webhooks/<release>'],
  [/("(?:created|updated)":)1[78]\d{8}\b/g, '$1<time>'],
  // What a login link holds.
  [/\b[0-9A-Za-z]{40}\b/g, '<login token>'],
]

/** Short texts, most of all the names of fields, come again in every exchange. */
const LONGEST_KEPT = 40
const kept = new Map<string, string>()

function withoutSecrets(text: string): string {
  const known = kept.get(text)
  if (known !== undefined) return known
  const redacted = IN_TEXT.reduce((rest, [pattern, word]) => rest.replace(pattern, word), text)
  if (text.length <= LONGEST_KEPT) kept.set(text, redacted)
  return redacted
}

/** Headers are text; this one is the moment that is signed. */
const isSigned = (field: string) => field === 'webhook-timestamp'

export type Redact = (value: JsonData) => JsonData

/** One for each exchange: what is given to it in turn shares the numbers of its ids. */
export function redaction(merchant_id: number): Redact {
  const named = new Map<string, string>()
  const counts = new Map<string, number>()
  const merchantInPath = new RegExp(`/${merchant_id}(?=/|$|\\?)`, 'g')

  function nameOf(id: string, prefix: string): string {
    const known = named.get(id)
    if (known !== undefined) return known
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    named.set(id, `${prefix}_${count}`)
    return `${prefix}_${count}`
  }

  const inText = (text: string): string => {
    const redacted = withoutSecrets(text).replace(ID, nameOf)
    return redacted.includes('/') ? redacted.replace(merchantInPath, '/<merchant>') : redacted
  }

  // A merchant's number is small, as quantities are: it counts where a field says so. All other ids are text.
  const isMerchant = (field: string, value: number) => /^(merchant_)?id$/.test(field) && value === merchant_id

  function redact(value: JsonData, field = ''): JsonData {
    if (typeof value === 'string') return isPage(value) ? '<page>' : isSigned(field) ? '<time>' : inText(value)
    if (typeof value === 'number') return isMerchant(field, value) ? '<merchant>' : isMoment(value) ? '<time>' : value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map((entry) => redact(entry))
    return Object.fromEntries(Object.entries(value).map(([name, content]) => [inText(name), redact(content, name)]))
  }
  return (value) => redact(value)
}
