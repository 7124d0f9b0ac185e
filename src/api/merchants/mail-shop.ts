// The shop as its mails show it, and which of them are sent.

import type { Services } from '../../http/endpoint.ts'
import { DEFAULT_ACCENT, DEFAULT_BACKGROUND, type MailShop } from '../../mail/shop.ts'
import { unsigned, urlOf } from '../assets/view.ts'
import { findFace } from './face-store.ts'
import { type CustomerMails, settingsOf } from './settings.ts'

/** `origin`: what the address of the logo begins with. null when there is no such merchant any more. */
export async function mailShop(
  { db }: Pick<Services, 'db'>,
  merchantId: number,
  origin: string,
): Promise<{ shop: MailShop; mails: CustomerMails } | null> {
  const row = await findFace(db, merchantId)
  if (row === null) return null
  const { logo_shape, mails, colors } = settingsOf(row)
  const shop: MailShop = {
    name: row.name,
    supportEmail: row.support_email,
    // A mail is read for years: a private file could be shown in it for an hour.
    logoUrl: row.logo === null || row.logo.is_private ? null : urlOf(row.logo, unsigned(origin)),
    logoShape: logo_shape,
    accent: colors.accent ?? DEFAULT_ACCENT,
    background: colors.background ?? DEFAULT_BACKGROUND,
  }
  return { shop, mails }
}
