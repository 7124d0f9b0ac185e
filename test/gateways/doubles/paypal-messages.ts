// PayPal's messages as it signs them, and a server for the certificates that they name. [D] developer.paypal.com/api/rest/webhooks: the
// signature is of "transmission id|time|webhook id|CRC-32 of the body", RSA with SHA-256.

import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'
import { crc32 } from 'node:zlib'
import { listenOn } from '../../support/waiting.ts'
import { certificatePem } from './certificate.ts'

export type SignedMessage = { headers: Record<string, string>; body: Buffer }

type Served = { readonly status: number; readonly body: string; readonly headers?: Record<string, string> }

const newKeys = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
let known: ReturnType<typeof newKeys> | undefined

/** One pair for all of a process: to make one takes a second of work. */
const onlyKeys = () => {
  known ??= newKeys()
  return known
}

/** `now`: when messages are sent. */
export async function openSigner(now: () => Date, webhookId: string) {
  const keys = onlyKeys()
  const day = 86_400_000
  const pem = (more: Partial<Parameters<typeof certificatePem>[0]> = {}) =>
    certificatePem({
      commonName: 'messageverificationcerts.sandbox.paypal.com',
      from: new Date(now().getTime() - day),
      to: new Date(now().getTime() + 365 * day),
      ...keys,
      ...more,
    })
  /** By the last part of the path. */
  const served = new Map<string, Served>([['CERT-1', { status: 200, body: pem() }]])
  const asked: string[] = []
  const agents: (string | undefined)[] = []
  const server = createServer(({ url = '', headers: { 'user-agent': agent } }, outgoing) => {
    asked.push(url)
    agents.push(agent)
    const { status, body, headers } = served.get(url.split('/').at(-1) ?? '') ?? { status: 404, body: '{}' }
    outgoing.writeHead(status, headers)
    outgoing.end(body)
  })
  const port = await listenOn(server)

  return {
    url: `http://127.0.0.1:${port}`,
    /** The paths that certificates were asked for at. */
    asked,
    /** As whom, each time. */
    agents,
    /** A certificate, or whatever else, at the address that is given back. */
    serve(name: string, reply: Served): string {
      served.set(name, reply)
      return certUrl(name)
    },
    pem,
    keys,
    sign(event: object | Buffer, more: Record<string, string> = {}): SignedMessage {
      const body = Buffer.isBuffer(event) ? event : Buffer.from(JSON.stringify(event))
      const id = randomUUID()
      const time = more['paypal-transmission-time'] ?? now().toISOString().replace(/\.\d+/, '')
      const signature = sign('sha256', Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`), keys.privateKey)
      return {
        body,
        headers: {
          'content-type': 'application/json',
          'paypal-transmission-id': id,
          'paypal-transmission-time': time,
          'paypal-transmission-sig': signature.toString('base64'),
          'paypal-cert-url': certUrl('CERT-1'),
          'paypal-auth-algo': 'SHA256withRSA',
          ...more,
        },
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  }
}

const certUrl = (name: string) => `https://api.sandbox.paypal.com/v1/notifications/certs/${name}`
