// What of a request is kept, and how it is masked: no key, card, gift card, password, token or signing secret may stand in the log. Runs when rows are
// written, a moment after their requests have been answered.

import { redact } from '../lib/redact.ts'
import { withoutEnd } from '../lib/text.ts'

/** What is known of a request when it has been answered. Kept as it is until it is written: the request waits for nothing. */
export type Entry = {
  readonly merchantId: number
  readonly isSandbox: boolean
  readonly id: string
  /** By a proxy that is trusted. */
  readonly isGiven: boolean
  /** When it came, in milliseconds. */
  readonly at: number
  readonly version: string
  readonly keyId: string | null
  /** As it was sent. It never gets further than this. */
  readonly key: string | null
  /** Who was logged in to the dashboard, where it came from there. */
  readonly account: string | null
  readonly method: string
  readonly url: string
  readonly route: string | null
  /** Schema of the query of its endpoint. */
  readonly query: object | undefined
  readonly isSecure: boolean
  readonly address: string
  readonly status: number
  readonly ms: number
  readonly userAgent: string | null
  readonly idempotencyKey: string | null
  readonly bodies: Bodies | null
}

/** Of a write or a refusal. */
export type Bodies = {
  readonly request: unknown
  /** Bytes, as far as the request told. */
  readonly requestSize: number
  readonly response: string | null
  readonly schemas: Schemas
}

/** In which `x-secret` marks what is masked. */
export type Schemas = { readonly body?: object | undefined; readonly returns?: object | undefined }

export type NewRow = {
  readonly is_sandbox: boolean
  readonly at: number
  readonly id: string
  readonly is_given: boolean
  readonly version: string
  readonly key_id: string | null
  readonly key_used: string | null
  readonly token_id: string | null
  readonly method: string
  readonly url: string
  readonly route: string | null
  readonly is_secure: boolean
  readonly ip_address: string
  readonly status_code: number
  readonly ms: number
  readonly user_agent: string | null
  readonly idempotency_key: string | null
  readonly request_body: string | null
  readonly response_body: string | null
}

/** Named schemas that others refer to. */
type Kinds = ReadonlyMap<string, object>

const MASK = '***'
const MOST_BODY_BYTES = 16_384
/** A larger one is not even looked through: that would hold up the requests of the moment. */
export const MOST_READ = 131_072
const LONGEST_URL = 2_000
const LONGEST_HEADER = 300

export function rowMaker(kinds: Kinds): (entry: Entry) => NewRow {
  const secretNames = secretNamesIn(kinds)
  const agents = new Map<string, string>()

  return (entry) => {
    const { bodies } = entry
    return {
      is_sandbox: entry.isSandbox,
      at: entry.at,
      id: entry.id,
      is_given: entry.isGiven,
      version: entry.version,
      key_id: entry.keyId,
      key_used: entry.key === null ? entry.account : shownKey(entry.key),
      token_id: tokenIn(entry.url),
      method: entry.method,
      url: maskedUrl(entry.url, secretNames(entry.query)),
      route: entry.route,
      is_secure: entry.isSecure,
      ip_address: entry.address,
      status_code: entry.status,
      ms: entry.ms,
      user_agent: entry.userAgent === null ? null : maskedAgent(entry.userAgent),
      idempotency_key: entry.idempotencyKey === null ? null : redact(entry.idempotencyKey),
      request_body: bodies === null ? null : requestText(bodies),
      response_body: bodies === null ? null : responseText(bodies),
    }
  }

  function requestText({ request, requestSize, schemas }: Bodies): string | null {
    if (request === undefined || request === null) return null
    if (requestSize > MOST_READ) return tooLarge(requestSize)
    const text = JSON.stringify(request, masking(secretNames(schemas.body)))
    return text.length > MOST_READ ? tooLarge(text.length) : bounded(redact(text))
  }

  function responseText({ response, schemas }: Bodies): string | null {
    if (response === null || response === '') return null
    if (response.length > MOST_READ) return tooLarge(response.length)
    const names = secretNames(schemas.returns)
    const isPlain = names.size === 0 && !GIFT_CARD.test(response)
    return bounded(redact(isPlain ? response : JSON.stringify(parsed(response), masking(names))))
  }

  /** The same few come with most requests. */
  function maskedAgent(agent: string): string {
    const known = agents.get(agent)
    if (known !== undefined) return known
    if (agents.size >= 500) agents.clear()
    const masked = redact(agent).slice(0, LONGEST_HEADER)
    agents.set(agent, masked)
    return masked
  }
}

const tooLarge = (size: number) => JSON.stringify(`(${size} bytes, of which none are kept)`)

/** Not in the middle of a secret: whatever is one has been masked before. */
function bounded(text: string): string {
  if (text.length <= MOST_BODY_BYTES / 4) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= MOST_BODY_BYTES) return text
  // A character that was cut in two is left out.
  return withoutEnd(new TextDecoder('utf-8').decode(bytes.subarray(0, MOST_BODY_BYTES - 3)), '\ufffd')
}

/** What is not JSON is masked as text alone. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** At any depth: older versions put the same thing elsewhere, and what was refused may stand anywhere. */
const masking = (names: ReadonlySet<string>) => (name: string, value: unknown) => {
  if (value === null || value === undefined) return value
  if (names.has(name)) return MASK
  return GIFT_CARD_FIELD.test(name) ? withoutCode(value) : value
}

// Anybody who knows the code of a gift card can spend it. A code is known by the name it goes under: by its form it may be any word.

const GIFT_CARD = /gift_?card/i

// Where a storefront has one field for both, the code of a gift card is tried as a discount.
const GIFT_CARD_FIELD = /^(?:gift_?cards?(?:_?code)?|discount_code)$/i

/** Keeps everything but the code of a gift card inside an order or a checkout. */
function withoutCode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCode)
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? MASK : value
  return 'code' in value ? { ...value, code: MASK } : value
}

// Which fields of a body are secret, by its schema.

type Shape = {
  readonly 'x-secret'?: boolean
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: boolean | Shape
  readonly items?: Shape
  readonly anyOf?: readonly Shape[]
}

const NONE: ReadonlySet<string> = new Set()

function secretNamesIn(kinds: Kinds): (schema: object | undefined) => ReadonlySet<string> {
  const known = new WeakMap<object, ReadonlySet<string>>()
  return (schema) => {
    if (schema === undefined) return NONE
    const names = known.get(schema) ?? namesIn(schema)
    known.set(schema, names)
    return names
  }

  function namesIn(schema: object): ReadonlySet<string> {
    const names = new Set<string>()
    const seen = new Set<object>()
    const look = (shape: Shape | boolean | undefined) => {
      if (typeof shape !== 'object' || seen.has(shape)) return
      seen.add(shape)
      const { $ref, properties = {}, additionalProperties, items, anyOf = [] } = shape
      if ($ref !== undefined) look(kinds.get($ref.replace(/#$/, '')))
      for (const [name, property] of Object.entries(properties)) {
        if (property['x-secret'] === true) names.add(name)
        else look(property)
      }
      for (const each of [additionalProperties, items, ...anyOf]) look(each)
    }
    look(schema)
    return names
  }
}

// Keys, tokens and addresses.

const KEY_BEGINNING = /^[ps]k_(?:test_)?/

/** As much as tells which key it was: `sk_test_…a1b2`. */
function shownKey(key: string): string {
  const [beginning = ''] = KEY_BEGINNING.exec(key) ?? []
  const rest = key.slice(beginning.length)
  // Of a short one, as they may be taken over from elsewhere, the end would be most of it.
  return `${beginning}…${rest.length > 12 ? rest.slice(-4) : ''}`
}

const TOKEN = /\bchkt_([0-9A-Za-z]{9})[0-9A-Za-z]{13}([0-9A-Za-z]{4})\b/

/** The checkout token that an address names: its time and its end, which open nothing. */
function tokenIn(url: string): string | null {
  const found = url.includes('chkt_') ? TOKEN.exec(url) : null
  return found === null ? null : `chkt_${found[1]}…${found[2]}`
}

/** What a login link and secrets like it are: longer than any id. */
const LONG_TOKEN = /[0-9A-Za-z]{40,}/g

function maskedUrl(url: string, secretNames: ReadonlySet<string>): string {
  const masked = withoutSecrets(url, secretNames)
  if (!url.includes('%')) return masked.slice(0, LONGEST_URL)
  // What is written in escapes is no less a secret.
  const plain = decoded(url)
  const plainMasked = withoutSecrets(plain, secretNames)
  return (plainMasked === plain ? masked : plainMasked).slice(0, LONGEST_URL)
}

function withoutSecrets(url: string, secretNames: ReadonlySet<string>): string {
  const masked = withoutParameters(redact(url), secretNames)
  return masked.length < 40 ? masked : masked.replace(LONG_TOKEN, MASK)
}

/** Matches an address that no endpoint has, and that is about gift cards. */
const GIFT_CARD_PARAMETERS: ReadonlySet<string> = new Set(['code', 'query'])
const PARAMETER = /([?&])([^=&]{1,255})=([^&]+)/g

function withoutParameters(url: string, secretNames: ReadonlySet<string>): string {
  const names = secretNames.size === 0 && GIFT_CARD.test(url) ? GIFT_CARD_PARAMETERS : secretNames
  if (names.size === 0) return url
  return url.replace(PARAMETER, (parameter, before, name: string) =>
    names.has(decoded(name).replace(/\[.*/s, '')) ? `${before}${name}=${MASK}` : parameter,
  )
}

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url.replace(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
  }
}
