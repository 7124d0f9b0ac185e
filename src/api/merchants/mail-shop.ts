// The shop as its mails show it, which of them are sent, and where their links may lead.

import type { Services } from '../../http/endpoint.ts'
import { readEmail } from '../../lib/email.ts'
import { DEFAULT_ACCENT, DEFAULT_BACKGROUND, type MailShop } from '../../mail/shop.ts'
import { unsigned, urlOf } from '../assets/view.ts'
import { findFace } from './face-store.ts'
import { type CustomerMails, settingsOf } from './settings.ts'

export type ShownShop = { shop: MailShop; mails: CustomerMails; allowedOrigins: readonly string[] }

/** `origin`: what the address of the logo begins with; null for none. null when there is no such merchant any more. */
export async function mailShop(
  { db }: Pick<Services, 'db'>,
  merchantId: number,
  origin: string | null,
): Promise<ShownShop | null> {
  const row = await findFace(db, merchantId)
  if (row === null) return null
  const { logo_shape, mails, colors, allowed_origins: allowedOrigins } = settingsOf(row)
  const shop: MailShop = {
    name: row.name,
    // Shops may have written what is no address to a mail program: rather none in the mail than one that leads elsewhere.
    supportEmail: readEmail(row.support_email) ?? '',
    // A mail is read for years: a private file could be shown in it for an hour.
    logoUrl: origin === null || row.logo === null || row.logo.is_private ? null : urlOf(row.logo, unsigned(origin)),
    logoShape: logo_shape,
    accent: colors.accent ?? DEFAULT_ACCENT,
    background: colors.background ?? DEFAULT_BACKGROUND,
  }
  return { shop, mails, allowedOrigins }
}
