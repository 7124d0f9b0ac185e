// Security policy of a checkout page. The browser may load, frame and contact our own files and the hosts of the providers whose scripts
// the page offers. Nothing is inline, so injected code does not run.

import type { CheckoutPage, PageHosts } from '../gateways/checkout-page.ts'
import { findGateway } from '../gateways/index.ts'
import { RecentMap } from '../lib/memory.ts'

/** The part of `WayToPay` that matters here. A simulated way loads no script. */
type PolicyWay = { readonly code: string; readonly simulated: object | null }

type OfferedWay = PolicyWay & { readonly value: string }

/**
 * Ways to pay whose scripts the page may load; `chosen` is the form's value. A way with `isAllowedOnlyWhileChosen` is allowed only while it is
 * chosen, on a page of its own.
 */
export const waysLetIn = <Way extends OfferedWay>(ways: readonly Way[], chosen: string): Way[] =>
  ways.filter(
    ({ code, simulated, value }) =>
      simulated === null &&
      scriptPageOf(code).some(({ isAllowedOnlyWhileChosen }) => !isAllowedOnlyWhileChosen || value === chosen),
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
  /** True for a shop's sandbox: some providers have separate hosts for it. */
  readonly is_sandbox: boolean
  /** Origins of images on other hosts. */
  readonly images?: readonly string[]
}

/** Cache by all inputs: pages of one shop repeat, and few shops differ. */
const policies = new RecentMap<PagePolicy>(500)

/** Longer keys, for images from dozens of hosts, are not cached. */
const LONGEST_KEY = 500

/** Policy of a page with these ways to pay; other pages pass none. */
export function policyOf(ways: readonly PolicyWay[], { is_sandbox, images = [] }: PolicyOptions): PagePolicy {
  const codes = ways.filter(({ simulated }) => simulated === null).map(({ code }) => code)
  const origins = [...new Set(images)]
  const key = `${is_sandbox} ${codes.join()} ${origins.join(' ')}`
  const cachedPolicy = policies.get(key)
  if (cachedPolicy !== undefined) return cachedPolicy
  const policy = policyFor(codes, origins, is_sandbox)
  if (key.length <= LONGEST_KEY) policies.set(key, policy)
  return policy
}

function policyFor(codes: readonly string[], images: readonly string[], is_sandbox: boolean): PagePolicy {
  const pages = codes.flatMap(scriptPageOf)
  const hosts = pages.map((page) => page.hosts(is_sandbox))
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
    // Our own scripts write no HTML. Providers' scripts do, and would stop.
    ...(pages.length > 0
      ? []
      : ([
          ['require-trusted-types-for', ["'script'"]],
          ['trusted-types', ["'none'"]],
        ] as const)),
  ]
  const wallets = pages.filter(({ asksWallets }) => asksWallets).map((page) => page.hosts(is_sandbox).script[0])
  return {
    content: directives
      .filter(([, sources]) => sources.length > 0)
      .map(([name, sources]) => `${name} ${[...new Set(sources)].join(' ')}`)
      .join('; '),
    opener: pages.some(({ opensWindows }) => opensWindows) ? 'same-origin-allow-popups' : 'same-origin',
    permissions: [
      ...UNUSED_FEATURES.map((feature) => `${feature}=()`),
      `payment=(${['self', ...wallets.map((host) => `"${host}"`)].join(' ')})`,
    ].join(', '),
  }
}

/** Browser features that no page of ours uses. */
const UNUSED_FEATURES = [
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

/** Origins of absolute image URLs. */
export const originsOf = (urls: readonly (string | null | undefined)[]): string[] =>
  urls.flatMap((url) => (url?.match(/^https?:\/\/[\w.:[\]-]+(?=\/|$)/i) ?? []).map((origin) => origin.toLowerCase()))

function scriptPageOf(code: string): ScriptPage[] {
  const page = findGateway(code)?.page
  return page?.kind === 'script' ? [page] : []
}
