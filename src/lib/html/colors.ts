// Readable colours: the contrast of WCAG 2, and choices that keep level AA with any colours of a shop.

/** `#rrggbb` */
type Color = string

export const isColor = (text: string): boolean => /^#[0-9a-f]{6}$/i.test(text)

const AA_TEXT = 4.5
const AA_SHAPE = 3

/** Colours of text and of small print. */
export const TEXT_COLOR = '#18181b'
export const SMALL_PRINT_COLOR = '#52525b'
const BLACK = '#000000'
const WHITE = '#ffffff'

function luminance(color: Color): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** From 1 (equal colours) to 21 (black on white). */
export function contrast(one: Color, other: Color): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

/** First colour that is readable on this background. Black or white always is. */
const firstReadable = (on: Color, ...colors: readonly Color[]): Color =>
  [...colors, TEXT_COLOR, WHITE, BLACK].find((color) => contrast(color, on) >= AA_TEXT) ?? BLACK

export const textColorOn = (background: Color): Color => firstReadable(background, WHITE, TEXT_COLOR)

/** Colour of small print. */
export const smallPrintColorOn = (background: Color): Color => firstReadable(background, SMALL_PRINT_COLOR)

/** The accent if it is readable, otherwise the text colour: links are underlined in any case. */
export const linkColorOn = (background: Color, accent: Color): Color => firstReadable(background, accent, TEXT_COLOR)

/** True if the shape of a button is visible on the background. */
export const hasShapeContrast = (shape: Color, background: Color): boolean => contrast(shape, background) >= AA_SHAPE

/** Default colours of a shop. */
export const DEFAULT_ACCENT = '#27272a'
export const DEFAULT_BACKGROUND = '#f4f4f5'
