// The whole application without a port, on its own database or its worker's. Send requests with `app.server.inject` or `call`.

import { rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { InjectOptions } from 'fastify'
import { expect } from 'vitest'
import { type CreatedMerchant, createMerchant } from '../../src/api/merchants/merchant.ts'
import { type App, type AppOptions, createApp } from '../../src/app.ts'
import { readMigrations } from '../../src/db/migrate.ts'
import type { ConnectionSettings } from '../../src/db/pool.ts'
import { createLog } from '../../src/http/server/log.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { versions } from '../../src/versions/index.ts'
import { cardTraces, hasCaptured, nextTransaction, type SentCards, sentCards } from '../faults/card-scan.ts'
import { atFileEnd, cloneDatabase, copyTemplate, isOnCitus, PATIENT_POOL } from './database.ts'

/** A clock that moves only when a test moves it. */
export class TestClock implements Clock {
  readonly #start: Date
  #now: Date

  constructor(start = new Date('2026-01-02T03:04:05Z')) {
    this.#start = start
    this.#now = start
  }

  now() {
    return new Date(this.#now)
  }

  advance(seconds: number) {
    this.#now = new Date(this.#now.getTime() + seconds * 1_000)
  }

  reset() {
    this.#now = this.#start
  }
}

export type TestApp = App & {
  readonly clock: TestClock
  /** Folder of its files. */
  readonly dataDir: string
  /** Every line logged so far. */
  readonly logged: string[]
  /** A merchant with its four keys. */
  merchant(draft?: Partial<Parameters<typeof createMerchant>[2]>): Promise<CreatedMerchant>
  /** Sends a request and returns status, headers and the parsed body. */
  call(method: Method, url: string, options?: CallOptions): Promise<Answer>
}

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'
/** Fields that are undefined are not sent. */
export type CallOptions = {
  key?: string | undefined
  version?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}
export type Answer = { status: number; headers: Record<string, unknown>; body: unknown; text: string }

/** Every version without its changes, for apps with test-only resources: the real changes name real resources. */
export const UNCHANGED_VERSIONS = versions.map(({ date }) => ({ date, changes: [] }))

/** Machines are noisy: a test about request time limits sets its own. */
const PATIENT_SERVER = { limits: { handlerMs: 90_000, stallMs: 120_000 } }
/** All servers of a cluster share the cores of one machine. No test there checks how long one client's requests wait for each other. */
const PATIENT_ON_CITUS = { clientRequestsPerSecond: 0 }

export async function testApp(options: Partial<AppOptions> = {}): Promise<TestApp> {
  const opened = await openApp(new TestClock(), options)
  // Callbacks run in reverse: the app stops writing before its folder is removed.
  atFileEnd(() => rm(opened.ownDir, { recursive: true, force: true }))
  atFileEnd(() => opened.app.close())
  return forFile(opened, null)
}

const worker = globalThis as { cartwrightSharedApp?: Promise<OpenedApp> }

/**
 * The app shared by the files of a worker, each with its own merchants. Opening one takes 0.3 s. Call testApp() instead if a file reads the
 * log, runs jobs, counts rows of all merchants or needs options.
 */
export async function sharedApp(): Promise<TestApp> {
  // The search for card numbers needs to know which rows are new, and a Citus node cannot tell.
  if (isOnCitus()) return testApp(SHARED_OPTIONS)
  worker.cartwrightSharedApp ??= openShared()
  const opened = await worker.cartwrightSharedApp
  // The files of a worker run in sequence. Rows that earlier files left in the future belong to other merchants.
  opened.clock.reset()
  return forFile(opened, await nextTransaction(opened.connection))
}

/** One client sends every request, through a trusted proxy that forwards its protocol. */
const SHARED_OPTIONS = { trustProxy: () => true, clientRequestsPerSecond: 0 } satisfies Partial<AppOptions>

async function openShared(): Promise<OpenedApp> {
  const connection = await copyTemplate()
  const opened = await openApp(new TestClock(), { ...SHARED_OPTIONS, connection })
  // The worker lives as long as its files. The run removes its PostgreSQL with the database.
  process.once('exit', () => rmSync(opened.ownDir, { recursive: true, force: true }))
  return opened
}

type OpenedApp = {
  app: App
  clock: TestClock
  logged: string[]
  /** Folder created for the app, even if the options name another one. */
  ownDir: string
  dataDir: string
  connection: ConnectionSettings
}

async function openApp(clock: TestClock, options: Partial<AppOptions>): Promise<OpenedApp> {
  const logged: string[] = []
  const ownDir = await mkdtemp(join(tmpdir(), 'cartwright-app-'))
  const connection = options.connection ?? (await cloneDatabase())
  const app = await createApp({
    migrations: await readMigrations(),
    dataDir: ownDir,
    log: createLog('info', (line) => void logged.push(line)),
    clock,
    // Otherwise the statements sent would depend on timing.
    keepsPlans: true,
    ...(options.slices ? { versions: UNCHANGED_VERSIONS } : {}),
    ...PATIENT_SERVER,
    ...(isOnCitus() ? PATIENT_ON_CITUS : {}),
    ...options,
    pool: { ...PATIENT_POOL, ...options.pool, ...(isOnCitus() ? PATIENT_POOL : {}) },
    connection,
  })
  return { app, clock, logged, ownDir, dataDir: options.dataDir ?? ownDir, connection }
}

/**
 * The app for one test file. When the file ends, none of its cards may be in the log, in a response, or in a row written by
 * `firstTransaction` or later.
 */
function forFile({ app, clock, logged, dataDir, connection }: OpenedApp, firstTransaction: number | null): TestApp {
  const cards = sentCards()
  const answers: string[] = []
  const firstLine = logged.length
  atFileEnd(async () => {
    if (!cards.hasAny && !(await hasCaptured(connection, firstTransaction).catch(() => false))) return
    const texts = { 'The log': logged.slice(firstLine).join(''), 'An answer': answers.join('\n') }
    expect(await cardTraces(connection, cards, texts, firstTransaction)).toEqual([])
  })
  return {
    ...app,
    dataDir,
    clock,
    logged,
    merchant: (draft: Partial<Parameters<typeof createMerchant>[2]> = {}) =>
      app.db.transaction((tx) => createMerchant(tx, clock, { name: 'Shop', email: 'shop@example.com', ...draft })),
    call: async (method: Method, url: string, callOptions?: CallOptions) => {
      cards.see(callOptions?.body)
      const answer = await call(app, method, url, callOptions)
      if (cards.hasAny) keepTrace(cards, answer.text, answers)
      return answer
    },
  }
}

/** Keeps the trace only: ten thousand whole responses would fill memory. */
function keepTrace(cards: SentCards, text: string, traces: string[]) {
  const trace = cards.traceIn(text)
  if (trace !== null) traces.push(`It was told: ${trace}`)
}

async function call(app: App, method: Method, url: string, options: CallOptions = {}): Promise<Answer> {
  const { key, version, body, headers = {} } = options
  const request: InjectOptions = {
    method,
    url,
    headers: {
      ...(key === undefined ? {} : { 'x-authorization': key }),
      ...(version === undefined ? {} : { 'service-version': version }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  }
  const response = await app.server.inject(request)
  const isJson = String(response.headers['content-type'] ?? '').startsWith('application/json')
  return {
    status: response.statusCode,
    headers: response.headers,
    body: isJson && response.body !== '' ? response.json() : response.body,
    text: response.body,
  }
}
