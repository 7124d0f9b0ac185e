// Maps a row to the merchant in its newest form, field by field: for the public, for its owner, inside a checkout token, and for mails.

import { currencyOf } from '../../lib/currencies.ts'
import { DEFAULT_ACCENT, DEFAULT_BACKGROUND } from '../../lib/html/colors.ts'
import { readEmail } from '../../lib/text.ts'
import type { MailShop } from '../../mail/layout.ts'
import { type FileUrls, unsignedFileUrls, urlOf, viewAsset } from '../assets/view.ts'
import { findMerchantProfile, type MerchantProfileRow } from './read-store.ts'
import type { Analytics, Merchant, TokenMerchant } from './schema.ts'
import { type MailSettings, settingsOf } from './settings.ts'

/** `isSecret`: shown to the merchant itself, with its settings. */
export function viewMerchant(row: MerchantProfileRow, fileUrls: FileUrls, isSecret: boolean): Merchant {
  const { has, ...profile } = viewTokenMerchant(row, fileUrls)
  const analytics = viewAnalytics(row)
  return {
    ...profile,
    status: row.is_disabled ? 'inactive' : 'active',
    country: row.country,
    intercom: null,
    has: {
      ...has,
      analytics: analytics.google.settings.tracking_id !== null,
      enabled_hosted_checkouts: true,
      // This service has no hosted storefront.
      enabled_hosted_storefront: false,
    },
    analytics,
    images: {
      logo: row.logo && viewAsset(row.logo, fileUrls),
      cover: row.cover && viewAsset(row.cover, fileUrls),
    },
    ...(isSecret ? viewSettings(row) : {}),
  }
}

/** The merchant as a checkout token shows it (specification 2.7). */
export function viewTokenMerchant(row: MerchantProfileRow, fileUrls: FileUrls): TokenMerchant {
  const { code, symbol } = currencyOf(row.currency)
  const hasDescription = row.description !== null && row.description !== ''
  return {
    id: row.merchant_id,
    name: row.name,
    description: row.description,
    business_name: row.name,
    business_description: row.description,
    currency: { code, symbol },
    support_email: row.support_email,
    logo: row.logo && urlOf(row.logo, fileUrls),
    logo_shape: settingsOf(row).logo_shape,
    cover: row.cover && urlOf(row.cover, fileUrls),
    has: {
      logo: row.logo !== null,
      cover: row.cover !== null,
      description: hasDescription,
      business_description: hasDescription,
    },
  }
}

/** Also used for the `analytics` of a checkout token. */
export function viewAnalytics(row: Pick<MerchantProfileRow, 'settings'>): Analytics {
  const { tracking_id, linked_domains } = settingsOf(row).tracking
  return { google: { settings: { tracking_id, linked_domains: [...linked_domains] } } }
}

function viewSettings(row: MerchantProfileRow) {
  const { tax, allowed_origins, mails, merchant_mails, colors, address, orders, checkout, time_zone } = settingsOf(row)
  return {
    tax: { included_in_price: tax.included_in_price, on_shipping: tax.on_shipping },
    allowed_origins: [...allowed_origins],
    version: row.api_version,
    notifications: {
      customer: {
        login_token: mails.login_token,
        orders: mails.orders,
        shipments: mails.shipments,
        refunds: mails.refunds,
        cancellations: mails.cancellations,
      },
      merchant: { orders: merchant_mails.orders, email: merchant_mails.email },
    },
    colors: { accent: colors.accent, background: colors.background },
    address: {
      street: address.street,
      city: address.city,
      region: address.region,
      country: address.country,
      postal_zip_code: address.postal_zip_code,
    },
    orders: { unpaid_expire_after_hours: orders.unpaid_expire_after_hours },
    checkout: {
      languages: [...checkout.languages],
      terms_url: checkout.terms_url,
      privacy_url: checkout.privacy_url,
      return_url: checkout.return_url,
    },
    time_zone,
  }
}

/**
 * The shop as its mails show it, and which mails are sent. `merchantEmail` is the recipient of mails to the shop itself; empty: they are not
 * sent. Links of mails may only lead to `allowedOrigins`.
 */
export type MailSender = MailSettings & {
  shop: MailShop
  merchantEmail: string
  allowedOrigins: readonly string[]
}

/**
 * The shop as the mails of this mode show it. `origin` is the beginning of the logo's URL; null: no logo. Returns null if the merchant
 * no longer exists.
 */
export async function findMailSender(
  { db }: { readonly db: Parameters<typeof findMerchantProfile>[0] },
  scope: Parameters<typeof findMerchantProfile>[1],
  origin: string | null,
): Promise<MailSender | null> {
  const row = await findMerchantProfile(db, scope)
  if (row === null) return null
  const { logo_shape, mails, merchant_mails, colors, allowed_origins: allowedOrigins } = settingsOf(row)
  const shop: MailShop = {
    name: row.name,
    // A shop may have saved an address that mail programs cannot use. The mail then has none, because a wrong one may lead elsewhere.
    supportEmail: readEmail(row.support_email) ?? '',
    // A mail is read for years, but a link to a private file works for an hour.
    logoUrl:
      origin === null || row.logo === null || row.logo.is_private ? null : urlOf(row.logo, unsignedFileUrls(origin)),
    logoShape: logo_shape,
    accent: colors.accent ?? DEFAULT_ACCENT,
    background: colors.background ?? DEFAULT_BACKGROUND,
  }
  const ownEmail = readEmail(merchant_mails.email ?? row.support_email) ?? ''
  return { shop, mails, merchant_mails, merchantEmail: ownEmail, allowedOrigins }
}
