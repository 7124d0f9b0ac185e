// Identifies the visitor's shop, token and language from the URL, with one database statement.

import { unsignedFileUrls, urlOf } from '../../api/assets/view.ts'
import { findOpenedCheckout, type OpenedRow } from '../../api/capture/body/read-store.ts'
import type { MerchantProfileRow } from '../../api/merchants/read-store.ts'
import { settingsOf } from '../../api/merchants/settings.ts'
import { findLinkShop } from '../../api/merchants/store.ts'
import type { Caller, Services } from '../../http/endpoint/endpoint.ts'
import type { PageRequest } from '../../http/files/pages.ts'
import { isId, readMerchantNumber } from '../../lib/ids.ts'
import { readEmail } from '../../lib/text.ts'
import { pageCallerOf } from '../context.ts'
import { languageOf } from '../language.ts'
import { LANGUAGES, type PageFrame, type PageShop } from './model.ts'
import { themePath } from './theme.ts'

/** A token by its URL. The rules that need more about it read the rest. */
export type OpenedCheckout = {
  readonly frame: PageFrame
  readonly caller: Caller
  readonly tokenId: string
  readonly isAlive: boolean
  readonly isOrdered: boolean
  /** True if a cart's link created the token: everybody with the link knows it. */
  readonly isOfLink: boolean
  /** Ids of the order and its attempt. Only the payer knows them. */
  readonly proofs: readonly string[]
  /** The payment attempt that was not released. */
  readonly attempt: { readonly id: string; readonly state: NonNullable<OpenedRow['attempt_state']> } | null
}

/** `checkout` is null if the URL has neither a token nor its order; `frame` then has what is known. */
export type CheckoutLookup = { readonly checkout: OpenedCheckout | null; readonly frame: PageFrame }

export async function openCheckout(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  request: PageRequest,
): Promise<CheckoutLookup> {
  const { merchant_id: merchant = '', id = '' } = request.params
  const merchant_id = readMerchantNumber(merchant)
  if (merchant_id === null) return { checkout: null, frame: frameOf(UNKNOWN_SHOP, request) }
  // Skip the lookup for an impossible id; the response is the same as for an unknown one.
  if (!isId('checkoutToken', id)) {
    const shop = await findLinkShop(db, { merchant_id, is_sandbox: false })
    const shopView = shop === null ? UNKNOWN_SHOP : shopOf(shop, { is_sandbox: false, origin: request.origin })
    return { checkout: null, frame: frameOf(shopView, request) }
  }
  const row = await findOpenedCheckout(db, { merchant_id }, id, clock.now())
  if (row === null) return { checkout: null, frame: frameOf(UNKNOWN_SHOP, request) }
  const { is_sandbox } = row
  const frame = frameOf(shopOf(row, { is_sandbox: is_sandbox ?? false, origin: request.origin }), request)
  if (is_sandbox === null) return { checkout: null, frame }
  const { attempt_id: attemptId, attempt_state: state } = row
  return {
    frame,
    checkout: {
      frame,
      caller: pageCallerOf({ ...row, is_sandbox }),
      tokenId: id,
      isAlive: row.is_alive,
      isOrdered: row.order_id !== null,
      isOfLink: row.is_of_link,
      proofs: [row.order_id, row.paid_by].filter((id) => id !== null),
      attempt: attemptId === null || state === null ? null : { id: attemptId, state },
    },
  }
}

export const frameOf = (shop: PageShop, request: PageRequest): PageFrame => ({
  shop,
  language: languageOf({ named: chosenLanguage(request), accepted: request.header('accept-language') }, shop.languages),
  path: request.path,
})

/** The language of the form or the URL; null if nobody has chosen one. */
const chosenLanguage = ({ query, form }: PageRequest): string | null => form.inputs.get('lang') ?? query.get('lang')

/** `?lang=de` for the next page, if the shopper has chosen the language. */
export function languageQuery(request: PageRequest, { language }: PageFrame, ...others: readonly string[]): string {
  const parts = [...others, ...(chosenLanguage(request) === null ? [] : [`lang=${language}`])]
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

type ShopView = { readonly is_sandbox: boolean; readonly origin: string }

/** The shop's view for every kind of page, including carts and products. */
export function shopOf(row: MerchantProfileRow, { is_sandbox, origin }: ShopView): PageShop {
  const settings = settingsOf(row)
  const { languages, terms_url, privacy_url, return_url } = settings.checkout
  return {
    merchant_id: row.merchant_id,
    name: row.name,
    logo:
      row.logo === null || row.logo.is_private
        ? null
        : { url: urlOf(row.logo, unsignedFileUrls(origin)), shape: settings.logo_shape },
    supportEmail: readEmail(row.support_email) ?? '',
    is_sandbox,
    isClosed: row.is_disabled,
    currency: row.currency,
    languages,
    termsUrl: terms_url,
    privacyUrl: privacy_url,
    returnUrl: return_url,
    themePath: themePath(row.merchant_id, settings.colors),
  }
}

/** Placeholder for a URL without a shop. */
export const UNKNOWN_SHOP: PageShop = {
  merchant_id: 0,
  name: '',
  logo: null,
  supportEmail: '',
  is_sandbox: false,
  isClosed: false,
  currency: 'USD',
  languages: LANGUAGES,
  termsUrl: null,
  privacyUrl: null,
  returnUrl: null,
  themePath: themePath(0, { accent: null, background: null }),
}
