// The SDK as npm delivers it, in Node and in a page of a headless Chromium. The page has another origin than the API, as a storefront does.

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { Browser } from 'playwright-core'
import { afterAll } from 'vitest'

const require = createRequire(import.meta.url)

export type Failure = { message: string; statusCode?: number; data?: unknown }
type Asked = { commerce: unknown; method: string; args: unknown[] }
type Outcome = { result?: unknown; failure?: Failure }

export type Client = {
  key: string
  url: string
  version: string | undefined
  isDebug?: boolean
  /** In Node: another release of the package, by the name that it is installed under. */
  release?: string
}

export type Sdk = {
  readonly isBrowser: boolean
  /** What `cart.add` and the like give, called with these arguments. */
  call<T = unknown>(method: string, ...args: unknown[]): Promise<T>
  /** What it throws. */
  failure(method: string, ...args: unknown[]): Promise<Failure>
  /** The methods that were called so far. */
  readonly called: ReadonlySet<string>
  /** All that the package has. Names that begin with `_` are for itself. */
  methods(): Promise<string[]>
  /** A new client, as after a page is loaded again: nothing is left but what the browser keeps. */
  restart(client?: Partial<Client>): Promise<void>
  /** The cookies of the page. Null in Node, which has none. */
  cookies(): Promise<Record<string, string> | null>
  /** What the page keeps beside cookies. Null in Node. */
  localStorage(): Promise<Record<string, string> | null>
  /** The events that were dispatched in the page since they were last asked for. Null in Node. */
  events(): Promise<string[] | null>
}

/** Serialized for the page: it must not name anything outside of itself. */
async function ask({ commerce, method, args }: Asked): Promise<Outcome> {
  type Callable = Record<string, (...values: unknown[]) => unknown>
  const [first = '', second] = method.split('.')
  const parts = commerce as Record<string, Callable>
  try {
    const result = await (second === undefined
      ? (parts as unknown as Callable)[first]?.(...args)
      : parts[first]?.[second]?.(...args))
    // The client's whole answer cannot be carried out of a page.
    const isWhole = typeof result === 'object' && result !== null && 'config' in result && 'request' in result
    if (!isWhole) return { result }
    const { status, data } = result as unknown as { status: number; data: unknown }
    return { result: { status, data } }
  } catch (error) {
    const { message, statusCode, data } = error as Failure
    return { failure: { message, ...(statusCode === undefined ? {} : { statusCode, data }) } }
  }
}

/** Serialized for the page too. */
function listMethods(commerce: unknown): string[] {
  const of = (object: object, prefix: string) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(object))
      .filter((name) => name !== 'constructor' && !name.startsWith('_'))
      .map((name) => prefix + name)
  const parts = Object.entries(commerce as object).filter(
    ([, part]) => typeof part === 'object' && part !== null && Object.getPrototypeOf(part) !== Object.prototype,
  )
  return [of(commerce as object, ''), ...parts.map(([name, part]) => of(part, `${name}.`))].flat()
}

function asked(isBrowser: boolean, send: (method: string, args: unknown[]) => Promise<Outcome>) {
  const called = new Set<string>()
  const outcome = (method: string, args: unknown[]) => {
    called.add(method)
    return send(method, args)
  }
  return {
    isBrowser,
    called,
    call: async <T>(method: string, ...args: unknown[]) => {
      const { failure, result } = await outcome(method, args)
      if (failure) throw new Error(`${method} fails: ${JSON.stringify(failure)}`)
      return result as T
    },
    failure: async (method: string, ...args: unknown[]) => {
      const { failure, result } = await outcome(method, args)
      if (!failure) throw new Error(`${method} does not fail: ${JSON.stringify(result)}`)
      return failure
    },
  }
}

type SdkClass = new (key: string, isDebug: boolean, config: object) => object

const configOf = ({ url, version }: Client) => ({
  url,
  ...(version === undefined ? {} : { axiosConfig: { headers: { 'Chec-Version': version } } }),
})

type AxiosConfig = { headers: Record<string, string | undefined> }
type Adapter = (config: AxiosConfig) => Promise<unknown>

/** Calls with a customer's token set a header to undefined. A browser sends that; Node's HTTP client refuses to. */
const withoutUndefinedHeaders =
  (send: Adapter): Adapter =>
  (config) =>
    send({
      ...config,
      headers: Object.fromEntries(Object.entries(config.headers).filter(([, value]) => value !== undefined)),
    })

export async function sdkInNode(client: Client): Promise<Sdk> {
  const release = client.release ?? '@chec/commerce.js'
  const Commerce = require(release) as SdkClass
  const send = createRequire(require.resolve(release))('axios/lib/adapters/http') as Adapter
  const start = (options: Client) => {
    const { axiosConfig = {}, ...config } = configOf(options) as { axiosConfig?: object; url: string }
    // A proxy in the environment is none to this machine itself.
    return new Commerce(options.key, options.isDebug ?? false, {
      ...config,
      axiosConfig: { ...axiosConfig, adapter: withoutUndefinedHeaders(send), proxy: false },
    })
  }
  let commerce = start(client)
  return {
    ...asked(false, (method, args) => ask({ commerce, method, args })),
    methods: async () => listMethods(commerce),
    restart: async (different = {}) => {
      commerce = start({ ...client, ...different })
    },
    cookies: async () => null,
    localStorage: async () => null,
    events: async () => null,
  }
}

const CART_EVENTS = ['Cart.Item.Added', 'Cart.Item.Updated', 'Cart.Item.Removed', 'Cart.Emptied', 'Cart.Deleted']

/** What the page has that Node has not. */
type PageGlobals = {
  Commerce: SdkClass
  heard: string[]
  addEventListener(name: string, listener: (event: { type: string }) => void): void
  localStorage: Record<string, string>
}

/** In a page of its own, with cookies of its own. */
export async function sdkInBrowser(browser: Browser, pageUrl: string, client: Client): Promise<Sdk> {
  const context = await browser.newContext()
  const page = await context.newPage()
  const start = async (options: Client) => {
    await page.goto(pageUrl)
    return page.evaluateHandle(
      ({ key, isDebug, config, events }) => {
        const globals = globalThis as unknown as PageGlobals
        globals.heard = []
        for (const event of events)
          globals.addEventListener(`Commercejs.${event}`, ({ type }) => void globals.heard.push(type))
        return new globals.Commerce(key, isDebug, config)
      },
      { key: options.key, isDebug: options.isDebug ?? false, config: configOf(options), events: CART_EVENTS },
    )
  }
  let commerce = await start(client)
  return {
    ...asked(true, (method, args) => page.evaluate(ask, { commerce: commerce as unknown, method, args })),
    methods: () => page.evaluate(listMethods, commerce as unknown),
    restart: async (different = {}) => {
      commerce = await start({ ...client, ...different })
    },
    cookies: async () => Object.fromEntries((await context.cookies()).map(({ name, value }) => [name, value])),
    localStorage: () => page.evaluate(() => ({ ...(globalThis as unknown as PageGlobals).localStorage })),
    events: () => page.evaluate(() => (globalThis as unknown as PageGlobals).heard.splice(0)),
  }
}

/** Serves an empty page with the SDK's own build for pages, until the file ends. Gives its address. */
export function servePage(): Promise<string> {
  const script = readFileSync(require.resolve('@chec/commerce.js/lib/commerce.js'), 'utf8')
  const html = '<!doctype html><title>Shop</title><link rel="icon" href="data:,"><script src="/commerce.js"></script>'
  return serve({ '/': html, '/commerce.js': script })
}

/** From another origin than the API, as storefronts come. */
export async function serve(files: Record<string, string>): Promise<string> {
  const server = createServer(({ url = '/' }, response) => {
    const file = files[url]
    if (file === undefined) response.statusCode = 404
    const type = url.endsWith('.js') ? 'text/javascript' : 'text/html'
    response.setHeader('content-type', `${type}; charset=utf-8`)
    response.end(file)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}/`
}
