// The pictures of lamps and of what makes a room friendly: candles, a clock, a plant, a vase, a mirror.

import { ball, dark, light, linear, radial, round } from './colour.js'
import { box, ellipse, path, rotated, stroke, turned } from './path.js'
import { paints, room, shadow, tints, wall } from './room.js'

const { clay, brass, charcoal, oak, walnut, moss, leaf, cream, paper, sea } = paints

export function deskLamp(colour) {
  const c = room(tints.mist)
  shadow(c, 250, 524, 112, 20)
  // The light first, under everything.
  c.fill(
    path('M350 272L496 166L640 392L640 470C560 516 420 520 330 492Z'),
    linear(
      [400, 260],
      [470, 520],
      [
        [0, '#ffe9ae', 0.85],
        [1, '#ffe9ae', 0],
      ],
    ),
  )
  c.fill(turned(240, 'M0 496L88 496C92 512 90 522 70 524L0 524'), round(colour, 150, 330))
  c.fill(ellipse(240, 496, 88, 16), light(colour, 0.25))
  c.fill(
    stroke('M240 494L186 330L330 182', 15),
    linear(
      [180, 0],
      [330, 0],
      [
        [0, light(brass, 0.25)],
        [1, dark(brass, 0.25)],
      ],
    ),
  )
  for (const [x, y] of [
    [186, 330],
    [330, 182],
  ])
    c.fill(ellipse(x, y, 16), ball(brass, x, y, 16))
  const shade = rotated(turned(390, 'M0 128L36 130C44 190 90 226 104 262L0 270'), 340, 190, -0.62)
  c.fill(rotated(ellipse(390, 262, 102, 26), 340, 190, -0.62), '#ffeec2')
  c.fill(rotated(ellipse(390, 262, 40, 16), 340, 190, -0.62), '#fffdf2')
  c.fill(shade, rotatedRound(colour))
  c.within(shade, () => {
    c.fill(rotated(ellipse(390, 268, 100, 20), 340, 190, -0.62), '#ffe7aa', 0.75)
    c.fill(rotated(stroke('M366 150C360 190 330 220 318 246', 9), 340, 190, -0.62), light(colour, 0.65), 0.5)
  })
  return c
}

const rotatedRound = (colour) =>
  linear(
    [310, 250],
    [470, 150],
    [
      [0, light(colour, 0.2)],
      [0.4, colour],
      [1, dark(colour, 0.3)],
    ],
  )

export function pendantLamp() {
  const c = wall(tints.mist)
  for (const r of [240, 222, 204]) c.fill(ellipse(320, 338, r, r * 0.95), '#ffe7b0', 0.28)
  c.fill(stroke('M320 0L320 150', 6), charcoal)
  c.fill(box(300, 140, 40, 34, 8), brass)
  const globe = ellipse(320, 338, 178, 168)
  c.fill(
    globe,
    linear(
      [142, 0],
      [498, 0],
      [
        [0, '#ecd09a'],
        [0.3, '#fff1cf'],
        [0.45, '#fffbee'],
        [0.65, '#fff1cf'],
        [1, '#dfbf86'],
      ],
    ),
  )
  c.within(globe, () => {
    for (let index = 1; index < 12; index++) {
      const y = 170 + index * 28
      c.fill(stroke(`M130 ${y - 6}C220 ${y + 16} 420 ${y + 16} 510 ${y - 6}`, 3), '#c9a565', 0.55)
    }
  })
  c.fill(ellipse(320, 172, 44, 9), '#d4b478')
  c.fill(ellipse(320, 504, 50, 9), '#fffaf0')
  return c
}

export function candles() {
  const c = room(tints.mist)
  for (const [x, top, colour] of [
    [210, 300, '#e8c26a'],
    [322, 216, '#f0d592'],
    [430, 340, '#dfb257'],
  ]) {
    shadow(c, x, 522, 60, 14)
    c.fill(
      ellipse(x, top - 52, 96, 104),
      radial(x, top - 52, 96, 104, [
        [0, '#fff0c0', 0.8],
        [1, '#fff0c0', 0],
      ]),
    )
    const body = [...turned(x, `M0 ${top}L46 ${top}L46 514C40 524 20 526 0 526`)]
    c.fill(body, round(colour, x - 46, x + 46))
    c.fill(stroke(`M${x - 24} ${top + 30}L${x - 24} 480`, 8), light(colour, 0.6), 0.5)
    c.fill(ellipse(x, top, 46, 12), light(colour, 0.4))
    c.fill(ellipse(x, top + 1, 30, 6), light(colour, 0.75))
    c.fill(
      path(
        `M${x + 34} ${top + 4}C${x + 40} ${top + 40} ${x + 36} ${top + 60} ${x + 42} ${top + 66}C${x + 50} ${top + 60} ${x + 46} ${top + 20} ${x + 46} ${top}Z`,
      ),
      light(colour, 0.3),
    )
    c.fill(stroke(`M${x} ${top}L${x} ${top - 18}`, 5), charcoal)
    c.fill(
      path(
        `M${x} ${top - 84}C${x + 34} ${top - 42} ${x + 22} ${top - 12} ${x} ${top - 12}C${x - 22} ${top - 12} ${x - 34} ${top - 42} ${x} ${top - 84}Z`,
      ),
      linear(
        [0, top - 84],
        [0, top - 12],
        [
          [0, '#f6a94a'],
          [1, '#f9cd63'],
        ],
      ),
    )
    c.fill(
      path(
        `M${x} ${top - 52}C${x + 14} ${top - 30} ${x + 10} ${top - 14} ${x} ${top - 14}C${x - 10} ${top - 14} ${x - 14} ${top - 30} ${x} ${top - 52}Z`,
      ),
      '#fff6d6',
    )
  }
  return c
}

export function wallClock() {
  const c = wall(tints.mist)
  c.fill(ellipse(336, 340, 196), '#4a2f25', 0.14)
  c.fill(
    ellipse(320, 320, 192),
    linear(
      [128, 128],
      [512, 512],
      [
        [0, light(walnut, 0.25)],
        [1, dark(walnut, 0.2)],
      ],
    ),
  )
  c.fill(ellipse(320, 320, 168), dark(walnut, 0.35))
  c.fill(ellipse(320, 322, 166), paper)
  for (let hour = 0; hour < 12; hour++) {
    const long = hour % 3 === 0
    c.fill(
      rotated(box(320 - (long ? 5 : 3), 172, long ? 10 : 6, long ? 36 : 20, 3), 320, 320, (hour * Math.PI) / 6),
      charcoal,
    )
  }
  c.fill(rotated(stroke('M320 340L320 228', 14), 320, 320, -1), charcoal)
  c.fill(rotated(stroke('M320 350L320 192', 9), 320, 320, 0.95), charcoal)
  c.fill(rotated(stroke('M320 370L320 186', 4), 320, 320, 2.5), clay)
  c.fill(ellipse(320, 320, 13), clay)
  c.fill(ellipse(320, 320, 5), paper)
  return c
}

export function planter() {
  const c = room(tints.mist)
  shadow(c, 320, 524, 122, 26)
  const leaves = [
    [210, 210, 92, 34, 0.7],
    [430, 206, 92, 34, -0.7],
    [254, 140, 90, 33, 1.15],
    [388, 142, 90, 33, -1.15],
    [320, 118, 86, 34, 1.57],
    [196, 292, 76, 28, 0.2],
    [446, 292, 76, 28, -0.2],
  ]
  for (const [index, [x, y, rx, ry, turn]] of leaves.entries()) {
    const green = index % 2 === 0 ? moss : leaf
    c.fill(stroke(`M320 372C320 300 ${(x + 320) / 2} ${y + 60} ${x} ${y}`, 6), dark(moss, 0.15))
    c.fill(
      ellipse(x, y, rx, ry, turn),
      linear(
        [x - 60, y - 60],
        [x + 60, y + 60],
        [
          [0, light(green, 0.22)],
          [1, dark(green, 0.16)],
        ],
      ),
    )
    const [dx, dy] = [Math.cos(turn) * rx * 0.86, Math.sin(turn) * rx * 0.86]
    c.fill(stroke(`M${x - dx} ${y - dy}L${x + dx} ${y + dy}`, 4), light(green, 0.5), 0.7)
  }
  const pot = turned(320, 'M0 386L98 386L80 510C76 524 60 526 0 526')
  c.fill(pot, round(clay, 218, 422))
  c.fill(box(208, 352, 224, 44, 10), round(light(clay, 0.06), 208, 432))
  c.within(pot, () => c.fill(box(200, 394, 240, 12), dark(clay, 0.5), 0.3))
  c.fill(stroke('M244 420L254 490', 10), light(clay, 0.5), 0.45)
  return c
}

export function vase() {
  const c = room(tints.mist)
  shadow(c, 320, 524, 96, 22)
  for (const [x, y, bend] of [
    [250, 120, -20],
    [326, 84, 8],
    [398, 132, 26],
    [290, 168, -6],
    [366, 176, 14],
  ]) {
    c.fill(stroke(`M320 320C${320 + bend} 260 ${x - bend} ${y + 70} ${x} ${y}`, 5), '#a5854f')
    for (let seed = 0; seed < 7; seed++) {
      const [dx, dy] = [seed % 2 === 0 ? -9 : 9, seed * 12 - 24]
      c.fill(
        ellipse(x + dx + (bend * seed) / -18, y + dy, 14, 8, seed % 2 === 0 ? 0.7 : -0.7),
        seed % 3 === 0 ? '#e5c685' : '#d0a85c',
      )
    }
  }
  const body = turned(320, 'M0 282L38 282C34 310 36 322 46 336C120 372 124 450 74 514C66 524 50 526 0 526')
  c.fill(body, round(paints.blush, 206, 434))
  c.within(body, () => {
    c.fill(path('M180 420C240 400 280 440 330 420C380 400 410 436 470 416L470 540L180 540Z'), round(cream, 206, 434))
    c.fill(stroke('M244 386C232 412 232 440 242 462', 12), '#ffffff', 0.5)
  })
  c.fill(ellipse(320, 282, 38, 9), light(paints.blush, 0.45))
  c.fill(ellipse(320, 283, 30, 6), dark(paints.blush, 0.45))
  return c
}

export function mirror() {
  const c = wall(tints.mist)
  c.fill(ellipse(336, 346, 200), '#4a2f25', 0.14)
  c.fill(
    ellipse(320, 324, 198),
    linear(
      [122, 126],
      [518, 522],
      [
        [0, light(brass, 0.4)],
        [0.5, brass],
        [1, dark(brass, 0.35)],
      ],
    ),
  )
  c.fill(ellipse(320, 324, 180), dark(brass, 0.4))
  const glass = ellipse(320, 324, 176)
  c.fill(
    glass,
    linear(
      [160, 160],
      [480, 490],
      [
        [0, '#eaf3f3'],
        [0.5, '#cfe0e2'],
        [1, '#b4ccd0'],
      ],
    ),
  )
  c.within(glass, () => {
    c.fill(path('M120 400L380 100L450 100L150 460Z'), '#ffffff', 0.55)
    c.fill(path('M230 520L520 190L540 210L262 530Z'), '#ffffff', 0.4)
    c.fill(ellipse(320, 560, 260, 120), sea, 0.12)
  })
  c.fill(stroke('M320 60L320 128', 8), oak)
  c.fill(ellipse(320, 58, 11), ball(charcoal, 320, 58, 11))
  return c
}
