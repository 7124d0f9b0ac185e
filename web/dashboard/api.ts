// The only client of the server's API in the dashboard. A broken connection or an expired session never loses input. A call waits until the
// server is back, or until the user has logged in again, and is then repeated.

export type Mode = 'sandbox' | 'live'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type ApiFieldErrors = Readonly<Record<string, readonly string[]>>

type Options = {
  readonly body?: unknown
  /** Mode of the call; by default the one that is selected in the shell. */
  readonly mode?: Mode
  /** Created when an action's dialog opens, so that pressing twice acts once. Any other POST to /v1 gets its own key. */
  readonly idempotencyKey?: string
  /** ETag of the object that was read. The server refuses the change (409) if somebody else has changed the object since. */
  readonly ifMatch?: string | null
  readonly signal?: AbortSignal
}

export type Person = { readonly name: string; readonly role: string }

/** An error of the server or the connection, with a message for people. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  /** HTTP status; 0 without a response. */
  readonly status: number
  readonly type: string
  readonly errors: ApiFieldErrors
  readonly requestId: string | null
  /** Seconds that the server asks the client to wait. */
  readonly retryAfter: number | null
  /** On a 403: people who are allowed to do it. */
  readonly people: readonly Person[]
  /** On a 409: the current object, and its ETag if the server sends one. */
  readonly current: object | null
  readonly etag: string | null

  constructor(message: string, details: Partial<Omit<ApiProblem, 'message' | 'name'>> = {}) {
    super(message)
    this.status = details.status ?? 0
    this.type = details.type ?? 'unknown'
    this.errors = details.errors ?? {}
    this.requestId = details.requestId ?? null
    this.retryAfter = details.retryAfter ?? null
    this.people = details.people ?? []
    this.current = details.current ?? null
    this.etag = details.etag ?? null
  }
}

export const problemOf = (thrown: unknown): ApiProblem =>
  thrown instanceof ApiProblem ? thrown : new ApiProblem('Something went wrong on this page. Load it again.')

/** State that all calls share; session.tsx sets it. */
export const connection = {
  mode: 'sandbox' as Mode,
  csrfToken: null as string | null,
  /** Asks the user to log in again, above the page. Resolves when the calls can be repeated. */
  login: null as (() => Promise<void>) | null,
  /** Reads the session again, because another tab may have started a new one. */
  renew: null as (() => Promise<void>) | null,
}

type Listener = (isAway: boolean) => void
const listeners = new Set<Listener>()
let isAway = false

/** Calls the listener now and whenever the server becomes unreachable or reachable. */
export function watchConnection(listener: Listener): () => void {
  listeners.add(listener)
  listener(isAway)
  return () => listeners.delete(listener)
}

function setAway(value: boolean) {
  if (isAway === value) return
  isAway = value
  for (const listener of listeners) listener(value)
}

export const newIdempotencyKey = (): string =>
  // Plain HTTP has no randomUUID, except on localhost.
  crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-')

const ROOT = '/dashboard/api'
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 10_000
const UNAVAILABLE_STATUSES = new Set([502, 503, 504])

/** `call<Order>('GET', '/v1/orders/ord_1')`; paths such as `/session` belong to the dashboard itself. */
export const call = async <T = unknown>(method: Method, path: string, options: Options = {}): Promise<T> =>
  (await exchange<T>(method, path, options)).data

type Answer<T> = { readonly data: T; readonly etag: string | null }

/** Same as `call`, with the ETag of the response. */
export async function exchange<T>(method: Method, path: string, options: Options = {}): Promise<Answer<T>> {
  const isApi = path.startsWith('/v1/')
  const key = options.idempotencyKey ?? (method === 'POST' && isApi ? newIdempotencyKey() : undefined)
  const isRepeatable = method !== 'POST' || key !== undefined
  let wait = FIRST_WAIT_MS
  let hasRenewed = false
  for (;;) {
    const response = await sendRequest(method, path, options, key)
    if (response === null || (method === 'GET' && UNAVAILABLE_STATUSES.has(response.status))) {
      setAway(true)
      if (!isRepeatable) throw new ApiProblem('The server did not answer. Nothing you have typed is lost: try again.')
      await waitForRetry(wait, options.signal)
      wait = Math.min(wait * 2, LONGEST_WAIT_MS)
      continue
    }
    setAway(false)
    if (response.ok) return { data: (await bodyOf(response)) as T, etag: response.headers.get('etag') }
    const problem = await readProblem(response)
    if (problem.status === 401 && problem.type !== 'second_factor' && path !== '/session' && connection.login) {
      await connection.login()
      continue
    }
    // The CSRF token may belong to a session that another tab has ended or renewed.
    if (problem.status === 403 && method !== 'GET' && !hasRenewed && connection.renew) {
      hasRenewed = true
      const usedToken = connection.csrfToken
      // Ignore errors here; the refusal of the original call is what matters.
      await connection.renew().catch(() => undefined)
      if (connection.csrfToken !== usedToken) continue
    }
    throw problem
  }
}

/** Null without a response. */
async function sendRequest(
  method: Method,
  path: string,
  options: Options,
  key: string | undefined,
): Promise<Response | null> {
  const { body, mode = connection.mode, ifMatch, signal } = options
  const headers: Record<string, string> = { accept: 'application/json', 'x-mode': mode }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (method !== 'GET' && connection.csrfToken !== null) headers['x-csrf-token'] = connection.csrfToken
  if (key !== undefined) headers['idempotency-key'] = key
  if (ifMatch !== undefined && ifMatch !== null) headers['if-match'] = ifMatch
  try {
    return await fetch(ROOT + path, {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal: signal ?? null,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    return null
  }
}

/** Saves a response as a file, for example an export. */
export async function download(path: string, name: string): Promise<void> {
  const response = await sendRequest('GET', path, {}, undefined)
  if (response === null) throw new ApiProblem('The server did not answer. Try again.')
  if (!response.ok) throw await readProblem(response)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text()
  return text === '' ? null : JSON.parse(text)
}

type ErrorBody = {
  error?: { message?: string; type?: string; errors?: ApiFieldErrors; current?: object }
  may?: { people?: readonly Person[] }
}

async function readProblem(response: Response): Promise<ApiProblem> {
  const body = (await bodyOf(response).catch(() => null)) as ErrorBody | null
  const retryAfter = Number(response.headers.get('retry-after'))
  return new ApiProblem(body?.error?.message ?? `The server answered ${response.status}.`, {
    status: response.status,
    type: body?.error?.type ?? 'unknown',
    errors: body?.error?.errors ?? {},
    requestId: response.headers.get('x-request-id'),
    retryAfter: retryAfter > 0 ? retryAfter : null,
    people: body?.may?.people ?? [],
    current: body?.error?.current ?? null,
    etag: response.headers.get('etag'),
  })
}

/** Ends early if the browser reports that the connection is back. */
function waitForRetry(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer)
      removeEventListener('online', end)
      if (signal?.aborted) reject(signal.reason)
      else resolve()
    }
    const timer = setTimeout(end, ms)
    addEventListener('online', end)
    signal?.addEventListener('abort', end, { once: true })
  })
}
