// Colours and what is made of them: lighter and darker ones, gradients, the shading of round things, soft shadows.

export const readColour = (text) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16))

const mixed = (one, other, part) => one.map((value, index) => value + (other[index] - value) * part)
const written = (rgb) => `#${rgb.map((value) => Math.round(value).toString(16).padStart(2, '0')).join('')}`

// Towards a warm white and a deep brown and not towards grey: that keeps the pictures friendly.
export const light = (colour, part) => written(mixed(readColour(colour), [255, 250, 240], part))
export const dark = (colour, part) => written(mixed(readColour(colour), [58, 36, 30], part))

/** Stops are [place from 0 to 1, colour, opacity]. */
function atStop(stops, place) {
  const after = stops.findIndex(([at]) => at >= place)
  if (after === 0) return [...stops[0][1], stops[0][2]]
  if (after === -1) return [...stops.at(-1)[1], stops.at(-1)[2]]
  const [one, other] = [stops[after - 1], stops[after]]
  const part = (place - one[0]) / (other[0] - one[0])
  return [...mixed(one[1], other[1], part), one[2] + (other[2] - one[2]) * part]
}

const read = (stops) => stops.map(([at, colour, opacity = 1]) => [at, readColour(colour), opacity])

export function linear([x0, y0], [x1, y1], stops) {
  const known = read(stops)
  const length = (x1 - x0) ** 2 + (y1 - y0) ** 2
  return (x, y) => atStop(known, ((x + 0.5 - x0) * (x1 - x0) + (y + 0.5 - y0) * (y1 - y0)) / length)
}

export function radial(cx, cy, rx, ry, stops) {
  const known = read(stops)
  return (x, y) => atStop(known, Math.hypot((x + 0.5 - cx) / rx, (y + 0.5 - cy) / ry))
}

/** Something round that stands upright between x0 and x1, with the light from the left. */
export const round = (colour, x0, x1, depth = 1) =>
  linear(
    [x0, 0],
    [x1, 0],
    [
      [0, dark(colour, 0.06 * depth)],
      [0.22, light(colour, 0.2 * depth)],
      [0.5, colour],
      [1, dark(colour, 0.3 * depth)],
    ],
  )

/** A ball, with the light from the upper left. */
export const ball = (colour, cx, cy, r) =>
  radial(cx - r * 0.35, cy - r * 0.4, r * 1.5, r * 1.5, [
    [0, light(colour, 0.35)],
    [0.45, colour],
    [1, dark(colour, 0.35)],
  ])

export const down = (colour, y0, y1, depth = 1) =>
  linear(
    [0, y0],
    [0, y1],
    [
      [0, light(colour, 0.12 * depth)],
      [1, dark(colour, 0.16 * depth)],
    ],
  )
