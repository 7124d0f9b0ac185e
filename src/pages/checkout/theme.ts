// The shop's colours as a style sheet of its own: its name changes with them, so that browsers keep it for good.

import { createHash } from 'node:crypto'
import { DEFAULT_ACCENT, DEFAULT_BACKGROUND } from '../../lib/html/colors.ts'

/** As `#rrggbb`; null for ours. */
export type ThemeColors = { readonly accent: string | null; readonly background: string | null }

export const themeCss = ({ accent, background }: ThemeColors): string =>
  `:root{--accent:${accent ?? DEFAULT_ACCENT};--shop-background:${background ?? DEFAULT_BACKGROUND}}\n`

export const themePath = (merchantId: number, colors: ThemeColors): string => {
  const hash = createHash('sha256').update(themeCss(colors)).digest('hex').slice(0, 16)
  return `/checkout/${merchantId}/theme/${hash}.css`
}
