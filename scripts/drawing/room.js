// What every picture shares: the wall, the table, the spot of light and the shadow that things stand in; and the shop's colours.

import { createCanvas } from './canvas.js'
import { dark, light, linear, radial } from './colour.js'
import { box, ellipse } from './path.js'

export const SIZE = 640

export const paints = {
  white: '#f7f1e6',
  cream: '#efe0c6',
  sand: '#dcc3a1',
  clay: '#c9744f',
  rust: '#b2573a',
  mustard: '#dfa63f',
  sage: '#93a88b',
  moss: '#667a58',
  leaf: '#7d9b5e',
  sea: '#5f8a8f',
  sky: '#a9c3cb',
  ink: '#36475a',
  plum: '#7d5566',
  blush: '#e3b1a0',
  charcoal: '#45413f',
  oak: '#d3a76f',
  walnut: '#7f5639',
  ash: '#e6d2ae',
  steel: '#b4babb',
  brass: '#cda550',
  paper: '#fbf6ea',
}

export const tints = {
  peach: '#f2dcc8',
  mint: '#dfe6d8',
  sand: '#ecdfca',
  mist: '#dbe2e4',
  blush: '#f0d8cf',
  lilac: '#e3dde4',
}

const HORIZON = 455

/** A table in front of a wall. */
export function room(tint) {
  const canvas = createCanvas(SIZE, SIZE)
  canvas.fill(box(0, 0, SIZE, SIZE), tint)
  canvas.fill(ellipse(320, 300, 236), light(tint, 0.45))
  canvas.fill(
    box(0, HORIZON, SIZE, SIZE - HORIZON),
    linear(
      [0, HORIZON],
      [0, SIZE],
      [
        [0, dark(tint, 0.1)],
        [1, dark(tint, 0.05)],
      ],
    ),
  )
  return canvas
}

/** A wall alone, for what hangs on it or is seen from above. */
export function wall(tint) {
  const canvas = createCanvas(SIZE, SIZE)
  canvas.fill(box(0, 0, SIZE, SIZE), tint)
  canvas.fill(ellipse(320, 320, 258), light(tint, 0.45))
  return canvas
}

/** Under what stands on the table; longer to the right, as the light comes from the left. */
export function shadow(canvas, cx, cy, rx, ry, strength = 0.34) {
  const stops = [
    [0, '#4a2f25', strength],
    [0.55, '#4a2f25', strength * 0.72],
    [1, '#4a2f25', 0],
  ]
  canvas.fill(ellipse(cx + rx * 0.12, cy, rx * 1.18, ry), radial(cx + rx * 0.12, cy, rx * 1.18, ry, stops))
}
