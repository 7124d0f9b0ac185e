// The shop that a mail is from, as its reader is to see it: name, picture and colours.

export type MailShop = {
  readonly name: string
  /** Where answers go, as lib/email.ts reads it; empty where the shop has no such address. */
  readonly supportEmail: string
  /** Absolute; null without a logo. */
  readonly logoUrl: string | null
  readonly logoShape: 'square' | 'circle' | 'rectangle' | null
  /** Of buttons and links: `#rrggbb`. */
  readonly accent: string
  /** What the mail lies on: `#rrggbb`. */
  readonly background: string
}

/** The colours of a shop that has set none. */
export const DEFAULT_ACCENT = '#27272a'
export const DEFAULT_BACKGROUND = '#f4f4f5'
