// A service that keeps its requests, a shop in it, and ways to ask for what was kept.

import { expect } from 'vitest'
import type { AppOptions } from '../../../src/app.ts'
import { type CallOptions, testApp } from '../../support/app.ts'
import { patient } from '../../support/database.ts'

export type Line = {
  id: string
  created: number
  version: string
  key_used: string | null
  key_id: string | null
  sandbox: boolean
  token_id: string | null
  method: string
  url: string
  route: string | null
  secure: boolean
  ip_address: string
  status_code: number
  ms: number
  user_agent: string | null
  idempotency_key: string | null
}
export type Whole = Line & { request: unknown; response: unknown; events: string[] }
export type Page = { data: Line[]; next: string | null }

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD'

/** Any peer is a proxy of ours, so that live keys may be sent. */
const HTTPS = { 'x-forwarded-proto': 'https' }

export async function loggingApp(options: Partial<AppOptions> = {}) {
  const app = await testApp({ requestLog: 'all', trustProxy: () => true, ...options })
  return {
    app,
    async openShop() {
      const { id, keys } = await app.merchant()
      return shopOf(app, id, keys)
    },
  }
}

function shopOf(
  app: Awaited<ReturnType<typeof testApp>>,
  id: number,
  keys: Awaited<ReturnType<typeof app.merchant>>['keys'],
) {
  const secret = keys.sandbox.secret
  const send = async (method: Method, path: string, { key = secret, headers = {}, ...more }: CallOptions = {}) => {
    const answer = await app.call(method, path, { key, headers: { ...HTTPS, ...headers }, ...more })
    return { ...answer, requestId: String(answer.headers['x-request-id']) }
  }
  const list = async (query = '', key = secret): Promise<Page> => {
    const { status, body, text } = await send('GET', `/v1/developer/logs${query}`, { key })
    expect(status, text).toBe(200)
    return body as Page
  }
  const find = (requestId: string, key = secret) => send('GET', `/v1/developer/logs/${requestId}`, { key })
  return {
    id,
    keys,
    send,
    list,
    find,
    /** Once it has been written. */
    async get(requestId: string, key = secret): Promise<Whole> {
      await expect.poll(async () => (await find(requestId, key)).status, { timeout: patient(2_000) }).toBe(200)
      return (await find(requestId, key)).body as Whole
    },
  }
}

export type LogShop = ReturnType<typeof shopOf>
