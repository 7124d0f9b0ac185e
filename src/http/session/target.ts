// Which requests are for the dashboard. Below /dashboard/api/v1 are the very endpoints of /v1, for whoever has logged in: the target is rewritten, and
// the request remembered, so that no route exists twice. A page of another site can do nothing with any of them.

import type { IncomingMessage } from 'node:http'

const ROOM = '/dashboard'
const API = `${ROOM}/api`
const ENDPOINTS = `${API}/v1/`

const forOwnPages = new WeakSet<IncomingMessage>()
const bySession = new WeakSet<IncomingMessage>()

/** The target as the router is to read it. */
export function routeToRoom(request: IncomingMessage, target: string): string {
  if (!target.startsWith(ROOM)) return target
  forOwnPages.add(request)
  if (!target.startsWith(ENDPOINTS)) return target
  bySession.add(request)
  return target.slice(API.length)
}

/** Whether the answer is for pages of the same origin alone. */
export const isForOwnPages = (request: IncomingMessage): boolean => forOwnPages.has(request)

/** Whether the endpoint is called by a session, and no key is looked at. */
export const isBySession = (request: IncomingMessage): boolean => bySession.has(request)
