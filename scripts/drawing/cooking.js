// The pictures of what is used at the stove: pans, a kettle, a board, spoons, a jar, a mill.

import { ball, dark, light, linear, radial, round } from './colour.js'
import { box, ellipse, path, rotated, stroke, turned } from './path.js'
import { paints, room, shadow, tints } from './room.js'

const { oak, walnut, charcoal, brass, cream } = paints

export function saucepan(colour) {
  const c = room(tints.mint)
  shadow(c, 290, 520, 176, 30)
  c.fill(
    stroke('M430 348L586 322', 30),
    linear(
      [0, 310],
      [0, 360],
      [
        [0, light(oak, 0.25)],
        [1, dark(oak, 0.25)],
      ],
    ),
  )
  c.fill(stroke('M428 349L470 342', 34), dark(colour, 0.35))
  const body = turned(280, 'M0 322L166 322C168 400 166 450 158 486C152 514 130 522 0 522')
  c.fill(body, round(colour, 114, 446))
  c.within(body, () => {
    c.fill(stroke('M150 360C146 410 150 450 158 484', 13), light(colour, 0.65), 0.5)
    c.fill(box(100, 496, 380, 40), dark(colour, 0.4), 0.3)
  })
  c.fill(ellipse(280, 322, 170, 34), charcoal)
  c.fill(ellipse(280, 318, 168, 33), light(colour, 0.15))
  const lid = turned(280, 'M0 256C80 258 150 282 164 314C130 336 60 342 0 342')
  c.fill(lid, round(light(colour, 0.1), 116, 444))
  c.fill(stroke('M118 316C170 350 390 350 442 316', 7), dark(colour, 0.35))
  c.fill(stroke('M168 300C190 284 220 274 250 270', 9), light(colour, 0.7), 0.5)
  c.fill(box(262, 232, 36, 30, 8), charcoal)
  c.fill(
    ellipse(280, 228, 34, 15),
    radial(270, 222, 44, 24, [
      [0, light(oak, 0.35)],
      [1, dark(oak, 0.25)],
    ]),
  )
  return c
}

export function skillet() {
  const c = room(tints.mint)
  shadow(c, 280, 492, 224, 44)
  c.fill(
    path('M440 404C500 390 560 374 604 366C622 364 628 392 610 400C566 412 510 428 456 446Z'),
    linear(
      [0, 366],
      [0, 446],
      [
        [0, '#6b6562'],
        [1, '#332f2e'],
      ],
    ),
  )
  c.fill(ellipse(596, 383, 13, 8, -0.2), dark(tints.mint, 0.1))
  const side = turned(268, 'M0 420L216 420C212 470 170 506 0 508')
  c.fill(side, round('#4c4745', 52, 484))
  c.fill(path('M54 412C40 400 40 392 58 396L90 410Z'), '#5a5451')
  c.fill(ellipse(268, 418, 218, 66), '#6d6663')
  c.fill(ellipse(268, 421, 206, 60), '#2f2b2a')
  c.within(ellipse(268, 421, 206, 60), () => {
    c.fill(
      ellipse(268, 434, 186, 50),
      radial(220, 420, 220, 80, [
        [0, '#4a4442'],
        [1, '#35302f'],
      ]),
    )
    // Two eggs.
    c.fill(
      path('M150 432C146 404 196 392 228 402C262 398 282 420 262 440C256 462 206 466 184 456C164 458 150 448 150 432Z'),
      '#fbf5ea',
    )
    c.fill(
      path('M286 434C290 412 330 402 352 412C384 408 398 430 380 446C372 464 326 468 306 458C292 454 284 446 286 434Z'),
      '#f4ecdc',
    )
    c.fill(
      ellipse(206, 426, 28, 18),
      radial(198, 418, 40, 28, [
        [0, '#f8c95a'],
        [1, '#e39a2c'],
      ]),
    )
    c.fill(
      ellipse(334, 432, 26, 16),
      radial(326, 424, 38, 26, [
        [0, '#f8c95a'],
        [1, '#e39a2c'],
      ]),
    )
    c.fill(ellipse(198, 420, 8, 4), '#ffffff', 0.7)
    c.fill(ellipse(327, 427, 7, 4), '#ffffff', 0.7)
    for (const [x, y] of [
      [256, 470],
      [282, 404],
      [168, 470],
      [392, 418],
      [330, 474],
    ])
      c.fill(ellipse(x, y, 5, 4), paints.leaf)
  })
  return c
}

export function chopping() {
  const c = room(tints.mint)
  shadow(c, 330, 524, 176, 22)
  const board = box(190, 150, 264, 376, 26)
  const grip = box(282, 82, 80, 100, 30)
  c.fill(
    rotated(
      [...board.map((p) => p.map(([x, y]) => [x + 14, y])), ...grip.map((p) => p.map(([x, y]) => [x + 14, y]))],
      320,
      524,
      0.05,
    ),
    dark(oak, 0.38),
  )
  const front = rotated([...board, ...grip], 320, 524, 0.05)
  c.fill(
    front,
    linear(
      [180, 20],
      [480, 5],
      [
        [0, light(oak, 0.16)],
        [1, dark(oak, 0.04)],
      ],
    ),
  )
  c.within(front, () => {
    for (const [index, x] of [216, 252, 300, 346, 392, 432].entries()) {
      const bend = index % 2 === 0 ? 14 : -10
      c.fill(
        rotated(
          stroke(`M${x} 90C${x + bend} 220 ${x - bend} 380 ${x + 4} 530`, index % 3 === 0 ? 5 : 3),
          320,
          524,
          0.05,
        ),
        dark(oak, 0.26),
        0.5,
      )
    }
    c.fill(rotated(box(250, 60, 16, 480), 320, 524, 0.05), light(oak, 0.35), 0.25)
  })
  c.fill(rotated(ellipse(322, 116, 15), 320, 524, 0.05), dark(tints.mint, 0.12))
  // The engraving.
  c.fill(
    rotated(
      stroke(
        'M286 348C286 318 322 316 322 346C322 316 358 318 358 348C358 376 322 392 322 404C322 392 286 376 286 348',
        6,
      ),
      320,
      524,
      0.05,
    ),
    dark(oak, 0.52),
  )
  tomato(c, 150, 486, 40)
  tomato(c, 212, 500, 30)
  return c
}

function tomato(c, x, y, r) {
  shadow(c, x, y + r * 0.86, r, r * 0.28, 0.3)
  c.fill(ellipse(x, y, r, r * 0.92), ball('#cf513c', x, y, r))
  for (const turn of [-1, -0.4, 0.3, 0.9])
    c.fill(ellipse(x + turn * r * 0.3, y - r * 0.8, r * 0.3, r * 0.1, turn), paints.moss)
  c.fill(ellipse(x - r * 0.4, y - r * 0.35, r * 0.2, r * 0.13, -0.6), '#ffffff', 0.6)
}

export function spoons() {
  const c = room(tints.mint)
  shadow(c, 320, 522, 118, 24)
  spoon(c, 300, 120, -0.22, light(oak, 0.15))
  spatula(c, 334, 110, 0.02, walnut)
  spoon(c, 362, 130, 0.27, oak)
  const crock = turned(320, 'M0 330L106 330C112 400 108 460 100 508C96 522 80 526 0 526')
  c.fill(crock, round(cream, 214, 426))
  c.within(crock, () => {
    for (const [y, width] of [
      [372, 9],
      [390, 4],
      [478, 4],
      [490, 9],
    ])
      c.fill(stroke(`M200 ${y}C270 ${y + 18} 370 ${y + 18} 440 ${y}`, width), paints.sea, 0.85)
    c.fill(stroke('M240 400C238 430 240 450 244 470', 10), '#ffffff', 0.6)
  })
  c.fill(stroke('M214 332C250 354 390 354 426 332', 9), light(cream, 0.4))
  return c
}

function spoon(c, x, y, turn, wood) {
  const at = (outlines) => rotated(outlines, 320, 430, turn)
  c.fill(at(stroke(`M${x} ${y + 60}L${x} 420`, 19)), wood)
  c.fill(at(stroke(`M${x + 5} ${y + 80}L${x + 5} 420`, 6)), dark(wood, 0.25), 0.6)
  c.fill(at(ellipse(x, y + 30, 39, 58)), wood)
  c.fill(at(ellipse(x + 3, y + 28, 28, 45)), dark(wood, 0.22))
  c.fill(at(ellipse(x + 6, y + 34, 22, 35)), dark(wood, 0.12))
}

function spatula(c, x, y, turn, wood) {
  const at = (outlines) => rotated(outlines, 320, 430, turn)
  c.fill(at(stroke(`M${x} ${y + 90}L${x} 420`, 18)), wood)
  c.fill(at(box(x - 34, y - 20, 68, 126, 16)), wood)
  for (const dx of [-15, 0, 15]) c.fill(at(box(x + dx - 4, y + 2, 8, 74, 4)), tints.mint)
}

export function jar() {
  const c = room(tints.mint)
  shadow(c, 320, 524, 126, 24, 0.26)
  const glass = box(204, 232, 232, 292, 40)
  c.fill(glass, '#ffffff', 0.5)
  c.within(box(214, 240, 212, 276, 34), () => {
    c.fill(box(200, 330, 240, 200), '#dcae62')
    let seed = 7
    const next = () => {
      seed = (seed * 16_807) % 2_147_483_647
      return seed / 2_147_483_647
    }
    for (let index = 0; index < 46; index++) {
      const [x, y, turn] = [216 + next() * 208, 330 + next() * 184, next() * 3]
      const colour = ['#f0cf8b', '#c98f43', '#e6bd73'][index % 3]
      c.fill(
        rotated(stroke(`M${x - 13} ${y}C${x - 6} ${y - 9} ${x + 6} ${y - 9} ${x + 13} ${y}`, 9), x, y, turn),
        colour,
      )
    }
    c.fill(box(386, 330, 60, 200), dark('#dcae62', 0.4), 0.22)
  })
  c.fill(stroke('M228 290C226 360 226 430 232 480', 12), '#ffffff', 0.65)
  c.fill(box(256, 396, 128, 74, 10), paints.paper)
  c.fill(stroke('M278 424L362 424', 7), charcoal)
  c.fill(stroke('M294 446L346 446', 5), paints.sand)
  c.fill(box(222, 204, 196, 34, 10), '#ffffff', 0.75)
  c.fill(
    box(206, 158, 228, 58, 18),
    linear(
      [206, 0],
      [434, 0],
      [
        [0, light(oak, 0.25)],
        [0.5, oak],
        [1, dark(oak, 0.3)],
      ],
    ),
  )
  for (const y of [176, 194]) c.fill(stroke(`M214 ${y}C280 ${y + 5} 360 ${y - 5} 428 ${y}`, 3), dark(oak, 0.3), 0.5)
  return c
}

export function kettle() {
  const c = room(tints.mint)
  const colour = paints.mustard
  shadow(c, 320, 520, 176, 30)
  c.fill(
    stroke('M214 296C216 120 424 120 426 296', 22),
    linear(
      [210, 0],
      [430, 0],
      [
        [0, '#6b6562'],
        [1, '#332f2e'],
      ],
    ),
  )
  c.fill(
    stroke('M262 178C290 154 350 154 378 178', 32),
    linear(
      [0, 150],
      [0, 190],
      [
        [0, light(walnut, 0.2)],
        [1, dark(walnut, 0.2)],
      ],
    ),
  )
  c.fill(
    path('M450 400C490 380 500 320 556 280L584 306C550 340 540 420 462 460Z'),
    linear(
      [450, 0],
      [584, 0],
      [
        [0, dark(colour, 0.2)],
        [1, dark(colour, 0.34)],
      ],
    ),
  )
  c.fill(stroke('M556 280L584 306', 12), charcoal)
  const body = turned(320, 'M0 270L70 272C150 300 180 400 168 500C164 518 150 522 0 522')
  c.fill(body, round(colour, 150, 490))
  c.within(body, () => {
    c.fill(stroke('M204 360C190 400 184 440 186 480', 15), light(colour, 0.7), 0.55)
    c.fill(box(120, 500, 400, 40), dark(colour, 0.5), 0.35)
  })
  c.fill(turned(320, 'M0 244C44 246 70 262 74 278C50 288 30 290 0 290'), round(light(colour, 0.1), 246, 394))
  c.fill(stroke('M248 278C280 292 360 292 392 278', 4), dark(colour, 0.4), 0.7)
  c.fill(ellipse(320, 234, 16, 15), ball(charcoal, 320, 234, 16))
  return c
}

export function pepperMill() {
  const c = room(tints.mint)
  shadow(c, 320, 522, 84, 20)
  const body = turned(320, 'M0 250L50 250C58 290 40 330 44 370C50 420 78 460 78 514C60 524 30 526 0 526')
  c.fill(body, round(walnut, 242, 398))
  c.within(body, () => {
    c.fill(box(200, 488, 240, 10), dark(walnut, 0.4), 0.6)
    c.fill(stroke('M296 290C288 340 284 390 276 470', 8), light(walnut, 0.5), 0.5)
  })
  c.fill(box(268, 238, 104, 14, 5), round(brass, 268, 372))
  c.fill(turned(320, 'M0 150C52 150 66 186 60 214C56 232 40 238 0 238'), round(walnut, 258, 382))
  c.fill(ellipse(320, 140, 15, 14), ball(brass, 320, 140, 15))
  for (const [x, y, r] of [
    [430, 520, 9],
    [456, 508, 8],
    [476, 524, 9],
    [210, 520, 8],
    [188, 512, 9],
  ])
    c.fill(ellipse(x, y, r), ball('#5a4a42', x, y, r))
  return c
}
