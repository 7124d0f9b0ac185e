// A request whose head the server has accepted, and whose body is still to come: it is in flight for certain.

import { connect } from 'node:net'
import { gate } from '../support/waiting.ts'

export type BegunRequest = { finish(): void; answer: Promise<{ status: number; body: unknown }> }

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

export async function beginRequest(url: string, path: string, key: string, body: object): Promise<BegunRequest> {
  const text = JSON.stringify(body)
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8')
  let received = ''
  const accepted = gate()
  const answer = new Promise<{ status: number; body: unknown }>((resolve) => {
    socket.once('error', () => undefined)
    socket.once('close', () => resolve(wholeAnswer(received)))
    socket.on('data', (more: string) => {
      received += more
      if (received.startsWith(CONTINUE)) accepted.open()
    })
  })
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nX-Authorization: ${key}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n${text.slice(0, 10)}`,
  )
  await Promise.race([accepted.opened, answer])
  return { answer, finish: () => void socket.write(text.slice(10)) }
}

/** Status 0 if it was cut. */
function wholeAnswer(received: string): { status: number; body: unknown } {
  const text = received.replace(CONTINUE, '')
  const end = text.indexOf('\r\n\r\n')
  const [head, body] = [text.slice(0, end), text.slice(end + 4)]
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1])
  if (end < 0 || Buffer.byteLength(body) !== length) return { status: 0, body: received }
  return { status: Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]), body: JSON.parse(body) }
}
