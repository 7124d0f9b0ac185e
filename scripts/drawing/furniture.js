// The pictures of furniture: a stool, a chair, a small table, a shelf.

import { dark, down, light, linear } from './colour.js'
import { box, ellipse, path, stroke, turned } from './path.js'
import { paints, room, shadow, tints, wall } from './room.js'

const { oak, walnut, charcoal, cream } = paints

const acrossWood = (wood, x0, x1) =>
  linear(
    [x0, 0],
    [x1, 0],
    [
      [0, light(wood, 0.18)],
      [0.5, wood],
      [1, dark(wood, 0.24)],
    ],
  )

export function stool(wood) {
  const c = room(tints.sand)
  shadow(c, 320, 528, 176, 26, 0.26)
  c.fill(path('M306 250L334 250L352 486L330 486Z'), dark(wood, 0.34))
  c.fill(stroke('M236 420C290 436 360 436 402 420', 12), dark(wood, 0.26))
  c.fill(path('M222 256L256 256L204 530L176 530Z'), acrossWood(wood, 176, 256))
  c.fill(path('M384 256L418 256L464 530L436 530Z'), acrossWood(dark(wood, 0.08), 384, 464))
  const seat = turned(320, 'M0 214L156 214C160 236 154 258 128 266L0 270')
  c.fill(seat, acrossWood(wood, 164, 476))
  c.fill(ellipse(320, 216, 156, 40), light(wood, 0.22))
  c.within(ellipse(320, 216, 156, 40), () => {
    for (const [rx, ry, dx] of [
      [120, 28, 6],
      [84, 18, 12],
      [46, 9, 18],
    ]) {
      c.fill(ellipse(320 + dx, 218, rx, ry), dark(wood, 0.16))
      c.fill(ellipse(320 + dx, 218, rx - 4, ry - 3), light(wood, 0.2))
    }
  })
  return c
}

export function chair(colour) {
  const c = room(tints.sand)
  shadow(c, 330, 536, 214, 28, 0.3)
  for (const [text, wood] of [
    ['M208 470L186 534', walnut],
    ['M452 470L476 534', walnut],
    ['M262 470L256 516', dark(walnut, 0.25)],
    ['M398 470L408 516', dark(walnut, 0.25)],
  ])
    c.fill(stroke(text, 17), wood)
  const back = path('M204 400C186 250 200 120 322 116C446 120 458 250 440 400Z')
  c.fill(
    back,
    linear(
      [190, 0],
      [460, 0],
      [
        [0, light(colour, 0.12)],
        [0.5, colour],
        [1, dark(colour, 0.2)],
      ],
    ),
  )
  c.within(back, () => {
    c.fill(stroke('M322 150L322 400', 5), dark(colour, 0.3), 0.6)
    for (const [x, y] of [
      [276, 212],
      [368, 212],
      [276, 292],
      [368, 292],
    ])
      c.fill(ellipse(x, y, 8), dark(colour, 0.35))
    c.fill(stroke('M226 330C216 250 222 190 252 156', 12), light(colour, 0.55), 0.45)
    c.fill(box(180, 350, 290, 60), dark(colour, 0.35), 0.45)
  })
  c.fill(path('M196 380C240 356 400 356 448 380L452 456L192 456Z'), down(light(colour, 0.1), 360, 456))
  c.fill(
    box(176, 420, 292, 66, 26),
    linear(
      [176, 0],
      [468, 0],
      [
        [0, colour],
        [1, dark(colour, 0.3)],
      ],
    ),
  )
  for (const [x, side] of [
    [136, 0],
    [432, 1],
  ]) {
    const arm = path(`M${x} 356C${x} 316 ${x + 74} 316 ${x + 74} 356L${x + 70} 486L${x + 6} 486Z`)
    c.fill(
      arm,
      linear(
        [x, 0],
        [x + 74, 0],
        [
          [0, light(colour, side ? 0.02 : 0.22)],
          [1, dark(colour, side ? 0.32 : 0.12)],
        ],
      ),
    )
    c.fill(ellipse(x + 37, 354, 34, 24), light(colour, side ? 0.1 : 0.26))
    c.fill(ellipse(x + 37, 356, 24, 15), colour)
  }
  return c
}

export function sideTable() {
  const c = room(tints.sand)
  shadow(c, 320, 530, 178, 26, 0.28)
  c.fill(stroke('M320 300L320 450', 22), acrossWood(oak, 309, 331))
  for (const text of ['M320 440C280 470 220 480 190 526', 'M320 440C360 470 420 480 450 526', 'M320 440L326 520'])
    c.fill(stroke(text, 20), text.endsWith('520') ? dark(oak, 0.22) : acrossWood(oak, 180, 460))
  c.fill(turned(320, 'M0 272L190 272C190 296 176 304 150 306L0 308'), acrossWood(oak, 130, 510))
  c.fill(ellipse(320, 274, 190, 42), light(oak, 0.24))
  c.within(ellipse(320, 274, 190, 42), () => {
    for (const y of [250, 262, 276, 290, 302])
      c.fill(stroke(`M110 ${y}C230 ${y + 8} 400 ${y - 8} 540 ${y + 2}`, 3), dark(oak, 0.2), 0.45)
  })
  // A book and a cup, so that one sees how large it is.
  c.fill(path('M196 262L310 250L330 264L214 278Z'), paints.sea)
  c.fill(path('M214 278L330 264L330 276L214 291Z'), paints.paper)
  c.fill(path('M214 289L330 274L330 279L214 294Z'), dark(paints.sea, 0.3))
  c.fill(stroke('M428 226C456 222 456 256 424 258', 9), dark(cream, 0.1))
  c.fill(
    turned(394, 'M0 206L38 206C38 240 34 264 22 272L0 274'),
    linear(
      [356, 0],
      [432, 0],
      [
        [0, light(cream, 0.3)],
        [1, dark(cream, 0.22)],
      ],
    ),
  )
  c.fill(ellipse(394, 206, 38, 10), light(cream, 0.5))
  c.fill(ellipse(394, 207, 31, 7), '#7a4c34')
  return c
}

export function shelf() {
  const c = wall(tints.sand)
  for (const y of [292, 468]) {
    c.fill(box(116, y + 22, 420, 16), '#4a2f25', 0.14)
    for (const x of [166, 452]) {
      c.fill(box(x, y, 14, 74, 4), charcoal)
      c.fill(path(`M${x + 3} ${y + 70}L${x + 3} ${y + 58}L${x + 44} ${y + 18}L${x + 56} ${y + 18}Z`), charcoal)
    }
    c.fill(box(104, y, 432, 24, 5), down(oak, y, y + 24))
    c.fill(stroke(`M112 ${y + 7}C240 ${y + 11} 400 ${y + 3} 528 ${y + 8}`, 3), dark(oak, 0.25), 0.5)
  }
  for (const [x, width, height, colour] of [
    [140, 26, 122, paints.rust],
    [168, 32, 104, paints.ink],
    [202, 22, 130, paints.sage],
    [226, 28, 112, paints.mustard],
  ]) {
    c.fill(
      box(x, 292 - height, width, height, 3),
      linear(
        [x, 0],
        [x + width, 0],
        [
          [0, light(colour, 0.16)],
          [1, dark(colour, 0.2)],
        ],
      ),
    )
    for (const at of [0.18, 0.82]) c.fill(box(x, 292 - height + height * at, width, 5), light(colour, 0.5), 0.7)
  }
  c.fill(
    turned(420, 'M0 214C20 214 22 226 20 236C66 250 66 290 34 292L0 292'),
    linear(
      [360, 0],
      [480, 0],
      [
        [0, light(paints.blush, 0.3)],
        [1, dark(paints.blush, 0.25)],
      ],
    ),
  )
  for (const [x, y, turn] of [
    [396, 176, -1.2],
    [420, 158, -1.57],
    [446, 178, -1.9],
  ]) {
    c.fill(stroke(`M420 220L${x} ${y}`, 4), paints.moss)
    c.fill(ellipse(x, y, 26, 11, turn), paints.leaf)
  }
  c.fill(
    box(150, 380, 110, 88, 8),
    linear(
      [150, 0],
      [260, 0],
      [
        [0, light(walnut, 0.2)],
        [1, dark(walnut, 0.1)],
      ],
    ),
  )
  c.fill(box(162, 392, 86, 64), paints.paper)
  c.within(box(162, 392, 86, 64), () => {
    c.fill(ellipse(226, 414, 11), paints.mustard)
    c.fill(path('M150 456L190 418L216 442L236 424L262 460Z'), paints.sage)
  })
  for (const [index, colour] of [cream, paints.clay, paints.sea].entries()) {
    const y = 446 - index * 21
    c.fill(
      turned(404, `M0 ${y}L${66 - index * 4} ${y}C${60 - index * 4} ${y + 18} 34 ${y + 22} 0 ${y + 22}`),
      linear(
        [340, 0],
        [470, 0],
        [
          [0, light(colour, 0.2)],
          [1, dark(colour, 0.25)],
        ],
      ),
    )
  }
  return c
}
