// The settings of a merchant: what the column `settings` keeps, the default of each, and the rules for a shop's name, e-mail address, version
// and web origins.
// Other resources read theirs through the functions here, from any row that has the column.

import { parseUrl } from '../../lib/url.ts'
import { versions } from '../../versions/index.ts'

export const LOGO_SHAPES = ['square', 'circle', 'rectangle'] as const

type TaxSettings = { included_in_price: boolean; on_shipping: boolean }

type TrackingSettings = { tracking_id: string | null; linked_domains: readonly string[] }

/** Which mails are sent to customers. */
export type CustomerMails = { login_token: boolean; orders: boolean; shipments: boolean }

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

type MerchantSettings = {
  logo_shape: (typeof LOGO_SHAPES)[number] | null
  colors: ShopColors
  /** Google Analytics, for the storefront's own pages. */
  tracking: TrackingSettings
  tax: TaxSettings
  /** As a browser writes them, each once. */
  allowed_origins: readonly string[]
  mails: CustomerMails
  address: MerchantAddress
  /** The sweep of unpaid orders reads it by a statement of its own, and an index has its name. */
  orders: OrderSettings
}

/** As the column keeps them. It may hold more, written by a newer release or for another purpose, which stays as it is. */
export type StoredSettings = {
  readonly logo_shape?: MerchantSettings['logo_shape']
  readonly colors?: Partial<ShopColors>
  readonly tracking?: Partial<TrackingSettings>
  readonly tax?: Partial<TaxSettings>
  readonly allowed_origins?: readonly string[]
  readonly mails?: Partial<CustomerMails>
  readonly address?: Partial<MerchantAddress>
  readonly orders?: Partial<OrderSettings>
}

type WithSettings = { readonly settings: StoredSettings }

const NO_ADDRESS: MerchantAddress = { street: null, city: null, region: null, country: null, postal_zip_code: null }

export const settingsOf = ({ settings }: WithSettings): MerchantSettings => ({
  logo_shape: settings.logo_shape ?? null,
  colors: { accent: null, background: null, ...settings.colors },
  tracking: { tracking_id: null, linked_domains: [], ...settings.tracking },
  tax: taxSettings({ settings }),
  allowed_origins: allowedOrigins({ settings }),
  mails: customerMails({ settings }),
  address: { ...NO_ADDRESS, ...settings.address },
  orders: { unpaid_expire_after_hours: null, ...settings.orders },
})

export const taxSettings = ({ settings }: WithSettings): TaxSettings => ({
  included_in_price: false,
  on_shipping: false,
  ...settings.tax,
})

/** Where the links of mails may lead in live mode. */
export const allowedOrigins = ({ settings }: WithSettings): readonly string[] => settings.allowed_origins ?? []

const customerMails = ({ settings }: WithSettings): CustomerMails => ({
  login_token: true,
  orders: true,
  shipments: true,
  ...settings.mails,
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
