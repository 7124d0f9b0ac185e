// A live secret key that a page of somebody else sends: it is in a browser, where everybody can read it. Browsers name the page in `Origin`,
// and servers send none.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../lib/clock.ts'
import { unauthorized } from '../lib/errors.ts'
import { allowAnyOrigin } from './cors.ts'
import type { Caller } from './endpoint.ts'
import type { Origins } from './origins.ts'

/** Throws `unauthorized`. */
export type RefuseKeyInBrowser = (request: FastifyRequest, reply: FastifyReply, caller: Caller) => void

/** Whoever has the key could otherwise fill the disk with these lines. */
const LOG_EVERY_MS = 60_000
/** Enough for an origin; what a header can hold is not. */
const LONGEST_ORIGIN = 200

export function browserKeyRefuser(clock: Clock, isOurs: Origins['isOurs']): RefuseKeyInBrowser {
  // At most one entry for each live secret key that is in a browser.
  const loggedAt = new Map<string, number>()
  return (request, reply, { isSecret, isSandbox, keyId, merchantId }) => {
    const { origin } = request.headers
    if (origin === undefined || !isSecret || isSandbox || isOurs(origin, request)) return
    const now = clock.now().getTime()
    const key = keyId ?? ''
    if (now - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) >= LOG_EVERY_MS) {
      loggedAt.set(key, now)
      request.log.warn(
        { key, merchant_id: merchantId, origin: origin.slice(0, LONGEST_ORIGIN) },
        'a live secret key was sent by a browser and refused; revoke it: whoever opens that page can read it',
      )
    }
    // On secret routes too: the page that holds the key is to show why it is refused.
    allowAnyOrigin(reply)
    throw unauthorized(
      'This secret key was sent by a browser, where everybody can read it. Revoke it, and use the public key there; secret keys are for servers.',
    )
  }
}
