// The pictures of what is delivered as a file: plans, a cookbook, wallpapers, a gift card; and the wallpapers themselves.

import { createCanvas } from './canvas.js'
import { dark, light, linear } from './colour.js'
import { box, ellipse, path, rotated, stroke, turned } from './path.js'
import { paints, tints, wall } from './room.js'

const { paper, ink, sea, clay, mustard, sage, rust, moss, cream, brass } = paints

export function plans() {
  const c = wall(tints.lilac)
  const blue = '#3f6484'
  c.fill(box(152, 124, 364, 424, 6), '#4a2f25', 0.16)
  c.fill(box(138, 108, 364, 424, 6), blue)
  c.within(box(138, 108, 364, 424, 6), () => {
    for (let at = 1; at < 7; at++) {
      c.fill(box(138 + at * 60, 100, 2, 440), light(blue, 0.25), 0.5)
      c.fill(box(130, 108 + at * 60, 380, 2), light(blue, 0.25), 0.5)
    }
  })
  const line = (text, width = 6) => c.fill(stroke(text, width), paper)
  line('M210 214C210 196 430 196 430 214C430 234 210 234 210 214')
  line('M210 214L216 240C260 258 380 258 424 240L430 214')
  line('M240 250L206 420')
  line('M266 254L232 424')
  line('M400 250L434 420')
  line('M374 254L408 424')
  line('M310 256L314 396')
  line('M328 256L332 396')
  line('M228 348C280 360 360 360 414 348', 4)
  line('M206 456L434 456', 3)
  for (const x of [206, 434]) line(`M${x} 444L${x} 468`, 3)
  line('M464 214L464 420', 3)
  for (const y of [214, 420]) line(`M454 ${y}L474 ${y}`, 3)
  c.fill(box(360, 486, 122, 30, 3), paper)
  c.fill(stroke('M374 501L440 501', 5), blue)
  pencil(c)
  return c
}

function pencil(c) {
  const at = (outlines) => rotated(outlines, 470, 520, -0.75)
  c.fill(at(box(392, 532, 190, 24, 4)), '#4a2f25', 0.18)
  c.fill(at(box(384, 512, 170, 24)), mustard)
  c.fill(at(box(384, 512, 170, 8)), light(mustard, 0.35))
  c.fill(at(box(384, 528, 170, 8)), dark(mustard, 0.2))
  c.fill(at(box(554, 510, 18, 28, 2)), paints.steel)
  c.fill(at(box(570, 512, 22, 24, 8)), paints.blush)
  c.fill(at(path('M384 512L342 524L384 536Z')), '#efd3a4')
  c.fill(at(path('M358 519.5L342 524L358 528.5Z')), paints.charcoal)
}

export function cookbook() {
  const c = wall(tints.lilac)
  c.fill(box(168, 116, 330, 436, 12), '#4a2f25', 0.16)
  c.fill(box(160, 104, 330, 432, 10), dark(rust, 0.35))
  c.fill(box(176, 112, 308, 420, 4), paper)
  for (const y of [524, 528]) c.fill(box(176, y, 308, 2), dark(paper, 0.2))
  c.fill(
    box(152, 96, 326, 424, 10),
    linear(
      [152, 0],
      [478, 0],
      [
        [0, dark(rust, 0.25)],
        [0.07, dark(rust, 0.2)],
        [0.09, light(rust, 0.12)],
        [1, rust],
      ],
    ),
  )
  c.fill(box(212, 136, 232, 96, 6), paper)
  c.fill(stroke('M240 170L416 170', 12), rust)
  c.fill(stroke('M268 202L388 202', 7), paints.sand)
  // One pot.
  c.fill(stroke('M222 372L246 372', 16), cream)
  c.fill(stroke('M410 372L434 372', 16), cream)
  c.fill(turned(328, 'M0 336L92 336C94 380 92 410 82 438C76 452 60 456 0 456'), cream)
  c.fill(turned(328, 'M0 298C50 300 84 312 90 328L0 332'), light(cream, 0.4))
  c.fill(ellipse(328, 292, 14, 11), cream)
  for (const x of [290, 328, 366])
    c.fill(stroke(`M${x} 280C${x - 14} 268 ${x + 14} 258 ${x} 244`, 6), cream, x === 328 ? 0 : 0.75)
  return c
}

export function wallpapers() {
  const c = wall(tints.lilac)
  for (const [index, draw] of [
    [0, dunes],
    [1, hills],
    [2, harbour],
  ]) {
    const at = (outlines) => rotated(outlines, 320, 900, (index - 1) * 0.17)
    const x = 320 - 118
    c.fill(at(box(x + 12, 150, 236, 356, 22)), '#4a2f25', 0.16)
    c.fill(at(box(x, 138, 236, 356, 22)), paper)
    c.within(at(box(x + 12, 150, 212, 332, 14)), () => draw(c, x + 12 + (index - 1) * 98, 158, 212, 332))
  }
  return c
}

/** A wallpaper as it is sold: the scene alone. */
export function wallpaper(draw) {
  const c = createCanvas(1280, 800)
  draw(c, 0, 0, 1280, 800)
  return c
}

const scaled = (text, x, y, width, height) => {
  let isX = false
  return text.replace(/-?\d+(?:\.\d+)?/g, (number) => {
    isX = !isX
    return String(isX ? x + (Number(number) / 100) * width : y + (Number(number) / 100) * height)
  })
}

const scene = (c, x, y, width, height, sky, sun, bands) => {
  c.fill(box(x - 200, y - 100, width + 400, height + 200), linear([0, y], [0, y + height], sky))
  c.fill(ellipse(x + (sun[0] / 100) * width, y + (sun[1] / 100) * height, Math.min(width, height) * sun[2]), sun[3])
  for (const [text, colour] of bands) c.fill(path(scaled(text, x, y, width, height)), colour)
}

export const dunes = (c, ...frame) =>
  scene(
    c,
    ...frame,
    [
      [0, '#f6d7b0'],
      [1, '#f3b98c'],
    ],
    [70, 30, 0.14, '#f8eed8'],
    [
      ['M-80 62C0 44 40 70 80 52C120 40 160 60 200 50L200 140L-80 140Z', light(clay, 0.35)],
      ['M-80 76C-20 90 20 58 66 74C110 90 150 66 200 78L200 140L-80 140Z', clay],
      ['M-80 92C-20 74 40 104 90 86C130 76 160 90 200 84L200 140L-80 140Z', rust],
    ],
  )

export const hills = (c, ...frame) =>
  scene(
    c,
    ...frame,
    [
      [0, '#dfe9df'],
      [1, '#f3ead0'],
    ],
    [32, 26, 0.13, mustard],
    [
      ['M-80 60L-20 40L20 58L56 34L96 60L140 42L200 62L200 140L-80 140Z', light(sage, 0.4)],
      ['M-80 74C-20 54 30 60 70 72C110 80 160 58 200 66L200 140L-80 140Z', sage],
      ['M-80 88C0 98 40 74 90 84C130 92 170 80 200 86L200 140L-80 140Z', moss],
    ],
  )

export const harbour = (c, ...frame) =>
  scene(
    c,
    ...frame,
    [
      [0, '#36475a'],
      [1, '#7e93a3'],
    ],
    [66, 24, 0.1, '#f4ead0'],
    [
      ['M-80 64L200 64L200 140L-80 140Z', sea],
      ['M-80 76C-20 72 20 82 60 76C110 70 150 82 200 76L200 140L-80 140Z', dark(sea, 0.25)],
      ['M22 70L62 70L54 78L30 78Z', cream],
      ['M42 68L42 40L62 66Z', paper],
      ['M39 68L39 46L26 66Z', light(clay, 0.2)],
      ['M-80 92C-20 88 40 98 90 90C130 86 170 96 200 92L200 140L-80 140Z', ink],
    ],
  )

export function giftCard() {
  const c = wall(tints.lilac)
  const at = (outlines) => rotated(outlines, 320, 320, -0.09)
  c.fill(at(box(122, 216, 424, 262, 26)), '#4a2f25', 0.18)
  c.fill(
    at(box(108, 196, 424, 262, 26)),
    linear(
      [108, 196],
      [532, 458],
      [
        [0, light(sea, 0.2)],
        [1, dark(sea, 0.15)],
      ],
    ),
  )
  c.within(at(box(108, 196, 424, 262, 26)), () => {
    c.fill(ellipse(170, 480, 190), light(sea, 0.25), 0.5)
    c.fill(ellipse(520, 180, 150), dark(sea, 0.2), 0.35)
    c.fill(at(box(392, 180, 34, 300)), clay)
    c.fill(at(box(392, 180, 10, 300)), light(clay, 0.3), 0.7)
  })
  const bow = (text, colour) => c.fill(at(path(text)), colour)
  bow('M409 270C360 200 310 220 318 258C322 292 372 290 409 270Z', clay)
  bow('M409 270C458 200 508 220 500 258C496 292 446 290 409 270Z', dark(clay, 0.12))
  bow('M398 262C366 226 338 234 342 256C346 272 374 272 398 262Z', dark(clay, 0.4))
  bow('M420 262C452 226 480 234 476 256C472 272 444 272 420 262Z', dark(clay, 0.45))
  bow('M402 274L366 344L388 340L400 358L416 280Z', dark(clay, 0.08))
  bow('M416 274L452 344L430 340L418 358L402 280Z', dark(clay, 0.2))
  c.fill(at(box(392, 250, 34, 38, 10)), light(clay, 0.14))
  c.fill(at(stroke('M144 392L290 392', 13)), paper)
  c.fill(at(stroke('M144 424L228 424', 8)), light(sea, 0.6))
  c.fill(at(stroke('M144 240L190 240', 10)), brass)
  return c
}
