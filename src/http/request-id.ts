// The id of a request: in its answer, in its log lines, and in the words of a 500.

import type { IncomingMessage } from 'node:http'
import { newId } from '../lib/ids.ts'
import type { IsTrusted } from './trusted-proxies.ts'

const SAFE_ID = /^[\w.-]{8,100}$/

export const newRequestId = () => newId('request', new Date())

/** Ours, or the proxy's own where the peer is a proxy we trust, so that its log and ours can be read together. */
export const requestIds = (isTrusted: IsTrusted) => (request: IncomingMessage) => {
  const given = request.headers['x-request-id']
  const isGood = typeof given === 'string' && SAFE_ID.test(given)
  return isGood && isTrusted(request.socket.remoteAddress ?? '', 0) ? given : newRequestId()
}
