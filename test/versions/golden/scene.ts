// One run of the script: a shop of its own, requests by the name of their operation, and what each was answered, ready to be compared.
// Versions between which nothing changed share a run: the first of them plays it, the others repeat what it reads. What a step needs and
// does not show is prepared in the newest version.

import { expect, vi } from 'vitest'
import { setMerchantDisabled } from '../../../src/api/merchants/merchant.ts'
import { slices } from '../../../src/app.ts'
import type { Endpoint } from '../../../src/http/endpoint/endpoint.ts'
import type { JsonData, JsonObject } from '../../../src/versions/change.ts'
import { versions as allVersions, HEAD } from '../../../src/versions/index.ts'
import { keepEntries, loggedEntry } from '../../request-log/entries.ts'
import { type Answer, type TestApp, testApp } from '../../support/app.ts'
import { endpoints } from '../real.ts'
import { mishapOf } from './compare.ts'
import { type Exchange, OLDEST, SDK_HEADERS, upgrade } from './exchange.ts'
import { SDK } from './files.ts'

/** One that sells nothing any more, with a token of before. */
export type ClosedShop = { readonly key: string; readonly token: string }

/** An app that remembers what the handler of the last request told for older envelopes. No answer of the newest version shows it. */
export type SceneApp = TestApp & { readonly told: { facts: JsonObject } }

export async function sceneApp(): Promise<SceneApp> {
  const told = { facts: {} }
  const listening = (endpoint: Endpoint): Endpoint => ({
    ...endpoint,
    handle: (context) => {
      const { addFacts: tell } = context
      const remember = (facts: Record<string, unknown>) => {
        told.facts = facts
        tell(facts)
      }
      return endpoint.handle(Object.assign(context, { addFacts: remember }))
    },
  })
  const heard = slices.map((slice) => ({ ...slice, endpoints: slice.endpoints.map(listening) }))
  return Object.assign(await testApp({ slices: heard, versions: allVersions }), { told })
}

const byOperation = new Map(endpoints.map((endpoint) => [endpoint.operation, endpoint]))

type Request = {
  params?: Record<string, string>
  query?: Record<string, string | number>
  body?: JsonObject | undefined
  /** The public one where the endpoint takes it, as a storefront does, unless another is named. */
  key?: string
  /** Of a customer who has logged in; no key is sent beside it. */
  session?: string
}

/** A further request of an operation: what it shows, and the status that the newest version answers. */
type Shown = { case: string; status: number }

export type Scene = {
  readonly keys: { readonly secret: string; readonly public: string }
  readonly closed: ClosedShop
  /** Sends it in the first version of the run, a GET in each, and records what is answered. Gives the body of the first. */
  ask<T = { id: string }>(operation: string, request?: Request & Partial<Shown>): Promise<T>
  /** Sends it in the newest version, must succeed, and records nothing. */
  prepare<T = { id: string }>(operation: string, request?: Request): Promise<T>
  /** Keeps a request in the log as if it had just come, and gives its id. */
  keepRequest(): Promise<string>
  /** Lets the jobs run until this gives something. */
  afterJobs<T>(look: () => Promise<T | undefined>): Promise<T>
  /** The exchanges by version and name (`carts.add`, `carts.add.variant`). */
  readonly recorded: ReadonlyMap<string, ReadonlyMap<string, Exchange>>
}

/**
 * `upgrades`: sends every request in today's form, upgraded from the oldest version. Ageing these answers gives what older versions
 * answer to requests in older forms.
 */
export async function openScene(
  app: SceneApp,
  versions: readonly string[],
  closed: ClosedShop,
  { upgrades = false } = {},
): Promise<Scene> {
  const [first = '', ...others] = versions
  const { id: merchant_id, keys } = await app.merchant()
  const { secret, public: open } = keys.sandbox
  const kinds = new Map([
    [secret, 'secret'],
    [open, 'public'],
    [closed.key, 'public'],
  ])
  const recorded = new Map(versions.map((version) => [version, new Map<string, Exchange>()]))
  /** Then the time stands still: on a slow machine a job would otherwise lose its lease to the looks for what it does, and run twice. */
  let areJobsRunning = false

  async function send(operation: string, given: Request, as: string): Promise<[Answer, Endpoint, string]> {
    const request = upgrades ? inTodaysForm(operation, given) : given
    const endpoint = byOperation.get(operation)
    if (endpoint === undefined) throw new Error(`There is no operation "${operation}".`)
    // Things of one moment have no order; and twelve versions that ask about the same wrong code must not come to ten a minute.
    if (!areJobsRunning) app.clock.advance(7)
    const key = request.key ?? (endpoint.access === 'public' ? open : secret)
    const body = request.body === undefined ? {} : { body: request.body }
    app.told.facts = {}
    const by: Record<string, string> =
      request.session === undefined ? {} : { authorization: `Bearer ${request.session}` }
    const answer = await app.call(endpoint.method, addressOf(endpoint, request), {
      ...(request.session === undefined ? { key } : {}),
      ...(as === SDK ? { headers: { ...by, ...SDK_HEADERS } } : { headers: by, version: as }),
      ...body,
    })
    const named = [answer.headers['service-version'], answer.headers['chec-version']]
    const version = as === SDK ? HEAD : as
    expect({ operation, named }).toEqual({ operation, named: [version, version] })
    return [answer, endpoint, key]
  }

  async function record(version: string, operation: string, request: Request & Partial<Shown>): Promise<Answer> {
    const exchanges = recorded.get(version)
    const name = request.case === undefined ? operation : `${operation}.${request.case}`
    if (exchanges?.has(name)) throw new Error(`"${name}" is recorded already: give one of them a case.`)
    const [answer, endpoint, key] = await send(operation, request, version)
    const mishap = mishapOf(name, version, answer.status)
    if (mishap !== null) throw new Error(mishap)
    if (version === HEAD && !upgrades) expectStatus(name, answer, request.status ?? endpoint.status)
    exchanges?.set(name, {
      operation,
      merchant_id,
      request: `${endpoint.method} ${decodeURIComponent(addressOf(endpoint, request))}`,
      params: request.params ?? {},
      query: request.query ?? {},
      key: request.session !== undefined ? 'session' : (kinds.get(key) ?? 'unknown'),
      sent: request.body,
      status: answer.status,
      headers: shownHeaders(answer),
      body: answer.text === '' ? undefined : bodyOf(name, answer),
      facts: app.told.facts,
    })
    return answer
  }

  return {
    keys: { secret, public: open },
    closed,
    recorded,
    async ask<T>(operation: string, request: Request & Partial<Shown> = {}): Promise<T> {
      const answer = await record(first, operation, request)
      if (byOperation.get(operation)?.method === 'GET')
        for (const version of others) await record(version, operation, request)
      return answer.body as T
    },
    async prepare<T>(operation: string, request: Request = {}): Promise<T> {
      const [answer, endpoint] = await send(operation, request, HEAD)
      expectStatus(operation, answer, endpoint.status)
      return answer.body as T
    },
    async keepRequest() {
      const bodies = { request: { name: 'Hats' }, requestSize: 15, response: '{"id":"cat_1"}', schemas: {} }
      const entry = loggedEntry(merchant_id, app.clock.now().getTime(), { key: 'sk_test_', method: 'POST', bodies })
      await keepEntries(app.db, [entry])
      return entry.id
    },
    async afterJobs(look) {
      const worker = app.startJobs()
      areJobsRunning = true
      try {
        return await vi.waitFor(
          async () => {
            worker.poke()
            const found = await look()
            if (found === undefined) throw new Error('The jobs have not done it.')
            return found
          },
          { timeout: 60_000, interval: 20 },
        )
      } finally {
        await worker.stop()
        areJobsRunning = false
      }
    },
  }
}

function inTodaysForm(operation: string, request: Request): Request {
  const { params = {}, query = {}, body } = request
  const today = upgrade({ operation, params, query, sent: body }, OLDEST)
  return { ...request, ...today, query: today.query as NonNullable<Request['query']>, body: today.sent }
}

/** Once for all runs: until the keys of a disabled merchant are known as such takes up to a second. */
export async function closeShop(app: TestApp): Promise<ClosedShop> {
  const { id: merchant_id, keys } = await app.merchant()
  const { secret, public: key } = keys.sandbox
  const body = { name: 'Song', price: 1, delivery: { physical: false } }
  const { body: song } = await app.call('POST', '/v1/products', { key: secret, body })
  const path = `/v1/checkouts/${(song as { id: string }).id}?type=product_id`
  const token = ((await app.call('GET', path, { key })).body as { id: string }).id
  await setMerchantDisabled(app, merchant_id, true)
  const capture = () => app.call('POST', `/v1/checkouts/${token}`, { key, body: {} })
  await vi.waitFor(async () => expect((await capture()).status).toBe(402), { timeout: 60_000, interval: 50 })
  return { key, token }
}

/** The text is in the failure that it explains. */
function expectStatus(name: string, answer: Answer, status: number) {
  const text = answer.text.slice(0, 500)
  expect({ name, status: answer.status, text }).toEqual({ name, status, text })
}

function addressOf({ operation, path }: Endpoint, { params = {}, query = {} }: Request): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${operation} needs the parameter "${name}".`)
    return encodeURIComponent(value)
  })
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, `${value}`] as [string, string]),
  ).toString()
  return search === '' ? filled : `${filled}?${search}`
}

/** Those that a version may change. The ones that name the version are looked at with every request. */
const shownHeaders = ({ headers }: Answer): JsonObject =>
  Object.fromEntries(
    ['content-type', 'cache-control'].flatMap((name) => (name in headers ? [[name, String(headers[name])]] : [])),
  )

/** Golden bodies are laid out for people; they say every byte as long as the answer itself is plain JSON. */
function bodyOf(name: string, { text, body, headers }: Answer): JsonData {
  if (!String(headers['content-type']).startsWith('application/json')) return text
  expect({ name, text }).toEqual({ name, text: JSON.stringify(body) })
  return body as JsonData
}
