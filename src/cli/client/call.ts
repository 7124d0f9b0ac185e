// A call of the API by a command: the key and the version in its headers, JSON both ways, and what goes wrong as one sentence.

import { release } from '../../release.ts'
import { HEAD } from '../../versions/index.ts'
import { type Incoming, reasonOf, sendRequest } from './request.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export type CallOptions = {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** What is made gets the version that the shop is at, as if a merchant had made it; else the newest is spoken. */
  readonly isInShopVersion?: boolean
}

/** Gives the answer's body; null where there is none. */
export type Call = <T>(method: Method, path: string, body?: unknown, options?: CallOptions) => Promise<T>

/** The service has answered, and not with what was asked for. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly isForOperator = true
  readonly status: number
  /** What the service says how long to wait; null where it says nothing. */
  readonly waitMs: number | null

  constructor(sentence: string, status: number, waitMs: number | null = null) {
    super(sentence)
    this.status = status
    this.waitMs = waitMs
  }
}

/** Nobody has answered. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  readonly isForOperator = true
}

export type Place = {
  readonly origin: string
  /** It is the service that the settings of this machine are for. */
  readonly isLocal: boolean
  /** What listens there is this machine's own, and its certificate is for the name by which others come. */
  readonly acceptsAnyCertificate: boolean
}

export type Key = {
  /** The secret key as it now is. */
  current(): string
  /** After it was refused: another one; null where there is none but the one that was given. */
  renew(): Promise<string | null>
}

const USUAL_PATIENCE_MS = 40_000

/** What the commands call themselves; `logs tail` leaves out its own questions by it. */
export const USER_AGENT = `cartwright-command/${release}`

export function apiCaller(place: Place, key: Key): Call {
  const send = (
    secret: string,
    ...[method, path, body, { timeoutMs, signal, isInShopVersion } = {}]: Parameters<Call>
  ) =>
    reach(place, () =>
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
        timeoutMs: timeoutMs ?? USUAL_PATIENCE_MS,
        signal,
        acceptsAnyCertificate: place.acceptsAnyCertificate,
      }),
    )
  return async <T>(...request: Parameters<Call>): Promise<T> => {
    let answer = await send(key.current(), ...request)
    const other = answer.status === 401 ? await key.renew() : null
    if (other !== null) answer = await send(other, ...request)
    return readAnswer<T>(answer)
  }
}

/** Before a database is opened for a key: whether anybody is there at all. */
export const refuseSilence = async (place: Place): Promise<void> => {
  await reach(place, () =>
    sendRequest({
      method: 'GET',
      url: new URL('/health/live', place.origin),
      headers: { 'user-agent': USER_AGENT },
      timeoutMs: 10_000,
      acceptsAnyCertificate: place.acceptsAnyCertificate,
    }),
  )
}

async function reach<T>({ origin, isLocal }: Place, send: () => Promise<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    // Whoever gave it up knows why.
    if (error instanceof Error && error.name === 'AbortError') throw error
    const help = isLocal
      ? 'Start the service with "cartwright start", set PORT to where it listens, or name another one with --api URL.'
      : 'Is the address of --api right, and does the service run there?'
    throw new Unreachable(`${origin} does not answer (${reasonOf(error)}). ${help}`, { cause: error })
  }
}

function readAnswer<T>({ status, text, headers }: Incoming): T {
  const body = parse(text)
  if (status >= 200 && status < 300) {
    if (body !== undefined) return body as T
    throw new Refusal('The answer is not JSON: is this the address of a Cartwright service?', status)
  }
  const seconds = Number(headers['retry-after'])
  const waitMs = Number.isFinite(seconds) && headers['retry-after'] !== undefined ? seconds * 1_000 : null
  const id = headers['x-request-id']
  throw new Refusal(`${sentenceOf(body)} (${status}${id === undefined ? '' : `, ${String(id)}`})`, status, waitMs)
}

/** Null for no body at all, undefined for one that is not JSON. */
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
  return typeof message === 'string' ? message : 'The service refused.'
}
