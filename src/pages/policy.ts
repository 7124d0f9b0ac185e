// What a browser may do on a page of the checkout: load, frame and talk to our own files, and to the hosts of those providers whose scripts
// this very page offers to pay by. Nothing is inline, so nothing that somebody has smuggled into a page runs.

import type { CheckoutPage, PageHosts } from '../gateways/checkout-page.ts'
import { findGateway } from '../gateways/index.ts'
import { RecentMap } from '../lib/memory.ts'

/** Of `WayToPay`. What is made up loads no script of anybody's. */
type PolicyWay = { readonly code: string; readonly simulated: object | null }

type OfferedWay = PolicyWay & { readonly value: string }

/** Those of the ways whose scripts a page lets in: `chosen` is what the form says. What is let in alone comes with a page of its own. */
export const waysLetIn = <Way extends OfferedWay>(ways: readonly Way[], chosen: string): Way[] =>
  ways.filter(
    ({ code, simulated, value }) =>
      simulated === null && scriptPageOf(code).some(({ isLetInAlone }) => !isLetInAlone || value === chosen),
  )

type ScriptPage = Extract<CheckoutPage, { kind: 'script' }>

export type PagePolicy = {
  /** Content-Security-Policy */
  readonly content: string
  /** Cross-Origin-Opener-Policy */
  readonly opener: string
  /** Permissions-Policy */
  readonly permissions: string
}

type PolicyOptions = {
  /** Of the shop: some providers have other hosts for trying out. */
  readonly isSandbox: boolean
  /** Origins of pictures that do not lie with us. */
  readonly images?: readonly string[]
}

/** Pages of a shop have the same, one after the other, and few shops differ: what they say follows from the key alone. */
const policies = new RecentMap<PagePolicy>(500)

/** Longer ones, of pictures from dozens of places, are not kept. */
const LONGEST_KEY = 500

/** Of a page that lets these ways to pay in; of every other page, none. */
export function policyOf(ways: readonly PolicyWay[], { isSandbox, images = [] }: PolicyOptions): PagePolicy {
  const codes = ways.filter(({ simulated }) => simulated === null).map(({ code }) => code)
  const origins = [...new Set(images)]
  const key = `${isSandbox} ${codes.join()} ${origins.join(' ')}`
  const known = policies.get(key)
  if (known !== undefined) return known
  const made = policyFor(codes, origins, isSandbox)
  if (key.length <= LONGEST_KEY) policies.set(key, made)
  return made
}

function policyFor(codes: readonly string[], images: readonly string[], isSandbox: boolean): PagePolicy {
  const pages = codes.flatMap(scriptPageOf)
  const hosts = pages.map((page) => page.hosts(isSandbox))
  const from = (what: keyof PageHosts) => hosts.flatMap((each) => each[what] ?? [])
  const directives: readonly (readonly [name: string, sources: readonly string[]])[] = [
    ['default-src', ["'none'"]],
    ['script-src', ["'self'", ...from('script')]],
    ['style-src', ["'self'", ...from('style')]],
    ['style-src-attr', pages.some(({ writesStyles }) => writesStyles) ? ["'unsafe-inline'"] : []],
    ['img-src', ["'self'", 'data:', ...images, ...from('img')]],
    ['font-src', from('font')],
    ['connect-src', ["'self'", ...from('connect')]],
    ['frame-src', from('frame')],
    ['form-action', ["'self'", ...from('form')]],
    ['base-uri', ["'none'"]],
    ['frame-ancestors', ["'none'"]],
    // Our own scripts write no HTML. Those of providers do, and would stop.
    ...(pages.length > 0
      ? []
      : ([
          ['require-trusted-types-for', ["'script'"]],
          ['trusted-types', ["'none'"]],
        ] as const)),
  ]
  const wallets = pages.filter(({ asksWallets }) => asksWallets).map((page) => page.hosts(isSandbox).script[0])
  return {
    content: directives
      .filter(([, sources]) => sources.length > 0)
      .map(([name, sources]) => `${name} ${[...new Set(sources)].join(' ')}`)
      .join('; '),
    opener: pages.some(({ opensWindows }) => opensWindows) ? 'same-origin-allow-popups' : 'same-origin',
    permissions: [
      ...NEVER.map((feature) => `${feature}=()`),
      `payment=(${['self', ...wallets.map((host) => `"${host}"`)].join(' ')})`,
    ].join(', '),
  }
}

/** What no page of ours asks a browser for. */
const NEVER = [
  'accelerometer',
  'camera',
  'display-capture',
  'geolocation',
  'gyroscope',
  'magnetometer',
  'microphone',
  'midi',
  'usb',
]

/** Of pictures that lie elsewhere, or that we name by another address than this page has. */
export const originsOf = (urls: readonly (string | null | undefined)[]): string[] =>
  urls.flatMap((url) => (url?.match(/^https?:\/\/[\w.:[\]-]+(?=\/|$)/i) ?? []).map((origin) => origin.toLowerCase()))

function scriptPageOf(code: string): ScriptPage[] {
  const page = findGateway(code)?.page
  return page?.kind === 'script' ? [page] : []
}
