// What the tests of logging in share: a shop with customers, the job that mails links run as a worker runs it, and a look into the tables.

import { expect } from 'vitest'
import { LOGIN_MAIL_JOB, loginMailJob } from '../../../src/api/customers/login/mail-job.ts'
import { claimJobs } from '../../../src/jobs/claim.ts'
import { LEASE } from '../../../src/jobs/lease.ts'
import { runJob } from '../../../src/jobs/run.ts'
import type { Mail, Mailer } from '../../../src/mail/mailer.ts'
import type { Answer, TestApp } from '../../support/app.ts'
import { sql } from '../../support/rows.ts'

export const BASE_URL = 'https://shop.example/login/{token}'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Asked = { key?: string; from?: string; headers?: Record<string, string> }
export type Session = { customer_id: string; jwt: string }

let network = 0
/** A client that nobody has seen before, for what is limited per client. */
export const anotherClient = () => `10.${(network >> 16) & 255}.${(network >> 8) & 255}.${network++ & 255}`

/** The app must trust its proxy. */
export async function openShop(app: TestApp) {
  const { id, keys } = await app.merchant()
  const call = (method: Method, path: string, body?: unknown, asked: Asked = {}): Promise<Answer> => {
    const { key = keys.sandbox.public, from = anotherClient(), headers = {} } = asked
    return app.call(method, `/v1/${path}`, {
      key,
      headers: { 'x-forwarded-proto': key.includes('_test_') ? 'http' : 'https', 'x-forwarded-for': from, ...headers },
      body,
    })
  }
  const succeed = async <T>(status: number, ...request: Parameters<typeof call>): Promise<T> => {
    const answer = await call(...request)
    expect([answer.status, answer.text]).toEqual([status, answer.text])
    return answer.body as T
  }
  const { secret } = keys.sandbox
  return {
    id,
    keys,
    call,
    succeed,
    customer: async (email: string, key = secret) =>
      (await succeed<{ id: string }>(201, 'POST', 'customers', { email }, { key })).id,
    /** For both modes. */
    set: (settings: object) => succeed(200, 'PUT', 'merchants', settings, { key: keys.live.secret }),
    askForLink: (email: string, asked?: Asked, baseUrl = BASE_URL) =>
      call('POST', 'customers/email-token', { email, base_url: baseUrl }, asked),
    exchange: (token: string, asked?: Asked) => call('POST', 'customers/exchange-token', { token }, asked),
    /** A token that the merchant asked for, to mail it to that address. */
    issueToken: async (email: string, key = secret) =>
      (await succeed<{ token: string }>(200, 'POST', 'customers/issue-token', { email }, { key })).token,
    session: (customerId: string, key = secret) =>
      succeed<Session>(200, 'POST', `customers/${customerId}/issue-token`, undefined, { key }),
    /** Asks for a link and gives its token as it stands in the mail. */
    mailedToken: async (email: string, asked?: Asked) => {
      await succeed(200, 'POST', 'customers/email-token', { email, base_url: BASE_URL }, asked)
      const { mails } = await runLoginJobs(app)
      return tokenIn(mails.at(-1))
    },
    events: () => app.db.many(selectEvents, { merchant_id: id }),
    tokens: () => app.db.many(selectTokens, { merchant_id: id }),
  }
}

const selectEvents = sql<{ name: string; kind: string; sandbox: boolean; payload: unknown }>`
  select name, kind, sandbox, payload from events
  where merchant_id = :merchant_id and name = 'customers.login.token' order by id`

const selectTokens = sql<{ hash: string; customer_id: string; email_key: string; expires_at: Date }>`
  select encode(token_hash, 'hex') as hash, customer_id, email_key, expires_at
  from login_tokens where merchant_id = :merchant_id order by expires_at, token_hash`

export const tokenIn = (mail: Mail | undefined): string =>
  /https:\/\/shop\.example\/login\/([0-9A-Za-z]{40})\n/.exec(mail?.text ?? '')?.[1] ?? 'none'

type Options = {
  send?: Mailer['send']
  publicUrl?: string | null
  goesOut?: boolean
  /** As the log's. */
  warn?: (...said: unknown[]) => unknown
}

/** Runs every job there is once, as a worker does, and gives what was mailed. */
export async function runLoginJobs(app: TestApp, options: Options = {}) {
  const nothing = () => undefined
  const { send, publicUrl = null, goesOut = false, warn = nothing } = options
  const mails: Mail[] = []
  const mailer: Mailer = {
    goesOut,
    send: async (mail, signal) => {
      mails.push(mail)
      await send?.(mail, signal)
    },
  }
  const { db, clock } = app
  const log = { info: nothing, warn, error: nothing, debug: nothing } as never
  const now = clock.now()
  const leasedUntil = new Date(now.getTime() + LEASE.leaseMs)
  const jobs = await claimJobs(db, [LOGIN_MAIL_JOB], 1_000, now, leasedUntil)
  const context = { db, clock, log, ...LEASE, activeRuns: new Set<never>() }
  const handler = loginMailJob({ db, mailer, publicUrl })
  for (const job of jobs) await runJob(context, handler as never, job, leasedUntil)
  return { mails, jobs: jobs.length }
}

const countJobs = sql<{ waiting: number; failed: number }>`
  select count(*) filter (where failed_at is null) as waiting, count(*) filter (where failed_at is not null) as failed
  from jobs where kind = '${LOGIN_MAIL_JOB}' and merchant_id = :merchant_id`

export const jobsOf = (app: TestApp, merchant_id: number) => app.db.one(countJobs, { merchant_id })
