// A canvas as a PNG file with a palette: small, and the same bytes whenever the same picture is drawn by the same Node.

import { crc32, deflateSync } from 'node:zlib'

/** With as many colours as fit into the size: fewer where a picture has many gradients. */
export function encodePng(canvas, mostBytes) {
  for (const colours of [96, 80, 64, 52]) {
    const png = encode(canvas, colours)
    if (png.length <= mostBytes) return png
  }
  throw new Error(`A picture takes more than ${mostBytes} bytes; draw it with fewer gradients.`)
}

function encode({ width, height, pixels }, colours) {
  const { palette, indexes } = withPalette(pixels, colours)
  const raw = Buffer.alloc((width + 1) * height)
  for (let y = 0; y < height; y++) raw.set(indexes.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat().map((value) => Math.max(0, Math.min(255, Math.round(value)))))),
    chunk('IDAT', deflateSync(raw, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}

function withPalette(pixels, colours) {
  const counts = new Map()
  const keys = new Uint32Array(pixels.length / 3)
  for (let index = 0; index < keys.length; index++) {
    const [r, g, b] = [0, 1, 2].map((channel) => Math.max(0, Math.min(255, Math.round(pixels[index * 3 + channel]))))
    const key = (r << 16) | (g << 8) | b
    keys[index] = key
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const found = [...counts].map(([key, count]) => ({ key, count, rgb: [key >> 16, (key >> 8) & 255, key & 255] }))
  let palette = medianCut(found, colours)
  for (let round = 0; round < 4; round++) palette = settled(found, palette)
  const nearestOf = new Map(found.map(({ key, rgb }) => [key, nearest(palette, rgb)]))
  return { palette, indexes: Uint8Array.from(keys, (key) => nearestOf.get(key)) }
}

/** Splits the box of colours with the widest spread until there are enough; a colour of few pixels weighs little, not nothing. */
function medianCut(found, colours) {
  const boxes = [found]
  while (boxes.length < Math.min(colours, found.length)) {
    const spreads = boxes.map(spreadOf)
    const widest = spreads.reduce((best, { weight }, index) => (weight > spreads[best].weight ? index : best), 0)
    const { channel, weight } = spreads[widest]
    if (weight <= 0) break
    const [split] = boxes.splice(widest, 1)
    split.sort((one, other) => one.rgb[channel] - other.rgb[channel])
    const half = split.reduce((sum, { count }) => sum + Math.sqrt(count), 0) / 2
    let sum = 0
    let at = split.findIndex(({ count }) => {
      sum += Math.sqrt(count)
      return sum >= half
    })
    at = Math.max(1, Math.min(split.length - 1, at))
    boxes.push(split.slice(0, at), split.slice(at))
  }
  return boxes.map(meanOf)
}

function spreadOf(box) {
  const spans = [0, 1, 2].map((channel) => {
    const values = box.map(({ rgb }) => rgb[channel])
    return values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b))
  })
  const channel = spans.indexOf(Math.max(...spans))
  return {
    channel,
    weight: box.length < 2 ? 0 : spans[channel] * box.reduce((sum, { count }) => sum + Math.sqrt(count), 0) ** 0.5,
  }
}

function meanOf(box) {
  const total = box.reduce((sum, { count }) => sum + count, 0)
  return [0, 1, 2].map((channel) => box.reduce((sum, { rgb, count }) => sum + rgb[channel] * count, 0) / total)
}

function settled(found, palette) {
  const groups = palette.map(() => [])
  for (const entry of found) groups[nearest(palette, entry.rgb)].push(entry)
  return groups.map((group, index) => (group.length === 0 ? palette[index] : meanOf(group)))
}

function nearest(palette, [r, g, b]) {
  let best = 0
  let least = Number.POSITIVE_INFINITY
  for (let index = 0; index < palette.length; index++) {
    const [pr, pg, pb] = palette[index]
    const distance = (pr - r) ** 2 + (pg - g) ** 2 + (pb - b) ** 2
    if (distance < least) {
      least = distance
      best = index
    }
  }
  return best
}
