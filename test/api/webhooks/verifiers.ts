// The two public verifiers, as receivers use them.

import { verifyWebhook } from '@chec/webhook-verifier'
import { Webhook } from 'standardwebhooks'
import { expect } from 'vitest'
import type { Clock } from '../../../src/lib/clock.ts'
import type { Received } from './support.ts'

/** Both compare with the machine's clock: `clock` is the one that signed. */
export function createVerifier(secret: string, clock: Clock) {
  const ago = () => Math.ceil((Date.now() - clock.now().getTime()) / 1_000)
  const inBody = (text: string, key = secret, maxAge = ago() + 300) => verifyWebhook(JSON.parse(text), key, maxAge)
  const inHeaders = (text: string, headers: Received['headers'], key = secret) => {
    const real = Date.now
    Date.now = () => clock.now().getTime()
    try {
      return new Webhook(key).verify(text, headers as Record<string, string>)
    } finally {
      Date.now = real
    }
  }
  return {
    accepts(received: Received | undefined) {
      const { text, headers } = received as Received
      inBody(text)
      expect(inHeaders(text, headers)).toEqual(JSON.parse(text))
    },
    acceptsHeaders(received: Received | undefined) {
      const { text, headers } = received as Received
      expect(inHeaders(text, headers)).toEqual(JSON.parse(text))
    },
    refusesChanges(received: Received | undefined) {
      const { text, headers } = received as Received
      const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
      const changed = text.replace('"event":"', '"event":"x')
      expect(() => inBody(changed)).toThrow()
      expect(() => inHeaders(changed, headers)).toThrow()
      expect(() => inBody(text, other)).toThrow()
      expect(() => inHeaders(text, headers, other)).toThrow()
      // Too old.
      expect(() => inBody(text, secret, ago() - 3_600)).toThrow()
      const stale = { ...headers, 'webhook-timestamp': String(Number(headers['webhook-timestamp']) - 600) }
      expect(() => inHeaders(text, stale)).toThrow()
    },
  }
}
