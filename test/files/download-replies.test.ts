// @alone: it watches the timers of its process.
// What a server that is asked for a file may answer, and what it may try instead.

import type { IncomingHttpHeaders } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createFileDownloader, UnreachableSource } from '../../src/files/download.ts'
import { discard } from '../../src/files/receive.ts'
import { listenOn } from '../support/waiting.ts'
import { type Handler, listen, MB, notFetched } from './fetching.ts'
import { namesIn, scratchFolder } from './scratch.ts'

const folder = await scratchFolder()
const LIMIT = 10 * MB
const get = createFileDownloader({ allowPrivateAddresses: true, totalMs: 700, connectMs: 300 })
const usual = createFileDownloader({ allowPrivateAddresses: true })
const patient = createFileDownloader({ allowPrivateAddresses: true, totalMs: 60_000, connectMs: 60_000 })
const urlOf = async (handler: Handler) => `http://127.0.0.1:${await listen(handler)}/a.png`

const tooLarge = { status: 413, type: 'payload_too_large' }

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

/** A server below HTTP, which says whatever it likes. */
async function rawUrl(speak: (socket: Socket) => void): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    speak(socket)
  })
  servers.push(server)
  return `http://127.0.0.1:${await listenOn(server)}/`
}

describe('a file', () => {
  test('of exactly the limit is taken, and asked for plainly, without credentials', async () => {
    let headers: IncomingHttpHeaders = {}
    const url = await urlOf((request, response) => {
      headers = request.headers
      response.end('a file')
    })
    const file = await get(url, 6, folder)
    expect([file.size, Buffer.from(file.head).toString()]).toEqual([6, 'a file'])
    expect(headers).toEqual({
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'Cartwright',
      host: new URL(url).host,
      connection: 'close',
    })
    await discard(file)
  })

  test('that says it is too large is refused before it is read', async () => {
    let sent = 0
    const url = await urlOf((_, response) => {
      response.writeHead(200, { 'content-length': 11 * MB })
      response.write(Buffer.alloc(1_000), () => {
        sent += 1_000
      })
    })
    await expect(patient(url, LIMIT, folder)).rejects.toMatchObject(tooLarge)
    expect(sent).toBeLessThanOrEqual(1_000)
  })

  test('of 44 MB that does not say so is cut off at 10 MB', async () => {
    let sent = 0
    let isCut = false
    const url = await urlOf((_, response) => {
      const source = new Readable({
        read() {
          sent += 65_536
          this.push(sent > 44 * MB ? null : Buffer.alloc(65_536))
        },
      })
      pipeline(source, response, (error) => {
        isCut = error !== null
      })
    })
    await expect(patient(url, LIMIT, folder)).rejects.toMatchObject(tooLarge)
    await expect.poll(() => isCut).toBe(true)
    // Of 44 MB only what fits into the sockets' buffers went out after the cut.
    expect(sent).toBeLessThan(24 * MB)
    expect(await namesIn(folder)).toEqual([])
  })

  test('that ends with the connection, as of old, is taken', async () => {
    const url = await rawUrl((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nold file'))
    const file = await get(url, LIMIT, folder)
    expect(Buffer.from(file.head).toString()).toBe('old file')
    await discard(file)
  })
})

describe('a reply is refused, with one sentence for all,', () => {
  test.each([201, 204, 206, 300, 304, 400, 401, 403])('of status %i', async (status) => {
    const url = await urlOf((_, response) => response.writeHead(status).end())
    const refused = patient(url, LIMIT, folder)
    await expect(refused).rejects.toMatchObject(notFetched)
    await expect(refused).rejects.not.toBeInstanceOf(UnreachableSource)
  })

  test.each([404, 410, 500, 503])('of status %i, which may be another one later', async (status) => {
    const url = await urlOf((_, response) => response.writeHead(status).end())
    const refused = get(url, LIMIT, folder)
    await expect(refused).rejects.toMatchObject(notFetched)
    await expect(refused).rejects.toBeInstanceOf(UnreachableSource)
  })

  test.each(['gzip', 'br', 'deflate', 'zstd', 'GZIP', 'identity, gzip', 'x'])('encoded as %s', async (encoding) => {
    const url = await urlOf((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(gzipSync(Buffer.alloc(MB))),
    )
    await expect(get(url, LIMIT, folder)).rejects.toMatchObject(notFetched)
  })

  test.each<[string, (socket: Socket) => void]>([
    ['that never comes', () => undefined],
    ['that is cut off in its headers', (socket) => socket.end('HTTP/1.1 200 OK\r\nconte')],
    ['that is cut off in its body', (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf')],
    ['that is not HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n')],
    [
      'that switches protocols',
      (socket) => socket.write('HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    ],
    [
      'with headers without end',
      (socket) => socket.write(`HTTP/1.1 200 OK\r\n${`x: ${'y'.repeat(1_000)}\r\n`.repeat(40)}`),
    ],
    ['of interim replies without end', (socket) => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n')],
    ['whose headers drip', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'x: y\r\n')],
    ['whose body drips', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'z')],
  ])('and leaves nothing behind: one %s', async (_, speak) => {
    const url = await rawUrl(speak)
    const started = performance.now()
    const refused = get(url, LIMIT, folder)
    await expect(refused).rejects.toMatchObject(notFetched)
    await expect(refused).rejects.toBeInstanceOf(UnreachableSource)
    // Unless it was told, it would wait for ten seconds.
    expect(performance.now() - started).toBeLessThan(9_900)
    expect(await namesIn(folder)).toEqual([])
  })

  test('of a server that does not speak TLS', async () => {
    const url = await urlOf((_, response) => response.end('a file'))
    await expect(get(url.replace('http:', 'https:'), LIMIT, folder)).rejects.toMatchObject(notFetched)
  })

  test('of nobody', async () => {
    const refused = get('http://127.0.0.1:1/', LIMIT, folder)
    await expect(refused).rejects.toMatchObject(notFetched)
    await expect(refused).rejects.toBeInstanceOf(UnreachableSource)
  })

  test('that whoever asked waits for no longer', async () => {
    const stop = new AbortController()
    const url = await urlOf(() => stop.abort())
    await expect(patient(url, LIMIT, folder, stop.signal)).rejects.toMatchObject(notFetched)
  })

  test('that takes longer than ten seconds, or five to connect, unless told otherwise', async () => {
    const [whole, timers] = [vi.spyOn(AbortSignal, 'timeout'), vi.spyOn(globalThis, 'setTimeout')]
    try {
      await expect(usual('http://127.0.0.1:1/', LIMIT, folder)).rejects.toMatchObject(notFetched)
      expect(whole.mock.calls).toEqual([[10_000]])
      expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([5_000])
    } finally {
      whole.mockRestore()
      timers.mockRestore()
    }
  })

  test('whose redirects take too long together', async () => {
    const url = await urlOf((request, response) => {
      setTimeout(() => response.writeHead(302, { location: `${request.url}x` }).end(), 300)
    })
    await expect(get(url, LIMIT, folder)).rejects.toMatchObject(notFetched)
  })
})

function drip(socket: Socket, first: string, drop: string) {
  socket.write(first)
  const timer = setInterval(() => socket.write(drop), 50)
  socket.once('close', () => clearInterval(timer))
}

function flood(socket: Socket, text: string) {
  const timer = setInterval(() => socket.write(text.repeat(10)), 5)
  socket.once('close', () => clearInterval(timer))
}
