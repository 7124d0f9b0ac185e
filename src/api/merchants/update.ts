// How a merchant changes itself: what it may set, what the result must be, and that every process hears of it.

import type { Tx } from '../../db/db.ts'
import { countryName } from '../../geo/places.ts'
import type { Context } from '../../http/endpoint/endpoint.ts'
import { notFound } from '../../lib/errors.ts'
import { isColor } from '../../lib/html/colors.ts'
import { sentOr } from '../../lib/json.ts'
import { Problems } from '../../lib/problems.ts'
import { findAsset } from '../assets/store.ts'
import type { FaceRow } from './read-store.ts'
import type { MerchantChanges } from './schema.ts'
import {
  EMAIL_RULE,
  isEmail,
  isName,
  isVersion,
  NAME_RULE,
  readOrigin,
  type StoredSettings,
  settingsOf,
  VERSION_RULE,
} from './settings.ts'
import { announceChange, lockMerchant, type MerchantFields, updateMerchantRow } from './store.ts'

export function updateMerchant(
  { db, clock, caller: { merchantId } }: Pick<Context, 'db' | 'clock' | 'caller'>,
  body: MerchantChanges,
): Promise<FaceRow> {
  return db.transaction(async (tx) => {
    refuseMalformed(body)
    const current = await lockMerchant(tx, merchantId)
    if (current === null) throw notFound('merchant')
    await refuseByRule(tx, merchantId, current.currency, body)
    const updated = await updateMerchantRow(tx, merchantId, merge(current, body), clock.now())
    // Last: every merchant's changes wait for one another from here to the commit.
    await announceChange(tx)
    return updated
  })
}

/** What the schema cannot say of a field by itself. */
function refuseMalformed(body: MerchantChanges) {
  const problems = new Problems()
  for (const field of ['name', 'business_name'] as const) {
    const name = body[field]
    if (name !== undefined && !isName(name)) problems.malformed(field, NAME_RULE)
  }
  if (body.support_email !== undefined && !isEmail(body.support_email)) problems.malformed('support_email', EMAIL_RULE)
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
      problems.malformed(`colors.${part}`, 'must be a colour such as #1d4ed8, or null for ours')
  }
  body.allowed_origins?.forEach((text, index) => {
    if (readOrigin(text) === null)
      problems.malformed(
        `allowed_origins.${index}`,
        'must be an origin such as https://shop.example or http://localhost:3000, without a path',
      )
  })
  problems.throwIfAny()
}

async function refuseByRule(tx: Tx, merchantId: number, currency: string, body: MerchantChanges) {
  const problems = new Problems()
  // Not passed over in silence like an unknown field: who sends another one believes that prices are in it from now on.
  const code = typeof body.currency === 'object' ? body.currency.code : body.currency
  if (code !== undefined && code !== currency)
    problems.refused('currency', `cannot be changed; what this merchant sells is priced in ${currency}`)
  for (const field of ['logo', 'cover'] as const) {
    const id = body[field]
    if (typeof id !== 'string') continue
    const asset = await findAsset(tx, { merchantId }, id)
    if (asset === null || !asset.is_image || asset.is_pending || asset.is_private)
      problems.refused(field, 'must be null or the id of a finished image among your assets that is not private')
  }
  problems.throwIfAny()
}

/** Fields sent replace, fields left out stay, down to the single switch: mails that were off must not come back on. */
function merge(current: MerchantFields, body: MerchantChanges): MerchantFields {
  const name = body.name ?? body.business_name ?? current.name
  const description = body.description === undefined ? body.business_description : body.description
  return {
    name: name.trim(),
    description: sentOr(description, current.description),
    country: sentOr(body.country, current.country),
    support_email: body.support_email ?? current.support_email,
    logo: sentOr(body.logo, current.logo),
    cover: sentOr(body.cover, current.cover),
    settings: { ...current.settings, ...mergeSettings(current.settings, body) },
    api_version: body.version ?? current.api_version,
  }
}

function mergeSettings(stored: StoredSettings, body: MerchantChanges): Required<StoredSettings> {
  const { logo_shape, colors, tracking, tax, allowed_origins, mails, address, orders } = settingsOf({
    settings: stored,
  })
  const sentTracking = body.analytics?.google?.settings
  const sentMails = body.notifications?.customer
  return {
    logo_shape: sentOr(body.logo_shape, logo_shape),
    colors: {
      accent: sentOr(body.colors?.accent, colors.accent),
      background: sentOr(body.colors?.background, colors.background),
    },
    tracking: {
      tracking_id: sentOr(sentTracking?.tracking_id, tracking.tracking_id),
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
    },
    address: {
      street: sentOr(body.address?.street, address.street),
      city: sentOr(body.address?.city, address.city),
      region: sentOr(body.address?.region, address.region),
      country: sentOr(body.address?.country, address.country),
      postal_zip_code: sentOr(body.address?.postal_zip_code, address.postal_zip_code),
    },
    orders: {
      unpaid_expire_after_hours: sentOr(body.orders?.unpaid_expire_after_hours, orders.unpaid_expire_after_hours),
    },
  }
}
