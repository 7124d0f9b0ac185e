// Who opens a page of the checkout: the shop as shoppers see it, the token that the address names, and the language. One statement.

import { unsigned, urlOf } from '../../api/assets/view.ts'
import { findOpenedCheckout, type OpenedRow } from '../../api/capture/read-store.ts'
import type { FaceRow } from '../../api/merchants/read-store.ts'
import { settingsOf } from '../../api/merchants/settings.ts'
import { findShopOfLink } from '../../api/merchants/store.ts'
import type { Caller, Services } from '../../http/endpoint/endpoint.ts'
import type { PageRequest } from '../../http/files/pages.ts'
import { isId, readMerchantNumber } from '../../lib/ids.ts'
import { readEmail } from '../../lib/text.ts'
import { callerOf } from '../context.ts'
import { languageOf } from '../language.ts'
import { LANGUAGES, type PageFrame, type PageShop } from './model.ts'
import { themePath } from './theme.ts'

/** A token by its address. What else is known of it is read by the rules that use it. */
export type OpenedCheckout = {
  readonly frame: PageFrame
  readonly caller: Caller
  readonly tokenId: string
  readonly isAlive: boolean
  readonly isOrdered: boolean
  /** The link of a cart has made it: everybody who has opened the link knows it. */
  readonly isOfLink: boolean
  /** Known to who has paid, and to nobody else: the ids of the order and of its attempt. */
  readonly proofs: readonly string[]
  /** The attempt to pay that was not released. */
  readonly attempt: { readonly id: string; readonly state: NonNullable<OpenedRow['attempt_state']> } | null
}

/** Null where the address names no token, and no order of one; then `frame` is as much as is known. */
export type Opened = { readonly checkout: OpenedCheckout | null; readonly frame: PageFrame }

export async function openCheckout(
  { db, clock }: Pick<Services, 'db' | 'clock'>,
  request: PageRequest,
): Promise<Opened> {
  const { merchant_id: merchant = '', id = '' } = request.params
  const merchantId = readMerchantNumber(merchant)
  if (merchantId === null) return { checkout: null, frame: frameOf(NOBODY, request) }
  // What cannot be an id is not looked up, and answered like one that does not exist.
  if (!isId('checkoutToken', id)) {
    const shop = await findShopOfLink(db, { merchantId, isSandbox: false })
    const shown = shop === null ? NOBODY : shopOf(shop, { isSandbox: false, origin: request.origin })
    return { checkout: null, frame: frameOf(shown, request) }
  }
  const row = await findOpenedCheckout(db, merchantId, id, clock.now())
  if (row === null) return { checkout: null, frame: frameOf(NOBODY, request) }
  const { is_sandbox: isSandbox } = row
  const frame = frameOf(shopOf(row, { isSandbox: isSandbox ?? false, origin: request.origin }), request)
  if (isSandbox === null) return { checkout: null, frame }
  const { attempt_id: attemptId, attempt_state: state } = row
  return {
    frame,
    checkout: {
      frame,
      caller: callerOf({ ...row, is_sandbox: isSandbox }),
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
  language: languageOf({ named: namedLanguage(request), accepted: request.header('accept-language') }, shop.languages),
  path: request.path,
})

/** As the address or the form says; null where nobody has chosen. */
const namedLanguage = ({ query, form }: PageRequest): string | null => form.inputs.get('lang') ?? query.get('lang')

/** `?lang=de` for the next page, where the shopper has chosen a language that the browser does not ask for by itself. */
export function languageQuery(request: PageRequest, { language }: PageFrame, ...others: readonly string[]): string {
  const parts = [...others, ...(namedLanguage(request) === null ? [] : [`lang=${language}`])]
  return parts.length === 0 ? '' : `?${parts.join('&')}`
}

type ShopView = { readonly isSandbox: boolean; readonly origin: string }

/** Also for the pages of carts and products. */
export function shopOf(row: FaceRow, { isSandbox, origin }: ShopView): PageShop {
  const settings = settingsOf(row)
  const { languages, terms_url, privacy_url, return_url } = settings.checkout
  return {
    merchantId: row.merchant_id,
    name: row.name,
    logo:
      row.logo === null || row.logo.is_private
        ? null
        : { url: urlOf(row.logo, unsigned(origin)), shape: settings.logo_shape },
    supportEmail: readEmail(row.support_email) ?? '',
    isSandbox,
    isClosed: row.is_disabled,
    currency: row.currency,
    languages,
    termsUrl: terms_url,
    privacyUrl: privacy_url,
    returnUrl: return_url,
    themePath: themePath(row.merchant_id, settings.colors),
  }
}

/** Where the address names no shop: a page that is nobody's. */
export const NOBODY: PageShop = {
  merchantId: 0,
  name: '',
  logo: null,
  supportEmail: '',
  isSandbox: false,
  isClosed: false,
  currency: 'USD',
  languages: LANGUAGES,
  termsUrl: null,
  privacyUrl: null,
  returnUrl: null,
  themePath: themePath(0, { accent: null, background: null }),
}
