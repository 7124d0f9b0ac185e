// Recognises dashboard requests. Below /dashboard/api/v1 are the endpoints of /v1 for logged-in people. The target is rewritten and the
// request remembered, so that no route exists twice. Pages of other sites can use none of them.

import type { IncomingMessage } from 'node:http'

const DASHBOARD = '/dashboard'
const DASHBOARD_API = `${DASHBOARD}/api`
const SESSION_ENDPOINTS = `${DASHBOARD_API}/v1/`

const forOwnPages = new WeakSet<IncomingMessage>()
const bySession = new WeakSet<IncomingMessage>()

/** The target for the router. */
export function routeDashboardTarget(request: IncomingMessage, target: string): string {
  if (!target.startsWith(DASHBOARD)) return target
  forOwnPages.add(request)
  if (!target.startsWith(SESSION_ENDPOINTS)) return target
  bySession.add(request)
  return target.slice(DASHBOARD_API.length)
}

/** True if the answer is only for pages of the same origin. */
export const isForOwnPages = (request: IncomingMessage): boolean => forOwnPages.has(request)

/** True if a session calls the endpoint, and no key is checked. */
export const isBySession = (request: IncomingMessage): boolean => bySession.has(request)
