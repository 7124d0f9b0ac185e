// Calls the API for a command: adds the key and the version to the headers, sends and receives JSON, and reports errors as one sentence.

import { release } from '../../release.ts'
import { HEAD } from '../../versions/index.ts'
import { type CommandResponse, sendRequest, shortFailureReason } from './request.ts'

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type CallOptions = {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Uses the shop's own API version, so that new objects are as if a merchant had made them. Default: the newest version. */
  readonly isInShopVersion?: boolean
}

/** Resolves with the body of the answer; null without one. */
export type Call = <T>(method: HttpMethod, path: string, body?: unknown, options?: CallOptions) => Promise<T>

/** The service refused the request. */
export class ApiRefusal extends Error {
  override readonly name = 'Refusal'
  readonly isForOperator = true
  readonly status: number
  /** Wait time from the `Retry-After` of the answer; null without one. */
  readonly waitMs: number | null

  constructor(sentence: string, status: number, waitMs: number | null = null) {
    super(sentence)
    this.status = status
    this.waitMs = waitMs
  }
}

/** No service answered. */
export class ServiceUnreachable extends Error {
  override readonly name = 'Unreachable'
  readonly isForOperator = true
}

export type ServiceAddress = {
  readonly origin: string
  /** True for the service that this machine's settings describe. */
  readonly isLocal: boolean
  /** True for our own listener on this machine: its certificate is for the public host name. */
  readonly acceptsAnyCertificate: boolean
}

export type CommandKey = {
  /** The current secret key. */
  current(): string
  /** A new key after the current one was refused; null if only the given key exists. */
  renew(): Promise<string | null>
}

const DEFAULT_TIMEOUT_MS = 40_000

/** User agent of the commands. `logs tail` uses it to leave out its own requests. */
export const USER_AGENT = `cartwright-command/${release}`

export function createApiCaller(place: ServiceAddress, key: CommandKey): Call {
  const send = (
    secret: string,
    ...[method, path, body, { timeoutMs, signal, isInShopVersion } = {}]: Parameters<Call>
  ) =>
    explainSilence(place, () =>
      sendRequest({
        method,
        url: new URL(path, place.origin),
        headers: {
          'x-authorization': secret,
          ...(isInShopVersion ? {} : { 'service-version': HEAD }),
          'user-agent': USER_AGENT,
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        timeoutMs: timeoutMs ?? DEFAULT_TIMEOUT_MS,
        signal,
        acceptsAnyCertificate: place.acceptsAnyCertificate,
      }),
    )
  return async <T>(...request: Parameters<Call>): Promise<T> => {
    let answer = await send(key.current(), ...request)
    const renewedKey = answer.status === 401 ? await key.renew() : null
    if (renewedKey !== null) answer = await send(renewedKey, ...request)
    return readAnswer<T>(answer)
  }
}

/** Fails if nothing listens at the address. Call it before opening a database to get a key. */
export const requireRunningService = async (place: ServiceAddress): Promise<void> => {
  await explainSilence(place, () =>
    sendRequest({
      method: 'GET',
      url: new URL('/health/live', place.origin),
      headers: { 'user-agent': USER_AGENT },
      timeoutMs: 10_000,
      acceptsAnyCertificate: place.acceptsAnyCertificate,
    }),
  )
}

async function explainSilence<T>({ origin, isLocal }: ServiceAddress, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    // The caller aborted the call and knows why.
    if (error instanceof Error && error.name === 'AbortError') throw error
    const help = isLocal
      ? 'Start the service with "cartwright start", set PORT to where it listens, or name another one with --api URL.'
      : 'Check that the address in --api is right and that the service runs there.'
    throw new ServiceUnreachable(`${origin} does not answer (${shortFailureReason(error)}). ${help}`, { cause: error })
  }
}

function readAnswer<T>({ status, text, headers }: CommandResponse): T {
  const body = parse(text)
  if (status >= 200 && status < 300) {
    if (body !== undefined) return body as T
    throw new ApiRefusal('The answer is not JSON: is this the address of a Cartwright service?', status)
  }
  const seconds = Number(headers['retry-after'])
  const waitMs = Number.isFinite(seconds) && headers['retry-after'] !== undefined ? seconds * 1_000 : null
  const id = headers['x-request-id']
  throw new ApiRefusal(`${sentenceOf(body)} (${status}${id === undefined ? '' : `, ${String(id)}`})`, status, waitMs)
}

/** Null for an empty body, undefined for a body that is not JSON. */
function parse(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type ErrorBody = { readonly error?: { readonly message?: unknown; readonly errors?: Record<string, string[]> } }

function sentenceOf(body: unknown): string {
  const { message, errors } = (body as ErrorBody | null | undefined)?.error ?? {}
  if (errors !== undefined) return Object.values(errors).flat().join(' ')
  return typeof message === 'string' ? message : 'The service refused the request.'
}
