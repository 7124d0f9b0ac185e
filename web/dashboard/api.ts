// The one way in which the dashboard talks to the server. What a person has typed is never lost to a line that breaks or a session that ends:
// a call waits until the server is back, or until somebody has logged in again, and is then repeated.

export type Mode = 'sandbox' | 'live'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type FieldErrors = Readonly<Record<string, readonly string[]>>

type Options = {
  readonly body?: unknown
  /** Unless given, the one that is chosen above the page. */
  readonly mode?: Mode
  /** Made when the dialog of an action opened, so that pressing twice acts once. Every other POST to /v1 gets one of its own. */
  readonly idempotencyKey?: string
  /** The ETag of what was read: a change is refused (409) where somebody else has changed it since. */
  readonly ifMatch?: string | null
  readonly signal?: AbortSignal
}

export type Person = { readonly name: string; readonly role: string }

/** Why there is no answer, in a sentence for people. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem'
  /** 0: no answer came. */
  readonly status: number
  readonly type: string
  readonly errors: FieldErrors
  readonly requestId: string | null
  /** Seconds that the server asks to wait. */
  readonly retryAfter: number | null
  /** Of a 403: who may. */
  readonly people: readonly Person[]
  /** Of a 409: the object as it is now, and its ETag where the server says it. */
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

/** What all calls share. session.tsx sets it. */
export const connection = {
  mode: 'sandbox' as Mode,
  csrfToken: null as string | null,
  /** Asks somebody to log in again, above the page; settles when the calls can be repeated. */
  login: null as (() => Promise<void>) | null,
  /** Fetches the session anew: another tab may have begun another one. */
  renew: null as (() => Promise<void>) | null,
}

type Listener = (isAway: boolean) => void
const listeners = new Set<Listener>()
let isAway = false

/** Whether the server does not answer at present. */
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

export const newKey = (): string =>
  // Plain HTTP on another name than localhost has no randomUUID.
  crypto.randomUUID?.() ?? [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-')

const ROOT = '/dashboard/api'
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 10_000
const SLOW_DOWN = new Set([502, 503, 504])

/** `call<Order>('GET', '/v1/orders/ord_1')`; `/session` and the like are the dashboard's own. */
export const call = async <T = unknown>(method: Method, path: string, options: Options = {}): Promise<T> =>
  (await exchange<T>(method, path, options)).data

type Answer<T> = { readonly data: T; readonly etag: string | null }

/** The same, with the ETag of what was answered. */
export async function exchange<T>(method: Method, path: string, options: Options = {}): Promise<Answer<T>> {
  const isApi = path.startsWith('/v1/')
  const key = options.idempotencyKey ?? (method === 'POST' && isApi ? newKey() : undefined)
  const isRepeatable = method !== 'POST' || key !== undefined
  let wait = FIRST_WAIT_MS
  let hasRenewed = false
  for (;;) {
    const response = await send(method, path, options, key)
    if (response === null || (method === 'GET' && SLOW_DOWN.has(response.status))) {
      setAway(true)
      if (!isRepeatable) throw new ApiProblem('The server did not answer. Nothing you have typed is lost: try again.')
      await pause(wait, options.signal)
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
    // The token may be that of a session that another tab has ended or renewed.
    if (problem.status === 403 && method !== 'GET' && !hasRenewed && connection.renew) {
      hasRenewed = true
      const sent = connection.csrfToken
      // Whatever is said there, what was refused is what counts.
      await connection.renew().catch(() => undefined)
      if (connection.csrfToken !== sent) continue
    }
    throw problem
  }
}

/** Null where no answer came. */
async function send(method: Method, path: string, options: Options, key: string | undefined): Promise<Response | null> {
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

/** For a file that the browser keeps, such as an export. */
export async function download(path: string, name: string): Promise<void> {
  const response = await send('GET', path, {}, undefined)
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
  error?: { message?: string; type?: string; errors?: FieldErrors; current?: object }
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

/** Ends early when the browser says that the line is back. */
function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
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
