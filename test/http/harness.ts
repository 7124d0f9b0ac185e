// Shared by the tests of the HTTP layer: probe endpoints, an app that listens, and raw connections.

import { connect, createServer, type Socket } from 'node:net'
import { Type } from 'typebox'
import { afterAll } from 'vitest'
import type { Slice } from '../../src/api/slice.ts'
import type { App } from '../../src/app.ts'
import { defineEndpoint, type Endpoint } from '../../src/http/endpoint/endpoint.ts'
import type { Kind } from '../../src/http/endpoint/schema.ts'
import { toldOf } from '../api/words.ts'
import { listenOn } from '../support/waiting.ts'

export { gate, until } from '../support/waiting.ts'

type Probe = Partial<Omit<Endpoint, 'operation' | 'path'>> & Pick<Endpoint, 'operation' | 'path'>

/** An endpoint of which a test says only what it is about; otherwise a public GET that answers `{ok: true}`. */
export const probe = (definition: Probe): Endpoint =>
  defineEndpoint({
    summary: 'For tests.',
    method: 'GET',
    access: 'public',
    status: 200,
    ...(definition.status === 204 ? {} : { returns: Type.Object({ ok: Type.Boolean() }) }),
    handle: async () => (definition.status === 204 ? undefined : { ok: true }),
    ...definition,
  } as Parameters<typeof defineEndpoint>[0])

/** An endpoint that fails with what a test has chosen. */
export const crash = (thrown: () => unknown = () => new Error('crash')) =>
  probe({
    operation: 'probes.crash',
    path: '/v1/crash',
    handle: async () => {
      throw thrown()
    },
  })

export const slice = (endpoints: readonly Endpoint[], kinds: readonly Kind[] = []): Slice => ({ endpoints, kinds })

/** The body of every error, for programmers or for shoppers: most probes are open to public keys. */
export const errorBody = (status: number, type: string, message: string, errors?: Record<string, string[]>) => ({
  error: toldOf({ type, message, ...(errors ? { errors } : {}) }),
  status_code: status,
})

export const badRequest = (message: string) => errorBody(400, 'bad_request', message)
export const conflict = (message: string) => errorBody(409, 'conflict', message)

/** The first request with the same key has not ended. */
export const STILL_RUNNING = conflict(
  'The first request with this Idempotency-Key is still running. Send it again in a moment.',
)

/** A refusal of one field in one sentence. */
export const fieldError = (field: string, sentence: string) =>
  errorBody(422, 'unprocessable_entity', sentence, { [field]: [sentence] })

export const REQUEST_ID = /^req_[0-9A-Za-z]{26}$/

/** Starts listening on a free port of the loopback address. */
export async function listen({ server }: Pick<App, 'server'>): Promise<number> {
  // Runs before the app's own closing, which a connection left open would hold up.
  afterAll(dropConnections)
  await server.listen({ host: '127.0.0.1', port: 0 })
  const address = server.server.address()
  if (address === null || typeof address === 'string') throw new Error('There is no port.')
  return address.port
}

export type RawAnswer = { status: number; headers: Record<string, string>; text: string; body: unknown }

/** One TCP connection, written to as bytes. */
export class Connection {
  readonly socket: Socket
  readonly closed: Promise<void>
  #received = ''
  #isClosed = false
  #waiting: () => void = () => undefined

  constructor(port: number) {
    this.socket = connect({ host: '127.0.0.1', port, noDelay: true })
    this.socket.setEncoding('latin1')
    this.socket.on('data', (chunk) => {
      this.#received += chunk
      this.#waiting()
    })
    this.socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => {
      this.socket.once('close', () => {
        this.#isClosed = true
        this.#waiting()
        resolve()
      })
    })
    connections.add(this)
  }

  send(text: string | Buffer): this {
    this.socket.write(text)
    return this
  }

  /** The next whole answer. Fails when the connection closes before it. */
  async answer({ hasBody = true } = {}): Promise<RawAnswer> {
    for (;;) {
      const answer = this.#take(hasBody)
      if (answer) return answer
      if (this.#isClosed) throw new Error(`The connection closed after ${JSON.stringify(this.#received)}.`)
      await new Promise<void>((resolve) => {
        this.#waiting = resolve
      })
    }
  }

  /** What has been received and not taken as an answer. */
  get rest(): string {
    return this.#received
  }

  #take(hasBody: boolean): RawAnswer | null {
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return null
    const [first = '', ...lines] = this.#received.slice(0, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const length = hasBody ? Number(headers['content-length'] ?? 0) : 0
    if (this.#received.length < end + 4 + length) return null
    const text = Buffer.from(this.#received.slice(end + 4, end + 4 + length), 'latin1').toString('utf8')
    this.#received = this.#received.slice(end + 4 + length)
    const isJson = (headers['content-type'] ?? '').startsWith('application/json')
    return { status: Number(first.split(' ')[1]), headers, text, body: isJson && text ? JSON.parse(text) : text }
  }
}

const connections = new Set<Connection>()

function dropConnections() {
  for (const { socket } of connections) socket.destroy()
}

/** A connection that has been made and has not asked for anything yet. */
export async function openConnection(port: number): Promise<Connection> {
  const connection = new Connection(port)
  await new Promise((resolve) => connection.socket.once('connect', resolve))
  return connection
}

/** The number of connections that a server has. */
export const countConnections = ({ server }: Pick<App, 'server'>) =>
  new Promise<number>((resolve, reject) =>
    server.server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

/** One request on a connection of its own. */
export const exchange = (port: number, text: string | Buffer, options?: { hasBody?: boolean }): Promise<RawAnswer> =>
  new Connection(port).send(text).answer(options)

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOn(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}
