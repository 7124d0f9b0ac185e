// A browser at the dashboard, as far as the server can tell: it keeps cookies, and says of itself what browsers say.

import type { InjectOptions } from 'fastify'
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { sql } from '../support/rows.ts'

export const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/141.0'

/** As browsers are served by plain HTTP on this machine. */
export const HERE = 'http://localhost'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD' | 'OPTIONS'

export type Sent = {
  body?: unknown
  /** Undefined: it is left out. */
  headers?: Readonly<Record<string, string | undefined>>
  mode?: 'live' | 'sandbox'
  /** Of the client. */
  address?: string
  isHttps?: boolean
}

export type Told = { status: number; headers: Record<string, unknown>; body: unknown; text: string; cookies: string[] }

export type SessionView = {
  account: { id: string; email: string; name: string; role: string; has_second_factor: boolean }
  merchant: { id: number; name: string; time_zone: string; currency: string; logo_url: string | null }
  csrf_token: string
  modes: string[]
  may: string[]
  may_in: { sandbox: string[]; live: string[] }
  expires: number
}

/** A proxy that is trusted, by which HTTPS comes. */
export const PROXY = '10.0.0.1'

export class Browser {
  readonly jar = new Map<string, string>()
  csrf = ''
  readonly #app: TestApp
  readonly #usual: Sent

  /** `usual`: what goes for each request, unless it says otherwise. */
  constructor(app: TestApp, usual: Sent = {}) {
    this.#app = app
    this.#usual = usual
  }

  /** `at`: an address, or a path below /dashboard/api without a slash at its front. */
  async send(method: Method, at: string, sent: Sent = {}): Promise<Told> {
    const url = at.startsWith('/') ? at : `/dashboard/api/${at}`
    const { body, headers, mode, address = '127.0.0.1', isHttps = false } = { ...this.#usual, ...sent }
    const origin = isHttps ? 'https://shop.example' : HERE
    const isWrite = method !== 'GET' && method !== 'HEAD'
    const all: Record<string, string | undefined> = {
      host: origin.replace(/^https?:\/\//, ''),
      'user-agent': AGENT,
      'sec-fetch-site': 'same-origin',
      ...(isWrite ? { origin, 'x-csrf-token': this.csrf || undefined } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(mode === undefined ? {} : { 'x-mode': mode }),
      ...(isHttps ? { 'x-forwarded-proto': 'https', 'x-forwarded-for': address } : {}),
      cookie: [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ') || undefined,
      ...this.#usual.headers,
      ...headers,
    }
    const request: InjectOptions = {
      method,
      url,
      remoteAddress: isHttps ? PROXY : address,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as never,
      ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    }
    const response = await this.#app.server.inject(request)
    const cookies = [response.headers['set-cookie'] ?? []].flat().map(String)
    for (const cookie of cookies) this.#keep(cookie)
    const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json')
    const { statusCode: status, body: text } = response
    return { status, headers: response.headers, body: isJson && text !== '' ? JSON.parse(text) : text, text, cookies }
  }

  #keep(cookie: string) {
    const [pair = ''] = cookie.split(';')
    const equals = pair.indexOf('=')
    if (/max-age=0\b/i.test(cookie)) this.jar.delete(pair.slice(0, equals))
    else this.jar.set(pair.slice(0, equals), pair.slice(equals + 1))
  }

  async logIn(email: string, password: string, more: Record<string, unknown> = {}, sent: Sent = {}): Promise<Told> {
    const told = await this.send('POST', 'session', { ...sent, body: { email, password, ...more } })
    const { csrf_token: token } = told.body as Partial<SessionView>
    if (told.status === 200 && token !== undefined) this.csrf = token
    return told
  }

  /** What must be answered with `status`; gives the body. */
  async succeed<T>(status: number, method: Method, url: string, sent: Sent = {}): Promise<T> {
    const told = await this.send(method, url, sent)
    expect([told.status, told.text]).toEqual([status, told.text])
    const view = (told.body ?? {}) as { csrf_token?: string; session?: { csrf_token?: string } }
    const token = view.csrf_token ?? view.session?.csrf_token
    if (token !== undefined) this.csrf = token
    return told.body as T
  }
}

let shops = 0

/** A shop with its owner, who has not logged in yet. */
export async function openHouse(app: TestApp, draft: Parameters<TestApp['merchant']>[0] = {}) {
  const merchant = await app.merchant({ email: `owner${++shops}@example.com`, ...draft })
  const { email, password } = merchant.dashboard
  return {
    ...merchant,
    email,
    password,
    /** A browser in which the owner is logged in. */
    async owner(usual: Sent = {}): Promise<Browser> {
      // An account has so many sessions: of those of one moment any could be the oldest.
      app.clock.advance(1)
      const browser = new Browser(app, usual)
      const told = await browser.logIn(email, password)
      expect([told.status, told.text]).toEqual([200, told.text])
      return browser
    },
  }
}

let people = 0

/** Gives the address at which the API answers about the invitation. */
export async function invite(owner: Browser, email: string, role = 'packer'): Promise<string> {
  const body = { email, name: 'New', role }
  const { invitation_url: url } = await owner.succeed<{ invitation_url: string }>(201, 'POST', 'team', { body })
  return `/dashboard/api/invitations/${url.split('/').at(-1)}`
}

/** Somebody who was invited and has come, in a browser of their own. */
export async function join(app: TestApp, owner: Browser, role: string, usual: Sent = {}): Promise<Browser> {
  const url = await invite(owner, `person${++people}@example.com`, role)
  const browser = new Browser(app, usual)
  await browser.succeed(200, 'POST', url, { body: { name: `Person ${people}`, password: PASSWORD } })
  return browser
}

const copyPasswords = sql`
  update dashboard_accounts a set password_hash = b.password_hash from dashboard_accounts b
  where a.merchant_id = :to and b.merchant_id = :from and b.email = a.email`

/** Gives the accounts of a shop the passwords that their addresses have in another. */
export const sharePassword = ({ db }: TestApp, from: { id: number }, to: { id: number }) =>
  db.run(copyPasswords, { from: from.id, to: to.id })

export const errorsOf = ({ body }: Told) => (body as { error: { errors?: unknown } }).error.errors
export const typeOf = ({ body }: Told) => (body as { error: { type: string } }).error.type

export const PASSWORD = 'correct horse battery'

/** Statuses of requests that are sent one after the other. */
export async function repeated(times: number, send: (time: number) => Promise<Told>): Promise<number[]> {
  const statuses: number[] = []
  for (let time = 0; time < times; time++) statuses.push((await send(time)).status)
  return statuses
}
