// Chooses readable colours for pages and mails. A shop can set any accent and background. These functions choose the colours
// of text and links, so that their contrast meets level AA of WCAG 2.

/** A colour as `#rrggbb`. */
type Color = string

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

/** Minimum contrast of text, and of shapes such as buttons, at level AA. */
const MIN_TEXT_CONTRAST = 4.5
const MIN_SHAPE_CONTRAST = 3

/** Our own colours of text and of small print, used where they are readable. */
export const TEXT_COLOR = '#18181b'
export const SMALL_PRINT_COLOR = '#52525b'
const BLACK = '#000000'
const WHITE = '#ffffff'

/** Relative luminance by WCAG 2, from 0 (black) to 1 (white). */
function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return channel <= 0.03928 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Contrast ratio by WCAG 2, from 1 (equal colours) to 21 (black on white). */
export function contrast(one: Color, other: Color): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** The first of these colours that is readable on the background, else another that is. Black or white always is. */
const firstReadable = (background: Color, ...colors: readonly Color[]): Color =>
  [...colors, TEXT_COLOR, WHITE, BLACK].find((color) => contrast(color, background) >= MIN_TEXT_CONTRAST) ?? BLACK

export const textColorOn = (background: Color): Color => firstReadable(background, WHITE, TEXT_COLOR)

export const smallPrintColorOn = (background: Color): Color => firstReadable(background, SMALL_PRINT_COLOR)

/** Colour of links: the accent if it is readable, otherwise the text colour. Links are also underlined, so they need no colour of their own. */
export const linkColorOn = (background: Color, accent: Color): Color => firstReadable(background, accent, TEXT_COLOR)

/** True if a shape of this colour, such as a button, is visible on the background. */
export const hasShapeContrast = (shape: Color, background: Color): boolean =>
  contrast(shape, background) >= MIN_SHAPE_CONTRAST

/** Colours of a shop that has set none. */
export const DEFAULT_ACCENT = '#27272a'
export const DEFAULT_BACKGROUND = '#f4f4f5'
