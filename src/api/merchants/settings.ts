// Settings of a merchant: the content of the column `settings`, the default of each, and their rules. Also the rules for a shop's name,
// e-mail address, version, web origins and addresses.
// Other resources read settings through these functions, from any row that has the column.

import { DEFAULT_TIME_ZONE } from '../../lib/clock.ts'
import { isLoopbackName, parseUrl } from '../../lib/url.ts'
import { versions } from '../../versions/index.ts'

export const LOGO_SHAPES = ['square', 'circle', 'rectangle'] as const

type TaxSettings = { included_in_price: boolean; on_shipping: boolean }

type TrackingSettings = { tracking_id: string | null; linked_domains: readonly string[] }

/** Mails that are sent to customers. */
type CustomerMails = {
  login_token: boolean
  orders: boolean
  shipments: boolean
  refunds: boolean
  cancellations: boolean
}

/** Mails that the merchant gets. A null `email` stands for the shop's `support_email`. */
type MerchantMails = { orders: boolean; email: string | null }

/** Colours of the mails and of the hosted checkout, as `#rrggbb`; null for the default. */
type ShopColors = { accent: string | null; background: string | null }

type MerchantAddress = {
  street: string | null
  city: string | null
  region: string | null
  country: string | null
  postal_zip_code: string | null
}

/** `unpaid_expire_after_hours`: age at which an unpaid order, which is to be paid by hand, is cancelled; null: never. */
type OrderSettings = { unpaid_expire_after_hours: number | null }

/** Languages of the hosted checkout, in the order in which they are offered. */
export const CHECKOUT_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'ja'] as const

/**
 * Settings of the hosted checkout. `languages` is never empty; its first one is the fallback. `return_url` is where shoppers go afterwards.
 */
export type CheckoutSettings = {
  languages: readonly (typeof CHECKOUT_LANGUAGES)[number][]
  terms_url: string | null
  privacy_url: string | null
  return_url: string | null
}

type MerchantSettings = {
  logo_shape: (typeof LOGO_SHAPES)[number] | null
  colors: ShopColors
  /** Google Analytics, for the storefront's own pages. */
  tracking: TrackingSettings
  tax: TaxSettings
  /** In the form that browsers use, each once. */
  allowed_origins: readonly string[]
  mails: CustomerMails
  merchant_mails: MerchantMails
  address: MerchantAddress
  /** The sweep of unpaid orders reads it by a statement of its own, and an index has its name. */
  orders: OrderSettings
  checkout: CheckoutSettings
  /** Time zone of the shop's days, by its name in the IANA database. */
  time_zone: string
}

/** The settings as the column stores them. It may hold more, from a newer release or for another purpose, which stays as it is. */
export type StoredSettings = {
  readonly logo_shape?: MerchantSettings['logo_shape']
  readonly colors?: Partial<ShopColors>
  readonly tracking?: Partial<TrackingSettings>
  readonly tax?: Partial<TaxSettings>
  readonly allowed_origins?: readonly string[]
  readonly mails?: Partial<CustomerMails>
  readonly merchant_mails?: Partial<MerchantMails>
  readonly address?: Partial<MerchantAddress>
  readonly orders?: Partial<OrderSettings>
  readonly checkout?: Partial<CheckoutSettings>
  readonly time_zone?: string
}

type WithSettings = { readonly settings: StoredSettings }

const NO_ADDRESS: MerchantAddress = { street: null, city: null, region: null, country: null, postal_zip_code: null }

export const settingsOf = ({ settings }: WithSettings): MerchantSettings => ({
  logo_shape: settings.logo_shape ?? null,
  colors: { accent: null, background: null, ...settings.colors },
  tracking: { tracking_id: null, linked_domains: [], ...settings.tracking },
  tax: taxSettings({ settings }),
  allowed_origins: allowedOrigins({ settings }),
  ...mailSettings({ settings }),
  address: { ...NO_ADDRESS, ...settings.address },
  orders: { unpaid_expire_after_hours: null, ...settings.orders },
  checkout: checkoutSettings({ settings }),
  time_zone: timeZoneOf({ settings }),
})

/** `demo` is written when the demo shop is made, and never by a request. */
export const isDemoShop = ({
  settings,
}: {
  readonly settings: StoredSettings & { readonly demo?: boolean }
}): boolean => settings.demo === true

export const timeZoneOf = ({ settings }: WithSettings): string => settings.time_zone ?? DEFAULT_TIME_ZONE

export const taxSettings = ({ settings }: WithSettings): TaxSettings => ({
  included_in_price: false,
  on_shipping: false,
  ...settings.tax,
})

export const checkoutSettings = ({ settings }: WithSettings): CheckoutSettings => ({
  languages: CHECKOUT_LANGUAGES,
  terms_url: null,
  privacy_url: null,
  return_url: null,
  ...settings.checkout,
})

/** Origins that links of live mails may lead to, and that the checkout may send shoppers back to. */
export const allowedOrigins = ({ settings }: WithSettings): readonly string[] => settings.allowed_origins ?? []

export type MailSettings = Pick<MerchantSettings, 'mails' | 'merchant_mails'>

export const mailSettings = ({ settings }: WithSettings): MailSettings => ({
  mails: {
    login_token: true,
    orders: true,
    shipments: true,
    refunds: true,
    cancellations: true,
    ...settings.mails,
  },
  merchant_mails: { orders: true, email: null, ...settings.merchant_mails },
})

// Rules for a merchant's name, e-mail address and API version, with their messages for `Problems`. They apply to the operator who opens a
// shop, and to the shop that changes itself.

const EMAIL = /^[^\s@<>"(),:;[\]\\]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/

export const isName = (text: string): boolean => text.trim() !== '' && text.length <= 255

export const NAME_RULE = 'must be 1 to 255 characters long'

export const isEmail = (text: string): boolean => EMAIL.test(text)

export const EMAIL_RULE = 'must be an e-mail address such as shop@example.com'

const dates = versions.map(({ date }) => date)

export const isVersion = (text: string): boolean => dates.includes(text)

export const VERSION_RULE = `must be one of ${dates.join(', ')}`

// Converts web origins from the spelling of merchants to that of browsers, so that two can be compared as text.

// Refuses a path, a query, a user or a wildcard, because each would look like a narrower or wider promise than an origin is.
const ORIGIN = /^https?:\/\/[^\s/?#@\\*]+\/?$/i
const HOST = /^(?:[a-z\d._-]+|\[[\da-f:.]+\])$/

/** Turns `HTTPS://Shop.Example:443/` into `https://shop.example`. Null if the text is not one exact http or https origin. */
export function readOrigin(text: string): string | null {
  const url = ORIGIN.test(text) ? parseUrl(text) : null
  return url !== null && HOST.test(url.hostname) ? url.origin : null
}

// Whole URLs, as merchants and storefronts write them.

/** Scheme and host; everything after them. */
const ADDRESS = /^(https?:\/\/[^/?#]+)(.*)$/is

// Browsers read a backslash as a slash, and drop blanks and control characters. They would open another URL than the text shows.
const MISLEADING = /[\s\p{Cc}\p{Zs}\\]/u

/** Refuses users, wildcards and hosts with unusual characters. `origin` is in the form that browsers use. */
export function parseWebAddress(text: string): { readonly origin: string; readonly url: URL } | null {
  if (MISLEADING.test(text)) return null
  const [, head = '', tail = ''] = ADDRESS.exec(text) ?? []
  const origin = readOrigin(head)
  const url = origin === null ? null : parseUrl(origin + tail)
  return origin !== null && url !== null && url.origin === origin ? { origin, url } : null
}

/** True if a URL leads to the machine of the person who opens it, and so to nobody else's. */
export const isLoopback = (origin: string): boolean => isLoopbackName(new URL(origin).hostname)

export const LONGEST_PAGE_URL = 2_000

/** True if the checkout may link to it. A shopper on HTTPS is not led to HTTP, except on a developer's own machine. */
export function isPageUrl(text: string): boolean {
  const origin = parseWebAddress(text)?.origin
  return origin !== undefined && (origin.startsWith('https:') || isLoopback(origin))
}

export const PAGE_URL_RULE =
  'must be an https URL such as https://shop.example/terms, without a user name, spaces or backslashes; http is allowed for localhost only'

/** True if shoppers may be sent back there: to a page of the shop's own origins, or to a developer's own machine. */
export function isReturnUrl(text: string, allowed: readonly string[]): boolean {
  const origin = parseWebAddress(text)?.origin
  return origin !== undefined && (allowed.includes(origin) || isLoopback(origin))
}
