// Derives the style sheet with a shop's colours. Whatever the shop has set, text is readable and buttons are visible, in light and dark
// mode. The colours are custom properties of their own style sheet, because the policy forbids inline styles.

import { createHash } from 'node:crypto'
import {
  contrast,
  DEFAULT_ACCENT,
  DEFAULT_BACKGROUND,
  isColor,
  SMALL_PRINT_COLOR,
  TEXT_COLOR,
  textColorOn,
} from '../../lib/html/colors.ts'
import { RecentMap } from '../../lib/memory.ts'

/** Colours as `#rrggbb`; null for the default. */
export type ThemeColors = { readonly accent: string | null; readonly background: string | null }

/** `tint`: background of the order summary on a phone. */
type Scheme = {
  readonly page: string
  readonly sheet: string
  readonly tint: string
  readonly ink: string
  readonly quiet: string
}

const DARK: Scheme = { page: '#121214', sheet: '#1c1c20', tint: '#232328', ink: '#f4f4f5', quiet: '#b4b4bd' }

const AA_TEXT = 4.5
const AA_SHAPE = 3

/** Separate constant, because `page` comes from the shop. */
const LIGHT_SHEET = '#ffffff'

export function themeCss(colors: ThemeColors): string {
  const accent = colorOr(colors.accent, DEFAULT_ACCENT)
  const page = colorOr(colors.background, DEFAULT_BACKGROUND)
  const light: Scheme = { page, sheet: LIGHT_SHEET, tint: '#f7f7f8', ink: TEXT_COLOR, quiet: SMALL_PRINT_COLOR }
  return `:root{${cssProperties(accent, light)}}
@media (prefers-color-scheme:dark){:root{${cssProperties(isInk(accent) ? DARK.ink : accent, DARK)}}}
`
}

/** The path contains a hash of the style sheet. A change of the colours, or of this code, gives a new path. */
export const themePath = (merchant_id: number, { accent, background }: ThemeColors): string =>
  `/checkout/${merchant_id}/theme/${hashOf(accent, background)}.css`

/** Hashes of the colours in use. Every page needs the hash, and computing the sheet takes longer than the rest of the shop. */
const hashes = new RecentMap<string>(2_000)

function hashOf(accent: string | null, background: string | null): string {
  const key = `${accent} ${background}`
  const cachedHash = hashes.get(key)
  if (cachedHash !== undefined) return cachedHash
  const hash = createHash('sha256').update(themeCss({ accent, background })).digest('hex').slice(0, 16)
  hashes.set(key, hash)
  return hash
}

/** True for black and near-black. In dark mode these become white; lightening them would give grey. */
const isInk = (color: string): boolean => {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return Math.max(...channels) < 72 && Math.max(...channels) - Math.min(...channels) < 24
}

const colorOr = (color: string | null, other: string): string =>
  color !== null && isColor(color) ? color.toLowerCase() : other

function cssProperties(accent: string, { page, sheet, tint, ink, quiet }: Scheme): string {
  const shape = contrastingColor(accent, [sheet], AA_SHAPE)
  const values: Readonly<Record<string, string>> = {
    page,
    'on-page': textColorOn(page),
    'on-page-quiet': contrast(quiet, page) >= AA_TEXT ? quiet : textColorOn(page),
    'link-on-page': contrast(accent, page) >= AA_TEXT ? accent : textColorOn(page),
    'focus-on-page': contrastingColor(accent, [page], AA_SHAPE),
    accent: shape,
    'on-accent': textColorOn(shape),
    // The button keeps the shop's colour. Its edge and its text provide the contrast.
    fill: accent,
    'on-fill': textColorOn(accent),
    link: contrastingColor(accent, [sheet, tint], AA_TEXT),
    focus: shape,
    ink,
  }
  return Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}

/** Returns the colour, or the nearest with enough contrast: darker on light grounds, lighter on dark grounds. */
function contrastingColor(color: string, grounds: readonly string[], least: number): string {
  const end = textColorOn(grounds[0] ?? LIGHT_SHEET)
  const target = contrast(end, LIGHT_SHEET) > contrast(end, '#000000') ? '#000000' : '#ffffff'
  for (let share = 0; share < 1; share += 0.04) {
    const candidate = mix(color, target, share)
    if (grounds.every((ground) => contrast(candidate, ground) >= least)) return candidate
  }
  return end
}

function mix(one: string, other: string, share: number): string {
  const channel = (color: string, at: number) => Number.parseInt(color.slice(at, at + 2), 16)
  return `#${[1, 3, 5]
    .map((at) => Math.round(channel(one, at) * (1 - share) + channel(other, at) * share))
    .map((value) => value.toString(16).padStart(2, '0'))
    .join('')}`
}
