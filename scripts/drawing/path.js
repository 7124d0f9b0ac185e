// Outlines for canvas.js: lists of closed polygons, made from SVG path text, ellipses, rounded boxes, turned profiles and pen strokes.
// Every outline of one call winds the same way, so that overlapping parts are one shape and not a hole.

const STEPS = 24

/** SVG path text with absolute M, L, C, Q, H, V and Z. */
export const path = (text) => trace(text).map(clockwise)

function trace(text) {
  const outlines = []
  let points = []
  const last = () => points.at(-1) ?? [0, 0]
  for (const [, command, numbers] of text.matchAll(/([A-Z])([^A-Z]*)/g)) {
    const n = (numbers.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number)
    if (command === 'M') {
      points = [[n[0], n[1]]]
      outlines.push(points)
    }
    if (command === 'L') for (let i = 0; i < n.length; i += 2) points.push([n[i], n[i + 1]])
    if (command === 'H') points.push([n[0], last()[1]])
    if (command === 'V') points.push([last()[0], n[0]])
    if (command === 'C')
      for (let i = 0; i < n.length; i += 6)
        points.push(...curve([last(), [n[i], n[i + 1]], [n[i + 2], n[i + 3]], [n[i + 4], n[i + 5]]]))
    if (command === 'Q')
      for (let i = 0; i < n.length; i += 4) {
        const [from, via, to] = [last(), [n[i], n[i + 1]], [n[i + 2], n[i + 3]]]
        points.push(...curve([from, between(from, via, 2 / 3), between(to, via, 2 / 3), to]))
      }
  }
  return outlines
}

const between = ([x, y], [u, v], part) => [x + (u - x) * part, y + (v - y) * part]

function curve([a, b, c, d]) {
  return Array.from({ length: STEPS }, (_, index) => {
    const t = (index + 1) / STEPS
    const s = 1 - t
    return [0, 1].map(
      (axis) => s * s * s * a[axis] + 3 * s * s * t * b[axis] + 3 * s * t * t * c[axis] + t * t * t * d[axis],
    )
  })
}

export const ellipse = (cx, cy, rx, ry = rx, turn = 0) => {
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  return [
    Array.from({ length: 96 }, (_, index) => {
      const angle = (index / 96) * 2 * Math.PI
      const [x, y] = [rx * Math.cos(angle), ry * Math.sin(angle)]
      return [cx + x * cos - y * sin, cy + x * sin + y * cos]
    }),
  ].map(clockwise)
}

export const box = (x, y, width, height, radius = 0) => {
  const r = Math.min(radius, width / 2, height / 2)
  const [right, bottom] = [x + width, y + height]
  if (r === 0) return path(`M${x} ${y}L${right} ${y}L${right} ${bottom}L${x} ${bottom}Z`)
  const k = r * 0.4477
  return path(
    `M${x + r} ${y}L${right - r} ${y}C${right - k} ${y} ${right} ${y + k} ${right} ${y + r}L${right} ${bottom - r}` +
      `C${right} ${bottom - k} ${right - k} ${bottom} ${right - r} ${bottom}L${x + r} ${bottom}` +
      `C${x + k} ${bottom} ${x} ${bottom - k} ${x} ${bottom - r}L${x} ${y + r}C${x} ${y + k} ${x + k} ${y} ${x + r} ${y}Z`,
  )
}

/** What a lathe would make: the profile, as path text of radius and height, on both sides of the axis. */
export function turned(cx, profile) {
  const [side] = trace(profile)
  return [[...side.map(([r, y]) => [cx + r, y]), ...side.map(([r, y]) => [cx - r, y]).reverse()]].map(clockwise)
}

/** A line of one width with round ends. */
export function stroke(text, width) {
  const r = width / 2
  return trace(text).flatMap((points) =>
    points.flatMap(([x, y], index) => {
      const round = ellipse(x, y, r)
      const next = points[index + 1]
      if (next === undefined) return round
      const length = Math.hypot(next[0] - x, next[1] - y) || 1
      const [dx, dy] = [(-(next[1] - y) / length) * r, ((next[0] - x) / length) * r]
      const bar = [
        [x + dx, y + dy],
        [next[0] + dx, next[1] + dy],
        [next[0] - dx, next[1] - dy],
        [x - dx, y - dy],
      ]
      return [...round, clockwise(bar)]
    }),
  )
}

export const rotated = (outlines, cx, cy, turn) => {
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  return outlines.map((points) =>
    points.map(([x, y]) => [cx + (x - cx) * cos - (y - cy) * sin, cy + (x - cx) * sin + (y - cy) * cos]),
  )
}

function clockwise(points) {
  const area = points.reduce((sum, [x, y], index) => {
    const [u, v] = points[(index + 1) % points.length]
    return sum + x * v - u * y
  }, 0)
  return area < 0 ? [...points].reverse() : points
}
