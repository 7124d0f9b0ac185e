// A server in the place of a payment provider, over a real socket: what is common to all of them. Each provider's own file says what it knows
// and how it answers; here requests are read and kept, and answers go wrong in every way that a network and a provider have.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export type DoubleRequest = {
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export type DoubleReply = {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * What happens to an exchange. `before`: cut off before the provider has done anything. `after`: cut off when it has. `twice`: it gets there
 * two times. `half`: half of the answer comes. `broken_before`, `broken_after`: 500, nothing or all done. `html_404`: it does not get there,
 * and whoever stands in between answers with a page. The rest are done and answered with something that is no answer.
 */
export type Fault =
  | 'before'
  | 'after'
  | 'twice'
  | 'half'
  | 'broken_before'
  | 'broken_after'
  | 'html_404'
  | 'html'
  | 'empty'
  | 'redirect'
  | 'giant'
  | { readonly slowMs: number }
  /** Not executed: 429. */
  | { readonly retryAfter: number }

/** Those that end a request, and whether the provider has done what was asked. */
export const BREAKS: readonly (readonly [name: string, fault: Fault, isDone: boolean])[] = [
  ['cut off before', 'before', false],
  ['500 before', 'broken_before', false],
  ['a page with 404 before', 'html_404', false],
  ['429 twice', { retryAfter: 0 }, false],
  ['cut off after', 'after', true],
  ['half an answer', 'half', true],
  ['500 after', 'broken_after', true],
  ['a page', 'html', true],
  ['nothing', 'empty', true],
  ['a redirect', 'redirect', true],
  ['too much', 'giant', true],
]

/** How often it takes to break a request: one that is limited is sent once more by itself. */
export const timesToBreak = (fault: Fault): number => (typeof fault === 'object' && 'retryAfter' in fault ? 2 : 1)

/** Refusals that a test asks for: the next `times` requests that match are refused, and nothing is done. */
export function openRefusals<Refusal>() {
  const refusals: { readonly on: RegExp; readonly refusal: Refusal; left: number }[] = []
  return {
    refuse: (on: RegExp, refusal: Refusal, times = 1) => void refusals.push({ on, refusal, left: times }),
    refusalOf({ method, path }: DoubleRequest): Refusal | undefined {
      const found = refusals.find(({ on, left }) => left > 0 && on.test(`${method} ${path}`))
      if (found !== undefined) found.left--
      return found?.refusal
    },
  }
}

/** Of "METHOD path", or of all that was sent. */
type Matching = RegExp | ((request: DoubleRequest) => boolean)

type Trouble = { readonly fault: Fault; readonly on: Matching; left: number }

export type Double = {
  readonly url: string
  /** All that came, in order. */
  readonly requests: DoubleRequest[]
  /** The text of all that was answered. */
  readonly answers: string[]
  /** The next `times` requests that match go wrong in this way. */
  trouble(fault: Fault, options?: { on?: Matching; times?: number }): void
  /** Answers to requests that match hold what `change` makes of each value in them: the provider has done one thing and says another. */
  distort(change: (value: unknown) => unknown, on?: Matching): void
  /** Nothing goes wrong any more. */
  calm(): void
  /** Another account's server answers in its place, until null. */
  divert(other: Double | null): void
  respond(request: DoubleRequest): Promise<DoubleReply>
  /** Refuses connections until `comeBack`, at the same address. */
  goDown(): Promise<void>
  comeBack(): Promise<void>
  close(): Promise<void>
}

/** `answer` runs for one request after the other, as a provider that locks a payment would. */
export async function openDouble(
  answer: (request: DoubleRequest) => DoubleReply | Promise<DoubleReply>,
): Promise<Double> {
  const requests: DoubleRequest[] = []
  const answers: string[] = []
  let troubles: Trouble[] = []
  let distortions: { readonly change: (value: unknown) => unknown; readonly on: Matching }[] = []
  let port = 0
  let before: Promise<unknown> = Promise.resolve()
  let other: Double | null = null

  const inTurn = (request: DoubleRequest): Promise<DoubleReply> => {
    const mine = before.then(() => (other === null ? answer(request) : other.respond(request)))
    mine.then(
      (reply) => answers.push(textOf(reply)),
      () => undefined,
    )
    before = mine.catch(() => undefined)
    return mine
  }

  const matches = (request: DoubleRequest, on: Matching) =>
    typeof on === 'function' ? on(request) : on.test(`${request.method} ${request.path}`)

  function faultOf(request: DoubleRequest): Fault | null {
    const found = troubles.find(({ on, left }) => left > 0 && matches(request, on))
    if (found === undefined) return null
    found.left--
    return found.fault
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse) {
    const request = await readRequest(incoming)
    requests.push(request)
    const fault = faultOf(request)
    if (fault === 'before') return outgoing.destroy()
    if (fault === 'broken_before') return send(outgoing, { status: 500, body: { error: 'broken' } })
    if (fault === 'html_404') return sendPage(outgoing, 404)
    if (typeof fault === 'object' && fault !== null && 'retryAfter' in fault)
      return send(outgoing, { status: 429, body: {}, headers: { 'retry-after': String(fault.retryAfter) } })
    if (fault === 'twice') await inTurn(request)
    let reply = await inTurn(request)
    for (const { on, change } of distortions)
      if (matches(request, on)) reply = { ...reply, body: eachChanged(reply.body, change) }
    if (fault === null || fault === 'twice') return send(outgoing, reply)
    if (typeof fault === 'object') {
      await pause(fault.slowMs, undefined, { ref: false })
      return send(outgoing, reply)
    }
    return spoil(outgoing, reply, fault)
  }

  const open = () => {
    const server = createServer((incoming, outgoing) => {
      handle(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error as Error))
    })
    // Longer than a client keeps one, however busy this process is: what is sent while the server closes would be cut off at random.
    server.keepAliveTimeout = 60_000
    return new Promise<typeof server>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => resolve(server))
    })
  }

  let server = await open()
  port = (server.address() as AddressInfo).port
  const goDown = async () => {
    const closing = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closing
  }
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answers,
    trouble(fault, { on = /./, times = 1 } = {}) {
      troubles.push({ fault, on, left: times })
    },
    distort(change, on = /./) {
      distortions.push({ change, on })
    },
    calm() {
      troubles = []
      distortions = []
    },
    divert(to) {
      other = to
    },
    respond: inTurn,
    goDown,
    async comeBack() {
      server = await open()
    },
    close: goDown,
  }
}

async function readRequest(incoming: IncomingMessage): Promise<DoubleRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const url = new URL(incoming.url ?? '/', 'http://double')
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)])
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers),
    text: Buffer.concat(chunks).toString('utf8'),
  }
}

function eachChanged(value: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => eachChanged(each, change))
  if (typeof value !== 'object' || value === null) return change(value)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, eachChanged(each, change)]))
}

const textOf = ({ body }: DoubleReply): string => (body === undefined ? '' : JSON.stringify(body))

function send(outgoing: ServerResponse, reply: DoubleReply): void {
  outgoing.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
  outgoing.end(textOf(reply))
}

function sendPage(outgoing: ServerResponse, status: number): void {
  outgoing.writeHead(status, { 'content-type': 'text/html' })
  outgoing.end('<html><body>Please wait …</body></html>')
}

/** Answers in the place of what was done. */
const SPOILED: Readonly<Record<string, DoubleReply>> = {
  broken_after: { status: 500, body: { error: 'broken' } },
  empty: { status: 200 },
  redirect: { status: 302, headers: { location: 'http://127.0.0.1:1/elsewhere' } },
  giant: { status: 200, body: { padding: 'x'.repeat(2_000_000) } },
}

function spoil(outgoing: ServerResponse, reply: DoubleReply, fault: Extract<Fault, string>): void {
  const spoiled = SPOILED[fault]
  if (spoiled !== undefined) send(outgoing, spoiled)
  else if (fault === 'html') sendPage(outgoing, 200)
  else if (fault === 'half') {
    const text = textOf(reply)
    outgoing.writeHead(reply.status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    outgoing.write(text.slice(0, Math.floor(text.length / 2)), () => outgoing.destroy())
  } else outgoing.destroy()
}
