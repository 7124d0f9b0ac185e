// Changes that a merchant makes to itself: the fields, the rules for the result, and the notice to all processes.
// A caller who may write live changes both modes. All others change the sandbox only.

import type { Tx } from '../../db/db.ts'
import { countryName } from '../../geo/places.ts'
import { canWriteLive } from '../../http/endpoint/caller.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { isTimeZone, TIME_ZONE_RULE } from '../../lib/clock.ts'
import { notFound } from '../../lib/errors.ts'
import { isColor } from '../../lib/html/colors.ts'
import { newOrCurrent } from '../../lib/json.ts'
import { Problems } from '../../lib/problems.ts'
import { readEmail } from '../../lib/text.ts'
import { findAsset } from '../assets/store.ts'
import type { Precondition } from '../context.ts'
import type { MerchantProfileRow } from './read-store.ts'
import type { MerchantChanges } from './schema.ts'
import {
  allowedOrigins,
  checkoutSettings,
  EMAIL_RULE,
  isEmail,
  isName,
  isPageUrl,
  isReturnUrl,
  isVersion,
  NAME_RULE,
  PAGE_URL_RULE,
  readOrigin,
  type StoredSettings,
  settingsOf,
  VERSION_RULE,
} from './settings.ts'
import { announceChange, lockMerchant, type MerchantFields, type SandboxOverrides, updateMerchantRow } from './store.ts'

export function updateMerchant(
  { db, clock, caller, refuseIfChanged }: Precondition & Pick<Context, 'db' | 'clock' | 'caller'>,
  body: MerchantChanges,
): Promise<MerchantProfileRow> {
  return db.transaction(async (tx) => {
    refuseMalformed(body)
    const lockedRow = await lockMerchant(tx, caller)
    if (lockedRow === null) throw notFound('merchant')
    await refuseIfChanged?.(tx)
    const { sandbox_own: own, currency, ...current } = lockedRow
    const isForLive = canWriteLive(caller)
    // Fields that are sent for both modes become the same in both, so the sandbox drops its own values of them.
    const shop = merge(current, isForLive ? body : {})
    const sandbox = merge({ ...current, ...own, settings: { ...current.settings, ...own.settings } }, body)
    await refuseByRule(tx, caller.merchant_id, currency, body, isForLive ? shop : sandbox)
    const nextValues = { shop: isForLive ? shop : current, sandboxOwn: differenceOf(shop, sandbox) }
    const updatedRow = await updateMerchantRow(tx, caller, nextValues, clock.now())
    // Last, because from here to the commit the changes of all merchants wait for one another.
    await announceChange(tx)
    return updatedRow
  })
}

/** Rules for single fields that the schema cannot express. */
function refuseMalformed(body: MerchantChanges) {
  const problems = new Problems()
  for (const field of ['name', 'business_name'] as const) {
    const name = body[field]
    if (name !== undefined && !isName(name)) problems.malformed(field, NAME_RULE)
  }
  if (body.support_email !== undefined && !isEmail(body.support_email)) problems.malformed('support_email', EMAIL_RULE)
  const notificationEmail = body.notifications?.merchant?.email
  if (typeof notificationEmail === 'string' && readEmail(notificationEmail) === null)
    problems.malformed('notifications.merchant.email', `${EMAIL_RULE}, or null for support_email`)
  if (body.version !== undefined && !isVersion(body.version)) problems.malformed('version', VERSION_RULE)
  for (const [field, code] of [
    ['country', body.country],
    ['address.country', body.address?.country],
  ] as const)
    if (typeof code === 'string' && countryName(code) === undefined)
      problems.malformed(field, 'must be an ISO 3166-1 alpha-2 code such as US, DE or JP, or null')
  for (const part of ['accent', 'background'] as const) {
    const color = body.colors?.[part]
    if (typeof color === 'string' && !isColor(color))
      problems.malformed(`colors.${part}`, 'must be a colour such as #1d4ed8, or null for the default')
  }
  body.allowed_origins?.forEach((text, index) => {
    if (readOrigin(text) === null)
      problems.malformed(
        `allowed_origins.${index}`,
        'must be an origin such as https://shop.example or http://localhost:3000, without a path',
      )
  })
  const languages = body.checkout?.languages
  if (languages !== undefined && new Set(languages).size < languages.length)
    problems.malformed('checkout.languages', 'must name each language once')
  for (const page of ['terms_url', 'privacy_url', 'return_url'] as const) {
    const url = body.checkout?.[page]
    if (typeof url === 'string' && !isPageUrl(url)) problems.malformed(`checkout.${page}`, `${PAGE_URL_RULE}, or null`)
  }
  if (body.time_zone !== undefined && !isTimeZone(body.time_zone)) problems.malformed('time_zone', TIME_ZONE_RULE)
  problems.throwIfAny()
}

/** `fields` are the values after the change. */
async function refuseByRule(
  tx: Tx,
  merchant_id: number,
  currency: string,
  body: MerchantChanges,
  fields: MerchantFields,
) {
  const problems = new Problems()
  // Not ignored like an unknown field: the client would believe that prices are now in that currency.
  const code = typeof body.currency === 'object' ? body.currency.code : body.currency
  if (code !== undefined && code !== currency)
    problems.refused('currency', `cannot be changed: the prices of this merchant are in ${currency}`)
  for (const field of ['logo', 'cover'] as const) {
    const id = body[field]
    if (typeof id !== 'string') continue
    const asset = await findAsset(tx, { merchant_id }, id)
    if (asset === null || !asset.is_image || asset.is_pending || asset.is_private)
      problems.refused(field, 'must be null or the id of an image asset that is completely uploaded and not private')
  }
  refuseForeignReturnUrl(body, fields, problems)
  problems.throwIfAny()
}

/**
 * Shoppers are only sent to pages of the shop, even after a change of either setting. The error names the setting that was sent.
 * A request that sends neither is not checked.
 */
function refuseForeignReturnUrl(body: MerchantChanges, { settings }: MerchantFields, problems: Problems) {
  const returnUrl = body.checkout?.return_url
  if (returnUrl === undefined && body.allowed_origins === undefined) return
  const url = checkoutSettings({ settings }).return_url
  if (url === null || isReturnUrl(url, allowedOrigins({ settings }))) return
  if (returnUrl === undefined)
    problems.refused('allowed_origins', `must include the origin of checkout.return_url, which is ${url}`)
  else problems.refused('checkout.return_url', 'must begin with one of the allowed_origins or be on localhost')
}

/** The values in which the sandbox differs from the shop. A group of settings is stored whole, because it overrides the shop's group. */
function differenceOf(
  { settings: shopSettings, ...shop }: MerchantFields,
  { settings, ...sandbox }: MerchantFields,
): SandboxOverrides {
  const groups = differingFields(shopSettings, settings)
  return { ...differingFields(shop, sandbox), ...(Object.keys(groups).length === 0 ? {} : { settings: groups }) }
}

/** Compared as JSON: both come from `merge`, which writes the fields of each group in the same order. */
const differingFields = <T extends object>(shop: T, sandbox: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(sandbox).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(shop[name as keyof T])),
  ) as Partial<T>

/** Fields that were sent replace, omitted fields stay, down to single switches. Mails that were off must not come back on. */
function merge(current: MerchantFields, body: MerchantChanges): MerchantFields {
  const name = body.name ?? body.business_name ?? current.name
  const description = body.description === undefined ? body.business_description : body.description
  return {
    name: name.trim(),
    description: newOrCurrent(description, current.description),
    country: newOrCurrent(body.country, current.country),
    support_email: body.support_email ?? current.support_email,
    logo: newOrCurrent(body.logo, current.logo),
    cover: newOrCurrent(body.cover, current.cover),
    settings: { ...current.settings, ...mergeSettings(current.settings, body) },
    api_version: body.version ?? current.api_version,
  }
}

function mergeSettings(stored: StoredSettings, body: MerchantChanges): Required<StoredSettings> {
  const {
    logo_shape,
    colors,
    tracking,
    tax,
    allowed_origins,
    mails,
    merchant_mails,
    address,
    orders,
    checkout,
    time_zone,
  } = settingsOf({ settings: stored })
  const sentTracking = body.analytics?.google?.settings
  const { customer: sentMails, merchant: sentOwn } = body.notifications ?? {}
  return {
    logo_shape: newOrCurrent(body.logo_shape, logo_shape),
    colors: {
      accent: newOrCurrent(body.colors?.accent, colors.accent),
      background: newOrCurrent(body.colors?.background, colors.background),
    },
    tracking: {
      tracking_id: newOrCurrent(sentTracking?.tracking_id, tracking.tracking_id),
      linked_domains: sentTracking?.linked_domains ?? tracking.linked_domains,
    },
    tax: {
      included_in_price: body.tax?.included_in_price ?? tax.included_in_price,
      on_shipping: body.tax?.on_shipping ?? tax.on_shipping,
    },
    allowed_origins: body.allowed_origins
      ? [...new Set(body.allowed_origins.flatMap((text) => readOrigin(text) ?? []))]
      : allowed_origins,
    mails: {
      login_token: sentMails?.login_token ?? mails.login_token,
      orders: sentMails?.orders ?? mails.orders,
      shipments: sentMails?.shipments ?? mails.shipments,
      refunds: sentMails?.refunds ?? mails.refunds,
      cancellations: sentMails?.cancellations ?? mails.cancellations,
    },
    merchant_mails: {
      orders: sentOwn?.orders ?? merchant_mails.orders,
      email: newOrCurrent(sentOwn?.email?.trim() ?? sentOwn?.email, merchant_mails.email),
    },
    address: {
      street: newOrCurrent(body.address?.street, address.street),
      city: newOrCurrent(body.address?.city, address.city),
      region: newOrCurrent(body.address?.region, address.region),
      country: newOrCurrent(body.address?.country, address.country),
      postal_zip_code: newOrCurrent(body.address?.postal_zip_code, address.postal_zip_code),
    },
    orders: {
      unpaid_expire_after_hours: newOrCurrent(body.orders?.unpaid_expire_after_hours, orders.unpaid_expire_after_hours),
    },
    checkout: {
      languages: body.checkout?.languages ?? checkout.languages,
      terms_url: newOrCurrent(body.checkout?.terms_url, checkout.terms_url),
      privacy_url: newOrCurrent(body.checkout?.privacy_url, checkout.privacy_url),
      return_url: newOrCurrent(body.checkout?.return_url, checkout.return_url),
    },
    time_zone: body.time_zone ?? time_zone,
  }
}
