// Turns a request into a row of the log and masks it. No key, card, gift card, password, token or signing secret may be stored. Runs when
// rows are written, a moment after the responses.

import { redact } from '../lib/redact.ts'
import { trimEndCharacters } from '../lib/text.ts'

/** Data of an answered request. It is stored unprocessed until rows are written, so that the request waits for nothing. */
export type LoggedRequest = {
  readonly merchant_id: number
  readonly is_sandbox: boolean
  readonly id: string
  /** True if the id comes from a trusted proxy. */
  readonly isGiven: boolean
  /** Time of arrival, in milliseconds. */
  readonly at: number
  readonly version: string
  readonly keyId: string | null
  /** The key as sent. It is never stored like this. */
  readonly key: string | null
  /** Account that sent the request from the dashboard. */
  readonly account: string | null
  readonly method: string
  readonly url: string
  readonly route: string | null
  /** Schema of the endpoint's query. */
  readonly query: object | undefined
  readonly isSecure: boolean
  readonly address: string
  readonly status: number
  readonly ms: number
  readonly userAgent: string | null
  readonly idempotencyKey: string | null
  readonly bodies: Bodies | null
}

/** Bodies of a write or of a failed request. */
export type Bodies = {
  readonly request: unknown
  /** Bytes, as far as the request declared its length. */
  readonly requestSize: number
  readonly response: string | null
  readonly schemas: Schemas
}

/** Schemas in which `x-secret` marks fields to mask. */
export type Schemas = { readonly body?: object | undefined; readonly returns?: object | undefined }

export type NewLogRow = {
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
const MAX_BODY_BYTES = 16_384
/** Larger bodies are not processed at all: that would delay other requests. */
export const MAX_MASKED_BYTES = 131_072
const LONGEST_URL = 2_000
const LONGEST_HEADER = 300

export function createRowBuilder(kinds: Kinds): (entry: LoggedRequest) => NewLogRow {
  const secretNames = secretNamesIn(kinds)
  const agents = new Map<string, string>()

  return (entry) => {
    const { bodies } = entry
    return {
      is_sandbox: entry.is_sandbox,
      at: entry.at,
      id: entry.id,
      is_given: entry.isGiven,
      version: entry.version,
      key_id: entry.keyId,
      key_used: entry.key === null ? entry.account : maskKey(entry.key),
      token_id: findToken(entry.url),
      method: entry.method,
      url: maskUrl(entry.url, secretNames(entry.query)),
      route: entry.route,
      is_secure: entry.isSecure,
      ip_address: entry.address,
      status_code: entry.status,
      ms: entry.ms,
      user_agent: entry.userAgent === null ? null : maskAgent(entry.userAgent),
      idempotency_key: entry.idempotencyKey === null ? null : redact(entry.idempotencyKey),
      request_body: bodies === null ? null : requestText(bodies),
      response_body: bodies === null ? null : responseText(bodies),
    }
  }

  function requestText({ request, requestSize, schemas }: Bodies): string | null {
    if (request === undefined || request === null) return null
    if (requestSize > MAX_MASKED_BYTES) return tooLarge(requestSize)
    const text = JSON.stringify(request, maskSecrets(secretNames(schemas.body)))
    return text.length > MAX_MASKED_BYTES ? tooLarge(text.length) : truncate(redact(text))
  }

  function responseText({ response, schemas }: Bodies): string | null {
    if (response === null || response === '') return null
    if (response.length > MAX_MASKED_BYTES) return tooLarge(response.length)
    const names = secretNames(schemas.returns)
    const isPlain = names.size === 0 && !GIFT_CARD.test(response)
    return truncate(redact(isPlain ? response : JSON.stringify(parseOrText(response), maskSecrets(names))))
  }

  /** The same few agents come with most requests, so their masked names are cached. */
  function maskAgent(agent: string): string {
    const cachedAgent = agents.get(agent)
    if (cachedAgent !== undefined) return cachedAgent
    if (agents.size >= 500) agents.clear()
    const masked = redact(agent).slice(0, LONGEST_HEADER)
    agents.set(agent, masked)
    return masked
  }
}

const tooLarge = (size: number) => JSON.stringify(`(${size} bytes, of which none are kept)`)

/** Truncates after masking, so that no cut secret slips through. */
function truncate(text: string): string {
  if (text.length <= MAX_BODY_BYTES / 4) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= MAX_BODY_BYTES) return text
  // Drop a character that was cut in two.
  return trimEndCharacters(new TextDecoder('utf-8').decode(bytes.subarray(0, MAX_BODY_BYTES - 3)), '\ufffd')
}

/** Text that is not JSON is masked as text only. */
function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Masks fields at any depth: older versions nest them differently, and a refused body may have any shape. */
const maskSecrets = (names: ReadonlySet<string>) => (name: string, value: unknown) => {
  if (value === null || value === undefined) return value
  if (names.has(name)) return MASK
  return GIFT_CARD_FIELD.test(name) ? maskCode(value) : value
}

// Anybody who knows the code of a gift card can spend it. Codes are recognised by their field name, because a code may be any word.

const GIFT_CARD = /gift_?card/i

// Some storefronts have one field for both, and try the code of a gift card as a discount.
const GIFT_CARD_FIELD = /^(?:gift_?cards?(?:_?code)?|discount_code)$/i

/** Masks only the code of a gift card inside an order or a checkout. */
function maskCode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(maskCode)
  if (typeof value !== 'object' || value === null) return typeof value === 'string' ? MASK : value
  return 'code' in value ? { ...value, code: MASK } : value
}

// Fields of a body that are secret according to its schema.

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
  const namesBySchema = new WeakMap<object, ReadonlySet<string>>()
  return (schema) => {
    if (schema === undefined) return NONE
    const names = namesBySchema.get(schema) ?? namesIn(schema)
    namesBySchema.set(schema, names)
    return names
  }

  function namesIn(schema: object): ReadonlySet<string> {
    const names = new Set<string>()
    const visited = new Set<object>()
    const visit = (shape: Shape | boolean | undefined) => {
      if (typeof shape !== 'object' || visited.has(shape)) return
      visited.add(shape)
      const { $ref, properties = {}, additionalProperties, items, anyOf = [] } = shape
      if ($ref !== undefined) visit(kinds.get($ref.replace(/#$/, '')))
      for (const [name, property] of Object.entries(properties)) {
        if (property['x-secret'] === true) names.add(name)
        else visit(property)
      }
      for (const each of [additionalProperties, items, ...anyOf]) visit(each)
    }
    visit(schema)
    return names
  }
}

// Keys, tokens and URLs.

const KEY_BEGINNING = /^[ps]k_(?:test_)?/

/** Enough to tell which key it was: `sk_test_…a1b2`. */
function maskKey(key: string): string {
  const [beginning = ''] = KEY_BEGINNING.exec(key) ?? []
  const rest = key.slice(beginning.length)
  // Keys imported from elsewhere may be short: the end would be most of such a key.
  return `${beginning}…${rest.length > 12 ? rest.slice(-4) : ''}`
}

const TOKEN = /\bchkt_([0-9A-Za-z]{9})[0-9A-Za-z]{13}([0-9A-Za-z]{4})\b/

/** The checkout token in a URL: only its time and its end, which open nothing. */
function findToken(url: string): string | null {
  const match = url.includes('chkt_') ? TOKEN.exec(url) : null
  return match === null ? null : `chkt_${match[1]}…${match[2]}`
}

/** Login links and similar secrets, which are longer than any id. */
const LONG_TOKEN = /[0-9A-Za-z]{40,}/g

function maskUrl(url: string, secretNames: ReadonlySet<string>): string {
  const masked = maskSecretsInUrl(url, secretNames)
  if (!url.includes('%')) return masked.slice(0, LONGEST_URL)
  // A percent-encoded secret is a secret too.
  const plain = decode(url)
  const plainMasked = maskSecretsInUrl(plain, secretNames)
  return (plainMasked === plain ? masked : plainMasked).slice(0, LONGEST_URL)
}

function maskSecretsInUrl(url: string, secretNames: ReadonlySet<string>): string {
  const masked = maskParameters(redact(url), secretNames)
  return masked.length < 40 ? masked : masked.replace(LONG_TOKEN, MASK)
}

/** Parameters to mask in a URL about gift cards if its endpoint declares no secret ones. */
const GIFT_CARD_PARAMETERS: ReadonlySet<string> = new Set(['code', 'query'])
const PARAMETER = /([?&])([^=&]{1,255})=([^&]+)/g

function maskParameters(url: string, secretNames: ReadonlySet<string>): string {
  const names = secretNames.size === 0 && GIFT_CARD.test(url) ? GIFT_CARD_PARAMETERS : secretNames
  if (names.size === 0) return url
  return url.replace(PARAMETER, (parameter, before, name: string) =>
    names.has(decode(name).replace(/\[.*/s, '')) ? `${before}${name}=${MASK}` : parameter,
  )
}

function decode(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    return url.replace(/%[0-9A-Fa-f]{2}/g, (code) => String.fromCharCode(Number.parseInt(code.slice(1), 16)))
  }
}
