// The pictures of what stands on a table: mugs, bowls, plates, a teapot, a carafe.

import { dark, light, linear, radial, round } from './colour.js'
import { box, ellipse, path, stroke, turned } from './path.js'
import { paints, room, shadow, tints } from './room.js'

const { cream, sand, clay, sage, ink } = paints

export function mug(colour) {
  const c = room(tints.peach)
  shadow(c, 320, 522, 150, 30)
  // The handle first: the body hides where it begins.
  c.fill(
    stroke('M440 300C540 280 548 430 432 440', 36),
    linear(
      [430, 0],
      [530, 0],
      [
        [0, colour],
        [1, dark(colour, 0.28)],
      ],
    ),
  )
  const body = [...turned(310, 'M0 236L136 236C138 330 136 420 116 498C112 516 90 524 0 526')]
  c.fill(body, round(colour, 174, 446))
  c.within(body, () => {
    // The bare foot of the clay below the glaze.
    c.fill(box(150, 462, 340, 80), round(sand, 174, 446))
    c.fill(path('M150 470C230 448 260 478 330 464C400 450 420 474 480 458L480 440L150 440Z'), round(colour, 174, 446))
    c.fill(stroke('M206 270C204 340 208 390 216 430', 12), light(colour, 0.6), 0.5)
  })
  c.fill(ellipse(310, 236, 136, 30), light(colour, 0.35))
  c.fill(ellipse(310, 238, 122, 23), dark(colour, 0.25))
  c.within(ellipse(310, 238, 122, 23), () => {
    c.fill(ellipse(310, 254, 116, 21), '#6b4430')
    c.fill(ellipse(290, 252, 76, 11), '#8a5a3d')
  })
  steam(c, 262, 190)
  steam(c, 330, 176)
  return c
}

function steam(c, x, y) {
  c.fill(stroke(`M${x} ${y}C${x - 34} ${y - 34} ${x + 34} ${y - 58} ${x} ${y - 98}`, 11), '#ffffff', 0.6)
}

export function bowl() {
  const c = room(tints.peach)
  shadow(c, 320, 518, 150, 28)
  const body = turned(320, 'M0 300L196 300C196 400 150 470 92 490L90 518L0 520')
  c.fill(body, round(sage, 124, 516))
  c.within(body, () => {
    c.fill(box(100, 490, 440, 40), round(dark(sage, 0.2), 228, 412))
    c.fill(stroke('M160 330C172 392 200 430 232 452', 13), light(sage, 0.6), 0.5)
  })
  c.fill(ellipse(320, 300, 196, 46), light(sage, 0.4))
  c.fill(ellipse(320, 303, 180, 38), dark(sage, 0.22))
  c.within(ellipse(320, 303, 180, 38), () => {
    c.fill(ellipse(320, 322, 168, 34), '#f1e3c4')
    for (const [x, y, r, colour] of BERRIES) {
      c.fill(ellipse(x, y, r, r * 0.8), colour)
      c.fill(ellipse(x - r * 0.3, y - r * 0.3, r * 0.3, r * 0.22), '#ffffff', 0.55)
    }
  })
  return c
}

const BERRIES = [
  [250, 312, 17, '#56628c'],
  [284, 322, 15, '#6a76a0'],
  [318, 309, 16, '#b8484a'],
  [268, 332, 15, '#b8484a'],
  [352, 322, 17, '#56628c'],
  [386, 312, 15, '#c65a56'],
  [322, 332, 14, '#6a76a0'],
]

export function plates() {
  const c = room(tints.peach)
  shadow(c, 320, 512, 236, 40)
  for (const [index, colour] of [clay, cream, ink, sand].entries()) {
    const y = 488 - index * 34
    c.fill(turned(320, `M0 ${y}L226 ${y}C214 ${y + 22} 140 ${y + 32} 0 ${y + 32}`), round(colour, 94, 546))
    c.fill(ellipse(320, y, 226, 44), light(colour, 0.22))
    c.fill(
      ellipse(320, y + 2, 222, 40),
      linear(
        [100, 0],
        [540, 0],
        [
          [0, dark(colour, 0.06)],
          [1, light(colour, 0.25)],
        ],
      ),
    )
  }
  c.fill(ellipse(320, 394, 150, 26), dark(sand, 0.14))
  c.fill(ellipse(320, 397, 146, 23), light(sand, 0.16))
  // A sprig on the uppermost.
  c.fill(stroke('M240 396C290 384 350 398 408 386', 5), paints.moss)
  for (const [x, y, turn] of [
    [270, 384, -0.5],
    [300, 400, 0.5],
    [332, 382, -0.4],
    [362, 400, 0.4],
    [392, 378, -0.6],
  ])
    c.fill(ellipse(x, y, 21, 8, turn), paints.leaf)
  return c
}

export function teapot() {
  const c = room(tints.peach)
  const colour = paints.sea
  shadow(c, 320, 520, 160, 30)
  c.fill(
    stroke('M436 300C560 270 560 440 430 452', 26),
    linear(
      [430, 0],
      [540, 0],
      [
        [0, dark(colour, 0.1)],
        [1, dark(colour, 0.34)],
      ],
    ),
  )
  const spout = path('M190 420C140 410 130 340 84 306C98 292 116 288 130 292C150 330 170 350 210 350Z')
  c.fill(
    spout,
    linear(
      [80, 0],
      [210, 0],
      [
        [0, light(colour, 0.25)],
        [1, dark(colour, 0.1)],
      ],
    ),
  )
  const body = turned(320, 'M0 262L84 262C170 290 176 420 118 492C104 512 80 520 0 520')
  c.fill(body, round(colour, 164, 476))
  c.within(body, () => {
    c.fill(box(140, 488, 360, 40), round(dark(colour, 0.25), 190, 450))
    c.fill(stroke('M214 330C200 370 204 410 222 446', 14), light(colour, 0.65), 0.5)
    for (const y of [392, 404])
      c.fill(stroke(`M150 ${y}C240 ${y + 22} 400 ${y + 22} 490 ${y}`, 4), light(colour, 0.5), 0.7)
  })
  const lid = turned(320, 'M0 218C60 220 92 244 96 268C70 280 40 282 0 282')
  c.fill(lid, round(light(colour, 0.12), 224, 416))
  c.fill(stroke('M232 270C270 284 370 284 408 270', 4), dark(colour, 0.3), 0.7)
  c.fill(
    ellipse(320, 204, 22, 20),
    radial(312, 196, 34, 34, [
      [0, light(sand, 0.4)],
      [1, dark(sand, 0.3)],
    ]),
  )
  return c
}

export function carafe() {
  const c = room(tints.mist)
  shadow(c, 290, 524, 116, 24, 0.24)
  shadow(c, 452, 526, 62, 15, 0.22)
  const glass = turned(286, 'M0 130L62 130C56 190 52 226 60 262C74 310 112 350 112 430C112 490 100 522 0 526')
  c.fill(glass, '#ffffff', 0.42)
  c.within(glass, () => {
    c.fill(
      path('M150 336C220 350 350 350 420 336L420 540L150 540Z'),
      linear(
        [170, 0],
        [400, 0],
        [
          [0, '#a8cdd0'],
          [0.4, '#c5e0df'],
          [1, '#86b2b8'],
        ],
      ),
      0.85,
    )
    c.fill(ellipse(286, 338, 104, 13), '#e3f1ee', 0.9)
    c.fill(ellipse(262, 430, 34, 13, 0.5), '#f3d35c')
    c.fill(ellipse(262, 430, 26, 9, 0.5), '#f8e59a')
    c.fill(ellipse(322, 466, 30, 12, -0.4), '#f3d35c')
    c.fill(ellipse(322, 466, 22, 8, -0.4), '#f8e59a')
    c.fill(stroke('M202 400C196 440 200 470 210 492', 10), '#ffffff', 0.7)
    c.fill(stroke('M240 168C238 210 240 232 246 262', 9), '#ffffff', 0.8)
    c.fill(stroke('M398 430C398 480 388 508 372 520', 8), '#6d99a0', 0.4)
  })
  c.fill(ellipse(286, 130, 62, 13), '#ffffff', 0.75)
  c.fill(ellipse(286, 131, 52, 9), '#bcd3d4')
  const cup = turned(452, 'M0 410L58 410L50 516C48 526 30 528 0 528')
  c.fill(cup, '#ffffff', 0.5)
  c.within(cup, () => {
    c.fill(
      box(380, 452, 150, 100),
      linear(
        [396, 0],
        [510, 0],
        [
          [0, '#a8cdd0'],
          [0.4, '#c5e0df'],
          [1, '#86b2b8'],
        ],
      ),
      0.85,
    )
    c.fill(ellipse(452, 452, 54, 9), '#e3f1ee', 0.9)
    c.fill(stroke('M410 430L416 500', 8), '#ffffff', 0.7)
  })
  c.fill(ellipse(452, 410, 58, 11), '#ffffff', 0.8)
  c.fill(ellipse(452, 411, 50, 8), '#bcd3d4')
  return c
}
