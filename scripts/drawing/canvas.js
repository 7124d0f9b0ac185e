// A picture in memory: fills outlines with colours and gradients, with smooth edges, inside a mask if there is one.

import { readColour } from './colour.js'

const SUBLINES = 5

export function createCanvas(width, height) {
  const pixels = new Float32Array(width * height * 3)
  let mask = null

  /** `paint`: a colour, or a function of x and y that gives [red, green, blue, opacity]. */
  function fill(outlines, paint, opacity = 1) {
    const flat = typeof paint === 'string' ? [...readColour(paint), 1] : null
    eachCovered(outlines, width, height, (index, coverage) => {
      const [r, g, b, a] = flat ?? paint(index % width, Math.floor(index / width))
      const part = coverage * a * opacity * (mask === null ? 1 : mask[index])
      if (part <= 0) return
      pixels[index * 3] += (r - pixels[index * 3]) * part
      pixels[index * 3 + 1] += (g - pixels[index * 3 + 1]) * part
      pixels[index * 3 + 2] += (b - pixels[index * 3 + 2]) * part
    })
  }

  /** Whatever `draw` fills stays within the outlines. */
  function within(outlines, draw) {
    const before = mask
    const inner = new Float32Array(width * height)
    eachCovered(outlines, width, height, (index, coverage) => {
      inner[index] = coverage * (before === null ? 1 : before[index])
    })
    mask = inner
    draw()
    mask = before
  }

  return { width, height, pixels, fill, within }
}

/** How much of each pixel lies within the outlines: exactly across, by five lines of each row down. */
function eachCovered(outlines, width, height, visit) {
  const edges = edgesOf(outlines)
  if (edges.length === 0) return
  const top = Math.max(0, Math.floor(Math.min(...edges.map((edge) => edge.y0))))
  const bottom = Math.min(height - 1, Math.floor(Math.max(...edges.map((edge) => edge.y1))))
  const row = new Float32Array(width + 1)
  for (let y = top; y <= bottom; y++) {
    row.fill(0)
    const near = edges.filter(({ y0, y1 }) => y0 < y + 1 && y1 > y)
    for (let line = 0; line < SUBLINES; line++) coverLine(near, y + (line + 0.5) / SUBLINES, row, width)
    for (let x = 0; x < width; x++) if (row[x] > 0) visit(y * width + x, Math.min(1, row[x]))
  }
}

const edgesOf = (outlines) =>
  outlines.flatMap((points) =>
    points.flatMap(([x, y], index) => {
      const [u, v] = points[(index + 1) % points.length]
      if (y === v) return []
      const slope = (u - x) / (v - y)
      return y < v ? { y0: y, y1: v, x, slope, turn: 1 } : { y0: v, y1: y, x: u, slope, turn: -1 }
    }),
  )

function coverLine(edges, y, row, width) {
  const crossings = edges
    .filter(({ y0, y1 }) => y0 <= y && y < y1)
    .map(({ x, slope, y0, turn }) => ({ x: x + (y - y0) * slope, turn }))
    .sort((one, other) => one.x - other.x)
  let winding = 0
  let from = 0
  for (const { x, turn } of crossings) {
    if (winding === 0) from = x
    winding += turn
    if (winding === 0) coverSpan(row, Math.max(0, from), Math.min(width, x))
  }
}

function coverSpan(row, from, to) {
  for (let x = Math.floor(from); x < to; x++) row[x] += (Math.min(to, x + 1) - Math.max(from, x)) / SUBLINES
}
