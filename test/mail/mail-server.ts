// A mail server on this machine, over a real socket: it keeps what it is given, and answers as a test tells it to.

import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll } from 'vitest'
import type { MailServer } from '../../src/mail/smtp.ts'

export type Delivery = {
  readonly from: string
  readonly to: readonly string[]
  readonly isSecure: boolean
  readonly user: string | null
  readonly raw: string
  readonly mail: Email
}

export type TestMailServer = {
  readonly port: number
  /** Those it has said yes to. */
  readonly deliveries: Delivery[]
  /** Whole mails that have arrived, whatever it then said. */
  arrived: number
  connections: number
  /** What it says to a recipient and to a whole mail: an error, with its code, or nothing. It may take its time. */
  onRecipient: (address: string) => Promise<void>
  onMail: () => Promise<void>
  onSender: () => Promise<void>
  onGreeting: () => Promise<void>
  settings(more?: Partial<MailServer>): MailServer
}

/** What the server is to answer: `refusal(550)`. Servers repeat the address, and we must not. */
export const refusal = (responseCode: number, text = '5.1.1 <jane@example.com> no such user') =>
  Object.assign(new Error(text), { responseCode })

export const never = () => new Promise<never>(() => undefined)
const yes = async () => undefined

export async function mailServer(options: SMTPServerOptions = {}): Promise<TestMailServer> {
  const told = (promise: Promise<void>, callback: (error?: Error | null) => void) => {
    promise.then(
      () => callback(),
      (error: Error) => callback(error),
    )
  }
  const smtp = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    authOptional: true,
    logger: false,
    onConnect: (_, callback) => {
      server.connections += 1
      told(server.onGreeting(), callback)
    },
    onMailFrom: (_, __, callback) => told(server.onSender(), callback),
    onRcptTo: ({ address }, __, callback) => told(server.onRecipient(address), callback),
    onData: (stream, { envelope, secure, user }, callback) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.once('end', () => {
        server.arrived += 1
        const raw = Buffer.concat(chunks)
        const kept = async () => {
          await server.onMail()
          server.deliveries.push({
            from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
            to: envelope.rcptTo.map(({ address }) => address),
            isSecure: secure,
            user: user === undefined ? null : String(user),
            raw: raw.toString(),
            mail: await PostalMime.parse(raw),
          })
        }
        told(kept(), callback)
      })
    },
    ...options,
  })
  // Clients that give up are part of the tests.
  smtp.on('error', () => undefined)
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', resolve))
  afterAll(() => new Promise<void>((resolve) => smtp.close(() => resolve())))
  const { port } = smtp.server.address() as AddressInfo
  const server: TestMailServer = {
    port,
    deliveries: [],
    arrived: 0,
    connections: 0,
    onRecipient: yes,
    onMail: yes,
    onSender: yes,
    onGreeting: yes,
    settings: (more = {}) => ({
      url: `smtp://127.0.0.1:${port}`,
      from: 'noreply@service.example',
      ...more,
    }),
  }
  return server
}
