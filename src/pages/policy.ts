// What a browser may do on a page of the checkout: load, frame and talk to our own files, and to the hosts of those providers whose scripts
// this very page offers to pay by. Nothing is inline, so nothing that somebody has smuggled into a page runs.

import type { CheckoutPage, PageHosts } from '../gateways/checkout-page.ts'
import { findGateway } from '../gateways/index.ts'

/** Of `WayToPay`. What is made up loads no script of anybody's. */
type PolicyWay = { readonly code: string; readonly simulated: object | null }

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

/** Of a page that offers these ways to pay; of every other page, none. */
export function policyOf(ways: readonly PolicyWay[], { isSandbox, images = [] }: PolicyOptions): PagePolicy {
  const pages = ways.filter(({ simulated }) => simulated === null).flatMap(({ code }) => scriptPageOf(code))
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
    ['form-action', ["'self'"]],
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
