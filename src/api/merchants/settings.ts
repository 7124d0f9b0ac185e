// The settings of a merchant: what the column `settings` keeps, the default of each, and the rules for a shop's name, e-mail address, version,
// web origins and addresses.
// Other resources read theirs through the functions here, from any row that has the column.

import { DEFAULT_TIME_ZONE } from '../../lib/clock.ts'
import { isLoopbackName, parseUrl } from '../../lib/url.ts'
import { versions } from '../../versions/index.ts'

export const LOGO_SHAPES = ['square', 'circle', 'rectangle'] as const

type TaxSettings = { included_in_price: boolean; on_shipping: boolean }

type TrackingSettings = { tracking_id: string | null; linked_domains: readonly string[] }

/** Which mails are sent to customers. */
type CustomerMails = {
  login_token: boolean
  orders: boolean
  shipments: boolean
  refunds: boolean
  cancellations: boolean
}

/** Which mails the merchant gets, and where; `email`: null for the shop's `support_email`. */
type MerchantMails = { orders: boolean; email: string | null }

/** Of the shop's mails, as `#rrggbb`; null for ours. */
type ShopColors = { accent: string | null; background: string | null }

type MerchantAddress = {
  street: string | null
  city: string | null
  region: string | null
  country: string | null
  postal_zip_code: string | null
}

/** `unpaid_expire_after_hours`: when an order that was to be paid by hand, and was not, is cancelled; null: never. */
type OrderSettings = { unpaid_expire_after_hours: number | null }

/** What the pages of the hosted checkout are written in, in the order in which they are offered. */
export const CHECKOUT_LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'ja'] as const

/** Of the hosted checkout. `languages`: never empty; the first is shown to who reads none of them. `return_url`: where shoppers go on afterwards. */
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
  /** As a browser writes them, each once. */
  allowed_origins: readonly string[]
  mails: CustomerMails
  merchant_mails: MerchantMails
  address: MerchantAddress
  /** The sweep of unpaid orders reads it by a statement of its own, and an index has its name. */
  orders: OrderSettings
  checkout: CheckoutSettings
  /** In which the shop's days begin and end; the name of the IANA database. */
  time_zone: string
}

/** As the column keeps them. It may hold more, written by a newer release or for another purpose, which stays as it is. */
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

/** Where the links of mails may lead in live mode, and where the checkout sends shoppers back to. */
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

// What a merchant's name, e-mail address and API version may be, and the rules that say so, as `Problems` takes them: the same for the
// operator who opens a shop and for the shop that changes itself.

const EMAIL = /^[^\s@<>"(),:;[\]\\]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/

export const isName = (text: string): boolean => text.trim() !== '' && text.length <= 255

export const NAME_RULE = 'must be 1 to 255 characters long'

export const isEmail = (text: string): boolean => EMAIL.test(text)

export const EMAIL_RULE = 'must be an e-mail address such as shop@example.com'

const dates = versions.map(({ date }) => date)

export const isVersion = (text: string): boolean => dates.includes(text)

export const VERSION_RULE = `must be one of ${dates.join(', ')}`

// Web origins as merchants write them → as browsers write them, so that comparing two is comparing text.

// Without a path, a query, a user or a wildcard: those would look like a narrower or a wider promise than an origin is.
const ORIGIN = /^https?:\/\/[^\s/?#@\\*]+\/?$/i
const HOST = /^(?:[a-z\d._-]+|\[[\da-f:.]+\])$/

/** `https://shop.example` of `HTTPS://Shop.Example:443/`; null when the text is not one exact http or https origin. */
export function readOrigin(text: string): string | null {
  const url = ORIGIN.test(text) ? parseUrl(text) : null
  return url !== null && HOST.test(url.hostname) ? url.origin : null
}

// Whole addresses, as merchants and storefronts write them.

/** Scheme and host; all that follows. */
const ADDRESS = /^(https?:\/\/[^/?#]+)(.*)$/is

// A backslash is a slash to browsers, and blanks and control characters are left out by them: the text would not be the address.
const MISLEADING = /[\s\p{Cc}\p{Zs}\\]/u

/** Users, wildcards and hosts with anything but letters, digits and dots in them are refused. `origin`: as a browser writes it. */
export function readAddress(text: string): { readonly origin: string; readonly url: URL } | null {
  if (MISLEADING.test(text)) return null
  const [, head = '', tail = ''] = ADDRESS.exec(text) ?? []
  const origin = readOrigin(head)
  const url = origin === null ? null : parseUrl(origin + tail)
  return origin !== null && url !== null && url.origin === origin ? { origin, url } : null
}

/** Whether an address leads to the machine of whoever opens it, and so to nobody else's. */
export const isLoopback = (origin: string): boolean => isLoopbackName(new URL(origin).hostname)

export const LONGEST_PAGE_URL = 2_000

/** Whether the checkout may link to it: a shopper who has come over HTTPS is not led away from it, but for a developer's own machine. */
export function isPageUrl(text: string): boolean {
  const origin = readAddress(text)?.origin
  return origin !== undefined && (origin.startsWith('https:') || isLoopback(origin))
}

export const PAGE_URL_RULE =
  'must be an https address such as https://shop.example/terms, without a user, blanks or backslashes; http only for localhost'

/** Whether shoppers may be sent back there: what the shop says are its own pages, or a developer's own machine. */
export function isReturnUrl(text: string, allowed: readonly string[]): boolean {
  const origin = readAddress(text)?.origin
  return origin !== undefined && (allowed.includes(origin) || isLoopback(origin))
}
