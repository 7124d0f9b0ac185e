// The settings of a merchant: what the column `settings` keeps, and what each one is where it was never set.
// Other resources read theirs through the functions here, from any row that has the column.

export const LOGO_SHAPES = ['square', 'circle', 'rectangle'] as const

export type TaxSettings = { included_in_price: boolean; on_shipping: boolean }

export type TrackingSettings = { tracking_id: string | null; linked_domains: readonly string[] }

/** Which mails are sent to customers. */
export type CustomerMails = { login_token: boolean; orders: boolean; shipments: boolean }

/** Of the shop's mails, as `#rrggbb`; null for ours. */
export type ShopColors = { accent: string | null; background: string | null }

export type MerchantAddress = {
  street: string | null
  city: string | null
  region: string | null
  country: string | null
  postal_zip_code: string | null
}

/** `unpaid_expire_after_hours`: when an order that was to be paid by hand, and was not, is cancelled; null: never. */
export type OrderSettings = { unpaid_expire_after_hours: number | null }

export type MerchantSettings = {
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

export const customerMails = ({ settings }: WithSettings): CustomerMails => ({
  login_token: true,
  orders: true,
  shipments: true,
  ...settings.mails,
})
