// @alone
// A stop while requests are in flight: each of them gets its whole answer.

import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { until } from './processes.ts'
import { everyAttribute, type Running, secretOf, start, timeout, usedDataDir } from './support.ts'

type Upload = { finish(): void; answer: Promise<string> }

/** A request whose head the server has accepted, and whose body is still to come. */
async function beginUpload(server: Running, name: string): Promise<Upload> {
  const body = JSON.stringify({ name, description: '', type: 'short_text' })
  const socket: Socket = connect(Number(new URL(server.url).port), '127.0.0.1').setEncoding('utf8')
  let received = ''
  let accepted = () => {}
  const isAccepted = new Promise<void>((resolve) => {
    accepted = resolve
  })
  const answer = new Promise<string>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', () => resolve(received))
    socket.on('data', (text: string) => {
      received += text
      // Only now has the server read the head: a request that is certainly in flight.
      if (received.startsWith('HTTP/1.1 100 Continue\r\n\r\n')) accepted()
    })
  })
  socket.write(
    `POST /v1/attributes HTTP/1.1\r\nHost: x\r\nX-Authorization: ${secretOf(server)}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n` +
      body.slice(0, 10),
  )
  await isAccepted
  return { answer, finish: () => void socket.write(body.slice(10)) }
}

/** The answer behind `100 Continue`; status 0 if it was cut. */
function completeAnswer(received: string): { status: number; id: string } {
  const text = received.replace('HTTP/1.1 100 Continue\r\n\r\n', '')
  const [head = '', body = ''] = text.split('\r\n\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
  return Buffer.byteLength(body) === length ? { status, id: JSON.parse(body).id } : { status: 0, id: received }
}

type Outcome =
  | { kind: 'answered'; status: number; id: string | null }
  | { kind: 'refused' }
  | { kind: 'cut'; why: string }

/** One keep-alive client, request after request until the server is gone. */
async function keepAsking(server: Running, name: string, outcomes: Outcome[]) {
  for (let number = 0; ; number++) {
    let isBegun = false
    try {
      const answer = await fetch(`${server.url}/v1/attributes`, {
        method: 'POST',
        headers: { 'x-authorization': secretOf(server), 'content-type': 'application/json' },
        body: JSON.stringify({ name: `${name} ${number}`, description: '', type: 'short_text' }),
      })
      isBegun = true
      const body = (await answer.json()) as { id?: string; status_code?: number }
      outcomes.push({ kind: 'answered', status: answer.status, id: body.id ?? null })
      if (answer.status === 503 && body.status_code !== 503) outcomes.push({ kind: 'cut', why: 'no error body' })
    } catch (error) {
      outcomes.push(isBegun ? { kind: 'cut', why: String(error) } : { kind: 'refused' })
      return
    }
  }
}

describe.each(['1', '2'])('a stop, with WORKERS=%s', (WORKERS) => {
  it('lets slow uploads and busy keep-alive clients have whole answers, and keeps them', { timeout }, async () => {
    const dataDir = await usedDataDir()
    const server = await start({ dataDir, env: { WORKERS } })
    const uploads = await Promise.all(Array.from({ length: 8 }, (_, index) => beginUpload(server, `slow ${index}`)))
    const outcomes: Outcome[] = []
    const clients = Array.from({ length: 12 }, (_, index) => keepAsking(server, `client ${index}`, outcomes))
    expect(await until(() => outcomes.length >= 100)).toBe(true)

    const ended = server.stop()
    await Promise.all(clients)
    expect(await until(() => isRefused(server.url))).toBe(true)
    const finishedAt = performance.now()
    for (const upload of uploads) upload.finish()
    const answers = await Promise.all(uploads.map(async ({ answer }) => completeAnswer(await answer)))
    expect(await ended).toMatchObject({ code: 0 })
    expect(performance.now() - finishedAt).toBeLessThan(60_000)

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201))
    expect(outcomes.filter(({ kind }) => kind === 'cut')).toEqual([])
    const answered = outcomes.filter((outcome) => outcome.kind === 'answered')
    expect(answered.filter(({ status }) => status !== 201 && status !== 503)).toEqual([])
    const again = await start({ dataDir })
    const kept = new Set(await everyAttribute(again))
    const acknowledged = [...answers, ...answered].filter(({ status }) => status === 201).map(({ id }) => id ?? '')
    expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
    await again.stop()
  })
})

const isRefused = (url: string) =>
  fetch(`${url}/health/live`).then(
    () => false,
    ({ cause }: Error) => (cause as NodeJS.ErrnoException | undefined)?.code === 'ECONNREFUSED',
  )
