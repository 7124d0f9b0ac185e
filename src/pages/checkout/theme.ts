// The colours of a shop as its pages wear them: whatever was set, text can be read on it and the shape of a button is seen, by light and in the
// dark. They are custom properties of a style sheet of their own, as no style is inline.

import { createHash } from 'node:crypto'
import { contrast, DEFAULT_ACCENT, DEFAULT_BACKGROUND, INK, isColor, QUIET, textOn } from '../../lib/html/colors.ts'
import { RecentMap } from '../../lib/memory.ts'

/** As `#rrggbb`; null for ours. */
export type ThemeColors = { readonly accent: string | null; readonly background: string | null }

/** `tint`: what the order stands on, on a phone. */
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

/** By its own name, as the other half is the shop's. */
const LIGHT_SHEET = '#ffffff'

export function themeCss(colors: ThemeColors): string {
  const accent = colorOr(colors.accent, DEFAULT_ACCENT)
  const page = colorOr(colors.background, DEFAULT_BACKGROUND)
  const light: Scheme = { page, sheet: LIGHT_SHEET, tint: '#f7f7f8', ink: INK, quiet: QUIET }
  return `:root{${properties(accent, light)}}
@media (prefers-color-scheme:dark){:root{${properties(isInk(accent) ? DARK.ink : accent, DARK)}}}
`
}

/** Named after what the sheet says: a change of the colours, or of how they are made, has an address of its own. */
export const themePath = (merchantId: number, { accent, background }: ThemeColors): string =>
  `/checkout/${merchantId}/theme/${hashOf(accent, background)}.css`

/** Of the colours that shops have set, those in use. Every page names the hash, and working out the sheet for it takes longer than all else of a shop. */
const hashes = new RecentMap<string>(2_000)

function hashOf(accent: string | null, background: string | null): string {
  const key = `${accent} ${background}`
  const known = hashes.get(key)
  if (known !== undefined) return known
  const hash = createHash('sha256').update(themeCss({ accent, background })).digest('hex').slice(0, 16)
  hashes.set(key, hash)
  return hash
}

/** Black, or next to it: on a dark ground that is white, and not the grey that is left of it when it is made just light enough. */
const isInk = (color: string): boolean => {
  const channels = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
  return Math.max(...channels) < 72 && Math.max(...channels) - Math.min(...channels) < 24
}

const colorOr = (color: string | null, other: string): string =>
  color !== null && isColor(color) ? color.toLowerCase() : other

function properties(accent: string, { page, sheet, tint, ink, quiet }: Scheme): string {
  const shape = seenOn(accent, [sheet], AA_SHAPE)
  const values: Readonly<Record<string, string>> = {
    page,
    'on-page': textOn(page),
    'on-page-quiet': contrast(quiet, page) >= AA_TEXT ? quiet : textOn(page),
    'link-on-page': contrast(accent, page) >= AA_TEXT ? accent : textOn(page),
    'focus-on-page': seenOn(accent, [page], AA_SHAPE),
    accent: shape,
    'on-accent': textOn(shape),
    // A button is filled with the colour as it was set: its edge is what must be seen, and its text.
    fill: accent,
    'on-fill': textOn(accent),
    link: seenOn(accent, [sheet, tint], AA_TEXT),
    focus: shape,
    ink,
  }
  return Object.entries(values)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')
}

/** The colour itself, or the nearest that stands out: darker on light grounds, lighter on dark ones. */
function seenOn(color: string, grounds: readonly string[], least: number): string {
  const end = textOn(grounds[0] ?? LIGHT_SHEET)
  const target = contrast(end, LIGHT_SHEET) > contrast(end, '#000000') ? '#000000' : '#ffffff'
  for (let share = 0; share < 1; share += 0.04) {
    const mixed = mix(color, target, share)
    if (grounds.every((ground) => contrast(mixed, ground) >= least)) return mixed
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
